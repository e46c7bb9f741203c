"""Measures how fast results of the size of a large board are validated and scored, and what builds of them take."""

import shutil
from collections.abc import Callable
from pathlib import Path

from large_results import change_one, outcomes_tree, rows_tree
from stopwatch import RUNS, SITEGEN, Cost, line, median, run

MILLION = 1_000_000


def measure_validation(work: Path) -> None:
    """Time whole processes. Validating computes what ranks and what is claimed, `score` every metric there is."""
    print("\nvalidation and scores of a large board")
    outcomes = work / "outcomes"
    measure("cases as outcomes of a round", outcomes_tree, outcomes, "at least 5 M/s")
    measure("cases as rows of their own", rows_tree, work / "rows", "at least 1 M/s")
    measure_builds(outcomes, work / "outcomes-site")
    shutil.rmtree(work)


def measure(what: str, write: Callable[[Path], int], folder: Path, budget: str) -> None:
    """Write results and validate them a few times."""
    cases = write(folder)
    cost = median([run([*SITEGEN, "validate", str(folder)]) for _ in range(RUNS)])
    line(f"{what}, {cases / MILLION:.1f} M", f"{cost.seconds:.1f} s, {cost.megabytes:.0f} MB")
    line("cases a second", f"{cases / cost.seconds / MILLION:.2f} M/s", budget)
    scored = median([run([*SITEGEN, "score", str(folder)]) for _ in range(RUNS)])
    line("cases a second, every score printed", f"{cases / scored.seconds / MILLION:.2f} M/s")


def measure_builds(results: Path, site: Path) -> None:
    """Build a large board: the first time, with nothing changed since, and with one submission changed."""

    def build() -> Cost:
        return run([*SITEGEN, "build", "--results", str(results), "--site", str(site)])

    print("\nbuilds of a large board")
    full, same = build(), build()
    change_one(results)
    changed = build()
    line("full build", f"{full.seconds:.1f} s, {full.megabytes:.0f} MB", "at most 12 s, 400 MB")
    line("nothing changed", f"{same.seconds:.1f} s", "at most 1 s")
    line("one of 100 submissions changed", f"{changed.seconds:.1f} s")
    line("ratio to the full build", f"{changed.seconds / full.seconds:.0%}", "at most 15 %")
