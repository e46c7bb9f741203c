"""Puts the bundles of a table together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is

from sitegen.importers.kit.claims import Stated, described
from sitegen.importers.kit.report import Doubt, caveats_of
from sitegen.importers.table.gathering import Grid, Group
from sitegen.models.incoming import Draft
from sitegen.models.outcome import RoundResult
from sitegen.models.submission import CaseDetail, Detail, Submission
from sitegen.models.task import TaskSet


@dataclass(frozen=True, slots=True)
class Press:
    """Makes a bundle of each agent.

    Attributes:
        grid: The rounds that are expected.
        tasks: The tasks, with the cases that the table names.
        date: The day of the results.
        attempts: Attempts of the track, the most that an agent made.
        doubts: What is doubtful about every agent's rows.
    """

    grid: Grid
    tasks: TaskSet
    date: Date
    attempts: int
    doubts: Sequence[Doubt] = ()

    def draft(self, name: str, group: Group, stated: Stated | None) -> Draft:
        """Make a bundle.

        Args:
            name: Name of the bundle.
            group: The agent with its rows.
            stated: What was published about it.
        """
        listed = {
            (task.id, each.n): tuple(case.id for case in each.cases)
            for task in self.tasks.tasks
            for each in task.rounds
            if each.cases
        }
        results = tuple(_with_other_names(result, listed) for result in self.grid.results(group))
        submission = Submission(
            schema_version=1,
            track=self.tasks.id,
            date=self.date,
            attempts=group.attempts if group.attempts != self.attempts else None,
            caveats=caveats_of((*self.doubts, *self.grid.doubts(group))),
            agent=described(group.agent, stated),
            detail=Detail(cases=_detail(results)),
            claims=stated.claims if stated else None,
        )
        return Draft(name, submission, results)


def _with_other_names(result: RoundResult, listed: Mapping[tuple[str, int], tuple[str, ...]]) -> RoundResult:
    """Leave out the names of cases where they are those of the task's list."""
    if result.case_ids != listed.get((result.task, result.round)):
        return result
    return replace(result, case_ids=None)


def _detail(results: Sequence[RoundResult]) -> CaseDetail:
    scored = [result for result in results if result.state == "scored"]
    if scored and all(result.outcomes is not None for result in scored):
        return "all"
    return "counts" if any(result.total is not None for result in scored) else "none"
