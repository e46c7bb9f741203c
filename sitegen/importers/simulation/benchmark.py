"""The simulated benchmark: how large it is, its tracks, its tasks, and the cases that each round checks."""

from dataclasses import dataclass
from random import Random

from sitegen.metrics.catalogue import COMP, DATASET_SCORE, columns_of
from sitegen.metrics.failstop import GAP, MT_AT_K, SR
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.task import Case, Task, TaskRound, TaskSet

CHAIN, FAIL_STOP = "chain", "fail-stop"

_TASK_SET = "main"
_CASES = 36
"""About how many cases a round has; none has more than 5/3 of it."""

_LENGTHS = {5: 2, 6: 8, 7: 9, 8: 8, 9: 6, 10: 2, 12: 1, 15: 1}
"""How often a task has so many rounds."""

_VERBS = {"extension": "Add", "correction": "Correct", "conflict": "Replace"}
"""What each kind of request does."""

_STYLES = {"growing": (7, 2, 1), "mending": (4, 5, 1), "shifting": (4, 2, 4)}
"""How often a task of each style has requests of each kind."""

_SUBJECTS = (
    "records", "CSV export", "search", "undo", "time zones", "date filter", "tags", "paging", "retries", "archive",
    "permissions", "currencies", "settings", "sorting", "exit codes", "line numbers in error messages",
)  # fmt: skip
"""What the requests of a task are about: no task has more rounds."""

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
"""Id, title and domain of every task; a benchmark with more of them numbers them."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a simulated benchmark is, each at least 1, and the seed that everything follows from."""

    agents: int = 8
    """Ranked agents; the better half also enters the second track."""
    tasks: int = 9
    attempts: int = 1
    """Tries at each task; the second track has at least 2."""
    seed: int = 0


def dice(*names: object) -> Random:
    """Random numbers that belong to some names: more tasks or attempts leave those of the others as they were."""
    return Random("/".join(map(str, names)))  # noqa: S311 - a simulation keeps no secrets


def benchmark_of(scale: Scale) -> Benchmark:
    """The benchmark, which says of itself that it is simulated."""
    return Benchmark(
        schema_version=1,
        id="demo",
        title="Demo",
        summary="A simulated benchmark: no such agents, tasks or runs exist. It shows what a leaderboard can hold.",
        license="CC0-1.0",
        simulated=True,
        axes={
            "domain": Axis(title="Domain", values=("data", "services", "tooling", "games")),
            "style": Axis(title="Style", values=tuple(_STYLES)),
        },
        tracks=(
            Track(
                id=CHAIN,
                title="Multi-step",
                summary="Simulated. Every round is run and scored, whatever became of the rounds before.",
                protocol="chain",
                attempts=scale.attempts,
                tasks=_TASK_SET,
                headline=DATASET_SCORE.id,
                columns=columns_of("chain"),
                groupings=("domain", "style"),
            ),
            Track(
                id=FAIL_STOP,
                title="Fail-stop",
                summary="Simulated. Nothing counts after an attempt's first failure; every round is also run once "
                "from the reference state.",
                protocol="fail-stop",
                attempts=max(scale.attempts, 2),
                reference_rounds=True,
                tasks=_TASK_SET,
                headline=MT_AT_K.id,
                columns=tuple(metric.id for metric in (MT_AT_K, SR, GAP, COMP)),
                groupings=("domain", "style"),
            ),
        ),
    )


def task_set(scale: Scale) -> TaskSet:
    """The tasks, which both tracks score. A round checks something new, and most of what was checked before."""
    projects = dice(scale.seed, "projects").sample(_PROJECTS, len(_PROJECTS))
    tasks = []
    for place in range(scale.tasks):
        slug, title, domain = projects[place % len(projects)]
        if lap := place // len(projects):
            slug, title = f"{slug}-{lap + 1}", f"{title} {lap + 1}"
        rng, style = dice(scale.seed, "task", slug), tuple(_STYLES)[place % len(_STYLES)]
        (length,) = rng.choices(list(_LENGTHS), list(_LENGTHS.values()))
        is_numbered = rng.random() < 0.4  # noqa: PLR2004 - two tasks in five number their requirements
        cases: list[Case] = []
        rounds = []
        requirements = introduced = 0
        for n, subject in enumerate(rng.sample(_SUBJECTS, length), start=1):
            (label,) = ["extension"] if n == 1 else rng.choices(list(_VERBS), _STYLES[style])
            if label == "conflict":
                gone = rng.choice(cases).requirement
                cases = [case for case in cases if case.requirement != gone]
            new: list[Case] = []
            for each in range(
                round(_CASES * (rng.uniform(0.42, 0.6) if n == 1 else rng.uniform(0.15, 0.3)))
            ):
                side = each // 3
                if each % 3 == 0:
                    requirements += 1
                name = (
                    f"F{requirements}"
                    if is_numbered
                    else f"{subject.lower().replace(' ', '-')}-{side + 1}"
                )
                introduced += 1
                new.append(
                    Case(
                        f"c{introduced:03}",
                        _CATEGORIES[side % len(_CATEGORIES)],
                        name,
                        f"round-{n}",
                    )
                )
            while len(cases) + len(new) > _CASES * 5 // 3:
                del cases[rng.randrange(len(cases))]
            cases += new
            rounds.append(TaskRound(n, f"{_VERBS[label]} {subject}", (label,), cases=tuple(cases)))
        tasks.append(Task(slug, tuple(rounds), title, {"domain": domain, "style": style}))
    return TaskSet(_TASK_SET, tuple(tasks))
