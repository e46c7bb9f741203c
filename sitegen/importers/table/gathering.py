"""Sorts the rows of a table by agent, and finds the rounds that it does not tell of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.importers.kit.report import Doubt
from sitegen.importers.table import rules
from sitegen.importers.table.faults import Faults
from sitegen.importers.table.records import Row
from sitegen.models.benchmark import Protocol
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.submission import Agent
from sitegen.problems import Problem, Rule, counted

MOST_ROUNDS = 300_000
"""Rounds that are filled in at all."""

_SHOWN = 5
"""Runs named of those that a problem concerns."""


class Run(NamedTuple):
    """One attempt at one task, from one of the states that rounds start from."""

    task: str
    attempt: int
    start: Start


@dataclass(frozen=True, slots=True)
class Group:
    """The rows about one agent."""

    agent: Agent
    runs: Mapping[Run, Mapping[int, Row]]
    """Rows by round."""

    @property
    def attempts(self) -> int:
        """The largest number of an attempt."""
        return max(run.attempt for run in self.runs)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return sum(map(len, self.runs.values()))

    @property
    def rows(self) -> Iterator[Row]:
        """Every row."""
        for rounds in self.runs.values():
            yield from rounds.values()


@dataclass(frozen=True, slots=True)
class _Gap:
    """Rounds that a table does not tell of."""

    rule: Rule
    run: Run
    rounds: Sequence[int]

    def __str__(self) -> str:
        where = f"attempt {self.run.attempt}" if self.run.start == "own" else "from the reference state"
        if self.rule in {rules.RUN_MISSING, rules.RUN_UNREACHED}:
            return f"{self.run.task} ({where})"
        return f"{self.run.task} {', '.join(map(str, self.rounds))} ({where})"


@dataclass(frozen=True, slots=True)
class Grid:
    """The rounds that a table is expected to tell of.

    Attributes:
        lengths: Rounds by task, in the order of the table: as many as are known, or as the run that got furthest has.
        has_reference: Whether rounds were also run from the reference state.
        protocol: How rounds follow each other.
        allow_missing: Whether a run without a row is taken for one that never began.
    """

    lengths: Mapping[str, int]
    has_reference: bool
    protocol: Protocol
    allow_missing: bool

    @classmethod
    def of(
        cls, groups: Sequence[Group], protocol: Protocol, known: Mapping[str, int], *, allow_missing: bool = False
    ) -> "Grid":
        """Make the grid of all rows together, and of the rounds that tasks are known to have."""
        results = [row.result for group in groups for row in group.rows]
        lengths: dict[str, int] = {}
        for result in results:
            lengths[result.task] = max(result.round, lengths.get(result.task, known.get(result.task, 0)))
        return cls(lengths, any(result.start == "reference" for result in results), protocol, allow_missing)

    def size_problems(self, groups: Sequence[Group], faults: Faults) -> Iterator[Problem]:
        """Say whether a few rows ask for more rounds than can be filled in: one with a high number is enough."""
        expected = sum(self.lengths.values()) * sum(group.attempts for group in groups)
        if expected > MOST_ROUNDS:
            what = f"all rounds of all attempts would be {expected:,}, and at most {MOST_ROUNDS:,} are read"
            yield rules.LARGE.broken(faults.path, None, what)

    def results(self, group: Group) -> Iterator[RoundResult]:
        """Give every expected round of an agent; one that the table does not tell of is unreached."""
        for run, number in self._spots(group):
            row = group.runs.get(run, {}).get(number)
            yield row.result if row else RoundResult(*run[:2], number, "unreached", 0, 0, 0, start=run.start)

    def problems(self, groups: Sequence[Group], faults: Faults) -> Iterator[Problem]:
        """Say which rounds of each agent the table does not tell of."""
        for group in groups:
            yield from self._problems(group, faults)

    def _problems(self, group: Group, faults: Faults) -> Iterator[Problem]:
        """Say which rounds of an agent the table does not tell of, once for each kind."""
        words = {
            rules.RUN_MISSING: "no row tells of {}",
            rules.RUN_UNREACHED: "no row tells of {}: recorded as unreached",
            rules.ROUND_MISSING: "no row tells of {}, though rows tell of other rounds",
            rules.ROUNDS_UNREACHED: "no row tells of {}: recorded as unreached",
        }
        for rule, named in self.doubts(group):
            yield rule.broken(faults.path, None, f"{group.agent.name}: {words[rule].format(named)}")

    def doubts(self, group: Group) -> Iterator[Doubt]:
        """Say which rounds of an agent the table does not tell of: each rule with the places where it is broken."""
        found = list(self._gaps(group))
        for rule in (rules.RUN_MISSING, rules.RUN_UNREACHED, rules.ROUND_MISSING, rules.ROUNDS_UNREACHED):
            gaps = [gap for gap in found if gap.rule is rule]
            if gaps:
                more = f" and {counted(len(gaps) - _SHOWN, 'more run')}" if len(gaps) > _SHOWN else ""
                yield rule, "; ".join(map(str, gaps[:_SHOWN])) + more

    def _runs(self, group: Group) -> Iterator[Run]:
        for task in self.lengths:
            yield from (Run(task, attempt, "own") for attempt in range(1, group.attempts + 1))
            if self.has_reference:
                yield Run(task, 1, "reference")

    def _spots(self, group: Group) -> Iterator[tuple[Run, int]]:
        for run in self._runs(group):
            yield from ((run, number) for number in range(1, self.lengths[run.task] + 1))

    def _gaps(self, group: Group) -> Iterator[_Gap]:
        for run in self._runs(group):
            told = group.runs.get(run, {})
            lacking = [number for number in range(1, self.lengths[run.task] + 1) if number not in told]
            if not told:
                yield _Gap(rules.RUN_UNREACHED if self.allow_missing else rules.RUN_MISSING, run, lacking)
            elif lacking:
                yield from self._gaps_in(run, lacking, max(told))

    def _gaps_in(self, run: Run, lacking: Sequence[int], last: int) -> Iterator[_Gap]:
        """Tell the rounds that a run did not get to from those that were lost.

        Args:
            run: The run.
            lacking: Rounds without a row.
            last: The last round with one.
        """
        # Targets, and rounds from the reference state, do not hang together: none of them ends a run.
        hangs_together = self.protocol != "once" and run.start == "own"
        ends = [number for number in lacking if hangs_together and number > last]
        holes = lacking[: len(lacking) - len(ends)]
        if holes:
            yield _Gap(rules.ROUND_MISSING, run, holes)
        if ends:
            yield _Gap(rules.ROUNDS_UNREACHED, run, ends)
