"""Turns published cells into rounds, and says where a cell contradicts itself."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sitegen.errors import Problem, Rule
from sitegen.importers import rules
from sitegen.importers.evocodebench.files import Cell
from sitegen.importers.evocodebench.run import Run
from sitegen.models.outcome import PASS_REWARD, RoundResult

SILENT = "unknown: the source does not tell an aborted round from one never reached"
"""Why the first round without a verdict at a run's end was aborted, as far as the source says."""

HOLE = "unknown: the source has no verdict here, though it has one for a later round"
NO_REWARD = "the source has test output but no reward"


def results_of(run: Run) -> tuple[RoundResult, ...]:
    """Give every round of a run, those that were never reached included."""
    return tuple(
        _silent(run, number) if cell is None else _told(run, number, cell)
        for number, cell in enumerate(run.cells, start=1)
    )


def _silent(run: Run, number: int) -> RoundResult:
    """Make a round of which the source says nothing."""
    if run.excluded:
        return RoundResult(run.task, 1, number, "excluded", 0)
    if number > run.last_told + 1:
        return RoundResult(run.task, 1, number, "unreached", 0, passed=0, total=0)
    cause = HOLE if number < run.last_told else SILENT
    return RoundResult(run.task, 1, number, "aborted", 0, passed=0, total=0, cause=cause)


def _told(run: Run, number: int, cell: Cell) -> RoundResult:
    """Make a round from what the source says of it."""
    state = "excluded" if run.excluded else cell.state
    if state == "aborted":
        cause = NO_REWARD if cell.early is None else f"{NO_REWARD}; {cell.early}"
        return RoundResult(run.task, 1, number, "aborted", 0, passed=0, total=0, cause=cause)
    counted = bool(cell.total) or cell.state == "no_cases"
    return RoundResult(
        run.task,
        1,
        number,
        state,
        cell.reward or 0,
        passed=cell.passed if counted else None,
        total=cell.total if counted else None,
        skipped=cell.skipped if counted and cell.skipped > 0 else None,
        cause=cell.early or cell.note,
    )


def run_problems(run: Run) -> Iterator[Problem]:
    """Say where a run's cells contradict themselves or lack something."""
    for number, cell in enumerate(run.cells, start=1):
        for rule, what in _breaches(cell) if cell else ():
            yield rule.broken(run.path, None, f"{run.spelling}, round {number}: {what}")
    if run.holes and not run.excluded:
        named = ", ".join(map(str, run.holes))
        what = f"{run.spelling} has no verdict for round {named}, but one for round {run.last_told}"
        yield rules.VERDICT_HOLE.broken(run.path, None, what)
    if run.stated_passed not in {None, run.passed}:
        what = f"{run.spelling}: `score` states {run.stated_passed} rounds passed, but {run.passed} have a reward of 1"
        yield rules.SCORE_DIFFERS.broken(run.path, None, what)


def _breaches(cell: Cell) -> Iterator[tuple[Rule, str]]:
    if cell.total is not None and (cell.passed is None or cell.failed is None):
        yield rules.COUNTS_DIFFER, f"{cell.total} cases, but not how many of them passed and failed"
    elif cell.total is not None and cell.skipped < 0:
        yield rules.COUNTS_DIFFER, f"{cell.passed} passed and {cell.failed} failed are more than {cell.total} cases"
    elif cell.reward is None:
        yield rules.REWARD_MISSING, f"{cell.passed or 0} of {cell.total or 0} cases passed, but there is no reward"
    else:
        yield from _reward_breaches(cell, cell.reward)
    if cell.skipped > 0 and cell.total:
        counts = f"{cell.passed} passed and {cell.failed} failed of {cell.total} cases"
        yield rules.SKIPPED_CASES, f"{counts}: {cell.skipped} recorded as skipped"


def _reward_breaches(cell: Cell, reward: float) -> Iterator[tuple[Rule, str]]:
    if not 0 <= reward <= 1:
        yield rules.REWARD_CONTRADICTED, f"a reward of {reward:g}, which lies outside of 0 to 1"
    elif reward >= PASS_REWARD and cell.failed:
        yield rules.REWARD_CONTRADICTED, f"a reward of {reward:g} with {cell.failed} failed cases"
    elif reward >= PASS_REWARD and cell.total == 0 and cell.note is None:
        yield rules.REWARD_CONTRADICTED, f"a reward of {reward:g} without any case"
    elif reward < PASS_REWARD and cell.total and not cell.failed:
        yield (
            rules.REWARD_CONTRADICTED,
            f"a reward of {reward:g}, but {cell.passed} of {cell.total} cases passed and none failed",
        )


def silence_problems(runs: Sequence[Run]) -> Iterator[Problem]:
    """Say once how many runs end in rounds of which the source tells neither aborted nor never reached."""
    silent = [run for run in runs if run.silent_end and not run.excluded]
    if not silent:
        return
    by_agent: Counter[str] = Counter()
    for run in silent:
        by_agent[run.spelling] += run.silent_end
    named = ", ".join(f"{agent} ({rounds})" for agent, rounds in by_agent.items())
    what = f"rounds without a verdict at a run's end: {by_agent.total()}, in {len(silent)} of the runs: {named}"
    yield rules.VERDICT_MISSING.broken(silent[0].path.parent, None, what)
