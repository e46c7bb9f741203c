"""The track that runs of the fork make."""

from collections.abc import Sequence

from sitegen.importers.options import ImportOptions
from sitegen.metrics.catalogue import columns_of
from sitegen.metrics.failstop import MT_AT_K
from sitegen.models.benchmark import Track
from sitegen.models.task import Task


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
        headline=MT_AT_K.id,
        columns=columns_of("fail-stop", reference=sampled),
        groupings=_groupings(tasks),
    )


def _groupings(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Name the axes that tasks differ on, in the order of their first appearance."""
    values: dict[str, set[str]] = {}
    for task in tasks:
        for axis, value in task.labels.items():
            values.setdefault(axis, set()).add(value)
    return tuple(axis for axis, found in values.items() if len(found) > 1)
