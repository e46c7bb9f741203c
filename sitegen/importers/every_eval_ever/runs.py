"""Makes the run of an agent out of the samples of its records: a try for each line of the result that counts."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from sitegen.importers.every_eval_ever.records import Record, Result
from sitegen.importers.every_eval_ever.samples import SampleLine, Samples
from sitegen.importers.every_eval_ever.scales import Scale, agrees
from sitegen.importers.kit import rules
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Key, Run, Source
from sitegen.importers.kit.transcripts import transcript_of
from sitegen.problems import ProblemsError, Rule, listed

SUBSET = "subset"
"""The label of a sample that says which part of several it belongs to."""

EPOCHS_COUNTED = Rule.warning(
    "EEE-EPOCHS",
    "A line says which attempt it is of.",
    "write `metadata.epoch`, if the order of the lines is not that of the attempts",
    "The source does not number attempts: they are counted in the order of its lines.",
)
SCALE = Rule.warning(
    "EEE-SCALE",
    "Samples that are correct have the best score of the scale, and others the worst, where there are two scores.",
    "look whether `lower_is_better`, `min_score` and `max_score` are those of the metric",
    "The scale does not fit the samples: {}.",
)

_NO_LABELS = frozenset({"epoch", "state", "round", "task"})


@dataclass(slots=True)
class ScoredRecord:
    """A record with the result that is its reward."""

    record: Record
    samples: Samples
    result: Result
    scale: Scale
    names: frozenset[str]
    """What lines of the result are called by."""
    prefix: str = ""
    """The part of the benchmark that it is of, where the import has several."""
    attempt: int = 0
    """Attempts of earlier records of the same part, which its own follow."""
    rewards: list[float] = field(default_factory=list)
    """Those of all of its tries; 0 for one without a verdict."""
    measures: dict[Key, dict[str, float]] = field(default_factory=dict)
    """The scores of other results, by try."""
    judged: list[float] = field(default_factory=list)
    """Those of its tries that came to a verdict."""

    def task(self, sample: str) -> str:
        """Return the name of a sample's task."""
        return f"{self.prefix}/{sample}" if self.prefix else sample

    @property
    def needs_result_id(self) -> bool:
        """Whether lines name results by their ids; one that does not has no verdict then."""
        return any(line.has_result_id for line in self.samples.lines)

    @property
    def lines(self) -> list[SampleLine]:
        """The lines of the result."""
        return [line for line in self.samples.lines if line.result in self.names]

    @property
    def epochs(self) -> dict[int, int]:
        """The attempt of each line, by the line's number: as it is stated, else counted."""
        seen: Counter[tuple[str, str]] = Counter()
        epochs: dict[int, int] = {}
        for line in self.samples.lines:
            name = "" if line.result in self.names else line.result
            seen[name, line.sample] += 1
            stated = line.metadata.get("epoch", "")
            number = int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 6 else 0  # noqa: PLR2004
            is_stated = 0 < number <= max(len(self.samples.lines), 1)
            epochs[line.number] = number if is_stated else seen[name, line.sample]
        return epochs

    @property
    def has_counted_epochs(self) -> bool:
        """Whether only their order distinguishes several tries at a sample."""
        seen = Counter(line.sample for line in self.lines if not line.metadata.get("epoch"))
        return any(number > 1 for number in seen.values())


def add_record(scored: ScoredRecord, run: Run, source: Source) -> None:
    """Add the tries of a record to the run of its agent."""
    report, path = source.report, scored.record.samples or scored.record.path
    epochs = scored.epochs
    scored.measures = _measures(scored, epochs)
    labels: defaultdict[str, list[Mapping[str, str]]] = defaultdict(list)
    taken: dict[Key, SampleLine] = {}
    for line in scored.lines:
        task = scored.task(line.sample)
        key: Key = task, scored.attempt + epochs[line.number], 1, "own"
        if key in taken:
            _add_again(key, taken[key], line, run, report)
            continue
        taken[key] = line
        labels[task].append(line.metadata)
        source.titles[task] = f"{scored.prefix} {line.sample}" if scored.prefix else line.sample
        run.attempts = max(run.attempts, key[1])
        if line.metadata.get("state") == "unreached":
            run.planned = [*run.planned, task]
        else:
            _grade(key, line, scored, run, report)
    for task, several in labels.items():
        source.labels[task] |= _shared_labels(several)
        if scored.prefix:
            source.labels[task][SUBSET] = scored.prefix
    if scored.has_counted_epochs:
        report.doubt(EPOCHS_COUNTED, path, run.spot())
    _report_lines(scored, run, report)
    _compare(scored, run, report)


def _add_again(key: Key, first: SampleLine, second: SampleLine, run: Run, report: Report) -> None:
    """Take a second line of a try: a copy counts once, and another one leaves the try without a verdict."""
    if first._replace(number=0) == second._replace(number=0):
        return
    cause = f"lines {first.number} and {second.number} say different things of this try"
    run.results.pop(key, None)
    run.grade(key[0], key[1], 0.0, cause)
    report.doubt(rules.TRIES_FAILED, run.path, run.spot(key[0], key[1]), cause)


def _measures(scored: ScoredRecord, epochs: Mapping[int, int]) -> dict[Key, dict[str, float]]:
    """Return the scores of other results, by try."""
    measures: defaultdict[Key, dict[str, float]] = defaultdict(dict)
    for line in scored.samples.lines:
        if line.result in scored.names or line.score is None or line.error:
            continue
        key: Key = scored.task(line.sample), scored.attempt + epochs[line.number], 1, "own"
        measures[key][f"{one_line(line.result, 80)}@every-eval-ever"] = line.score
    return dict(measures)


def _grade(key: Key, line: SampleLine, scored: ScoredRecord, run: Run, report: Report) -> None:
    """Add a try: its reward, or why it has none."""
    task, attempt, *_ = key
    cause = line.error
    if not cause and scored.needs_result_id and not line.has_result_id:
        cause = "its line names no result"
    reward = None if cause else scored.scale.reward(line.score)
    if not cause and line.score is None:
        cause = "it states no score"
    elif not cause and reward is None:
        cause = f"its score is {line.score:g}, outside the scale"
        if line.score == scored.scale.unknown:
            cause = "its level is unknown"
    scored.rewards.append(reward or 0.0)
    if cause or reward is None:
        report.doubt(rules.TRIES_FAILED, run.path, run.spot(task, attempt), cause)
        run.grade(task, attempt, 0.0, cause, **line.figures)
        return
    scored.judged.append(reward)
    run.grade(task, attempt, reward, measures=scored.measures.get(key), **line.figures)


def _shared_labels(several: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the labels that all lines of a sample share."""
    shared = set.intersection(*(set(metadata.items()) for metadata in several))
    return {key: value for key, value in sorted(shared) if value and _is_label(key)}


def _is_label(key: str) -> bool:
    """Return whether a key of a line's metadata sorts samples into groups."""
    return key not in _NO_LABELS and not key.startswith(("cases_", "tests_"))


def _report_lines(scored: ScoredRecord, run: Run, report: Report) -> None:
    """Report lines that were left out, and scores that do not fit what is said to be correct."""
    samples, path = scored.samples, scored.record.samples or scored.record.path
    name = report.name(path)
    for numbers, why in (
        (samples.lost_lines, "hold no sample"),
        (samples.foreign_lines, "are of another record"),
    ):
        if numbers:
            message = f"lines {listed(map(str, numbers))} of {name}, which {why}"
            report.doubt(rules.LEFT_OUT, path, run.spot(), message)
    if scored.scale.assumption:
        report.assume(f"{one_line(scored.result.id)}: {scored.scale.assumption}", run.entrant)
    right: set[float] = set()
    wrong: set[float] = set()
    for line in scored.lines:
        if line.score is not None and line.is_correct is not None and not line.error:
            (right if line.is_correct else wrong).add(line.score)
    if len(right) != 1 or len(wrong) != 1:
        return
    best, worst = right.pop(), wrong.pop()
    rewards = scored.scale.reward(best), scored.scale.reward(worst)
    if None not in rewards and rewards != (1, 0):
        way = "lower" if scored.result.is_lower_better else "higher"
        message = f"correct samples have {best:g}, others {worst:g}, {scored.result.scale}, and {way} is better"
        report.doubt(SCALE, scored.record.path, run.spot(), message)


def _compare(scored: ScoredRecord, run: Run, report: Report) -> None:
    """Report an aggregate whose figure does not follow from its samples, with or without those that failed."""
    stated = claimed_share(scored)
    means = [fmean(values) for values in (scored.judged, scored.rewards) if values]
    if stated is None or not means or any(agrees(stated, mean) for mean in means):
        return
    name = report.name(scored.record.path)
    message = f"{one_line(scored.result.id)} is {stated:g} of 1 in {name}, and {means[0]:g} over its samples"
    report.doubt(rules.SCORE_DIFFERS, scored.record.path, run.spot(), message)


def claimed_share(scored: ScoredRecord) -> float | None:
    """Return what an aggregate states as a share, in its own unit or else in that of its samples."""
    result = scored.result
    if result.bounds or result.is_percent:
        return result.stated_share
    return scored.scale.reward(result.score)


def transcripts(scored_records: Sequence[ScoredRecord]) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield what the model and its tools said in each try."""
    for scored in scored_records:
        epochs = scored.epochs
        tries: dict[int, tuple[str, int]] = {}
        seen: set[tuple[str, int]] = set()
        for line in scored.lines:
            place = scored.task(line.sample), scored.attempt + epochs[line.number]
            if place not in seen:
                tries[line.number] = place
                seen.add(place)
        yield from _transcripts(scored.record.samples, tries, scored.record.aggregate.model)


def _transcripts(
    path: Path | None, tries: Mapping[int, tuple[str, int]], model: str
) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield the transcripts of the lines of one file that are tries."""
    if path is None:
        return
    try:
        for line in read_objects(path):
            if line.value and line.number in tries:
                yield tries[line.number], transcript_of(_messages(line.value), model)
    except ProblemsError:
        return  # it was reported when it was read the first time


def _messages(line: Mapping[str, Any]) -> list[object]:
    """Return the messages of a line: those that it lists, else its question and its answers."""
    listed_messages = line.get("messages") or line.get("interactions")
    if isinstance(listed_messages, list):
        return listed_messages
    asked, given = line.get("input"), line.get("output")
    question = asked.get("raw") if isinstance(asked, dict) else None
    answers = given.get("raw") if isinstance(given, dict) else None
    spoken: list[tuple[str, object]] = [("user", question)]
    if isinstance(answers, list):
        spoken += [("assistant", answer) for answer in answers]
    else:
        spoken.append(("assistant", answers))
    return [{"role": role, "content": words} for role, words in spoken if isinstance(words, str)]
