"""Define which submissions and table lines belong to the same agent, for all comparisons.

An agent is identified by its name, in the benchmark's spelling, its scaffold and its reasoning
setting. `is_same_agent` is the definition. `closest_of_agent` finds a counterpart on another track,
and `counterpart_of` a counterpart in an earlier state of a board.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Protocol, TypeVar

T = TypeVar("T")

OneName = Callable[[str], str]
"""Maps any spelling of an agent's name to the benchmark's spelling."""


class NamedAgent(Protocol):
    """Anything that names an agent: an agent, a line of a reported table, or a row of a release."""

    @property
    def name(self) -> str:
        """The agent's name."""

    @property
    def scaffold(self) -> str | None:
        """The program that drives the agent's model; None if not stated."""

    @property
    def reasoning(self) -> str | None:
        """The reasoning setting; None if not stated."""


_SETTINGS = attrgetter("scaffold", "reasoning")


def is_same_agent(agent: NamedAgent, other: NamedAgent, name_of: OneName = str) -> bool:
    """Return whether two agents have the same name and no differing settings.

    Settings are compared without regard to case. A setting that only one of the agents states
    does not count as a difference.

    Args:
        agent: An agent.
        other: The agent to compare with.
        name_of: Returns the benchmark's spelling of a name; by default, names are compared as
            written.
    """
    if name_of(agent.name) != name_of(other.name):
        return False
    for setting, other_setting in zip(_SETTINGS(agent), _SETTINGS(other), strict=True):
        if setting and other_setting and setting.casefold() != other_setting.casefold():
            return False
    return True


def shared_settings(agent: NamedAgent, other: NamedAgent) -> int:
    """Return how many settings (scaffold, reasoning) are equal; two unstated settings are equal."""
    shared = 0
    for setting, other_setting in zip(_SETTINGS(agent), _SETTINGS(other), strict=True):
        if (setting or "").casefold() == (other_setting or "").casefold():
            shared += 1
    return shared


def has_same_settings(agent: NamedAgent, other: NamedAgent) -> bool:
    """Return whether scaffold and reasoning are equal, and stated by both agents or by neither.

    This is stricter than `is_same_agent`, for which an unstated setting matches any value.
    """
    return shared_settings(agent, other) == len(_SETTINGS(agent))


def closest_of_agent(
    agent: NamedAgent,
    candidates: Iterable[T],
    agent_of: Callable[[T], NamedAgent],
    name_of: OneName = str,
) -> T | None:
    """Return the candidate that belongs to the same agent and shares the most settings with it.

    Args:
        agent: The agent.
        candidates: The candidates to choose from.
        agent_of: Returns the agent of a candidate.
        name_of: Returns the benchmark's spelling of a name; by default, names are compared as
            written.

    Returns:
        The candidate; None if no candidate belongs to the agent, or if several candidates share
            the most settings.
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
    """Return the row of an earlier state that a new row replaces, matched by agent.

    Args:
        row: The new row, an item of `new`.
        new: All rows that only the later state has.
        gone: All rows that only the earlier state has.
        agent_of: Returns the agent of a row.

    Returns:
        The earlier row; None unless each of the two rows is the closest to the other.
    """
    closest = closest_of_agent(agent_of(row), gone, agent_of)
    if closest is None or closest_of_agent(agent_of(closest), new, agent_of) is not row:
        return None
    return closest
