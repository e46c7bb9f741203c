"""Turns published cells into rounds, and says where a cell contradicts itself."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import Cell
from sitegen.importers.evocodebench.run import Run
from sitegen.importers.kit import rules as kit_rules
from sitegen.models.outcome import PASS_REWARD, RoundResult
from sitegen.problems import Problem, Rule

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
    if cell.reward is None and not run.excluded:
        cause = "; ".join(filter(None, (NO_REWARD, cell.early)))
        return RoundResult(run.task, 1, number, "aborted", 0, passed=0, total=0, cause=cause)
    passed, total = cell.counts
    return RoundResult(
        run.task,
        1,
        number,
        "excluded" if run.excluded else cell.state,
        cell.reward or 0,
        passed=passed,
        total=total,
        skipped=cell.skipped if total and cell.skipped else None,
        cause=cell.early or cell.note or cell.stopped_at,
    )


def run_problems(run: Run) -> Iterator[Problem]:
    """Say where a run's cells contradict themselves or lack something."""
    for number, cell in run.told:
        for rule, what in breaches(cell):
            yield rule.broken(run.path, None, f"{run.spelling}, round {number}: {what}")
    if run.holes and not run.excluded:
        named = ", ".join(map(str, run.holes))
        what = f"{run.spelling} has no verdict for round {named}, but one for round {run.last_told}"
        yield rules.VERDICT_HOLE.broken(run.path, None, what)
    if run.stated_passed not in {None, run.passed}:
        what = f"{run.spelling}: `score` states {run.stated_passed} rounds passed, but {run.passed} have a reward of 1"
        yield kit_rules.SCORE_DIFFERS.broken(run.path, None, what)


def breaches(cell: Cell) -> Iterator[tuple[Rule, str]]:
    """Say where a cell contradicts itself or lacks something: the broken rule, and the fact."""
    counts = f"{cell.passed} passed and {cell.failed} failed"
    if cell.skipped < 0:
        yield rules.COUNTS_DIFFER, f"{counts} are more than {cell.total} cases"
    elif cell.reward is None:
        yield rules.REWARD_MISSING, "there is test output, but no reward"
    elif fault := _contradiction(cell, cell.reward):
        yield rules.REWARD_CONTRADICTED, f"a reward of {cell.reward:g}{fault}"
    if cell.skipped > 0:
        yield rules.SKIPPED_CASES, f"{counts} of {cell.total} cases: {cell.skipped} recorded as skipped"


def _contradiction(cell: Cell, reward: float) -> str | None:
    """Say what speaks against a reward; None where nothing does."""
    if not 0 <= reward <= 1:
        return ", which lies outside of 0 to 1"
    if reward >= PASS_REWARD:
        return _contradiction_of_pass(cell)
    if cell.total and not cell.failed:
        return f", but {cell.passed} of {cell.total} cases passed and none failed"
    return None


def _contradiction_of_pass(cell: Cell) -> str | None:
    if cell.failed:
        return f" with {cell.failed} failed cases"
    if cell.total == 0 and cell.note is None:
        return " without any case"
    return None


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
