"""A board of any runs, to look at: without a project, in a folder of its own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.formats import format_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.benchmark import BESIDE_BENCHMARKS
from sitegen.models.incoming import Draft
from sitegen.models.record import is_slug
from sitegen.pipeline.building import build
from sitegen.pipeline.importing import Destination, Runs, bring_in
from sitegen.pipeline.order import Built, Order, Watch
from sitegen.problems import Problem
from sitegen.publish.cache import FOLDER
from sitegen.publish.project import Project, program_parts
from sitegen.publish.transaction import transaction
from sitegen.reading.files import MEGABYTE

_LONGEST = 40
"""Characters of a benchmark's name that is made of a folder's."""


TRAJECTORY = "trajectory.json"
"""What a transcript is called that is made of a source in another form."""

_LARGEST = 50 * MEGABYTE
"""Bytes of a transcript that is shown."""


class Tried(NamedTuple):
    """Runs as results, in a folder of their own."""

    problems: Sequence[Problem]
    drafts: Sequence[Draft]


def brought_in(
    runs: Runs, results: Path, options: ImportOptions, own: Mapping[str, object]
) -> Tried:
    """Bring runs into a results folder of their own, without what they lack.

    The benchmark is the format's, else it is called by the folder; `own` are options that only some formats have.

    Raises:
        UsageError, ProblemsError: They can't be read.
    """
    known = format_of(runs.form)
    name = re.sub("[^a-z0-9]+", "-", runs.path.resolve().stem.lower())[:_LONGEST].strip("-")
    usable = is_slug(name) and name not in BESIDE_BENCHMARKS
    placed = replace(
        options, benchmark=known.benchmark or (name if usable else "runs"), track=known.track
    )
    placed = replace(placed, allow_missing=True)
    incoming = runs.read(Destination.of(results / placed.benchmark), placed, own)
    drafts = tuple(_with_transcripts(draft) for draft in incoming.drafts)
    return Tried(bring_in(replace(incoming, drafts=drafts), results).problems, drafts)


def _folder(draft: Draft) -> str:
    """Where the transcripts of a bundle are in the site, below its root: those that belong together in one folder."""
    by_round = draft.transcripts and all(number for _, _, number in draft.transcripts)
    return f"transcripts/{draft.id}/{{task}}/{{attempt}}{'/{round}' if by_round else ''}"


def _with_transcripts(draft: Draft) -> Draft:
    """Say in a bundle where they will be."""
    names = {path.name for path in draft.transcripts.values()} | (
        {TRAJECTORY} if draft.made else set()
    )
    return draft.with_trajectories(f"{_folder(draft)}/{min(names)}") if names else draft


def _transcripts(draft: Draft) -> Iterator[tuple[str, bytes]]:
    """The transcripts of a bundle, by their place in the site."""
    folder = _folder(draft)
    for (task, attempt, number), first in draft.transcripts.items():
        for path in (first, *sorted(first.parent.glob("trajectory.cont-*.json"))):
            if path.stat().st_size <= _LARGEST:
                yield (
                    f"{folder.format(task=task, attempt=attempt, round=number)}/{path.name}",
                    path.read_bytes(),
                )
    for task, attempt, data in draft.made() if draft.made else ():
        if len(data) <= _LARGEST:
            yield f"{folder.format(task=task, attempt=attempt)}/{TRAJECTORY}", data


def built(home: Path, drafts: Sequence[Draft], order: Order, watch: Watch) -> Built:
    """Build the board of `results` in a folder, with the program's own pages, wherever the command runs."""
    placed = replace(order, site=home / "site", cache=home / FOLDER, allow_problems=True)
    done = build(home / "results", Project(program_parts()), placed, watch)
    if any(draft.transcripts or draft.made for draft in drafts):
        with transaction(done.site) as changes:
            for draft in drafts:
                for name, data in _transcripts(draft):
                    changes.write("", {name: data})
    return done
