"""Writes bundles: the files of one submission, with their checksums."""

import gzip
import hashlib
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from sitegen.models.incoming import Draft
from sitegen.models.record import is_slug
from sitegen.problems import Problem, ProblemsError, Rule
from sitegen.publish.jsonlines import json_lines
from sitegen.publish.toml import toml
from sitegen.reading.files import unpacked

CHECKSUMS = "SHA256SUMS"

BUNDLE_DIFFERS = Rule(
    "MERGE-BUNDLE-DIFFERS",
    "error",
    "Published results are never edited.",
    "where nobody published it yet, remove its folder and import again; else bring the correction in as a bundle of "
    "its own, under another date, and let the status of this one name it",
)


def bundle_files(draft: Draft) -> dict[str, bytes]:
    """Give the files of a bundle by their names."""
    files = {"submission.toml": toml(draft.submission).encode(), "rounds.jsonl": json_lines(draft.rounds)}
    if draft.runs:
        files["runs.jsonl"] = json_lines(draft.runs)
    if draft.failures:
        files["failures.jsonl.gz"] = packed(json_lines(draft.failures))
    return files | {CHECKSUMS: checksums(files)}


def published(drafts: Iterable[Draft], folder: Path) -> tuple[list[str], list[Problem]]:
    """Find the bundles that stand already.

    Args:
        drafts: Bundles to be. One whose name leads elsewhere is not looked for.
        folder: The benchmark's submissions.

    Returns:
        Ids of those that stand with the same content; and a problem for each that stands with another.
    """
    same: list[str] = []
    problems: list[Problem] = []
    for draft in drafts:
        place = folder / draft.id
        if not is_slug(draft.id) or not place.exists():
            continue
        differing = _differing(bundle_files(draft), _standing(place))
        if differing:
            what = f"the bundle stands already, and the import differs in {', '.join(differing)}"
            problems.append(BUNDLE_DIFFERS.broken(place, None, what))
        else:
            same.append(draft.id)
    return same, problems


def _standing(place: Path) -> dict[str, bytes]:
    files = sorted(place.iterdir()) if place.is_dir() else []
    return {file.name: file.read_bytes() if file.is_file() else b"" for file in files}


def _differing(wanted: Mapping[str, bytes], found: Mapping[str, bytes]) -> list[str]:
    """Name the files that differ in what they say: another machine packs the same text into other bytes."""
    sums = checksums({name: data for name, data in found.items() if name != CHECKSUMS})
    expected = {**wanted, CHECKSUMS: sums}
    return [name for name in sorted(expected.keys() | found.keys()) if not _alike(name, expected, found)]


def _alike(name: str, *sides: Mapping[str, bytes]) -> bool:
    try:
        wanted, found = (unpacked(Path(name), side[name]) for side in sides)
    except (KeyError, ProblemsError):
        return False
    return wanted == found


def packed(data: bytes) -> bytes:
    """Compress without a name and a time, so that equal texts give equal bytes."""
    target = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=target, compresslevel=6, mtime=0) as file:
        file.write(data)
    return target.getvalue()


def checksums(files: Mapping[str, bytes]) -> bytes:
    """Write checksums the way `sha256sum` does."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(lines).encode()
