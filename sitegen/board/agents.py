"""Which submissions and table lines are of one agent: the definition that all comparisons use.

An agent is its name, under the benchmark's one spelling, with its scaffold and reasoning setting.
`is_same_agent` is the definition. `closest_of_agent` picks a counterpart on another track, and
`counterpart_of` one in an earlier state of a board.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Protocol, TypeVar

T = TypeVar("T")

OneName = Callable[[str], str]
"""Returns the benchmark's name of an agent, whatever its spelling."""


class NamedAgent(Protocol):
    """An agent, a line of a reported table, or a row of a release: what names an agent."""

    @property
    def name(self) -> str:
        """The agent's name."""

    @property
    def scaffold(self) -> str | None:
        """The program that drives its model; None where it is not stated."""

    @property
    def reasoning(self) -> str | None:
        """The reasoning setting; None where it is not stated."""


_SETTINGS = attrgetter("scaffold", "reasoning")


def is_same_agent(agent: NamedAgent, other: NamedAgent, name_of: OneName = str) -> bool:
    """Return whether two agents are the same: by name, and by every setting that both state.

    Upper and lower case of settings do not matter. Where only one of the two states a setting, the
    other may have the same one.

    Args:
        agent: An agent.
        other: Another one.
        name_of: Returns the one name of an agent; names count as they are where it is not given.
    """
    if name_of(agent.name) != name_of(other.name):
        return False
    for setting, other_setting in zip(_SETTINGS(agent), _SETTINGS(other), strict=True):
        if setting and other_setting and setting.casefold() != other_setting.casefold():
            return False
    return True


def shared_settings(agent: NamedAgent, other: NamedAgent) -> int:
    """Return how many of scaffold and reasoning are equal; two that are not stated are equal."""
    shared = 0
    for setting, other_setting in zip(_SETTINGS(agent), _SETTINGS(other), strict=True):
        if (setting or "").casefold() == (other_setting or "").casefold():
            shared += 1
    return shared


def has_same_settings(agent: NamedAgent, other: NamedAgent) -> bool:
    """Return whether scaffold and reasoning are equal, and stated by both or by neither.

    This asks more than `is_same_agent`, which lets an unstated setting be any.
    """
    return shared_settings(agent, other) == len(_SETTINGS(agent))


def closest_of_agent(
    agent: NamedAgent,
    candidates: Iterable[T],
    agent_of: Callable[[T], NamedAgent],
    name_of: OneName = str,
) -> T | None:
    """Return the candidate of the same agent; of several, the only one that shares most settings.

    Args:
        agent: The agent.
        candidates: What to choose from.
        agent_of: Returns the agent of a candidate.
        name_of: Returns the one name of an agent; names count as they are where it is not given.

    Returns:
        The candidate; None where none is of the agent, or where several share as many settings.
    """
    best: list[T] = []
    most = -1
    for candidate in candidates:
        candidate_agent = agent_of(candidate)
        if not is_same_agent(agent, candidate_agent, name_of):
            continue
        shared = shared_settings(agent, candidate_agent)
        if shared > most:
            best = []
            most = shared
        if shared == most:
            best.append(candidate)
    if len(best) != 1:
        return None
    return best[0]


def counterpart_of(
    row: T, new: Sequence[T], gone: Sequence[T], agent_of: Callable[[T], NamedAgent]
) -> T | None:
    """Return the row of an earlier state that a new row is a later form of, by its agent.

    Args:
        row: The new row, one of `new`.
        new: All rows that only the later state has.
        gone: All rows that only the earlier state has.
        agent_of: Returns the agent of a row.

    Returns:
        The row that is gone; None unless each of the two is the closest to the other.
    """
    closest = closest_of_agent(agent_of(row), gone, agent_of)
    if closest is None or closest_of_agent(agent_of(closest), new, agent_of) is not row:
        return None
    return closest
