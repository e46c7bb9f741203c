"""What findings concern, and what they do: rounds and cases leave the count, rounds count 0, submissions withdraw."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache
from operator import is_
from typing import NamedTuple

from sitegen.models.finding import Finding, finding_ids
from sitegen.models.outcome import PASS_REWARD, RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Status
from sitegen.models.task import TaskRound, TaskSet
from sitegen.problems import Problem, Rule, counted, reasons

FINDING_UNAPPLIED = Rule.warning(
    "FINDING-UNAPPLIED",
    "Cases that a finding excludes are taken out of every result.",
    "give the `outcomes` of the round, and `case_ids` where the task does not list its cases",
    unwaivable=reasons.OWN,
)

_RoundKey = tuple[str, int]
"""A task and a round."""


class Marked(NamedTuple):
    """A finding with its name in addresses, and the later finding that corrects it."""

    id: str
    finding: Finding
    correction: "Marked | None" = None

    def concerns_row(self, row: str) -> bool:
        """Whether it concerns a row of the track."""
        return not self.finding.submissions or row in self.finding.submissions

    @property
    def remark(self) -> str:
        """That it was corrected, with the day; empty where it was not."""
        return f"corrected on {self.correction.finding.date}" if self.correction else ""

    @property
    def remarked_title(self) -> str:
        """Its title, with the remark behind it."""
        return f"{self.finding.title} ({self.remark})" if self.remark else self.finding.title

    @property
    def marks_rounds(self) -> bool:
        """Whether it marks rounds: it names tasks or rounds, or changes their results. Some kinds mark rows only."""
        finding = self.finding
        if finding.kind in {"waiver", "reproduction"}:
            return False
        return bool(
            finding.tasks
            or finding.rounds
            or (finding.changes_results and finding.effect != "withdraw")
        )


@dataclass(frozen=True, slots=True)
class Marks:
    """The findings about one track, by what they concern."""

    all: Sequence[Marked] = ()
    """Every finding, in the order they were recorded."""
    by_round: Mapping[_RoundKey, Sequence[Marked]] = field(default_factory=dict)
    """Those that mark rounds; those about single cases mark the round, too."""
    by_task: Mapping[str, Sequence[Marked]] = field(default_factory=dict)

    def on_round(self, row: str, task: str, number: int) -> Sequence[Marked]:
        """The findings that mark a round of a row."""
        return [each for each in self.by_round.get((task, number), ()) if each.concerns_row(row)]

    def on_task(self, row: str, task: str) -> Sequence[Marked]:
        """The findings that mark any round of a task in a row."""
        return [each for each in self.by_task.get(task, ()) if each.concerns_row(row)]

    def on_any_task(self) -> list[Marked]:
        """The findings that mark any round."""
        marking = {each.id for found in self.by_task.values() for each in found}
        return [each for each in self.all if each.id in marking]

    def on_row(self, row: str) -> list[Marked]:
        """The findings that name a row."""
        return [each for each in self.all if row in each.finding.submissions]

    def about_row(self, row: str) -> list[Marked]:
        """The findings that concern a row: that name it, or what it has results on."""
        return [each for each in self.all if each.concerns_row(row)]


def marks_of(results: BenchmarkResults, track: str, tasks: TaskSet) -> Marks:
    """What findings concern on a track. Those about it do not name only rows, tasks or tracks of others."""
    elsewhere = {bundle.id for bundle in results.bundles if bundle.submission.track != track}
    known = {task.id for task in tasks.tasks}

    def is_about_it(finding: Finding) -> bool:
        is_elsewhere = bool(finding.submissions) and elsewhere >= {*finding.submissions}
        is_of_others = bool(finding.tasks and known) and known.isdisjoint(finding.tasks)
        return finding.is_on(track) and not is_elsewhere and not is_of_others

    findings = marked_findings(results.findings)
    corrections = {
        each.correction.id for each in findings if is_about_it(each.finding) and each.correction
    }
    found = [each for each in findings if is_about_it(each.finding) or each.id in corrections]
    by_round: dict[_RoundKey, list[Marked]] = defaultdict(list)
    by_task: dict[str, dict[str, Marked]] = defaultdict(dict)
    for each in found:
        for task, defined in rounds_under(each.finding, tasks) if each.marks_rounds else ():
            by_round[task, defined.n].append(each)
            by_task[task][each.id] = each
    return Marks(
        found, dict(by_round), {task: list(marks.values()) for task, marks in by_task.items()}
    )


def marked_findings(findings: Sequence[Finding]) -> list[Marked]:
    """Return findings with their names, each with the last of the later findings that correct it."""
    names = finding_ids(findings)
    corrections: dict[str, Marked] = {}
    marked = []
    for name, finding in reversed(list(zip(names, findings, strict=True))):
        each = Marked(name, finding, corrections.get(name))
        if finding.corrects and finding.corrects not in corrections:
            corrections[finding.corrects] = each
        marked.append(each)
    return marked[::-1]


def rounds_under(finding: Finding, tasks: TaskSet) -> Iterator[tuple[str, TaskRound]]:
    """The rounds that fall under a finding, each with its task."""
    for task in tasks.tasks:
        if not finding.tasks or task.id in finding.tasks:
            yield from (
                (task.id, each)
                for each in task.rounds
                if not finding.rounds or each.n in finding.rounds
            )


def counting_rounds(findings: Sequence[Finding], track: str, tasks: TaskSet) -> set[_RoundKey]:
    """The rounds of a track that no finding takes out for everybody, each with its task."""
    counting = {(task.id, each.n) for task in tasks.tasks for each in task.rounds}
    excluded_cases: dict[_RoundKey, set[str]] = defaultdict(set)
    for each in findings:
        is_acting = each.effect == "exclude" and each.changes_results and each.is_on(track)
        if not is_acting or each.submissions:
            continue
        for task, defined in rounds_under(each, tasks):
            excluded_cases[task, defined.n] |= {*each.cases}
            if not each.cases or _leaves_no_case(defined, excluded_cases[task, defined.n]):
                counting.discard((task, defined.n))
    return counting


def _leaves_no_case(defined: TaskRound, excluded: AbstractSet[str]) -> bool:
    """Return whether all cases of a round are excluded; not where its task does not list them."""
    return defined.cases is not None and excluded >= {case.id for case in defined.cases}


class _Change(NamedTuple):
    """What findings do to one round."""

    defined: TaskRound
    excludes: bool = False
    zeroes: bool = False
    cases: frozenset[str] = frozenset()

    @property
    def leaves_nothing(self) -> bool:
        """Whether the round, or each case that its task lists, is excluded."""
        return self.excludes or _leaves_no_case(self.defined, self.cases)

    def on(self, result: RoundResult) -> RoundResult | None:
        """What a record becomes; None where a case can't be taken out of it. What is excluded already stays."""
        if result.state == "excluded":
            return result
        if self.excludes or (result.case_ids is None and self.leaves_nothing):
            return replace(result, state="excluded")
        judged = without_cases(result, self.defined, self.cases) if self.cases else result
        if not self.zeroes:
            return judged
        zeroed = judged or result
        if zeroed.state != "scored":
            return zeroed
        counts = zeroed.by_category  # the outcomes stay: they tell what happened
        none = (
            {name: (0, total) for name, (_, total) in counts.items()}
            if counts is not None
            else None
        )
        return replace(
            zeroed, reward=0.0, passed=None if zeroed.passed is None else 0, by_category=none
        )


_Changes = Mapping[_RoundKey, _Change]


def with_effects(results: BenchmarkResults) -> BenchmarkResults:
    """Apply the findings of a benchmark to what was submitted to it.

    Results or a bundle that no finding changes stay the same object. What could not be done to a bundle is told among
    its problems.
    """
    acting = tuple(finding for finding in results.findings if finding.changes_results)
    if not acting:
        return results
    tasks = {track.id: results.tasks_of(track) for track in results.benchmark.tracks}

    @cache  # most bundles share theirs
    def changes(track: str, places: tuple[int, ...]) -> _Changes:
        """What the findings at some places do to the rounds of a track."""
        found: dict[_RoundKey, _Change] = {}
        for finding in (acting[n] for n in places):
            for task, defined in rounds_under(finding, tasks.get(track, TaskSet("", ()))):
                change = found.get((task, defined.n), _Change(defined))
                if finding.effect == "zero":
                    change = change._replace(zeroes=True)
                elif finding.cases:
                    change = change._replace(cases=change.cases | {*finding.cases})
                else:
                    change = change._replace(excludes=True)
                found[task, defined.n] = change
        return found

    def judged(bundle: Bundle) -> Bundle:
        submission = bundle.submission
        places = [
            n
            for n, finding in enumerate(acting)
            if finding.concerns_row(submission.track, bundle.id)
        ]
        withdrawing = [acting[n] for n in places if acting[n].effect == "withdraw"]
        found = _judged(
            bundle,
            changes(submission.track, tuple(n for n in places if acting[n] not in withdrawing)),
        )
        # What findings exclude for everybody counts for nobody, whether the submission has a record of it or not.
        general = tuple(
            n for n in places if acting[n].effect == "exclude" and not acting[n].submissions
        )
        if general:
            excluded = {
                key
                for key, change in changes(submission.track, general).items()
                if change.leaves_nothing
            }
            left_out = frozenset(excluded - {(each.task, each.round) for each in bundle.rounds})
            found = replace(found, left_out=left_out) if left_out else found
        if not withdrawing or submission.status.state == "withdrawn":
            return found
        first = min(withdrawing, key=lambda finding: finding.date)
        status = Status(state="withdrawn", by=first.by, reason=first.reason, date=first.date)
        return replace(found, submission=submission.model_copy(update={"status": status}))

    return replace(results, bundles=tuple(map(judged, results.bundles)))


def _judged(bundle: Bundle, changes: _Changes) -> Bundle:
    """Change the records of a bundle; what keeps its result is told."""
    kept: list[tuple[int, RoundResult]] = []
    rounds = list(bundle.rounds)
    for index, (line, result) in enumerate(bundle.numbered_rounds()) if changes else ():
        change = changes.get((result.task, result.round))
        judged = change.on(result) if change else result
        if judged is None:
            kept.append((line, result))
        rounds[index] = judged or result
    if not kept:
        return (
            bundle
            if all(map(is_, rounds, bundle.rounds))
            else replace(bundle, rounds=tuple(rounds))
        )
    line, first = kept[0]
    what = (
        f"{counted(len(kept), 'record')} of rounds with an excluded case "
        f"{'keeps its result' if len(kept) == 1 else 'keep their results'}: how that case ended is not known "
        f"(first: round {first.round} of {first.task})"
    )
    problem: Problem = FINDING_UNAPPLIED.broken(bundle.path / "rounds.jsonl", line, what)
    return replace(bundle, rounds=tuple(rounds), problems=(*bundle.problems, problem))


def without_cases(
    result: RoundResult, defined: TaskRound, cases: AbstractSet[str]
) -> RoundResult | None:
    """Judge a round from the cases that remain when some are taken out.

    A round without any case left is excluded. One whose remaining cases include no failed one passes, which may
    turn a failed round into a passed one, and never the other way round.

    Returns:
        The new record; the same one where none of the cases ran there, or no case ran at all; None where it is not
        known how the cases ended.
    """
    if result.state != "scored":
        return result
    names = result.case_ids
    if names is None and defined.cases is not None:
        names = tuple(case.id for case in defined.cases)
    if (
        names is None
        or result.outcomes is None
        or not result.total == len(names) == len(result.outcomes)
    ):
        return None
    endings = list(zip(names, result.outcomes, strict=True))
    kept = [ending for ending in endings if ending[0] not in cases]
    if len(kept) == len(endings):
        return result
    if not kept:
        return replace(result, state="excluded")
    left = [ending for ending in endings if ending[0] in cases]
    counts = None if result.by_category is None else _counts_without(result, defined, left)
    if counts is None and result.by_category is not None:
        return None
    outcomes = "".join(letter for _, letter in kept)
    fails = "f" in outcomes or "e" in outcomes or "p" not in outcomes
    return replace(
        result,
        reward=result.reward if fails or result.reward >= PASS_REWARD else 1.0,
        passed=outcomes.count("p"),
        total=len(outcomes),
        skipped=None if result.skipped is None else outcomes.count("s"),
        outcomes=outcomes,
        case_ids=tuple(name for name, _ in kept),
        by_category=counts,
    )


def _counts_without(
    result: RoundResult, defined: TaskRound, left: Sequence[tuple[str, str]]
) -> dict[str, tuple[int, int]] | None:
    """Take cases, each with its outcome, out of a round's counts by category; None where a category is not known."""
    counts = dict(result.by_category or {})
    categories = {case.id: case.category for case in defined.cases or ()}
    counts_skipped = (
        sum(total for _, total in counts.values()) == result.total
    )  # sources differ in that
    for name, letter in left:
        category = categories.get(name) or ""
        if category not in counts:
            return None
        passed, total = counts[category]
        counts[category] = (passed - (letter == "p"), total - (letter != "s" or counts_skipped))
    return counts
