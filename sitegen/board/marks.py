"""Which findings concern what of a track, so that every page can mark it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from sitegen.board.effects import rounds_under
from sitegen.models.finding import Finding, finding_ids
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import TaskSet


class Marked(NamedTuple):
    """A finding with its name in addresses."""

    id: str
    finding: Finding

    def concerns_row(self, row: str) -> bool:
        """Whether it concerns a row of the track."""
        return not self.finding.submissions or row in self.finding.submissions


@dataclass(frozen=True, slots=True)
class Marks:
    """The findings about one track, by what they concern.

    Attributes:
        all: Every finding, in the order they were recorded.
        by_round: Those that mark rounds, by task and round. A finding does where it names tasks or rounds, and where
            it changes their results; waivers and reproductions mark rows only.
        by_task: The same by task.
    """

    all: Sequence[Marked] = ()
    by_round: Mapping[tuple[str, int], Sequence[Marked]] = field(default_factory=dict)
    by_task: Mapping[str, Sequence[Marked]] = field(default_factory=dict)

    def on_round(self, row: str, task: str, number: int) -> Sequence[Marked]:
        """Give the findings that mark a round of a row; those about single cases mark the round, too."""
        found = self.by_round.get((task, number))
        return [each for each in found if each.concerns_row(row)] if found else ()

    def on_task(self, row: str, task: str) -> Sequence[Marked]:
        """Give the findings that mark any round of a task in a row."""
        found = self.by_task.get(task)
        return [each for each in found if each.concerns_row(row)] if found else ()

    def on_any_task(self) -> list[Marked]:
        """Give the findings that mark any round."""
        marking = {each.id for found in self.by_task.values() for each in found}
        return [each for each in self.all if each.id in marking]

    def on_row(self, row: str) -> list[Marked]:
        """Give the findings that name a row."""
        return [each for each in self.all if row in each.finding.submissions]

    def about_row(self, row: str) -> list[Marked]:
        """Give the findings that concern a row: that name it, or what it has results on."""
        return [each for each in self.all if each.concerns_row(row)]


def marks_of(results: BenchmarkResults, track: str, tasks: TaskSet) -> Marks:
    """Find what the findings of a benchmark concern on a track.

    Args:
        results: The benchmark's results.
        track: The track's id.
        tasks: Its task set.
    """
    if not results.findings:
        return Marks()
    found = list(_found(results, track, tasks))
    by_round: dict[tuple[str, int], list[Marked]] = defaultdict(list)
    by_task: dict[str, dict[str, Marked]] = defaultdict(dict)
    for each, task, number in _marked_rounds(found, tasks):
        by_round[task, number].append(each)
        by_task[task][each.id] = each
    return Marks(found, dict(by_round), {task: list(marks.values()) for task, marks in by_task.items()})


def _found(results: BenchmarkResults, track: str, tasks: TaskSet) -> Iterator[Marked]:
    """Give the findings that may be about a track: that name neither other tracks alone, nor only rows of others."""
    elsewhere = {bundle.id for bundle in results.bundles if bundle.submission.track != track}
    known = {task.id for task in tasks.tasks}
    for each in map(Marked, finding_ids(results.findings), results.findings):
        if each.finding.is_on(track) and _names_any(each.finding, known, elsewhere):
            yield each


def _names_any(finding: Finding, tasks: AbstractSet[str], elsewhere: AbstractSet[str]) -> bool:
    """Whether a finding names some of these tasks, and not only rows from elsewhere; no name means all."""
    is_elsewhere = bool(finding.submissions) and elsewhere >= {*finding.submissions}
    return not is_elsewhere and (not finding.tasks or not tasks or not tasks.isdisjoint(finding.tasks))


def _marked_rounds(found: Sequence[Marked], tasks: TaskSet) -> Iterator[tuple[Marked, str, int]]:
    for each in found:
        if _marks_rounds(each.finding):
            for task, defined in rounds_under(each.finding, tasks):
                yield each, task, defined.n


def _marks_rounds(finding: Finding) -> bool:
    if finding.kind in {"waiver", "reproduction"}:
        return False
    is_about_work = finding.tasks or finding.rounds
    return bool(is_about_work or (finding.changes_results and finding.effect != "withdraw"))
