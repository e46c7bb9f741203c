"""A bundle's files say what the draft says, in the same bytes wherever and whenever they are written."""

import gzip
import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from kit.small_import import draft, results

from sitegen.models.incoming import Draft
from sitegen.models.outcome import Failure, RunFigures
from sitegen.publish.machine.packing import CHECKSUMS
from sitegen.publish.results.benchmarks import bundle_files, compare_with_published

FULL = replace(draft(), runs=(RunFigures("tidy", 1, turns=9),), failures=(Failure("tidy", 1, 2, "c1", reason="<b>"),))
PACKED = "failures.jsonl.gz"


def put(folder: Path, bundle: Draft, **changed: bytes | None) -> None:
    """Write a bundle's files, some of them with other bytes or, for None, not at all; checksums fit."""
    files = {name: data for name, data in bundle_files(bundle).items() if name != CHECKSUMS}
    written_files = {name: data for name, data in (files | changed).items() if data is not None}
    sums = "".join(f"{hashlib.sha256(written_files[name]).hexdigest()}  {name}\n" for name in sorted(written_files))
    bundle_folder = folder / bundle.id
    bundle_folder.mkdir()
    for name, data in (written_files | {CHECKSUMS: sums.encode()}).items():
        (bundle_folder / name).write_bytes(data)


def test_a_bundle_has_the_files_that_have_something_to_say() -> None:
    assert list(bundle_files(draft())) == ["submission.toml", "rounds.jsonl", CHECKSUMS]
    assert list(bundle_files(FULL)) == ["submission.toml", "rounds.jsonl", "runs.jsonl", PACKED, CHECKSUMS]


def test_failures_are_packed() -> None:
    text = gzip.decompress(bundle_files(FULL)[PACKED])
    assert text == b'{"task": "tidy", "attempt": 1, "round": 2, "case": "c1", "reason": "<b>"}\n'


def test_the_packed_file_tells_neither_name_nor_time_nor_machine() -> None:
    flags, time, machine = 3, slice(4, 8), 9
    packed = bundle_files(FULL)[PACKED]
    assert (packed[flags], packed[time], packed[machine]) == (0, bytes(4), 255)


def test_checksums_are_those_of_sha256sum(tmp_path: Path) -> None:
    for name, data in bundle_files(FULL).items():
        (tmp_path / name).write_bytes(data)
    names = sorted(name for name in bundle_files(FULL) if name != CHECKSUMS)
    lines = [f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}" for name in names]
    assert (tmp_path / CHECKSUMS).read_text(encoding="utf-8").splitlines() == lines


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "import hashlib; from sitegen.importers.simulation import *; from sitegen.publish.results.benchmarks import *; "
        "drafts = simulate(SimulationScale(agents=2, tasks=1)).drafts; "
        "print(hashlib.sha256(b''.join(b for each in drafts for b in bundle_files(each).values())).hexdigest())"
    )
    digests = {
        subprocess.check_output([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_bundle_that_stands_is_known_again(tmp_path: Path) -> None:
    put(tmp_path, FULL)
    assert compare_with_published([FULL, draft("new")], tmp_path) == ([FULL.id], [])


def test_the_same_texts_packed_otherwise_are_known_again(tmp_path: Path) -> None:
    put(tmp_path, FULL, **{PACKED: gzip.compress(gzip.decompress(bundle_files(FULL)[PACKED]), 1, mtime=7)})
    assert compare_with_published([FULL], tmp_path) == ([FULL.id], [])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("rounds.jsonl", b"{}\n"),
        ("rounds.jsonl", None),
        ("runs.jsonl", None),
        ("notes.txt", b"more"),
        (PACKED, b"broken"),
        (PACKED, gzip.compress(b"{}\n", mtime=0)),
    ],
)
def test_a_bundle_that_stands_otherwise_is_refused_with_the_file(tmp_path: Path, name: str, data: bytes | None) -> None:
    put(tmp_path, FULL, **{name: data})
    unchanged_ids, (problem,) = compare_with_published([FULL], tmp_path)
    assert (unchanged_ids, problem.code, problem.path) == ([], "MERGE-BUNDLE-DIFFERS", tmp_path / FULL.id)
    assert problem.what == f"the bundle already exists, but the import differs in {name}"


def test_checksums_that_do_not_fit_are_a_difference(tmp_path: Path) -> None:
    put(tmp_path, FULL)
    (tmp_path / FULL.id / CHECKSUMS).write_bytes(b"")
    _, (problem,) = compare_with_published([FULL], tmp_path)
    assert problem.what.endswith("differs in SHA256SUMS")


def test_an_empty_folder_or_a_file_in_a_bundles_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").write_bytes(b"")
    unchanged_ids, problems = compare_with_published([draft("a"), draft("b", results())], tmp_path)
    assert (unchanged_ids, len(problems)) == ([], 2)
