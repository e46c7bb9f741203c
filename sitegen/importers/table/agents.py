"""Who ran, as the rows of a table say."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from sitegen.importers.kit.agents import Entrant, Roster, is_asked_for
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.table import rules
from sitegen.importers.table.cells import CellReader
from sitegen.importers.table.columns import OF_AGENTS

_FACTS = ("organization", "model", "scaffold_version")
"""What is known of an agent beside what tells it from others."""

_OF_NAMES = frozenset({"organization", "model"})
"""Those of them that are the same for all agents of one name."""

_SIGNS = re.compile(r"[\W_]+")


class Description(NamedTuple):
    """What a row says about its agent, in the order of `OF_AGENTS`."""

    agent: str | None = None
    organization: str | None = None
    model: str | None = None
    provider: str | None = None
    scaffold: str | None = None
    scaffold_version: str | None = None
    reasoning: str | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """What the agent may be asked for by: its name, and that of its model."""
        return tuple(name for name in (self.agent, self.model) if name)


assert Description._fields == OF_AGENTS  # noqa: S101 - rows are read by this order


@dataclass(slots=True)
class TableAgents:
    """The agents of a table: rows that say the same are of one agent."""

    options: ImportOptions
    entrants: list[Entrant] = field(default_factory=list)
    facts: list[dict[str, object]] = field(default_factory=list)
    """What else is known of each agent, as `Agent` has it."""
    models: set[str] = field(default_factory=set)
    """Every name that one could be asked for by."""
    skipped_rows: int = 0
    """Rows of agents that are not asked for."""
    _known_facts: dict[tuple[str, str], str] = field(default_factory=dict)
    """What is known of each name or agent, by the fact."""
    _places: dict[tuple[str | None, ...], int | None] = field(default_factory=dict)
    """The place of the agent of each description; None for one that is not asked for."""
    _roster: Roster = field(init=False)

    def __post_init__(self) -> None:
        self._roster = Roster.of((), {}, self.options.aliases)

    def place(self, values: tuple[str | None, ...], line: int, reader: CellReader) -> int | None:
        """Return the place of the agent that is described; None where it is not asked for.

        Args:
            values: What a row says, in the order of `OF_AGENTS`.
            line: Where the row stands.
            reader: Takes what is wrong with the row.
        """
        if values in self._places:
            return self._places[values]
        place = None
        description = Description(*values)
        self.models.update(description.models)
        if not description.models and not self.options.agent:
            reader.add(
                rules.AGENT_MISSING, line, "neither the row nor `--agent` names the agent", ""
            )
        elif is_asked_for(description.models, self.options):
            place = self._add(description, line, reader)
        self._places[values] = place
        return place

    def _add(self, description: Description, line: int, reader: CellReader) -> int:
        """Return the place of an agent, and compare its facts with those of earlier rows."""
        names = (*description.models, self.options.agent or "")
        name = self._roster.one_name(names[0])
        provider = description.provider or ""
        entrant = Entrant(name, description.scaffold or "", description.reasoning or "", provider)
        if entrant not in self.entrants:
            self.entrants.append(entrant)
            self.facts.append({})
        place = self.entrants.index(entrant)
        for fact in _FACTS:
            value = getattr(description, fact)
            if value is None:
                continue
            # A name stands for one model of one organization, whatever its settings.
            bearer = (entrant.name, fact) if fact in _OF_NAMES else (str(entrant), fact)
            known = self._known_facts.setdefault(bearer, value)
            self.facts[place].setdefault(fact, known)
            if _folded(known) != _folded(value):
                message = f"`{fact}` of {entrant.name} is {value!r} here, and {known!r} above"
                rule = rules.AGENT_DIFFERS if fact == "model" else rules.FACT_DIFFERS
                reader.add(rule, line, message, fact)
        return place


def _folded(name: str) -> str:
    """Return a name without what does not matter: case, punctuation and a model's provider."""
    return _SIGNS.sub("", name.rpartition("/")[2].casefold())
