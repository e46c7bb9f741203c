"""The track that runs of the fork make."""

from collections.abc import Sequence

from sitegen.importers.kit.options import ImportOptions
from sitegen.models.benchmark import Track
from sitegen.models.task import Task

_COLUMNS = ("mt_at_k", "sr", "gap", "comp", "avg_turns", "output_tokens_k")
_FROM_REFERENCE = frozenset({"sr", "gap"})
"""Metrics that need rounds from the reference state."""


def track_of(tasks: Sequence[Task], attempts: int, options: ImportOptions, *, sampled: bool) -> Track:
    """Describe the track.

    Args:
        tasks: Those in the task set.
        attempts: The most that an agent made at a task.
        options: Id of the track.
        sampled: Whether rounds were run from the reference state.
    """
    return Track(
        id=options.track,
        title=options.track.replace("-", " ").replace("_", " ").capitalize(),
        summary="Harbor's multi-turn fork: one session a run, which ends with the first round that it does not pass.",
        protocol="fail-stop",
        attempts=attempts,
        reference_rounds=sampled,
        tasks=options.track,
        headline="mt_at_k",
        columns=_COLUMNS if sampled else tuple(name for name in _COLUMNS if name not in _FROM_REFERENCE),
        groupings=_groupings(tasks),
    )


def _groupings(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Name the axes that tasks differ on, in the order of their first appearance."""
    values: dict[str, set[str]] = {}
    for task in tasks:
        for axis, value in task.labels.items():
            values.setdefault(axis, set()).add(value)
    return tuple(axis for axis, found in values.items() if len(found) > 1)
