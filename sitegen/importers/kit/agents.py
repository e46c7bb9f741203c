"""Identify the agents of an import, and choose one name for each."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.models.submission import Agent
from sitegen.problems import UsageError, listed

T = TypeVar("T")

_MAX_NAME_LENGTH = 100

_MAKERS = {
    "anthropic": "Anthropic",
    "cohere": "Cohere",
    "dashscope": "Alibaba",
    "deepseek": "DeepSeek",
    "gemini": "Google",
    "google": "Google",
    "minimax": "MiniMax",
    "mistral": "Mistral AI",
    "mistralai": "Mistral AI",
    "moonshot": "Moonshot AI",
    "moonshotai": "Moonshot AI",
    "openai": "OpenAI",
    "qwen": "Alibaba",
    "x-ai": "xAI",
    "xai": "xAI",
    "z-ai": "Z.ai",
    "zai": "Z.ai",
}
"""Companies that make models, by the provider prefix of a model's name."""

_OPENAI_MODEL = re.compile(r"(?:chatgpt|codex|gpt|o\d)", re.IGNORECASE)
"""A pattern that matches the beginning of the names of OpenAI's own models.

It is needed because models of other companies often have the provider prefix "openai", too.
"""


def repeated(names: Iterable[str]) -> list[str]:
    """Return the distinct names that occur more than once, in the order of first occurrence."""
    counts = Counter(names)
    return [name for name, count in counts.items() if count > 1]


def clean_agent_name(text: str | None) -> str:
    """Return the name of an agent, model or setting on one line, redacted; empty if missing."""
    return one_line(text or "", _MAX_NAME_LENGTH)


def model_maker(model: str | None) -> str | None:
    """Return the company that made a model, found by the name's provider prefixes; None if unknown.

    If there are several prefixes, the prefix nearest to the model's name is used.
    """
    *providers, name = (model or "").split("/")
    for provider in reversed(providers):
        maker = _MAKERS.get(provider.lower())
        if maker == _MAKERS["openai"] and not _OPENAI_MODEL.match(name):
            return None
        if maker is not None:
            return maker
    return None


def only(members: Collection[T]) -> T | None:
    """Return the single member of a collection; None if it is empty or has several members."""
    return next(iter(members)) if len(members) == 1 else None


@dataclass(frozen=True, slots=True, order=True)
class RankedAgent:
    """The unit that is ranked: a model with its scaffold and its reasoning setting."""

    name: str
    scaffold: str = ""
    """The scaffold's name; empty if the source does not state it."""
    reasoning: str = ""
    """The reasoning setting; empty for the default, or if the source does not state it."""
    provider: str = ""
    """The provider that serves the model; it distinguishes otherwise equal agents."""

    def __str__(self) -> str:
        """Return the agent's name for messages, with the settings that distinguish the agent."""
        settings = ", ".join(filter(None, (self.scaffold, self.reasoning, self.provider)))
        return f"{self.name} ({settings})" if settings else self.name

    def agent(self, facts: Mapping[str, object]) -> Agent:
        """Return the record of this agent; its model is left out if it equals the name.

        Args:
            facts: Other fields of `Agent`; empty values are left out.
        """
        stated = {**facts, "scaffold": self.scaffold, "reasoning": self.reasoning}
        if stated.get("model") == self.name:
            del stated["model"]
        fields = {key: value for key, value in stated.items() if value not in {None, ""}}
        return Agent.model_validate({"name": self.name, **fields})


@dataclass(frozen=True, slots=True)
class AgentNames:
    """Finds the agent that a spelling names: published files spell an agent in several ways."""

    names: tuple[str, ...]
    """The chosen name of each agent, in the order of the source."""
    spellings: Mapping[str, str]
    """All other spellings, mapped to the chosen names, even of agents outside this import."""
    added: Mapping[str, str]
    """The spellings that the user added."""

    @classmethod
    def of(
        cls, names: Iterable[str], spellings: Mapping[str, str], added: Mapping[str, str]
    ) -> "AgentNames":
        """Return the agent names of a source.

        Args:
            names: The agents as spelled in the source.
            spellings: Other spellings in the format or benchmark, mapped to the chosen names.
            added: Spellings that the user added; they take precedence over the others.
        """
        all_spellings = {key: added.get(name, name) for key, name in spellings.items()}
        all_spellings.update(added)
        nameless = cls((), all_spellings, added)
        return replace(nameless, names=tuple(map(nameless.one_name, names)))

    @classmethod
    def chosen(cls, names: Iterable[str], options: ImportOptions) -> "AgentNames":
        """Return the agent names of a source, with the spellings of its benchmark and of the user.

        `--agent` replaces the names of the source.
        """
        agent_names = (options.agent,) if options.agent else names
        return cls.of(agent_names, options.facts.spellings, options.aliases)

    def one_name(self, spelling: str) -> str:
        """Return the chosen name for a spelling, ignoring case; keep an unknown spelling."""
        exact = {name: name for name in self.spellings.values()}
        exact.update(self.spellings)
        folded = {key.casefold(): name for key, name in exact.items()}
        return exact.get(spelling) or folded.get(spelling.casefold(), spelling)

    def find(self, spelling: str) -> str | None:
        """Return this import's agent that a spelling names, ignoring case; None if not found."""
        name = self.one_name(spelling)
        if name in self.names:
            return name
        for agent_name in self.names:
            if agent_name.casefold() == name.casefold():
                return agent_name
        return None

    @property
    def aliases(self) -> dict[str, str]:
        """Other spellings of this import's agents, and all spellings that the user added."""
        aliases = {key: name for key, name in self.spellings.items() if name in self.names}
        aliases.update(self.added)
        return {spelling: name for spelling, name in aliases.items() if spelling != name}


def is_asked_for(names: Iterable[str], options: ImportOptions) -> bool:
    """Return whether `--model` names an agent, in any known spelling; True without `--model`.

    Args:
        names: The names that may select the agent.
        options: The requested model, and the spellings of the benchmark and the user.
    """
    if options.model is None:
        return True
    roster = AgentNames.of((), options.facts.spellings, options.aliases)
    asked_names = _fold_names([options.model], roster)
    return not asked_names.isdisjoint(_fold_names(names, roster))


def _fold_names(names: Iterable[str], roster: AgentNames) -> set[str]:
    """Return the names and the chosen name of each, case-folded."""
    folded = set()
    for name in names:
        folded |= {name.casefold(), roster.one_name(name).casefold()}
    return folded


def check_asked_for(names: Collection[str], models: Iterable[str], options: ImportOptions) -> None:
    """Check that `--model` and `--agent` fit the agents of a source.

    Args:
        names: The requested agents that have runs.
        models: All models of the source, for the message.
        options: The requested model and the agent's name.

    Raises:
        UsageError: The model has no runs, or `--agent` is given for a source with several agents.
    """
    if not names and options.model:
        present = listed(sorted(models)) or "none"
        raise UsageError(f"the source has no runs of model {options.model}; it has: {present}")
    if options.agent and len(names) > 1:
        agents = listed(sorted(names))
        message = "--agent names one agent, but the source has several"
        raise UsageError(f"{message}: {agents}; choose one with --model")


def chosen(models: Iterable[str], options: ImportOptions) -> list[str]:
    """Return the distinct models to import; `--model` may give only the last part of a name.

    Raises:
        UsageError: `--model` or `--agent` does not match the models.
    """
    distinct_models = list(dict.fromkeys(models))
    wanted = [
        name for name in distinct_models if is_asked_for((name, short_model_name(name)), options)
    ]
    check_asked_for(wanted, distinct_models, options)
    return wanted


def short_model_name(model: str) -> str:
    """Return the last part of a model's name, without its provider or folder."""
    return clean_agent_name(model.rstrip("/").rpartition("/")[2] or model)


def model_owner(model: str) -> str | None:
    """Return the OWNER of a model named OWNER/NAME; None for other names and for folder paths."""
    owner, _, name = model.partition("/")
    is_owner_and_name = owner.strip(".~") and name and "/" not in name
    return clean_agent_name(owner) if is_owner_and_name else None
