"""Who ran a simulation file of tau2-bench, and under which conditions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sitegen.importers.kit.agents import Entrant, named, short
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import count_of, mapping_of, name_of, text_of

USUAL_AGENTS = frozenset({"llm_agent", "discrete_time_audio_native_agent", "tool-calling"})
"""Implementations that are no scaffold: those that tau2-bench and tau-bench use unless told otherwise."""

SETTINGS_SHAPE: Shape = {
    "git_commit": None,
    "num_trials": None,
    "seed": None,
    "retrieval_config": None,
    "speech_complexity": None,
    "audio_native_config": {"provider": None, "model": None, "reasoning_effort": None},
    "agent_info": {
        "implementation": None,
        "llm": None,
        "llm_args": {
            "reasoning_effort": None,
            "reasoning": {"effort": None},
            "thinking": {"type": None, "budget_tokens": None},
        },
    },
    "user_info": {"implementation": None, "llm": None},
    "environment_info": {"domain_name": None},
}
"""The keys of `info` that are taken."""

_OLD_NAME = re.compile(
    r"(?P<strategy>tool-calling|act|react|few-shot)-(?P<model>.+)-(?P<temperature>\d+(?:\.\d+)?)"
    r"_range_-?\d+--?\d+_user-(?P<user>.+)-[a-z]+_\d{10}\.json"
)
"""How tau-bench calls the file of a run: it says there alone which model ran."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file says about the run that it holds."""

    entrant: Entrant
    model: str
    """The model as the file spells it; empty where the file does not say."""
    domain: str
    """The domain of the tasks, with the mode of speech where the agent speaks; empty where unknown."""
    user: str
    """The model that simulates the user; empty where unknown."""
    commit: str | None = None
    seed: int | None = None
    trials: int | None = None
    """How many trials of each task were planned."""
    assumed: list[str] = field(default_factory=list)
    """What was concluded from the name of the file, or from the tasks."""


def settings_of(info: Mapping[str, object]) -> Settings:
    """Return the settings that a simulation file of tau2-bench states in `info`."""
    agent = mapping_of(info.get("agent_info"))
    voice = mapping_of(info.get("audio_native_config"))
    arguments = mapping_of(agent.get("llm_args"))
    model = text_of(agent.get("llm")) or text_of(voice.get("model")) or ""
    provider, name = _parted(model)
    implementation = text_of(agent.get("implementation")) or ""
    scaffold = [] if implementation in USUAL_AGENTS else [implementation]
    retrieval = text_of(info.get("retrieval_config"))
    if retrieval:
        scaffold.append(f"retrieval {retrieval}")
    entrant = Entrant(
        name=name,
        scaffold=named(", ".join(filter(None, scaffold))),
        reasoning=_reasoning(arguments) or text_of(voice.get("reasoning_effort")) or "",
        provider=provider or text_of(voice.get("provider")) or "",
    )
    domain = text_of(mapping_of(info.get("environment_info")).get("domain_name"), longest=60) or ""
    complexity = text_of(info.get("speech_complexity"), longest=30)
    if domain and complexity:
        domain = f"{domain} voice" if complexity == "regular" else f"{domain} voice {complexity}"
    user = mapping_of(info.get("user_info"))
    commit = text_of(info.get("git_commit"))
    return Settings(
        entrant=entrant,
        model=model,
        domain=domain,
        user=text_of(user.get("llm")) or text_of(user.get("implementation")) or "",
        commit=commit if commit and re.fullmatch(r"[0-9a-f]{7,40}", commit) else None,
        seed=count_of(info.get("seed")),
        trials=count_of(info.get("num_trials"), most=1000),
    )


def settings_of_name(file_name: str, domain: str) -> Settings:
    """Return the settings of a result list of tau-bench, which only the name of its file tells.

    Args:
        file_name: The name of the file.
        domain: The domain that its tasks are of; empty where unknown.
    """
    match = _OLD_NAME.fullmatch(file_name)
    if match is None:
        return Settings(Entrant(""), "", domain, "")
    strategy = match["strategy"]
    scaffold = "" if strategy in USUAL_AGENTS else strategy
    entrant = Entrant(named(match["model"]), scaffold)
    assumed = [
        f"the name of {named(file_name)} says which model ran, and that {named(match['user'])} was the user"
    ]
    return Settings(entrant, entrant.name, domain, named(match["user"]), assumed=assumed)


def domain_of_actions(names: list[str]) -> str:
    """Return the domain of tau-bench whose tools the reference actions of a run are; empty where unknown."""
    flights = sum(
        "reservation" in name or "flight" in name or "certificate" in name for name in names
    )
    orders = sum("order" in name or "user_address" in name for name in names)
    if flights == orders:
        return ""
    return "airline" if flights > orders else "retail"


def _parted(model: str) -> tuple[str, str]:
    """Return the provider and the name of a model: LiteLLM writes PROVIDER/NAME, voice runs PROVIDER:NAME."""
    if "/" in model:
        return named(model.partition("/")[0]), short(model)
    provider, colon, name = model.partition(":")
    if colon and name and re.fullmatch(r"[a-z_]+", provider):
        return named(provider), named(name)
    return "", named(model)


def _reasoning(arguments: Mapping[str, object]) -> str:
    """Return the reasoning setting among the arguments of a model; empty where there is none."""
    effort = name_of(arguments.get("reasoning_effort"))
    reasoning = mapping_of(arguments.get("reasoning"))
    thinking = mapping_of(arguments.get("thinking"))
    budget = count_of(thinking.get("budget_tokens"))
    if effort or reasoning.get("effort"):
        return named(effort or text_of(reasoning.get("effort")))
    if budget:
        return f"{budget} thinking tokens"
    return "thinking" if thinking.get("type") == "enabled" else ""
