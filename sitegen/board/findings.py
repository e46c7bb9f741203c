"""The results that findings concern, and the effects of findings on them.

A finding can exclude rounds and cases, make rounds count as 0, and withdraw submissions.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from operator import is_
from typing import NamedTuple

from sitegen.models.finding import Finding, finding_ids
from sitegen.models.outcome import PASS_REWARD, RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Status
from sitegen.models.task import TaskRound, TaskSet
from sitegen.problems import Problem, Rule, agreeing, counted, reasons

FINDING_UNAPPLIED = Rule.warning(
    "FINDING-UNAPPLIED",
    "A finding excludes cases, and a submission does not say how they ended.",
    "add the `outcomes` of the round, and `case_ids` if the task does not list its cases",
    unwaivable=reasons.OWN,
)

TaskRoundKey = tuple[str, int]
"""The id of a task and the number of a round."""


def round_keys(tasks: TaskSet) -> list[TaskRoundKey]:
    """Return every round of a task set, in order, as task id and round number."""
    keys = []
    for task in tasks.tasks:
        for defined in task.rounds:
            keys.append((task.id, defined.n))
    return keys


class MarkedFinding(NamedTuple):
    """A finding with the id in its address, and the later finding that corrects it, if any."""

    id: str
    finding: Finding
    correction: "MarkedFinding | None" = None

    def concerns_row(self, row: str) -> bool:
        """Return whether the finding concerns a row of the track."""
        return not self.finding.submissions or row in self.finding.submissions

    @property
    def latest_correction(self) -> "MarkedFinding | None":
        """The last finding in the chain of corrections; None if the finding was not corrected."""
        correction = self.correction
        while correction and correction.correction:
            correction = correction.correction
        return correction

    @property
    def remark(self) -> str:
        """The words "corrected on" with the day; empty if the finding was not corrected."""
        correction = self.latest_correction
        if not correction:
            return ""
        return f"corrected on {correction.finding.date}"

    @property
    def title(self) -> str:
        """The title that readers see: the title of the latest correcting note, or else its own."""
        if self.correction and self.correction.is_note:
            return self.correction.title
        return self.finding.title

    @property
    def title_date(self) -> date:
        """The day on which the finding whose title readers see was recorded."""
        if self.correction and self.correction.is_note:
            return self.correction.title_date
        return self.finding.date

    @property
    def is_note(self) -> bool:
        """Whether the finding is only a note, which neither changes nor covers results."""
        return self.finding.kind == "note" and self.finding.effect == "note"

    @property
    def remarked_title(self) -> str:
        """The title that readers see, followed by the remark."""
        if self.remark:
            return f"{self.title} ({self.remark})"
        return self.title

    @property
    def marks_rounds(self) -> bool:
        """Whether the finding marks rounds because it names tasks or rounds, or changes results.

        Waivers and reproductions only mark rows.
        """
        finding = self.finding
        if finding.kind in {"waiver", "reproduction"}:
            return False
        if finding.tasks or finding.rounds:
            return True
        return finding.changes_results and finding.effect != "withdraw"


class FindingSubject(NamedTuple):
    """A finding, and the notes that correct its text."""

    finding: MarkedFinding
    """The finding with the effect, which is the first finding about its subject."""
    notes: Sequence[MarkedFinding] = ()
    """The notes that correct it or each other, in the order in which they were recorded."""

    @property
    def current(self) -> MarkedFinding:
        """The finding with the current text: the last note, else the finding itself."""
        return self.notes[-1] if self.notes else self.finding

    @property
    def earlier(self) -> Sequence[MarkedFinding]:
        """The findings whose text was corrected, the latest first."""
        return [self.finding, *self.notes][-2::-1]


def finding_subjects(marks: Iterable[MarkedFinding]) -> list[FindingSubject]:
    """Group findings by subject, in the order in which they were recorded.

    A correction that changes or covers results itself is a subject of its own.
    """
    findings: dict[str, list[MarkedFinding]] = {}
    first_ids: dict[str, str] = {}
    for mark in marks:
        first_id = mark.id
        if mark.is_note and mark.finding.corrects:
            first_id = first_ids.get(mark.finding.corrects, mark.id)
        first_ids[mark.id] = first_id
        findings.setdefault(first_id, []).append(mark)
    return [FindingSubject(first, notes) for first, *notes in findings.values()]


def without_corrections(marks: Iterable[MarkedFinding]) -> list[MarkedFinding]:
    """Return the findings, excluding notes that correct another of these findings.

    A corrected finding already has the note's title, so listing both would repeat it.
    """
    return [subject.finding for subject in finding_subjects(marks)]


@dataclass(frozen=True, slots=True)
class TrackFindings:
    """The findings about one track, grouped by what they concern."""

    all: Sequence[MarkedFinding] = ()
    """Every finding, in the order in which they were recorded."""
    by_round: Mapping[TaskRoundKey, Sequence[MarkedFinding]] = field(default_factory=dict)
    """The findings that mark rounds; a finding about individual cases marks their round."""
    by_task: Mapping[str, Sequence[MarkedFinding]] = field(default_factory=dict)
    """The findings that mark any round of a task, by the task's id."""

    def on_round(self, row: str, task: str, number: int) -> Sequence[MarkedFinding]:
        """Return the findings that mark a round of a row."""
        marks = self.by_round.get((task, number), ())
        return without_corrections(mark for mark in marks if mark.concerns_row(row))

    def on_any_row(self, task: str, number: int) -> Sequence[MarkedFinding]:
        """Return the findings that mark a round of any row."""
        return without_corrections(self.by_round.get((task, number), ()))

    def on_task(self, row: str, task: str) -> Sequence[MarkedFinding]:
        """Return the findings that mark any round of a task in a row."""
        marks = self.by_task.get(task, ())
        return without_corrections(mark for mark in marks if mark.concerns_row(row))

    def on_any_round(self, task: str) -> Sequence[MarkedFinding]:
        """Return the findings that mark any round of a task in any row."""
        return without_corrections(self.by_task.get(task, ()))

    def on_any_task(self) -> list[MarkedFinding]:
        """Return the findings that mark any round."""
        marking: set[str] = set()
        for marks in self.by_task.values():
            marking.update(mark.id for mark in marks)
        return without_corrections(mark for mark in self.all if mark.id in marking)

    def on_row(self, row: str) -> list[MarkedFinding]:
        """Return the findings that name a row."""
        return without_corrections(mark for mark in self.all if row in mark.finding.submissions)

    def about_row(self, row: str) -> list[MarkedFinding]:
        """Return the findings that name a row, or that concern all rows."""
        return without_corrections(mark for mark in self.all if mark.concerns_row(row))


def findings_on_track(results: BenchmarkResults, track: str, tasks: TaskSet) -> TrackFindings:
    """Return the findings about a track, grouped by what they concern, with their corrections.

    A finding that names only other tracks, or only submissions or tasks of other tracks, is not
    about the track.
    """
    shown = _marked_on_track(results, track, tasks)
    by_round: dict[TaskRoundKey, list[MarkedFinding]] = defaultdict(list)
    by_task: dict[str, dict[str, MarkedFinding]] = defaultdict(dict)
    for mark in shown:
        if not mark.marks_rounds:
            continue
        for task, defined in rounds_under(mark.finding, tasks):
            by_round[task, defined.n].append(mark)
            by_task[task][mark.id] = mark
    task_marks = {}
    for task, marks_by_id in by_task.items():
        task_marks[task] = list(marks_by_id.values())
    return TrackFindings(shown, dict(by_round), task_marks)


def _marked_on_track(results: BenchmarkResults, track: str, tasks: TaskSet) -> list[MarkedFinding]:
    """Return the findings about a track, and the findings that correct them."""
    other_bundles = set()
    for bundle in results.bundles:
        if bundle.submission.track != track:
            other_bundles.add(bundle.id)
    task_ids = {task.id for task in tasks.tasks}

    def is_about_track(finding: Finding) -> bool:
        names_others = bool(finding.submissions) and other_bundles >= {*finding.submissions}
        has_other_tasks = bool(finding.tasks and task_ids) and task_ids.isdisjoint(finding.tasks)
        return finding.is_on(track) and not names_others and not has_other_tasks

    marks = marked_findings(results.findings)
    shown_ids = set()
    for mark in marks:
        if is_about_track(mark.finding):
            shown_ids.add(mark.id)
            correction = mark.correction
            while correction:
                shown_ids.add(correction.id)
                correction = correction.correction
    return [mark for mark in marks if mark.id in shown_ids]


def marked_findings(findings: Sequence[Finding]) -> list[MarkedFinding]:
    """Return findings with their ids, each with the latest finding that corrects it."""
    named = list(zip(finding_ids(findings), findings, strict=True))
    corrections: dict[str, MarkedFinding] = {}
    marks = []
    for finding_id, finding in reversed(named):
        mark = MarkedFinding(finding_id, finding, corrections.get(finding_id))
        if finding.corrects:
            corrections.setdefault(finding.corrects, mark)
        marks.append(mark)
    return marks[::-1]


def rounds_under(finding: Finding, tasks: TaskSet) -> Iterator[tuple[str, TaskRound]]:
    """Yield the rounds that a finding concerns, each with the id of its task."""
    for task in tasks.tasks:
        if finding.tasks and task.id not in finding.tasks:
            continue
        for defined in task.rounds:
            if not finding.rounds or defined.n in finding.rounds:
                yield task.id, defined


def counting_rounds(findings: Sequence[Finding], track: str, tasks: TaskSet) -> set[TaskRoundKey]:
    """Return the rounds of a track that no finding excludes for every submission."""
    counting = set(round_keys(tasks))
    excluded_cases: dict[TaskRoundKey, set[str]] = defaultdict(set)
    for finding in findings:
        excludes = finding.effect == "exclude" and finding.changes_results
        if not excludes or finding.submissions or not finding.is_on(track):
            continue
        for task, defined in rounds_under(finding, tasks):
            excluded_cases[task, defined.n] |= {*finding.cases}
            if not finding.cases or _excludes_every_case(defined, excluded_cases[task, defined.n]):
                counting.discard((task, defined.n))
    return counting


def _excludes_every_case(defined: TaskRound, excluded: AbstractSet[str]) -> bool:
    """Return whether all cases of a round are excluded; False if its task does not list them."""
    return defined.cases is not None and excluded >= {case.id for case in defined.cases}


class _RoundEffect(NamedTuple):
    """The effect of findings on one round."""

    defined: TaskRound
    excludes: bool = False
    zeroes: bool = False
    cases: frozenset[str] = frozenset()
    """The ids of the excluded cases."""

    @property
    def excludes_everything(self) -> bool:
        """Whether the round, or every case that its task lists, is excluded."""
        return self.excludes or _excludes_every_case(self.defined, self.cases)

    def combined(self, finding: Finding) -> "_RoundEffect":
        """Return the effect combined with the effect of another finding."""
        if finding.effect == "zero":
            return self._replace(zeroes=True)
        if finding.cases:
            return self._replace(cases=self.cases | {*finding.cases})
        return self._replace(excludes=True)

    def apply(self, result: RoundResult) -> RoundResult | None:
        """Return a record after the effect; None if a case cannot be removed from it."""
        if result.state == "excluded":
            return result
        if self.excludes or (result.case_ids is None and self.excludes_everything):
            return replace(result, state="excluded")
        reduced: RoundResult | None = result
        if self.cases:
            reduced = without_cases(result, self.defined, self.cases)
        if self.zeroes:
            return _zeroed(reduced or result)
        return reduced


def _zeroed(result: RoundResult) -> RoundResult:
    """Return a record that counts as 0; its outcomes are kept, since they show what happened."""
    if result.state != "scored":
        return result
    passed = None
    if result.passed is not None:
        passed = 0
    by_category = None
    if result.by_category is not None:
        by_category = {}
        for category, (_, total) in result.by_category.items():
            by_category[category] = (0, total)
    return replace(result, reward=0.0, passed=passed, by_category=by_category)


_RoundEffects = Mapping[TaskRoundKey, _RoundEffect]


def with_effects(results: BenchmarkResults) -> BenchmarkResults:
    """Return a benchmark's results after its findings took effect.

    Results and bundles that no finding changes stay the same object. An effect that cannot be
    applied to a bundle is added to the bundle's problems.
    """
    acting = tuple(finding for finding in results.findings if finding.changes_results)
    if not acting:
        return results
    task_sets = {}
    for track in results.benchmark.tracks:
        task_sets[track.id] = results.tasks_of(track)

    @cache  # The same findings concern most bundles.
    def round_effects(track: str, positions: tuple[int, ...]) -> _RoundEffects:
        """Return the effects of the acting findings at given positions on a track's rounds."""
        effects: dict[TaskRoundKey, _RoundEffect] = {}
        tasks = task_sets.get(track, TaskSet("", ()))
        for position in positions:
            finding = acting[position]
            for task, defined in rounds_under(finding, tasks):
                effect = effects.get((task, defined.n), _RoundEffect(defined))
                effects[task, defined.n] = effect.combined(finding)
        return effects

    bundles = []
    for bundle in results.bundles:
        bundles.append(_bundle_after(bundle, acting, round_effects))
    return replace(results, bundles=tuple(bundles))


def _bundle_after(
    bundle: Bundle,
    acting: Sequence[Finding],
    round_effects: Callable[[str, tuple[int, ...]], _RoundEffects],
) -> Bundle:
    """Return a bundle after the findings that concern it took effect."""
    submission = bundle.submission
    withdrawing = []
    changing = []
    general = []
    for position, finding in enumerate(acting):
        if not finding.concerns_row(submission.track, bundle.id):
            continue
        if finding.effect == "withdraw":
            withdrawing.append(finding)
            continue
        changing.append(position)
        if finding.effect == "exclude" and not finding.submissions:
            general.append(position)
    changed = _with_round_effects(bundle, round_effects(submission.track, tuple(changing)))
    # Rounds that are excluded for all rows do not count for any row, even without a record.
    if general:
        effects = round_effects(submission.track, tuple(general))
        excluded = set()
        for key, effect in effects.items():
            if effect.excludes_everything:
                excluded.add(key)
        left_out = excluded - {(result.task, result.round) for result in bundle.rounds}
        if left_out:
            changed = replace(changed, left_out=frozenset(left_out))
    if not withdrawing or submission.status.state == "withdrawn":
        return changed
    first = min(withdrawing, key=lambda finding: finding.date)
    status = Status(state="withdrawn", by=first.by, reason=first.reason, date=first.date)
    return replace(changed, submission=submission.model_copy(update={"status": status}))


def _with_round_effects(bundle: Bundle, effects: _RoundEffects) -> Bundle:
    """Return a bundle after effects on its rounds.

    A record keeps its result if the effect cannot be applied; this is reported as a problem.
    """
    if not effects:
        return bundle
    unchangeable: list[tuple[int, RoundResult]] = []
    rounds = list(bundle.rounds)
    for index, (line, result) in enumerate(bundle.numbered_rounds()):
        effect = effects.get((result.task, result.round))
        changed: RoundResult | None = result
        if effect:
            changed = effect.apply(result)
        if changed is None:
            unchangeable.append((line, result))
        rounds[index] = changed or result
    if unchangeable:
        problem = _unapplied_problem(bundle, unchangeable)
        return replace(bundle, rounds=tuple(rounds), problems=(*bundle.problems, problem))
    is_unchanged = all(map(is_, rounds, bundle.rounds))
    if is_unchanged:
        return bundle
    return replace(bundle, rounds=tuple(rounds))


def _unapplied_problem(bundle: Bundle, records: Sequence[tuple[int, RoundResult]]) -> Problem:
    """Return the problem for records whose excluded cases were not removed, each with its line."""
    line, first = records[0]
    verb = agreeing(len(records), "keeps its result", "keep their results")
    message = (
        f"{counted(len(records), 'record')} of rounds with an excluded case "
        f"{verb}: how that case ended is not known "
        f"(first: round {first.round} of {first.task})"
    )
    problem = FINDING_UNAPPLIED.broken(bundle.path / "rounds.jsonl", line, message)
    return problem.about_tasks(first.task)


def without_cases(
    result: RoundResult, defined: TaskRound, cases: AbstractSet[str]
) -> RoundResult | None:
    """Return a round's record rescored without some of its cases.

    A round without any remaining case is excluded. A round in which no remaining case failed
    passes. This may turn a failed round into a passed one, but never a passed round into a failed
    one.

    Returns:
        The new record; the same record if none of the cases ran in the round, or no case ran at
            all; None if the outcomes of the cases are not known.
    """
    if result.state != "scored":
        return result
    outcomes_by_case = _outcomes_by_case(result, defined)
    if outcomes_by_case is None:
        return None
    removed = []
    remaining_cases = []
    letters = []
    for case, letter in outcomes_by_case:
        if case in cases:
            removed.append((case, letter))
        else:
            remaining_cases.append(case)
            letters.append(letter)
    if not removed:
        return result
    if not remaining_cases:
        return replace(result, state="excluded")
    by_category = None
    if result.by_category is not None:
        by_category = _counts_without(result, defined, removed)
        if by_category is None:
            return None
    outcomes = "".join(letters)
    fails = "f" in outcomes or "e" in outcomes or "p" not in outcomes
    reward = result.reward
    if not fails and reward < PASS_REWARD:
        reward = 1.0
    skipped = None
    if result.skipped is not None:
        skipped = outcomes.count("s")
    return replace(
        result,
        reward=reward,
        passed=outcomes.count("p"),
        total=len(outcomes),
        skipped=skipped,
        outcomes=outcomes,
        case_ids=tuple(remaining_cases),
        by_category=by_category,
    )


def _outcomes_by_case(result: RoundResult, defined: TaskRound) -> list[tuple[str, str]] | None:
    """Return the cases of a round, each with its outcome's letter; None if they are not known."""
    names = result.case_ids
    if names is None and defined.cases is not None:
        names = tuple(case.id for case in defined.cases)
    if names is None or result.outcomes is None:
        return None
    if not result.total == len(names) == len(result.outcomes):
        return None
    return list(zip(names, result.outcomes, strict=True))


def _counts_without(
    result: RoundResult, defined: TaskRound, removed: Sequence[tuple[str, str]]
) -> dict[str, tuple[int, int]] | None:
    """Return a round's counts by category without the removed cases, each given with its outcome.

    None if the category of one of the removed cases is not known.
    """
    counts = dict(result.by_category or {})
    categories = {case.id: case.category for case in defined.cases or ()}
    # Some sources count skipped cases in their categories, others do not.
    counts_skipped = sum(total for _, total in counts.values()) == result.total
    for case_id, letter in removed:
        category = categories.get(case_id) or ""
        if category not in counts:
            return None
        passed, total = counts[category]
        is_counted = letter != "s" or counts_skipped
        counts[category] = (passed - (letter == "p"), total - is_counted)
    return counts
