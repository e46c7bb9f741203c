"""Identify the agent of a log: the model with its solver, reasoning setting and provider."""

from sitegen.importers.inspect.logs import Log
from sitegen.importers.kit.agents import (
    RankedAgent,
    clean_agent_name,
    model_maker,
    short_model_name,
)

_PLAIN_SOLVERS = frozenset(
    {
        "assistant_message",
        "chain_of_thought",
        "generate",
        "multiple_choice",
        "prompt_template",
        "system_message",
        "use_tools",
        "user_message",
    }
)
"""Solvers that are not scaffolds: they query the model once."""

_NO_MODEL = "none"
"""The model name of a task that uses no model: the solver alone is the agent."""


def identify_agent(log: Log) -> RankedAgent:
    """Return the agent: the model, and the solver if it does more than query the model once."""
    spec = log.header.spec
    scaffold = short_model_name(spec.solver or "")
    if not scaffold and log.is_plan_of_agent:
        scaffold = plan_solver(log)
    reasoning = _reasoning_setting(log)
    provider, _, model = spec.model.rstrip("/").rpartition("/")
    if model == _NO_MODEL and scaffold:
        return RankedAgent(scaffold, reasoning=reasoning)
    return RankedAgent(
        short_model_name(spec.model), scaffold, reasoning, clean_agent_name(provider)
    )


def plan_solver(log: Log) -> str:
    """Return the last solver of a log's plan that is a scaffold.

    The result is empty if no solver of the plan is a scaffold, or if `--solver` replaced the plan.
    """
    if log.header.spec.solver:
        return ""
    for step in reversed(log.header.steps):
        if step.solver and short_model_name(step.solver) not in _PLAIN_SOLVERS:
            return short_model_name(step.solver)
    return ""


def agent_facts(log: Log) -> dict[str, object]:
    """Return other facts about the agent, by the field names of `Agent`."""
    return {"organization": model_maker(log.header.spec.model)}


def _reasoning_setting(log: Log) -> str:
    """Return the reasoning effort and the limit of reasoning tokens; empty if none is stated."""
    header = log.header
    spec = header.spec
    effort = clean_agent_name(spec.effort or spec.other_effort or header.plan_effort)
    tokens = spec.reasoning_tokens or header.plan_tokens
    if not tokens:
        return effort
    return f"{effort}, {tokens} tokens" if effort else f"{tokens} tokens"
