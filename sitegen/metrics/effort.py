"""What a full task takes: turns and tokens, with partial runs scaled to the full task."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from statistics import fmean

from sitegen.metrics.gaps import Extent, MetricError
from sitegen.metrics.grids import Sheet, TaskGrid


def avg_turns(tasks: Sequence[TaskGrid]) -> float:
    """Turns that a full task takes, partial runs scaled to the full task.

    Args:
        tasks: Results by task.

    Returns:
        Turns, at least 0; attempts are averaged first, then tasks.

    Formula:
        Avg Turns = mean_t mean_a turns(t, a) · rounds(t) / covered(t, a)

        mean_a, mean_t: over the attempts, and then the tasks, whose turns were counted
        turns(t, a): replies that the model gave in the rounds that attempt a at task t covers
        rounds(t): all rounds of task t
        covered(t, a): rounds that the turns were counted in; all of them where targets are graded at the end

    Raises:
        MetricError: Nobody counted turns, or those of fewer than 80 % of the runs or of the rounds that they reached.
            Runs and tasks without a count are left out of the means.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4 and appendix F.1: "Avg. Turns"; the same mean stands in
        table 2 of RoadmapBench, arXiv:2605.15846.
    """
    return _per_full_task(tasks, "turns")


def output_tokens_k(tasks: Sequence[TaskGrid]) -> float:
    """Thousands of output tokens that a full task takes, partial runs scaled to the full task.

    Args:
        tasks: Results by task.

    Returns:
        Thousands of tokens, at least 0; attempts are averaged first, then tasks.

    Formula:
        Output Tokens = mean_t mean_a tokens(t, a) / 1000 · rounds(t) / covered(t, a)

        mean_a, mean_t: over the attempts, and then the tasks, whose tokens were counted
        tokens(t, a): tokens that the model gave out in the rounds that attempt a at task t covers
        rounds(t): all rounds of task t
        covered(t, a): rounds that the tokens were counted in; all of them where targets are graded at the end

    Raises:
        MetricError: Nobody counted output tokens, or those of fewer than 80 % of the runs or of the rounds that they
            reached. Runs and tasks without a count are left out of the means.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4 and appendix F.1: "Output Tok. (K)"; the same mean stands in
        table 2 of RoadmapBench, arXiv:2605.15846.
    """
    return _per_full_task(tasks, "output_tokens") / 1000


def with_turns(sheet: Sheet) -> Extent:
    """Say of how many of the runs that were made the turns are known."""
    return _with(sheet, "turns")


def with_output_tokens(sheet: Sheet) -> Extent:
    """Say of how many of the runs that were made the output tokens are known."""
    return _with(sheet, "output_tokens")


def _with(sheet: Sheet, figure: str) -> Extent:
    """Count what a figure is known of: runs, or the rounds that they reached, whichever is the smaller part."""
    covered = [covered for grid in sheet.tasks for _, covered in _runs(grid, figure)]
    worked = [len(each) for grid in sheet.tasks for each in grid.worked if each]
    return Extent(len(covered), len(worked), "run").narrower(Extent(sum(covered), sum(worked), "round"))


def _per_full_task(tasks: Sequence[TaskGrid], figure: str) -> float:
    """Mean of a figure over runs, each scaled from the rounds it covers to its full task.

    Args:
        tasks: Results by task.
        figure: Name of a field that rounds and runs share.
    """
    by_task = ((len(grid.rounds), list(_runs(grid, figure))) for grid in tasks)
    measured = [fmean(total * full / covered for total, covered in runs) for full, runs in by_task if runs]
    if not measured:
        raise MetricError(f"no {figure.replace('_', ' ')} were counted")
    return fmean(measured)


def _runs(grid: TaskGrid, figure: str) -> Iterator[tuple[float, int]]:
    """Give the figure of each run that has one, and how many rounds it covers."""
    by_round = attrgetter(figure)
    for worked, run in zip(grid.worked, grid.runs, strict=True):
        own = [value for value in map(by_round, worked) if value is not None]
        total = sum(own) if own else getattr(run, figure, None)
        if total is not None and worked:
            yield total, len(own) or len(worked)
