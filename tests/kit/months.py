"""The later months of a real board: 40 tasks of Terminal-Bench, six submissions, and a series of changes.

`play_months` makes the changes step by step in a clone of a repository, and returns the commands' output.
"""

import json
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path

from kit.clones import BOB, Clone
from kit.command import done
from kit.forked_repository import ROOT, commit, git
from kit.results_files import json_rows
from kit.results_folders import json_lines, seal

SOURCE = ROOT / "results" / "terminal-bench-core"
BOARD = "terminal-40"
TRACK = "v0-1-1"
NEXT = "v1-1"
OPUS = "2025-09-23-claude-4-1-opus"
SONNET = "2025-09-23-claude-4-sonnet"
GPT = "2025-09-24-gpt-5"
QWEN = "2025-09-01-qwen-3-coder-480b"
OB1 = "2025-09-10-ob1-sdk"
OLD_OPUS = "2025-08-29-claude-4-opus"
CHOSEN = (OPUS, SONNET, GPT, QWEN, OB1, OLD_OPUS)
EARLY_ATTEMPTS = 3
"""The number of attempts that Sonnet has at first; the track has five."""


def clock(day: date) -> str:
    """Return noon of a day in seconds since 1970, for use as the program's current time."""
    return str(int(datetime.combine(day, time(12), UTC).timestamp()))


@dataclass
class Months:
    """The history of the board, and the output of the commands.

    Attributes:
        clone: The repository.
        checks: The output of `validate --base`, by step.
        diffs: The output of `diff`, by step.
        printed: The output of the commands, by step.
        names: The ids of the submissions created in steps, by step.
        site: The site at the end.
        tasks: The 40 tasks.
        rerun: The rounds that were run again, as task and attempt.
        broken: The task that turned out to be broken.
        changed: The two tasks that the new version changes.
    """

    clone: Clone
    checks: dict[str, str] = field(default_factory=dict)
    diffs: dict[str, str] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    site: Path = Path()
    tasks: Sequence[str] = ()
    rerun: Sequence[tuple[str, int]] = ()
    broken: str = ""
    changed: Sequence[str] = ()

    def merge(self, step: str, *options: str) -> None:
        """Check a request like its pull request, and merge it."""
        self.checks[step] = self.clone.checked(*options)
        self.diffs[step] = self.clone.done("diff", "main", "results", *options)
        self.clone.merge()

    def records(self, submission: str) -> list[dict[str, object]]:
        """Return the records of a submission."""
        return json_rows(self.clone.results / BOARD / "submissions" / submission / "rounds.jsonl")

    def resolved(self, submission: str, without: Collection[str] = (), of: int = 0) -> float:
        """Return the percentage of tasks that a submission resolves, computed only from its rewards.

        Args:
            submission: The id of the submission.
            without: Tasks that do not count.
            of: The number of tasks that count if the submission lacks some; 0 for the tasks that it has.
        """
        rewards: dict[str, list[bool]] = {}
        for record in self.records(submission):
            if record["task"] not in without:
                is_passed = record["state"] == "scored" and float(str(record["reward"])) >= 0.999
                rewards.setdefault(str(record["task"]), []).append(is_passed)
        shares = [sum(passed) / len(passed) for passed in rewards.values()]
        return 100 * sum(shares) / (of or len(shares))


def write_board(results: Path) -> list[str]:
    """Write 40 tasks of the real board with six of its submissions, and return the tasks."""
    home = results / BOARD
    (home / "tasks").mkdir(parents=True)
    definition = (SOURCE / "benchmark.toml").read_text(encoding="utf-8")
    definition = definition.replace('id = "terminal-bench-core"', f'id = "{BOARD}"', 1)
    (home / "benchmark.toml").write_text(definition, encoding="utf-8")
    tasks = json_rows(SOURCE / "tasks" / f"{TRACK}.jsonl")[:40]
    (home / "tasks" / f"{TRACK}.jsonl").write_text(json_lines(*tasks), encoding="utf-8")
    names = [task["id"] for task in tasks]
    for name in CHOSEN:
        source = SOURCE / "submissions" / name
        folder = home / "submissions" / name
        folder.mkdir(parents=True)
        manifest = (source / "submission.toml").read_text(encoding="utf-8")
        rounds = [row for row in json_rows(source / "rounds.jsonl") if row["task"] in names]
        if name == SONNET:
            rounds = [row for row in rounds if row["attempt"] <= EARLY_ATTEMPTS]
            manifest = manifest.replace("date = ", f"attempts = {EARLY_ATTEMPTS}\ndate = ", 1)
        (folder / "submission.toml").write_text(manifest, encoding="utf-8")
        (folder / "rounds.jsonl").write_text(json_lines(*rounds), encoding="utf-8")
        seal(folder)
    shutil.copyfile(ROOT / "results" / "agents.toml", results / "agents.toml")
    return names


def address(submission: str, track: str = TRACK) -> str:
    """Return the address of a submission."""
    return f"{BOARD}/{track}/{submission}"


def play_months(folder: Path) -> Months:
    """Play all months in a folder, and return the history."""
    clone = Clone(folder / "board", clock(date(2025, 10, 1)))
    months = Months(clone, tasks=write_board(clone.results))
    git(clone.folder, "init", "-q")
    git(clone.folder, "config", "user.email", BOB)
    clone.done("release", "2025-10-01", "--title", "First")
    commit(clone.folder, "The board")
    play_october(months)
    play_november(months)
    project = folder / "project"
    done("init", project, SOURCE_DATE_EPOCH=clone.today)
    months.site = folder / "site"
    arguments = ("build", "--results", clone.results, "--site", months.site)
    done(*arguments, folder=project, SOURCE_DATE_EPOCH=clone.today)
    return months


def runs(months: Months, agent: str, source: str, attempts: Mapping[int, int]) -> list[tuple[object, ...]]:
    """Return rows for a table of runs: the runs of a real submission, with renumbered attempts."""
    rows: list[tuple[object, ...]] = []
    for record in json_rows(SOURCE / "submissions" / source / "rounds.jsonl"):
        if record["task"] in months.tasks and record["attempt"] in attempts:
            seconds = record.get("agent_seconds", 0) + 1
            figures = (record["reward"], record["passed"], record["total"], seconds)
            rows.append((agent, record["task"], attempts[record["attempt"]], 1, *figures))
    return rows


def new_submission(months: Months, before: Collection[str]) -> str:
    """Return the id of the only submission that was added since a state."""
    (name,) = submissions(months) - set(before)
    return name


def submissions(months: Months) -> set[str]:
    """Return the ids of all submissions."""
    return {path.name for path in (months.clone.results / BOARD / "submissions").iterdir()}


def play_october(months: Months) -> None:
    """Play a wrong name before and after the merge, a rerun, a fourth attempt, a withdrawal, and a release."""
    clone = months.clone
    clone.today = clock(date(2025, 10, 14))
    about = ("--benchmark", BOARD, "--track", TRACK, "--into", "results")

    table = clone.table(runs(months, "Wren-Codr", "2025-08-26-claude-4-sonnet", {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}))
    clone.done("import", "table", table, *about, "--date", "2025-10-08")
    arguments = (
        "correct",
        address("2025-10-08-wren-codr"),
        "--name",
        "Wren-Coder",
        "--reason",
        "A slip of the keyboard",
    )
    months.printed["before the merge"] = clone.done(*arguments)
    months.merge("before the merge")

    arguments = ("correct", address(OB1), "--name", "OB-2", "--reason", "The vendor calls it so")
    months.printed["first change"] = clone.done(*arguments)
    months.merge("first change")
    months.printed["second change"] = clone.done(*arguments)
    months.merge("second change")

    failed = [row for row in months.records(GPT) if row["state"] == "scored" and not row["reward"]]
    months.rerun = [(str(row["task"]), int(str(row["attempt"]))) for row in failed[:3]]
    rows = []
    for record in failed[:3]:
        total = record["total"]
        rows.append(("gpt-5", record["task"], record["attempt"], 1, 1, total, total, 61))
    before = submissions(months)
    arguments = ("replace-rounds", address(GPT), "--reason", "An outage of the provider", "--date", "2025-10-11")
    months.printed["rerun"] = clone.done(*arguments, clone.table(rows))
    months.names["rerun"] = new_submission(months, before)
    months.merge("rerun")

    before = submissions(months)
    table = clone.table(runs(months, "claude-4-sonnet", SONNET, {4: 1}))
    added = ("add-attempt", address(SONNET), table, "--date", "2025-10-12")
    months.printed["fourth attempt"] = clone.done(*added)
    months.names["fourth attempt"] = new_submission(months, before)
    months.merge("fourth attempt")

    arguments = ("withdraw", address(QWEN), "--reason", "The runs saw the tests", "--by", "Its submitter")
    months.printed["withdrawal"] = clone.done(*arguments)
    months.merge("withdrawal")

    clone.today = clock(date(2025, 11, 1))
    clone.done("release", "2025-11-01", "--title", "October")
    months.merge("october")


def play_november(months: Months) -> None:
    """Play a broken task, a baseline, a deadline, an embargo, a new version with carried results, and a release."""
    clone = months.clone
    home = clone.results / BOARD
    clone.today = clock(date(2025, 11, 4))
    months.broken = months.tasks[7]
    finding = (
        'schema = 1\n\n[[findings]]\ndate = 2025-11-03\nkind = "defect"\neffect = "exclude"\nby = "Bob"\n'
        'title = "A test expects the wrong answer"\nreason = "Its checker compares with the answer of another task"\n'
        f'tracks = ["{TRACK}"]\ntasks = ["{months.broken}"]\n'
    )
    (home / "findings.toml").write_text(finding, encoding="utf-8")
    months.merge("broken task")
    months.printed["explain"] = clone.done("explain", address(OPUS))

    definition = home / "benchmark.toml"
    text = definition.read_text(encoding="utf-8").replace("attempts = 5\nheadline", "attempts = 5\nDEADLINE\nheadline")
    definition.write_text(text.replace("DEADLINE", "deadline = 2025-11-10"), encoding="utf-8")
    months.merge("deadline")

    about = ("--benchmark", BOARD, "--track", TRACK, "--into", "results")
    five = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
    for step, agent, source, day, key in (
        ("baseline", "Guess", "2025-08-16-claude-sonnet-4-20250514", "2025-11-05", "baseline = true"),
        ("embargo", "Finch", "2025-09-12-claude-sonnet-4-20250514", "2025-11-06", "embargo = 2026-01-15"),
        ("late", "Lark", "2025-08-11-claude-4-sonnet", "2025-11-15", ""),
    ):
        clone.today = clock(date.fromisoformat(day))
        clone.done("import", "table", clone.table(runs(months, agent, source, five)), *about, "--date", day)
        months.names[step] = f"{day}-{agent.lower()}"
        manifest = home / "submissions" / months.names[step] / "submission.toml"
        manifest.write_text(f"{key}\n{manifest.read_text(encoding='utf-8')}", encoding="utf-8")
        seal(manifest.parent)
        months.merge(step)
        clone.done("release", "--arrivals")
        clone.merge()

    clone.today = clock(date(2025, 11, 20))
    months.changed = (months.tasks[3], months.tasks[21])
    arguments = ["new-track", f"{BOARD}/{NEXT}", "--from", TRACK, "--carry", "--reason", "Two tasks were broken"]
    for task in months.changed:
        arguments += ["--changed", task]
    months.printed["new version"] = clone.done(*arguments)
    months.merge("new version")

    clone.today = clock(date(2025, 12, 1))
    clone.done("release", "2025-12-01", "--title", "November")
    months.merge("november")


def rows_of(document: str) -> dict[str, dict[str, object]]:
    """Return the rows of a document of scores by `TRACK/ID`."""
    rows = json.loads(document)["submissions"]
    return {f"{row['track']}/{row['id']}": row for row in rows}
