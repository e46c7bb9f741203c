"""What must hold between the failed cases that a bundle lists, its rounds, and the detail that it states."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path

from sitegen.models.consistency import REWARD_DESPITE_FAILURE
from sitegen.models.outcome import OUTCOME_STATUS, Failure, RoundResult
from sitegen.models.submission import CaseDetail, Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, Rule, counted, limited, mends, reasons
from sitegen.reading.jsonlines import Lines
from sitegen.reading.toml import Document
from sitegen.store.expected import Key, all_traces, untraced
from sitegen.store.failures import Failures, Piece

FAILURE_UNEXPECTED = Rule(
    "FAILURE-UNEXPECTED",
    "error",
    "Failed cases are listed for rounds whose cases ran.",
    "correct the line's task, attempt or round",
)
DETAIL_INCOMPLETE = Rule(
    "DETAIL-INCOMPLETE", "warning", "Every failed case is listed.", "list every failed case, where the source has it"
)
DETAIL_EXCESS = Rule(
    "DETAIL-EXCESS", "warning", "No more failed cases are listed than failed.", "look which of the two counts is right"
)
DETAIL_TRUNCATED = Rule(
    "DETAIL-TRUNCATED",
    "warning",
    "Texts of failed cases are whole.",
    "give the texts in full, where the source has them",
)
NO_CASES_UNEXPLAINED = Rule(
    "NO-CASES-UNEXPLAINED", "warning", "A round without cases says why none ran.", "give the `cause`, where it is known"
)
NO_CASES_INFRASTRUCTURE = Rule(
    "NO-CASES-INFRASTRUCTURE",
    "warning",
    "A build counts as failed because of the agent's work.",
    "look whether a leftover process or the machine was at fault",
)
DETAIL_OVERSTATED = Rule(
    "DETAIL-OVERSTATED",
    "error",
    "A bundle holds as much of its cases as `detail.cases` states.",
    "add what is missing, or state in `detail.cases` how much the bundle holds",
)
FAILURE_CONTRADICTED = Rule(
    "FAILURE-CONTRADICTED",
    "error",
    "A listed case ended as `outcomes` says.",
    "look up in the verifier's output which of the two is right",
)
FAILURE_CASE_UNKNOWN = Rule(
    "FAILURE-CASE-UNKNOWN",
    "error",
    "A listed case is one of its round's cases.",
    "correct the case's name, or the line's task, attempt or round",
)
FAILURE_TWICE = Rule(
    "FAILURE-TWICE",
    "error",
    "A failure is listed once.",
    "keep one of the lines",
    unwaivable=reasons.TIDY,
    mend=mends.REPEATS,
)


@dataclass(frozen=True)  # no slots: rounds are put in order where somebody asks
class Listing:
    """A bundle's listed failures beside its rounds."""

    path: Path
    """Their file."""
    failures: Failures
    records: Sequence[RoundResult]

    @cached_property
    def rounds(self) -> Mapping[Key, RoundResult]:
        """Rounds by what they are about."""
        return {(each.task, each.attempt, each.round, each.start): each for each in self.records}

    @cached_property
    def _rows(self) -> Callable[[Piece], Sequence[tuple[int, bytes, Failure]]]:
        """Reads a piece once more; mostly the one that was read last is asked for again."""
        return lru_cache(maxsize=1)(Piece.rows)

    @cached_property
    def _scattered(self) -> Mapping[Key, Sequence[tuple[int, bytes, Failure]]]:
        """Failures of the rounds that are listed in several places, read in the order of the file: each piece once."""
        several = [
            (each.piece.numbers[each.start], key, each)
            for key, stretches in self.failures.rounds.items()
            if len(stretches) > 1
            for each in stretches
        ]
        found: dict[Key, list[tuple[int, bytes, Failure]]] = defaultdict(list)
        for _, key, each in sorted(several, key=itemgetter(0)):
            found[key] += self._rows(each.piece)[each.start : each.stop]
        return found

    def of_round(self, key: Key) -> Sequence[tuple[int, bytes, Failure]]:
        """Give the failures of a round, each with its line and its JSON."""
        stretches = self.failures.rounds.get(key, ())
        if len(stretches) > 1:
            return self._scattered[key]
        return [row for each in stretches for row in self._rows(each.piece)[each.start : each.stop]]

    def first(self, key: Key) -> tuple[int, Failure]:
        """Give the first failure of a round that has one, with its line."""
        line, _, first = self.of_round(key)[0]
        return line, first

    @cached_property
    def failed(self) -> Mapping[Key, int]:
        """Number of cases that are listed as failed, by round."""
        skipped = self.failures.skipped
        return {
            key: sum(each.stop - each.start for each in stretches) - skipped.get(key, 0)
            for key, stretches in self.failures.rounds.items()
        }


def round_of(key: Key) -> str:
    """Name a round as a sentence does."""
    task, attempt, number, _ = key
    return f"round {number} of {task}, attempt {attempt}"


_INFRASTRUCTURE = ("address already in use", "no space left on device", "connection refused", "out of memory")
"""What a machine says when it, and not the agent's work, is at fault."""


def listing_problems(listing: Listing, refused: Iterable[bytes]) -> Iterator[Problem]:
    """Say which failed cases are listed wrongly, not at all, or cut.

    Args:
        listing: The failures beside their rounds.
        refused: Lines of rounds that could not be read.
    """
    if not listing.failures.rounds:
        return
    failed = _failed(listing.rounds)
    yield from limited(_misplaced(listing, refused))
    cut = listing.failures.cut
    what = f"the source cut the texts of {counted(len(cut), 'failed case')}" if cut else ""
    unlisted = () if listing.failures.refused else tuple(_unlisted(listing, failed, what))
    yield from unlisted
    yield from limited(_excess(listing, failed))
    if cut and not unlisted:
        yield DETAIL_TRUNCATED.broken(listing.path, cut[0], what)


def _misplaced(listing: Listing, refused: Iterable[bytes]) -> Iterator[Problem]:
    """Failures of rounds whose cases did not run; those of a round whose line can't be read are no fault."""
    nowhere = untraced(listing.failures.rounds.keys() - listing.rounds.keys(), all_traces(refused))
    for key in listing.failures.rounds:
        result = listing.rounds.get(key)
        if result is None:
            state = "has no record" if key in nowhere else None
        else:
            state = None if result.state in {"scored", "excluded"} else f'is "{result.state}"'
        if state:
            line, each = listing.first(key)
            what = f"case {each.case} failed in {round_of(key)}, which {state}"
            yield FAILURE_UNEXPECTED.broken(listing.path, line, what)


def _unlisted(listing: Listing, failed: Mapping[Key, int], cut: str) -> Iterator[Problem]:
    """Failed cases that are not listed; that some of the others are cut is told with it."""
    listed = listing.failed
    short = {key: number - listed.get(key, 0) for key, number in failed.items() if listed.get(key, 0) < number}
    if short:
        silent = sum(not listed.get(key) for key in short)
        missing = f"detail incomplete: {sum(short.values())} of {sum(failed.values())} failed cases are not listed"
        told = f"{missing}, in {counted(len(short), 'round')}, {silent} of them without any"
        yield DETAIL_INCOMPLETE.broken(listing.path, None, "; ".join(filter(None, (told, cut))))


def _excess(listing: Listing, failed: Mapping[Key, int]) -> Iterator[Problem]:
    """Rounds with more failures than failed cases, and passed ones with any."""
    for key, number in listing.failed.items():
        result = listing.rounds.get(key)
        if result and result.solved and number:
            line = next(line for line, _, each in listing.of_round(key) if each.status != "skipped")
            what = f"{round_of(key)}: {counted(number, 'failed case')} listed, but its reward is {result.reward:g}"
            yield REWARD_DESPITE_FAILURE.broken(listing.path, line, what)
        elif number > failed.get(key, number):
            line, _ = listing.first(key)
            what = f"{round_of(key)}: {counted(number, 'failed case')} listed, but {failed[key]} failed"
            yield DETAIL_EXCESS.broken(listing.path, line, what)


def _failed(rounds: Mapping[Key, RoundResult]) -> dict[Key, int]:
    scored = {key: each.failed for key, each in rounds.items() if each.state == "scored"}
    return {key: failed for key, failed in scored.items() if failed is not None}


def cause_problems(path: Path, rounds: Lines[RoundResult]) -> Iterator[Problem]:
    """Say which rounds without cases have no cause, or one that lies with the machine.

    Args:
        path: The bundle's rounds.
        rounds: What it holds.
    """
    without = [(line, each) for line, each in rounds.numbered if each.state == "no_cases"]
    yield from _unexplained(path, [(line, each) for line, each in without if not each.cause])
    yield from _suspect(path, [(line, each) for line, each in without if _is_the_machines(each.cause)])


def _unexplained(path: Path, rounds: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
    for line, first in rounds[:1]:
        subject = f"{counted(len(rounds), 'round')} without cases and without a cause"
        what = f"{subject}, round {first.round} of {first.task} first"
        yield NO_CASES_UNEXPLAINED.broken(path, line, what).about(number for number, _ in rounds)


def _suspect(path: Path, rounds: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
    for line, first in rounds[:1]:
        example = f'round {first.round} of {first.task} first: "{first.cause}"'
        what = f"{counted(len(rounds), 'round')} without cases may be the machine's fault, {example}"
        yield NO_CASES_INFRASTRUCTURE.broken(path, line, what).about(number for number, _ in rounds)


def _is_the_machines(cause: str | None) -> bool:
    said = (cause or "").lower()
    return any(sign in said for sign in _INFRASTRUCTURE)


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
        yield DETAIL_OVERSTATED.broken(path, line, f'`detail.cases` is "{stated}", but {what}')


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
            yield FAILURE_TWICE.broken(listing.path, number, what)
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
            yield FAILURE_CASE_UNKNOWN.broken(listing.path, line, what)
        elif letters and ended[each.case] != _LETTERS[each.status]:
            yield from _other_ending(listing.path, line, each, zip(names, letters, strict=True))


def _crowded(listing: Listing, key: Key, cases: Mapping[str, int]) -> Iterator[Problem]:
    """Say which cases are listed with several texts, and more often than the round has cases of their name."""
    seen: dict[str, dict[Failure, int]] = defaultdict(dict)
    for line, _, each in listing.of_round(key):
        lines = seen[each.case]
        if each not in lines and len(lines) == cases.get(each.case):
            what = f"case {each.case} of {round_of(key)} stands in line {min(lines.values())} already, with other texts"
            yield FAILURE_TWICE.broken(listing.path, line, what)
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
        yield FAILURE_CONTRADICTED.broken(path, line, what)
