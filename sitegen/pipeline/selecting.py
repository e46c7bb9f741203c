"""Select the benchmarks of a results folder that a site shows."""

from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.problems import UsageError, listed
from sitegen.store.files.layout import DEFINITION_FILE
from sitegen.store.readers.benchmarks import read_definitions


def benchmark_ids(folder: Path) -> list[str]:
    """Return the ids of the benchmarks in a results folder, sorted."""
    return sorted(path.parent.name for path in folder.glob(f"*/{DEFINITION_FILE}"))


def benchmarks_left_out(folder: Path, only: Collection[str]) -> list[str]:
    """Return the ids of the benchmarks that are not selected; empty if there is no selection."""
    if not only:
        return []
    return [name for name in benchmark_ids(folder) if name not in only]


def chosen_definitions(folder: Path, only: Collection[str]) -> list[Benchmark]:
    """Return the readable definitions of the selected benchmarks, or of all if none is selected."""
    definitions = read_definitions(folder)
    if not only:
        return definitions
    return [definition for definition in definitions if definition.id in only]


def require_benchmarks(folder: Path, only: Collection[str]) -> None:
    """Raise a UsageError if a results folder lacks any of the selected benchmarks."""
    existing = benchmark_ids(folder)
    for name in only:
        if name in existing:
            continue
        raise UsageError(unknown_benchmark(name, existing, folder))


def unknown_benchmark(name: str, existing: Collection[str], folder: Path) -> str:
    """Return the error message for a benchmark that a results folder does not have."""
    if not existing:
        return f"there is no benchmark {name} in {folder}, which has no benchmarks"
    similar = get_close_matches(name, existing)
    message = f"there is no benchmark {name} in {folder}"
    if similar:
        return f"{message}; did you mean {listed(similar)}?"
    return f"{message}; it has {listed(existing)}"
