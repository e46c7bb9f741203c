"""A small valid results folder on disk, for tests that change a detail in it."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sitegen.models.results import Bundle, Results
from sitegen.problems import Problem
from sitegen.store.readers.folder import read_results

BENCHMARK = """\
schema = 1
id = "mini"
title = "Mini"

[axes.kind]
title = "Kind"
values = ["tool", "game"]

[[tracks]]
id = "main"
title = "Main"
protocol = "chain"
tasks = "all"
headline = "dataset_score"
columns = ["dataset_score", "case_score"]
groupings = ["kind"]

[[tracks]]
id = "relay"
title = "Relay"
protocol = "fail-stop"
attempts = 2
reference_rounds = true
tasks = "all"
headline = "mt_at_k"
columns = ["mt_at_k", "sr"]

[aliases]
"acme one" = "Acme-1"
"""

TASKS = (
    {"id": "tidy", "labels": {"kind": "tool"}, "rounds": [{"n": 1}, {"n": 2}]},
    {"id": "wide", "labels": {"kind": "game"}, "rounds": [{"n": 1}]},
)

MANIFEST = """\
schema = 1
track = "main"
date = 2026-06-25

[agent]
name = "Acme-1"
organization = "Acme"

[detail]
cases = "counts"

[claims]
dataset_score = 25.0
"""

ROUNDS = (
    {"task": "tidy", "attempt": 1, "round": 1, "state": "scored", "reward": 1, "passed": 3, "total": 3},
    {"task": "tidy", "attempt": 1, "round": 2, "state": "scored", "reward": 0, "passed": 3, "total": 4},
    {"task": "wide", "attempt": 1, "round": 1, "state": "unreached", "reward": 0, "passed": 0, "total": 0},
)

ABSENT = object()
"""A value that makes `change` remove a key."""


class Told(NamedTuple):
    """A problem as the user sees it."""

    code: str
    place: str
    """File and line; the path is relative to the bundle if the file is inside it, or else to the results folder."""
    what: str
    fix: str
    severity: str = "error"


class Tree:
    """A results folder with one benchmark of two tasks (2 rounds and 1 round) and one bundle on the track `main`."""

    def __init__(self, folder: Path) -> None:
        """Write the folder."""
        self.folder = folder
        self.benchmark = folder / "mini"
        self.bundle = self.benchmark / "submissions" / "2026-06-25-acme"
        self.bundle.mkdir(parents=True)
        self.put("benchmark.toml", BENCHMARK)
        self.put("tasks/all.jsonl", json_lines(*TASKS))
        self.write("submission.toml", MANIFEST)
        self.write("rounds.jsonl", json_lines(*ROUNDS))

    def put(self, name: str, content: str | bytes) -> Path:
        """Write a file of the benchmark; return its path."""
        path = self.benchmark / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file of the bundle, and update the checksums."""
        (self.bundle / name).write_bytes(content.encode() if isinstance(content, str) else content)
        self.seal()

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that occurs once in a file of the bundle."""
        self.write(name, replaced((self.bundle / name).read_text(encoding="utf-8"), old, new))

    def define(self, old: str, new: str) -> None:
        """Replace a text that occurs once in the benchmark's definition."""
        self.put("benchmark.toml", replaced((self.benchmark / "benchmark.toml").read_text(encoding="utf-8"), old, new))

    def change(self, line: int, **changes: object) -> None:
        """Change keys in one line of rounds.jsonl, counted from 1."""
        lines = (self.bundle / "rounds.jsonl").read_text(encoding="utf-8").splitlines()
        record = json.loads(lines[line - 1]) | changes
        present_values = {key: value for key, value in record.items() if value is not ABSENT}
        self.write("rounds.jsonl", "\n".join([*lines[: line - 1], json.dumps(present_values), *lines[line:]]) + "\n")

    def rounds(self, *records: Mapping[str, object]) -> None:
        """Overwrite rounds.jsonl with records."""
        self.write("rounds.jsonl", json_lines(*records))

    def findings(self, text: str) -> None:
        """Overwrite findings.toml with findings."""
        self.put("findings.toml", f"schema = 1\n{text}")

    def seal(self) -> None:
        """Write the bundle's SHA256SUMS."""
        seal(self.bundle)

    def add(self, name: str, *records: Mapping[str, object], manifest: str = MANIFEST) -> Path:
        """Write another bundle, and return its folder."""
        folder = self.bundle.with_name(name)
        write_bundle(folder, manifest, records)
        return folder

    def read(self) -> Results:
        """Read the folder and return its results."""
        return read_results(self.folder)

    def read_bundle(self) -> Bundle:
        """Read the folder and return its only bundle."""
        ((bundle,),) = (results.bundles for results in self.read().benchmarks)
        return bundle

    def told(self) -> list[Told]:
        """Read the folder and return all problems."""
        return [self._told(problem) for problem in self.read().all_problems()]

    def codes(self) -> list[str]:
        """Read the folder and return the codes of all problems."""
        return [problem.code for problem in self.told()]

    def _told(self, problem: Problem) -> Told:
        inside = problem.path.is_relative_to(self.bundle)
        name = problem.path.relative_to(self.bundle if inside else self.folder).as_posix()
        location = f"{name}:{problem.line}" if problem.line else name
        return Told(problem.code, location, problem.what, problem.fix, problem.severity)


def write_benchmark(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a benchmark, and the checksums of its bundles.

    Args:
        folder: The benchmark's folder, created if needed.
        files: Contents by path below the folder, such as `submissions/acme/rounds.jsonl`.
    """
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for bundle in sorted((folder / "submissions").glob("*/")):
        seal(bundle)


def write_bundle(
    folder: Path, manifest: str, rounds: Iterable[Mapping[str, object]], runs: Sequence[Mapping[str, object]] = ()
) -> None:
    """Write a bundle with its checksums; runs.jsonl is written only if there are runs."""
    folder.mkdir(parents=True)
    (folder / "submission.toml").write_text(manifest, encoding="utf-8")
    (folder / "rounds.jsonl").write_text(json_lines(*rounds), encoding="utf-8")
    if runs:
        (folder / "runs.jsonl").write_text(json_lines(*runs), encoding="utf-8")
    seal(folder)


def seal(folder: Path) -> None:
    """Write a bundle's SHA256SUMS."""
    files = sorted(file for file in folder.iterdir() if file.name != "SHA256SUMS" and file.is_file())
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def json_lines(*records: Mapping[str, object]) -> str:
    """Return records as JSON Lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def replaced(text: str, old: str, new: str) -> str:
    """Return a text with a part replaced that occurs exactly once."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)
