"""What was called otherwise before: its former addresses, and its names in releases."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from sitegen.models.benchmark import BESIDE_BENCHMARKS, Benchmark, Track
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedRow, Release
from sitegen.models.results import BenchmarkResults
from sitegen.problems import Problem, Rule
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import read_toml
from sitegen.store.layout import DEFINITION

RENAMED_TO_UNKNOWN = Rule(
    "RENAMED-TO-UNKNOWN",
    "error",
    "A former address leads to something that is there.",
    "write where it is now: BENCHMARK/TRACK, BENCHMARK/TRACK/SUBMISSION or BENCHMARK/TRACK/tasks/TASK",
)
RENAMED_FROM_TAKEN = Rule(
    "RENAMED-FROM-TAKEN",
    "error",
    "At a former address stands nothing, and it leads to one place.",
    "name the address that something had and that nothing has now, once",
)

_PARTS = 3
"""So many names make the address of a submission: benchmark, track, submission."""


def renaming_problems(results: BenchmarkResults) -> Iterator[Problem]:
    """Say which former addresses are none, and which lead nowhere."""
    renamed = results.benchmark.renamed
    if not renamed:
        return
    path, known = results.path / DEFINITION, set(_addresses(results))
    places = read_toml(path, Benchmark).places
    before: set[str] = set()
    for number, each in enumerate(renamed):
        taken = _taken(each.old, results, known, before)
        if taken:
            line = places.line_of(("renamed", number, "from"))
            yield RENAMED_FROM_TAKEN.broken(path, line, f"{each.old} {taken}")
        if each.new not in known:
            line, what = (
                places.line_of(("renamed", number, "to")),
                f"{results.benchmark.id} has nothing at {each.new}",
            )
            yield RENAMED_TO_UNKNOWN.broken(path, line, what, suggestion(each.new, known))
        before.add(each.old)


def shared_addresses(benchmarks: Sequence[BenchmarkResults]) -> Iterator[Problem]:
    """Say which former addresses several benchmarks state: whoever comes there can be led to one place only."""
    owners: dict[str, str] = {}
    for results in benchmarks:
        path, places = results.path / DEFINITION, None
        for number, each in enumerate(results.benchmark.renamed):
            owner = owners.setdefault(each.old, results.benchmark.id)
            if owner != results.benchmark.id:
                places = places or read_toml(path, Benchmark).places
                line = places.line_of(("renamed", number, "from"))
                yield RENAMED_FROM_TAKEN.broken(path, line, f"{each.old} is a former address of {owner} already")


def _taken(address: str, results: BenchmarkResults, known: set[str], before: set[str]) -> str:
    """Say why an address is no former one; empty where it is."""
    home = address.partition("/")[0]
    if address in before:
        return "is named twice"
    if address in known or home in BESIDE_BENCHMARKS:
        return "is an address that the site has"
    if home != results.benchmark.id and (results.path.parent / home / DEFINITION).exists():
        return f"is an address of the benchmark {home}"
    return ""


def _addresses(results: BenchmarkResults) -> Iterator[str]:
    """Give the addresses that something of a benchmark can be renamed to."""
    home = results.benchmark.id
    yield home
    for track in results.benchmark.tracks:
        yield f"{home}/{track.id}"
        yield from (f"{home}/{track.id}/{inside}" for inside in _inside(track, results))


def _inside(track: Track, results: BenchmarkResults) -> Iterator[str]:
    """Give the addresses below a track."""
    yield from (row.id for table in results.reported_on(track) for row in table.rows)
    yield from (bundle.id for bundle in results.bundles_of(track))
    for task in results.tasks_of(track).tasks:
        yield f"tasks/{task.id}"
        yield from (f"tasks/{task.id}/{each.n}" for each in task.rounds)
        yield from (f"{bundle.id}/{task.id}" for bundle in results.bundles_of(track))


def in_names_of_today(releases: Sequence[Release], benchmarks: Sequence[BenchmarkResults]) -> tuple[Release, ...]:
    """Give releases with the names that benchmarks and submissions have now."""
    renamed = {each.old: each.new for results in benchmarks for each in results.benchmark.renamed}
    return tuple(_renamed(release, renamed) for release in releases) if renamed else tuple(releases)


def _renamed(release: Release, renamed: Mapping[str, str]) -> Release:
    names = _one_each(renamed, [each.id for each in release.benchmarks])
    found = tuple(_benchmark(each, names.get(each.id, each.id), renamed) for each in release.benchmarks)
    return release.model_copy(update={"benchmarks": found})


def _one_each(names: Mapping[str, str], had: Collection[str]) -> dict[str, str]:
    """Give the new names of what a release has, but none to two: what a name would hide keeps its own, and is missed.

    Args:
        names: New names by old ones.
        had: The names that the release has.
    """
    taken, found = set(had), {}
    for old in had:
        new = names.get(old, old)
        if new not in taken:
            taken.add(new)
            found[old] = new
    return found


def _benchmark(locked: LockedBenchmark, name: str, renamed: Mapping[str, str]) -> LockedBenchmark:
    names = {board.track: _names_on(board, {locked.id, name}, renamed) for board in locked.boards}
    submitted = dict(chain.from_iterable(_of_bundles(board, names[board.track]) for board in locked.boards))
    now = _one_each(submitted, locked.bundles)
    bundles = {now.get(each, each): bundle for each, bundle in locked.bundles.items()}
    boards = tuple(_board(board, names[board.track]) for board in locked.boards)
    return locked.model_copy(update={"id": name, "bundles": bundles, "boards": boards})


def _of_bundles(board: LockedBoard, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Give the names of the rows that bundles are behind: a row of a published table may be called as one elsewhere."""
    return ((row.id, names[row.id]) for row in board.rows if row.id in names and row.evidence != "reported")


def _names_on(board: LockedBoard, homes: Collection[str], renamed: Mapping[str, str]) -> dict[str, str]:
    """Give the names that rows of a board have now, by those that they had.

    Args:
        board: As a release has it.
        homes: What its benchmark is and was called.
        renamed: New addresses by former ones.
    """
    names: dict[str, str] = {}
    for old, new in ((old.split("/"), new.split("/")) for old, new in renamed.items()):
        if len(old) == len(new) == _PARTS and old[0] in homes and old[1] == new[1] == board.track:
            names[old[2]] = new[2]
    return _one_each(names, [row.id for row in board.rows])


def _board(locked: LockedBoard, names: Mapping[str, str]) -> LockedBoard:
    return locked.model_copy(update={"rows": tuple(_row(row, names) for row in locked.rows)})


def _row(row: LockedRow, names: Mapping[str, str]) -> LockedRow:
    by = names.get(row.by, row.by) if row.by else row.by
    if row.id not in names:
        return row if by == row.by else row.model_copy(update={"by": by})
    return row.model_copy(update={"id": names[row.id], "formerly": row.id, "by": by})
