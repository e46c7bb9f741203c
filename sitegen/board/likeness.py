"""Submissions more alike than independent runs would be: hints for a closer look, not verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from math import log10
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from sitegen.board.agents import is_same_agent
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.likeness import (
    Closeness,
    OutcomeTable,
    close_pairs,
    equal_lines,
    outcome_table,
    surprise,
)
from sitegen.models.outcome import RoundKey, RoundResult
from sitegen.models.results import Bundle
from sitegen.models.revisions import revises
from sitegen.models.submission import Agent
from sitegen.problems import Problem, Rule, counted

RECORDS_EQUAL = Rule.warning(
    "RECORDS-EQUAL",
    "Two submissions contain the same records.",
    "find out which runs the records come from; withdraw the copy, or record the result in "
    "`findings.toml`",
)
OUTCOMES_EQUAL = Rule.warning(
    "OUTCOMES-EQUAL",
    "Two submissions have the same outcome in every round, which chance does not explain.",
    "read the transcripts of both; withdraw a copy, or record the result in `findings.toml`",
)
OUTCOMES_CLOSE = Rule.warning(
    "OUTCOMES-CLOSE",
    "Two agents pass the same share of cases in far more rounds than other pairs on the board.",
    "read the transcripts of both: possible reasons are the same model under two names, a "
    "copy, and cases that depend on each other",
)

_ROUNDS = "rounds.jsonl"

_Records: TypeAlias = Mapping[RoundKey, RoundResult]
"""The rounds of a submission by task, attempt, number and start."""

_MIN_BITS_OF_RECORDS, _MIN_BITS_OF_OUTCOMES = 15.0, 30.0
"""Minimum surprise in bits: 1 in 33 thousand for equal records, 1 in a billion for outcomes."""

_MAX_DIGITS = 12
"""Digits of the smallest chance stated (10^-12); rounds are less independent than assumed."""

_MIN_EFFORTS = 3
"""Minimum number of distinct effort figures that show that equal records are from one run."""

_MIN_SHARED_ROUNDS = 12
"""The minimum number of rounds that two close submissions both pass in part."""

_MIN_EXCESS = 0.5
"""The minimum excess of a pair's agreement: 0 is the usual agreement, 1 is constant agreement."""

_MIN_DISTANCE = 6.0
"""The minimum distance of a pair from the board's usual pair, in robust standard deviations."""

_MIN_PAIRS = 10
"""The minimum number of pairs of the board that define the usual pair."""

_REPLACES = "withdraw one of the two, or name the replacement in `[status]` of the earlier one"


def likeness_problems(board: Board) -> Iterator[Problem]:
    """Yield a problem for each submission that repeats, or is too close to, another submission.

    The problem is reported on the later submission, or on both if their order is not known, and
    only the strongest reason is given. An agent's submissions to several tracks are not compared:
    a benchmark may show the same runs on several tracks.
    """
    entries = {}
    for entry in board.all_entries:
        if entry.submission_results:
            entries[entry.id] = entry
    rows = [entries[submission_id] for submission_id in board.results.arrivals.sorted(entries)]
    all_results = [entry.submission_results for entry in rows if entry.submission_results]
    search = _Search(
        board, rows, outcome_table(all_results, board.tasks.tasks, board.track.attempts)
    )
    problems: dict[int, Problem] = {}
    for line, problem in chain(search.equal(), search.on_other_tracks(), search.close()):
        problems.setdefault(line, problem)
    yield from problems.values()


@dataclass(frozen=True, slots=True)
class _Search:
    """A board's submissions, compared in pairs.

    Each search yields problems, each with the line of its submission in the table.
    """

    board: Board
    entries: Sequence[Entry]
    """The submissions with results, the earliest first if their order is known."""
    table: OutcomeTable
    """The outcomes of their rounds, one line per submission."""

    def equal(self) -> Iterator[tuple[int, Problem]]:
        """Yield submissions with the same outcomes in all rounds as another submission."""
        for lines in equal_lines(self.table):
            bits = surprise(self.table, lines)
            records = {}
            for line in lines:
                records[line] = self._records(line)
            for earlier, later in permutations(lines, 2):
                if self._is_excused(earlier, later) or self._came_first(later, earlier):
                    continue
                problem = None
                bundle = self.entries[earlier].bundle
                if bundle and records[earlier] == records[later]:
                    problem = self._copied(bundle, self.entries[later], bits)
                if problem is None and bits >= _MIN_BITS_OF_OUTCOMES:
                    problem = self._ending_alike(earlier, later, records, bits)
                if problem:
                    yield later, problem

    def _records(self, line: int) -> _Records:
        bundle = self.entries[line].bundle
        if not bundle:
            return {}
        return {result.place: result for result in bundle.rounds}

    def _ending_alike(
        self, earlier: int, later: int, records: Mapping[int, _Records], bits: float
    ) -> Problem | None:
        """Return the problem of two submissions with equal outcomes; None if a round differs."""
        if not _end_alike(records[earlier], records[later]):
            return None
        entry = self.entries[earlier]
        rounds = counted(len(records[later]), "round")
        message = (
            f"all {rounds} have the same outcome as in {self._name(entry.id, entry.agent)}, "
            f"{_chance(bits)}"
        )
        return self._problem(OUTCOMES_EQUAL, message, entry.id, entry.agent, self.entries[later])

    def on_other_tracks(self) -> Iterator[tuple[int, Problem]]:
        """Yield the submissions whose records another agent submitted to another track."""
        results = self.board.results
        track = self.board.track.id
        other_bundles = []
        for bundle in results.bundles:
            if bundle.submission.track != track:
                other_bundles.append(bundle)
        for line, entry in enumerate(self.entries):
            for bundle in other_bundles:
                if entry.bundle is None or bundle.rounds != entry.bundle.rounds:
                    continue
                if self._is_same_agent(bundle.submission.agent, entry.agent):
                    continue
                if results.arrivals.is_before(entry.id, bundle.id):
                    continue
                problem = self._copied(bundle, entry, surprise(self.table, [line]))
                if problem:
                    yield line, problem

    def close(self) -> Iterator[tuple[int, Problem]]:
        """Yield submissions that agree with another agent's far more often than usual."""
        pairs = close_pairs(self.table, _MIN_SHARED_ROUNDS, _MIN_EXCESS)
        for pair in sorted(pairs, key=attrgetter("excess"), reverse=True):
            if pair.distance < _MIN_DISTANCE or pair.pairs < _MIN_PAIRS:
                continue
            if _have_same_model(self.entries[pair.first].agent, self.entries[pair.second].agent):
                continue
            for earlier_line, later_line in permutations((pair.first, pair.second)):
                earlier = self.entries[earlier_line]
                later = self.entries[later_line]
                if self._came_first(later_line, earlier_line) or _is_revision(later, earlier):
                    continue
                name = self._name(earlier.id, earlier.agent)
                message = f"{_closeness_words(pair)}: {name}{self._remark(later, earlier.id)}"
                yield later_line, OUTCOMES_CLOSE.broken(_rounds_path(later), None, message)

    def _copied(self, earlier: Bundle, later: Entry, bits: float) -> Problem | None:
        """Return the problem of two submissions with equal records; None if it may be chance."""
        has_efforts = _different_efforts(earlier) >= _MIN_EFFORTS
        if not has_efforts and bits < _MIN_BITS_OF_RECORDS:
            return None
        agent = earlier.submission.agent
        why = _chance(bits)
        if has_efforts:
            why = "times and tokens included"
        equal = ""
        if self._remark(later, earlier.id):
            equal = "equal to "
        records = counted(len(earlier.rounds), "record")
        message = f"all {records} are {equal}those of {self._name(earlier.id, agent)}, {why}"
        return self._problem(RECORDS_EQUAL, message, earlier.id, agent, later)

    def _problem(
        self, rule: Rule, message: str, earlier: str, earlier_agent: Agent, later: Entry
    ) -> Problem:
        """Return a problem of the later of two submissions."""
        has_same_agent = self._is_same_agent(earlier_agent, later.agent)
        if has_same_agent:
            message += ", of the same agent"
        message += self._remark(later, earlier)
        fix = None
        if has_same_agent:
            fix = _REPLACES
        return rule.broken(_rounds_path(later), None, message, fix)

    def _came_first(self, line: int, other_line: int) -> bool:
        submission_id = self.entries[line].id
        return self.board.results.arrivals.is_before(submission_id, self.entries[other_line].id)

    def _remark(self, entry: Entry, other_id: str) -> str:
        return self.board.results.arrivals.remark(entry.id, other_id)

    def _name(self, submission: str, agent: Agent) -> str:
        return f"{submission} ({self.board.benchmark.agent_name(agent.name)})"

    def _is_same_agent(self, first: Agent, second: Agent) -> bool:
        return is_same_agent(first, second, self.board.benchmark.agent_name)

    def _is_excused(self, first_line: int, second_line: int) -> bool:
        """Return whether two submissions may legitimately have the same outcomes.

        They may if one revises the other, or if both come from the same agent and one is not
        published or is a rerun of the other.
        """
        first = self.entries[first_line]
        second = self.entries[second_line]
        if _is_revision(first, second) or _is_revision(second, first):
            return True
        if not self._is_same_agent(first.agent, second.agent):
            return False
        if not (first.is_published and second.is_published):
            return True
        submission_ids = {first.id, second.id}
        findings = self.board.results.findings
        reruns = []
        for finding in findings:
            if finding.rerun in submission_ids:
                reruns.append(finding)
        return any(not submission_ids.isdisjoint(finding.submissions) for finding in reruns)


def _is_revision(entry: Entry, earlier: Entry) -> bool:
    return entry.bundle is not None and revises(entry.bundle, earlier.id)


def _rounds_path(entry: Entry) -> Path:
    if not entry.bundle:
        return Path()
    return entry.bundle.path / _ROUNDS


def _have_same_model(agent: Agent, second_agent: Agent) -> bool:
    """Return whether two agents share a name or a model, and are thus likely to be alike.

    Other settings are ignored: the same model passes similar rounds with a different scaffold.
    """
    if agent.name == second_agent.name:
        return True
    return agent.model is not None and agent.model == second_agent.model


def _closeness_words(pair: Closeness) -> str:
    """Return a clause on how often two submissions agree, compared with the board's pairs."""
    pairs = counted(pair.pairs, "pair")
    return (
        f"both pass the same share of cases in {pair.same} of the "
        f"{counted(pair.shared, 'round')} that both pass in part; the board's {pairs} suggest "
        f"{pair.expected:.1f}, so this is {pair.distance:.0f} robust standard deviations above "
        "the usual pair"
    )


def _different_efforts(bundle: Bundle) -> int:
    """Return how many distinct combinations of effort figures a submission's rounds have.

    No two runs share many combinations. Figures of 0 are ignored.
    """
    fields = attrgetter("input_tokens", "output_tokens", "cost_usd", "agent_seconds")
    efforts = set()
    for result in bundle.rounds:
        figures = fields(result)
        if any(figures):
            efforts.add(tuple(figure or None for figure in figures))
    return len(efforts)


def _chance(bits: float) -> str:
    digits = min(int(bits * log10(2)), _MAX_DIGITS)
    return (
        f"which another submission here would repeat by chance less than once in 10^{digits} times"
    )


def _end_alike(first: _Records, second: _Records) -> bool:
    """Return whether two submissions have the same rounds, and every round ended the same way."""
    if first.keys() != second.keys():
        return False
    return all(_ends_alike(result, second[record_key]) for record_key, result in first.items())


def _ends_alike(first: RoundResult, second: RoundResult) -> bool:
    ending = attrgetter("state", "solved", "passed", "total")
    if ending(first) != ending(second):
        return False
    if first.outcomes is None or second.outcomes is None:
        return True
    return first.outcomes == second.outcomes
