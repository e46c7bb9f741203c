"""The files of a benchmark's folder, as bytes: its bundles, and beside them definition, task sets and findings."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from itertools import count
from pathlib import Path
from typing import TypeVar

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding, Findings
from sitegen.models.incoming import Addition, Draft
from sitegen.models.record import Record, is_slug
from sitegen.models.submission import Status
from sitegen.problems import Problem, ProblemsError, Rule
from sitegen.publish.packing import checksums, packed
from sitegen.publish.records import (
    add_row,
    json_lines,
    manuscript,
    put,
    rows_of,
    table_in,
    told,
    toml,
)
from sitegen.reading.files import unpacked

R = TypeVar("R", bound=Record)

DEFINITION, FINDINGS, MANIFEST, CHECKSUMS = (
    "benchmark.toml",
    "findings.toml",
    "submission.toml",
    "SHA256SUMS",
)

BUNDLE_DIFFERS = Rule.error(
    "MERGE-BUNDLE-DIFFERS",
    "Published results are never edited.",
    "where nobody published it yet, remove its folder and import again; else bring the correction in under another "
    "`--date`, and run `sitegen supersede BENCHMARK/TRACK/OLD --by NEW`",
)
LAYOUT_UNKNOWN = Rule.error(
    "MERGE-LAYOUT-UNKNOWN",
    "A file that is added to is written in tables with headers.",
    "give its tables headers, such as `[axes.domain]` and `[[tracks]]`, or add to it by hand",
)


def bundle_files(draft: Draft) -> dict[str, bytes]:
    """The files of a bundle by their names."""
    files = {MANIFEST: toml(draft.submission).encode(), "rounds.jsonl": json_lines(draft.rounds)}
    if draft.runs:
        files["runs.jsonl"] = json_lines(draft.runs)
    if draft.failures:
        files["failures.jsonl.gz"] = packed(json_lines(draft.failures))
    return files | {CHECKSUMS: checksums(files)}


def restated(folder: Path, status: Status) -> dict[str, bytes]:
    """The files of a bundle that change with its status: the manifest, as people wrote the rest of it, and checksums.

    Raises:
        ProblemsError: The manifest can't be added to.
    """
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != CHECKSUMS}
    before, said = tomllib.loads(files[MANIFEST].decode()), told(status)
    document = manuscript(files[MANIFEST].decode())
    table = table_in(document, "status")
    for key in [each for each in table if each not in said]:
        del table[key]
    for key, value in said.items():
        put(table, key, value)
    files[MANIFEST] = document.as_string().encode()
    if tomllib.loads(files[MANIFEST].decode()) != {**before, "status": said}:
        raise _unknown_layout(folder / MANIFEST)
    return {MANIFEST: files[MANIFEST], CHECKSUMS: checksums(files)}


def published(drafts: Iterable[Draft], folder: Path) -> tuple[list[str], list[Problem]]:
    """Ids of the bundles that stand already with the same content; and a problem for each that stands with another.

    Whether one stands still, its status says, and no import. One whose name leads elsewhere is not looked for.
    """
    same: list[str] = []
    problems: list[Problem] = []
    for draft in drafts:
        place = folder / draft.id
        if not is_slug(draft.id) or not place.exists():
            continue
        standing = sorted(place.iterdir()) if place.is_dir() else []
        found = {file.name: file.read_bytes() if file.is_file() else b"" for file in standing}
        sums = checksums({name: data for name, data in found.items() if name != CHECKSUMS})
        wanted = {
            **bundle_files(draft),
            CHECKSUMS: sums,
        }  # another machine packs the same text into other bytes
        differing = [
            name
            for name in sorted(wanted.keys() | found.keys())
            if not _is_alike(name, wanted, found)
        ]
        if differing:
            what = f"the bundle stands already, and the import differs in {', '.join(differing)}"
            problems.append(BUNDLE_DIFFERS.broken(place, None, what))
        else:
            same.append(draft.id)
    return same, problems


def _is_alike(name: str, *sides: Mapping[str, bytes]) -> bool:
    """Whether a file says the same on both sides."""
    try:
        wanted, found = (unpacked(Path(name), side[name]) for side in sides)
        if name == MANIFEST and wanted != found:
            manifests = [tomllib.loads(each.decode()) for each in (wanted, found)]
            return _without_status(manifests[0]) == _without_status(manifests[1])
    except (KeyError, ProblemsError, ValueError):
        return False
    return wanted == found


def _without_status(manifest: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in manifest.items() if key != "status"}


def benchmark_files(addition: Addition, folder: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files beside the bundles that an addition makes in a benchmark's folder, and those that it adds to, by name.

    Raises:
        ProblemsError: A file that stands can't be added to.
    """
    created = {f"tasks/{tasks.id}.jsonl": json_lines(tasks.tasks) for tasks in addition.task_sets}
    for name, table in addition.reported:
        places = (
            f"reported/{name}{f'-{number}' if number > 1 else ''}.toml" for number in count(1)
        )
        free = next(
            place for place in places if place not in created and not (folder / place).exists()
        )
        created[free] = toml(table).encode()
    changed: dict[str, bytes] = {}
    definition = _grown(folder / DEFINITION, addition.benchmark, _add_to_definition)
    for name, data in (
        (DEFINITION, definition),
        (FINDINGS, grown_findings(folder / FINDINGS, addition.findings)),
    ):
        if data is not None:
            written = changed if (folder / name).exists() else created
            written[name] = data
    return created, changed


def grown_findings(path: Path, new: tuple[Finding, ...]) -> bytes | None:
    """The findings of a benchmark with new ones; None where there are none. Raises what `benchmark_files` does."""
    if not new:
        return None
    standing = _read(path.read_bytes(), Findings).findings if path.exists() else ()

    def add(document: tomlkit.TOMLDocument, *_: Findings) -> None:
        for finding in new:
            add_row(document, "findings", told(finding))

    return _grown(path, Findings(schema_version=1, findings=(*standing, *new)), add)


def _grown(
    path: Path, wanted: R, add: Callable[[tomlkit.TOMLDocument, R, R], None]
) -> bytes | None:
    """What a file is to hold: written anew, or into the text that stands, since people wrote it; None where it does.

    `add` adds to a document what it lacks: it takes what it holds and what it is to hold.
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
    raise _unknown_layout(path)


def _unknown_layout(path: Path) -> ProblemsError:
    what = f"{path.name} is written in a way that nothing can be added to without writing it anew"
    return ProblemsError([LAYOUT_UNKNOWN.broken(path, None, what)])


def _read(text: bytes, model: type[R]) -> R:
    """Read a file that is known to be sound; by way of JSON, where lists may stand for tuples."""
    return model.model_validate_json(json.dumps(tomllib.loads(text.decode()), default=str))


def _restate_track(table: MutableMapping[str, object], standing: Track, wanted: Track) -> None:
    """Write what differs between a track as it is and as it is to be into its table."""
    before, after = told(standing), told(wanted)
    for key, value in after.items():
        if before.get(key) != value:
            put(table, key, value)


def _add_to_definition(
    document: tomlkit.TOMLDocument, standing: Benchmark, wanted: Benchmark
) -> None:
    for name, axis in wanted.axes.items():
        axes = table_in(document, "axes", headless=True)
        known = standing.axes.get(name)
        if known is None:
            put(axes, name, told(axis))
        elif known != axis:
            table = axes[name]
            values = table.get("values") if isinstance(table, dict) else None
            if isinstance(values, Array):
                values.extend(axis.values[len(known.values) :])
    tracks = {track.id: track for track in standing.tracks}
    tables = {str(table.get("id")): table for table in rows_of(document, "tracks")}
    for track in wanted.tracks:
        if track.id not in tracks:
            add_row(document, "tracks", told(track))
        elif track != tracks[track.id]:
            _restate_track(tables[track.id], tracks[track.id], track)
    for metric in wanted.metrics[len(standing.metrics) :]:
        add_row(document, "metrics", told(metric))
    for spelling, name in wanted.aliases.items():
        if spelling not in standing.aliases:
            put(table_in(document, "aliases"), spelling, name)
