"""Groups of tasks that share a value of an axis: those that are large enough to tell something of their kind."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sitegen.models.task import Task

FEWEST = 3
"""Tasks of the smallest group: one or two tell of themselves."""

_FEWEST_GROUPS = 2
"""One kind of tasks compares with nothing."""


def carriers_of(tasks: Iterable[Task], axis: str) -> Mapping[str, int]:
    """Count the tasks that carry each value of an axis, in the order of their first appearance."""
    return Counter(task.labels[axis] for task in tasks if axis in task.labels)


def groups_of(tasks: Sequence[Task], axis: str, order: Iterable[str] = ()) -> dict[str, int]:
    """Count the tasks of each group that is large enough; there is none where only one would be.

    Args:
        tasks: The tasks of a track.
        axis: The axis, by its key.
        order: Values that come first, in this order.
    """
    carriers = carriers_of(tasks, axis)
    values = dict.fromkeys((*order, *carriers))
    large = {value: carriers[value] for value in values if carriers.get(value, 0) >= FEWEST}
    return large if len(large) >= _FEWEST_GROUPS else {}


def left_out(tasks: Sequence[Task], groups: Mapping[str, int]) -> str:
    """Say how many tasks are in none of some groups; empty where there is none."""
    left = len(tasks) - sum(groups.values())
    verb = "is" if left == 1 else "are"
    return f"{left} of {len(tasks)} tasks {verb} in no group of at least {FEWEST}." if groups and left else ""
