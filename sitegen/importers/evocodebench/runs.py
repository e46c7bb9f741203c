"""Takes the runs of a publication out of its files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import IndexTask
from sitegen.importers.evocodebench.run import Run
from sitegen.importers.evocodebench.snapshot import Snapshot
from sitegen.importers.evocodebench.sweep import Sweep
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Roster
from sitegen.problems import Problem

_SHARE_ROUNDING = 0.0006
"""What a share printed to three places may be off."""


def runs_of(snapshot: Snapshot, roster: Roster, sweep: Sweep) -> tuple[Run, ...]:
    """Give every run, by task and then by agent, both in the order of the index."""
    return tuple(
        _run(snapshot, task, spelling, sweep, agent)
        for task in snapshot.tasks
        for spelling, agent in zip(snapshot.index.models, roster.names, strict=True)
        if spelling in snapshot.files[task.task].models
    )


def _run(snapshot: Snapshot, task: IndexTask, spelling: str, sweep: Sweep, agent: str) -> Run:
    file = snapshot.files[task.task]
    cells = tuple(file.models[spelling].get(str(number)) for number in range(1, task.n_rounds + 1))
    blank = file.score.get(spelling, 0) is None or task.score.get(spelling, 0) is None
    # A dash in the table alone does not take back what the files tell of.
    dashed = sweep.excludes(task.task, agent) and not any(cells)
    return Run(
        snapshot.path_of(task.task),
        task.task,
        agent,
        spelling,
        cells,
        excluded=blank or dashed,
        stated_passed=file.score.get(spelling),
        stated_share=task.score.get(spelling),
    )


def share_problems(index: Path, runs: Sequence[Run]) -> Iterator[Problem]:
    """Say once for which runs the index states another score than their rounds give."""
    apart = [f"{run.spelling} at {share}" for run in runs for share in other_share(run)]
    if apart:
        yield kit_rules.SCORE_DIFFERS.broken(
            index, None, f"`score` does not follow from the rounds of {'; '.join(apart)}"
        )


def other_share(run: Run) -> Iterator[str]:
    """Say which share of a run's rounds the index states, where it does not follow from them."""
    if run.stated_share is not None and abs(run.stated_share - run.passed / len(run.cells)) > _SHARE_ROUNDING:
        yield f"{run.task}: {run.stated_share:g}, and {run.passed} of {len(run.cells)} rounds passed"


def exclusion_problems(index: Path, runs: Sequence[Run]) -> Iterator[Problem]:
    """Say once which runs the source leaves out of the scores."""
    excluded = [f"{run.spelling} at {run.task}" for run in runs if run.excluded]
    if excluded:
        yield rules.EXCLUDED.broken(index, None, f"left out of the scores: {'; '.join(excluded)}")
