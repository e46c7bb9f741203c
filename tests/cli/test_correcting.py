"""`sitegen withdraw`, `supersede`, `add-attempt` and `import --supersedes auto`: what stood keeps its files."""

import json
import os
import random
import shutil
import tomllib
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from kit.command import done, sitegen
from kit.results_folders import Tree

STEPS = int(os.environ.get("SITEGEN_CORRECTIONS", "12"))
"""So many corrections are drawn, one after the other."""
NOW = "1790812800"
"""2026-10-01."""
TASKS = ("neat", "tidy")
ATTEMPTS = 4
ACME = "bench/main/2026-06-01-acme"


class Board:
    """A results folder, with the state before its last change beside it."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.results = work / "results"
        self.before = work / "before"

    def runs(self, *attempts: int, agent: str, passes: bool = True, tasks: tuple[str, ...] = TASKS) -> Path:
        """Write a table of attempts at all tasks."""
        path = self.work / "runs.csv"
        lines = (
            f"{agent},{task},{attempt},1,{int(passes)},{int(passes)},1\n" for task in tasks for attempt in attempts
        )
        path.write_text("agent,task,attempt,round,reward,passed,total\n" + "".join(lines), encoding="utf-8")
        return path

    def bring(self, day: date, *options: str) -> str:
        """Import the table that was written last."""
        about = ("--benchmark", "bench", "--track", "main", "--into", self.results, "--date", str(day))
        return done("import", "table", self.work / "runs.csv", *about, *options, SOURCE_DATE_EPOCH=NOW)

    def correct(self, *arguments: str | Path) -> tuple[int, str]:
        """Keep the state as it is, and run a command on it."""
        shutil.rmtree(self.before, ignore_errors=True)
        shutil.copytree(self.results, self.before)
        ended = sitegen(*arguments, "--results", self.results, SOURCE_DATE_EPOCH=NOW)
        return ended.returncode, ended.stdout + ended.stderr

    def told(self) -> str:
        """What `validate` says of it beside the state before."""
        ended = sitegen("validate", self.results, "--base", self.before, SOURCE_DATE_EPOCH=NOW)
        assert ended.returncode in {0, 1}, ended.stderr
        return "" if ended.returncode == 0 else ended.stdout

    def manifests(self) -> dict[str, Any]:
        """What the manifests of all bundles say, by bundle."""
        paths = sorted(self.results.glob("bench/submissions/*/submission.toml"))
        return {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in paths}

    def standing(self) -> list[str]:
        """The bundles that stand."""
        return [name for name, manifest in self.manifests().items() if manifest["status"]["state"] == "published"]


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """A track with four attempts, and three agents of which one made them all."""
    new_board = Board(tmp_path)
    for agent, attempts in (("max", range(1, ATTEMPTS + 1)), ("acme", (1,)), ("bolt", (1, 2))):
        new_board.runs(*attempts, agent=agent, passes=agent != "acme")
        new_board.bring(date(2026, 6, 1))
    return new_board


def everything(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_withdrawn_submission_says_who_why_and_when_with_its_checksums_renewed(board: Board) -> None:
    code, output = board.correct("withdraw", ACME, "--reason", "Another task set", "--by", "Ada")
    expected_note = "only [status] changed, in submission.toml and SHA256SUMS; commit both"
    assert (code, output) == (0, f"2026-06-01-acme is withdrawn: {expected_note}\n")
    status = board.manifests()["2026-06-01-acme"]["status"]
    day = date(2026, 10, 1)
    assert status == {"state": "withdrawn", "by": "Ada", "reason": "Another task set", "date": day}
    assert board.told() == ""


def test_a_status_is_changed_in_what_people_wrote_and_comments_stay(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.edit("submission.toml", "[claims]", '# of the paper\n[status]\nstate = "published"\n\n# their own\n[claims]')
    done("withdraw", f"mini/{tree.bundle.name}", "--reason", "x", "--results", tree.folder, SOURCE_DATE_EPOCH=NOW)
    text = (tree.bundle / "submission.toml").read_text(encoding="utf-8")
    assert "# of the paper\n[status]\nstate" in text
    assert "\n\n# their own\n[claims]" in text
    assert "error" not in {problem.severity for problem in tree.told()}


def test_a_superseded_submission_names_the_one_that_replaces_it(board: Board) -> None:
    board.runs(1, agent="acme")
    board.bring(date(2026, 6, 20))
    code, _ = board.correct("supersede", ACME, "--by", "2026-06-20-acme")
    assert code == 0
    assert board.manifests()["2026-06-01-acme"]["status"]["by"] == "2026-06-20-acme"
    assert board.told() == ""


@pytest.mark.parametrize(
    ("arguments", "expected_text"),
    [
        (("withdraw", "bench/main/acmo", "--reason", "x"), "no submission bench/main/acmo"),
        (("withdraw", ACME, "--reason", "x\ny"), "--by and --reason are required"),
        (("supersede", ACME, "--by", "nobody"), "no submission bench/nobody"),
        (("supersede", ACME, "--by", "2026-06-01-acme"), "it replaces itself"),
    ],
)
def test_a_correction_that_can_not_be_changes_nothing(
    board: Board, arguments: tuple[str, ...], expected_text: str
) -> None:
    code, output = board.correct(*arguments)
    assert code in {1, 2}
    assert expected_text in output
    assert everything(board.results) == everything(board.before)


def test_what_was_withdrawn_does_not_come_back(board: Board) -> None:
    board.correct("withdraw", ACME, "--reason", "x")
    for arguments in (("withdraw", ACME, "--reason", "y"), ("supersede", ACME, "--by", "2026-06-01-max")):
        assert board.correct(*arguments)[0] == 2
    assert everything(board.results) == everything(board.before)


def test_an_attempt_more_is_a_bundle_of_all_attempts_that_supersedes_the_one_before(board: Board) -> None:
    done("release", "2026-06-10", "--results", board.results, SOURCE_DATE_EPOCH=NOW)
    code, output = board.correct("add-attempt", ACME, board.runs(1, 2, agent="acme"), "--date", "2026-06-20")
    assert code == 0, output
    assert "is read as table, because it has" in output
    assert "2026-06-20-acme has 3 attempts, and supersedes 2026-06-01-acme" in output
    new = board.manifests()["2026-06-20-acme"]
    assert new["attempts"] == 3
    assert new["caveats"] == ["Attempts 2 to 3 came later."]
    lines = (board.results / "bench/submissions/2026-06-20-acme/rounds.jsonl").read_text(encoding="utf-8").splitlines()
    rewards = [(record["task"], record["attempt"], record["reward"]) for record in map(json.loads, lines)]
    assert rewards == [(task, attempt, int(attempt > 1)) for task in TASKS for attempt in (1, 2, 3)]
    assert board.told() == ""


@pytest.mark.parametrize(
    ("agent", "attempts", "tasks", "expected_text"),
    [
        ("acme", (1, 2, 3, 4), TASKS, "track main has at most 4 attempts, and this would make 5"),
        ("bolt", (1,), TASKS, "the runs are by bolt, but 2026-06-01-acme is by acme"),
        ("acme", (1,), ("tidy",), "only one side has runs of neat"),
    ],
)
def test_attempts_that_do_not_fit_are_refused(
    board: Board, agent: str, attempts: tuple[int, ...], tasks: tuple[str, ...], expected_text: str
) -> None:
    runs = board.runs(*attempts, agent=agent, tasks=tasks)
    code, output = board.correct("add-attempt", ACME, runs, "--date", "2026-06-20")
    assert code == 2
    assert expected_text in output
    assert everything(board.results) == everything(board.before)


def test_a_new_release_of_many_rows_supersedes_those_of_the_same_agents_and_says_so_first(board: Board) -> None:
    table = board.runs(1, agent="acme")
    table.write_text(
        table.read_text(encoding="utf-8") + "".join(f"bolt,{task},1,1,1,1,1\n" for task in TASKS), encoding="utf-8"
    )
    shutil.copytree(board.results, board.before)
    planned = board.bring(date(2026, 6, 20), "--supersedes", "auto", "--dry-run")
    assert everything(board.results) == everything(board.before)
    output = board.bring(date(2026, 6, 20), "--supersedes", "auto")
    for agent in ("acme", "bolt"):
        assert f"  2026-06-01-{agent} superseded by 2026-06-20-{agent}\n" in planned
        assert f"2026-06-01-{agent} will be superseded by 2026-06-20-{agent}\n" in output
    assert board.standing() == ["2026-06-01-max", "2026-06-20-acme", "2026-06-20-bolt"]
    assert board.told() == ""


def test_a_source_whose_rows_were_superseded_can_be_imported_again_and_changes_nothing(board: Board) -> None:
    for day, passes in ((date(2026, 6, 1), False), (date(2026, 6, 20), True)):
        board.runs(1, agent="acme", passes=passes)
        board.bring(day, "--supersedes", "auto")
    before = everything(board.results)
    board.runs(1, agent="acme", passes=False)
    assert "0 new bundles" in board.bring(date(2026, 6, 1), "--supersedes", "auto")
    assert everything(board.results) == before


class Corrections:
    """Corrections of a board drawn at random, each of them one that can be made."""

    def __init__(self, board: Board, seed: int) -> None:
        self.board = board
        self.dice = random.Random(seed)  # noqa: S311 - a draw that anyone may foresee
        self.day = date(2026, 1, 1)
        self.agents = 0

    def steps(self) -> Iterator[str]:
        """Correct once more, and tell how."""
        for _ in range(STEPS):
            made: Callable[[], tuple[int, str]] = self.dice.choice(
                (self.withdraw, self.supersede, self.add, self.again, self.state, self.replace)
            )
            self.agents += 1
            self.newcomer()
            code, output = made()
            assert code == 0, f"{made.__name__}: {output}"
            yield made.__name__
            if self.dice.random() < 0.2:
                self.day += timedelta(days=1)
                done("release", str(self.day), "--results", self.board.results, SOURCE_DATE_EPOCH=NOW)

    def newcomer(self) -> None:
        self.board.runs(1, agent=f"new{self.agents}", passes=self.dice.random() < 0.5)
        self.board.bring(date(2026, 6, self.dice.randint(1, 28)))

    def one(self) -> str:
        return self.dice.choice(self.board.standing())

    def withdraw(self) -> tuple[int, str]:
        return self.board.correct("withdraw", f"bench/{self.one()}", "--reason", "drawn", "--by", "They")

    def supersede(self) -> tuple[int, str]:
        old, new = self.dice.sample(self.board.standing(), 2)
        return self.board.correct("supersede", f"bench/main/{old}", "--by", new, "--reason", "drawn")

    def add(self) -> tuple[int, str]:
        manifests = self.board.manifests()
        name = self.dice.choice(
            [
                bundle_name
                for bundle_name in self.board.standing()
                if manifests[bundle_name].get("attempts", 4) < ATTEMPTS
            ]
        )
        runs = self.board.runs(1, agent=manifests[name]["agent"]["name"], passes=self.dice.random() < 0.5)
        return self.board.correct("add-attempt", f"bench/main/{name}", runs, "--date", "2026-06-30")

    def state(self) -> tuple[int, str]:
        """Correct what a submission states: its model, or its name, which takes two changes."""
        name = self.one()
        arguments = ("correct", f"bench/main/{name}", "--reason", "drawn")
        if self.dice.random() < 0.5:
            return self.board.correct(*arguments, "--model", f"model-{self.agents}")
        code, output = self.board.correct(*arguments, "--name", f"named{self.agents}")
        if code == 0:
            assert self.board.told() == ""
            code, output = self.board.correct(*arguments)
        return code, output

    def replace(self) -> tuple[int, str]:
        """Replace one round of an attempt."""
        manifests = self.board.manifests()
        name = self.one()
        runs = self.board.runs(1, agent=manifests[name]["agent"]["name"], tasks=("tidy",))
        text = runs.read_text(encoding="utf-8").replace("passed,total", "passed,total,agent_seconds")
        runs.write_text(
            text.replace(",1,1\n", f",1,1,{self.agents}.5\n").replace(",0,1\n", f",0,1,{self.agents}.5\n"),
            encoding="utf-8",
        )
        arguments = ("replace-rounds", f"bench/main/{name}", runs, "--reason", "drawn", "--date", "2026-06-29")
        return self.board.correct(*arguments)

    def again(self) -> tuple[int, str]:
        shutil.rmtree(self.board.before, ignore_errors=True)
        shutil.copytree(self.board.results, self.board.before)
        self.board.runs(1, agent=self.board.manifests()[self.one()]["agent"]["name"])
        days = (manifest["date"] for manifest in self.board.manifests().values())
        return 0, self.board.bring(max(days) + timedelta(days=1), "--supersedes", "auto")


@pytest.mark.parametrize("seed", [1])
def test_whatever_is_corrected_no_step_loses_anything_published(board: Board, seed: int) -> None:
    done_steps = []
    for number, step in enumerate(Corrections(board, seed).steps(), start=1):
        done_steps.append(step)
        assert board.told() == "", f"step {number}: {done_steps}"
    assert len(done_steps) == STEPS
