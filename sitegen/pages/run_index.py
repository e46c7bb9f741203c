"""An index of a board's results by submission and task, without a container for each run.

A board of 1,000 submissions and 200 tasks has 200,000 runs. Every process that renders pages would
need a list and two dicts for each of them: hundreds of megabytes.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import Task

_TASK = attrgetter("task")


class RunIndex:
    """The results of submissions on the tasks of a track."""

    def __init__(self, tasks: Iterable[Task], bundles: Mapping[str, Bundle]) -> None:
        """Index the results of each submission, by its id; results on other tasks are left out."""
        self._positions = {task.id: position for position, task in enumerate(tasks)}
        self._bundles = bundles
        self._sorted_results: dict[str, tuple[Sequence[RoundResult], Sequence[int]]] = {}

    def results(self, submission_id: str, task_id: str) -> Sequence[RoundResult]:
        """Return the results of a submission on a task, in file order; empty if there are none."""
        position = self._positions.get(task_id)
        if position is None or submission_id not in self._bundles:
            return ()
        if submission_id not in self._sorted_results:
            self._sorted_results[submission_id] = self._sort(self._bundles[submission_id].rounds)
        results, starts = self._sorted_results[submission_id]
        return results[starts[position] : starts[position + 1]]

    def _sort(self, results: Sequence[RoundResult]) -> tuple[Sequence[RoundResult], Sequence[int]]:
        """Return results in the order of the tasks, and the position where each task begins.

        Most files already have this order, and their results are then not copied.
        """
        count = len(self._positions)
        positions = [self._positions.get(task_id, count) for task_id in map(_TASK, results)]
        in_order = sorted(positions)
        if positions != in_order:
            ranked = sorted(range(len(results)), key=positions.__getitem__)
            results = [results[index] for index in ranked]
        starts = [bisect_left(in_order, position) for position in range(count + 1)]
        return results, array("L", starts)
