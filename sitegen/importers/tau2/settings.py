"""Parse the agent of a simulation file of tau2-bench, and the conditions of its run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sitegen.importers.kit.agents import RankedAgent, clean_agent_name, short_model_name
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import count_of, mapping_of, name_of, text_of
from sitegen.importers.tau2.fields import read_text

DEFAULT_AGENTS = frozenset({"llm_agent", "discrete_time_audio_native_agent", "tool-calling"})
"""Default agents of tau2-bench and tau-bench, which are not recorded as scaffolds."""

_MODEL_ARGUMENTS_SHAPE: Shape = {
    "reasoning_effort": None,
    "reasoning": {"effort": None},
    "thinking": {"type": None, "budget_tokens": None},
}

SETTINGS_SHAPE: Shape = {
    "git_commit": None,
    "num_trials": None,
    "seed": None,
    "retrieval_config": None,
    "speech_complexity": None,
    "audio_native_config": {"provider": None, "model": None, "reasoning_effort": None},
    "agent_info": {"implementation": None, "llm": None, "llm_args": _MODEL_ARGUMENTS_SHAPE},
    "user_info": {"implementation": None, "llm": None},
    "environment_info": {"domain_name": None},
}
"""The keys that are read from `info`."""

_MAX_TRIALS = 1000

_COMMIT = re.compile(r"[0-9a-f]{7,40}")

_TAU_BENCH_FILE_NAME = re.compile(
    r"(?P<strategy>tool-calling|act|react|few-shot)-(?P<model>.+)-(?P<temperature>\d+(?:\.\d+)?)"
    r"_range_-?\d+--?\d+_user-(?P<user>.+)-[a-z]+_\d{10}\.json"
)
"""Name that tau-bench gives the file of a run; it is the only place that states the model."""

_AIRLINE_TOOLS = re.compile("reservation|flight|certificate")
_RETAIL_TOOLS = re.compile("order|user_address")
"""Substrings of the names of a domain's tools."""


@dataclass(frozen=True, slots=True)
class SimulationSettings:
    """The settings of a run, as stated by its file."""

    entrant: RankedAgent
    model: str
    """The model as spelled in the file; empty if the file does not name it."""
    domain: str
    """The domain of the tasks, with the voice mode of a speaking agent; empty if unknown."""
    user: str
    """The model that simulates the user; empty if unknown."""
    commit: str | None = None
    seed: int | None = None
    trials: int | None = None
    """The number of trials planned for each task."""
    assumptions: list[str] = field(default_factory=list)
    """Facts inferred from the name of the file, or from the tasks."""


def parse_settings(info: Mapping[str, object]) -> SimulationSettings:
    """Return the settings that a simulation file of tau2-bench states in `info`."""
    agent = mapping_of(info.get("agent_info"))
    voice = mapping_of(info.get("audio_native_config"))
    user = mapping_of(info.get("user_info"))
    model = read_text(agent, "llm") or read_text(voice, "model")
    provider, model_name = _split_provider(model)
    provider = provider or read_text(voice, "provider")
    scaffold = _parse_scaffold(agent, info)
    reasoning = _parse_reasoning(mapping_of(agent.get("llm_args")))
    reasoning = reasoning or read_text(voice, "reasoning_effort")
    entrant = RankedAgent(model_name, scaffold, reasoning, provider)
    commit = read_text(info, "git_commit")
    return SimulationSettings(
        entrant=entrant,
        model=model,
        domain=_parse_domain(info),
        user=read_text(user, "llm", "implementation"),
        commit=commit if _COMMIT.fullmatch(commit) else None,
        seed=count_of(info.get("seed")),
        trials=count_of(info.get("num_trials"), most=_MAX_TRIALS),
    )


def _parse_scaffold(agent: Mapping[str, object], info: Mapping[str, object]) -> str:
    """Return the agent's implementation and its retrieval, unless they are the defaults."""
    scaffold = []
    implementation = read_text(agent, "implementation")
    if implementation and implementation not in DEFAULT_AGENTS:
        scaffold.append(implementation)
    retrieval = read_text(info, "retrieval_config")
    if retrieval:
        scaffold.append(f"retrieval {retrieval}")
    return clean_agent_name(", ".join(scaffold))


def _parse_domain(info: Mapping[str, object]) -> str:
    """Return the domain of the tasks, followed by the voice mode if the agent speaks."""
    domain = read_text(mapping_of(info.get("environment_info")), "domain_name", longest=60)
    complexity = read_text(info, "speech_complexity", longest=30)
    if not domain or not complexity:
        return domain
    if complexity == "regular":
        return f"{domain} voice"
    return f"{domain} voice {complexity}"


def parse_file_name(file_name: str, domain: str) -> SimulationSettings:
    """Return the settings of a result list of tau-bench, which only its file name states.

    Args:
        file_name: The name of the file.
        domain: The domain of the tasks; empty if unknown.
    """
    match = _TAU_BENCH_FILE_NAME.fullmatch(file_name)
    if match is None:
        return SimulationSettings(RankedAgent(""), "", domain, "")
    strategy = match["strategy"]
    scaffold = "" if strategy in DEFAULT_AGENTS else strategy
    entrant = RankedAgent(clean_agent_name(match["model"]), scaffold)
    user = clean_agent_name(match["user"])
    name = clean_agent_name(file_name)
    assumption = f"the name of {name} says which model ran, and that {user} was the user"
    return SimulationSettings(entrant, entrant.name, domain, user, assumptions=[assumption])


def infer_domain(actions: Sequence[str]) -> str:
    """Return the domain of tau-bench whose tools most reference actions call; empty if unclear."""
    airline_actions = sum(bool(_AIRLINE_TOOLS.search(action)) for action in actions)
    retail_actions = sum(bool(_RETAIL_TOOLS.search(action)) for action in actions)
    if airline_actions == retail_actions:
        return ""
    return "airline" if airline_actions > retail_actions else "retail"


def _split_provider(model: str) -> tuple[str, str]:
    """Return the provider and the name of a model.

    LiteLLM writes PROVIDER/NAME, and voice runs write PROVIDER:NAME.
    """
    if "/" in model:
        return clean_agent_name(model.partition("/")[0]), short_model_name(model)
    match = re.fullmatch(r"([a-z_]+):(.+)", model)
    if match:
        return clean_agent_name(match[1]), clean_agent_name(match[2])
    return "", clean_agent_name(model)


def _parse_reasoning(model_arguments: Mapping[str, object]) -> str:
    """Return the reasoning setting among the arguments of a model; empty if there is none."""
    effort = name_of(model_arguments.get("reasoning_effort"))
    reasoning = mapping_of(model_arguments.get("reasoning"))
    if effort or reasoning.get("effort"):
        return clean_agent_name(effort or text_of(reasoning.get("effort")))
    thinking = mapping_of(model_arguments.get("thinking"))
    budget = count_of(thinking.get("budget_tokens"))
    if budget:
        return f"{budget} thinking tokens"
    return "thinking" if thinking.get("type") == "enabled" else ""
