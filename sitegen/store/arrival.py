"""The order in which submissions came, by what others had of them: an earlier state, releases, git."""

from collections.abc import Collection, Sequence

from sitegen.models.results import Arrivals, BenchmarkResults

Had = Collection[tuple[str, str]]
"""Submissions that were there at some time: each by its benchmark and its name, as these were called then."""


def arrivals_of(
    results: BenchmarkResults, published: Had, released: Sequence[Had], committed: Sequence[Had]
) -> Arrivals:
    """Tell when the submissions of a benchmark came.

    Args:
        results: The benchmark.
        published: What an earlier state had.
        released: What each release had, the earliest first.
        committed: What came with each commit, the earliest first.
    """
    # What a source never had came after all that it had. Where two tell otherwise, the first that tells counts.
    sources = ([published], released, committed)
    renamed = [(each.old.split("/"), each.new.split("/")) for each in results.benchmark.renamed]
    homes = {results.benchmark.id, results.path.name, *(old[0] for old, _ in renamed)}

    def place(name: str, source: Sequence[Had]) -> int:
        names = {name, *(old[-1] for old, new in renamed if new[-1] == name)}
        once = {(home, each) for home in homes for each in names}
        return next((number for number, had in enumerate(source) if not once.isdisjoint(had)), len(source))

    names = [bundle.id for bundle in results.bundles]
    return Arrivals(
        {each: tuple(place(each, source) for source in sources) for each in names},
        {each: number for each in names if (number := place(each, released)) < len(released)},
    )
