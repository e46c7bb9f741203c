"""Replace digests of a benchmark's files in releases with those of its public edition.

A release records digests of manifests, tasks, findings, published tables, rounds and files. The
files in the public edition of a benchmark with private tasks differ from the originals. Therefore,
the digest of each file that is unchanged since the release is replaced by the digest of its public
file, so that public releases and results compare as they do in the repository. The digest of a file
that changed after the release is kept, so the file differs in public as well. Start with
`public_digests`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sitegen.models.benchmark import Benchmark
from sitegen.models.digests import (
    finding_digest,
    fingerprints,
    labels_digest,
    manifest_digest,
    table_digest,
    task_set_digest,
)
from sitegen.models.finding import Finding, Findings
from sitegen.models.outcome import RoundResult
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Submission
from sitegen.models.task import Task, TaskSet
from sitegen.publish.machine.packing import sha256_of_file
from sitegen.publish.results.file_names import (
    DEFINITION_FILE,
    FINDINGS_FILE,
    MANIFEST_FILE,
    REPORTED_FOLDER,
    ROUNDS_FILE,
    SUBMISSIONS_FOLDER,
    TASKS_FOLDER,
)
from sitegen.reading.json import LineKind, read_lines
from sitegen.reading.toml import read_toml

_ROUND_LINES = LineKind(RoundResult)
_TASK_LINES = LineKind(Task)


@dataclass(slots=True)
class PublicDigests:
    """The public digests of the parts of a benchmark that releases record by digest."""

    by_original: Mapping[str, str]
    """Public digests of files, manifests, task sets, labels, findings and tables, by original."""
    titles: Mapping[str, str]
    """Public titles of findings, by public digest."""
    rounds: Mapping[str, Path]
    """The public files of rounds, by the SHA-256 of each original file."""
    read_fingerprints: dict[Path, str] = field(default_factory=dict)
    """Fingerprints of the rounds files read so far."""

    def apply(self, locked: dict[str, Any]) -> None:
        """Put the public digests into a release's record of the benchmark, in place."""
        for key in ("task_sets", "labels", "reported"):
            if key in locked:
                locked[key] = self._public_values(locked[key])
        for finding in locked.get("findings", ()):
            finding["digest"] = self._public(finding["digest"])
            finding["title"] = self.titles.get(finding["digest"], finding["title"])
        for bundle in locked.get("bundles", {}).values():
            files = bundle.get("files", {})
            public_rounds = self.rounds.get(files.get(ROUNDS_FILE, ""))
            if public_rounds:
                bundle["rounds"] = self._fingerprints_of(public_rounds)
            bundle["manifest"] = self._public(bundle["manifest"])
            bundle["files"] = self._public_values(files)

    def _public(self, digest: str) -> str:
        return self.by_original.get(digest, digest)

    def _public_values(self, digests: Mapping[str, str]) -> dict[str, str]:
        return {name: self._public(digest) for name, digest in digests.items()}

    def _fingerprints_of(self, path: Path) -> str:
        if path not in self.read_fingerprints:
            self.read_fingerprints[path] = fingerprints(read_lines(path, _ROUND_LINES).records)
        return self.read_fingerprints[path]


def public_digests(
    benchmark: Path, edition: Path, file_digests: Mapping[str, str]
) -> PublicDigests:
    """Return the public digests of the parts of a benchmark that releases record by digest.

    For a file that can't be read, only the digest of its bytes is known, so the pairs of original
    and public digests or findings end early. Readers of the results report such files.

    Args:
        benchmark: The benchmark's folder.
        edition: The folder of the benchmark's public edition, which has the same file names.
        file_digests: The SHA-256 of each file of the edition, by the SHA-256 of the original file.
    """
    by_original = dict(file_digests)
    readers: Mapping[str, Callable[[Path], list[str]]] = {
        f"{TASKS_FOLDER}/*.jsonl": _task_digests,
        f"{REPORTED_FOLDER}/*.toml": _table_digests,
        f"{SUBMISSIONS_FOLDER}/*/{MANIFEST_FILE}": _manifest_digests,
    }
    for pattern, digests_in in readers.items():
        for path in sorted(benchmark.glob(pattern)):
            public_path = edition / path.relative_to(benchmark)
            by_original |= zip(digests_in(path), digests_in(public_path), strict=False)
    titles = {}
    findings = zip(recorded_findings(benchmark), recorded_findings(edition), strict=False)
    for original, public in findings:
        public_digest = finding_digest(public)
        by_original[finding_digest(original)] = public_digest
        titles[public_digest] = public.title
    rounds = {}
    for path in sorted(benchmark.glob(f"{SUBMISSIONS_FOLDER}/*/{ROUNDS_FILE}")):
        if path.is_file() and not path.is_symlink():
            rounds[sha256_of_file(path)] = edition / path.relative_to(benchmark)
    return PublicDigests(by_original, titles, rounds)


def former_ids(benchmark: Path) -> list[str]:
    """Return the former ids of a benchmark; empty if its definition can't be read."""
    definition = read_toml(benchmark / DEFINITION_FILE, Benchmark).record
    renamed = definition.renamed if definition else ()
    return [renaming.old for renaming in renamed if renaming.new == benchmark.name]


def _task_digests(path: Path) -> list[str]:
    """Return the digests of a task set and of its labels."""
    tasks = {task.id: task for task in read_lines(path, _TASK_LINES).records}
    task_set = TaskSet(path.stem, tuple(tasks.values()))
    return [task_set_digest(task_set), labels_digest(task_set)]


def _table_digests(path: Path) -> list[str]:
    table = read_toml(path, ReportedTable).record
    return [table_digest(table)] if table else []


def _manifest_digests(path: Path) -> list[str]:
    submission = read_toml(path, Submission).record
    return [manifest_digest(submission)] if submission else []


def recorded_findings(benchmark: Path) -> tuple[Finding, ...]:
    """Return the findings of a benchmark's folder; empty if they can't be read."""
    path = benchmark / FINDINGS_FILE
    if not path.is_file():
        return ()
    record = read_toml(path, Findings).record
    return record.findings if record else ()
