"""Writes what a benchmark's folder holds beside its bundles: the definition, the task sets and the findings."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding, Findings
from sitegen.models.incoming import Addition
from sitegen.models.record import Record
from sitegen.problems import ProblemsError, Rule
from sitegen.publish.edits import add_row, manuscript, put, rows_of, table_in
from sitegen.publish.jsonlines import json_lines
from sitegen.publish.toml import told, toml

R = TypeVar("R", bound=Record)

DEFINITION, FINDINGS = "benchmark.toml", "findings.toml"

LAYOUT_UNKNOWN = Rule(
    "MERGE-LAYOUT-UNKNOWN",
    "error",
    "A file that is added to is written in tables with headers.",
    "give its tables headers, such as `[axes.domain]` and `[[tracks]]`, or add to it by hand",
)


def benchmark_files(addition: Addition, folder: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Give the files beside the bundles that an addition makes, and those that it changes.

    Args:
        addition: What is added.
        folder: The benchmark's folder, which need not be there yet.

    Returns:
        New files, by their names in the folder; and those that stand and are added to.

    Raises:
        ProblemsError: A file that stands can't be added to.
    """
    created = {f"tasks/{tasks.id}.jsonl": json_lines(tasks.tasks) for tasks in addition.task_sets}
    changed: dict[str, bytes] = {}
    definition = _grown(folder / DEFINITION, addition.benchmark, _add_to_definition)
    for name, data in ((DEFINITION, definition), (FINDINGS, grown_findings(folder / FINDINGS, addition.findings))):
        if data is not None:
            written = changed if (folder / name).exists() else created
            written[name] = data
    return created, changed


def grown_findings(path: Path, new: tuple[Finding, ...]) -> bytes | None:
    """Give the findings of a benchmark with new ones; None where there are none.

    Raises:
        ProblemsError: The file that stands can't be added to.
    """
    if not new:
        return None
    standing = _read(path.read_bytes(), Findings).findings if path.exists() else ()
    return _grown(path, Findings(schema_version=1, findings=(*standing, *new)), _add_findings)


def _grown(path: Path, wanted: R, add: Callable[[tomlkit.TOMLDocument, R, R], None]) -> bytes | None:
    """Write what a file is to hold: anew, or into the text that stands, since people wrote it.

    Args:
        path: The file, which need not be there yet.
        wanted: What it is to hold.
        add: Adds to a document what it lacks: takes what it holds and what it is to hold.

    Returns:
        The file's bytes; None where it holds everything already.
    """
    if not path.exists():
        return toml(wanted).encode()
    text = path.read_bytes()
    standing = _read(text, type(wanted))
    if standing == wanted:
        return None
    try:
        document = manuscript(text.decode())
        add(document, standing, wanted)
        grown = document.as_string().encode()
        if _read(grown, type(wanted)) == wanted:
            return grown
    except (ValueError, TOMLKitError):
        pass
    what = f"{path.name} is written in a way that nothing can be added to without writing it anew"
    raise ProblemsError([LAYOUT_UNKNOWN.broken(path, None, what)])


def _read(text: bytes, model: type[R]) -> R:
    """Read a file that is known to be sound; by way of JSON, where lists may stand for tuples."""
    return model.model_validate_json(json.dumps(tomllib.loads(text.decode()), default=str))


def _add_to_definition(document: tomlkit.TOMLDocument, standing: Benchmark, wanted: Benchmark) -> None:
    for name, axis in wanted.axes.items():
        axes = table_in(document, "axes", headless=True)
        known = standing.axes.get(name)
        if known is None:
            put(axes, name, told(axis))
        elif known != axis:
            _add_values(axes[name], axis.values[len(known.values) :])
    _add_tracks(document, standing, wanted)
    for spelling, name in wanted.aliases.items():
        if spelling not in standing.aliases:
            put(table_in(document, "aliases"), spelling, name)


def _add_values(axis: object, values: tuple[str, ...]) -> None:
    listed = axis.get("values") if isinstance(axis, dict) else None
    if isinstance(listed, Array):
        listed.extend(values)


def _add_tracks(document: tomlkit.TOMLDocument, standing: Benchmark, wanted: Benchmark) -> None:
    known = {track.id: track for track in standing.tracks}
    tables = {str(table.get("id")): table for table in rows_of(document, "tracks")}
    for track in wanted.tracks:
        if track.id not in known:
            add_row(document, "tracks", told(track))
        elif track != known[track.id]:
            put(tables[track.id], "tasks", track.tasks)


def _add_findings(document: tomlkit.TOMLDocument, standing: Findings, wanted: Findings) -> None:
    for finding in wanted.findings[len(standing.findings) :]:
        add_row(document, "findings", told(finding))
