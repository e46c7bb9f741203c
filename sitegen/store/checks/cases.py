"""Check a bundle's listed failed cases against its rounds and its stated level of detail.

Read `FailuresByRound` first, which matches listed failures with rounds.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import assert_never

from sitegen.models.consistency import REWARD_DESPITE_FAILURE
from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus, Failure, RoundKey, RoundResult
from sitegen.models.submission import Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, Rule, agreeing, counted, limited, mends, part_of, reasons
from sitegen.reading.json import Lines
from sitegen.reading.toml import Document
from sitegen.store.checks.expected import (
    partial_keys_in,
    round_key_name,
    short_round_name,
    unmatched_keys,
)
from sitegen.store.files.failures import FailureIndex, LineBlock, ListedFailure, RoundSlice

FAILURE_UNEXPECTED = Rule.error(
    "FAILURE-UNEXPECTED",
    "A failed case is listed for a round whose cases did not run.",
    "correct the line's task, attempt or round",
)
DETAIL_INCOMPLETE = Rule.note(
    "DETAIL-INCOMPLETE",
    "Some failed cases are not listed.",
    "list every failed case, if the source has it",
)
DETAIL_EXCESS = Rule.warning(
    "DETAIL-EXCESS",
    "More failed cases are listed than failed.",
    "check which of the two counts is right",
)
DETAIL_TRUNCATED = Rule.note(
    "DETAIL-TRUNCATED",
    "Texts of failed cases are shortened.",
    "give the texts in full, if the source has them",
)
NO_CASES_UNEXPLAINED = Rule.warning(
    "NO-CASES-UNEXPLAINED",
    "No case of a round ran, and the round gives no cause.",
    "add the `cause`, if it is known",
)
NO_CASES_INFRASTRUCTURE = Rule.warning(
    "NO-CASES-INFRASTRUCTURE",
    "A failed build may be the fault of the test environment rather than of the agent.",
    "check whether a leftover process or the machine was at fault",
)
DETAIL_OVERSTATED = Rule.error(
    "DETAIL-OVERSTATED",
    "A bundle has less detail about its cases than `detail.cases` states.",
    "add the missing details, or state in `detail.cases` how much the bundle has",
)
FAILURE_CONTRADICTED = Rule.error(
    "FAILURE-CONTRADICTED",
    "A listed case contradicts `outcomes`.",
    "check in the verifier's output which of the two is right",
)
FAILURE_CASE_UNKNOWN = Rule.error(
    "FAILURE-CASE-UNKNOWN",
    "A listed case is not one of its round's cases.",
    "correct the case's name, or the line's task, attempt or round",
)
FAILURE_TWICE = Rule.error(
    "FAILURE-TWICE",
    "A failed case is listed twice.",
    "keep one of the lines",
    unwaivable=reasons.TIDY,
    mend=mends.REPEATS,
)

_INFRASTRUCTURE_MESSAGES = (
    "address already in use",
    "no space left on device",
    "connection refused",
    "out of memory",
)
"""Texts in a cause that indicate a fault of the machine rather than the agent."""


class _BlockReader:
    """A reader of blocks that caches the last block, which is usually read again next."""

    def __init__(self) -> None:
        """Start without a cached block."""
        self._last_block: LineBlock | None = None
        self._last_failures: Sequence[ListedFailure] = ()

    def read(self, block: LineBlock) -> Sequence[ListedFailure]:
        """Return the failures in a block."""
        if block is not self._last_block:
            self._last_failures = block.read()
            self._last_block = block
        return self._last_failures


@dataclass(frozen=True)  # no slots: cached properties need a dict
class FailuresByRound:
    """A bundle's listed failures and the results of its rounds."""

    index: FailureIndex
    records: Sequence[RoundResult]
    _reader: _BlockReader = field(default_factory=_BlockReader, init=False, repr=False)

    @property
    def path(self) -> Path:
        """The path of the list of failures."""
        return self.index.path

    @cached_property
    def results(self) -> Mapping[RoundKey, RoundResult]:
        """The results of the rounds, by round key."""
        return {record.place: record for record in self.records}

    def of_round(self, key: RoundKey) -> Sequence[ListedFailure]:
        """Return the failures of a round, each with its line number, its JSON and its record."""
        slices = self.index.slices_by_round.get(key, ())
        if len(slices) > 1:
            return self._scattered[key]
        listed_failures: list[ListedFailure] = []
        for round_slice in slices:
            listed_failures += self._read_slice(round_slice)
        return listed_failures

    @cached_property
    def listed_counts(self) -> Mapping[RoundKey, int]:
        """The number of cases listed as failed, by round."""
        counts = {}
        for key, slices in self.index.slices_by_round.items():
            listed_count = sum(round_slice.stop - round_slice.start for round_slice in slices)
            counts[key] = listed_count - self.index.skipped.get(key, 0)
        return counts

    @cached_property
    def _scattered(self) -> Mapping[RoundKey, Sequence[ListedFailure]]:
        """The failures of rounds that are listed in several slices.

        They are read in file order, so that each block is read once.
        """
        slices: list[tuple[RoundKey, RoundSlice]] = []
        for key, round_slices in self.index.slices_by_round.items():
            if len(round_slices) > 1:
                slices += [(key, round_slice) for round_slice in round_slices]
        slices.sort(key=lambda keyed: keyed[1].first_line)
        listed_failures: dict[RoundKey, list[ListedFailure]] = defaultdict(list)
        for key, round_slice in slices:
            listed_failures[key] += self._read_slice(round_slice)
        return listed_failures

    def _read_slice(self, round_slice: RoundSlice) -> Sequence[ListedFailure]:
        return self._reader.read(round_slice.block)[round_slice.start : round_slice.stop]


def listed_case_problems(failures: FailuresByRound, refused: Iterable[bytes]) -> Iterator[Problem]:
    """Yield problems with failed cases listed for the wrong round, missing, in excess or shortened.

    Args:
        failures: The listed failures and the rounds.
        refused: Lines of the rounds file that could not be read as records.
    """
    if not failures.index.slices_by_round:
        return
    failed_counts: dict[RoundKey, int] = {}
    for key, result in failures.results.items():
        if result.state == "scored" and result.failed is not None:
            failed_counts[key] = result.failed
    yield from limited(_misplaced_failures(failures, refused))
    cut_lines = failures.index.cut
    cut_fact = f"the source shortened the texts of {counted(len(cut_lines), 'failed case')}"
    incomplete_fact = _incomplete_fact(failures, failed_counts)
    if incomplete_fact:
        fact = f"{incomplete_fact}; {cut_fact}" if cut_lines else incomplete_fact
        yield DETAIL_INCOMPLETE.broken(failures.path, None, fact)
    yield from limited(_excess_failures(failures, failed_counts))
    if cut_lines and not incomplete_fact:
        yield DETAIL_TRUNCATED.broken(failures.path, cut_lines[0], cut_fact)


def _incomplete_fact(
    failures: FailuresByRound, failed_counts: Mapping[RoundKey, int]
) -> str | None:
    """Return a text on failed cases that are not listed; None if all are or lines are broken."""
    if failures.index.refused:
        return None
    missing_cases = 0
    incomplete_rounds = 0
    silent_rounds = 0
    for key, failed_count in failed_counts.items():
        listed_count = failures.listed_counts.get(key, 0)
        if listed_count < failed_count:
            missing_cases += failed_count - listed_count
            incomplete_rounds += 1
            silent_rounds += not listed_count
    if not missing_cases:
        return None
    cases = part_of(missing_cases, sum(failed_counts.values()), "failed case")
    verb = agreeing(missing_cases, "is", "are")
    rounds = counted(incomplete_rounds, "round")
    text = f"detail incomplete: {cases} {verb} not listed, in {rounds}"
    if not silent_rounds:
        return text
    return (
        f"{text}; {counted(silent_rounds, 'round')} {agreeing(silent_rounds, 'lists', 'list')} none"
    )


def _misplaced_failures(failures: FailuresByRound, refused: Iterable[bytes]) -> Iterator[Problem]:
    """Yield problems of failures in rounds that were not graded; broken lines are ignored."""
    unknown_rounds = failures.index.slices_by_round.keys() - failures.results.keys()
    missing_rounds = unmatched_keys(unknown_rounds, partial_keys_in(refused))
    for key in failures.index.slices_by_round:
        result = failures.results.get(key)
        if key in missing_rounds:
            reason = "has no record"
        elif result and result.state not in {"scored", "excluded"}:
            reason = f'is "{result.state}"'
        else:
            continue
        line, _, failure = failures.of_round(key)[0]
        fact = f"case {failure.case} failed in {round_key_name(key)}, which {reason}"
        yield FAILURE_UNEXPECTED.broken(failures.path, line, fact)


def _excess_failures(
    failures: FailuresByRound, failed_counts: Mapping[RoundKey, int]
) -> Iterator[Problem]:
    """Yield problems of rounds with too many listed failures, including passed rounds."""
    for key, listed_count in failures.listed_counts.items():
        result = failures.results.get(key)
        cases = counted(listed_count, "failed case")
        if result and result.solved and listed_count:
            line = _first_failed_line(failures.of_round(key))
            fact = f"{round_key_name(key)}: {cases} listed, but its reward is {result.reward:g}"
            yield REWARD_DESPITE_FAILURE.broken(failures.path, line, fact)
        elif listed_count > failed_counts.get(key, listed_count):
            line, _, _ = failures.of_round(key)[0]
            fact = f"{round_key_name(key)}: {cases} listed, but {failed_counts[key]} failed"
            task, _, _, _ = key
            yield DETAIL_EXCESS.broken(failures.path, line, fact).about_tasks(task)


def _first_failed_line(listed_failures: Iterable[ListedFailure]) -> int:
    return next(line for line, _, failure in listed_failures if failure.status != "skipped")


def cause_problems(path: Path, rounds: Lines[RoundResult]) -> Iterator[Problem]:
    """Yield problems with rounds without cases whose cause is missing or lies with the machine."""
    unexplained: list[tuple[int, RoundResult]] = []
    suspicious: list[tuple[int, RoundResult]] = []
    for line, result in rounds.numbered:
        if result.state != "no_cases":
            continue
        if not result.cause:
            unexplained.append((line, result))
        elif any(message in result.cause.lower() for message in _INFRASTRUCTURE_MESSAGES):
            suspicious.append((line, result))
    fact = "without cases and without a cause"
    yield from _rounds_problem(path, NO_CASES_UNEXPLAINED, unexplained, fact)
    fact = "without cases may be the fault of the machine"
    yield from _rounds_problem(path, NO_CASES_INFRASTRUCTURE, suspicious, fact)


def _rounds_problem(
    path: Path, rule: Rule, rounds: Sequence[tuple[int, RoundResult]], fact: str
) -> Iterator[Problem]:
    """Yield one problem for all given rounds, which quotes the cause of the first round."""
    if not rounds:
        return
    lines = [line for line, _ in rounds]
    _, first = rounds[0]
    number = counted(len(rounds), "round")
    text = f"{number} {fact} (first: {short_round_name(first)})"
    if first.cause:
        text = f'{text}: "{first.cause}"'
    yield rule.broken(path, lines[0], text).about(lines).about_tasks(first.task)


def failure_problems(failures: FailuresByRound, tasks: TaskSet | None) -> Iterator[Problem]:
    """Yield problems of failures: repeated, with a wrong outcome, or of an unknown case."""
    repeated = sorted(_repeated_failures(failures), key=lambda problem: problem.line or 0)
    yield from limited(repeated)
    yield from limited(_contradictory_failures(failures, tasks.by_id() if tasks else {}))


def _repeated_failures(failures: FailuresByRound) -> Iterator[Problem]:
    for key, slices in failures.index.slices_by_round.items():
        if len(slices) == 1 and slices[0].is_distinct:
            continue
        lines_by_failure: dict[Failure, int] = {}
        for line, _, failure in failures.of_round(key):
            first_line = lines_by_failure.setdefault(failure, line)
            if first_line != line:
                fact = (
                    f"case {failure.case} of {short_round_name(failure)} "
                    f"is already listed in line {first_line}"
                )
                yield FAILURE_TWICE.broken(failures.path, line, fact)


def detail_problems(manifest: Document[Submission], failures: FailuresByRound) -> Iterator[Problem]:
    """Yield a problem if a bundle has less detail about its cases than its manifest states."""
    if manifest.record is None:
        return
    stated = manifest.record.detail.cases
    match stated:
        case "counts" | "none":
            return
        case "all":
            scored = _scored_results(failures)
            silent_count = sum(result.outcomes is None for result in scored)
            reason = f"{silent_count} of {counted(len(scored), 'scored round')} lack `outcomes`"
            is_overstated = silent_count > 0
        case "failures" | "sample":
            failed_count = sum(result.failed or 0 for result in _scored_results(failures))
            reason = f"{counted(failed_count, 'case')} failed, but none is listed"
            is_overstated = failed_count > 0 and not failures.index.slices_by_round
        case unexpected:
            assert_never(unexpected)
    if not is_overstated:
        return
    fact = f'`detail.cases` is "{stated}", but {reason}'
    yield manifest.broken(DETAIL_OVERSTATED, ("detail", "cases"), fact)


def _scored_results(failures: FailuresByRound) -> list[RoundResult]:
    """Return the results of the rounds that were scored."""
    return [result for result in failures.results.values() if result.state == "scored"]


def _contradictory_failures(
    failures: FailuresByRound, tasks: Mapping[str, Task]
) -> Iterator[Problem]:
    """Yield problems of failures that contradict the known cases of their rounds."""
    for key in failures.index.slices_by_round:
        result = failures.results.get(key)
        if result is None:
            continue
        names = result.case_ids or _listed_cases(key, tasks)
        if names and len(names) == result.total:
            listed_failures = failures.of_round(key)
            yield from _wrong_cases(
                failures.path, key, listed_failures, _statuses_by_case(result, names)
            )
            yield from _excess_texts(failures.path, key, listed_failures, Counter(names))


def _listed_cases(key: RoundKey, tasks: Mapping[str, Task]) -> list[str]:
    """Return the cases that the task lists for a round; empty if it lists none."""
    task_id, _, number, _ = key
    task = tasks.get(task_id)
    if task is None:
        return []
    for task_round in task.rounds:
        if task_round.n == number:
            return [case.id for case in task_round.cases or ()]
    return []


def _statuses_by_case(
    result: RoundResult, names: Sequence[str]
) -> dict[str, set[CaseStatus] | None]:
    """Return the possible statuses of the cases with each name; None if they are not stated."""
    if not result.outcomes or len(result.outcomes) != len(names):
        return dict.fromkeys(names)
    statuses: dict[str, set[CaseStatus] | None] = {}
    for name, letter in zip(names, result.outcomes, strict=True):
        statuses[name] = (statuses.get(name) or set()) | {OUTCOME_STATUS[letter]}
    return statuses


def _wrong_cases(
    path: Path,
    key: RoundKey,
    listed_failures: Iterable[ListedFailure],
    statuses_by_case: Mapping[str, AbstractSet[CaseStatus] | None],
) -> Iterator[Problem]:
    """Yield failures of cases that the round does not have, or that ended differently."""
    for line, _, failure in listed_failures:
        if failure.case not in statuses_by_case:
            fact = f"{round_key_name(key)} has no case `{failure.case}`"
            yield FAILURE_CASE_UNKNOWN.broken(path, line, fact)
            continue
        statuses = statuses_by_case[failure.case]
        if statuses is not None and failure.status not in statuses:
            fact = (
                f"case {failure.case} of {round_key_name(key)} is listed as {failure.status}, "
                f"but `outcomes` says {' or '.join(sorted(statuses))}"
            )
            yield FAILURE_CONTRADICTED.broken(path, line, fact)


def _excess_texts(
    path: Path,
    key: RoundKey,
    listed_failures: Iterable[ListedFailure],
    case_counts: Mapping[str, int],
) -> Iterator[Problem]:
    """Yield problems of cases with more distinct texts than the round has cases of that name."""
    lines_by_failure: dict[str, dict[Failure, int]] = defaultdict(dict)
    for line, _, failure in listed_failures:
        lines = lines_by_failure[failure.case]
        if failure not in lines and len(lines) == case_counts.get(failure.case):
            first_line = min(lines.values())
            fact = (
                f"case {failure.case} of {round_key_name(key)} "
                f"is already listed in line {first_line}, with other texts"
            )
            yield FAILURE_TWICE.broken(path, line, fact)
        lines.setdefault(failure, line)
