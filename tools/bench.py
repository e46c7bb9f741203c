"""Measures the build against its budgets, as ratios in one run: machines differ and drift, ratios hardly do.

Each figure is the median of some runs of a whole process, taken in turn with what it is compared with.
Peak memory is the largest single process, as the operating system accounts for it.
"""

import os
import shutil
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from large_inputs import change_one, outcomes_tree, rows_tree, transcripts_tree
from markdown_site import empty_project, markdown_project
from page_budgets import measure_pages
from stopwatch import MEGABYTE, MKDOCS, ROOT, RUNS, SITEGEN, Cost, line, median, run, seconds

from sitegen.metrics.order import shown_better

REAL = Path(os.environ.get("SITEGEN_REAL_DATA", ROOT.parent / "shared")) / "data" / "evocodebench" / "2026-06-13"
RANKED = 100, 500
"""Rows and tasks of a board whose rows are told apart."""
TRANSCRIPTS = 1024
"""Megabytes of transcripts to import."""


@dataclass(frozen=True)
class Subject:
    """A results folder to build, with what to compare the build with."""

    name: str
    results: Path
    site: Path


def main() -> None:
    """Print a table of figures, ratios and budgets."""
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        empty = empty_project(work / "empty")
        measure_ranks()
        measure_validation(work / "large")
        measure_transcripts(work / "transcripts")
        found = subjects(work)
        for subject in found:
            measure(subject, empty, work)
        measure_pages({subject.name: subject.site for subject in found}, empty / "site", work)


def subjects(work: Path) -> list[Subject]:
    """Make the data: a simulated benchmark of the small size, and the real one where it is at hand."""
    small = work / "small"
    run([*SITEGEN, "demo", str(small), "--agents", "13", "--tasks", "26"])
    found = [Subject("simulated, 13 agents x 26 tasks", small, work / "small-site")]
    if REAL.is_dir():
        run([*SITEGEN, "import", "evocodebench", str(REAL), "--into", str(work / "real")])
        found.append(Subject("EvoCode-Bench 2026-06-13, 10 agents x 26 tasks", work / "real", work / "real-site"))
    else:
        print(f"no real data at {REAL}: set SITEGEN_REAL_DATA")
    return found


def measure(subject: Subject, empty: Path, work: Path) -> None:
    """Build in turn: our site, an empty one, and our pages sent through the builder as Markdown."""
    build = [*SITEGEN, "build", "--results", str(subject.results), "--site", str(subject.site)]
    run(build)
    markdown = markdown_project(subject.site, work / f"{subject.site.name}-markdown")
    ours, floor, slow = [], [], []
    for _ in range(RUNS):
        ours.append(run(build))
        floor.append(run(MKDOCS, empty))
    slow.append(run(MKDOCS, markdown))
    pages = sum(1 for _ in subject.site.rglob("index.html"))
    took, least, through = (median(costs) for costs in (ours, floor, slow))
    print(f"\n{subject.name}: {pages} pages, {tree_size(subject.site):.1f} MB")
    line("full build", f"{took.seconds:.2f} s, {took.megabytes:.0f} MB")
    line("an empty mkdocs-material site", f"{least.seconds:.2f} s, {least.megabytes:.0f} MB")
    line("the same pages through mkdocs as Markdown", f"{through.seconds:.2f} s, {through.megabytes:.0f} MB")
    line("ratio to the empty site", f"{took.seconds / least.seconds:.1f}", "at most 10")
    line("ratio to Markdown", f"{took.seconds / through.seconds:.3f}", "at most 0.2")


def measure_validation(work: Path) -> None:
    """Time whole processes. Validating computes what ranks and what is claimed, `score` every metric there is."""
    print("\nvalidation and scores of a large board")
    outcomes = work / "outcomes"
    measure_cases("cases as outcomes of a round", outcomes_tree, outcomes, "at least 5 M/s")
    measure_cases("cases as rows of their own", rows_tree, work / "rows", "at least 1 M/s")
    measure_builds(outcomes, work / "outcomes-site")
    shutil.rmtree(work)


def measure_cases(what: str, write: Callable[[Path], int], folder: Path, budget: str) -> None:
    """Write results and validate them a few times."""
    cases = write(folder)
    cost = median([run([*SITEGEN, "validate", str(folder)]) for _ in range(RUNS)])
    line(f"{what}, {cases / 1_000_000:.1f} M", f"{cost.seconds:.1f} s, {cost.megabytes:.0f} MB")
    line("cases a second", f"{cases / cost.seconds / 1_000_000:.2f} M/s", budget)
    scored = median([run([*SITEGEN, "score", str(folder)]) for _ in range(RUNS)])
    line("cases a second, every score printed", f"{cases / scored.seconds / 1_000_000:.2f} M/s")


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


def measure_transcripts(folder: Path) -> None:
    """Import a tree of transcripts, in turn with reading the same bytes."""
    transcripts_tree(folder, TRANSCRIPTS)
    source, tasks = folder / "jobs", folder / "tasks"
    ours, floor = [], []
    for number in range(RUNS):
        into = folder / f"results-{number}"
        place = ["--into", str(into), "--benchmark", "bench"]
        ours.append(run([*SITEGEN, "import", "harbor", str(source), "--tasks", str(tasks), *place]))
        floor.append(seconds(lambda: read_all(source)))
    took, least = median(ours), statistics.median(floor)
    print(f"\nimport of {TRANSCRIPTS:,} MB of transcripts")
    line("whole import", f"{took.seconds:.1f} s, {took.megabytes:.0f} MB", "at most 300 MB")
    line("speed", f"{TRANSCRIPTS / took.seconds:.0f} MB/s")
    line("reading the same bytes", f"{TRANSCRIPTS / least:.0f} MB/s")
    line("ratio to reading", f"{took.seconds / least:.1f}")
    shutil.rmtree(folder)


def read_all(folder: Path) -> None:
    """Read every file below a folder, a piece at a time."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                while file.read(1024 * 1024):
                    pass


def measure_ranks() -> None:
    """Tell the rows of a large board apart, over all their pairs."""
    rows, tasks = RANKED
    level = np.linspace(0.2, 0.8, rows)[:, np.newaxis]
    scores = np.random.default_rng(0).binomial(8, level, RANKED) / 8
    names = [f"task-{number}" for number in range(tasks)]
    took = [seconds(lambda: shown_better(scores, names)) for _ in range(RUNS + 1)]
    print(f"\nranks of {rows} rows x {tasks} tasks")
    line("all pairs at once", f"{statistics.median(took[1:]):.2f} s", "at most 0.6 s")  # the first run loads libraries


def tree_size(folder: Path) -> float:
    """Add up the files of a folder, in megabytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / MEGABYTE**2


if __name__ == "__main__":
    main()
