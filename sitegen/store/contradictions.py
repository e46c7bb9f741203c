"""What must hold between listed failures, the outcomes of their rounds, and the detail that a manifest states."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sitegen.models.outcome import OUTCOME_STATUS, Failure, RoundResult
from sitegen.models.submission import CaseDetail, Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, counted
from sitegen.reading.repeats import limited
from sitegen.reading.toml import Document
from sitegen.store import evidence_rules as rules
from sitegen.store.listing import Listing, round_of
from sitegen.store.traces import Key

_LETTERS = {status: letter for letter, status in OUTCOME_STATUS.items()}


def failure_problems(listing: Listing, tasks: TaskSet | None) -> Iterator[Problem]:
    """Say which failures are listed twice, as what they were not, or for cases that their round does not have.

    Args:
        listing: The failures beside their rounds.
        tasks: The tasks of the bundle's track; None where they are not known.
    """
    yield from limited(_repeated(listing))
    yield from limited(_contradicted(listing, tasks.by_id() if tasks else {}))


def detail_problems(path: Path, manifest: Document[Submission], listing: Listing) -> Iterator[Problem]:
    """Say that a bundle holds less of its cases than its manifest states.

    Args:
        path: The manifest's file.
        manifest: The manifest. One that can't be read has worse problems.
        listing: The bundle's rounds with their failures, all of which could be read.
    """
    if manifest.record is None:
        return
    stated = manifest.record.detail.cases
    what = _lacking(stated, [each for each in listing.rounds.values() if each.state == "scored"], listing)
    if what:
        line = manifest.places.line_of(("detail", "cases"))
        yield rules.DETAIL_OVERSTATED.broken(path, line, f'`detail.cases` is "{stated}", but {what}')


def _lacking(stated: CaseDetail, scored: Sequence[RoundResult], listing: Listing) -> str | None:
    """Tell what a bundle lacks to hold what is stated; None where it lacks nothing."""
    if stated == "all":
        silent = sum(each.outcomes is None for each in scored)
        return f"{silent} of {counted(len(scored), 'scored round')} lack `outcomes`" if silent else None
    if stated in {"counts", "none"} or listing.failures.rounds:
        return None
    failed = sum(filter(None, (each.failed for each in scored)))
    return f"{counted(failed, 'case')} failed, and none is listed" if failed > 0 else None


def _repeated(listing: Listing) -> Iterator[Problem]:
    doubtful = [key for key, (first, *others) in listing.failures.rounds.items() if others or not first.is_distinct]
    found = (problem for key in doubtful for problem in _repeated_in(listing, key))
    yield from sorted(found, key=lambda problem: problem.line or 0)


def _repeated_in(listing: Listing, key: Key) -> Iterator[Problem]:
    seen: dict[Failure, int] = {}
    for number, _, each in listing.of_round(key):
        if each in seen:
            what = f"case {each.case} of round {each.round} of {each.task} stands in line {seen[each]} already"
            yield rules.FAILURE_TWICE.broken(listing.path, number, what)
        seen.setdefault(each, number)


def _contradicted(listing: Listing, tasks: Mapping[str, Task]) -> Iterator[Problem]:
    """Hold failures against the cases of their rounds, where these are known."""
    for key in listing.failures.rounds:
        result = listing.rounds.get(key)
        names = _names_of(result, tasks.get(result.task)) if result else ()
        if result and names and len(names) == result.total:
            yield from _unfit(listing, key, names, result.outcomes)
            yield from _crowded(listing, key, Counter(names))


def _unfit(listing: Listing, key: Key, names: Sequence[str], outcomes: str | None) -> Iterator[Problem]:
    letters = outcomes if outcomes and len(outcomes) == len(names) else None
    ended = dict(zip(names, letters or names, strict=True))
    for line, _, each in listing.of_round(key):
        if each.case not in ended:
            what = f"{round_of(key)} has no case `{each.case}`"
            yield rules.FAILURE_CASE_UNKNOWN.broken(listing.path, line, what)
        elif letters and ended[each.case] != _LETTERS[each.status]:
            yield from _other_ending(listing.path, line, each, zip(names, letters, strict=True))


def _crowded(listing: Listing, key: Key, cases: Mapping[str, int]) -> Iterator[Problem]:
    """Say which cases are listed with several texts, and more often than the round has cases of their name."""
    seen: dict[str, dict[Failure, int]] = defaultdict(dict)
    for line, _, each in listing.of_round(key):
        lines = seen[each.case]
        if each not in lines and len(lines) == cases.get(each.case):
            what = f"case {each.case} of {round_of(key)} stands in line {min(lines.values())} already, with other texts"
            yield rules.FAILURE_TWICE.broken(listing.path, line, what)
        lines.setdefault(each, line)


def _names_of(result: RoundResult, task: Task | None) -> Sequence[str]:
    """Give the names of a round's cases, in order; none where nobody knows them."""
    if result.case_ids:
        return result.case_ids
    cases = task.rounds[result.round - 1].cases if task and result.round <= len(task.rounds) else None
    return [case.id for case in cases or ()]


def _other_ending(path: Path, line: int, each: Failure, endings: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    """Say how a case ended that is listed as something else, unless another of its name ended so."""
    told = {OUTCOME_STATUS[letter] for name, letter in endings if name == each.case}
    if each.status not in told:
        where = f"round {each.round} of {each.task}, attempt {each.attempt}"
        what = (
            f"case {each.case} of {where} is listed as {each.status}, but `outcomes` says {' or '.join(sorted(told))}"
        )
        yield rules.FAILURE_CONTRADICTED.broken(path, line, what)
