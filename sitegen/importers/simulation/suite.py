"""The simulated tasks: their rounds, and the cases that each round checks."""

from dataclasses import dataclass, field
from random import Random

from sitegen.importers.simulation.definition import STYLES, TASK_SET
from sitegen.importers.simulation.dice import dice
from sitegen.importers.simulation.projects import PROJECTS, Project
from sitegen.importers.simulation.requests import ASPECTS, FIRST, REQUESTS, Category, Label, Request
from sitegen.importers.simulation.scale import Scale
from sitegen.models.task import Case, Task, TaskRound, TaskSet

_LENGTHS = {5: 2, 6: 8, 7: 9, 8: 8, 9: 6, 10: 2, 12: 1, 15: 1}
"""How often a task has so many rounds."""

_LABELS: dict[str, dict[Label, int]] = {
    "growing": {"extension": 7, "correction": 2, "conflict": 1},
    "mending": {"extension": 4, "correction": 5, "conflict": 1},
    "shifting": {"extension": 4, "correction": 2, "conflict": 4},
}
"""How often a request has a label, by the task's style."""


def origin(number: int) -> str:
    """Name the round that a case was introduced in."""
    return f"round-{number}"


def task_set(scale: Scale) -> TaskSet:
    """Make up the tasks of a benchmark."""
    projects = dice(scale.seed, "projects").sample(PROJECTS, len(PROJECTS))
    tasks = []
    for position in range(scale.tasks):
        lap, place = divmod(position, len(projects))
        tasks.append(_task(projects[place].lap(lap + 1), STYLES[position % len(STYLES)], scale))
    return TaskSet(TASK_SET, tuple(tasks))


def _task(project: Project, style: str, scale: Scale) -> Task:
    rng = dice(scale.seed, "task", project.slug)
    length = rng.choices(list(_LENGTHS), list(_LENGTHS.values()))[0]
    suite = Suite(rng, scale.cases, numbered=rng.random() < 0.4)  # noqa: PLR2004 - two tasks in five number theirs
    rounds = []
    for n, (label, request) in enumerate(_requests(rng, style, length), start=1):
        cases = suite.advance(n, request, replaces=label == "conflict")
        rounds.append(TaskRound(n, request.title, (label,), cases=cases))
    return Task(project.slug, tuple(rounds), project.title, {"domain": project.domain, "style": style})


def _requests(rng: Random, style: str, length: int) -> list[tuple[Label, Request]]:
    left = {label: rng.sample(requests, len(requests)) for label, requests in REQUESTS.items()}
    weights = _LABELS[style]
    labels = rng.choices(list(weights), list(weights.values()), k=length - 1)
    return [("extension", rng.choice(FIRST)), *((label, left[label].pop()) for label in labels)]


@dataclass(slots=True)
class Suite:
    """The cases of one task, growing from round to round: most are checked again in every later round.

    Attributes:
        rng: The task's dice.
        size: About how many cases a round has.
        numbered: Whether requirements are called F1, F2 and so on, rather than by what they ask for.
    """

    rng: Random
    size: int
    numbered: bool
    current: list[Case] = field(default_factory=list)
    introduced: int = 0
    requirements: int = 0

    def advance(self, number: int, request: Request, *, replaces: bool) -> tuple[Case, ...]:
        """Give the cases of the next round.

        Args:
            number: The round, from 1.
            request: What it asks for.
            replaces: Whether an earlier requirement no longer holds after it.
        """
        if replaces:
            gone = self.rng.choice(self.current).requirement
            self.current = [case for case in self.current if case.requirement != gone]
        share = self.rng.uniform(0.42, 0.6) if number == 1 else self.rng.uniform(0.15, 0.3)
        new = self._introduce(max(1, round(share * self.size)), number, request)
        room = self.size * 5 // 3 - len(new)
        if len(self.current) > room:
            kept = sorted(self.rng.sample(range(len(self.current)), room))
            self.current = [self.current[place] for place in kept]
        self.current += new
        return tuple(self.current)

    def _introduce(self, count: int, number: int, request: Request) -> list[Case]:
        sides: list[tuple[str, Category]] = [(request.slug, "core")]
        aspects = self.rng.sample(ASPECTS, len(ASPECTS))
        sides += [(f"{request.slug}-{aspect.slug}", aspect.category) for aspect in aspects]
        new: list[Case] = []
        turn = 0
        while len(new) < count:
            slug, category = sides[turn % len(sides)]
            size = min(self.rng.randint(1, 4), count - len(new))
            new += self._cases(size, self._requirement(slug), category, number)
            turn += 1
        return new

    def _requirement(self, slug: str) -> str:
        self.requirements += 1
        return f"F{self.requirements}" if self.numbered else slug

    def _cases(self, count: int, requirement: str, category: Category, number: int) -> list[Case]:
        first = self.introduced + 1
        self.introduced += count
        return [Case(f"c{n:03}", category, requirement, origin(number)) for n in range(first, first + count)]
