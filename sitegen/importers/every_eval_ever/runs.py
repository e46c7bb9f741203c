"""Build an agent's run from the samples of its records: each line of a result is one attempt."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from sitegen.importers.every_eval_ever.records import AggregateResult, EvaluationRecord
from sitegen.importers.every_eval_ever.samples import SampleLine, Samples
from sitegen.importers.every_eval_ever.scales import ScoreScale, agrees
from sitegen.importers.kit import rules
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults, ImportSource, Key
from sitegen.importers.kit.transcripts import transcript_of
from sitegen.problems import ProblemsError, listed

SUBSET = "subset"
"""The label of a sample that names its part of the benchmark."""

EPOCHS_COUNTED = rules.ASSUMED.specific(
    "write `metadata.epoch` if the order of the lines is not the order of the attempts",
    "The source does not number attempts: they are counted in the order of its lines.",
    order="EEE-EPOCHS",
)
SCALE = rules.REWARD_CONTRADICTED.specific(
    "check that `lower_is_better`, `min_score` and `max_score` are right for the metric",
    "The scale does not fit the samples: {}.",
    order="EEE-SCALE",
)

_NO_LABELS = frozenset({"epoch", "state", "round", "task"})
_NO_LABEL_PREFIXES = ("cases_", "tests_")

_MAX_EPOCH_DIGITS = 5
_MAX_MEASURE_LENGTH = 80


@dataclass(slots=True)
class ScoredRecord:
    """A record with its samples, and the result that is the reward."""

    record: EvaluationRecord
    samples: Samples
    result: AggregateResult
    scale: ScoreScale
    line_names: frozenset[str]
    """The names by which lines refer to the result."""
    prefix: str = ""
    """The part of the benchmark that was run; empty if the import has only one part."""
    attempt_offset: int = 0
    """The number of attempts in earlier records of the same part."""
    rewards: list[float] = field(default_factory=list)
    """The rewards of all attempts; 0 for an attempt without a verdict."""
    graded_rewards: list[float] = field(default_factory=list)
    """The rewards of attempts with a verdict."""
    measures: dict[tuple[str, int], dict[str, float]] = field(default_factory=dict)
    """The scores of other results by name, for each task and attempt."""

    @property
    def path(self) -> Path:
        """The file of samples; the aggregate's file if there are no samples."""
        return self.record.samples or self.record.path

    @property
    def needs_result_id(self) -> bool:
        """Whether any line states its result's id; if so, lines without an id have no verdict."""
        for line in self.samples.lines:
            if line.has_result_id:
                return True
        return False

    @property
    def lines(self) -> list[SampleLine]:
        """The lines that belong to the result."""
        return [line for line in self.samples.lines if line.result in self.line_names]

    @property
    def has_counted_epochs(self) -> bool:
        """Whether several attempts at a sample are distinguished only by their order."""
        samples: set[str] = set()
        for line in self.lines:
            if line.metadata.get("epoch"):
                continue
            if line.sample in samples:
                return True
            samples.add(line.sample)
        return False

    def name_task(self, sample: str) -> str:
        """Return the name of a sample's task, beginning with the prefix if it is not empty."""
        if self.prefix:
            return f"{self.prefix}/{sample}"
        return sample

    def number_attempts(self) -> dict[int, tuple[str, int]]:
        """Return the task and attempt of every line, by the line's number.

        Lines without a usable epoch are numbered in order.
        """
        counts: Counter[tuple[str, str]] = Counter()
        attempt_keys: dict[int, tuple[str, int]] = {}
        max_epoch = max(len(self.samples.lines), 1)
        for line in self.samples.lines:
            result = line.result
            if result in self.line_names:
                result = ""
            counts[result, line.sample] += 1
            epoch = _parse_epoch(line.metadata.get("epoch", ""))
            if not 0 < epoch <= max_epoch:
                epoch = counts[result, line.sample]
            task = self.name_task(line.sample)
            attempt_keys[line.number] = (task, self.attempt_offset + epoch)
        return attempt_keys


def _parse_epoch(text: str) -> int:
    """Return the attempt number in a text; 0 if the text is not a number, or is too long."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_EPOCH_DIGITS
    return int(text) if is_number else 0


def add_record(scored: ScoredRecord, run: AgentResults, source: ImportSource) -> None:
    """Add the attempts of a record to the run of its agent."""
    log = source.log
    attempt_keys = scored.number_attempts()
    scored.measures = _collect_measures(scored, attempt_keys)
    metadata_by_task: defaultdict[str, list[Mapping[str, str]]] = defaultdict(list)
    first_lines: dict[tuple[str, int], SampleLine] = {}
    for line in scored.lines:
        attempt_key = attempt_keys[line.number]
        task, attempt = attempt_key
        if attempt_key in first_lines:
            _add_repeated_line(attempt_key, first_lines[attempt_key], line, run, log)
            continue
        first_lines[attempt_key] = line
        metadata_by_task[task].append(line.metadata)
        source.titles[task] = line.sample
        if scored.prefix:
            source.titles[task] = f"{scored.prefix} {line.sample}"
        run.attempts = max(run.attempts, attempt)
        if line.metadata.get("state") == "unreached":
            run.planned = [*run.planned, task]
        else:
            _grade_line(attempt_key, line, scored, run, log)
    for task, metadata in metadata_by_task.items():
        source.labels[task] |= _shared_labels(metadata)
        if scored.prefix:
            source.labels[task][SUBSET] = scored.prefix
    if scored.has_counted_epochs:
        log.add_doubt(EPOCHS_COUNTED, scored.path, run.spot())
    _report_lines(scored, run, log)
    _check_direction(scored, run, log)
    _check_aggregate(scored, run, log)


def _add_repeated_line(
    attempt_key: tuple[str, int],
    first: SampleLine,
    second: SampleLine,
    run: AgentResults,
    log: ImportLog,
) -> None:
    """Add a second line of an attempt: a copy is ignored, a different line voids the verdict."""
    if first._replace(number=0) == second._replace(number=0):
        return
    cause = f"lines {first.number} and {second.number} contradict each other about this attempt"
    key: Key = (*attempt_key, 1, "own")
    run.results.pop(key, None)
    run.grade(*attempt_key, 0.0, cause)
    log.add_doubt(rules.RUN_FAILED, run.path, run.spot(*attempt_key), cause)


def _collect_measures(
    scored: ScoredRecord, attempt_keys: Mapping[int, tuple[str, int]]
) -> dict[tuple[str, int], dict[str, float]]:
    """Return the scores of other results, by task and attempt."""
    measures: defaultdict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for line in scored.samples.lines:
        if line.result in scored.line_names or line.score is None or line.error:
            continue
        name = f"{one_line(line.result, _MAX_MEASURE_LENGTH)}@every-eval-ever"
        measures[attempt_keys[line.number]][name] = line.score
    return dict(measures)


def _grade_line(
    attempt_key: tuple[str, int],
    line: SampleLine,
    scored: ScoredRecord,
    run: AgentResults,
    log: ImportLog,
) -> None:
    """Add an attempt with its reward, or with the reason why it has no verdict."""
    reward = scored.scale.reward(line.score)
    cause = _find_cause(line, scored, reward)
    if cause or reward is None:
        scored.rewards.append(0.0)
        log.add_doubt(rules.RUN_FAILED, run.path, run.spot(*attempt_key), cause)
        run.grade(*attempt_key, 0.0, cause, **line.figures)
        return
    scored.rewards.append(reward)
    scored.graded_rewards.append(reward)
    measures = scored.measures.get(attempt_key)
    run.grade(*attempt_key, reward, measures=measures, **line.figures)


def _find_cause(line: SampleLine, scored: ScoredRecord, reward: float | None) -> str:
    """Return a clause that says why an attempt has no verdict; empty if it has a verdict."""
    if line.error:
        return line.error
    if not line.has_result_id and scored.needs_result_id:
        return "its line names no result"
    if line.score is None:
        return "it states no score"
    if reward is not None:
        return ""
    if line.score == scored.scale.unknown:
        return "its level is unknown"
    return f"its score is {line.score:g}, outside the scale"


def _shared_labels(metadata_of_lines: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the labels that all lines of a sample share."""
    items = [set(metadata.items()) for metadata in metadata_of_lines]
    labels = {}
    for key, value in sorted(set.intersection(*items)):
        if value and _is_label(key):
            labels[key] = value
    return labels


def _is_label(key: str) -> bool:
    """Return whether a key of a line's metadata can group samples."""
    return key not in _NO_LABELS and not key.startswith(_NO_LABEL_PREFIXES)


def _report_lines(scored: ScoredRecord, run: AgentResults, log: ImportLog) -> None:
    """Report lines that were left out, and assumptions about the scale."""
    left_out = {
        "do not contain a sample": scored.samples.lost_lines,
        "belong to another record": scored.samples.foreign_lines,
    }
    for reason, numbers in left_out.items():
        if numbers:
            lines = listed(map(str, numbers))
            message = f"lines {lines} of {log.name(scored.path)}, which {reason}"
            log.add_doubt(rules.LEFT_OUT, scored.path, run.spot(), message)
    if scored.scale.assumption:
        result_id = one_line(scored.result.id)
        log.assume(f"{result_id}: {scored.scale.assumption}", run.entrant)


def _check_direction(scored: ScoredRecord, run: AgentResults, log: ImportLog) -> None:
    """Report a scale on which correct samples don't have the best score, or others the worst.

    This can be checked only if all correct samples have one score and all others another score.
    """
    correct_scores: set[float] = set()
    wrong_scores: set[float] = set()
    for line in scored.lines:
        if line.score is None or line.is_correct is None or line.error:
            continue
        if line.is_correct:
            correct_scores.add(line.score)
        else:
            wrong_scores.add(line.score)
    if len(correct_scores) != 1 or len(wrong_scores) != 1:
        return
    best = correct_scores.pop()
    worst = wrong_scores.pop()
    rewards = (scored.scale.reward(best), scored.scale.reward(worst))
    if None in rewards or rewards == (1, 0):
        return
    direction = "lower" if scored.result.is_lower_better else "higher"
    statement = f"correct samples have {best:g} and others {worst:g}"
    message = (
        f"{statement}, but the scale is {scored.result.shown_bounds} and {direction} is better"
    )
    log.add_doubt(SCALE, scored.record.path, run.spot(), message)


def _check_aggregate(scored: ScoredRecord, run: AgentResults, log: ImportLog) -> None:
    """Report an aggregate that is neither the mean of all samples nor that of graded samples."""
    stated = stated_share(scored)
    if stated is None or not scored.rewards:
        return
    mean = fmean(scored.rewards)
    graded_mean = fmean(scored.graded_rewards or scored.rewards)
    if agrees(stated, mean) or agrees(stated, graded_mean):
        return
    name = log.name(scored.record.path)
    result_id = one_line(scored.result.id)
    message = f"{result_id} is {stated:g} of 1 in {name}, but {graded_mean:g} over its samples"
    log.add_doubt(rules.SCORE_DIFFERS, scored.record.path, run.spot(), message)


def stated_share(scored: ScoredRecord) -> float | None:
    """Return an aggregate's figure as a share of its scale or, if unknown, the samples' scale."""
    result = scored.result
    if result.bounds or result.is_percent:
        return result.stated_share
    return scored.scale.reward(result.score)


def read_transcripts(
    scored_records: Sequence[ScoredRecord],
) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield the transcript of each attempt, with its task and attempt number."""
    for scored in scored_records:
        attempt_keys = scored.number_attempts()
        tries: dict[tuple[str, int], int] = {}
        for line in scored.lines:
            tries.setdefault(attempt_keys[line.number], line.number)
        numbers = set(tries.values())
        for number, content in _read_lines(scored.record.samples):
            if number in numbers:
                messages = _parse_messages(content)
                transcript = transcript_of(messages, scored.record.aggregate.model)
                yield attempt_keys[number], transcript


def _read_lines(path: Path | None) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects in a file of samples, each with its line number."""
    if path is None:
        return
    try:
        for line in read_objects(path):
            if line.value:
                yield line.number, line.value
    except ProblemsError:
        return  # already reported when it was first read


def _parse_messages(line: Mapping[str, Any]) -> list[object]:
    """Return the messages of a line: the listed messages, or else its question and its answers."""
    listed_messages = line.get("messages") or line.get("interactions")
    if isinstance(listed_messages, list):
        return listed_messages
    messages: list[object] = []
    question = _read_raw(line, "input")
    if isinstance(question, str):
        messages.append({"role": "user", "content": question})
    answers = _read_raw(line, "output")
    if not isinstance(answers, list):
        answers = [answers]
    for answer in answers:
        if isinstance(answer, str):
            messages.append({"role": "assistant", "content": answer})
    return messages


def _read_raw(line: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401 - anything in a file
    """Return the input or the output of a line as the model saw it; None if it is not stated."""
    content = line.get(key)
    if not isinstance(content, dict):
        return None
    return content.get("raw")
