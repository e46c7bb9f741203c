"""Sorts the rows of a table by the agent that they are about."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sitegen.importers.kit.agents import Roster
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.table import rules
from sitegen.importers.table.faults import Faults
from sitegen.importers.table.gathering import Group, Run
from sitegen.importers.table.records import Beside, Row
from sitegen.models.submission import Agent
from sitegen.problems import UsageError

Identity = tuple[str, str | None, str | None]
"""Name, scaffold and reasoning setting."""

_FACTS = ("organization", "model", "scaffold_version")
"""What else rows tell of an agent."""


@dataclass(slots=True)
class Sorter:
    """Sorts the rows of a table by the agent that they are about.

    Attributes:
        options: What the importing person says of the agents, and which model to take.
        faults: Takes what is wrong with the rows.
        left_out: Rows about other models than the one to take.
    """

    options: ImportOptions
    faults: Faults
    left_out: int = 0
    _agents: dict[Identity, dict[str, str]] = field(default_factory=dict)
    _runs: dict[Identity, dict[Run, dict[int, Row]]] = field(default_factory=dict)
    _models: set[str] = field(default_factory=set)

    def groups(self, rows: Iterable[Row]) -> list[Group]:
        """Give the agents with their rows, in the order of the table.

        Raises:
            UsageError: No row is of the model that is to be taken, or one name is given to several agents.
        """
        for row in rows:
            self._sort(row)
        self._require_a_choice()
        return [Group(self._agent(identity), runs) for identity, runs in self._runs.items()]

    def _require_a_choice(self) -> None:
        known = ", ".join(sorted(self._models)) or "none that the table names"
        if self.left_out and not self._runs:
            raise UsageError(f"the table has no rows of model {self.options.model}; there are: {known}")
        if self.options.agent and len({name for name, _, _ in self._runs}) > 1:
            raise UsageError(f"--agent names one agent, and there are several: choose one with --model: {known}")

    def _sort(self, row: Row) -> None:
        beside = row.beside
        self._models |= set(beside.models)
        name = next(filter(None, (*beside.models, self.options.agent)), None)
        if name is None:
            self.faults.add(rules.AGENT_MISSING, "", row.line, "neither the row nor `--agent` names the agent")
        elif self._is_wanted(beside):
            self._add(row, (self._one_name(name), beside.scaffold, beside.reasoning))
        else:
            self.left_out += 1

    def _is_wanted(self, beside: Beside) -> bool:
        wanted = self.options.model
        if wanted is None:
            return True
        names = (*beside.models, *map(self._one_name, beside.models))
        return wanted.casefold() in map(str.casefold, names)

    def _one_name(self, spelling: str) -> str:
        return Roster.of((), {}, self.options.aliases).one_name(spelling)

    def _add(self, row: Row, identity: Identity) -> None:
        self._learn(row, identity)
        result = row.result
        rounds = self._runs.setdefault(identity, {}).setdefault(Run(result.task, result.attempt, result.start), {})
        known = rounds.setdefault(result.round, row)
        if known is not row:
            what = (
                f"round {result.round} of {result.task}, attempt {result.attempt}, stands in line {known.line} already"
            )
            self.faults.add(rules.ROW_TWICE, "", row.line, what)

    def _learn(self, row: Row, identity: Identity) -> None:
        """Keep what a row tells of its agent."""
        facts = self._agents.setdefault(identity, {})
        for fact in _FACTS:
            value = getattr(row.beside, fact)
            if value is not None and facts.setdefault(fact, value) != value:
                what = f"`{fact}` of {identity[0]} is {value!r} here, and {facts[fact]!r} above"
                self.faults.add(rules.AGENT_DIFFERS, fact, row.line, what)

    def _agent(self, identity: Identity) -> Agent:
        name, scaffold, reasoning = identity
        facts, options = self._agents[identity], self.options
        model = facts.get("model") or (name if options.agent not in {None, name} else None)
        named = options.agent or name
        return Agent(
            name=named,
            organization=options.organization or facts.get("organization"),
            model=model if model != named else None,
            scaffold=scaffold,
            scaffold_version=facts.get("scaffold_version"),
            reasoning=options.reasoning or reasoning,
        )
