"""Name the agents of an import: who is ranked, and the one name that each agent goes by."""

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
"""Names of OpenAI's own models: other models are often served under the provider "openai"."""


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, each once, in the order of first occurrence."""
    counts = Counter(names)
    return [name for name, count in counts.items() if count > 1]


def clean_agent_name(text: str | None) -> str:
    """Return the name of an agent, model or setting on one line, redacted; empty for no name."""
    return one_line(text or "", _MAX_NAME_LENGTH)


def model_maker(model: str | None) -> str | None:
    """Return the company that made a model, by the provider prefixes of its name; None if unknown.

    The prefix nearest to the model's name counts.
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
    """Return the single member of a collection; None if it has several members, or none."""
    return next(iter(members)) if len(members) == 1 else None


@dataclass(frozen=True, slots=True, order=True)
class RankedAgent:
    """What is ranked: a model with its scaffold and its reasoning setting."""

    name: str
    scaffold: str = ""
    """Empty if the source does not say."""
    reasoning: str = ""
    """Empty for the default setting, or if the source does not say."""
    provider: str = ""
    """Who serves the model: tells two agents apart that are otherwise the same."""

    def __str__(self) -> str:
        """Return the name as messages show it, with the settings that tell it from others."""
        settings = ", ".join(filter(None, (self.scaffold, self.reasoning, self.provider)))
        return f"{self.name} ({settings})" if settings else self.name

    def agent(self, facts: Mapping[str, object]) -> Agent:
        """Return the record of this agent.

        Args:
            facts: Further fields of `Agent`; empty values are left out.
        """
        stated = {**facts, "scaffold": self.scaffold, "reasoning": self.reasoning}
        if stated.get("model") == self.name:
            del stated["model"]
        fields = {key: value for key, value in stated.items() if value not in {None, ""}}
        return Agent.model_validate({"name": self.name, **fields})


@dataclass(frozen=True, slots=True)
class AgentNames:
    """Finds the agent of a spelling: published files spell the same agent in several ways."""

    names: tuple[str, ...]
    """The one name of each agent, in the order of the source."""
    spellings: Mapping[str, str]
    """All other spellings, also of agents outside this import, each with the one name."""
    added: Mapping[str, str]
    """The spellings among them that the user added."""

    @classmethod
    def of(
        cls, names: Iterable[str], spellings: Mapping[str, str], added: Mapping[str, str]
    ) -> "AgentNames":
        """Return the roster of a source.

        Args:
            names: The agents as the source spells them.
            spellings: Other spellings that the format or benchmark uses, with the one name each.
            added: Spellings that the user added; they win over the others.
        """
        all_spellings = {key: added.get(name, name) for key, name in spellings.items()}
        all_spellings.update(added)
        nameless = cls((), all_spellings, added)
        return replace(nameless, names=tuple(map(nameless.one_name, names)))

    @classmethod
    def chosen(cls, names: Iterable[str], options: ImportOptions) -> "AgentNames":
        """Return the roster of a source, with the spellings of its benchmark and of the user.

        `--agent` replaces the names of the source.
        """
        agent_names = (options.agent,) if options.agent else names
        return cls.of(agent_names, options.facts.spellings, options.aliases)

    def one_name(self, spelling: str) -> str:
        """Return the one name of a spelling, ignoring case; an unknown spelling is unchanged."""
        exact = {name: name for name in self.spellings.values()}
        exact.update(self.spellings)
        folded = {key.casefold(): name for key, name in exact.items()}
        return exact.get(spelling) or folded.get(spelling.casefold(), spelling)

    def find(self, spelling: str) -> str | None:
        """Return the agent of this import that a spelling names, ignoring case; None if none."""
        name = self.one_name(spelling)
        if name in self.names:
            return name
        for agent_name in self.names:
            if agent_name.casefold() == name.casefold():
                return agent_name
        return None

    @property
    def aliases(self) -> dict[str, str]:
        """Return the other spellings of the agents in this import, and those the user added."""
        aliases = {key: name for key, name in self.spellings.items() if name in self.names}
        aliases.update(self.added)
        return {spelling: name for spelling, name in aliases.items() if spelling != name}


def is_asked_for(names: Iterable[str], options: ImportOptions) -> bool:
    """Return whether `--model` names an agent, in any known spelling; True without `--model`.

    Args:
        names: The names that the agent may be asked for by.
        options: Holds the model that was asked for, and the spellings of the benchmark and the
            user.
    """
    if options.model is None:
        return True
    roster = AgentNames.of((), options.facts.spellings, options.aliases)
    asked_names = _fold_names([options.model], roster)
    return not asked_names.isdisjoint(_fold_names(names, roster))


def _fold_names(names: Iterable[str], roster: AgentNames) -> set[str]:
    """Return names and the one name of each, in lower case."""
    folded = set()
    for name in names:
        folded |= {name.casefold(), roster.one_name(name).casefold()}
    return folded


def check_asked_for(names: Collection[str], models: Iterable[str], options: ImportOptions) -> None:
    """Check that `--model` and `--agent` fit the agents of a source.

    Args:
        names: The agents that were asked for and that have runs.
        models: All models of the source, for the message.
        options: Holds the model and the agent's name.

    Raises:
        UsageError: The model has no runs, or `--agent` names one agent and there are several.
    """
    if not names and options.model:
        present = listed(sorted(models)) or "none"
        raise UsageError(f"the source has no runs of model {options.model}; it has: {present}")
    if options.agent and len(names) > 1:
        agents = listed(sorted(names))
        message = "--agent names one agent, but the source has several"
        raise UsageError(f"{message}: {agents}; choose one with --model")


def chosen(models: Iterable[str], options: ImportOptions) -> list[str]:
    """Return the models to import, each once; `--model` may give the last part of a name.

    Raises:
        UsageError: `--model` or `--agent` does not fit the models.
    """
    distinct_models = list(dict.fromkeys(models))
    wanted = [
        name for name in distinct_models if is_asked_for((name, short_model_name(name)), options)
    ]
    check_asked_for(wanted, distinct_models, options)
    return wanted


def short_model_name(model: str) -> str:
    """Return the last part of a model's name, without its provider or its folder."""
    return clean_agent_name(model.rstrip("/").rpartition("/")[2] or model)


def model_owner(model: str) -> str | None:
    """Return the OWNER of a model called OWNER/NAME; None for other names and paths to folders."""
    owner, _, name = model.partition("/")
    is_owner_and_name = owner.strip(".~") and name and "/" not in name
    return clean_agent_name(owner) if is_owner_and_name else None
