"""What must hold between the failed cases that a bundle lists, its rounds, and the detail that it states."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path

from sitegen.models.consistency import REWARD_DESPITE_FAILURE
from sitegen.models.outcome import OUTCOME_STATUS, Failure, RoundResult
from sitegen.models.submission import Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, Rule, counted, limited, mends, reasons
from sitegen.reading.json import Lines
from sitegen.reading.toml import Document
from sitegen.store.expected import Key, all_traces, untraced
from sitegen.store.failures import Failures, Piece

FAILURE_UNEXPECTED = Rule.error(
    "FAILURE-UNEXPECTED",
    "Failed cases are listed for rounds whose cases ran.",
    "correct the line's task, attempt or round",
)
DETAIL_INCOMPLETE = Rule.warning(
    "DETAIL-INCOMPLETE", "Every failed case is listed.", "list every failed case, where the source has it"
)
DETAIL_EXCESS = Rule.warning(
    "DETAIL-EXCESS", "No more failed cases are listed than failed.", "look which of the two counts is right"
)
DETAIL_TRUNCATED = Rule.warning(
    "DETAIL-TRUNCATED", "Texts of failed cases are whole.", "give the texts in full, where the source has them"
)
NO_CASES_UNEXPLAINED = Rule.warning(
    "NO-CASES-UNEXPLAINED", "A round without cases says why none ran.", "give the `cause`, where it is known"
)
NO_CASES_INFRASTRUCTURE = Rule.warning(
    "NO-CASES-INFRASTRUCTURE",
    "A build counts as failed because of the agent's work.",
    "look whether a leftover process or the machine was at fault",
)
DETAIL_OVERSTATED = Rule.error(
    "DETAIL-OVERSTATED",
    "A bundle holds as much of its cases as `detail.cases` states.",
    "add what is missing, or state in `detail.cases` how much the bundle holds",
)
FAILURE_CONTRADICTED = Rule.error(
    "FAILURE-CONTRADICTED",
    "A listed case ended as `outcomes` says.",
    "look up in the verifier's output which of the two is right",
)
FAILURE_CASE_UNKNOWN = Rule.error(
    "FAILURE-CASE-UNKNOWN",
    "A listed case is one of its round's cases.",
    "correct the case's name, or the line's task, attempt or round",
)
FAILURE_TWICE = Rule.error(
    "FAILURE-TWICE", "A failure is listed once.", "keep one of the lines", unwaivable=reasons.TIDY, mend=mends.REPEATS
)


@dataclass(frozen=True)  # no slots: rounds are put in order where somebody asks
class Listing:
    """A bundle's listed failures beside its rounds."""

    path: Path
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
        """The failures of a round, each with its line and its JSON."""
        stretches = self.failures.rounds.get(key, ())
        if len(stretches) > 1:
            return self._scattered[key]
        return [row for each in stretches for row in self._rows(each.piece)[each.start : each.stop]]

    def first(self, key: Key) -> tuple[int, Failure]:
        """The first failure of a round that has one, with its line."""
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
    """Which failed cases are listed wrongly, not at all, or cut."""
    if not listing.failures.rounds:
        return
    scored = {key: each.failed for key, each in listing.rounds.items() if each.state == "scored"}
    failed = {key: number for key, number in scored.items() if number is not None}
    yield from limited(_misplaced(listing, refused))
    cut = listing.failures.cut
    what = f"the source cut the texts of {counted(len(cut), 'failed case')}" if cut else ""
    listed = listing.failed
    short = {key: number - listed.get(key, 0) for key, number in failed.items() if listed.get(key, 0) < number}
    is_short = bool(short) and not listing.failures.refused
    if is_short:  # that some of the others are cut is told with it
        silent = sum(not listed.get(key) for key in short)
        missing = f"detail incomplete: {sum(short.values())} of {sum(failed.values())} failed cases are not listed"
        told = f"{missing}, in {counted(len(short), 'round')}, {silent} of them without any"
        yield DETAIL_INCOMPLETE.broken(listing.path, None, "; ".join(filter(None, (told, what))))
    yield from limited(_excess(listing, failed))
    if cut and not is_short:
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


def cause_problems(path: Path, rounds: Lines[RoundResult]) -> Iterator[Problem]:
    """Which rounds without cases have no cause, or one that lies with the machine."""
    without = [(line, each) for line, each in rounds.numbered if each.state == "no_cases"]
    silent = [(line, each) for line, each in without if not each.cause]
    for line, first in silent[:1]:
        subject = f"{counted(len(silent), 'round')} without cases and without a cause"
        what = f"{subject}, round {first.round} of {first.task} first"
        yield NO_CASES_UNEXPLAINED.broken(path, line, what).about(number for number, _ in silent)
    suspect = [(line, each) for line, each in without if any(map((each.cause or "").lower().count, _INFRASTRUCTURE))]
    for line, first in suspect[:1]:
        example = f'round {first.round} of {first.task} first: "{first.cause}"'
        what = f"{counted(len(suspect), 'round')} without cases may be the machine's fault, {example}"
        yield NO_CASES_INFRASTRUCTURE.broken(path, line, what).about(number for number, _ in suspect)


def failure_problems(listing: Listing, tasks: TaskSet | None) -> Iterator[Problem]:
    """Which failures are listed twice, as what they were not, or for cases that their round does not have."""
    doubtful = [key for key, (first, *others) in listing.failures.rounds.items() if others or not first.is_distinct]
    found: list[Problem] = []
    for key in doubtful:
        seen: dict[Failure, int] = {}
        for number, _, each in listing.of_round(key):
            if each in seen:
                what = f"case {each.case} of round {each.round} of {each.task} stands in line {seen[each]} already"
                found.append(FAILURE_TWICE.broken(listing.path, number, what))
            seen.setdefault(each, number)
    yield from limited(sorted(found, key=lambda problem: problem.line or 0))
    yield from limited(_contradicted(listing, tasks.by_id() if tasks else {}))


def detail_problems(path: Path, manifest: Document[Submission], listing: Listing) -> Iterator[Problem]:
    """That a bundle holds less of its cases than its manifest states."""
    if manifest.record is None:
        return
    stated = manifest.record.detail.cases
    scored = [each for each in listing.rounds.values() if each.state == "scored"]
    silent = sum(each.outcomes is None for each in scored)
    failed = sum(filter(None, (each.failed for each in scored)))
    what = None
    if stated == "all" and silent:
        what = f"{silent} of {counted(len(scored), 'scored round')} lack `outcomes`"
    elif stated not in {"all", "counts", "none"} and not listing.failures.rounds and failed > 0:
        what = f"{counted(failed, 'case')} failed, and none is listed"
    if what:
        line = manifest.places.line_of(("detail", "cases"))
        yield DETAIL_OVERSTATED.broken(path, line, f'`detail.cases` is "{stated}", but {what}')


def _contradicted(listing: Listing, tasks: Mapping[str, Task]) -> Iterator[Problem]:
    """Hold failures against the cases of their rounds, where these are known."""
    for key in listing.failures.rounds:
        result = listing.rounds.get(key)
        if result is None:
            continue
        names: Sequence[str] = result.case_ids or ()
        task = tasks.get(result.task)
        if not names and task and result.round <= len(task.rounds):
            names = [case.id for case in task.rounds[result.round - 1].cases or ()]
        if names and len(names) == result.total:
            yield from _unfit(listing, key, names, result.outcomes)
            yield from _crowded(listing, key, Counter(names))


def _unfit(listing: Listing, key: Key, names: Sequence[str], outcomes: str | None) -> Iterator[Problem]:
    """Failures of cases that the round has not, and of cases that ended otherwise, as all of their name did."""
    letters = outcomes if outcomes and len(outcomes) == len(names) else None
    ended = dict(zip(names, letters or names, strict=True))
    for line, _, each in listing.of_round(key):
        if each.case not in ended:
            what = f"{round_of(key)} has no case `{each.case}`"
            yield FAILURE_CASE_UNKNOWN.broken(listing.path, line, what)
        elif letters and OUTCOME_STATUS[ended[each.case]] != each.status:
            told = {OUTCOME_STATUS[letter] for name, letter in zip(names, letters, strict=True) if name == each.case}
            if each.status not in told:
                what = f"case {each.case} of {round_of(key)} is listed as {each.status}"
                what = f"{what}, but `outcomes` says {' or '.join(sorted(told))}"
                yield FAILURE_CONTRADICTED.broken(listing.path, line, what)


def _crowded(listing: Listing, key: Key, cases: Mapping[str, int]) -> Iterator[Problem]:
    """Cases that are listed with several texts, and more often than the round has cases of their name."""
    seen: dict[str, dict[Failure, int]] = defaultdict(dict)
    for line, _, each in listing.of_round(key):
        lines = seen[each.case]
        if each not in lines and len(lines) == cases.get(each.case):
            what = f"case {each.case} of {round_of(key)} stands in line {min(lines.values())} already, with other texts"
            yield FAILURE_TWICE.broken(listing.path, line, what)
        lines.setdefault(each, line)
