"""Messages that once sent people the wrong way, and what they say now: the fault, then the fix."""

from pathlib import Path

import pytest
from kit.command import sitegen

from sitegen.importers.kit import rules as import_rules
from sitegen.store.compare.history_rules import HISTORY_RIVAL

FILES = {
    "no-reward.csv": "task,state,reward\ntidy,scored,1\nwide,scored,\n",
    "names.csv": "task_id,step,mood\ntidy,1,calm\n",
    "preds.jsonl": '{"instance_id": "a-1", "outcome_text": "fine"}\n',
    "runs.csv": "task,reward\ntidy,1\n",
}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with simulated results, tables to import, and a project without results."""
    folder = tmp_path_factory.mktemp("work")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert sitegen("demo", "results", "--agents", "2", "--tasks", "1", folder=folder).returncode == 0
    assert sitegen("init", "board", folder=folder).returncode == 0
    return folder


def submission(work: Path) -> str:
    return min(path.name for path in (work / "results" / "demo" / "submissions").iterdir())


@pytest.mark.parametrize(
    ("line", "messages"),
    [
        (
            "import table no-reward.csv --into new --benchmark b --agent A --date 2026-07-01",
            [
                "no-reward.csv:3: ",
                "the row has no reward",
                'give a reward from 0 to 1, or the state "aborted" with a cause',
            ],
        ),
        (
            "redact demo/chain/SUBMISSION --reason Private --date 2026-06-01",
            ["error: --date 2026-06-01 is earlier than an existing finding of 2026-06-08\n"],
        ),
        (
            "explain demo/chain/SUBMISSION-x",
            ["error: no submission demo/chain/SUBMISSION-x; did you mean demo/chain/SUBMISSION"],
        ),
        (
            "try names.csv --no-serve",
            [
                "names.csv is not in a format that Recount recognises. As a table it lacks `task` or `reward`; ",
                "its columns are task_id, step, mood. Name the columns with `--format table --column ",
                "or name another format with `--format`",
            ],
        ),
        ("try preds.jsonl --no-serve", ["its columns are instance_id, outcome_text. Name the columns with"]),
        ("import csv names.csv", ['unknown format "csv"; for CSV files use `table`\n']),
        ("release 2026/01/01", ['write the date as YYYY-MM-DD, not "2026/01/01"']),
        ("build --benchmark foo", ["error: there is no benchmark foo in results; it has demo\n"]),
        ("metrics foo", ["error: there is no benchmark foo in results/; it has demo\n"]),
        (
            "verify-site http://127.0.0.1:9/",
            ["error: connection refused at http://127.0.0.1:9/site.sha256; is the site being served?\n"],
        ),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_a_message_says_the_fault_and_then_the_fix(work: Path, line: str, messages: list[str]) -> None:
    name = submission(work)
    ended = sitegen(*line.replace("SUBMISSION", name).split(), folder=work)
    output = ended.stdout + ended.stderr
    assert ended.returncode in {1, 2}
    for message in messages:
        assert message.replace("SUBMISSION", name) in output


def test_a_command_without_results_says_where_to_run_it(tmp_path: Path) -> None:
    assert sitegen("score", folder=tmp_path).stderr == (
        "error: there is no results/ here; run this inside a leaderboard project, pass `--results DIR`, "
        "or start a project with `sitegen init DIR`\n"
    )


def test_the_first_submission_to_a_track_needs_no_other_track(work: Path) -> None:
    options = ("--to", "board/main", "--agent", "A", "--date", "2026-07-01", "--dry-run")
    ended = sitegen("submit", "../runs.csv", *options, folder=work / "board")
    assert ended.returncode == 0, ended.stderr
    assert "nothing was written; the command would write:" in ended.stderr
    assert "import into another track" not in ended.stdout + ended.stderr


def test_a_change_of_a_rival_is_left_to_the_maintainers() -> None:
    assert "ask a maintainer to correct the other submission with `sitegen correct`" in HISTORY_RIVAL.fix


def test_flags_are_shown_as_flags_and_options_say_what_they_do() -> None:
    helped = sitegen("import", "--help").stdout
    assert "--dry-run" in helped
    assert "<bool>" not in helped
    compared = " ".join(sitegen("validate", "--help").stdout.split())
    assert "--base REV Compare with this git revision or folder: removing or editing published results" in compared
    assert "--check " not in sitegen("upgrade", "--help").stdout


def test_a_crash_of_the_test_runner_is_stated_as_the_fault() -> None:
    assert import_rules.VERIFIER_FAILED.title == "The test runner or the test environment failed during a run."
