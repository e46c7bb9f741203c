"""Who ran in a log: the model with its solver, its setting of reasoning and its provider."""

from sitegen.importers.inspect.logs import Log
from sitegen.importers.kit.agents import Entrant, maker_of, named, short

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
"""Solvers that are no scaffold: they ask the model once."""

_NO_MODEL = "none"
"""The model of a task that asks none: the solver alone is the agent."""


def entrant_of(log: Log) -> Entrant:
    """Return who ran: the model, and the solver where it is more than asking the model once."""
    spec = log.header.spec
    scaffold = short(spec.solver) if spec.solver else ""
    if not scaffold and log.is_plan_of_agent:
        scaffold = plan_solver(log)
    provider, _, name = spec.model.rstrip("/").rpartition("/")
    if name == _NO_MODEL and scaffold:
        return Entrant(scaffold, reasoning=_reasoning(log))
    return Entrant(short(spec.model), scaffold, _reasoning(log), named(provider))


def plan_solver(log: Log) -> str:
    """Return the last solver of a log's plan that is a scaffold; empty where none is, or `--solver` gave another."""
    if log.header.spec.solver:
        return ""
    solvers = [short(step.solver) for step in log.header.steps if step.solver]
    scaffolds = [solver for solver in solvers if solver not in _PLAIN_SOLVERS]
    return scaffolds[-1] if scaffolds else ""


def facts_of(log: Log) -> dict[str, object]:
    """Return what else is known of the agent."""
    return {"organization": maker_of(log.header.spec.model)}


def _reasoning(log: Log) -> str:
    """Return the setting of reasoning: the effort, or how many tokens it may take."""
    header, spec = log.header, log.header.spec
    effort = named(spec.effort or spec.other_effort or header.plan_effort)
    tokens = spec.reasoning_tokens or header.plan_tokens
    if not tokens:
        return effort
    return f"{effort}, {tokens} tokens" if effort else f"{tokens} tokens"
