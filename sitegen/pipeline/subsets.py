"""Score results on some of their tasks: those that have chosen values on the benchmarks' axes.

`parse_filters` parses the filters that a user wrote, and `select_tasks` scores the matching tasks.
Scores, intervals and ranks are computed from boards with restricted task sets, never by filtering
computed numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.board import Board, make_boards
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import LabelFilter, TaskSet
from sitegen.pipeline.addressing import similar_names
from sitegen.pipeline.evaluating import Evaluation
from sitegen.problems import UsageError, listed

_MAX_LISTED = 40
"""The largest number of axes or values that a message lists."""


def parse_filters(
    texts: Iterable[str], evaluations: Iterable[Evaluation]
) -> tuple[LabelFilter, ...]:
    """Return the filters in texts such as `domain:web,data`.

    Args:
        texts: Texts of an axis and its values. A value may itself contain commas.
        evaluations: The results that define the valid axes and values.

    Raises:
        UsageError: A text has another form, or no task set has such an axis or value.
    """
    values_by_axis = _values_by_axis(evaluations)
    return tuple(_parse_filter(text, values_by_axis) for text in texts)


def _values_by_axis(evaluations: Iterable[Evaluation]) -> Mapping[str, Sequence[str]]:
    """Return the values of each axis: those declared by benchmarks and those used by tasks."""
    values: dict[str, dict[str, None]] = {}
    for evaluation in evaluations:
        for results in evaluation.results.benchmarks:
            for name, axis in results.benchmark.axes.items():
                values.setdefault(name, {}).update(dict.fromkeys(axis.values))
            for task_set in results.task_sets.values():
                for task in task_set.tasks:
                    for name, value in task.labels.items():
                        values.setdefault(name, {})[value] = None
    return {name: list(axis_values) for name, axis_values in values.items()}


def _parse_filter(text: str, values_by_axis: Mapping[str, Sequence[str]]) -> LabelFilter:
    axis, colon, values_text = text.partition(":")
    axis = axis.strip()
    if not values_by_axis:
        raise UsageError("`--tasks` picks tasks by their labels, but no task has a label")
    axes = listed(values_by_axis, _MAX_LISTED)
    if not colon:
        raise UsageError(f'write `--tasks` as AXIS:VALUE, not "{text}"; the axes are {axes}')
    if axis not in values_by_axis:
        similar = similar_names(axis, values_by_axis)
        raise UsageError(f'there is no axis "{axis}"{similar or f"; the axes are {axes}"}')
    return LabelFilter(axis, _parse_values(axis, values_text, values_by_axis[axis]))


def _parse_values(axis: str, text: str, axis_values: Sequence[str]) -> tuple[str, ...]:
    """Return the values in a comma-separated text; longer values are preferred."""
    parts = text.split(",")
    values = []
    start = 0
    while start < len(parts):
        end = _end_of_value(parts, start, axis_values)
        if end is None:
            unknown = parts[start].strip()
            similar = similar_names(unknown, axis_values)
            raise UsageError(
                f'axis {axis} has no value "{unknown}"{similar or ";"} '
                f"the values are {listed(axis_values, _MAX_LISTED, separator='; ')}"
            )
        values.append(",".join(parts[start:end]).strip())
        start = end
    return tuple(dict.fromkeys(values))


def _end_of_value(parts: Sequence[str], start: int, axis_values: Sequence[str]) -> int | None:
    """Return the end of the longest value that starts at a part; None if no value starts there."""
    for end in range(len(parts), start, -1):
        if ",".join(parts[start:end]).strip() in axis_values:
            return end
    return None


def select_tasks(
    evaluations: Iterable[Evaluation], filters: Sequence[LabelFilter]
) -> list[Evaluation]:
    """Return results scored and ranked on the tasks that match every filter.

    Boards without matching tasks are left out. Problems are those of the complete results, and are
    not determined again.

    Raises:
        UsageError: No task matches.
    """
    restricted = [_restrict(evaluation, filters) for evaluation in evaluations]
    for evaluation in restricted:
        if any(_requested_boards(evaluation)):
            return restricted
    words = " and ".join(map(str, filters))
    raise UsageError(f"no task matches {words}")


def _requested_boards(evaluation: Evaluation) -> Iterator[Board]:
    """Yield the requested boards: the board of the requested bundle, or else all boards."""
    if evaluation.bundle is None:
        yield from evaluation.all_boards()
        return
    for board, _ in evaluation.entries():
        yield board


def _restrict(evaluation: Evaluation, filters: Sequence[LabelFilter]) -> Evaluation:
    benchmarks = []
    boards: list[Sequence[Board]] = []
    for results, all_boards in zip(evaluation.results.benchmarks, evaluation.boards, strict=True):
        selected = _selected_task_sets(results, filters)
        restricted = replace(results, task_sets={**results.task_sets, **selected})
        benchmarks.append(restricted)
        if selected:
            made = make_boards(restricted, all_boards[0].waivers)
            boards.append([board for board in made if board.track.tasks in selected])
        else:
            boards.append(())
    restricted_results = replace(evaluation.results, benchmarks=tuple(benchmarks))
    return replace(evaluation, results=restricted_results, boards=boards)


def _selected_task_sets(
    results: BenchmarkResults, filters: Sequence[LabelFilter]
) -> dict[str, TaskSet]:
    """Return a benchmark's task sets reduced to matching tasks, by id, without empty sets."""
    selected = {}
    for name, tasks in results.task_sets.items():
        passing = tasks.select(filters)
        if passing.tasks:
            selected[name] = passing
    return selected


def boards_left_out(
    evaluations: Iterable[Evaluation], restricted: Iterable[Evaluation]
) -> Iterator[str]:
    """Yield the titles of requested boards with rows that are not in restricted results."""
    remaining = set()
    for evaluation in restricted:
        for board in evaluation.all_boards():
            remaining.add((board.benchmark.id, board.track.id))
    for evaluation in evaluations:
        for board in _requested_boards(evaluation):
            if board.all_entries and (board.benchmark.id, board.track.id) not in remaining:
                yield board.title
