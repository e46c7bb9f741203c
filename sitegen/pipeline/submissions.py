"""Find submissions by their addresses."""

from collections.abc import Iterator
from pathlib import Path

from sitegen.models.results import BenchmarkResults, Bundle, Results
from sitegen.pipeline.addressing import unknown_submission
from sitegen.problems import UsageError
from sitegen.store.files.layout import DEFINITION_FILE

Submitted = tuple[BenchmarkResults, Bundle]
"""A bundle, and the benchmark that it was submitted to."""


def all_bundles(results: Results) -> Iterator[Submitted]:
    """Yield the bundles of all benchmarks, each with its benchmark, including embargoed bundles."""
    for benchmark_results in results.benchmarks:
        for bundle in (*benchmark_results.bundles, *benchmark_results.embargoed):
            yield benchmark_results, bundle


def submission_at(address: str, results: Results) -> Submitted:
    """Return the submission at BENCHMARK/TRACK/SUBMISSION or BENCHMARK/SUBMISSION.

    Raises:
        UsageError: There is no such submission.
    """
    by_address: dict[str, Submitted] = {}
    by_short_address: dict[str, Submitted] = {}
    for benchmark_results, bundle in all_bundles(results):
        benchmark = benchmark_results.benchmark.id
        track = bundle.submission.track
        by_address[f"{benchmark}/{track}/{bundle.id}"] = (benchmark_results, bundle)
        by_short_address[f"{benchmark}/{bundle.id}"] = (benchmark_results, bundle)
    path = address.strip("/")
    submitted = by_address.get(path) or by_short_address.get(path)
    if submitted is None:
        raise UsageError(unknown_submission(address, list(by_address)))
    return submitted


def folder_to_read(address: str, results: Path) -> Path:
    """Return the folder of the benchmark that an address names, or else the results folder."""
    benchmark = results / address.strip("/").partition("/")[0]
    return benchmark if (benchmark / DEFINITION_FILE).exists() else results
