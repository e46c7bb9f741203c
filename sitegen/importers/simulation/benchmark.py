"""Simulate a benchmark: its tracks, its tasks, and the cases of each round."""

from dataclasses import dataclass
from random import Random

from sitegen.metrics.catalogue import COMP, DATASET_SCORE, default_columns
from sitegen.metrics.failstop import GAP, MT_AT_K, SR
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.task import Case, Task, TaskRound, TaskSet

CHAIN = "chain"
FAIL_STOP = "fail-stop"

_TASK_SET = "main"
_CASES = 36
"""Typical number of cases of a round."""
_MAX_CASES = _CASES * 5 // 3
_CASES_OF_REQUIREMENT = 3
_NUMBERED_SHARE = 0.4
"""Share of tasks that number their requirements: F1, F2."""

_LENGTHS = {5: 2, 6: 8, 7: 9, 8: 8, 9: 6, 10: 2, 12: 1, 15: 1}
"""Relative frequency of each number of rounds of a task."""

_VERBS = {"extension": "Add", "correction": "Correct", "conflict": "Replace"}
"""The verb in the title of each kind of request."""

_STYLES = {"growing": (7, 2, 1), "mending": (4, 5, 1), "shifting": (4, 2, 4)}
"""Relative frequency of each kind of request, in the order of `_VERBS`, by the style of a task."""

_SUBJECTS = (
    "records",
    "CSV export",
    "search",
    "undo",
    "time zones",
    "date filter",
    "tags",
    "paging",
    "retries",
    "archive",
    "permissions",
    "currencies",
    "settings",
    "sorting",
    "exit codes",
    "line numbers in error messages",
)
"""Subjects of requests; their number limits the rounds of a task."""

_CATEGORIES = ("core", "boundary", "error", "integration")

_PROJECTS = (
    ("grade-book", "Grade book", "data"),
    ("tide-table", "Tide table calculator", "data"),
    ("link-shelf", "Bookmark server", "services"),
    ("clock-tower", "Job scheduler", "services"),
    ("schema-smith", "Schema migrator", "tooling"),
    ("hex-garden", "Hexagonal board game", "games"),
    ("lint-bench", "Style checker with plug-ins", "tooling"),
    ("parcel-post", "Parcel tracker", "services"),
    ("doc-lantern", "Documentation checker", "tooling"),
    ("river-gauge", "Sensor data archive", "data"),
    ("word-ladder", "Word ladder puzzles", "games"),
    (
        "rail-yard",
        "Shunting puzzle with a level editor, a solver and a replay of every move that led to it",
        "games",
    ),
)
"""Id, title and domain of every task; a benchmark with more tasks numbers repeated projects."""


@dataclass(frozen=True, slots=True)
class SimulationScale:
    """The size of a simulated benchmark, whose numbers are at least 1, and its seed."""

    agents: int = 8
    """Number of ranked agents; the better half also enters the second track."""
    tasks: int = 9
    attempts: int = 1
    """Number of attempts at each task, at least 2 on the second track."""
    seed: int = 0


def dice(*names: object) -> Random:
    """Return a random number generator seeded with the given names.

    Adding tasks or attempts leaves the random numbers of existing tasks and attempts unchanged.
    """
    return Random("/".join(map(str, names)))  # noqa: S311 - a simulation keeps no secrets


def benchmark_of(scale: SimulationScale) -> Benchmark:
    """Return the definition of the benchmark, marked as simulated."""
    summary = (
        "A simulated benchmark: no such agents, tasks or runs exist. "
        "It shows what a leaderboard can contain."
    )
    domain = Axis(title="Domain", values=("data", "services", "tooling", "games"))
    style = Axis(title="Style", values=tuple(_STYLES))
    return Benchmark(
        schema_version=1,
        id="demo",
        title="Demo",
        summary=summary,
        license="CC0-1.0",
        simulated=True,
        axes={"domain": domain, "style": style},
        tracks=(_chain_track(scale), _fail_stop_track(scale)),
    )


def _chain_track(scale: SimulationScale) -> Track:
    """Return the track on which every round is scored."""
    return Track(
        id=CHAIN,
        title="Multi-step",
        summary="Simulated. Every round is run and scored, whatever happened in earlier rounds.",
        protocol="chain",
        attempts=scale.attempts,
        tasks=_TASK_SET,
        headline=DATASET_SCORE.id,
        columns=default_columns("chain"),
        groupings=("domain", "style"),
    )


def _fail_stop_track(scale: SimulationScale) -> Track:
    """Return the track on which an attempt ends with its first failure."""
    summary = (
        "Simulated. Nothing counts after an attempt's first failure; every round is also "
        "run once from the reference state."
    )
    columns = (MT_AT_K.id, SR.id, GAP.id, COMP.id)
    return Track(
        id=FAIL_STOP,
        title="Fail-stop",
        summary=summary,
        protocol="fail-stop",
        attempts=max(scale.attempts, 2),
        reference_rounds=True,
        tasks=_TASK_SET,
        headline=MT_AT_K.id,
        columns=columns,
        groupings=("domain", "style"),
    )


def task_set(scale: SimulationScale) -> TaskSet:
    """Return the tasks that both tracks share."""
    projects = dice(scale.seed, "projects").sample(_PROJECTS, len(_PROJECTS))
    styles = tuple(_STYLES)
    tasks = []
    for index in range(scale.tasks):
        lap, project = divmod(index, len(projects))
        slug, title, domain = projects[project]
        if lap:
            slug = f"{slug}-{lap + 1}"
            title = f"{title} {lap + 1}"
        style = styles[index % len(styles)]
        rounds = _rounds(dice(scale.seed, "task", slug), style)
        labels = {"domain": domain, "style": style}
        tasks.append(Task(slug, tuple(rounds), title, labels))
    return TaskSet(_TASK_SET, tuple(tasks))


def _rounds(rng: Random, style: str) -> list[TaskRound]:
    """Return the rounds of a task: each checks new cases, and most of the earlier cases."""
    lengths, weights = zip(*_LENGTHS.items(), strict=True)
    (length,) = rng.choices(lengths, weights)
    is_numbered = rng.random() < _NUMBERED_SHARE
    case_maker = _CaseMaker(rng, is_numbered)
    cases: list[Case] = []
    rounds = []
    for number, subject in enumerate(rng.sample(_SUBJECTS, length), start=1):
        label = "extension"
        if number > 1:
            (label,) = rng.choices(list(_VERBS), _STYLES[style])
        if label == "conflict":
            replaced = rng.choice(cases).requirement
            cases = [case for case in cases if case.requirement != replaced]
        new_cases = case_maker.new_cases(subject, number)
        while len(cases) + len(new_cases) > _MAX_CASES:
            del cases[rng.randrange(len(cases))]
        cases += new_cases
        title = f"{_VERBS[label]} {subject}"
        rounds.append(TaskRound(number, title, (label,), cases=tuple(cases)))
    return rounds


@dataclass(slots=True)
class _CaseMaker:
    """Makes the new cases of each round of a task."""

    rng: Random
    is_numbered: bool
    """Whether requirements are numbered; otherwise they are named after their round's subject."""
    requirement_count: int = 0
    case_count: int = 0

    def new_cases(self, subject: str, round_number: int) -> list[Case]:
        """Return the cases that a round adds: about half of `_CASES` at first, then fewer."""
        bounds = (0.42, 0.6) if round_number == 1 else (0.15, 0.3)
        share = self.rng.uniform(*bounds)
        count = round(_CASES * share)
        subject_slug = subject.lower().replace(" ", "-")
        origin = f"round-{round_number}"
        cases = []
        for index in range(count):
            requirement_index, case_index = divmod(index, _CASES_OF_REQUIREMENT)
            if case_index == 0:
                self.requirement_count += 1
            self.case_count += 1
            requirement = f"{subject_slug}-{requirement_index + 1}"
            if self.is_numbered:
                requirement = f"F{self.requirement_count}"
            category = _CATEGORIES[requirement_index % len(_CATEGORIES)]
            case_id = f"c{self.case_count:03}"
            cases.append(Case(case_id, category, requirement, origin))
        return cases
