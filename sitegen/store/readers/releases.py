"""Read releases, and find differences between them and the current results.

Read `read_releases` and `release_differences` first. Releases are compared under current names;
`[[renamed]]` of a benchmark lists former names.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from sitegen.metrics.catalogue import benchmark_metrics
from sitegen.metrics.metric import Metric
from sitegen.models import digests
from sitegen.models.benchmark import (
    SCORING_CONDITIONS,
    Benchmark,
    Track,
)
from sitegen.models.finding import Finding, is_limited
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedBundle, LockedRow, Release
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.problems import Problem, Rule, errors_of, listed
from sitegen.reading.files import read_text, sha256_of
from sitegen.reading.toml import parsed, read_toml
from sitegen.store.checks.expected import round_key_name
from sitegen.store.files.layout import (
    CHECKSUMS_FILE,
    DEFINITION_FILE,
    FILE_UNEXPECTED,
    FINDINGS_FILE,
    MANIFEST_FILE,
    RELEASES_FOLDER,
    REPORTED_FOLDER,
    ROUNDS_FILE,
    SUBMISSIONS_FOLDER,
    TASKS_FOLDER,
)
from sitegen.store.files.readings import Reading

_RESTORE = "restore it as it was; a correction is a new bundle, which the status of this one names"
RELEASE_NAME = Rule.error(
    "RELEASE-NAME",
    "The file name of a release is not its date.",
    "name the file YYYY-MM-DD.toml, after the `date` that it states",
)
RELEASE_BUNDLE_GONE = Rule.error(
    "RELEASE-BUNDLE-GONE",
    "A released bundle or benchmark is missing, and `[[renamed]]` of benchmark.toml does not "
    "name it.",
    "restore it, or list both addresses in `[[renamed]]` if it was renamed; mark a bundle or a "
    "track that is no longer current in its status",
    former_codes=("RELEASE-BENCHMARK-GONE",),
)
RELEASE_BUNDLE_DIFFERS = Rule.error(
    "RELEASE-BUNDLE-DIFFERS",
    "A released bundle was changed in more than its status.",
    _RESTORE,
)
RELEASE_TASKS_DIFFER = Rule.error(
    "RELEASE-TASKS-DIFFER",
    "Tasks, rounds, weights or cases of a released task set were changed.",
    "restore the task set, and add the changed tasks as a new task set with a new track",
)
RELEASE_TRACK_DIFFERS = Rule.error(
    "RELEASE-TRACK-DIFFERS",
    "Conditions of a released track were changed.",
    "restore the track, and add a new track with the new conditions",
)
RELEASE_FINDING_DIFFERS = Rule.error(
    "RELEASE-FINDING-DIFFERS",
    "A released finding was changed.",
    "restore the finding, and record what is new in another finding",
)
RELEASE_TABLE_DIFFERS = Rule.error(
    "RELEASE-TABLE-DIFFERS",
    "Numbers of a released table were changed.",
    "restore the table, and list its errors in its `errata`",
)

RELEASE_DEFINITION_DIFFERS = Rule.warning(
    "RELEASE-DEFINITION-DIFFERS",
    "The headline metric, a formula, weights or labels differ from the latest release.",
    "lock a new release with `sitegen release`, and describe the change in its notes; or restore "
    "the released definition",
)

_RELEASE_PATTERN = f"{'[0-9]' * 4}-{'[0-9]' * 2}-{'[0-9]' * 2}.toml"
"""The pattern of the file names of releases: YYYY-MM-DD.toml."""

_MAX_NAMED_ROUNDS = 5


def release_titles(results_folder: Path, days: Collection[str] | None = None) -> dict[str, str]:
    """Return the titles of a results folder's releases by date, latest first.

    Only the keys before the first table of each file are parsed, because releases can be large.

    Args:
        results_folder: The folder that contains the folder of the releases.
        days: Dates of the releases to read, as YYYY-MM-DD; None for all.
    """
    titles: dict[str, str] = {}
    for path in sorted((results_folder / RELEASES_FOLDER).glob(_RELEASE_PATTERN), reverse=True):
        if days is not None and path.stem not in days:
            continue
        text, _ = read_text(path)
        head = takewhile(lambda line: not line.startswith("["), (text or "").split("\n"))
        try:
            title = str(parsed("\n".join(head)).get("title", ""))
        except ValueError:
            title = ""
        titles[path.stem] = title or path.stem
    return titles


def read_releases(releases_folder: Path) -> Reading[tuple[Release, ...]]:
    """Return the releases in a folder, oldest first, with the problems of their files."""
    releases: list[Release] = []
    problems: list[Problem] = []
    if not releases_folder.is_dir():
        return Reading(())
    for path in sorted(releases_folder.iterdir()):
        if path.suffix != ".toml" or not path.is_file():
            problems.append(FILE_UNEXPECTED.broken(path, None, f"{path.name} is not a release"))
            continue
        document = read_toml(path, Release)
        problems += document.problems
        release = document.record
        if release is None:
            continue
        if path.stem == str(release.date):
            releases.append(release)
        else:  # Addresses of a release's pages contain the date of its file.
            fact = f"the file is called {path.name}, but the release's date is {release.date}"
            problems.append(document.broken(RELEASE_NAME, ("date",), fact))
    releases.sort(key=lambda release: release.date)
    return Reading(tuple(releases), problems)


def release_differences(
    releases: Sequence[Release], results: BenchmarkResults
) -> Iterator[Problem]:
    """Yield the differences between a benchmark and its releases.

    A problem is reported once per file, for the first release that shows it. Definitions are
    compared only with the latest release.
    """
    benchmark_id = results.benchmark.id
    comparisons: list[_ReleaseComparison] = []
    for release in releases:
        locked_states = [state for state in release.benchmarks if state.id == benchmark_id]
        comparisons += [_ReleaseComparison(release, state, results) for state in locked_states]
    reported: set[tuple[str, Path]] = set()
    for comparison in comparisons:
        for problem in comparison.problems():
            fault = (problem.code, problem.path)
            if fault not in reported:
                reported.add(fault)
                yield problem
    if comparisons:
        yield from comparisons[-1].definition_problems()


def releases_about(
    releases: Sequence[Release], benchmark_ids: Collection[str], definitions: Iterable[Benchmark]
) -> tuple[Release, ...]:
    """Return the releases of the given benchmarks, excluding the content of other benchmarks.

    Args:
        releases: The releases as they were written.
        benchmark_ids: The current ids of the benchmarks.
        definitions: Their readable definitions, which list former ids.
    """
    ids = set(benchmark_ids)
    for definition in definitions:
        ids.update(former_ids(definition))
    chosen_releases = []
    for release in releases:
        locked = tuple(benchmark for benchmark in release.benchmarks if benchmark.id in ids)
        if locked:
            chosen_releases.append(release.model_copy(update={"benchmarks": locked}))
    return tuple(chosen_releases)


def former_ids(benchmark: Benchmark) -> list[str]:
    """Return the ids that a benchmark had before it was renamed."""
    return [renaming.old for renaming in benchmark.renamed if renaming.new == benchmark.id]


def missing_benchmarks(
    releases: Sequence[Release], results_folder: Path, present: Collection[str]
) -> Iterator[Problem]:
    """Yield a problem for each missing benchmark, with the first release that includes it.

    A folder that exists but can't be read is reported by its reader.
    """
    first_releases: dict[str, Release] = {}
    for release in releases:
        for locked in release.benchmarks:
            first_releases.setdefault(locked.id, release)
    for name, release in sorted(first_releases.items()):
        path = results_folder / name
        if name not in present and not path.is_dir():
            fact = f"{name} is missing, but release {release.date} has it"
            yield RELEASE_BUNDLE_GONE.broken(path, None, fact)


@dataclass(frozen=True, slots=True)
class _ReleaseComparison:
    """A comparison of a current benchmark with its locked state in a release."""

    release: Release
    locked: LockedBenchmark
    results: BenchmarkResults

    def problems(self) -> Iterator[Problem]:
        """Yield problems with released content that is missing, or changed in a forbidden way."""
        yield from self._bundle_differences()
        yield from self._task_set_differences()
        yield from self._table_differences()
        yield from self._finding_differences()
        yield from self._track_differences()

    def definition_problems(self) -> Iterator[Problem]:
        """Yield problems with changed definitions of scores, which are allowed in a new release."""
        tracks = self._tracks()
        for board in self.locked.boards:
            track = tracks.get(board.track)
            if track:
                yield from self._formula_differences(board, track)
        yield from self._axis_differences()
        yield from self._label_differences()

    def _bundle_differences(self) -> Iterator[Problem]:
        bundles = {bundle.id: bundle for bundle in self.results.bundles}
        for name, locked_bundle in self.locked.bundles.items():
            path = self.results.path / SUBMISSIONS_FOLDER / name
            if name in bundles:
                yield from self._file_differences(bundles[name], locked_bundle)
            elif not path.exists():
                fact = f"{name} is missing, but release {self.release.date} has it"
                yield RELEASE_BUNDLE_GONE.broken(path, None, fact)

    def _file_differences(self, bundle: Bundle, locked: LockedBundle) -> Iterator[Problem]:
        """Yield a bundle's files that differ from the release, except for redacted files."""
        redacted = self._redacted_digests(bundle)
        # Only a full redaction leaves a bundle without rounds.
        is_emptied = not bundle.rounds and redacted.issuperset(locked.files.values())
        has_same_manifest = digests.manifest_digest(bundle.submission) == locked.manifest
        if not has_same_manifest and not is_emptied:
            yield self._bundle_differs(bundle, MANIFEST_FILE, None, "its manifest differs")
        files = locked_files(bundle)
        for name in sorted({*files, *locked.files}):
            locked_digest = locked.files.get(name)
            if files.get(name) == locked_digest or locked_digest in redacted:
                continue
            if name == ROUNDS_FILE:
                line, fact = _rounds_difference(bundle, locked)
                yield self._bundle_differs(bundle, ROUNDS_FILE, line, fact)
                continue
            event = "has other contents"
            if name not in files:
                event = "is missing"
            elif locked_digest is None:
                event = "was not there"
            yield self._bundle_differs(bundle, name, None, f"{name} {event}")

    def _redacted_digests(self, bundle: Bundle) -> set[str]:
        """Return the digests of files whose content was redacted."""
        redacted: set[str] = set()
        for finding in self.results.findings:
            if finding.redacts(bundle.id):
                redacted.update((finding.digests or {}).values())
        return redacted

    def _bundle_differs(
        self, bundle: Bundle, file_name: str, line: int | None, fact: str
    ) -> Problem:
        text = f"{bundle.id} differs from release {self.release.date}: {fact}"
        return RELEASE_BUNDLE_DIFFERS.broken(bundle.path / file_name, line, text)

    def _task_set_differences(self) -> Iterator[Problem]:
        for name, digest in self.locked.task_sets.items():
            path = self.results.path / TASKS_FOLDER / f"{name}.jsonl"
            tasks = self.results.task_sets.get(name)
            if tasks is None:
                yield self._differs(RELEASE_TASKS_DIFFER, path, f"task set {name} is missing")
            elif digests.task_set_digest(tasks) != digest:
                yield self._differs(RELEASE_TASKS_DIFFER, path, f"task set {name} differs")

    def _table_differences(self) -> Iterator[Problem]:
        table_digests = {digests.table_digest(table) for table in self.results.reported}
        for name, digest in self.locked.reported.items():
            if digest not in table_digests:
                path = self.results.path / REPORTED_FOLDER / name
                yield self._differs(RELEASE_TABLE_DIFFERS, path, f"the numbers of {name} differ")

    def _finding_differences(self) -> Iterator[Problem]:
        path = self.results.path / FINDINGS_FILE
        recorded = (self.results.sealed or self.results).findings
        finding_digests = {digests.finding_digest(finding) for finding in recorded}
        erroneous_paths = {problem.path for problem in errors_of(self.results.problems)}
        if not finding_digests and path in erroneous_paths:
            return  # The findings can't be read, which is reported elsewhere.
        finding_digests |= self._digests_before_limits(recorded)
        for finding in self.locked.findings:
            if finding.digest not in finding_digests:
                fact = f"“{finding.title}” of {finding.date} is missing or differs"
                yield self._differs(RELEASE_FINDING_DIFFERS, path, fact)

    def _digests_before_limits(self, recorded: Iterable[Finding]) -> set[str]:
        """Return the digests of findings from before they were limited to some tracks."""
        earlier_digests = set()
        for finding in recorded:
            earlier = finding.model_copy(update={"tracks": ()})
            if is_limited(earlier, finding, self.results.benchmark):
                earlier_digests.add(digests.finding_digest(earlier))
        return earlier_digests

    def _track_differences(self) -> Iterator[Problem]:
        path = self.results.path / DEFINITION_FILE
        tracks = self._tracks()
        for board in self.locked.boards:
            track = tracks.get(board.track)
            if track is None:
                yield self._differs(RELEASE_TRACK_DIFFERS, path, f"track {board.track} is missing")
                continue
            for key in SCORING_CONDITIONS:
                before = getattr(board, key)
                after = getattr(track, key)
                if before != after:
                    fact = f"`{key}` of track {track.id} is {after}, but was {before}"
                    yield self._differs(RELEASE_TRACK_DIFFERS, path, fact)

    def _formula_differences(self, board: LockedBoard, track: Track) -> Iterator[Problem]:
        """Yield problems with a changed headline, and with metrics whose definitions changed."""
        path = self.results.path / DEFINITION_FILE
        if track.headline != board.headline:
            fact = f"the headline of track {track.id} is {track.headline}, but was {board.headline}"
            yield self._differs(RELEASE_DEFINITION_DIFFERS, path, fact)
        metrics = benchmark_metrics(self.results.benchmark)
        for name, version in board.versions.items():
            if _has_other_definition(metrics.get(name), version):
                fact = f"the definition of metric {name} on track {track.id} differs"
                yield self._differs(RELEASE_DEFINITION_DIFFERS, path, fact)

    def _axis_differences(self) -> Iterator[Problem]:
        path = self.results.path / DEFINITION_FILE
        for name, digest in self.locked.axes.items():
            axis = self.results.benchmark.axes.get(name)
            if axis is None:
                yield self._differs(RELEASE_DEFINITION_DIFFERS, path, f"axis {name} is missing")
            elif digests.axis_digest(axis) != digest:
                fact = f"axis {name} has other weights or clusters"
                yield self._differs(RELEASE_DEFINITION_DIFFERS, path, fact)

    def _label_differences(self) -> Iterator[Problem]:
        """Yield problems with changed labels; a new axis does not change scores in the release."""
        locked_axes = self.locked.axes or None
        for name, digest in self.locked.labels.items():
            tasks = self.results.task_sets.get(name)
            if tasks is not None and digests.labels_digest(tasks, locked_axes) != digest:
                path = self.results.path / TASKS_FOLDER / f"{name}.jsonl"
                fact = f"labels of tasks of {name} differ"
                yield self._differs(RELEASE_DEFINITION_DIFFERS, path, fact)

    def _tracks(self) -> dict[str, Track]:
        return {track.id: track for track in self.results.benchmark.tracks}

    def _differs(self, rule: Rule, path: Path, fact: str) -> Problem:
        return rule.broken(path, None, f"{fact}, unlike in release {self.release.date}")


def _has_other_definition(metric: Metric | None, version: int | str) -> bool:
    """Return whether a metric's definition differs from a release; catalogue metrics never differ.

    A version that is a digest marks a metric that the benchmark declared when the release was
    locked.
    """
    was_declared = isinstance(version, str)
    if metric is None:
        return was_declared
    return (was_declared or metric.is_benchmark_declared) and metric.version != version


def _rounds_difference(bundle: Bundle, locked: LockedBundle) -> tuple[int | None, str]:
    """Return the line of the first round that differs from a release, and a text on all of them."""
    released_prints = digests.read_prints(locked.rounds)
    differing = list(digests.differing(released_prints, digests.prints_of(bundle.rounds)))
    if not differing:
        return None, "the same rounds are written in another format"
    line_numbers = {}
    for line_number, result in bundle.numbered_rounds():
        line_numbers[result.task, result.attempt, result.start, result.round] = line_number
    names: list[str] = []
    first_line = None
    for (task, attempt, start), number in differing:
        names.append(round_key_name((task, attempt, number, start)))
        if first_line is None:
            first_line = line_numbers.get((task, attempt, start, number))
    details = listed(names, _MAX_NAMED_ROUNDS, separator="; ")
    if len(names) == 1:
        return first_line, f"{details} differs"
    return first_line, f"{len(names)} rounds differ: {details}"


def locked_files(bundle: Bundle) -> dict[str, str]:
    """Return the SHA-256 of each file of a bundle that a release locks, by file name.

    The manifest is not included, because it is locked by its content without the status, nor is
    SHA256SUMS, whose checksums may be wrong.
    """
    checksums = {}
    for path in sorted(bundle.path.iterdir()):
        is_locked = path.name not in {MANIFEST_FILE, CHECKSUMS_FILE}
        if is_locked and path.is_file() and not path.is_symlink():
            checksums[path.name] = sha256_of(path)
    return checksums


def in_names_of_today(
    releases: Sequence[Release], benchmarks: Sequence[BenchmarkResults]
) -> tuple[Release, ...]:
    """Return releases with the current names of benchmarks and submissions."""
    new_addresses: dict[str, str] = {}
    for results in benchmarks:
        for renaming in results.benchmark.renamed:
            new_addresses[renaming.old] = renaming.new
    if not new_addresses:
        return tuple(releases)
    renamed_releases = []
    for release in releases:
        locked_ids = [locked.id for locked in release.benchmarks]
        new_ids = _distinct_renamings(new_addresses, locked_ids)
        locked_benchmarks = []
        for locked in release.benchmarks:
            new_id = new_ids.get(locked.id, locked.id)
            locked_benchmarks.append(_rename_benchmark(locked, new_id, new_addresses))
        renamed = release.model_copy(update={"benchmarks": tuple(locked_benchmarks)})
        renamed_releases.append(renamed)
    return tuple(renamed_releases)


def _distinct_renamings(new_names: Mapping[str, str], old_names: Collection[str]) -> dict[str, str]:
    """Return the new names of a release's items, leaving out names that are already in use.

    An item whose new name is in use keeps its old name, and is reported as missing.
    """
    used_names = set(old_names)
    renamings: dict[str, str] = {}
    for old_name in old_names:
        new_name = new_names.get(old_name, old_name)
        if new_name not in used_names:
            used_names.add(new_name)
            renamings[old_name] = new_name
    return renamings


def _rename_benchmark(
    locked: LockedBenchmark, new_id: str, new_addresses: Mapping[str, str]
) -> LockedBenchmark:
    """Return a locked benchmark with its id, rows and bundles renamed."""
    boards: list[LockedBoard] = []
    bundle_names: dict[str, str] = {}
    for board in locked.boards:
        submission_names = _renamed_submissions(board.track, {locked.id, new_id}, new_addresses)
        row_ids = [row.id for row in board.rows]
        new_names = _distinct_renamings(submission_names, row_ids)
        # A row of a reported table may have the same name as a bundle on another track.
        for row in board.rows:
            if row.id in new_names and row.evidence != "reported":
                bundle_names[row.id] = new_names[row.id]
        rows = tuple(_rename_row(row, new_names) for row in board.rows)
        boards.append(board.model_copy(update={"rows": rows}))
    new_bundle_names = _distinct_renamings(bundle_names, locked.bundles)
    bundles = {}
    for name, bundle in locked.bundles.items():
        bundles[new_bundle_names.get(name, name)] = bundle
    update = {"id": new_id, "bundles": bundles, "boards": tuple(boards)}
    return locked.model_copy(update=update)


def _renamed_submissions(
    track: str, benchmark_ids: Collection[str], new_addresses: Mapping[str, str]
) -> dict[str, str]:
    """Return the new names of submissions on a track; addresses are BENCHMARK/TRACK/SUBMISSION."""
    new_names: dict[str, str] = {}
    for old_address, new_address in new_addresses.items():
        match old_address.split("/"), new_address.split("/"):
            case [benchmark, old_track, old_name], [_, new_track, new_name]:
                if benchmark in benchmark_ids and old_track == new_track == track:
                    new_names[old_name] = new_name
            case _:
                pass  # The address of a benchmark, a track or a task.
    return new_names


def _rename_row(row: LockedRow, new_names: Mapping[str, str]) -> LockedRow:
    """Return a row with its new name, its former name and its replacement's new name."""
    update: dict[str, str | None] = {"by": new_names.get(row.by or "", row.by)}
    if row.id in new_names:
        update["id"] = new_names[row.id]
        update["formerly"] = row.id
    return row.model_copy(update=update)
