"""Reads the definitions of benchmarks and the days of releases alone, which takes no time: a build begins with them."""

from itertools import takewhile
from pathlib import Path

from sitegen.models.benchmark import Benchmark
from sitegen.reading.files import read_text
from sitegen.reading.toml import parsed, read_toml

DEFINITION = "benchmark.toml"
RELEASES = "releases"
"""The folder beside the benchmarks' folders."""


def read_definitions(folder: Path) -> list[Benchmark]:
    """Read the benchmarks' definitions, those that can be read; what is wrong is said by `folder.read_results`."""
    found = (read_toml(path, Benchmark).record for path in sorted(folder.glob(f"*/{DEFINITION}")))
    return [benchmark for benchmark in found if benchmark]


def release_titles(folder: Path) -> dict[str, str]:
    """Give the titles of the releases by their days, the latest first; of a file, only its first lines are read."""
    paths = sorted((folder / RELEASES).glob(f"{'[0-9]' * 4}-{'[0-9]' * 2}-{'[0-9]' * 2}.toml"), reverse=True)
    return {path.stem: _title(path) or path.stem for path in paths}


def _title(path: Path) -> str:
    text, _ = read_text(path)
    head = "\n".join(takewhile(lambda line: not line.startswith("["), (text or "").split("\n")))
    try:
        return str(parsed(head).get("title", ""))
    except ValueError:
        return ""
