"""A benchmark that never was: tasks, agents and runs made up from a seed, for a first look and for measurements."""

from sitegen.importers.simulation.defects import defect_of, findings_on
from sitegen.importers.simulation.definition import demo_benchmark
from sitegen.importers.simulation.drafts import Press
from sitegen.importers.simulation.entries import entries
from sitegen.importers.simulation.scale import Scale
from sitegen.importers.simulation.suite import task_set
from sitegen.models.incoming import Incoming

__all__ = ["Scale", "simulate"]


def simulate(scale: Scale) -> Incoming:
    """Make up a benchmark with its results; equal scales give equal values.

    Args:
        scale: How large it is, and the seed that everything follows from.
    """
    tasks = task_set(scale)
    defect = defect_of(tasks)
    press, entered = Press(scale, tasks, defect), entries(scale)
    drafts = tuple(press.draft(entry) for entry in entered)
    return Incoming(
        benchmark=demo_benchmark(scale),
        task_sets=(tasks,),
        drafts=drafts,
        findings=findings_on(defect, tasks, entered, drafts),
    )
