"""Reads the definitions of benchmarks alone, which takes no time: a build begins with them."""

from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.store.toml import read_toml

DEFINITION = "benchmark.toml"


def read_definitions(folder: Path) -> list[Benchmark]:
    """Read the benchmarks' definitions, those that can be read; what is wrong is said by `folder.read_results`."""
    found = (read_toml(path, Benchmark).record for path in sorted(folder.glob(f"*/{DEFINITION}")))
    return [benchmark for benchmark in found if benchmark]
