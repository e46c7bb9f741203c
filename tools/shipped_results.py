"""Recreates the shipped results of EvoCode-Bench day by day, from the benchmark's publications.

Usage: python tools/shipped_results.py SOURCE [RESULTS]

SOURCE contains a folder for each day of publication, with an `index.json`, `tasks/` and a table of sweeps. Hand-written
files (definition, findings, published tables) in RESULTS stay unchanged; task sets, bundles, the table of a sweep and
the releases are written. Only figures are imported, without requests or texts of failures.
"""

import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import tomlkit

from sitegen.importers.evocodebench.task_kinds import kinds_of
from sitegen.importers.slopcodebench.definition import LATEST, LENGTHS, phase
from sitegen.models.task import Task, TaskRound
from sitegen.publish.results.records import json_lines

BENCHMARK = "evocode-bench"
LATER_BENCHMARKS = frozenset({"terminal-bench-core"})
"""Benchmarks added after these days; `tools/terminal_bench_board.py` writes their results."""

SWEEP_DAY = "2026-06-20"
SWEEP_TABLE = f"reported/{SWEEP_DAY}-sweep.toml"
ROSTER = "reported/2026-06-25-readme.toml"
"""The table that describes the agents in the sweep."""

_CELL = re.compile(r"(\d+)/(\d+) c(\d+)%")


@dataclass(frozen=True)
class Day:
    """A day on which the benchmark published results, which is also the name of its release.

    Attributes:
        folder: The folder of the day in the source.
        track: The track of its files; None if too few of them are available.
        claims: The table of that day, whose facts about agents are added to the bundles.
    """

    date: str
    title: str
    folder: str
    track: str | None = None
    claims: str = ""


DAYS = (
    Day(
        "2026-06-13",
        "First results (rebuilt)",
        "2026-06-13",
        "official-v1",
        "reported/2026-06-13-readme.toml",
    ),
    Day(SWEEP_DAY, "Everything run again (rebuilt)", f"{SWEEP_DAY}-subset"),
    Day("2026-06-25", "Files of the second run (rebuilt)", "2026-06-25", "official", ROSTER),
)


def make(source: Path, results: Path, run: Callable[..., object]) -> None:
    """Recreate everything that can be recreated in a results folder, replacing existing files, with commands."""
    with tempfile.TemporaryDirectory() as scratch:
        stage = Path(scratch) / "results"
        for day in DAYS:
            _lay_out(results, stage, day.date)
            _record(results, stage, day.date, about_everyone=True)
            _register(stage, source / DAYS[-1].folder)
            if day.date >= SWEEP_DAY:
                sweep = next((source / f"{SWEEP_DAY}-subset").glob("*.csv"))
                (stage / BENCHMARK / SWEEP_TABLE).write_text(
                    _table(sweep, results), encoding="utf-8"
                )
            if day.track:
                flags = ["--benchmark", BENCHMARK, "--track", day.track, "--date", day.date]
                table = results / BENCHMARK / day.claims
                run("import", "evocodebench", source / day.folder, "--into", stage, *flags, "--claims", table,
                    "--allow-missing", "--figures-only")  # fmt: skip
            _record(results, stage, day.date)
            run("release", day.date, "--title", day.title, "--results", stage)
            forget_arrivals(stage, stage / "releases" / f"{day.date}.toml")
        _bring(stage, results)


def forget_arrivals(stage: Path, release: Path) -> None:
    """Remove the order of arrival, since results that others published earlier did not arrive here."""
    document = tomlkit.parse(release.read_text(encoding="utf-8"))
    del document["arrivals"]
    release.write_text(tomlkit.dumps(document), encoding="utf-8")
    (stage / "arrivals.jsonl").unlink()


def _lay_out(results: Path, stage: Path, date: str) -> None:
    """Add the hand-written files up to a day to the bundles and releases of earlier days."""
    for written in results.glob("*/benchmark.toml"):
        if written.parent.name in LATER_BENCHMARKS:
            continue
        folder = stage / written.parent.name
        (folder / "reported").mkdir(parents=True, exist_ok=True)
        for path in (written.parent / "reported").glob("*.toml"):
            text = path.read_text(encoding="utf-8")
            if str(tomllib.loads(text)["date"]) <= date:
                table = tomlkit.parse(text)
                # Data next to scores was added later, and may name tracks that did not exist yet.
                table.pop("exhibits", None)
                (folder / "reported" / path.name).write_text(tomlkit.dumps(table), encoding="utf-8")
        tracks = {
            tomllib.loads(table_path.read_text(encoding="utf-8"))["track"]
            for table_path in folder.glob("reported/*.toml")
        }
        if date >= SWEEP_DAY and folder.name == BENCHMARK:
            tracks.add("official")
        (folder / "benchmark.toml").write_text(_definition(written, tracks), encoding="utf-8")


def _definition(path: Path, tracks: set[object]) -> str:
    """Return a definition with the tracks of that time; a track whose successor did not exist yet was current."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    document["tracks"] = [track for track in document["tracks"] if track["id"] in tracks]
    for track in document["tracks"]:
        if track.get("superseded_by", track["id"]) not in tracks:
            track["status"] = "current"
            del track["superseded_by"], track["reason"]
    return tomlkit.dumps(document)


def _record(results: Path, stage: Path, date: str, *, about_everyone: bool = False) -> None:
    """Write the findings up to a day, leaving out findings on submissions that do not exist yet."""
    for path in results.glob("*/findings.toml"):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        document["findings"] = [
            finding
            for finding in document["findings"]
            if str(finding["date"]) <= date and not (about_everyone and "submissions" in finding)
        ]
        (stage / path.parent.name / path.name).write_text(tomlkit.dumps(document), encoding="utf-8")


def _register(stage: Path, publication: Path) -> None:
    """Write the task sets, which must exist before any submission: all tasks in the index, and a catalogue."""
    index = json.loads((publication / "index.json").read_text(encoding="utf-8"))
    tasks = [
        Task(
            task["task"],
            tuple(TaskRound(number) for number in range(1, task["n_rounds"] + 1)),
            title=task["name"],
            labels={
                "difficulty": task["difficulty"],
                "category": task["category"],
                **kinds_of(task["task"]),
            },
        )
        for task in index["tasks"]
    ]
    problems = [
        Task(
            name,
            tuple(
                TaskRound(number, labels=(phase(number, length),))
                for number in range(1, length + 1)
            ),
        )
        for name, length in sorted(LENGTHS[LATEST].items())
    ]
    for path, lines in (
        (f"{BENCHMARK}/tasks/official.jsonl", tasks),
        ("slop-code-bench/tasks/v1.jsonl", problems),
    ):
        (stage / path).parent.mkdir(exist_ok=True)
        (stage / path).write_bytes(json_lines(lines))


def _table(sweep: Path, results: Path) -> str:
    """Return the published table of a sweep: the mean of its cells over all tasks."""
    roster = tomllib.loads((results / BENCHMARK / ROSTER).read_text(encoding="utf-8"))
    document = {
        "schema": 1,
        "track": "official",
        "title": "EvoCode-Bench official leaderboard, second run",
        "source": f"{sweep.name} of github.com/UniPat-AI/EvoCodeBench, {SWEEP_DAY}",
        "date": tomlkit.date(SWEEP_DAY),
        "note": "Means over the 26 tasks in that file: the share of rounds passed, and the mean share of cases "
        "passed, which the file prints without decimals. Files with single rounds are available for 8 of the tasks.",
        "rows": list(_rows(sweep, {row["name"]: row for row in roster["rows"]})),
    }
    return tomlkit.dumps(document)


def _rows(sweep: Path, roster: dict[str, dict[str, object]]) -> Iterator[dict[str, object]]:
    lines = list(csv.DictReader(sweep.read_text(encoding="utf-8").splitlines()))
    for name in lines[0]:
        if name in roster:
            cells = [tuple(map(int, _CELL.findall(line[name])[0])) for line in lines]
            yield roster[name] | {
                "values": {
                    "dataset_score": round(
                        100 * mean(passed / rounds for passed, rounds, _ in cells), 1
                    ),
                    "case_score": round(mean(share for _, _, share in cells), 1),
                    "perfect_tasks": {
                        "value": sum(passed == rounds for passed, rounds, _ in cells),
                        "n": len(cells),
                    },
                },
            }


def _bring(stage: Path, results: Path) -> None:
    """Replace the existing files with the recreated ones."""
    made = [f"{BENCHMARK}/submissions", f"{BENCHMARK}/tasks", "slop-code-bench/tasks"]
    for folder in made:
        shutil.rmtree(results / folder, ignore_errors=True)
        shutil.copytree(stage / folder, results / folder)
    for day in DAYS:
        (results / "releases").mkdir(exist_ok=True)
        shutil.copy(
            stage / "releases" / f"{day.date}.toml", results / "releases" / f"{day.date}.toml"
        )
    shutil.copy(stage / BENCHMARK / SWEEP_TABLE, results / BENCHMARK / SWEEP_TABLE)


def _sitegen(*arguments: object) -> None:
    subprocess.run(
        [sys.executable, "-m", "sitegen", *map(str, arguments)],
        check=True,
        stdout=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "results"), _sitegen)  # noqa: PLR2004
