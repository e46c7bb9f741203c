"""What must hold between the failed cases that a bundle lists, its rounds, and the detail that it states."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from sitegen.models.consistency import REWARD_DESPITE_FAILURE
from sitegen.models.outcome import OUTCOME_STATUS, Failure, Place, RoundResult
from sitegen.models.submission import Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, Rule, agreeing, counted, limited, mends, part_of, reasons
from sitegen.reading.json import Lines
from sitegen.reading.toml import Document
from sitegen.store.expected import all_traces, untraced
from sitegen.store.failures import Failures, Piece

FAILURE_UNEXPECTED = Rule.error(
    "FAILURE-UNEXPECTED",
    "Failed cases are listed for rounds whose cases ran.",
    "correct the line's task, attempt or round",
)
DETAIL_INCOMPLETE = Rule.warning(
    "DETAIL-INCOMPLETE",
    "Every failed case is listed.",
    "list every failed case, where the source has it",
)
DETAIL_EXCESS = Rule.warning(
    "DETAIL-EXCESS",
    "No more failed cases are listed than failed.",
    "look which of the two counts is right",
)
DETAIL_TRUNCATED = Rule.warning(
    "DETAIL-TRUNCATED",
    "Texts of failed cases are whole.",
    "give the texts in full, where the source has them",
)
NO_CASES_UNEXPLAINED = Rule.warning(
    "NO-CASES-UNEXPLAINED",
    "A round without cases says why none ran.",
    "give the `cause`, where it is known",
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
    "FAILURE-TWICE",
    "A failure is listed once.",
    "keep one of the lines",
    unwaivable=reasons.TIDY,
    mend=mends.REPEATS,
)


@dataclass(frozen=True)  # no slots: rounds are put in order where somebody asks
class Listing:
    """A bundle's listed failures beside its rounds."""

    failures: Failures
    records: Sequence[RoundResult]

    @property
    def path(self) -> Path:
        """The file of the failures."""
        return self.failures.path

    @cached_property
    def rounds(self) -> Mapping[Place, RoundResult]:
        """Rounds by what they are about."""
        return {each.place: each for each in self.records}

    @cached_property
    def _rows(self) -> Callable[[Piece], Sequence[tuple[int, bytes, Failure]]]:
        """Reads a piece once more; mostly the one that was read last is asked for again."""
        return lru_cache(maxsize=1)(Piece.rows)

    @cached_property
    def _scattered(self) -> Mapping[Place, Sequence[tuple[int, bytes, Failure]]]:
        """Failures of the rounds that are listed in several places, read in the order of the file: each piece once."""
        lists = [
            (key, each)
            for key, found in self.failures.rounds.items()
            if len(found) > 1
            for each in found
        ]
        found: dict[Place, list[tuple[int, bytes, Failure]]] = defaultdict(list)
        for key, each in sorted(lists, key=lambda listed: listed[1].piece.numbers[listed[1].start]):
            found[key] += self._rows(each.piece)[each.start : each.stop]
        return found

    def of_round(self, key: Place) -> Sequence[tuple[int, bytes, Failure]]:
        """The failures of a round, each with its line and its JSON."""
        stretches = self.failures.rounds.get(key, ())
        if len(stretches) > 1:
            return self._scattered[key]
        return [row for each in stretches for row in self._rows(each.piece)[each.start : each.stop]]

    @cached_property
    def failed(self) -> Mapping[Place, int]:
        """Number of cases that are listed as failed, by round."""
        listed = {
            key: sum(each.stop - each.start for each in found)
            for key, found in self.failures.rounds.items()
        }
        return {key: number - self.failures.skipped.get(key, 0) for key, number in listed.items()}


def round_of(key: Place) -> str:
    """Name a round as a sentence does."""
    task, attempt, number, _ = key
    return f"round {number} of {task}, attempt {attempt}"


_INFRASTRUCTURE = (
    "address already in use",
    "no space left on device",
    "connection refused",
    "out of memory",
)
"""What a machine says when it, and not the agent's work, is at fault."""


def listing_problems(listing: Listing, refused: Iterable[bytes]) -> Iterator[Problem]:
    """Which failed cases are listed wrongly, not at all, or cut."""
    if not listing.failures.rounds:
        return
    scored = {key: each.failed for key, each in listing.rounds.items() if each.state == "scored"}
    failed = {key: number for key, number in scored.items() if number is not None}
    yield from limited(_misplaced(listing, refused))
    cut, listed = listing.failures.cut, listing.failed
    what = f"the source cut the texts of {counted(len(cut), 'failed case')}" if cut else ""
    short = {
        key: number - listed.get(key, 0)
        for key, number in failed.items()
        if listed.get(key, 0) < number
    }
    is_short = bool(short) and not listing.failures.refused
    if is_short:  # that some of the others are cut is told with it
        silent = sum(not listed.get(key) for key in short)
        missing_cases = sum(short.values())
        cases = part_of(missing_cases, sum(failed.values()), "failed case")
        missing = f"detail incomplete: {cases} {agreeing(missing_cases, 'is', 'are')} not listed"
        told = f"{missing}, in {counted(len(short), 'round')}, {silent} of them without any"
        yield DETAIL_INCOMPLETE.broken(listing.path, None, f"{told}; {what}" if what else told)
    yield from limited(_excess(listing, failed))
    if cut and not is_short:
        yield DETAIL_TRUNCATED.broken(listing.path, cut[0], what)


def _misplaced(listing: Listing, refused: Iterable[bytes]) -> Iterator[Problem]:
    """Failures of rounds whose cases did not run; those of a round whose line can't be read are no fault."""
    nowhere = untraced(listing.failures.rounds.keys() - listing.rounds.keys(), all_traces(refused))
    for key in listing.failures.rounds:
        result, state = listing.rounds.get(key), "has no record" if key in nowhere else ""
        if result and result.state not in {"scored", "excluded"}:
            state = f'is "{result.state}"'
        if state:
            line, _, each = listing.of_round(key)[0]
            what = f"case {each.case} failed in {round_of(key)}, which {state}"
            yield FAILURE_UNEXPECTED.broken(listing.path, line, what)


def _excess(listing: Listing, failed: Mapping[Place, int]) -> Iterator[Problem]:
    """Rounds with more failures than failed cases, and passed ones with any."""
    for key, number in listing.failed.items():
        result = listing.rounds.get(key)
        if result and result.solved and number:
            line = next(line for line, _, each in listing.of_round(key) if each.status != "skipped")
            what = f"{round_of(key)}: {counted(number, 'failed case')} listed, but its reward is {result.reward:g}"
            yield REWARD_DESPITE_FAILURE.broken(listing.path, line, what)
        elif number > failed.get(key, number):
            line, *_ = listing.of_round(key)[0]
            what = f"{round_of(key)}: {counted(number, 'failed case')} listed, but {failed[key]} failed"
            yield DETAIL_EXCESS.broken(listing.path, line, what)


def cause_problems(path: Path, rounds: Lines[RoundResult]) -> Iterator[Problem]:
    """Which rounds without cases have no cause, or one that lies with the machine."""
    without = [(line, each) for line, each in rounds.numbered if each.state == "no_cases"]
    silent = [(line, each) for line, each in without if not each.cause]
    suspect = [
        (line, each)
        for line, each in without
        if any(map((each.cause or "").lower().count, _INFRASTRUCTURE))
    ]
    for rule, found, fact in (
        (NO_CASES_UNEXPLAINED, silent, "without cases and without a cause"),
        (NO_CASES_INFRASTRUCTURE, suspect, "without cases may be the machine's fault"),
    ):
        for line, first in found[:1]:
            what = (
                f"{counted(len(found), 'round')} {fact}, round {first.round} of {first.task} first"
            )
            what += f': "{first.cause}"' if first.cause else ""
            yield rule.broken(path, line, what).about(number for number, _ in found)


def failure_problems(listing: Listing, tasks: TaskSet | None) -> Iterator[Problem]:
    """Which failures are listed twice, as what they were not, or for cases that their round does not have."""
    doubtful = [
        key
        for key, (first, *others) in listing.failures.rounds.items()
        if others or not first.is_distinct
    ]
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


def detail_problems(manifest: Document[Submission], listing: Listing) -> Iterator[Problem]:
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
        yield manifest.broken(
            DETAIL_OVERSTATED, ("detail", "cases"), f'`detail.cases` is "{stated}", but {what}'
        )


def _contradicted(listing: Listing, tasks: Mapping[str, Task]) -> Iterator[Problem]:
    """Hold failures against the cases of their rounds, where these are known.

    A failure is of a case that the round has, which ended so, as all of its name did or some of them; and none is
    listed with several texts, and more often than the round has cases of its name.
    """
    for key in listing.failures.rounds:
        result = listing.rounds.get(key)
        names: Sequence[str] = (result.case_ids if result else None) or ()
        task = tasks.get(key[0])
        if not names and task and key[2] <= len(task.rounds):
            names = [case.id for case in task.rounds[key[2] - 1].cases or ()]
        if result is None or not names or len(names) != result.total:
            continue
        outcomes = result.outcomes if result.outcomes and len(result.outcomes) == len(names) else ""
        ended: dict[str, set[str]] = {name: set() for name in names}
        for name, letter in zip(names, outcomes, strict=False):
            ended[name].add(OUTCOME_STATUS[letter])
        rows, cases = listing.of_round(key), Counter(names)
        for line, _, each in rows:
            if each.case not in ended:
                what = f"{round_of(key)} has no case `{each.case}`"
                yield FAILURE_CASE_UNKNOWN.broken(listing.path, line, what)
            elif outcomes and each.status not in ended[each.case]:
                what = f"case {each.case} of {round_of(key)} is listed as {each.status}"
                what = f"{what}, but `outcomes` says {' or '.join(sorted(ended[each.case]))}"
                yield FAILURE_CONTRADICTED.broken(listing.path, line, what)
        seen: dict[str, dict[Failure, int]] = defaultdict(dict)
        for line, _, each in rows:
            lines = seen[each.case]
            if each not in lines and len(lines) == cases.get(each.case):
                first = f"stands in line {min(lines.values())} already, with other texts"
                yield FAILURE_TWICE.broken(
                    listing.path, line, f"case {each.case} of {round_of(key)} {first}"
                )
            lines.setdefault(each, line)
