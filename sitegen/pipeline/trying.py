"""Show any runs as a board, without a project, in a folder of their own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.formats import load_format
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.benchmark import BESIDE_BENCHMARKS
from sitegen.models.incoming import Draft
from sitegen.models.record import is_slug
from sitegen.pipeline.build_options import BuildOptions, BuildProgress, BuiltSite
from sitegen.pipeline.building import build
from sitegen.pipeline.destination import Destination, Runs
from sitegen.pipeline.importing import apply_import
from sitegen.problems import Problem
from sitegen.publish.machine.hidden_names import CACHE_FOLDER
from sitegen.publish.machine.transaction import transaction
from sitegen.publish.projects.project import Project, program_resources
from sitegen.reading.files import MEGABYTE

MAX_NAME_LENGTH = 40
"""The maximum length of a benchmark id derived from a folder's name, in characters."""

TRAJECTORY = "trajectory.json"
"""The file name of a transcript that is converted from another format."""

MAX_TRANSCRIPT_BYTES = 50 * MEGABYTE
"""The size of the largest transcript that is shown, in bytes."""


class TriedRuns(NamedTuple):
    """Runs that were imported into a results folder of their own."""

    problems: Sequence[Problem]
    drafts: Sequence[Draft]


def import_runs(
    runs: Runs, results: Path, options: ImportOptions, format_options: Mapping[str, object]
) -> TriedRuns:
    """Import runs into a results folder of their own; tasks may be missing.

    The benchmark's id is the format's default, or else derived from the name of the runs' folder.

    Args:
        runs: The runs to import.
        results: The results folder, created if absent.
        options: The options that all formats have; benchmark and track are ignored.
        format_options: The options that only some formats have, by name.

    Raises:
        UsageError: The runs can't be read.
        ProblemsError: The runs have errors.
    """
    source_format = load_format(runs.form)
    benchmark = source_format.benchmark or _benchmark_id(runs.path)
    track_options = replace(
        options, benchmark=benchmark, track=source_format.track, allow_missing=True
    )
    incoming = runs.read(Destination.of(results / benchmark), track_options, format_options)
    drafts = tuple(_with_transcripts(draft) for draft in incoming.drafts)
    brought = apply_import(replace(incoming, drafts=drafts), results)
    return TriedRuns(brought.problems, drafts)


def _benchmark_id(path: Path) -> str:
    """Return a benchmark id derived from the name of a file or folder; "runs" if that fails."""
    slug = re.sub("[^a-z0-9]+", "-", path.resolve().stem.lower())
    name = slug[:MAX_NAME_LENGTH].strip("-")
    if not is_slug(name) or name in BESIDE_BENCHMARKS:
        return "runs"
    return name


def _transcript_folder(draft: Draft) -> str:
    """Return a pattern of a bundle's transcript folders, with placeholders such as `{task}`."""
    pattern = f"transcripts/{draft.id}/{{task}}/{{attempt}}"
    # Number 0 stands for a transcript of the complete attempt.
    numbers = [number for _, _, number in draft.transcripts]
    if numbers and all(numbers):
        pattern += "/{round}"
    return pattern


def _with_transcripts(draft: Draft) -> Draft:
    """Return a bundle whose provenance contains the address of its transcripts in the site."""
    names = {path.name for path in draft.transcripts.values()}
    if draft.made:
        names.add(TRAJECTORY)
    if not names:
        return draft
    return draft.with_trajectories(f"{_transcript_folder(draft)}/{min(names)}")


def _transcript_files(draft: Draft) -> Iterator[tuple[str, bytes]]:
    """Yield a bundle's transcripts and their names in the site, except oversized ones."""
    folder = _transcript_folder(draft)
    for (task, attempt, number), first in draft.transcripts.items():
        round_folder = folder.format(task=task, attempt=attempt, round=number)
        continuations = sorted(first.parent.glob("trajectory.cont-*.json"))
        for path in (first, *continuations):
            if path.stat().st_size <= MAX_TRANSCRIPT_BYTES:
                yield f"{round_folder}/{path.name}", path.read_bytes()
    if draft.made is None:
        return
    for task, attempt, content in draft.made():
        if len(content) <= MAX_TRANSCRIPT_BYTES:
            attempt_folder = folder.format(task=task, attempt=attempt)
            yield f"{attempt_folder}/{TRAJECTORY}", content


def build_board(
    home: Path, drafts: Sequence[Draft], options: BuildOptions, progress: BuildProgress
) -> BuiltSite:
    """Build the site of a folder's `results`, with the default pages and the transcripts."""
    site_options = replace(
        options, site=home / "site", cache=home / CACHE_FOLDER, allow_problems=True
    )
    built = build(home / "results", Project(program_resources()), site_options, progress)
    if any(draft.transcripts or draft.made for draft in drafts):
        with transaction(built.site) as changes:
            for draft in drafts:
                for name, content in _transcript_files(draft):
                    changes.write("", {name: content})
    return built
