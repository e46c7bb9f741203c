"""Attempts: which run tells of which round of a try at a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.harbor_multiturn.course import Course
from sitegen.importers.harbor_multiturn.kinds import Lineage
from sitegen.importers.harbor_multiturn.runs import Run


@dataclass(frozen=True, slots=True)
class Cell:
    """What is known of one round of a try.

    Attributes:
        course: The run that tells of it.
        before: The run that this one goes on from, where each round of a try is a run of its own.
        parent: Which try of the fan-out that run belongs to, from 1.
    """

    course: Course
    before: Course | None = None
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class Try:
    """One try at a task.

    Attributes:
        head: The run that it began with.
        cells: Its rounds by number; those that it did not reach are left out.
        whole: The run whose figures are the try's, where they are not known by round.
    """

    head: Run
    cells: Mapping[int, Cell]
    whole: Course | None = None

    @property
    def order(self) -> tuple[str, ...]:
        """Where it stands among the tries of its agent: by job and name, so by time where jobs are named after it."""
        return self.head.place


def plain_tries(courses: Sequence[Course], lineage: Lineage) -> tuple[list[Try], list[Course]]:
    """Make one try of each attempt, together with the runs that go on from it.

    Where several runs go on from the same one, the latest counts. A resume is no further attempt: it takes the place
    of what it goes on from, as one does that is made in its own place.

    Args:
        courses: The attempts and the resumed runs of one agent at one task.
        lineage: Finds what a run goes on from.

    Returns:
        The tries, and the runs that are part of none.
    """
    heads, heirs = _heads(courses, lineage)
    tries = [_followed(head, heirs) for head in heads]
    used = {cell.course.run.path for each in tries for cell in each.cells.values()}
    return tries, [course for course in courses if course.run.path not in used]


def _heads(courses: Sequence[Course], lineage: Lineage) -> tuple[list[Course], dict[Path, list[Course]]]:
    """Tell the runs that begin a try from those that go on from one of these runs, by the folder of that one."""
    here = {course.run.path for course in courses}
    heads: list[Course] = []
    heirs: dict[Path, list[Course]] = {}
    for course in courses:
        goes_on = course.run.goes_on and not course.run.is_in_place
        origin = lineage.origin(course.run) if goes_on else None
        if origin is not None and origin.path in here:
            heirs.setdefault(origin.path, []).append(course)
        else:
            heads.append(course)
    return heads, heirs


def _followed(head: Course, heirs: Mapping[Path, Sequence[Course]]) -> Try:
    """Follow an attempt through the runs that go on from it."""
    cells = {number: Cell(head) for number in head.rows}
    course = head
    while later := heirs.get(course.run.path):
        course = max(later, key=lambda each: each.run.age)
        cells = {number: cell for number, cell in cells.items() if number < course.run.start}
        cells |= {number: Cell(course) for number in course.own}
    return Try(head.run, cells, course)
