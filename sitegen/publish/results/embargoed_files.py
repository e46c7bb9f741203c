"""Copies of a benchmark's files that do not mention submissions under embargo.

Start with `files_without_embargoed`. The files in the repository are not changed.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sitegen.models.embargo import EmbargoedNames
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults
from sitegen.publish.machine.packing import CHECKSUMS, sha256_of_bytes, sha256_of_file
from sitegen.publish.results.file_names import (
    CHECKS_FILE,
    DEFINITION_FILE,
    FINDINGS_FILE,
    MANIFEST_FILE,
    SUBMISSIONS_FOLDER,
)


def files_without_embargoed(results: BenchmarkResults) -> dict[str, bytes | None]:
    """Return the files of a benchmark whose published content differs, by name.

    The value is None for a file that can't be read; it is not published before the embargo ends.
    Files of the embargoed submissions themselves are not included.
    """
    sealed = results.sealed
    if sealed is None:
        return {}
    names = EmbargoedNames.of(sealed.bundles, results)
    findings = names.published_findings(sealed.findings)
    files = {}
    for name, edited in (
        (FINDINGS_FILE, _edit_findings(results.path / FINDINGS_FILE, findings, names)),
        (DEFINITION_FILE, _edit_definition(results.path / DEFINITION_FILE, names)),
        (CHECKS_FILE, _edit_checks(results.path / CHECKS_FILE, names)),
    ):
        if (results.path / name).exists():
            files[name] = edited
    for bundle in results.bundles:
        for name, content in _edited_bundle(bundle.path, names):
            files[f"{SUBMISSIONS_FOLDER}/{bundle.id}/{name}"] = content
    return files


def _edit_findings(
    path: Path, published: Sequence[Finding | None], names: EmbargoedNames
) -> bytes | None:
    """Return the findings file with only the findings to publish, in their published form."""
    document = _parse(path)
    if document is None:
        return None
    tables = document.get("findings", [])
    if len(tables) != len(published):
        return None
    kept = tomlkit.aot()
    for table, finding in zip(tables, published, strict=True):
        if finding is None:
            continue
        for key in ("title", "reason", "submissions", "corrects"):
            value = getattr(finding, key)
            if key in table and value is None:
                del table[key]
            elif key in table and value != _plain(table[key]):
                table[key] = list(value) if isinstance(value, tuple) else value
        kept.append(table)
    if kept:
        document["findings"] = kept
    else:
        document.pop("findings", None)
    return _dump(document, names)


def _plain(value: object) -> object:
    """Return a value as records represent it, with a tuple in place of a list."""
    return tuple(value) if isinstance(value, list) else value


def _edit_definition(path: Path, names: EmbargoedNames) -> bytes | None:
    """Return a definition without the spellings and former addresses of embargoed submissions."""
    document = _parse(path)
    if document is None:
        return None
    aliases = document.get("aliases", {})
    for spelling in [key for key, name in aliases.items() if {key, name} & names.agents]:
        del aliases[spelling]
    renamed = document.get("renamed", [])
    for position in reversed(range(len(renamed))):
        parts = "/".join(map(str, renamed[position].values())).split("/")
        if names.submissions.intersection(parts):
            del renamed[position]
    return _dump(document, names)


def _edit_checks(path: Path, names: EmbargoedNames) -> bytes | None:
    """Return the journal of checks without the lines about embargoed submissions."""
    kept = []
    try:
        for line in path.read_bytes().splitlines(keepends=True):
            is_blank = not line.strip()
            if is_blank or json.loads(line)["submission"] not in names.submissions:
                kept.append(line)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return b"".join(kept)


def _edited_bundle(folder: Path, names: EmbargoedNames) -> Iterator[tuple[str, bytes | None]]:
    """Yield the manifest and the checksums of a bundle whose successor is under embargo."""
    path = folder / MANIFEST_FILE
    document = _parse(path)
    if document is None:
        yield MANIFEST_FILE, None
        return
    if document.get("status", {}).get("by") not in names.submissions:
        return
    # The submission stays published until the embargo ends, without the name of its successor.
    before = sha256_of_file(path)
    del document["status"]
    content = _dump(document, names)
    yield MANIFEST_FILE, content
    after = sha256_of_bytes(content)
    checksums = (folder / CHECKSUMS).read_text(encoding="utf-8")
    yield CHECKSUMS, re.sub(rf"\b{before}\b", after, checksums).encode()


def _parse(path: Path) -> tomlkit.TOMLDocument | None:
    """Return a TOML file with its comments; None if it can't be read."""
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TOMLKitError):
        return None


def _dump(document: tomlkit.TOMLDocument, names: EmbargoedNames) -> bytes:
    """Return a TOML file whose comments do not mention embargoed submissions."""
    lines = []
    for line in tomlkit.dumps(document).splitlines(keepends=True):
        lines.append(names.hide_in(line) if line.startswith("#") else line)
    return "".join(lines).encode()
