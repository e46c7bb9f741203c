"""Turns the published failed cases into failures, and says what of them can't be kept."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import Cell, FailedRequirement, ListedCase
from sitegen.importers.evocodebench.run import Run
from sitegen.models.outcome import Failure
from sitegen.models.submission import CaseDetail
from sitegen.problems import Problem

CASE_TEXT_CUT = 170
"""Length that the source cuts a case's texts to."""

REASON_CUT = 140
"""Length that the source cuts a requirement's reason to."""


def failures_of(run: Run) -> Iterator[Failure]:
    """Give the failed cases of a run that are listed, in the order of the source."""
    for number, cell in run.told:
        if cell.state != "scored" and not run.excluded:
            continue
        for group in cell.fails:
            # The kind that a requirement states is that of its first failed case; the others may differ.
            for place, case in enumerate(group.cases):
                yield _failure(run, number, group, case, group.type if place == 0 else None)


def _failure(run: Run, number: int, group: FailedRequirement, case: ListedCase, category: str | None) -> Failure:
    texts = (case.intent, case.scenario, case.expected, case.actual, case.reason)
    intent, scenario, expected, actual, reason = (text or None for text in texts)
    return Failure(
        run.task,
        1,
        number,
        case.id,
        category=category,
        requirement=group.req,
        requirement_failed=group.n,
        intent=intent,
        scenario=scenario,
        expected=expected,
        actual=actual,
        reason=reason,
        truncated=CASE_TEXT_CUT in map(len, texts),
    )


def detail_of(runs: Sequence[Run]) -> CaseDetail:
    """Say how much of an agent's failed cases is listed."""
    verdicts = [cell for run in runs for cell in run.verdicts]
    if verdicts and not any(cell.total for cell in verdicts):
        return "none"
    if all(cell.lists_every_failure for cell in verdicts):
        return "failures"
    listed = any(group.cases for cell in verdicts for group in cell.fails)
    return "sample" if listed or not any(cell.failed for cell in verdicts) else "counts"


def excess_problems(runs: Sequence[Run]) -> Iterator[Problem]:
    """Say for each round which agents have more failures stated than counted."""
    excess: dict[tuple[Path, int], list[str]] = defaultdict(list)
    for run in runs:
        for number, cell in run.told:
            if cell.tells_excess:
                excess[run.path, number].append(f"{run.spelling} {cell.stated_failures} against {cell.failed or 0}")
    for (path, number), stated in excess.items():
        what = f"round {number} tells of more failures than it counts: {'; '.join(stated)}"
        yield rules.LISTED_EXCESS.broken(path, None, what)


def reason_problems(runs: Sequence[Run]) -> Iterator[Problem]:
    """Say once how many requirements have a reason that gets lost."""
    lost = [
        f"{group.req} in round {number} of {run.task}, {run.spelling}"
        for run in runs
        for number, cell in run.told
        for group in losing(cell)
    ]
    if lost:
        what = f"{len(lost)} failed requirements say what their first listed case does not; the first is {lost[0]}"
        yield rules.REASON_LOST.broken(runs[0].path.parent, None, what)


def losing(cell: Cell) -> Iterator[FailedRequirement]:
    """Give the failed requirements with a reason that gets lost."""
    for group in cell.fails:
        if not group.cases or group.reason.strip() not in _told_by(group.cases[0]):
            yield group


def _told_by(case: ListedCase) -> set[str]:
    """What a requirement says of itself where this is its first failed case: the source makes up for terse reasons."""
    made_up = f"expected {case.expected.strip() or '?'}, got {case.actual.strip() or '(empty)'}"
    texts = (case.reason.strip(), made_up, case.intent, "(no reason)")
    return {"", *(text[:REASON_CUT].strip() for text in texts)}
