"""What was called otherwise before: its former addresses, and its names in releases."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from sitegen.models.benchmark import BESIDE_BENCHMARKS, Benchmark
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
    """Which former addresses are none, and which lead nowhere."""
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


def _taken(address: str, results: BenchmarkResults, known: set[str], before: set[str]) -> str:
    """Why an address is no former one; empty where it is."""
    home = address.partition("/")[0]
    if address in before:
        return "is named twice"
    if address in known or home in BESIDE_BENCHMARKS:
        return "is an address that the site has"
    if home != results.benchmark.id and (results.path.parent / home / DEFINITION).exists():
        return f"is an address of the benchmark {home}"
    return ""


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
