"""Check former addresses of a benchmark (`[[renamed]]`), and list the addresses of its pages."""

from collections.abc import Collection, Iterator, Sequence

from sitegen.models.benchmark import BESIDE_BENCHMARKS, Benchmark, Renaming
from sitegen.models.results import BenchmarkResults
from sitegen.problems import Problem, Rule
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import read_toml
from sitegen.store.files.layout import DEFINITION_FILE

RENAMED_TO_UNKNOWN = Rule.error(
    "RENAMED-TO-UNKNOWN",
    "A former address leads to something that does not exist.",
    "write the current address: BENCHMARK/TRACK, BENCHMARK/TRACK/SUBMISSION or "
    "BENCHMARK/TRACK/tasks/TASK",
)
RENAMED_FROM_TAKEN = Rule.error(
    "RENAMED-FROM-TAKEN",
    "A former address is in use, or leads to two places.",
    "list an address once, and only if it is no longer in use",
)


def renaming_problems(results: BenchmarkResults) -> Iterator[Problem]:
    """Yield problems of former addresses that are still in use or do not lead to a page."""
    renamings = results.benchmark.renamed
    if not renamings:
        return
    document = read_toml(results.path / DEFINITION_FILE, Benchmark)
    addresses = set(addresses_in(results))
    former_addresses: set[str] = set()
    for index, renaming in enumerate(renamings):
        conflict = _address_conflict(renaming, results, addresses, former_addresses)
        if conflict:
            fact = f"{renaming.old} {conflict}"
            yield document.broken(RENAMED_FROM_TAKEN, ("renamed", index, "from"), fact)
        if renaming.new not in addresses:
            fact = f"{results.benchmark.id} has nothing at {renaming.new}"
            fix = suggestion(renaming.new, addresses)
            yield document.broken(RENAMED_TO_UNKNOWN, ("renamed", index, "to"), fact, fix)
        former_addresses.add(renaming.old)


def _address_conflict(
    renaming: Renaming,
    results: BenchmarkResults,
    addresses: Collection[str],
    former_addresses: Collection[str],
) -> str | None:
    """Return why a former address is not allowed, as a predicate; None if it is allowed."""
    benchmark = renaming.old.partition("/")[0]
    if renaming.old in former_addresses:
        return "is listed twice"
    if renaming.old in addresses or benchmark in BESIDE_BENCHMARKS:
        return "is an address of the site"
    is_other = benchmark != results.benchmark.id
    if is_other and (results.path.parent / benchmark / DEFINITION_FILE).exists():
        return f"is an address of the benchmark {benchmark}"
    return None


def shared_addresses(benchmarks: Sequence[BenchmarkResults]) -> Iterator[Problem]:
    """Yield a problem for each former address that an earlier benchmark also claims."""
    owners: dict[str, str] = {}
    for results in benchmarks:
        benchmark_id = results.benchmark.id
        document = None
        for index, renaming in enumerate(results.benchmark.renamed):
            owner = owners.setdefault(renaming.old, benchmark_id)
            if owner != benchmark_id:
                document = document or read_toml(results.path / DEFINITION_FILE, Benchmark)
                fact = f"{renaming.old} is already a former address of {owner}"
                yield document.broken(RENAMED_FROM_TAKEN, ("renamed", index, "from"), fact)


def addresses_in(results: BenchmarkResults) -> Iterator[str]:
    """Yield the addresses of a benchmark's pages that a former address can lead to."""
    benchmark_id = results.benchmark.id
    yield benchmark_id
    for track in results.benchmark.tracks:
        board = f"{benchmark_id}/{track.id}"
        yield board
        for table in results.reported_on(track):
            for row in table.rows:
                yield f"{board}/{row.id}"
        bundles = results.bundles_of(track)
        for bundle in bundles:
            yield f"{board}/{bundle.id}"
        for task in results.tasks_of(track).tasks:
            yield f"{board}/tasks/{task.id}"
            for task_round in task.rounds:
                yield f"{board}/tasks/{task.id}/{task_round.n}"
            for bundle in bundles:
                yield f"{board}/{bundle.id}/{task.id}"
