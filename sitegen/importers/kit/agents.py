"""The agents of one import: who is ranked, and the one name that each goes by."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.models.submission import Agent
from sitegen.problems import UsageError, listed

T = TypeVar("T")

_SPELLINGS = {
    "Claude-Opus-4.8": ("Opus-4.8", "Opus-4.8-xhigh", "Claude-Opus-4.8-xhigh", "claude-opus-4-8"),
    "GPT-5.5": ("GPT-5.5-High", "gpt-5.5"),
    "MiniMax-M3": ("minimax-m3",),
    "MiniMax-M2.7": ("minimax-m2.7",),
    "GLM-5.2": ("glm-5.2",),
    "GLM-5.1": ("glm-5.1",),
    "DeepSeek-V4-Pro": ("DS-V4-Pro", "deepseek-v4-pro"),
    "DeepSeek-V4-Flash": ("DS-V4-Flash", "deepseek-v4-flash"),
    "Kimi-K2.7-Code": ("kimi-k2.7-code",),
    "Kimi-K2.6": ("kimi-k2.6",),
    "Qwen3.7-Max": ("qwen3.7-max",),
    "Qwen3.6-Plus": ("qwen3.6-plus",),
    "Doubao-Seed-2.1-Pro": ("doubao-seed-2-1-pro",),
    "Claude-Opus-4.7": ("Opus-4.7", "Claude-Opus-4.7-High", "claude-opus-4-7"),
    "Claude-Opus-4.6": ("Opus-4.6", "claude-opus-4-6"),
    "Xiaomi-MiMo-V2.5-Pro": ("MiMo-V2.5", "mimo-v2.5-pro"),
    "Gemini-3.1-Pro-Preview": ("Gemini-3.1", "gemini-3.1-pro-preview"),
    "Qwen3.5-397B-A17B": ("Qwen3.5-397B", "qwen3.5-397b-a17b"),
    "Doubao-Seed-2.0-Pro": ("Doubao-2.0", "doubao-seed-2.0-pro"),
}

KNOWN: Mapping[str, str] = {
    spelling: name for name, spellings in _SPELLINGS.items() for spelling in spellings
}
"""Other spellings of EvoCode-Bench's agents, each with the one name: its site, tables, paper and folders differ."""


_LONGEST = 100


def repeated(names: Iterable[str]) -> list[str]:
    """The names that occur more than once, each once, in the order of their first occurrence."""
    counts = Counter(names)
    return list(counts - Counter(counts.keys()))


def named(text: str | None) -> str:
    """A foreign name of an agent or its parts as it can be shown; empty where there is none."""
    return one_line(text or "", _LONGEST)


_MAKERS = {
    "anthropic": "Anthropic", "cohere": "Cohere", "dashscope": "Alibaba", "deepseek": "DeepSeek", "gemini": "Google",
    "google": "Google", "minimax": "MiniMax", "mistral": "Mistral AI", "mistralai": "Mistral AI",
    "moonshot": "Moonshot AI", "moonshotai": "Moonshot AI", "openai": "OpenAI", "qwen": "Alibaba", "x-ai": "xAI",
    "xai": "xAI", "z-ai": "Z.ai", "zai": "Z.ai",
}  # fmt: skip
"""Who makes the models of a provider, by what stands before a model's name."""

_OF_OPENAI = re.compile(r"(?:chatgpt|codex|gpt|o\d)", re.IGNORECASE)
"""What its models are called: many servers of other models are reached as if they were OpenAI's."""


def maker_of(model: str | None) -> str | None:
    """Who made a model, as far as its provider tells it."""
    *providers, name = (model or "").split("/")
    found = next(
        (maker for each in reversed(providers) if (maker := _MAKERS.get(each.lower()))), None
    )
    return None if found == _MAKERS["openai"] and not _OF_OPENAI.match(name) else found


def only(found: Collection[T]) -> T | None:
    """The one thing that was found; None where there are several, or none."""
    return next(iter(found)) if len(found) == 1 else None


@dataclass(frozen=True, slots=True, order=True)
class Entrant:
    """What is ranked: a model with its scaffold and its reasoning setting."""

    name: str
    scaffold: str = ""
    """Empty where it is not told."""
    reasoning: str = ""
    """Empty where it is the default one, or not told."""
    provider: str = ""
    """Who serves the model; tells two agents apart that are otherwise the same."""

    def __str__(self) -> str:
        """Tells it apart from others in messages."""
        more = ", ".join(filter(None, (self.scaffold, self.reasoning, self.provider)))
        return f"{self.name} ({more})" if more else self.name

    def agent(self, facts: Mapping[str, object]) -> Agent:
        """What is written of it, with further facts as `Agent` has them; what is empty is not told."""
        told = {**facts, "scaffold": self.scaffold, "reasoning": self.reasoning}
        if told.get("model") == self.name:
            del told["model"]
        known = {key: value for key, value in told.items() if value not in {None, ""}}
        return Agent.model_validate({"name": self.name, **known})


@dataclass(frozen=True, slots=True)
class Roster:
    """Finds the agent that a spelling stands for: published files spell the same agent in several ways."""

    names: tuple[str, ...]
    """The one name of each agent, in the order of the source."""
    spellings: Mapping[str, str]
    """Every other spelling that is known, also of agents that are not here, each with the one name."""
    own: Mapping[str, str]
    """Those of them that the importing person added."""

    @classmethod
    def of(cls, found: Iterable[str], known: Mapping[str, str], own: Mapping[str, str]) -> "Roster":
        """Name the agents of a source, `found` as it spells them; spellings that the importing person added win."""
        spellings = {spelling: own.get(name, name) for spelling, name in known.items()} | dict(own)
        nameless = cls((), spellings, own)
        return replace(nameless, names=tuple(map(nameless.one_name, found)))

    @classmethod
    def chosen(cls, names: Iterable[str], options: ImportOptions) -> "Roster":
        """Name the agents of a source as the importing person does, and as the benchmark's published files do."""
        known = KNOWN if options.benchmark == "evocode-bench" else {}
        return cls.of((options.agent,) if options.agent else names, known, options.aliases)

    def one_name(self, spelling: str) -> str:
        """The one name that a spelling stands for: the spelling itself where nothing is known of it."""
        exact = {name: name for name in self.spellings.values()} | dict(self.spellings)
        folded = {known.casefold(): name for known, name in exact.items()}
        return exact.get(spelling) or folded.get(spelling.casefold(), spelling)

    def find(self, spelling: str) -> str | None:
        """The agent here that a spelling stands for, exactly or but for upper case; None where there is none."""
        name = self.one_name(spelling)
        if name in self.names:
            return name
        return next((each for each in self.names if each.casefold() == name.casefold()), None)

    @property
    def aliases(self) -> dict[str, str]:
        """The other spellings of the agents that are here, and those that were added."""
        here = {spelling: name for spelling, name in self.spellings.items() if name in self.names}
        return {
            spelling: name for spelling, name in (here | dict(self.own)).items() if spelling != name
        }


def is_asked_for(
    names: Iterable[str], options: ImportOptions, known: Mapping[str, str] = MappingProxyType({})
) -> bool:
    """Whether the model to take, if one is named, is one of an agent's names, in any spelling that is known."""
    if options.model is None:
        return True
    roster = Roster.of((), known, options.aliases)
    wanted, called = (
        {each.casefold() for name in spelled for each in (name, roster.one_name(name))}
        for spelled in ([options.model], names)
    )
    return not wanted.isdisjoint(called)


def check_asked_for(names: Collection[str], there: Iterable[str], options: ImportOptions) -> None:
    """Raise `UsageError` where there are no runs of the model to take, or several agents where one is named."""
    if not names and options.model:
        models = listed(sorted(there)) or "none"
        raise UsageError(f"the source has no runs of model {options.model}; it has: {models}")
    if options.agent and len(names) > 1:
        several = listed(sorted(names))
        raise UsageError(
            f"--agent names one agent, and the source has several: choose one with --model: {several}"
        )


def chosen(models: Iterable[str], options: ImportOptions) -> list[str]:
    """The models that are to be taken, each once; a model may be asked for by the last part of its name."""
    there = list(dict.fromkeys(models))
    wanted = [model for model in there if is_asked_for((model, short(model)), options)]
    check_asked_for(wanted, there, options)
    return wanted


def short(model: str) -> str:
    """The last part of a model's name, without its provider or its folder."""
    return named(model.rstrip("/").rpartition("/")[2] or model)


def owner_of(model: str) -> str | None:
    """Whose a model is, where its name is OWNER/NAME, and no way to a folder."""
    owner, _, name = model.partition("/")
    return named(owner) if owner.strip(".~") and name and "/" not in name else None
