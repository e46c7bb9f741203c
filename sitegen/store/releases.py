"""Reads releases, finds what contradicts them, and what was called otherwise before: in addresses, and in releases."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from sitegen.models import digests
from sitegen.models.benchmark import BESIDE_BENCHMARKS, Benchmark
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedBundle, LockedRow, Release
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.problems import Problem, Rule, errors_of, listed
from sitegen.reading.files import read_text, sha256_of
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import parsed, read_toml
from sitegen.store.expected import name_of
from sitegen.store.layout import CHECKSUMS, DEFINITION, FILE_UNEXPECTED, FINDINGS, MANIFEST, RELEASES, ROUNDS

_RESTORE = "restore it as it was; a correction is a new bundle, which the status of this one names"
RELEASE_NAME = Rule.error(
    "RELEASE-NAME", "A release's file is called by its date.", "call it YYYY-MM-DD.toml, by the `date` that it states"
)
RELEASE_BENCHMARK_GONE = Rule.error(
    "RELEASE-BENCHMARK-GONE",
    "A benchmark that was released stays, under its id or one that `[[renamed]]` of benchmark.toml tells.",
    "put it back; a track that does not stand any more says so in its `status`",
)
RELEASE_BUNDLE_GONE = Rule.error(
    "RELEASE-BUNDLE-GONE",
    "A bundle that was released stays, under its name or one that `[[renamed]]` of benchmark.toml tells.",
    "put it back, or name both addresses in `[[renamed]]` where it is called otherwise; a bundle that does not stand "
    "any more says so in its status",
)
RELEASE_BUNDLE_DIFFERS = Rule.error(
    "RELEASE-BUNDLE-DIFFERS", "A bundle that was released never changes, but for its status.", _RESTORE
)
RELEASE_TASKS_DIFFER = Rule.error(
    "RELEASE-TASKS-DIFFER",
    "A task set that was released keeps its tasks, rounds, weights and cases.",
    "restore it, and give the changed tasks a task set and a track of their own",
)
RELEASE_TRACK_DIFFERS = Rule.error(
    "RELEASE-TRACK-DIFFERS",
    "A track that was released keeps its conditions.",
    "restore it, and add a track with the new conditions",
)
RELEASE_FINDING_DIFFERS = Rule.error(
    "RELEASE-FINDING-DIFFERS",
    "A finding that was released stays as it is.",
    "restore it; what is new about it is a finding of its own",
)
RELEASE_TABLE_DIFFERS = Rule.error(
    "RELEASE-TABLE-DIFFERS",
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
    """Which benchmarks are gone, each by the first release that has it. One that can't be read has told why."""
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
        folder, bundles = self.results.path, {bundle.id: bundle for bundle in self.results.bundles}
        for name, bundle in self.locked.bundles.items():
            path = folder / "submissions" / name
            if name in bundles:
                yield from self._bundle(bundles[name], bundle)
            elif not path.exists():
                yield RELEASE_BUNDLE_GONE.broken(path, None, f"{name} is gone, and release {self.release.date} has it")
        for name, digest in self.locked.task_sets.items():
            tasks = self.results.task_sets.get(name)
            if tasks is None or digests.task_set_digest(tasks) != digest:
                what = f"task set {name} {'is gone' if tasks is None else 'differs'}"
                yield self._differs(RELEASE_TASKS_DIFFER, folder / "tasks" / f"{name}.jsonl", what)
        tables = {digests.table_digest(table) for table in self.results.reported}
        for name, digest in self.locked.reported.items():
            if digest not in tables:
                yield self._differs(RELEASE_TABLE_DIFFERS, folder / "reported" / name, f"the figures of {name} differ")
        path, here = (
            self.results.path / FINDINGS,
            {digests.finding_digest(finding) for finding in self.results.findings},
        )
        if here or path not in {each.path for each in errors_of(self.results.problems)}:  # else it can't be read
            for finding in (each for each in self.locked.findings if each.digest not in here):
                what = f"“{finding.title}” of {finding.date} is gone or says something else"
                yield self._differs(RELEASE_FINDING_DIFFERS, path, what)
        for board in self.locked.boards:
            yield from self._track(board)

    def _bundle(self, bundle: Bundle, locked: LockedBundle) -> Iterator[Problem]:
        redactions = [each for each in self.results.findings if each.redacts(bundle.id)]
        redacted = {digest for each in redactions for digest in (each.digests or {}).values()}
        is_empty = not bundle.rounds and redacted >= {*locked.files.values()}  # only a redaction leaves no rounds
        if digests.manifest_digest(bundle.submission) != locked.manifest and not is_empty:
            yield self._changed(bundle, MANIFEST, None, "its manifest says something else")
        found = locked_files(bundle)
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
        changed = list(digests.differing(digests.read_prints(locked.rounds), digests.prints_of(bundle.rounds)))
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
    """The SHA-256 of each file but the manifest, whose status may change; what SHA256SUMS states may be wrong."""
    files = (path for path in sorted(bundle.path.iterdir()) if path.is_file() and not path.is_symlink())
    return {path.name: sha256_of(path) for path in files if path.name not in {MANIFEST, CHECKSUMS}}


RENAMED_TO_UNKNOWN = Rule.error(
    "RENAMED-TO-UNKNOWN",
    "A former address leads to something that is there.",
    "write where it is now: BENCHMARK/TRACK, BENCHMARK/TRACK/SUBMISSION or BENCHMARK/TRACK/tasks/TASK",
)
RENAMED_FROM_TAKEN = Rule.error(
    "RENAMED-FROM-TAKEN",
    "At a former address stands nothing, and it leads to one place.",
    "name the address that something had and that nothing has now, once",
)

_PARTS = 3
"""So many names make the address of a submission: benchmark, track, submission."""


def renaming_problems(results: BenchmarkResults) -> Iterator[Problem]:
    """Which former addresses are none, and which lead nowhere."""
    renamed = results.benchmark.renamed
    if not renamed:
        return
    path, known = results.path / DEFINITION, set(_addresses(results))
    places = read_toml(path, Benchmark).places
    before: set[str] = set()
    for number, each in enumerate(renamed):
        home, taken = each.old.partition("/")[0], ""
        if each.old in before:
            taken = "is named twice"
        elif each.old in known or home in BESIDE_BENCHMARKS:
            taken = "is an address that the site has"
        elif home != results.benchmark.id and (results.path.parent / home / DEFINITION).exists():
            taken = f"is an address of the benchmark {home}"
        if taken:
            line = places.line_of(("renamed", number, "from"))
            yield RENAMED_FROM_TAKEN.broken(path, line, f"{each.old} {taken}")
        if each.new not in known:
            line, what = places.line_of(("renamed", number, "to")), f"{results.benchmark.id} has nothing at {each.new}"
            yield RENAMED_TO_UNKNOWN.broken(path, line, what, suggestion(each.new, known))
        before.add(each.old)


def shared_addresses(benchmarks: Sequence[BenchmarkResults]) -> Iterator[Problem]:
    """Which former addresses several benchmarks state: whoever comes there can be led to one place only."""
    owners: dict[str, str] = {}
    for results in benchmarks:
        path, places = results.path / DEFINITION, None
        for number, each in enumerate(results.benchmark.renamed):
            owner = owners.setdefault(each.old, results.benchmark.id)
            if owner != results.benchmark.id:
                places = places or read_toml(path, Benchmark).places
                line = places.line_of(("renamed", number, "from"))
                yield RENAMED_FROM_TAKEN.broken(path, line, f"{each.old} is a former address of {owner} already")


def _addresses(results: BenchmarkResults) -> Iterator[str]:
    """The addresses that something of a benchmark can be renamed to."""
    home = results.benchmark.id
    yield home
    for track in results.benchmark.tracks:
        yield f"{home}/{track.id}"
        inside = [row.id for table in results.reported_on(track) for row in table.rows]
        inside += (bundle.id for bundle in results.bundles_of(track))
        for task in results.tasks_of(track).tasks:
            inside.append(f"tasks/{task.id}")
            inside += (f"tasks/{task.id}/{each.n}" for each in task.rounds)
            inside += (f"{bundle.id}/{task.id}" for bundle in results.bundles_of(track))
        yield from (f"{home}/{track.id}/{each}" for each in inside)


def in_names_of_today(releases: Sequence[Release], benchmarks: Sequence[BenchmarkResults]) -> tuple[Release, ...]:
    """Releases with the names that benchmarks and submissions have now."""
    renamed = {each.old: each.new for results in benchmarks for each in results.benchmark.renamed}
    if not renamed:
        return tuple(releases)
    found: list[Release] = []
    for release in releases:
        names = _one_each(renamed, [each.id for each in release.benchmarks])
        inside = tuple(_benchmark(each, names.get(each.id, each.id), renamed) for each in release.benchmarks)
        found.append(release.model_copy(update={"benchmarks": inside}))
    return tuple(found)


def _one_each(names: Mapping[str, str], had: Collection[str]) -> dict[str, str]:
    """The new names of what a release has, but none to two: what a name would hide keeps its own, and is missed."""
    taken, found = set(had), {}
    for old in had:
        new = names.get(old, old)
        if new not in taken:
            taken.add(new)
            found[old] = new
    return found


def _benchmark(locked: LockedBenchmark, name: str, renamed: Mapping[str, str]) -> LockedBenchmark:
    names = {board.track: _names_on(board, {locked.id, name}, renamed) for board in locked.boards}
    submitted = {
        row.id: names[board.track][row.id]
        for board in locked.boards
        for row in board.rows
        # A row of a published table may be called as a bundle is elsewhere.
        if row.id in names[board.track] and row.evidence != "reported"
    }
    now = _one_each(submitted, locked.bundles)
    bundles = {now.get(each, each): bundle for each, bundle in locked.bundles.items()}
    boards = tuple(_board(board, names[board.track]) for board in locked.boards)
    return locked.model_copy(update={"id": name, "bundles": bundles, "boards": boards})


def _names_on(board: LockedBoard, homes: Collection[str], renamed: Mapping[str, str]) -> dict[str, str]:
    """The names that rows of a board have now, by those that they had."""
    names: dict[str, str] = {}
    for old, new in ((old.split("/"), new.split("/")) for old, new in renamed.items()):
        if len(old) == len(new) == _PARTS and old[0] in homes and old[1] == new[1] == board.track:
            names[old[2]] = new[2]
    return _one_each(names, [row.id for row in board.rows])


def _board(locked: LockedBoard, names: Mapping[str, str]) -> LockedBoard:
    def renamed(row: LockedRow) -> LockedRow:
        by = names.get(row.by, row.by) if row.by else row.by
        if row.id not in names:
            return row if by == row.by else row.model_copy(update={"by": by})
        return row.model_copy(update={"id": names[row.id], "formerly": row.id, "by": by})

    return locked.model_copy(update={"rows": tuple(map(renamed, locked.rows))})
