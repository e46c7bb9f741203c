"""`sitegen submit`: from runs to a commit on a branch of its own, or nothing at all."""

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from kit.built_sites import made_once
from kit.command import done, sitegen
from kit.foreign_sources import log, put, sample
from kit.import_sources import MADE
from kit.real_data import real_data

from sitegen.importers.formats import FORMATS

RUNS = """\
task,attempt,round,state,reward,passed,total,interactions,cause
river-gauge,1,1,scored,1,16,16,41,
river-gauge,1,2,scored,1,26,26,38,
river-gauge,1,3,scored,0,31,33,57,
river-gauge,1,4,scored,0,34,41,66,
river-gauge,1,5,aborted,0,,,12,the agent ran into its time limit
"""
WORDS = ("--to", "demo/chain", "--agent", "Acme-1", "--organization", "Acme", "--date", "2026-07-01")
BUNDLE = "results/demo/submissions/2026-07-01-acme-1"
FILES = [f"{BUNDLE}/{name}" for name in ("SHA256SUMS", "rounds.jsonl", "submission.toml")]
NOW, LATE = "1790812800", "1796083200"
"""2026-10-01, and 2026-12-01, when all samples have been made."""
PERSON = {f"GIT_{role}_{field}": "ada@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}


class Leaderboard:
    """A repository with a results folder, and runs beside it."""

    def __init__(self, work: Path) -> None:
        self.root = work / "board"
        self.runs = work / "runs.csv"

    def begun(self) -> "Leaderboard":
        """Make it, without the repository."""
        self.root.mkdir(parents=True)
        self.runs.write_text(RUNS, encoding="utf-8")
        done("demo", "results", "--agents", "3", "--tasks", "1", "--attempts", "1", folder=self.root)
        return self

    def committed(self) -> "Leaderboard":
        """Put it into a repository."""
        for arguments in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "The leaderboard")):
            self.git(*arguments)
        return self

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **PERSON}).stdout

    def submit(self, *options: str | Path, **environment: str) -> tuple[int, str, str]:
        variables = {"SOURCE_DATE_EPOCH": NOW, **PERSON, **environment}
        ended = sitegen("submit", self.runs, *WORDS, *options, folder=self.root, **variables)
        return ended.returncode, ended.stdout, ended.stderr

    def state(self) -> object:
        """Branches with their commits, what is checked out, and every file outside git's own folder."""
        paths = (path for path in sorted(self.root.rglob("*")) if path.is_file() and ".git" not in path.parts)
        files = {path: path.read_bytes() for path in paths}
        return self.git("for-each-ref"), self.git("symbolic-ref", "HEAD"), self.git("status", "--porcelain"), files


@pytest.fixture
def board(tmp_path: Path) -> Leaderboard:
    made = made_once("leaderboard", lambda folder: Leaderboard(folder).begun().committed())
    return Leaderboard(shutil.copytree(made, tmp_path, dirs_exist_ok=True))


@pytest.mark.parametrize(
    "branch",
    [
        "a..b",
        "-b",
        "a b",
        "a~1",
        "a^",
        "a:b",
        "a.lock",
        "a/",
        "/a",
        "@{-1}",
        "@",
        "HEAD",
        "",
        "a//b",
        "a\\b",
        ".a",
        "main/sub",
    ],
)
@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["written", "dry run"])
def test_a_name_that_git_takes_for_no_branch_is_refused_before_anything_is_read(
    board: Leaderboard, branch: str, options: tuple[str, ...]
) -> None:
    before = board.state(), sorted(path for path in (board.root / ".git").rglob("*") if path.is_file())
    code, text, notes = board.submit(f"--branch={branch}", *options)
    assert (code, text) == (2, "")
    assert "which git does not accept as a branch name" in notes or "a branch main exists" in notes
    assert (board.state(), sorted(path for path in (board.root / ".git").rglob("*") if path.is_file())) == before


def test_an_empty_clone_is_said_to_have_no_results(tmp_path: Path) -> None:
    ended = sitegen("submit", tmp_path, "--to", "board/main", folder=tmp_path)
    assert ended.returncode == 2
    assert "there is no results/ here; run this inside a leaderboard project" in ended.stderr


def test_a_submission_is_one_commit_of_one_bundle_on_a_branch_that_validates(board: Leaderboard) -> None:
    url_template = "https://files.example.org/{task}/{attempt}/{round}.json"
    code, text, notes = board.submit("--claim", "dataset_score=50.0", "--trajectories", url_template)
    assert code == 0, notes
    assert "is read as table, because it has" in notes
    assert "on branch submit-2026-07-01-acme-1; nothing was pushed" in notes
    assert board.git("symbolic-ref", "--short", "HEAD").strip() == "submit-2026-07-01-acme-1"
    assert board.git("diff", "--name-only", "main", "HEAD").split() == FILES
    assert board.git("status", "--porcelain") == ""
    assert f'trajectories = "{url_template}"' in (board.root / BUNDLE / "submission.toml").read_text(encoding="utf-8")
    assert text.startswith(
        "# Acme-1 on demo/chain\n\nAdds `Acme-1` at rank 3; `Alder-1`'s rank changes from 3 to 4; nothing published"
    )
    assert "| Dataset Score | 50.0 | – | 50.0 (agrees) |" in text
    ended = sitegen("validate", "--base", "main", folder=board.root, SOURCE_DATE_EPOCH=NOW)
    assert ended.returncode == 0, ended.stdout


def test_a_submission_names_who_sent_it_and_that_account_may_correct_it(board: Leaderboard) -> None:
    names = (
        "--account",
        "acme-ada",
        "--account",
        "gitlab:ada",
        "--contact",
        "boards@acme.example",
        "--submitter",
        "Ada",
    )
    code, _, notes = board.submit(*names)
    assert code == 0, notes
    assert "names no account" not in notes
    manifest = tomllib.loads((board.root / BUNDLE / "submission.toml").read_text(encoding="utf-8"))
    assert manifest["submitter"] == {
        "name": "Ada",
        "contact": "boards@acme.example",
        "accounts": ["github:acme-ada", "gitlab:ada"],
    }
    assert sitegen("validate", "--base", "main", folder=board.root, SOURCE_DATE_EPOCH=NOW).returncode == 0
    board.git("branch", "-qf", "main", "HEAD")
    arguments = ("demo/chain/2026-07-01-acme-1", "--organization", "Acme Labs", "--reason", "A slip")
    output = done("correct", *arguments, "--author", "acme-ada", folder=board.root, SOURCE_DATE_EPOCH=NOW)
    assert "One change: " in output


def test_a_submission_without_an_account_says_what_that_means(board: Leaderboard) -> None:
    notes = board.submit("--dry-run")[2]
    assert notes.count("2026-07-01-acme-1 names no account, so a maintainer has to find out who sent") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--account", "ada@acme.example"), "--account needs HOST:NAME, such as github:acme-ada"),
        (("--account", ""), "--account needs HOST:NAME"),
        (("--contact", ""), "--contact needs one line of text"),
        (("--submitter", "A\nB"), "--submitter needs one line of text"),
    ],
)
def test_a_submitter_that_can_not_be_read_is_refused(
    board: Leaderboard, options: tuple[str, ...], message: str
) -> None:
    before = board.state()
    code, _, notes = board.submit(*options)
    assert (code, message in notes, board.state() == before) == (2, True, True), notes


def test_a_rehearsal_shows_all_and_changes_nothing(board: Leaderboard) -> None:
    before = board.state()
    code, text, notes = board.submit("--dry-run")
    assert (code, board.state()) == (0, before)
    assert "### `Acme-1` on `demo/chain`: rank 3 of 4" in text
    assert [line.strip() for line in notes.splitlines()[-3:]] == FILES


def test_a_track_that_ended_says_so(board: Leaderboard) -> None:
    definition = board.root / "results" / "demo" / "benchmark.toml"
    ended = definition.read_text(encoding="utf-8").replace(
        'status = "current"', 'status = "legacy"\nreason = "The tasks leaked"', 1
    )
    definition.write_text(ended, encoding="utf-8")
    assert "demo/chain is legacy: The tasks leaked\n" in board.submit("--dry-run")[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--claim", "dataset_score=60.0"), "CLAIM-DIFFERS: Dataset Score: 60.0 claimed, 50.00 recomputed"),
        (("--claim", "dataset_score"), "--claim needs METRIC=VALUE"),
        (("--to", "demo/other"), "demo has no track other; its tracks are chain, fail-stop"),
        (("--to", "demo"), "--to needs BENCHMARK/TRACK, not demo"),
        (("--to", "new/chain"), "it has demo. Name one of its tracks, or start a benchmark with --new-track"),
        (("--format", "harbor", "--catalog", "c.json"), "--catalog can't be used with harbor"),
        (("--to", "demo/new", "--new-track", "--results", "none"), "none does not exist; pass an existing folder"),
        (("--branch", "main"), "a branch main already exists"),
        (("--trajectories", "https://[y/{task}.json"), "has an unreadable host"),
        (("--branch", "a b"), "--branch is `a b`, which git does not accept as a branch name"),
    ],
)
def test_what_is_refused_leaves_everything_as_it_was(
    board: Leaderboard, options: tuple[str, ...], message: str
) -> None:
    before = board.state()
    code, _, notes = board.submit(*options)
    assert code in {1, 2}
    assert message in notes
    assert board.state() == before


def test_own_claims_stand_beside_those_of_the_log_and_take_their_place_on_the_same_metric(board: Leaderboard) -> None:
    stated = {"name": "first", "scorer": "first", "metrics": {"accuracy": {"name": "accuracy", "value": 1 / 3}}}
    log_document = log("ada", [sample("a", "C"), sample("b", "I"), sample("c", "I")])
    log_document["results"]["scores"] = [stated]
    board.runs = put(board.runs.parent / "logs" / "a.json", log_document).parent
    options = ("--to", "mine/first", "--new-track", "--dry-run")
    code, text, notes = board.submit(*options, "--claim", "resolved=33.3")
    assert code == 0, notes
    assert "| Mean Reward | 0.333 | 0" in text
    assert text.count("(agrees)") == 2
    _, _, notes = board.submit(*options, "--claim", "mean_reward=0.333")
    assert "your claim of mean_reward, 0.333, replaces 0.3333333333333333, from Inspect log: accuracy" in notes
    code, _, notes = board.submit(*options, "--claim", "resolved=60.0")
    assert (code, "error CLAIM-DIFFERS" in notes) == (1, True), notes


def test_more_attempts_than_the_track_has_get_in_with_the_command_that_the_refusal_tells(board: Leaderboard) -> None:
    _, *first = RUNS.splitlines(keepends=True)
    board.runs.write_text(RUNS + "".join(line.replace(",1,", ",2,", 1) for line in first), encoding="utf-8")
    before = board.state()
    code, _, notes = board.submit()
    assert (code, board.state()) == (1, before)
    assert "track chain has 1 attempt, but the import has 2: 2026-07-01-acme-1" in notes
    suggested_options = notes.partition("`sitegen submit RUNS ")[2].partition("`")[0]
    assert suggested_options == "--to demo/chain-2-attempts --new-track"
    code, text, notes = board.submit(*suggested_options.split())
    assert code == 0, notes
    assert text.startswith("# Acme-1 on demo/chain-2-attempts\n\nStarts the track `demo/chain-2-attempts`.\n")
    ended = sitegen("validate", "--base", "main", folder=board.root, SOURCE_DATE_EPOCH=NOW)
    assert ended.returncode == 0, ended.stdout


def test_where_git_can_not_go_to_the_branch_it_is_gone_again(board: Leaderboard, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    git = tmp_path / "bin" / "git"
    git.write_text('#!/bin/sh\ncase "$*" in *switch*) exit 1;; esac\nexec /usr/bin/env -u X PATH="$OLD" git "$@"\n')
    git.chmod(0o755)
    before = board.state()
    path = os.environ["PATH"]
    code, _, notes = board.submit(PATH=f"{git.parent}:{path}", OLD=path)
    assert code == 2
    assert "git switch failed; nothing was changed here" in notes
    assert board.state() == before


def test_the_same_again_goes_to_the_branch_that_is_there(board: Leaderboard) -> None:
    board.submit()
    commit = board.git("rev-parse", "HEAD")
    board.git("switch", "-q", "main")
    assert board.submit()[0] == 0
    assert board.git("rev-parse", "HEAD") == commit
    code, _, notes = board.submit()
    assert code == 2
    assert "2026-07-01-acme-1 already exists, with the same results" in notes
    board.runs.write_text(RUNS.replace("scored,0,31", "scored,0,30"), encoding="utf-8")
    code, _, notes = board.submit()
    assert code == 1
    assert f"{BUNDLE}: error MERGE-BUNDLE-DIFFERS" in notes


def test_a_refusal_tells_no_notes_of_others(board: Leaderboard) -> None:
    board.runs.write_text(RUNS.replace("scored,0,31", "scored,0.5,31"), encoding="utf-8")
    code, _, notes = board.submit()
    assert (code, f"{BUNDLE}/rounds.jsonl:3: note" in notes) == (0, True), notes
    board.runs.write_text(RUNS.replace("scored,0,31", "scored,0.25,31"), encoding="utf-8")
    code, _, notes = board.submit("--agent", "Birch-9", "--claim", "dataset_score=60.0")
    assert (code, "birch-9/rounds.jsonl:3: note" in notes, BUNDLE in notes) == (1, True, False), notes


def test_results_with_changes_that_are_not_committed_are_left_alone(board: Leaderboard) -> None:
    (board.root / "results" / "demo" / "notes.txt").write_text("x", encoding="utf-8")
    before = board.state()
    code, _, notes = board.submit()
    assert code == 2
    assert "results has changes that are not committed: results/demo/notes.txt" in notes
    assert board.state() == before


def test_without_a_repository_only_the_bundle_is_written(tmp_path: Path) -> None:
    board = Leaderboard(tmp_path).begun()
    code, _, notes = board.submit(GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert code == 0, notes
    assert "results is not in a git repository, so the bundle was written without a branch" in notes
    assert all((board.root / name).is_file() for name in FILES)


def test_a_submission_can_begin_its_track_where_it_says_so(board: Leaderboard) -> None:
    code, _, notes = board.submit("--to", "mine/main", "--new-track")
    assert code == 0, notes
    changed_paths = board.git("diff", "--name-only", "main", "HEAD").split()
    assert {"results/mine/benchmark.toml", "results/mine/tasks/main.jsonl"} < set(changed_paths)


def test_nothing_is_pushed_unless_it_is_asked_for(board: Leaderboard, tmp_path: Path) -> None:
    """A stand-in for GitHub's program keeps the words that it is called with."""
    remote = tmp_path / "there.git"
    board.git("init", "-q", "--bare", str(remote))
    board.git("remote", "add", "origin", str(remote))
    (tmp_path / "bin").mkdir()
    opener = tmp_path / "bin" / "gh"
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/words\n', encoding="utf-8")
    opener.chmod(0o755)
    path = f"{opener.parent}:{os.environ['PATH']}"
    assert board.submit(PATH=path)[0] == 0
    assert not (tmp_path / "words").exists()
    assert board.git("ls-remote", "origin") == ""
    board.git("switch", "-q", "main")
    assert board.submit("--open", PATH=path)[0] == 0
    arguments = (tmp_path / "words").read_text(encoding="utf-8")
    assert arguments.startswith("pr\ncreate\n--title\nAcme-1 on demo/chain\n--body\nAdds `Acme-1` at rank 3;")
    assert "refs/heads/submit-2026-07-01-acme-1" in board.git("ls-remote", "origin")


PUBLISHED = (
    ("inspect", "foreign/inspect"),
    ("swebench", "foreign/swebench/run"),
    ("swebench", "foreign/swebench/experiments"),
    ("every-eval-ever", "foreign/every-eval-ever"),
    ("lm-eval", "foreign/lm-eval"),
    ("harbor", "harbor/harbor-0.9.0"),
    ("harbor-multiturn", "harbor/legacy-handmade"),
    ("evocodebench", "evocodebench/2026-06-20-subset"),
    ("slopcodebench", "slop-code-bench/pangu_claude_code-2.0.51_just-solve_none_20260601T2146"),
)
"""Formats with real runs, and where they are."""


@pytest.mark.parametrize(("form", "sample_path"), PUBLISHED)
def test_real_runs_go_to_a_branch_that_validates(board: Leaderboard, form: str, sample_path: str) -> None:
    assert_goes_to_a_green_branch(board, real_data(*sample_path.split("/")), form)


@pytest.mark.parametrize("form", [format_name for format_name in FORMATS if format_name not in dict(PUBLISHED)])
def test_so_do_runs_of_every_other_format(board: Leaderboard, tmp_path: Path, form: str) -> None:
    sources = MADE[form](tmp_path / "sources")
    assert_goes_to_a_green_branch(board, sources.root / sources.plain, form)


def assert_goes_to_a_green_branch(board: Leaderboard, source: Path, form: str) -> None:
    options = ("--to", "mine/first", "--new-track", "--allow-missing")
    ended = sitegen("submit", source, *options, folder=board.root, SOURCE_DATE_EPOCH=LATE, **PERSON)
    assert ended.returncode == 0, ended.stderr
    assert f"is read as {form}, because it has " in ended.stderr
    assert board.git("diff", "--name-only", "main", "HEAD") != ""
    checked = sitegen("validate", "--base", "main", folder=board.root, SOURCE_DATE_EPOCH=LATE)
    assert checked.returncode == 0, checked.stdout
