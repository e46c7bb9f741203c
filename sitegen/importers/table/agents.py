"""Find the agents of a table: rows with the same description belong to the same agent."""

import re
from dataclasses import dataclass, field

from sitegen.importers.kit.agents import AgentNames, RankedAgent, is_asked_for
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.table import rules
from sitegen.importers.table.cells import CellReader
from sitegen.importers.table.columns import AgentDescription

_FACTS = ("organization", "model", "scaffold_version")
"""Facts about an agent that do not distinguish it from other agents."""

_FACTS_OF_NAMES = frozenset({"organization", "model"})
"""Facts that are the same for all agents with the same name."""

_PUNCTUATION = re.compile(r"[\W_]+")


@dataclass(slots=True)
class TableAgents:
    """The agents of a table, numbered in the order of their first rows."""

    options: ImportOptions
    entrants: list[RankedAgent] = field(default_factory=list)
    facts: list[dict[str, object]] = field(default_factory=list)
    """Further fields of `Agent`, for each agent."""
    models: set[str] = field(default_factory=set)
    """All names that could select an agent."""
    skipped_rows: int = 0
    """The number of rows of agents that were not requested."""
    _first_facts: dict[tuple[str, str], str] = field(default_factory=dict)
    """The first value of each fact, keyed by the agent or its name, and by the fact."""
    _numbers: dict[tuple[str | None, ...], int | None] = field(default_factory=dict)
    """The agent's number by description; None for an agent that was not requested."""
    _roster: AgentNames = field(init=False)

    def __post_init__(self) -> None:
        self._roster = AgentNames.of((), {}, self.options.aliases)

    def number_of(
        self, values: tuple[str | None, ...], line: int, reader: CellReader
    ) -> int | None:
        """Return the number of the described agent; None if the agent was not requested.

        Args:
            values: The values of a row, in the order of `AGENT_MEANINGS`.
            line: The line of the row.
            reader: Receives the faults of the row.
        """
        if values in self._numbers:
            return self._numbers[values]
        number = None
        description = AgentDescription(*values)
        self.models.update(description.models)
        if not description.models and not self.options.agent:
            message = "neither the row nor `--agent` names the agent"
            reader.add_fault(rules.AGENT_MISSING, line, message, "")
        elif is_asked_for(description.models, self.options):
            number = self._add(description, line, reader)
        self._numbers[values] = number
        return number

    def _add(self, description: AgentDescription, line: int, reader: CellReader) -> int:
        """Return the number of an agent, and compare its facts with those of earlier rows."""
        names = (*description.models, self.options.agent or "")
        entrant = RankedAgent(
            self._roster.one_name(names[0]),
            description.scaffold or "",
            description.reasoning or "",
            description.provider or "",
        )
        if entrant not in self.entrants:
            self.entrants.append(entrant)
            self.facts.append({})
        number = self.entrants.index(entrant)
        for fact in _FACTS:
            value = getattr(description, fact)
            if value is None:
                continue
            # A name means one model of one organization, whatever the agent's settings are.
            bearer = entrant.name if fact in _FACTS_OF_NAMES else str(entrant)
            first_value = self._first_facts.setdefault((bearer, fact), value)
            self.facts[number].setdefault(fact, first_value)
            if _fold_name(first_value) != _fold_name(value):
                values = f"{value!r} here, but {first_value!r} above"
                rule = rules.AGENT_DIFFERS if fact == "model" else rules.FACT_DIFFERS
                reader.add_fault(rule, line, f"`{fact}` of {entrant.name} is {values}", fact)
        return number


def _fold_name(name: str) -> str:
    """Return a name for comparison: in lower case, without punctuation and a model's provider."""
    return _PUNCTUATION.sub("", name.rpartition("/")[2].casefold())
