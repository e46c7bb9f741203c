"""Reads releases, and finds what contradicts them: a release never changes."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from sitegen.models.digests import (
    differing,
    finding_digest,
    manifest_digest,
    prints_of,
    read_prints,
    table_digest,
    task_set_digest,
)
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedBundle, Release
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.problems import Problem, Rule, errors_of, listed
from sitegen.reading.files import read_text, sha256_of
from sitegen.reading.toml import parsed, read_toml
from sitegen.store.expected import name_of
from sitegen.store.layout import CHECKSUMS, DEFINITION, FILE_UNEXPECTED, MANIFEST, RELEASES, ROUNDS

_RESTORE = "restore it as it was; a correction is a new bundle, which the status of this one names"
RELEASE_NAME = Rule(
    "RELEASE-NAME",
    "error",
    "A release's file is called by its date.",
    "call it YYYY-MM-DD.toml, by the `date` that it states",
)
RELEASE_BENCHMARK_GONE = Rule(
    "RELEASE-BENCHMARK-GONE",
    "error",
    "A benchmark that was released stays, under its id or one that `[[renamed]]` of benchmark.toml tells.",
    "put it back; a track that does not stand any more says so in its `status`",
)
RELEASE_BUNDLE_GONE = Rule(
    "RELEASE-BUNDLE-GONE",
    "error",
    "A bundle that was released stays, under its name or one that `[[renamed]]` of benchmark.toml tells.",
    "put it back, or name both addresses in `[[renamed]]` where it is called otherwise; a bundle that does not stand "
    "any more says so in its status",
)
RELEASE_BUNDLE_DIFFERS = Rule(
    "RELEASE-BUNDLE-DIFFERS", "error", "A bundle that was released never changes, but for its status.", _RESTORE
)
RELEASE_TASKS_DIFFER = Rule(
    "RELEASE-TASKS-DIFFER",
    "error",
    "A task set that was released keeps its tasks, rounds, weights and cases.",
    "restore it, and give the changed tasks a task set and a track of their own",
)
RELEASE_TRACK_DIFFERS = Rule(
    "RELEASE-TRACK-DIFFERS",
    "error",
    "A track that was released keeps its conditions.",
    "restore it, and add a track with the new conditions",
)
RELEASE_FINDING_DIFFERS = Rule(
    "RELEASE-FINDING-DIFFERS",
    "error",
    "A finding that was released stays as it is.",
    "restore it; what is new about it is a finding of its own",
)
RELEASE_TABLE_DIFFERS = Rule(
    "RELEASE-TABLE-DIFFERS",
    "error",
    "A published table that was released keeps its figures.",
    "restore it; what is wrong with it goes to its `errata`",
)

_NAMED = 5
"""So many rounds that differ are named; of more it is said how many there are."""


def release_titles(folder: Path) -> dict[str, str]:
    """The titles of the releases by their days, the latest first; of a file, only its first lines are read."""
    paths = sorted((folder / RELEASES).glob(f"{'[0-9]' * 4}-{'[0-9]' * 2}-{'[0-9]' * 2}.toml"), reverse=True)
    titles: dict[str, str] = {}
    for path in paths:
        text, _ = read_text(path)
        head = "\n".join(takewhile(lambda line: not line.startswith("["), (text or "").split("\n")))
        try:
            titles[path.stem] = str(parsed(head).get("title", "")) or path.stem
        except ValueError:
            titles[path.stem] = path.stem
    return titles


def read_releases(folder: Path) -> tuple[tuple[Release, ...], list[Problem]]:
    """Read every release of a results folder, the oldest first."""
    found: list[Release] = []
    problems: list[Problem] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.suffix != ".toml" or not path.is_file():
            problems.append(FILE_UNEXPECTED.broken(path, None, f"{path.name} is no release"))
            continue
        document = read_toml(path, Release)
        problems += document.problems
        release = document.record
        if release is None:
            continue
        if path.stem != str(release.date):
            what = f"the file is called {path.name}, the release's date is {release.date}"
            problems.append(RELEASE_NAME.broken(path, document.places.line_of(("date",)), what))
        else:  # its pages stand at the date that the file is called by
            found.append(release)
    return tuple(sorted(found, key=lambda release: release.date)), problems


def contradictions(releases: Sequence[Release], results: BenchmarkResults) -> Iterator[Problem]:
    """What of a benchmark is not as releases have it; each fault once, by the first release that has it."""
    told: set[tuple[str, Path]] = set()
    for release in releases:
        for locked in release.benchmarks:
            if locked.id != results.benchmark.id:
                continue
            for problem in _Held(release, locked, results).problems():
                if (problem.code, problem.path) not in told:
                    told.add((problem.code, problem.path))
                    yield problem


def vanished(releases: Sequence[Release], folder: Path, here: Collection[str]) -> Iterator[Problem]:
    """Which benchmarks are gone, each by the first release that has it.

    Args:
        releases: The oldest first.
        folder: The results folder.
        here: Ids of the benchmarks that can be read. One that can't has told why.
    """
    had = {locked.id: release for release in reversed(releases) for locked in release.benchmarks}
    for name, release in sorted(had.items()):
        path = folder / name
        if name not in here and not path.is_dir():
            yield RELEASE_BENCHMARK_GONE.broken(path, None, f"{name} is gone, and release {release.date} has it")


@dataclass(frozen=True, slots=True)
class _Held:
    """A benchmark held against a release."""

    release: Release
    locked: LockedBenchmark
    results: BenchmarkResults

    def problems(self) -> Iterator[Problem]:
        """What differs."""
        folder, here = self.results.path, {bundle.id: bundle for bundle in self.results.bundles}
        for name, bundle in self.locked.bundles.items():
            path = folder / "submissions" / name
            if name in here:
                yield from self._bundle(here[name], bundle)
            elif not path.exists():
                yield RELEASE_BUNDLE_GONE.broken(path, None, f"{name} is gone, and release {self.release.date} has it")
        for name, digest in self.locked.task_sets.items():
            tasks = self.results.task_sets.get(name)
            if tasks is None or task_set_digest(tasks) != digest:
                what = f"task set {name} {'is gone' if tasks is None else 'differs'}"
                yield self._differs(RELEASE_TASKS_DIFFER, folder / "tasks" / f"{name}.jsonl", what)
        tables = {table_digest(table) for table in self.results.reported}
        for name, digest in self.locked.reported.items():
            if digest not in tables:
                yield self._differs(RELEASE_TABLE_DIFFERS, folder / "reported" / name, f"the figures of {name} differ")
        yield from self._findings()
        for board in self.locked.boards:
            yield from self._track(board)

    def _bundle(self, bundle: Bundle, locked: LockedBundle) -> Iterator[Problem]:
        redactions = [each for each in self.results.findings if each.redacts(bundle.id)]
        redacted = {digest for each in redactions for digest in (each.digests or {}).values()}
        is_empty = not bundle.rounds and redacted >= {*locked.files.values()}  # only a redaction leaves no rounds
        if manifest_digest(bundle.submission) != locked.manifest and not is_empty:
            yield self._changed(bundle, MANIFEST, None, "its manifest says something else")
        found = _digests(bundle.path)
        for name in sorted({*found, *locked.files}):
            if found.get(name) == locked.files.get(name) or locked.files.get(name) in redacted:
                continue
            if name == ROUNDS:
                yield self._rounds(bundle, locked)
            else:
                told = "is another file" if name in found and name in locked.files else "was not there"
                yield self._changed(bundle, name, None, f"{name} {told if name in found else 'is gone'}")

    def _rounds(self, bundle: Bundle, locked: LockedBundle) -> Problem:
        """Name the rounds that differ, and the line of the first."""
        changed = list(differing(read_prints(locked.rounds), prints_of(bundle.rounds)))
        if not changed:
            return self._changed(bundle, ROUNDS, None, "the same rounds are written in another way")
        lines = {(each.task, each.attempt, each.start, each.round): number for number, each in bundle.numbered_rounds()}
        told = listed([name_of(task, attempt, number, start) for (task, attempt, start), number in changed], _NAMED)
        line = next((lines[key] for run, number in changed if (key := (*run, number)) in lines), None)
        fact = f"{told} differs" if len(changed) == 1 else f"{len(changed)} rounds differ: {told}"
        return self._changed(bundle, ROUNDS, line, fact)

    def _changed(self, bundle: Bundle, file: str, line: int | None, fact: str) -> Problem:
        what = f"{bundle.id} is not as release {self.release.date} has it: {fact}"
        return RELEASE_BUNDLE_DIFFERS.broken(bundle.path / file, line, what)

    def _findings(self) -> Iterator[Problem]:
        path = self.results.path / "findings.toml"
        if not self.results.findings and path in {each.path for each in errors_of(self.results.problems)}:
            return  # the file can't be read, which is told
        here = {finding_digest(finding) for finding in self.results.findings}
        for finding in self.locked.findings:
            if finding.digest not in here:
                what = f"“{finding.title}” of {finding.date} is gone or says something else"
                yield self._differs(RELEASE_FINDING_DIFFERS, path, what)

    def _track(self, board: LockedBoard) -> Iterator[Problem]:
        track = next((each for each in self.results.benchmark.tracks if each.id == board.track), None)
        path = self.results.path / DEFINITION
        if track is None:
            yield self._differs(RELEASE_TRACK_DIFFERS, path, f"track {board.track} is gone")
            return
        for key in ("protocol", "attempts", "reference_rounds"):
            was, now = getattr(board, key), getattr(track, key)
            if was != now:
                what = f"`{key}` of track {track.id} is {now}, and was {was}"
                yield self._differs(RELEASE_TRACK_DIFFERS, path, what)

    def _differs(self, rule: Rule, path: Path, what: str) -> Problem:
        return rule.broken(path, None, f"{what}; release {self.release.date} has it otherwise")


def locked_files(bundle: Bundle) -> dict[str, str]:
    """The SHA-256 of each file of a bundle but its manifest, whose status may change."""
    return _digests(bundle.path)


def _digests(folder: Path) -> dict[str, str]:
    """Hash the files themselves: what SHA256SUMS states of them may be wrong."""
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and not path.is_symlink())
    return {path.name: sha256_of(path) for path in files if path.name not in {MANIFEST, CHECKSUMS}}
