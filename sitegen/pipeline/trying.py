"""A board of any runs, to look at: without a project, in a folder of its own."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.importers.formats import format_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.benchmark import BESIDE_BENCHMARKS
from sitegen.models.record import is_slug
from sitegen.pipeline.building import build
from sitegen.pipeline.importing import Destination, Runs, bring_in
from sitegen.pipeline.order import Built, Order, Watch
from sitegen.problems import Problem
from sitegen.publish.cache import FOLDER
from sitegen.publish.project import Project, program_parts

_LONGEST = 40
"""Characters of a benchmark's name that is made of a folder's."""


def brought_in(runs: Runs, results: Path, options: ImportOptions, own: Mapping[str, object]) -> Sequence[Problem]:
    """Bring runs into a results folder of their own, without what they lack.

    The benchmark is the format's, else it is called by the folder; `own` are options that only some formats have.

    Returns:
        What is odd about them.

    Raises:
        UsageError, ProblemsError: They can't be read.
    """
    known = format_of(runs.form)
    name = re.sub("[^a-z0-9]+", "-", runs.path.resolve().stem.lower())[:_LONGEST].strip("-")
    usable = is_slug(name) and name not in BESIDE_BENCHMARKS
    placed = replace(
        options, benchmark=known.benchmark or (name if usable else "runs"), track=known.track, allow_missing=True
    )
    return bring_in(runs.read(Destination.of(results / placed.benchmark), placed, own), results).problems


def built(home: Path, order: Order, watch: Watch) -> Built:
    """Build the board of `results` in a folder, with the program's own pages, wherever the command runs."""
    placed = replace(order, site=home / "site", cache=home / FOLDER, allow_problems=True)
    return build(home / "results", Project(program_parts()), placed, watch)
