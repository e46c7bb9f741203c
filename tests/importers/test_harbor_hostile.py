"""Trees that nobody means well with: nothing leaves the source, nothing hangs, and nothing private gets out."""

import gzip
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from kit.harbor_trees import (
    FAIL,
    JOB,
    OPTIONS,
    PASSED,
    Play,
    Trial,
    codes,
    imported,
    nest,
    played,
    refused,
    write,
    write_task,
)
from kit.small_import import files_in

from sitegen.importers.harbor.source import read_harbor
from sitegen.importers.kit.redaction import redact_text
from sitegen.pipeline.importing import apply_import
from sitegen.problems import ProblemsError

KEY = "sk-abcdefghijklmnop0123"


def test_links_are_not_followed_and_are_told(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    Trial(name="stolen").write(outside / JOB, PASSED)
    played(tmp_path, PASSED)
    (tmp_path / "jobs" / "more").symlink_to(outside)
    (tmp_path / "jobs" / "self").symlink_to(tmp_path / "jobs")
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert (incoming.drafts[0].submission.attempts, codes(incoming)) == (1, ["SOURCE-PASSED-OVER"])


def test_files_that_are_links_are_not_read(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial(version="none").write(nest(tmp_path / "jobs", "tidy", "alpha"), PASSED)
    reward = folder / "steps" / "round-1" / "verifier" / "reward.txt"
    reward.unlink()
    reward.symlink_to(write(tmp_path / "secret.txt", "1"))
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert (incoming.drafts[0].rounds[0].state, codes(incoming)) == ("aborted", ["SOURCE-PASSED-OVER"])


def test_pipes_and_folders_in_the_place_of_files_are_passed_over(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial().write(nest(tmp_path / "jobs", "tidy", "alpha"), PASSED)
    (folder / "result.json").unlink()
    os.mkfifo(folder / "result.json")
    (folder / "lock.json").mkdir()
    assert imported(tmp_path / "jobs", tmp_path / "tasks").drafts[0].rounds[0].solved


def test_deep_trees_are_not_followed_to_their_end(tmp_path: Path) -> None:
    played(tmp_path, PASSED)
    deep = tmp_path / "jobs" / Path(*["d"] * 200)
    deep.mkdir(parents=True)
    Trial(name="deep").write(deep, PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert (incoming.drafts[0].submission.attempts, codes(incoming)) == (1, ["SOURCE-PASSED-OVER"])


def test_what_an_agent_left_in_its_own_folders_is_not_taken_for_a_run(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial().write(tmp_path / "jobs" / JOB, Play(0.0, "pf"))
    for subfolder in ("artifacts", "agent", "steps/round-1/agent", "steps/round-1/artifacts"):
        Trial(name="planted").write(folder / subfolder / JOB, PASSED)
    (draft,) = imported(tmp_path / "jobs", tmp_path / "tasks").drafts
    assert [round_result.reward for round_result in draft.rounds] == [0]


@pytest.mark.parametrize("name", ["../../escape", "..", "/etc", "a/b", "", "."])
def test_names_of_steps_lead_nowhere(tmp_path: Path, name: str) -> None:
    write(tmp_path / "escape" / "verifier" / "reward.txt", "1")
    write(tmp_path / "tasks" / "tidy" / "task.toml", f'[[steps]]\nname = "{name}"\n')
    Trial(version="none").write(nest(tmp_path / "jobs", "tidy", "alpha"), PASSED)
    with pytest.raises(ProblemsError) as raised:
        read_harbor(tmp_path / "jobs", OPTIONS, tmp_path / "tasks")
    assert {problem.code for problem in raised.value.problems if problem.is_error} <= {
        "SOURCE-ROUND-UNKNOWN",
        "SOURCE-BROKEN",
        "SOURCE-TASK-UNKNOWN",
    }


def test_many_files_take_no_time(tmp_path: Path) -> None:
    """A thousand here; each is looked at once, and none is opened."""
    files = {f"agent/log-{number}.txt": "" for number in range(1_000)}
    for number in range(1_000):
        write(tmp_path / "jobs" / "noise" / f"{number}.txt", "")
    assert played(tmp_path, replace(PASSED, files=files)).drafts[0].rounds[0].solved


def test_names_that_are_no_text_are_told_without_harm(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    odd = os.fsdecode(b"\x1b[31m\xff\nodd__resumed_1")
    (tmp_path / "jobs" / odd).mkdir(parents=True)
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    notes = "\n".join(imported(tmp_path / "jobs", tmp_path / "tasks").notes)
    assert notes.encode()
    assert re.search(r"[\x00-\x09\x0b-\x1f]", notes) is None


def test_an_agents_name_can_be_anything_and_makes_a_plain_bundle(tmp_path: Path) -> None:
    trial = Trial(model="x/\x1b[31m../../Evil <b>\n", version="0.9.0")
    draft = played(tmp_path, PASSED, trial=trial).drafts[0]
    assert (draft.id, draft.submission.agent.name) == ("2026-06-18-evil-b", "Evil <b>")


@pytest.mark.parametrize("reward", ["9" * 400, "-" + "9" * 4000, "9" * 5000])
def test_a_reward_of_hundreds_of_digits_is_none(tmp_path: Path, reward: str) -> None:
    play = Play(None, None, log="", files={"verifier/reward.json": f'{{"reward": {reward}}}'})
    assert played(tmp_path, play).drafts[0].rounds[0].state == "aborted"


def test_a_file_that_is_too_large_or_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    for text in ("a = " + "[" * 100_000, "#" * 5_000_000, "a = 1\na = 2", "[[steps]]\nname = 1\n"):
        write(path, text)
        problems = refused(tmp_path / "jobs", tmp_path / "tasks")
        assert {problem.code for problem in problems} <= {
            "TOML-SYNTAX",
            "FILE-TOO-LARGE",
            "KEY-DUPLICATE",
            "SOURCE-BROKEN",
            "SOURCE-TASK-UNKNOWN",
        }
        assert problems[0].path == path


def written(folder: Path) -> str:
    """Give everything that an import wrote, unpacked."""
    files = files_in(folder).items()
    return b"\n".join(gzip.decompress(data) if name.endswith(".gz") else data for name, data in files).decode()


def test_nothing_private_is_written(tmp_path: Path) -> None:
    """Settings, logs, exceptions, prompts and lock files hold keys and paths of the machine; case texts may."""
    private = (
        f"/home/eval/app/x.py and C:\\\\Users\\\\eval\\\\y with key {KEY} and password: hunter2hunter2hunter2 \x1b[1m"
    )
    log = FAIL.format("c1", "fail").replace("wrong sum", private) + "\n"
    plays = (
        Play(0.0, None, log=log + "CASE_SUMMARY total_cases=1 success_count=0 fail_count=1\n"),
        Play(0.0, None, log=f"FAIL: /root/build failed with {KEY}\n"),
        Play(None, None, log=private, error="AgentTimeoutError"),
    )
    settings = {"agent": {"kwargs": {"api_key": KEY, "reasoning_effort": "high"}, "env": {"KEY": KEY}}}
    trial = Trial(model="hosted//home/eval/models/alpha", config=settings, files={"exception.txt": private})
    played(tmp_path / "source", *plays, trial=trial)
    without = replace(OPTIONS, instructions=False)
    apply_import(
        imported(tmp_path / "source" / "jobs", tmp_path / "source" / "tasks", options=without), tmp_path / "results"
    )
    text = written(tmp_path / "results")
    assert re.findall(r"/home/|/root/|Users|hunter2|sk-abc|\\u001b|Traceback|Secret|invocation|file:", text) == []
    assert ("…/x.py" in text, "…/build failed with [redacted]" in text) == (True, True)


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("GET /api/v1/users", "GET /api/v1/users"),
        ("line one\n\tline two", "line one\n\tline two"),
        ("token: short", "token: short"),
        ("/app/root/x and /rooted/y", "/app/root/x and /rooted/y"),
        ("ghp_abcdefghijklmnopqrst12345", "[redacted]"),
        ("Authorization: Bearer abcdefghij0123456789", "Authorization: Bearer [redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc", "[redacted]"),
        ('File "/Users/ada/x/y.py", line 3', 'File "…/y.py", line 3'),
        ("a\x00b\x1b[31mc\x1b]0;title\x07d\u202ee", "abcde"),
    ],
)
def test_only_what_is_private_is_taken_out_of_a_text(text: str, expected_text: str) -> None:
    assert redact_text(text) == expected_text
