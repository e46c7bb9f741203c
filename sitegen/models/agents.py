"""Agents of all benchmarks, the records of `agents.toml`: names, spellings and facts of models."""

import re
from collections.abc import Iterator, Mapping
from datetime import date as Date  # noqa: N812 - a field is called date, as in other records
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from sitegen.models.addresses import WebAddress
from sitegen.models.names import EntrantName, Name
from sitegen.models.record import Record
from sitegen.models.submission import Agent, Parameters

_SEPARATORS = re.compile(r"[\s_-]+")
"""Characters between the words of a name, in which spellings of one name may differ."""

_FACT_KEYS: Mapping[str, str] = {
    "organization": "organization",
    "open_weights": "open_weights",
    "license": "model_license",
    "released": "model_released",
    "parameters_b": "parameters_b",
    "url": "url",
}
"""The corresponding key of `[agent]` in a manifest, by key of `agents.toml`."""


def spelling_key(name: str) -> str:
    """Return the form that is shared by all spellings that differ only in case and separators."""
    return _SEPARATORS.sub("-", name.casefold()).strip("-")


class ListedAgent(Record):
    """An agent with its spellings and the facts about its model.

    Facts that a manifest or a published table states take precedence over these facts.
    """

    name: EntrantName = Field(min_length=1)
    """The name that readers see on every board."""
    spellings: tuple[Annotated[str, Field(min_length=1), Name], ...] = ()
    """Other spellings in bundles and tables; spellings that differ only in case, spaces or hyphens
    need no entry."""
    organization: EntrantName | None = None
    """The organization that made the model."""
    open_weights: bool | None = None
    """Whether anyone can download the model's weights."""
    license: EntrantName | None = None
    """Licence of the weights."""
    released: Date | None = None
    """The day on which the model was released."""
    parameters_b: Parameters | None = None
    """Parameters of the model, in billions; for a mixture of experts, all of them."""
    url: WebAddress | None = None
    """The model's page."""
    source: str | None = None
    """The source of the facts."""

    @property
    def all_spellings(self) -> tuple[str, ...]:
        """The agent's name and its other spellings."""
        return (self.name, *self.spellings)


class AgentDirectory(Record):
    """The agents of all benchmarks: the content of `agents.toml`."""

    schema_version: Annotated[
        Literal[1],
        BeforeValidator(lambda value: value if type(value) is int else str(value)),
        Field(alias="schema"),
    ] = 1
    agents: tuple[ListedAgent, ...] = ()

    def find(self, spelling: str) -> ListedAgent | None:
        """Return the agent with a given spelling; None if there is none."""
        return self._agents_by_key.get(spelling_key(spelling))

    def agent_name(self, spelling: str) -> str:
        """Return the name of an agent; the spelling itself if no agent has it."""
        listed_agent = self.find(spelling)
        return listed_agent.name if listed_agent else spelling

    def complete(self, agent: Agent) -> Agent:
        """Return an agent under its own name, completed with facts that it does not state."""
        listed_agent = self.find(agent.name)
        if listed_agent is None:
            return agent
        facts = {}
        for key, agent_key in _FACT_KEYS.items():
            value = getattr(listed_agent, key)
            if value is not None and getattr(agent, agent_key) is None:
                facts[agent_key] = value
        return agent.model_copy(update=facts) if facts else agent

    def double_spellings(self) -> Iterator[tuple[int, str, ListedAgent]]:
        """Yield spellings that an earlier agent also has: position, spelling, and earlier agent."""
        owners: dict[str, tuple[int, ListedAgent]] = {}
        for position, agent in enumerate(self.agents):
            for spelling in agent.all_spellings:
                owner, earlier_agent = owners.setdefault(spelling_key(spelling), (position, agent))
                if owner != position:
                    yield position, spelling, earlier_agent

    @cached_property
    def _agents_by_key(self) -> dict[str, ListedAgent]:
        """The first agent with each spelling."""
        agents: dict[str, ListedAgent] = {}
        for agent in self.agents:
            for spelling in agent.all_spellings:
                agents.setdefault(spelling_key(spelling), agent)
        return agents


NO_AGENTS = AgentDirectory()
"""The directory of a results folder without `agents.toml`."""
