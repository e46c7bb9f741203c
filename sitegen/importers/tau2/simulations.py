"""A simulation as tau2-bench or tau-bench writes it, as one value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from sitegen.importers.kit.cases import CaseRecord
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import amount_of, count_of, mapping_of, mappings_of, name_of, text_of
from sitegen.importers.tau2.checks import CHECKS_SHAPE, cases_of, measures_of

UNSCORED = frozenset({"infrastructure_error"})
"""Reasons to end a simulation without a verdict: tau2-bench leaves them out of its own figures."""

FINISHED = frozenset({"agent_stop", "user_stop"})
"""Reasons to end a simulation that is then graded."""

_MOST_TRIALS = 999

SIMULATION_SHAPE: Shape = {
    "id": None,
    "task_id": None,
    "trial": None,
    "start_time": None,
    "end_time": None,
    "timestamp": None,
    "duration": None,
    "termination_reason": None,
    "agent_cost": None,
    "user_cost": None,
    "agent_usage": {"cost": None, "records": {"billable": None, "input_tokens": None, "output_tokens": None}},
    "reward_info": {"reward": None, **CHECKS_SHAPE},
    "info": {"error": None},
    "messages": {
        "role": None,
        "usage": {"prompt_tokens": None, "completion_tokens": None},
        "tool_calls": {"name": None},
    },
}
"""The keys of a simulation of tau2-bench that are taken."""

INDEX_SHAPE: Shape = {
    "id": None,
    "task_id": None,
    "trial": None,
    "reward": None,
    "termination_reason": None,
    "agent_cost": None,
    "duration": None,
}
"""The keys of an entry of `simulation_index`."""

OLD_SHAPE: Shape = {
    "task_id": None,
    "reward": None,
    "trial": None,
    "info": {"error": None, "user_cost": None, "task": {"actions": {"name": None}}},
    "traj": {"role": None, "tool_calls": {"id": None}},
}
"""The keys of an entry of a result list of tau-bench."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """One try at one task."""

    id: str
    """Empty where the file has none."""
    task: str
    trial: int | None
    """From 0; None where the file does not say."""
    reward: object
    """As the file has it; None where it has none."""
    ended: str = ""
    """Why it ended, in the words of tau2-bench; empty where the file does not say."""
    error: str = ""
    cost_usd: float | None = None
    user_cost_usd: float | None = None
    seconds: float | None = None
    turns: int | None = None
    tool_calls: int | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    cases: Sequence[CaseRecord] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    actions: Sequence[str] = ()
    """Names of the reference actions of its task, in a file of tau-bench."""
    started: str = ""
    finished: str = ""

    @property
    def has_verdict(self) -> bool:
        """Whether the runner graded it, or gave it a reward for the way it ended."""
        return self.reward is not None and self.ended not in UNSCORED

    @property
    def is_early(self) -> bool:
        """Whether neither the agent nor the user ended it."""
        return bool(self.ended) and self.ended not in FINISHED

    @property
    def cause(self) -> str:
        """Why it has no usable reward."""
        if self.error:
            return self.error
        if self.has_verdict:
            return "its reward is no number"
        if self.is_early:
            return self.ended.replace("_", " ")
        return "it was not graded"


def simulation_of(told: Mapping[str, object]) -> Simulation | None:
    """Return a simulation of tau2-bench; None where it names no task."""
    task = name_of(told.get("task_id"))
    if task is None:
        return None
    reward_info = mapping_of(told.get("reward_info"))
    replies = _replies(told)
    usage = mapping_of(told.get("agent_usage"))
    # LiteLLM gives a model whose price it does not know the cost 0.
    cost = amount_of(told.get("agent_cost")) or None
    input_tokens, output_tokens = _tokens(replies, usage)
    user_cost = amount_of(told.get("user_cost"))
    measures = measures_of(reward_info)
    if user_cost:
        measures["user_cost_usd@tau2"] = user_cost
    return Simulation(
        id=name_of(told.get("id")) or "",
        task=task,
        trial=count_of(told.get("trial"), _MOST_TRIALS),
        reward=reward_info.get("reward"),
        ended=text_of(told.get("termination_reason"), longest=40) or "",
        error=text_of(mapping_of(told.get("info")).get("error")) or "",
        cost_usd=amount_of(usage.get("cost")) if cost is None else cost,
        user_cost_usd=user_cost,
        seconds=amount_of(told.get("duration")),
        turns=len(replies) if replies else None,
        tool_calls=_tool_calls(replies) if replies else None,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cases=cases_of(reward_info),
        measures=measures,
        started=text_of(told.get("start_time")) or "",
        finished=text_of(told.get("end_time")) or text_of(told.get("timestamp")) or "",
    )


def indexed_simulation_of(told: Mapping[str, object]) -> Simulation | None:
    """Return what the index of a folder says of a simulation; None where it names no task."""
    task = name_of(told.get("task_id"))
    if task is None:
        return None
    return Simulation(
        id=name_of(told.get("id")) or "",
        task=task,
        trial=count_of(told.get("trial"), _MOST_TRIALS),
        reward=told.get("reward"),
        ended=text_of(told.get("termination_reason"), longest=40) or "",
        cost_usd=amount_of(told.get("agent_cost")) or None,
        seconds=amount_of(told.get("duration")),
    )


def old_simulation_of(told: Mapping[str, object]) -> Simulation | None:
    """Return an entry of a result list of tau-bench; None where it names no task."""
    task = name_of(told.get("task_id"))
    if task is None:
        return None
    info = mapping_of(told.get("info"))
    replies = [message for message in mappings_of(told.get("traj")) if message.get("role") == "assistant"]
    user_cost = amount_of(info.get("user_cost"))
    actions = [text_of(action.get("name")) for action in mappings_of(mapping_of(info.get("task")).get("actions"))]
    # Where a run crashed, tau-bench writes the error, and a reward of 0 that nobody worked out.
    crashed = "error" in info
    return Simulation(
        id="",
        task=task,
        trial=count_of(told.get("trial"), _MOST_TRIALS),
        reward=None if crashed else told.get("reward"),
        error=text_of(info.get("error")) or ("an error without a message" if crashed else ""),
        user_cost_usd=user_cost,
        turns=len(replies) if replies else None,
        tool_calls=_tool_calls(replies) if replies else None,
        measures={"user_cost_usd@tau2": user_cost} if user_cost else {},
        actions=[name for name in actions if name],
    )


def _replies(told: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the messages that the agent's model wrote: its greeting is fixed, and has no usage."""
    messages = mappings_of(told.get("messages"))
    replies = [message for message in messages if message.get("role") == "assistant"]
    if replies and replies[0] is messages[0] and not mapping_of(replies[0].get("usage")):
        return replies[1:]
    return replies


def _tool_calls(replies: Sequence[Mapping[str, object]]) -> int:
    return sum(len(mappings_of(message.get("tool_calls"))) for message in replies)


def _tokens(replies: Sequence[Mapping[str, object]], usage: Mapping[str, object]) -> tuple[float | None, float | None]:
    """Return the agent's tokens, read and written; None where some reply does not tell its own."""
    records = [record for record in mappings_of(usage.get("records")) if record.get("billable") is not False]
    read = [amount_of(record.get("input_tokens")) for record in records]
    written = [amount_of(record.get("output_tokens")) for record in records]
    if not records:
        usages = [mapping_of(message.get("usage")) for message in replies]
        read = [amount_of(each.get("prompt_tokens")) for each in usages]
        written = [amount_of(each.get("completion_tokens")) for each in usages]
    return _sum(read), _sum(written)


def _sum(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return fsum(known) if known and len(known) == len(amounts) else None
