"""Create the files of a benchmark's folder: bundles, definition, task sets and findings.

Additions to hand-written files keep the comments and the order of those files. Start with
`bundle_files` and `benchmark_files`.
"""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array

from sitegen.models.agents import NO_AGENTS
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.finding import Finding, Findings
from sitegen.models.incoming import Addition, Draft
from sitegen.models.record import Record, is_slug
from sitegen.models.submission import Status
from sitegen.problems import Problem, ProblemsError, Rule
from sitegen.publish.machine.packing import CHECKSUMS, checksums, packed
from sitegen.publish.results.file_names import (
    DEFINITION_FILE,
    FAILURES_FILE,
    FINDINGS_FILE,
    MANIFEST_FILE,
    REPORTED_FOLDER,
    ROUNDS_FILE,
    RUNS_FILE,
    TASKS_FOLDER,
)
from sitegen.publish.results.records import (
    add_row,
    json_lines,
    parse_written_toml,
    put,
    record_values,
    rows_of,
    table_in,
    toml,
)
from sitegen.reading.files import unpacked

R = TypeVar("R", bound=Record)

BUNDLE_DIFFERS = Rule.error(
    "MERGE-BUNDLE-DIFFERS",
    "The import would change a bundle that already exists.",
    "to run tasks that the bundle lacks, or rounds again, run `sitegen replace-rounds "
    "BENCHMARK/TRACK/SUBMISSION RUNS --reason TEXT`; if the bundle has never been published, "
    "remove its folder and import again; otherwise "
    "import the correction under another `--date`, and run `sitegen supersede "
    "BENCHMARK/TRACK/OLD --by NEW`",
)
LAYOUT_UNKNOWN = Rule.error(
    "MERGE-LAYOUT-UNKNOWN",
    "A file that the import would extend is not written in tables with headers.",
    "give its tables headers, such as `[axes.domain]` and `[[tracks]]`, or add the entries by hand",
)


def bundle_files(draft: Draft) -> dict[str, bytes]:
    """Return the files of a bundle by their names."""
    manifest = toml(draft.submission).encode()
    files = {MANIFEST_FILE: manifest, ROUNDS_FILE: json_lines(draft.rounds)}
    if draft.runs:
        files[RUNS_FILE] = json_lines(draft.runs)
    if draft.failures:
        files[FAILURES_FILE] = packed(json_lines(draft.failures))
    files[CHECKSUMS] = checksums(files)
    return files


def files_changed_by_status(folder: Path, status: Status) -> dict[str, bytes]:
    """Return the files of a bundle that change with its status: the manifest and the checksums.

    ProblemsError: The manifest's TOML has a layout that does not allow additions.
    """
    new_values = record_values(status)

    def set_status(document: tomlkit.TOMLDocument, wanted: dict[str, Any]) -> None:
        table = table_in(document, "status")
        for key in list(table):
            if key not in new_values:
                del table[key]
        for key, value in new_values.items():
            put(table, key, value)
        wanted["status"] = new_values

    return _files_changed_by(folder, set_status)


def files_changed_by_values(folder: Path, values: Mapping[str, object]) -> dict[str, bytes]:
    """Return the files of a bundle that change when values of its manifest change.

    Args:
        folder: The bundle.
        values: New values by key, such as "agent.name"; None removes a key.

    Raises:
        ProblemsError: The manifest's TOML has a layout that does not allow additions.
    """

    def set_values(document: tomlkit.TOMLDocument, wanted: dict[str, Any]) -> None:
        for key, value in values.items():
            table_name, _, name = key.rpartition(".")
            table: MutableMapping[str, Any] = document
            wanted_table = wanted
            if table_name:
                table = table_in(document, table_name)
                wanted_table = wanted.setdefault(table_name, {})
            if value is None:
                table.pop(name, None)
                wanted_table.pop(name, None)
            else:
                put(table, name, value)
                wanted_table[name] = value

    return _files_changed_by(folder, set_values)


def _files_changed_by(
    folder: Path, edit: Callable[[tomlkit.TOMLDocument, dict[str, Any]], None]
) -> dict[str, bytes]:
    """Return a bundle's manifest and checksums after an edit of the manifest.

    Args:
        folder: The bundle.
        edit: Changes the manifest, given both as a document with comments and as plain values.

    Raises:
        ProblemsError: The edited document does not parse to the plain values, because of its
            layout.
    """
    text = (folder / MANIFEST_FILE).read_text(encoding="utf-8")
    document = parse_written_toml(text)
    wanted = tomllib.loads(text)
    try:
        edit(document, wanted)
    except ValueError as error:
        raise _unknown_layout(folder / MANIFEST_FILE) from error
    manifest = document.as_string()
    if tomllib.loads(manifest) != wanted:
        raise _unknown_layout(folder / MANIFEST_FILE)
    files = bundle_with_manifest(folder, manifest)
    return {MANIFEST_FILE: files[MANIFEST_FILE], CHECKSUMS: files[CHECKSUMS]}


def bundle_with_manifest(folder: Path, manifest: str) -> dict[str, bytes]:
    """Return the files of a bundle, unchanged except for a new manifest and the checksums."""
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name != CHECKSUMS:
            files[path.name] = path.read_bytes()
    files[MANIFEST_FILE] = manifest.encode()
    files[CHECKSUMS] = checksums(files)
    return files


def compare_with_published(
    drafts: Iterable[Draft], folder: Path
) -> tuple[list[str], list[Problem]]:
    """Compare drafts with bundles of the same ids in a folder."""
    same_ids: list[str] = []
    problems: list[Problem] = []
    for draft in drafts:
        path = folder / draft.id
        if not is_slug(draft.id) or not path.exists():
            continue
        differing = _differing_files(draft, path)
        if differing:
            names = ", ".join(differing)
            fact = f"the bundle already exists, but the import differs in {names}"
            problems.append(BUNDLE_DIFFERS.broken(path, None, fact))
        else:
            same_ids.append(draft.id)
    return same_ids, problems


def _differing_files(draft: Draft, folder: Path) -> list[str]:
    """Return the names of the files that differ between a draft and the bundle in a folder."""
    existing: dict[str, bytes] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        existing[path.name] = path.read_bytes() if path.is_file() else b""
    # Checksums are computed from the existing files; other machines may compress texts differently.
    summed = {name: content for name, content in existing.items() if name != CHECKSUMS}
    wanted = {**bundle_files(draft), CHECKSUMS: checksums(summed)}
    names = sorted(wanted.keys() | existing.keys())
    return [name for name in names if not _is_same_file(name, wanted, existing)]


def _is_same_file(name: str, wanted: Mapping[str, bytes], existing: Mapping[str, bytes]) -> bool:
    """Return whether a file is the same in two bundles, apart from the status in the manifest."""
    try:
        wanted_text = unpacked(Path(name), wanted[name])
        existing_text = unpacked(Path(name), existing[name])
        if name == MANIFEST_FILE:
            return _without_status(wanted_text) == _without_status(existing_text)
    except (KeyError, ProblemsError, ValueError):
        return False
    return wanted_text == existing_text


def _without_status(manifest: bytes) -> dict[str, object]:
    values = tomllib.loads(manifest.decode())
    values.pop("status", None)
    return values


def benchmark_files(addition: Addition, folder: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the files outside bundles that an addition creates, and the files that it changes."""
    created = {}
    for tasks in addition.task_sets:
        created[f"{TASKS_FOLDER}/{tasks.id}.jsonl"] = json_lines(tasks.tasks)
    for name, table in addition.reported:
        created[_free_table_name(name, created, folder)] = toml(table).encode()
    changed: dict[str, bytes] = {}
    definition = addition.benchmark.with_agents(NO_AGENTS)  # not stored in the file
    new_contents = {
        DEFINITION_FILE: _content_with(folder / DEFINITION_FILE, definition, _add_to_definition),
        FINDINGS_FILE: findings_with_new(folder / FINDINGS_FILE, addition.findings),
    }
    for name, content in new_contents.items():
        if content is None:
            continue
        if (folder / name).exists():
            changed[name] = content
        else:
            created[name] = content
    return created, changed


def definition_with_axes(path: Path, axes: Mapping[str, Axis]) -> bytes | None:
    """Return a benchmark's definition with axes and values added; None if nothing is missing.

    Raises:
        ProblemsError: The file's TOML has a layout that does not allow additions.
    """
    existing = _parse_record(path.read_bytes(), Benchmark)
    wanted = existing.model_copy(update={"axes": dict(axes)})
    return _content_with(path, wanted, _add_to_definition)


def _free_table_name(name: str, created: Mapping[str, bytes], folder: Path) -> str:
    """Return the first free path for a published table: NAME, NAME-2, and so on."""
    number = 1
    path = f"{REPORTED_FOLDER}/{name}.toml"
    while path in created or (folder / path).exists():
        number += 1
        path = f"{REPORTED_FOLDER}/{name}-{number}.toml"
    return path


def findings_with_new(path: Path, new: Sequence[Finding]) -> bytes | None:
    """Return a benchmark's findings file with new findings added; None if there are none to add.

    Raises:
        ProblemsError: The file's TOML has a layout that does not allow additions.
    """
    if not new:
        return None
    existing = _parse_record(path.read_bytes(), Findings).findings if path.exists() else ()

    def add_findings(document: tomlkit.TOMLDocument, *_: Findings) -> None:
        for finding in new:
            add_row(document, "findings", record_values(finding))

    wanted = Findings(schema_version=1, findings=(*existing, *new))
    return _content_with(path, wanted, add_findings)


def findings_limited(path: Path, tracks: Mapping[int, Sequence[str]]) -> bytes:
    """Return a benchmark's findings file with some findings limited to tracks.

    Args:
        path: The file of findings, which exists.
        tracks: The ids of the tracks to limit a finding to, by the finding's index in the file.

    Raises:
        ProblemsError: The file's TOML has a layout that does not allow additions.
    """
    existing = _parse_record(path.read_bytes(), Findings).findings
    findings = []
    for index, finding in enumerate(existing):
        wanted_tracks = tuple(tracks.get(index, finding.tracks))
        findings.append(finding.model_copy(update={"tracks": wanted_tracks}))

    def add_tracks(document: tomlkit.TOMLDocument, *_: Findings) -> None:
        tables = list(rows_of(document, "findings"))
        for index, names in tracks.items():
            put(tables[index], "tracks", list(names))

    wanted = Findings(schema_version=1, findings=tuple(findings))
    return _content_with(path, wanted, add_tracks) or path.read_bytes()


def _content_with(
    path: Path, wanted: R, add: Callable[[tomlkit.TOMLDocument, R, R], None]
) -> bytes | None:
    """Return the new content of a file; None if the file already has this content."""
    if not path.exists():
        return toml(wanted).encode()
    text = path.read_bytes()
    existing = _parse_record(text, type(wanted))
    if existing == wanted:
        return None
    try:
        document = parse_written_toml(text.decode())
        add(document, existing, wanted)
        new_text = document.as_string().encode()
        if _parse_record(new_text, type(wanted)) == wanted:
            return new_text
    except (ValueError, TOMLKitError):
        pass  # reported below, like a text that lacks the wanted record
    raise _unknown_layout(path)


def _unknown_layout(path: Path) -> ProblemsError:
    fact = f"{path.name} is written in a way that nothing can be added without rewriting it"
    return ProblemsError([LAYOUT_UNKNOWN.broken(path, None, fact)])


def _parse_record(text: bytes, model: type[R]) -> R:
    """Parse a TOML file known to be valid; conversion through JSON lets lists become tuples."""
    values = tomllib.loads(text.decode())
    return model.model_validate_json(json.dumps(values, default=str))


def _add_to_definition(
    document: tomlkit.TOMLDocument, existing: Benchmark, wanted: Benchmark
) -> None:
    """Add axes, values of axes, tracks, metrics and aliases to a benchmark's definition."""
    for name, axis in wanted.axes.items():
        axes = table_in(document, "axes", is_super_table=True)
        existing_axis = existing.axes.get(name)
        if existing_axis is None:
            put(axes, name, record_values(axis))
        elif existing_axis != axis:
            _add_axis_values(axes[name], existing_axis, axis)
    existing_tracks = {track.id: track for track in existing.tracks}
    tables = {str(table.get("id")): table for table in rows_of(document, "tracks")}
    for track in wanted.tracks:
        existing_track = existing_tracks.get(track.id)
        if existing_track is None:
            add_row(document, "tracks", record_values(track))
        elif track != existing_track:
            _change_track(tables[track.id], existing_track, track)
    for metric in wanted.metrics[len(existing.metrics) :]:
        add_row(document, "metrics", record_values(metric))
    for spelling, name in wanted.aliases.items():
        if spelling not in existing.aliases:
            put(table_in(document, "aliases"), spelling, name)


def _add_axis_values(table: object, existing: Axis, wanted: Axis) -> None:
    """Add the values that an axis lacks to the list in its table."""
    values = table.get("values") if isinstance(table, dict) else None
    if isinstance(values, Array):
        values.extend(wanted.values[len(existing.values) :])


def _change_track(table: MutableMapping[str, object], existing: Track, wanted: Track) -> None:
    """Write the changed keys of a track to its table."""
    existing_values = record_values(existing)
    for key, value in record_values(wanted).items():
        if existing_values.get(key) != value:
            put(table, key, value)
