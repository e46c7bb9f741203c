"""A board of any runs, to look at: without a project, in a folder of its own."""

import re
from collections.abc import Mapping, Sequence
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


_LARGEST = 50 * MEGABYTE
"""Bytes of a transcript that is shown."""


class Tried(NamedTuple):
    """Runs as results, in a folder of their own."""

    problems: Sequence[Problem]
    """What is odd about them."""
    transcripts: Mapping[str, Path]
    """Those that lie in the source, by their place in the site."""


def brought_in(runs: Runs, results: Path, options: ImportOptions, own: Mapping[str, object]) -> Tried:
    """Bring runs into a results folder of their own, without what they lack.

    The benchmark is the format's, else it is called by the folder; `own` are options that only some formats have.

    Raises:
        UsageError, ProblemsError: They can't be read.
    """
    known = format_of(runs.form)
    name = re.sub("[^a-z0-9]+", "-", runs.path.resolve().stem.lower())[:_LONGEST].strip("-")
    usable = is_slug(name) and name not in BESIDE_BENCHMARKS
    placed = replace(options, benchmark=known.benchmark or (name if usable else "runs"), track=known.track)
    placed = replace(placed, allow_missing=True)
    incoming = runs.read(Destination.of(results / placed.benchmark), placed, own)
    transcripts = {
        f"{_folder(draft).format(task=task, attempt=attempt, round=number)}/{path.name}": path
        for draft in incoming.drafts
        for (task, attempt, number), first in draft.transcripts.items()
        for path in (first, *sorted(first.parent.glob("trajectory.cont-*.json")))
        if path.stat().st_size <= _LARGEST
    }
    drafts = tuple(_with_transcripts(draft) if draft.transcripts else draft for draft in incoming.drafts)
    return Tried(bring_in(replace(incoming, drafts=drafts), results).problems, transcripts)


def _folder(draft: Draft) -> str:
    """Where the transcripts of a bundle are in the site, below its root: those that belong together in one folder."""
    by_round = all(number for _, _, number in draft.transcripts)
    return f"transcripts/{draft.id}/{{task}}/{{attempt}}{'/{round}' * by_round}"


def _with_transcripts(draft: Draft) -> Draft:
    names = {path.name for path in draft.transcripts.values()}
    told = {"trajectories": f"{_folder(draft)}/{min(names)}"}
    ran = draft.submission.provenance.model_copy(update=told)
    return replace(draft, submission=draft.submission.model_copy(update={"provenance": ran}))


def built(home: Path, transcripts: Mapping[str, Path], order: Order, watch: Watch) -> Built:
    """Build the board of `results` in a folder, with the program's own pages, wherever the command runs."""
    placed = replace(order, site=home / "site", cache=home / FOLDER, allow_problems=True)
    done = build(home / "results", Project(program_parts()), placed, watch)
    if transcripts:
        with transaction(done.site) as changes:
            for name, path in transcripts.items():
                changes.write("", {name: path.read_bytes()})
    return done
