"""Simulate a benchmark with results from a seed, for a first look at a site and for speed tests.

Input: a `SimulationScale`. Output: an `Incoming`, as from the import of a real benchmark.
`benchmark` makes the tracks and tasks, `submissions` the agents, their runs and the findings about
them. Read `simulate` first, then `submissions.bundle_of`.
"""

from sitegen.importers.simulation.benchmark import SimulationScale, benchmark_of, task_set
from sitegen.importers.simulation.submissions import (
    bundle_of,
    defect_in,
    later_findings,
    submissions,
)
from sitegen.models.incoming import Incoming

__all__ = ["SimulationScale", "simulate"]


def simulate(scale: SimulationScale) -> Incoming:
    """Return a simulated benchmark with its results, determined by the scale."""
    benchmark = benchmark_of(scale)
    tasks = task_set(scale)
    defect = defect_in(tasks)
    entered = submissions(scale, benchmark.tracks)
    bundles = [bundle_of(submission, scale, tasks, defect) for submission in entered]
    findings = (defect, *later_findings(defect, tasks, entered, bundles))
    return Incoming(benchmark, (tasks,), tuple(bundles), findings)
