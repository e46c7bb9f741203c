"""Fan-outs: every round is tried several times from what one run of the round before left.

A fan-out has as many tries as its widest round. The first is the line of runs that went furthest, each going on from
the one before; the others hold the runs beside that line, round by round, each of which began from it as well. So a
round is passed by some try exactly where a run of it passed, as in attempts that know nothing of each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.harbor_multiturn.course import Course
from sitegen.importers.harbor_multiturn.kinds import Lineage
from sitegen.importers.harbor_multiturn.names import Branch, branch_of
from sitegen.importers.harbor_multiturn.runs import Run
from sitegen.importers.harbor_multiturn.tries import Cell, Try
from sitegen.models.outcome import PASS_REWARD


@dataclass(frozen=True, slots=True)
class FanOut:
    """The runs of one fan-out.

    Attributes:
        levels: Its runs by round, in the order of their names' numbers.
        parents: The run that a run goes on from, by the run's folder; none for roots and where it is not here.
    """

    levels: Mapping[int, Sequence[Course]]
    parents: Mapping[Path, Course]

    @property
    def widths(self) -> dict[int, int]:
        """Runs by round."""
        return {number: len(level) for number, level in self.levels.items()}

    def trunk(self) -> dict[int, Course]:
        """Give the line of runs that went furthest, by round. Of rounds whose run is not here the next one tells."""
        deepest = self.levels[max(self.levels)]
        number = max(self.levels)
        course: Course | None = next((each for each in deepest if _passed(each, number)), deepest[0])
        line: dict[int, Course] = {}
        while course is not None:
            line[_branch(course.run).round] = course
            course = self.parents.get(course.run.path)
        inherited = {number: course for last, course in line.items() for number in course.rows if number < last}
        return inherited | line

    def tries(self) -> list[Try]:
        """Lay the runs out as tries."""
        lines = [self.trunk(), *self._beside()]
        places = {course.run.path: place for place, line in enumerate(lines, 1) for course in line.values()}
        head = self.levels[min(self.levels)][0].run
        return [Try(head, dict(self._cells(line, places))) for line in lines]

    def _beside(self) -> list[dict[int, Course]]:
        """Lay out the runs beside the line that went furthest, by round."""
        trunk = self.trunk()
        levels = {
            number: [each for each in level if each is not trunk.get(number)] for number, level in self.levels.items()
        }
        width = max(map(len, levels.values()))
        return [
            {number: level[place] for number, level in levels.items() if place < len(level)} for place in range(width)
        ]

    def _cells(self, line: Mapping[int, Course], places: Mapping[Path, int]) -> Iterator[tuple[int, Cell]]:
        for number, course in sorted(line.items()):
            before = self.parents.get(course.run.path) if number == _branch(course.run).round else None
            yield number, Cell(course, before, places[before.run.path] if before else None)

    def lines(self) -> Iterator[str]:
        """Say which run of each round the next one went on from, by the numbers in their names."""
        for number, course in sorted(self.trunk().items()):
            branch = _branch(course.run)
            if branch.round == number:
                yield f"round {number} a{branch.number}"


def fan_outs(courses: Sequence[Course], lineage: Lineage) -> list[FanOut]:
    """Put the branches of one agent at one task together, one fan-out for each job that one was begun in."""
    here = {course.run.path: course for course in courses}
    parents: dict[Path, Course] = {}
    for course in courses:
        parent = lineage.parent(course.run)
        known = here.get(parent.path) if parent else None
        if known and _branch(known.run).round < _branch(course.run).round:
            parents[course.run.path] = known
    groups: dict[tuple[str, ...], list[Course]] = {}
    for course in courses:
        groups.setdefault(_top(course, parents).run.job, []).append(course)
    return [FanOut(_levels(group), parents) for _, group in sorted(groups.items())]


def _top(course: Course, parents: Mapping[Path, Course]) -> Course:
    while course.run.path in parents:
        course = parents[course.run.path]
    return course


def _levels(courses: Sequence[Course]) -> dict[int, list[Course]]:
    levels: dict[int, list[Course]] = {}
    for course in sorted(courses, key=_order):
        levels.setdefault(_branch(course.run).round, []).append(course)
    return dict(sorted(levels.items()))


def _order(course: Course) -> tuple[int, int, tuple[str, ...]]:
    branch = _branch(course.run)
    return branch.parent or 0, branch.number, course.run.place


def _branch(run: Run) -> Branch:
    """Give the place of a run that is known to be a branch."""
    return branch_of(run.name) or Branch(run.start, 0)


def _passed(course: Course, number: int) -> bool:
    row = course.rows.get(number)
    return row is not None and (row.verdict or 0) >= PASS_REWARD
