"""Reads releases, finds what contradicts them, and what was called otherwise before: in addresses, and in releases."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from sitegen.metrics.catalogue import metrics_of
from sitegen.models import digests
from sitegen.models.benchmark import BESIDE_BENCHMARKS, Benchmark
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedBundle, Release
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.problems import Problem, Rule, errors_of, listed
from sitegen.reading.files import read_text, sha256_of
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import parsed, read_toml
from sitegen.store.expected import name_of
from sitegen.store.layout import (
    CHECKSUMS,
    DEFINITION,
    FILE_UNEXPECTED,
    FINDINGS,
    MANIFEST,
    RELEASES,
    ROUNDS,
)

_RESTORE = "restore it as it was; a correction is a new bundle, which the status of this one names"
RELEASE_NAME = Rule.error(
    "RELEASE-NAME",
    "A release's file is called by its date.",
    "call it YYYY-MM-DD.toml, by the `date` that it states",
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
    "RELEASE-BUNDLE-DIFFERS",
    "A bundle that was released never changes, but for its status.",
    _RESTORE,
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

RELEASE_DEFINITION_DIFFERS = Rule.warning(
    "RELEASE-DEFINITION-DIFFERS",
    "What gives scores their meaning is as the latest release has it: headline, formulas, weights and labels.",
    "lock a new release with `sitegen release`, and say in its changelog what changed; or restore what the release has",
)

_NAMED = 5
"""So many rounds that differ are named; of more it is said how many there are."""


def release_titles(folder: Path) -> dict[str, str]:
    """The titles of the releases by their days, the latest first; of a file, only its first lines are read."""
    paths = sorted(
        (folder / RELEASES).glob(f"{'[0-9]' * 4}-{'[0-9]' * 2}-{'[0-9]' * 2}.toml"), reverse=True
    )
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
            problems.append(document.broken(RELEASE_NAME, ("date",), what))
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
    latest = [
        _Held(release, locked, results)
        for release in releases
        for locked in release.benchmarks
        if locked.id == results.benchmark.id
    ]
    if latest:
        yield from latest[-1].definition_problems()


def vanished(releases: Sequence[Release], folder: Path, here: Collection[str]) -> Iterator[Problem]:
    """Which benchmarks are gone, each by the first release that has it. One that can't be read has told why."""
    had = {locked.id: release for release in reversed(releases) for locked in release.benchmarks}
    for name, release in sorted(had.items()):
        path = folder / name
        if name not in here and not path.is_dir():
            yield RELEASE_BENCHMARK_GONE.broken(
                path, None, f"{name} is gone, and release {release.date} has it"
            )


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
                yield RELEASE_BUNDLE_GONE.broken(
                    path, None, f"{name} is gone, and release {self.release.date} has it"
                )
        for name, digest in self.locked.task_sets.items():
            tasks = self.results.task_sets.get(name)
            if tasks is None or digests.task_set_digest(tasks) != digest:
                what = f"task set {name} {'is gone' if tasks is None else 'differs'}"
                yield self._differs(RELEASE_TASKS_DIFFER, folder / "tasks" / f"{name}.jsonl", what)
        tables = {digests.table_digest(table) for table in self.results.reported}
        for name, digest in self.locked.reported.items():
            if digest not in tables:
                yield self._differs(
                    RELEASE_TABLE_DIFFERS,
                    folder / "reported" / name,
                    f"the figures of {name} differ",
                )
        here = {digests.finding_digest(finding) for finding in self.results.findings}
        if here or folder / FINDINGS not in {
            each.path for each in errors_of(self.results.problems)
        }:  # else unreadable
            for finding in (each for each in self.locked.findings if each.digest not in here):
                what = f"“{finding.title}” of {finding.date} is gone or says something else"
                yield self._differs(RELEASE_FINDING_DIFFERS, folder / FINDINGS, what)
        tracks = {each.id: each for each in self.results.benchmark.tracks}
        for board in self.locked.boards:
            track, told = tracks.get(board.track), [f"track {board.track} is gone"]
            if track is not None:
                keys = ("protocol", "attempts", "reference_rounds")
                pairs = ((key, getattr(board, key), getattr(track, key)) for key in keys)
                told = [
                    f"`{key}` of track {track.id} is {now}, and was {was}"
                    for key, was, now in pairs
                    if was != now
                ]
            yield from (
                self._differs(RELEASE_TRACK_DIFFERS, folder / DEFINITION, what) for what in told
            )

    def definition_problems(self) -> Iterator[Problem]:
        """What gives scores their meaning and differs: it is legitimate to change, and then to be released."""
        definition = self.results.path / DEFINITION
        metrics = metrics_of(self.results.benchmark)
        tracks = {track.id: track for track in self.results.benchmark.tracks}
        for board in self.locked.boards:
            track = tracks.get(board.track)
            if track is None:
                continue
            if track.headline != board.headline:
                what = f"the headline of track {track.id} is {track.headline}, and was {board.headline}"
                yield self._differs(RELEASE_DEFINITION_DIFFERS, definition, what)
            for name, version in board.versions.items():
                is_own = isinstance(version, str) or (name in metrics and metrics[name].is_own)
                if is_own and (name not in metrics or metrics[name].version != version):
                    what = f"the definition of metric {name} on track {track.id} differs"
                    yield self._differs(RELEASE_DEFINITION_DIFFERS, definition, what)
        for name, digest in self.locked.axes.items():
            axis = self.results.benchmark.axes.get(name)
            if axis is None or digests.axis_digest(axis) != digest:
                what = (
                    f"axis {name} {'is gone' if axis is None else 'has other weights or clusters'}"
                )
                yield self._differs(RELEASE_DEFINITION_DIFFERS, definition, what)
        for name, digest in self.locked.labels.items():
            tasks = self.results.task_sets.get(name)
            if tasks is not None and digests.labels_digest(tasks) != digest:
                path = self.results.path / "tasks" / f"{name}.jsonl"
                yield self._differs(
                    RELEASE_DEFINITION_DIFFERS, path, f"labels of tasks of {name} differ"
                )

    def _bundle(self, bundle: Bundle, locked: LockedBundle) -> Iterator[Problem]:
        def changed(file: str, line: int | None, fact: str) -> Problem:
            what = f"{bundle.id} is not as release {self.release.date} has it: {fact}"
            return RELEASE_BUNDLE_DIFFERS.broken(bundle.path / file, line, what)

        redactions = [each for each in self.results.findings if each.redacts(bundle.id)]
        redacted = {digest for each in redactions for digest in (each.digests or {}).values()}
        is_empty = not bundle.rounds and redacted >= {
            *locked.files.values()
        }  # only a redaction leaves no rounds
        if digests.manifest_digest(bundle.submission) != locked.manifest and not is_empty:
            yield changed(MANIFEST, None, "its manifest says something else")
        found = locked_files(bundle)
        for name in sorted({*found, *locked.files}):
            if found.get(name) == locked.files.get(name) or locked.files.get(name) in redacted:
                continue
            if name == ROUNDS:
                yield changed(ROUNDS, *_rounds_edit(bundle, locked))
            else:
                told = (
                    "is another file" if name in found and name in locked.files else "was not there"
                )
                yield changed(name, None, f"{name} {told if name in found else 'is gone'}")

    def _differs(self, rule: Rule, path: Path, what: str) -> Problem:
        return rule.broken(path, None, f"{what}; release {self.release.date} has it otherwise")


def _rounds_edit(bundle: Bundle, locked: LockedBundle) -> tuple[int | None, str]:
    """Name the rounds that differ from those of a release, behind the line of the first."""
    changed = list(
        digests.differing(digests.read_prints(locked.rounds), digests.prints_of(bundle.rounds))
    )
    if not changed:
        return None, "the same rounds are written in another way"
    lines = {
        (each.task, each.attempt, each.start, each.round): number
        for number, each in bundle.numbered_rounds()
    }
    told = listed((name_of(a, b, n, c) for (a, b, c), n in changed), _NAMED, separator="; ")
    line = next((lines[key] for run, number in changed if (key := (*run, number)) in lines), None)
    return line, f"{told} differs" if len(changed) == 1 else f"{len(changed)} rounds differ: {told}"


def locked_files(bundle: Bundle) -> dict[str, str]:
    """The SHA-256 of each file but the manifest, whose status may change; what SHA256SUMS states may be wrong."""
    files = (
        path for path in sorted(bundle.path.iterdir()) if path.is_file() and not path.is_symlink()
    )
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
    if not results.benchmark.renamed:
        return
    document, before, known = (
        read_toml(results.path / DEFINITION, Benchmark),
        set[str](),
        set(addresses_in(results)),
    )
    for number, each in enumerate(results.benchmark.renamed):
        home, taken = each.old.partition("/")[0], ""
        if each.old in before:
            taken = "is named twice"
        elif each.old in known or home in BESIDE_BENCHMARKS:
            taken = "is an address that the site has"
        elif home != results.benchmark.id and (results.path.parent / home / DEFINITION).exists():
            taken = f"is an address of the benchmark {home}"
        if taken:
            yield document.broken(
                RENAMED_FROM_TAKEN, ("renamed", number, "from"), f"{each.old} {taken}"
            )
        if each.new not in known:
            what = f"{results.benchmark.id} has nothing at {each.new}"
            yield document.broken(
                RENAMED_TO_UNKNOWN, ("renamed", number, "to"), what, suggestion(each.new, known)
            )
        before.add(each.old)


def shared_addresses(benchmarks: Sequence[BenchmarkResults]) -> Iterator[Problem]:
    """Which former addresses several benchmarks state: whoever comes there can be led to one place only."""
    owners: dict[str, str] = {}
    for results in benchmarks:
        home, document = results.benchmark.id, None
        for number, each in enumerate(results.benchmark.renamed):
            owner = owners.setdefault(each.old, home)
            if owner != home:
                document = document or read_toml(results.path / DEFINITION, Benchmark)
                what = f"{each.old} is a former address of {owner} already"
                yield document.broken(RENAMED_FROM_TAKEN, ("renamed", number, "from"), what)


def addresses_in(results: BenchmarkResults) -> Iterator[str]:
    """Yield the addresses that something of a benchmark can be renamed to."""
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


def in_names_of_today(
    releases: Sequence[Release], benchmarks: Sequence[BenchmarkResults]
) -> tuple[Release, ...]:
    """Releases with the names that benchmarks and submissions have now."""
    renamed = {each.old: each.new for results in benchmarks for each in results.benchmark.renamed}
    found: list[Release] = []
    for release in releases if renamed else ():
        names = _one_each(renamed, [each.id for each in release.benchmarks])
        inside = tuple(
            _benchmark(each, names.get(each.id, each.id), renamed) for each in release.benchmarks
        )
        found.append(release.model_copy(update={"benchmarks": inside}))
    return tuple(found or releases)


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
    boards: list[LockedBoard] = []
    submitted: dict[str, str] = {}
    for board in locked.boards:
        named: dict[str, str] = {}
        for old, new in ((old.split("/"), new.split("/")) for old, new in renamed.items()):
            if (
                len(old) == len(new) == _PARTS
                and old[0] in {locked.id, name}
                and old[1] == new[1] == board.track
            ):
                named[old[2]] = new[2]
        names = _one_each(named, [row.id for row in board.rows])
        # A row of a published table may be called as a bundle is elsewhere.
        submitted |= {
            row.id: names[row.id]
            for row in board.rows
            if row.id in names and row.evidence != "reported"
        }
        rows = []
        for row in board.rows:
            other = {"id": names[row.id], "formerly": row.id} if row.id in names else {}
            rows.append(row.model_copy(update={**other, "by": names.get(row.by or "", row.by)}))
        boards.append(board.model_copy(update={"rows": tuple(rows)}))
    now = _one_each(submitted, locked.bundles)
    bundles = {now.get(each, each): bundle for each, bundle in locked.bundles.items()}
    return locked.model_copy(update={"id": name, "bundles": bundles, "boards": tuple(boards)})
