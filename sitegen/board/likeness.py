"""Submissions of a board that are more alike than two runs are: a hint to look, and never more than that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from math import log10
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from sitegen.board.board import Board
from sitegen.board.claims import same_agent
from sitegen.board.entry import Entry
from sitegen.metrics.likeness import OutcomeTable, close_pairs, equal_lines, outcome_table, surprise
from sitegen.models.outcome import Place, RoundResult
from sitegen.models.results import Bundle
from sitegen.models.submission import Agent
from sitegen.problems import Problem, Rule, agreeing, counted

RECORDS_EQUAL = Rule.warning(
    "RECORDS-EQUAL",
    "Two submissions do not hold the same records.",
    "look which runs the records come from; withdraw a copy, or record in `findings.toml` what you found",
)
OUTCOMES_EQUAL = Rule.warning(
    "OUTCOMES-EQUAL",
    "Two submissions do not end alike in every round, but where there is little that could differ.",
    "look at the transcripts of both; withdraw a copy, or record in `findings.toml` what you found",
)
OUTCOMES_CLOSE = Rule.warning(
    "OUTCOMES-CLOSE",
    "Two agents do not pass the same share of cases in far more rounds than others on their board.",
    "look at the transcripts of both: a model with two names, a copy, and cases that depend on each other look alike",
)

_ROUNDS = "rounds.jsonl"

_Records: TypeAlias = Mapping[Place, RoundResult]
"""Rounds of a submission by what they are about."""

_EQUAL_RECORDS, _EQUAL_OUTCOMES = 15.0, 30.0
"""So many bits must speak against chance: one in 33 thousand where whole records are equal, one in a billion where
only the outcomes are."""

_DIGITS = 12
"""So small a chance is told, and none smaller: rounds are not as independent as its computation takes them."""

_MEASURED = 3
"""Equal records with so many different figures of effort come from one run, however few rounds there are."""

_SHARED, _EXCESS, _DISTANCE, _PAIRS = 12, 0.5, 6.0, 10
"""Close are two that share so many rounds passed in part, agree half-way between what is usual and always, and lie so
many robust standard deviations above the board's pairs, of which there are enough."""

_REPLACES = "withdraw one of the two, or let `[status]` of the earlier one name what replaces it"


def likeness_problems(board: Board) -> Iterator[Problem]:
    """Say which submissions hold the same records as another one, end alike, or are suspiciously close.

    Each is told of the later one, or of both where nobody knows which that is, and only its strongest reason. An
    agent's submissions to several tracks are not compared: a benchmark may show the same runs on each.
    """
    known = {entry.id: entry for entry in board.all_entries if entry.sheet}
    rows = [known[name] for name in board.results.arrivals.sorted(known)]
    sheets = [entry.sheet for entry in rows if entry.sheet]
    search = _Search(board, rows, outcome_table(sheets, board.tasks.tasks, board.track.attempts))
    told: dict[int, Problem] = {}
    for number, problem in chain(search.equal(), search.elsewhere(), search.close()):
        told.setdefault(number, problem)
    yield from told.values()


@dataclass(frozen=True, slots=True)
class _Search:
    """A board's submissions, to be compared two by two."""

    board: Board
    entries: Sequence[Entry]
    """Its submissions with results, the earliest first as far as that is known."""
    table: OutcomeTable
    """How their rounds ended, a line for each."""

    def equal(self) -> Iterator[tuple[int, Problem]]:
        """Those whose rounds all end as in another one."""
        for group in equal_lines(self.table):
            bits = surprise(self.table, group)
            bundles = {
                number: bundle for number in group if (bundle := self.entries[number].bundle)
            }
            efforts = {number: _efforts(bundle) for number, bundle in bundles.items()}
            records: dict[int, _Records] = {
                number: {each.place: each for each in bundle.rounds}
                for number, bundle in bundles.items()
            }
            for number, other in permutations(group, 2):
                first, second = self.entries[number], self.entries[other]
                if self._is_excused(first, second) or self._came_first(other, number):
                    continue
                ours, theirs = records[number], records[other]
                problem = (
                    self._copied(bundles[number], efforts[number], second, bits)
                    if ours == theirs
                    else None
                )
                if problem is None and bits >= _EQUAL_OUTCOMES and _end_alike(ours, theirs):
                    what = f"all {counted(len(theirs), 'round')} end as in {self._name(first.id, first.agent)}"
                    told = f"{what}, {_chance(bits)}"
                    problem = self._told(OUTCOMES_EQUAL, told, (first.id, first.agent), second)
                if problem:
                    yield other, problem

    def elsewhere(self) -> Iterator[tuple[int, Problem]]:
        """Those whose records stand in a submission of another agent to another track."""
        others = [
            each
            for each in self.board.results.bundles
            if each.submission.track != self.board.track.id
        ]
        for number, entry in enumerate(self.entries):
            for other in others:
                if entry.bundle is None or other.rounds != entry.bundle.rounds:
                    continue
                if self.board.results.arrivals.is_before(entry.id, other.id):
                    continue
                problem = self._copied(
                    other, _efforts(other), entry, surprise(self.table, [number])
                )
                if problem and not self._is_one_agent(other.submission.agent, entry.agent):
                    yield number, problem

    def close(self) -> Iterator[tuple[int, Problem]]:
        """Those that agree with another agent's far more often than others do."""
        found = close_pairs(self.table, _SHARED, _EXCESS)
        for pair in sorted(found, key=lambda each: each.excess, reverse=True):
            agent, other = self.entries[pair.first].agent, self.entries[pair.second].agent
            are_kin = agent.name == other.name or (
                agent.model is not None and agent.model == other.model
            )
            if (
                pair.distance < _DISTANCE or pair.pairs < _PAIRS or are_kin
            ):  # one name or one model may well be alike
                continue
            closeness = (
                f"of {counted(pair.shared, 'round')} that both pass in part, {pair.same} "
                f"{agreeing(pair.same, 'has', 'have')} the same share of cases passed, "
                f"{pair.expected:.1f} expected from the board's {counted(pair.pairs, 'pair')}, "
                f"{pair.distance:.0f} robust standard deviations above the usual pair"
            )
            for one, number in permutations((pair.first, pair.second)):
                first, second = self.entries[one], self.entries[number]
                if not self._came_first(number, one):
                    what = f"{closeness}: {self._name(first.id, first.agent)}{self._remark(second, first.id)}"
                    yield number, OUTCOMES_CLOSE.broken(_place(second), None, what)

    def _copied(self, first: Bundle, measured: int, second: Entry, bits: float) -> Problem | None:
        """Say that two submissions hold the same records; nothing where chance may have made them equal."""
        if measured < _MEASURED and bits < _EQUAL_RECORDS:
            return None
        agent = first.submission.agent
        why = "times and tokens included" if measured >= _MEASURED else _chance(bits)
        equal = "equal to " if self._remark(second, first.id) else ""
        records = counted(len(first.rounds), "record")
        what = f"all {records} are {equal}those of {self._name(first.id, agent)}, {why}"
        return self._told(RECORDS_EQUAL, what, (first.id, agent), second)

    def _told(self, rule: Rule, what: str, first: tuple[str, Agent], second: Entry) -> Problem:
        name, agent = first
        is_own = self._is_one_agent(agent, second.agent)
        told = f"{what}{', of the same agent' if is_own else ''}{self._remark(second, name)}"
        return rule.broken(_place(second), None, told, _REPLACES if is_own else None)

    def _came_first(self, one: int, other: int) -> bool:
        return self.board.results.arrivals.is_before(self.entries[one].id, self.entries[other].id)

    def _remark(self, entry: Entry, other: str) -> str:
        return self.board.results.arrivals.remark(entry.id, other)

    def _name(self, submission: str, agent: Agent) -> str:
        return f"{submission} ({self.board.benchmark.agent_name(agent.name)})"

    def _is_one_agent(self, first: Agent, second: Agent) -> bool:
        return same_agent(first, second, self.board.benchmark.agent_name)

    def _is_excused(self, first: Entry, second: Entry) -> bool:
        """Whether there is a reason for one agent's two submissions: one does not stand, or a rerun bears it out."""
        stands = first.is_ranked and second.is_ranked
        names = {first.id, second.id}
        is_rerun = any(
            each.rerun in names and not names.isdisjoint(each.submissions)
            for each in self.board.results.findings
        )
        return self._is_one_agent(first.agent, second.agent) and (not stands or is_rerun)


def _place(entry: Entry) -> Path:
    return entry.bundle.path / _ROUNDS if entry.bundle else Path()


def _efforts(bundle: Bundle) -> int:
    """How many different figures of effort a submission has, which no two runs share; 0 is none."""
    figures = attrgetter("input_tokens", "output_tokens", "cost_usd", "agent_seconds")
    efforts = {tuple(each or None for each in figures(result)) for result in bundle.rounds}
    return len(efforts - {(None, None, None, None)})


def _chance(bits: float) -> str:
    digits = min(int(bits * log10(2)), _DIGITS)
    return (
        f"which another submission here would repeat by chance less than once in 10^{digits} times"
    )


def _end_alike(ours: _Records, theirs: _Records) -> bool:
    """Whether all rounds of two submissions end alike as far as both tell, those from the reference state included."""
    if ours.keys() != theirs.keys():
        return False
    ending = attrgetter("state", "solved", "passed", "total")
    pairs = [(ours[key], theirs[key]) for key in ours]
    return all(
        ending(one) == ending(other)
        and (None in (one.outcomes, other.outcomes) or one.outcomes == other.outcomes)
        for one, other in pairs
    )
