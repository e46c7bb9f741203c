"""What findings do to results: rounds and cases leave the count, rounds count 0, submissions are withdrawn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_

from sitegen.board.rejudging import without_cases
from sitegen.models.finding import Finding
from sitegen.models.outcome import RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Status
from sitegen.models.task import TaskRound, TaskSet
from sitegen.problems import Problem, Rule, counted, reasons

FINDING_UNAPPLIED = Rule(
    "FINDING-UNAPPLIED",
    "warning",
    "Cases that a finding excludes are taken out of every result.",
    "give the `outcomes` of the round, and `case_ids` where the task does not list its cases",
    unwaivable=reasons.OWN,
)

_RoundKey = tuple[str, int]
"""A task and a round."""


@dataclass(frozen=True, slots=True)
class _Change:
    """What findings do to one round."""

    defined: TaskRound
    excludes: bool = False
    zeroes: bool = False
    cases: frozenset[str] = frozenset()

    def under(self, finding: Finding) -> "_Change":
        """Add what one more finding does."""
        if finding.effect == "zero":
            return replace(self, zeroes=True)
        if finding.cases:
            return replace(self, cases=self.cases | {*finding.cases})
        return replace(self, excludes=True)

    def on(self, result: RoundResult) -> RoundResult | None:
        """Give what a record becomes; None where a case can't be taken out of it. What is excluded already stays."""
        if result.state == "excluded":
            return result
        if self.excludes:
            return replace(result, state="excluded")
        judged = without_cases(result, self.defined, self.cases) if self.cases else result
        return _zero(judged or result) if self.zeroes else judged


_Changes = Mapping[_RoundKey, _Change]


def with_effects(results: BenchmarkResults) -> BenchmarkResults:
    """Apply the findings of a benchmark to what was submitted to it.

    A bundle that no finding changes stays the same object. What could not be done to a bundle is told among its
    problems.

    Args:
        results: The benchmark's results, as they were read.

    Returns:
        The results, which are the same object where no finding has an effect.
    """
    acting = [finding for finding in results.findings if finding.changes_results]
    if not acting:
        return results
    effects = _Effects(acting, {track.id: results.tasks_of(track) for track in results.benchmark.tracks})
    return replace(results, bundles=tuple(map(effects.on, results.bundles)))


@dataclass(frozen=True, slots=True)
class _Effects:
    """The findings of a benchmark that change results."""

    findings: Sequence[Finding]
    tasks: Mapping[str, TaskSet]
    """The tasks of each track."""
    known: dict[tuple[str, tuple[int, ...]], _Changes] = field(default_factory=dict)
    """Changes found already, by track and findings: most bundles share theirs."""

    def on(self, bundle: Bundle) -> Bundle:
        """Give what becomes of a bundle."""
        track = bundle.submission.track
        places = [n for n, finding in enumerate(self.findings) if finding.concerns_row(track, bundle.id)]
        judged = self._judged(bundle, tuple(n for n in places if self.findings[n].effect != "withdraw"))
        if bundle.submission.missing:
            judged = self._without_missing(judged, places)
        return _withdrawn(judged, [self.findings[n] for n in places if self.findings[n].effect == "withdraw"])

    def _judged(self, bundle: Bundle, places: tuple[int, ...]) -> Bundle:
        changes = self._changes(bundle.submission.track, places)
        kept: list[tuple[int, RoundResult]] = []
        rounds = list(bundle.rounds)
        for index, (line, result) in enumerate(bundle.numbered_rounds()) if changes else ():
            change = changes.get((result.task, result.round))
            judged = change.on(result) if change else result
            if judged is None:
                kept.append((line, result))
            rounds[index] = judged or result
        if not kept and all(map(is_, rounds, bundle.rounds)):
            return bundle
        return replace(bundle, rounds=tuple(rounds), problems=(*bundle.problems, *_kept_problems(bundle, kept)))

    def _without_missing(self, bundle: Bundle, places: Sequence[int]) -> Bundle:
        """Leave out what findings exclude for everybody of the tasks that a bundle has no results for."""
        general = (n for n in places if self.findings[n].effect == "exclude" and not self.findings[n].submissions)
        changes, missing = self._changes(bundle.submission.track, tuple(general)), {*bundle.submission.missing}
        left_out = frozenset(key for key, change in changes.items() if change.excludes and key[0] in missing)
        return replace(bundle, left_out=left_out) if left_out else bundle

    def _changes(self, track: str, places: tuple[int, ...]) -> _Changes:
        key = (track, places)
        if key not in self.known:
            self.known[key] = _changes_by([self.findings[n] for n in places], self.tasks.get(track, TaskSet("", ())))
        return self.known[key]


def _changes_by(findings: Sequence[Finding], tasks: TaskSet) -> _Changes:
    changes: dict[_RoundKey, _Change] = {}
    for finding in findings:
        for task, defined in rounds_under(finding, tasks):
            key = (task, defined.n)
            changes[key] = changes.get(key, _Change(defined)).under(finding)
    return changes


def counting_rounds(findings: Sequence[Finding], track: str, tasks: TaskSet) -> set[_RoundKey]:
    """Give the rounds of a track that no finding takes out for everybody, each with its task."""
    acting = [each for each in findings if each.effect == "exclude" and each.changes_results and each.is_on(track)]
    for_all = [each for each in acting if not each.submissions and not each.cases]
    out = {(task, defined.n) for finding in for_all for task, defined in rounds_under(finding, tasks)}
    return {(task.id, each.n) for task in tasks.tasks for each in task.rounds} - out


def rounds_under(finding: Finding, tasks: TaskSet) -> Iterator[tuple[str, TaskRound]]:
    """Give the rounds that fall under a finding, each with its task."""
    for task in tasks.tasks:
        if not finding.tasks or task.id in finding.tasks:
            yield from ((task.id, each) for each in task.rounds if not finding.rounds or each.n in finding.rounds)


def _zero(result: RoundResult) -> RoundResult:
    """Let a round count 0. Its outcomes stay: they tell what happened."""
    if result.state != "scored":
        return result
    counts = result.by_category
    none = {name: (0, total) for name, (_, total) in counts.items()} if counts is not None else None
    return replace(result, reward=0.0, passed=None if result.passed is None else 0, by_category=none)


def _withdrawn(bundle: Bundle, findings: Sequence[Finding]) -> Bundle:
    """Withdraw a submission by the first finding that asks for it."""
    if not findings or bundle.submission.status.state == "withdrawn":
        return bundle
    first = min(findings, key=lambda finding: finding.date)
    status = Status(state="withdrawn", by=first.by, reason=first.reason, date=first.date)
    return replace(bundle, submission=bundle.submission.model_copy(update={"status": status}))


def _kept_problems(bundle: Bundle, kept: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
    if kept:
        line, first = kept[0]
        verb = "keeps its result" if len(kept) == 1 else "keep their results"
        what = (
            f"{counted(len(kept), 'record')} of rounds with an excluded case {verb}: how that case ended is not known"
        )
        where = f"round {first.round} of {first.task}"
        yield FINDING_UNAPPLIED.broken(bundle.path / "rounds.jsonl", line, f"{what} (first: {where})")
