"""What is doubtful about a run, as readers of its bundle are told it: whose it is they know."""

from collections.abc import Iterator

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.listings import losing
from sitegen.importers.evocodebench.rounds import breaches
from sitegen.importers.evocodebench.run import Run
from sitegen.importers.evocodebench.runs import other_share
from sitegen.importers.evocodebench.sweep import Sweep, other_count
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.report import Doubt
from sitegen.problems import counted


def doubts_of(run: Run, sweep: Sweep) -> Iterator[Doubt]:
    """Say what is doubtful about a run by itself, and beside the table of sweeps."""
    yield from _about_rounds(run)
    if run.holes and not run.excluded:
        yield rules.VERDICT_HOLE, f"round {', '.join(map(str, run.holes))} of {run.task}"
    if run.silent_end and not run.excluded:
        yield rules.VERDICT_MISSING, f"{counted(run.silent_end, 'round')} of {run.task}"
    if run.stated_passed not in {None, run.passed}:
        what = f"{run.stated_passed} rounds passed, but {run.passed} have a reward of 1"
        yield kit_rules.SCORE_DIFFERS, f"{run.task}: {what}"
    yield from ((kit_rules.SCORE_DIFFERS, share) for share in other_share(run))
    yield from ((rules.SWEEP_DIFFERS, f"{run.task}: {count}") for count in other_count(sweep, run))


def _about_rounds(run: Run) -> Iterator[Doubt]:
    for number, cell in run.told:
        where = f"round {number} of {run.task}"
        yield from ((rule, f"{where} ({what})") for rule, what in breaches(cell))
        if cell.tells_excess:
            yield rules.LISTED_EXCESS, f"{where} ({cell.stated_failures:,} against {cell.failed or 0:,})"
        if lost := list(losing(cell)):
            yield rules.REASON_LOST, f"{where} ({counted(len(lost), 'requirement')})"
