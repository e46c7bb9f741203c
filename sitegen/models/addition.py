"""What an import adds to a benchmark's folder, and what came of it."""

from dataclasses import dataclass
from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.models.task import TaskSet
from sitegen.problems import Problem


@dataclass(frozen=True, slots=True)
class Addition:
    """What an import adds to a benchmark's folder: what stands there is not in it, but for the definition."""

    benchmark: Benchmark
    """The definition as it is to be."""
    task_sets: tuple[TaskSet, ...]
    """Those that have no file yet."""
    drafts: tuple[Draft, ...]
    """Every bundle of the import, as it goes with the folder's tracks; some may stand there already."""
    findings: tuple[Finding, ...]
    """Those that are not recorded yet."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import brought into a results folder."""

    folder: Path
    """The benchmark's folder."""
    new: tuple[str, ...]
    """Bundles that were written."""
    unchanged: tuple[str, ...]
    """Bundles that stood there already."""
    created: tuple[str, ...]
    """Files beside the bundles that were not there before, by their names in the folder."""
    changed: tuple[str, ...]
    """Files beside the bundles that were added to."""
    begun: tuple[str, ...]
    """What begins: a benchmark, or tracks."""
    problems: tuple[Problem, ...]
    """Warnings about the source."""
