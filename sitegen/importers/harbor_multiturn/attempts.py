"""What an agent has to show: its attempts at each task, by the runs that tell of them, and its single rounds.

A re-run after a mishap is no further attempt. A fan-out tries every round several times from what one run of the round
before left, and has as many tries as its widest round. The first is the line of runs that went furthest, each going on
from the one before; the others hold the runs beside that line, round by round, each of which began from it as well. So
a round is passed by some try exactly where a run of it passed, as in attempts that know nothing of each other.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from sitegen.importers.harbor.stream import pick
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.kinds import Kind, Lineage
from sitegen.importers.harbor_multiturn.runs import COMPLETED, RowFile, Run
from sitegen.importers.harbor_multiturn.tree import Branch
from sitegen.importers.kit.agents import Entrant, repeated
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.outcome import PASS_REWARD
from sitegen.reading.files import read_head

_REWARD = re.compile(r"round_(?P<round>[1-9]\d{0,3})_reward\.(?:txt|json)")
_SHORT = 1000
"""Bytes of a reward's file: it holds one number."""


@dataclass(frozen=True, slots=True)
class Course:
    """What a run went through."""

    run: Run
    rows: Mapping[int, RowFile]
    """Its rounds by number, those that it took over included."""

    @property
    def own(self) -> dict[int, RowFile]:
        """The rounds that the run went through itself."""
        return {number: row for number, row in self.rows.items() if number >= self.run.start}


def course_of(run: Run, spot: Spot, report: Report) -> Course:
    """Give what a run went through, and say what is wrong with how it is told.

    A run that ended with an exception before the verdict of a round was in that round when it ended. One that was to
    begin late and lists none of its rounds never came to the first: the reference solution failed before it.
    """
    rows: dict[int, RowFile] = {}
    names = run.verifier.files if run.verifier else ()
    for number in sorted({int(match["round"]) for name in names if (match := _REWARD.fullmatch(name))}):
        reward, code = _stated_reward(run, number), _text(run, f"round_{number}_test-exit-code.txt") or "0"
        if reward is not None and code.strip() == "0":  # a test that ended with an error has no reward that counts
            rows[number] = RowFile(round=number, reward=reward, status=COMPLETED)
    if run.rows is not None:
        _check(run, spot, report)
        # Of the rounds before its start only the verifier may tell.
        before = {number: row for number, row in rows.items() if number < run.start}
        rows = dict(sorted((before | {row.round: row for row in run.rows}).items()))
    elif rows:
        report.doubt(rules.ROWS_MISSING, run.path, spot, f"round {', '.join(map(str, rows))}")
    if run.exception not in {None, "CancelledError"}:
        reached = max([run.start - 1, *rows]) + 1
        last = rows.get(reached - 1)
        goes_on = (last is None or last.reward == 1) and (run.last is None or reached <= run.last)
        if goes_on and (rows or run.rows is None or run.start == 1 or run.origin is not None):
            rows[reached] = RowFile(round=reached)
    return Course(run, rows)


def _check(run: Run, spot: Spot, report: Report) -> None:
    """Say what is wrong with a run's list of rounds, and where the verifier left another reward than it has."""
    rows = run.rows or ()
    if twice := repeated(str(row.round) for row in rows):
        report.doubt(rules.ROUND_TWICE, run.path, spot, f"round {', '.join(twice)}")
    for row in rows:
        if row.reward is not None and not 0 <= row.reward <= 1:
            report.doubt(rules.REWARD_RANGE, run.path, spot, f"round {row.round} has a reward of {row.reward:g}")
    for row in rows:
        kept = _stated_reward(run, row.round) if row.status == COMPLETED else None
        if kept not in {None, row.reward}:
            stated = "none" if row.reward is None else f"{row.reward:g}"
            what = f"the reward of round {row.round} is {stated} in the list, {kept:g} in the file"
            report.doubt(rules.REWARD_DIFFERS, run.path, spot, what)


def _stated_reward(run: Run, number: int) -> float | None:
    """The reward in the verifier's file of a round, as the fork looks it up; None where there is none."""
    text = _text(run, f"round_{number}_reward.txt")
    if text is None:
        path = run.verifier.file(f"round_{number}_reward.json") if run.verifier else None
        value = pick(path, {"reward": None})[0] if path else None
        text = str(value.get("reward")) if isinstance(value, dict) else ""
    try:
        reward = float(text)
    except ValueError:
        return None
    return reward if isfinite(reward) else None


def _text(run: Run, name: str) -> str | None:
    path = run.verifier.file(name) if run.verifier else None
    text = read_head(path, _SHORT) if path else None
    return None if text is None else text.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Cell:
    """What is known of one round of a try."""

    course: Course
    """The run that tells of it."""
    before: Course | None = None
    """The run that this one goes on from, where each round of a try is a run of its own."""
    parent: int | None = None
    """Which try of the fan-out that run belongs to, from 1."""


@dataclass(frozen=True, slots=True)
class Try:
    """One try at a task."""

    head: Run
    """The run that it began with."""
    cells: Mapping[int, Cell]
    """Its rounds by number; those that it did not reach are left out."""
    whole: Course | None = None
    """The run whose figures are the try's, where they are not known by round."""


@dataclass(frozen=True, slots=True)
class FanOut:
    """The runs of one fan-out."""

    levels: Mapping[int, Sequence[Course]]
    """By round, in the order of their names' numbers."""
    parents: Mapping[Path, Course]
    """The run that a run goes on from, by the run's folder; none for roots and where it is not here."""

    @property
    def widths(self) -> dict[int, int]:
        """Runs by round."""
        return {number: len(level) for number, level in self.levels.items()}

    def trunk(self) -> dict[int, Course]:
        """The line of runs that went furthest, by round. Of rounds whose run is not here the next one tells."""
        number = max(self.levels)
        deepest = self.levels[number]
        passed = (each for each in deepest if number in each.rows and (each.rows[number].verdict or 0) >= PASS_REWARD)
        course: Course | None = next(passed, deepest[0])
        line: dict[int, Course] = {}
        while course is not None:
            line[_branch(course).round] = course
            course = self.parents.get(course.run.path)
        inherited = {number: course for last, course in line.items() for number in course.rows if number < last}
        return inherited | line

    def tries(self) -> list[Try]:
        """Lay the runs out as tries."""
        trunk = self.trunk()
        beside = {
            number: [each for each in level if each is not trunk.get(number)] for number, level in self.levels.items()
        }
        lines = [
            trunk,
            *(
                {number: level[place] for number, level in beside.items() if place < len(level)}
                for place in range(max(map(len, beside.values())))
            ),
        ]
        places = {course.run.path: place for place, line in enumerate(lines, start=1) for course in line.values()}
        tries = []
        for line in lines:
            cells = {}
            for number, course in sorted(line.items()):
                before = self.parents.get(course.run.path) if number == _branch(course).round else None
                cells[number] = Cell(course, before, places[before.run.path] if before else None)
            tries.append(Try(self.levels[min(self.levels)][0].run, cells))
        return tries

    def line(self) -> str:
        """Which run of each round the next one went on from, by the numbers in their names."""
        told = ((number, _branch(course)) for number, course in sorted(self.trunk().items()))
        return ", ".join(f"round {number} a{branch.number}" for number, branch in told if branch.round == number)


def _branch(course: Course) -> Branch:
    """The place of a run that is known to be a branch."""
    return course.run.branch or Branch(course.run.start, 0)


def fan_outs(courses: Sequence[Course], lineage: Lineage) -> list[FanOut]:
    """Put the branches of one agent at one task together, one fan-out for each job that one was begun in."""
    here = {course.run.path: course for course in courses}
    parents: dict[Path, Course] = {}
    for course in courses:
        parent = lineage.parent(course.run)
        known = here.get(parent.path) if parent else None
        if known and _branch(known).round < _branch(course).round:
            parents[course.run.path] = known
    jobs: defaultdict[tuple[str, ...], defaultdict[int, list[Course]]] = defaultdict(lambda: defaultdict(list))
    for course in sorted(courses, key=lambda each: (_branch(each).parent or 0, _branch(each).number, each.run.place)):
        top = course
        while top.run.path in parents:
            top = parents[top.run.path]
        jobs[top.run.job][_branch(course).round].append(course)
    return [
        FanOut(dict(sorted(levels.items())), parents) for _, levels in sorted(jobs.items(), key=lambda each: each[0])
    ]


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
    here = {course.run.path for course in courses}
    heads: list[Course] = []
    later: defaultdict[Path, list[Course]] = defaultdict(list)
    for course in courses:
        origin = lineage.origin(course.run) if course.run.goes_on else None
        if origin is not None and origin.path in here:
            later[origin.path].append(course)
        else:
            heads.append(course)
    tries = []
    for head in heads:
        course, cells = head, {number: Cell(head) for number in head.rows}
        while course.run.path in later:
            course = max(later[course.run.path], key=lambda each: each.run.age)
            cells = {number: cell for number, cell in cells.items() if number < course.run.start}
            cells |= {number: Cell(course) for number in course.own}
        tries.append(Try(head.run, cells, course))
    used = {cell.course.run.path for each in tries for cell in each.cells.values()}
    return tries, [course for course in courses if course.run.path not in used]


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts of one agent."""

    made: int
    """Attempts at each task; 1 where there is none, as no bundle has fewer."""
    tries: Mapping[str, Sequence[Try]]
    """Those at each task, in their order; fewer than `made` where some are not here."""
    surplus: Mapping[str, Sequence[Try]]
    """Tries beyond that number, by task."""

    @classmethod
    def of(cls, found: Mapping[str, Sequence[Try]]) -> "Attempts":
        """Number the tries at each task from 1, by job and name, so by time where jobs are named after it.

        The number of attempts is that of most tasks, the larger one where two are as frequent: a task with a try
        more than the others had a mishap, and best of five at one task does not go with best of four at the others.
        The first ones count, so that nobody can choose among them.
        """
        ordered = {task: sorted(tries, key=lambda each: each.head.place) for task, tries in found.items() if tries}
        counts = Counter(map(len, ordered.values()))
        made = max(counts, key=lambda number: (counts[number], number), default=1)
        kept = {task: tries[:made] for task, tries in ordered.items()}
        return cls(made, kept, {task: tries[made:] for task, tries in ordered.items() if tries[made:]})

    def missing(self, tasks: Sequence[str]) -> dict[str, int]:
        """How many attempts are not here, by task."""
        absent = {task: self.made - len(self.tries.get(task, ())) for task in tasks}
        return {task: number for task, number in absent.items() if number}


@dataclass(frozen=True, slots=True)
class Samples:
    """The rounds of one agent at one task that were run from the reference state."""

    rounds: Mapping[int, Course]
    """The run that counts, by round: the latest that came to it."""
    repeats: Sequence[Course]
    """Earlier runs of the same rounds."""
    empty: Sequence[Course]
    """Runs that never came to their round, such as where the reference solution failed."""

    @classmethod
    def of(cls, courses: Sequence[Course]) -> "Samples":
        """Sort them."""
        came = [course for course in courses if course.own]
        rounds = {course.run.start: course for course in sorted(came, key=lambda course: course.run.age)}
        repeats = [course for course in came if rounds[course.run.start] is not course]
        return cls(dict(sorted(rounds.items())), repeats, [course for course in courses if not course.own])


@dataclass(frozen=True, slots=True)
class AgentRuns:
    """What one agent has to show."""

    entrant: Entrant
    attempts: Attempts
    samples: Mapping[str, Samples]
    """Its rounds from the reference state, by task."""
    fan_outs: Mapping[str, Sequence[FanOut]]
    """By task."""
    has_plain: bool
    """Whether it made attempts that are no fan-outs."""
    replaced: Sequence[Course]
    """Runs that another run took the place of."""

    @classmethod
    def of(
        cls, entrant: Entrant, tasks: Mapping[str, Mapping[Kind, Sequence[Course]]], lineage: Lineage
    ) -> "AgentRuns":
        """Lay out an agent's runs, by task and kind."""
        tries: dict[str, list[Try]] = {}
        outs: dict[str, list[FanOut]] = {}
        replaced: list[Course] = []
        has_plain = False

        def of_kinds(task: str, *kinds: Kind) -> list[Course]:
            return [course for kind in kinds for course in tasks[task].get(kind, ())]

        for task in tasks:
            tries[task], unused = plain_tries(of_kinds(task, "attempt", "resume"), lineage)
            has_plain |= bool(tries[task])
            replaced += unused
            if branched := fan_outs(of_kinds(task, "root", "child"), lineage):
                outs[task] = branched
                tries[task] += [each for fan_out in branched for each in fan_out.tries()]
        samples = {task: Samples.of(of_kinds(task, "sample")) for task in tasks}
        return cls(entrant, Attempts.of(tries), samples, outs, has_plain, replaced)

    @property
    def courses(self) -> list[Course]:
        """Every run that a record is made of."""
        tried = [
            cell.course for tries in self.attempts.tries.values() for each in tries for cell in each.cells.values()
        ]
        sampled = [course for samples in self.samples.values() for course in samples.rounds.values()]
        return list({course.run.path: course for course in (*tried, *sampled)}.values())

    @property
    def sampled(self) -> int:
        """Rounds from the reference state."""
        return sum(len(samples.rounds) for samples in self.samples.values())
