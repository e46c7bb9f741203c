"""What was called otherwise before: its former addresses, and its names in releases."""

from collections.abc import Iterator, Mapping, Sequence

from sitegen.errors import Problem
from sitegen.models.benchmark import BESIDE_BENCHMARKS, Benchmark, Track
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedRow, Release
from sitegen.models.results import BenchmarkResults
from sitegen.store import renaming_rules as rules
from sitegen.store.definitions import DEFINITION
from sitegen.store.shape import suggestion
from sitegen.store.toml import read_toml

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
            yield rules.RENAMED_FROM_TAKEN.broken(path, line, f"{each.old} {taken}")
        if each.new not in known:
            line, what = (
                places.line_of(("renamed", number, "to")),
                f"{results.benchmark.id} has nothing at {each.new}",
            )
            yield rules.RENAMED_TO_UNKNOWN.broken(path, line, what, suggestion(each.new, known))
        before.add(each.old)


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
    found = tuple(_benchmark(each, renamed) for each in release.benchmarks)
    return release.model_copy(update={"benchmarks": found})


def _benchmark(locked: LockedBenchmark, renamed: Mapping[str, str]) -> LockedBenchmark:
    name = renamed.get(locked.id, locked.id)
    names = _names(locked.id, name, renamed)
    bundles = {names.get(each, each): bundle for each, bundle in locked.bundles.items()}
    boards = tuple(_board(board, names) for board in locked.boards)
    return locked.model_copy(update={"id": name, "bundles": bundles, "boards": boards})


def _names(was: str, now: str, renamed: Mapping[str, str]) -> dict[str, str]:
    """Give the names that submissions of a benchmark have now, by those that they had."""
    found = ((old.split("/"), new.split("/")) for old, new in renamed.items())
    return {
        old[-1]: new[-1]
        for old, new in found
        if len(old) == len(new) == _PARTS and old[0] in {was, now} and old[1] == new[1] and old[2] != new[2]
    }


def _board(locked: LockedBoard, names: Mapping[str, str]) -> LockedBoard:
    return locked.model_copy(update={"rows": tuple(_row(row, names) for row in locked.rows)})


def _row(row: LockedRow, names: Mapping[str, str]) -> LockedRow:
    by = names.get(row.by, row.by) if row.by else row.by
    if row.id not in names:
        return row if by == row.by else row.model_copy(update={"by": by})
    return row.model_copy(update={"id": names[row.id], "formerly": row.id, "by": by})
