"""Measures builds, pages and commands against budgets, and fails if a budget is exceeded by more than a quarter.

Machines differ and drift, but ratios hardly change: times are processor times, compared with an empty mkdocs-material
site that is built in the same run. Budgets in seconds apply to a machine that builds this site in `REST` seconds. Each
size is built completely, then with nothing changed, and then with one change. `--only real large` selects sizes,
`--write` writes the table to the page that shows it, and `--incumbent FOLDER` names a checkout of
github.com/UniPat-AI/EvoCodeBench, whose own renderer is run for comparison.
"""

import argparse
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from math import log10
from pathlib import Path

import numpy as np
from large_inputs import Large, add_row, change_reward, write_table
from markdown_site import empty_project, markdown_project
from page_budgets import frame, heaviest, of_readers
from stopwatch import MEGABYTE, MKDOCS, ROOT, RUNS, SITEGEN, Cost, line, median, run, seconds

from sitegen.metrics.rank_tests import shown_better
from sitegen.problems import counted

DATA = (
    Path(os.environ.get("SITEGEN_REAL_DATA", ROOT.parent / "shared"))
    / "data"
    / "evocodebench"
    / "2026-06-25"
)
PAGE = ROOT / "site_src" / "develop" / "speed.md"
REST = 0.34
MISSED = 1.25
"""The multiple of its budget above which a figure makes the run fail."""
CHANCE = 0.1
"""The share of a figure that varies from run to run; a smaller growth counts as this share."""

HELP = 0.25 / REST
"""The budget for the help of a command, relative to the empty site: a quarter of a second on an idle machine."""

BUDGETS: dict[str, dict[str, float]] = {
    "shipped": {"full": 20},
    "real": {"full": 12, "changed": 4, "restored": 2.5, "added": 6, "bytes": 45},
    "large": {"full": 45, "same": 1.5 / REST, "changed": 10, "held": 400, "bytes": 350},
    "one-round": {"files": 3000, "bytes": 150},
    "growth": {"full": 220, "held": 700, "elements": 8000},
}
"""Budgets of builds: times relative to the empty build, megabytes of memory and output, and numbers of files."""


@dataclass(frozen=True)
class Bench:
    """A run of the benchmark."""

    work: Path
    runs: int = RUNS
    """The number of repetitions of short measurements; figures are medians."""
    incumbent: Path | None = None
    lines: list[str] = field(default_factory=list)
    """The lines of the table so far."""
    missed: list[str] = field(default_factory=list)

    @cached_property
    def empty(self) -> Path:
        """The project of the empty site."""
        return empty_project(self.work / "empty")

    def begin(self, title: str) -> None:
        """Begin a new section of the table."""
        print(f"\n{title}")
        self.lines.append(f"| **{title}** | | |")

    def tell(self, title: str, figure: str, budget: str = "", share: float = 0) -> None:
        """Print a figure, and add it to the table if it has a budget; `share` is the used share of the budget."""
        budget_text = f"{budget}, missed" if share > 1 else budget
        line(title, figure, budget_text)
        if budget:  # the page shows only figures with a budget
            self.lines.append(f"| {title} | {figure} | {budget_text} |")
        if share > MISSED:
            self.missed.append(self.lines[-1])

    def at_most(self, title: str, value: float, unit: str, limit: float | None = None) -> None:
        """Print a figure with an upper limit."""
        digits = 0 if value >= 100 else 2  # noqa: PLR2004 - four digits are enough
        budget = f"at most {limit:,.4g}" if limit else ""
        self.tell(title, f"{value:,.{digits}f} {unit}", budget, value / limit if limit else 0)

    def took(self, title: str, cost: Cost, empty: Cost, limit: float | None = None) -> None:
        """Print the time of a command, and its limit as a multiple of the empty build."""
        ratio = cost.cpu / empty.cpu
        figure = f"{cost.cpu:.2f} s, {ratio:.1f} ×; wall {cost.wall:.2f} s, {cost.wall / empty.wall:.1f} ×"
        self.tell(
            title, figure, f"at most {limit:.3g} ×" if limit else "", ratio / limit if limit else 0
        )


def small(bench: Bench, home: Path) -> None:
    """Measure a simulated benchmark, and the waiting times of readers of its site."""
    run([*SITEGEN, "demo", str(home / "results"), "--agents", "13", "--tasks", "26"])
    site = measure(bench, home, change_reward, "simulated, 13 submissions × 26 tasks")
    beside(bench, site)
    for title, value, unit, limit in of_readers(site, bench.empty / "site"):
        bench.at_most(title, value, unit, limit)


def shipped(bench: Bench, home: Path) -> None:
    """Measure the results in the repository."""
    shutil.copytree(ROOT / "results", home / "results")
    measure(bench, home, change_reward, "the repository's results")


def real(bench: Bench, home: Path) -> None:
    """Measure EvoCode-Bench as its authors publish it, including texts of failures."""
    if not DATA.is_dir():
        print(f"no real data at {DATA}: set SITEGEN_REAL_DATA")
        return
    run(
        [
            *SITEGEN,
            "import",
            "evocodebench",
            str(DATA),
            "--into",
            str(home / "results"),
            "--allow-missing",
        ]
    )
    beside(
        bench,
        measure(bench, home, change_reward, "EvoCode-Bench 2026-06-25, 13 submissions × 25 tasks"),
    )
    restored(bench, home)
    if bench.incumbent:
        incumbents(bench, home / "incumbent", bench.incumbent)


def simulated(board: Large, bench: Bench, home: Path) -> None:
    """Measure a simulated board with many submissions."""
    cases = board.write(home / "results") / 1e6
    rounds = f"{board.attempts} attempts × {board.rounds} rounds, {cases:.1f} M cases"
    measure(
        bench,
        home,
        board.change_one,
        f"{board.submissions} submissions × {board.tasks} tasks × {rounds}",
    )


def measure(bench: Bench, home: Path, change: Callable[[Path], None], title: str) -> Path:
    """Build alternately with an empty site: completely, with nothing changed, and with one change."""
    name, budget = home.name, BUDGETS.get(home.name, {})
    build = partial(
        run, [*SITEGEN, "build", "--results", "results", "--site", "site", "--allow-problems"], home
    )
    judged = run([*SITEGEN, "score", "--format", "json", "results"], home)
    costs: dict[str, list[Cost]] = {"empty": [], "start": [], "full": [], "same": [], "changed": []}
    for _ in range(1 if name in {"large", "one-round"} else bench.runs):
        costs["empty"].append(run(MKDOCS, bench.empty))
        costs["start"].append(run([*SITEGEN, "--help"]))
        for folder_name in ("site", ".sitegen"):
            shutil.rmtree(home / folder_name, ignore_errors=True)
        costs["full"].append(build())
        costs["same"].append(build())
        change(home / "results")
        costs["changed"].append(build())
    empty, start, full, unchanged, changed = (median(cost) for cost in costs.values())
    bench.begin(f"{name}: {title}")
    bench.took("the empty site", empty, empty)
    bench.took("`sitegen --help`", start, empty, HELP)
    bench.took("full build", full, empty, budget.get("full"))
    bench.took("nothing changed", unchanged, empty, budget.get("same"))
    if name == "real":
        bench.at_most(
            "nothing changed, above `--help`",
            (unchanged.cpu - start.cpu) / empty.cpu * REST,
            "s at rest",
            0.6,
        )
    bench.took("one changed", changed, empty, budget.get("changed"))
    bench.took("of the full build: judging, as `score` does", judged, empty)
    bench.at_most("memory of all processes", full.megabytes, "MB", budget.get("held"))
    files = [path.stat().st_size for path in (home / "site").rglob("*") if path.is_file()]
    bench.at_most("bytes of the site", sum(files) / MEGABYTE, "MB", budget.get("bytes"))
    bench.at_most("files of the site", len(files), "", budget.get("files"))
    size, elements = heaviest(home / "site")
    bench.at_most("largest page, compressed", size, "KB", 160)
    bench.at_most("largest page, elements", elements, "", 8000)
    bench.at_most("frame of each generated page", frame(home / "site"), "KB", 6)
    bench.took(
        "writing the same bytes: `cp -r`", run(["/bin/cp", "-r", "site", "copy"], home), empty
    )
    shutil.rmtree(home / "copy")
    return home / "site"


def restored(bench: Bench, home: Path) -> None:
    """Build with a restored cache, as in CI: in another folder, with files that lost their times, without a site."""
    budget, restored_home = BUDGETS.get(home.name, {}), home.with_name(f"{home.name}-restored")
    costs: dict[str, list[Cost]] = {"restored": [], "added": [], "empty": []}
    for _ in range(bench.runs):
        for kind in ("restored", "added"):
            for name in ("results", ".sitegen"):
                shutil.copytree(home / name, restored_home / name, copy_function=shutil.copyfile)
            if kind == "added":
                add_row(restored_home / "results")
            build = [
                *SITEGEN,
                "build",
                "--results",
                "results",
                "--site",
                "site",
                "--allow-problems",
            ]
            costs[kind].append(run(build, restored_home))
            shutil.rmtree(restored_home)
        costs["empty"].append(run(MKDOCS, bench.empty))
    empty = median(costs["empty"])
    bench.took(
        "cache restored, nothing changed", median(costs["restored"]), empty, budget.get("restored")
    )
    bench.took(
        "cache restored, one submission added", median(costs["added"]), empty, budget.get("added")
    )
    sizes = [path.stat().st_size for path in (home / ".sitegen").rglob("*") if path.is_file()]
    bench.at_most("bytes of the cache, with those of the site", sum(sizes) / MEGABYTE, "MB")


def beside(bench: Bench, site: Path) -> None:
    """Build the same pages as Markdown with mkdocs-material."""
    project = markdown_project(site, bench.work / f"{site.parent.name}-markdown")
    empty = run(MKDOCS, bench.empty)
    bench.took("the same pages as Markdown in mkdocs-material", run(MKDOCS, project), empty)


def incumbents(bench: Bench, theirs: Path, checkout: Path) -> None:
    """Run the incumbent's renderer on its own data, after replacing the one folder named in its code."""
    shutil.copytree(checkout, theirs, ignore=shutil.ignore_patterns(".git"))
    script = theirs / "evaluation" / "viz" / "render_site.py"
    text = script.read_text(encoding="utf-8")
    script.write_text(re.sub(r"(?m)^DOCS = .*$", f'DOCS = "{theirs}/docs"', text), encoding="utf-8")
    cost = run([sys.executable, str(script)], theirs)
    bench.took("the incumbent's renderer, its pages of tasks", cost, run(MKDOCS, bench.empty))


def commands(bench: Bench, home: Path) -> None:
    """Measure start-up, the speed of reading and scoring, and ranks."""
    bench.begin("commands")
    bundle = min((ROOT / "results").glob("*/submissions/*"))
    empty = median([run(MKDOCS, bench.empty) for _ in range(bench.runs)])
    for arguments, limit in (["--help"], 0.3), (["validate", str(bundle)], 0.7):
        cost = median([run([*SITEGEN, *arguments]) for _ in range(bench.runs)])
        title = f"`{arguments[0]}`" + (" of one bundle" if arguments[1:] else "")
        bench.at_most(
            title, cost.cpu / empty.cpu * REST, f"s at rest, {cost.cpu:.2f} s here", limit
        )
    Large(1, 1, 1, 1, 0).write(home / "results")
    smallest = run([*SITEGEN, "build", "--results", "results", "--site", "site"], home)
    bench.took("a build of one submission at one task", smallest, empty)
    for kind, board, least in ("outcomes", Large(), 5.0), ("rows", Large(20, has_rows=True), 1.0):
        results = home / "cases"
        cases = board.write(results) / 1e6
        for arguments, budget in (["validate"], least), (["score", "--format", "json"], 0):
            cost = run([*SITEGEN, *arguments, str(results)])
            speed = cases / cost.cpu * empty.cpu / REST
            figure = f"{speed:.2f} M cases/s at rest, {cost.megabytes:.0f} MB"
            budget_text = f"at least {budget:g}" if budget else ""
            bench.tell(
                f"`{arguments[0]}`, {cases:.1f} M cases as {kind}",
                figure,
                budget_text,
                budget / speed,
            )
        shutil.rmtree(results)
    level = np.linspace(0.2, 0.8, 100)[:, np.newaxis]
    scores = np.random.default_rng(0).binomial(8, level, (100, 500)) / 8
    names = [f"task-{number}" for number in range(500)]
    took = [seconds(lambda: shown_better(scores, names)) for _ in range(RUNS + 1)]
    bench.at_most(
        "ranks of 100 rows × 500 tasks", statistics.median(took[1:]), "s", 0.6
    )  # the first loads libraries


def million_rows(bench: Bench, home: Path) -> None:
    """Measure imports of a table with a million rows, with many agents and with a single agent."""
    bench.begin("table: a million rows")
    empty = median([run(MKDOCS, bench.empty) for _ in range(bench.runs)])
    for agents, tasks, attempts in (100, 1_000, 10), (1, 20_000, 50):
        table = home / f"{agents}.csv"
        write_table(table, agents, tasks, attempts)
        into = [
            "--into",
            str(home / "results"),
            "--benchmark",
            f"b{agents}",
            "--date",
            "2026-06-25",
        ]
        cost = run([*SITEGEN, "import", "table", str(table), *into])
        title = f"`import table`, 1.0 M rows of {counted(agents, 'agent')}"
        bench.at_most(title, cost.cpu / empty.cpu * REST, f"s at rest, {cost.cpu:.2f} s here", 12)
        bench.at_most("memory", cost.megabytes, "MB", 400)


def growth(bench: Bench, home: Path) -> None:
    """Measure growth from 10 to 1,000 submissions of 200 one-round tasks; quadratic growth has exponent 2."""
    bench.begin(
        "growth from 10 to 1,000 submissions of 200 tasks: exponent, which is 1 if each adds the same"
    )
    budget = BUDGETS["growth"]
    empty = run(MKDOCS, bench.empty)
    figures = []
    for submissions in (10, 100, 1000):
        project = home / str(submissions)
        Large(submissions, 200, 1, 1, 5).write(project / "results")
        cost = run([*SITEGEN, "build", "--results", "results", "--site", "site"], project)
        sizes = [path.stat().st_size for path in (project / "site").rglob("*") if path.is_file()]
        kilobytes, elements = heaviest(project / "site")
        figures.append(
            (cost.cpu, cost.megabytes, sum(sizes) / MEGABYTE, kilobytes, float(elements))
        )
        shutil.rmtree(project)
    names = ("build, s", "memory, MB", "site, MB", "largest page, KB", "largest page, elements")
    for name, least, middle, largest in zip(names, *figures, strict=True):
        base = min(least, middle)
        power = log10(max(largest - base, CHANCE * base) / max(middle - base, CHANCE * base))
        bench.at_most(name, power, f"as exponent: {least:.1f}, {middle:.1f}, {largest:.1f}", 1.3)
    bench.took("1,000 submissions × 200 tasks, full build", cost, empty, budget["full"])
    bench.at_most("memory of all processes", cost.megabytes, "MB", budget["held"])
    bench.at_most("largest page, elements", elements, "", budget["elements"])


SIZES: dict[str, Callable[[Bench, Path], None]] = {
    "commands": commands,
    "small": small,
    "shipped": shipped,
    "real": real,
    "table": million_rows,
    "growth": growth,
    "one-round": partial(simulated, Large(134, 500, 1, 1, 0)),
    "large": partial(simulated, Large()),
}


def main() -> int:
    """Measure the requested sizes; return 1 if a budget is exceeded by more than a quarter."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--incumbent", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), asked.runs, asked.incumbent)
        for name in asked.only:
            home = bench.work / name
            home.mkdir()
            SIZES[name](bench, home)
            shutil.rmtree(home)
    if asked.write:
        table = "\n".join(("| what | figure | budget |", "| --- | --- | --- |", *bench.lines, ""))
        of = f"Measured on {datetime.now(tz=UTC).date()} with {os.cpu_count()} processors.\n\n"
        table_pattern = re.compile(r"(?<=<!-- bench -->\n).*?(?=<!-- end -->)", re.DOTALL)
        PAGE.write_text(
            table_pattern.sub(lambda _: of + table, PAGE.read_text(encoding="utf-8")),
            encoding="utf-8",
        )
    print(f"\nmissed by more than a quarter: {len(bench.missed)}", *bench.missed, sep="\n")
    return int(bool(bench.missed))


if __name__ == "__main__":
    raise SystemExit(main())
