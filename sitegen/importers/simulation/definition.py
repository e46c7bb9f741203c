"""The benchmark that the simulator fills: its axes and tracks."""

from sitegen.importers.simulation.scale import Scale
from sitegen.models.benchmark import Axis, Benchmark, Track

TASK_SET = "main"
"""Id of the one task set, which both tracks score."""

CHAIN = "chain"
"""Id of the track where every round is run and scored."""

FAIL_STOP = "fail-stop"
"""Id of the track where nothing counts after the first failure."""

DOMAINS = ("data", "services", "tooling", "games")
"""What a task's program is for."""

STYLES = ("growing", "mending", "shifting")
"""How the requests of a task develop: mostly extensions, many corrections, or many conflicts."""


def demo_benchmark(scale: Scale) -> Benchmark:
    """Describe the simulated benchmark, which says of itself that it is one."""
    return Benchmark(
        schema_version=1,
        id="demo",
        title="Demo",
        summary="A simulated benchmark: no such agents, tasks or runs exist. It shows what a leaderboard can hold.",
        license="CC0-1.0",
        simulated=True,
        axes={"domain": Axis(title="Domain", values=DOMAINS), "style": Axis(title="Style", values=STYLES)},
        tracks=(_chain(scale), _fail_stop(scale)),
    )


def _chain(scale: Scale) -> Track:
    return Track(
        id=CHAIN,
        title="Multi-step",
        summary="Simulated. Every round is run and scored, whatever became of the rounds before.",
        protocol="chain",
        attempts=scale.attempts,
        tasks=TASK_SET,
        headline="dataset_score",
        columns=("dataset_score", "case_score", "avg_rounds", "perfect_tasks"),
        groupings=("domain", "style"),
    )


def _fail_stop(scale: Scale) -> Track:
    return Track(
        id=FAIL_STOP,
        title="Fail-stop",
        summary="Simulated. Nothing counts after an attempt's first failure; every round is also run once "
        "from the reference state.",
        protocol="fail-stop",
        attempts=max(scale.attempts, 2),
        reference_rounds=True,
        tasks=TASK_SET,
        headline="mt_at_k",
        columns=("mt_at_k", "sr", "gap", "comp"),
        groupings=("domain", "style"),
    )
