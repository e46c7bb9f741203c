"""A benchmark that never was: tasks, agents and runs made up from a seed, for a first look and for measurements."""

from sitegen.importers.simulation.benchmark import Scale, benchmark_of, task_set
from sitegen.importers.simulation.submissions import bundle_of, defect_in, entries, found_since
from sitegen.models.incoming import Incoming

__all__ = ["Scale", "simulate"]


def simulate(scale: Scale) -> Incoming:
    """A made-up benchmark with its results; equal scales make equal ones."""
    benchmark, tasks = benchmark_of(scale), task_set(scale)
    defect = defect_in(tasks)
    entered = entries(scale, benchmark.tracks)
    bundles = tuple(bundle_of(entry, scale, tasks, defect) for entry in entered)
    return Incoming(
        benchmark, (tasks,), bundles, (defect, *found_since(defect, tasks, entered, bundles))
    )
