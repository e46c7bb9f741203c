"""The board of Terminal-Bench Core: its scores follow from the runs, worked out apart from the program.

Nothing here is shared with the importer or the metrics: files are read as JSON, and scores are
exact fractions.
"""

import json
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest
import terminal_bench_board
from kit.command import sitegen
from kit.real_data import real_data
from kit.shipped_results import RESULTS

BOARD = RESULTS / "terminal-bench-core"
PAGE = Path(__file__).parents[1] / "site_src" / "develop" / "terminal-bench-core.md"
TASKS, ATTEMPTS = 80, 5


def all_trials(submission: Path) -> Iterator[Mapping[str, Any]]:
    """Yield every trial that some file of a submission tells of, the trials' own files first."""
    listed: list[Mapping[str, Any]] = []
    for path in sorted(submission.rglob("*results.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if "results" in record:
            listed += record["results"]
        else:
            yield record
    yield from listed


def verdicts_of(submission: Path) -> dict[str, list[bool]]:
    """Return whether each attempt at a task resolved it; an attempt without a verdict did not."""
    by_task: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for trial in all_trials(submission):
        identity = trial.get("id") or trial["uuid"]
        by_task[trial["task_id"]].setdefault(identity, trial["is_resolved"] is True)
    return {task: list(attempts.values()) for task, attempts in by_task.items()}


def resolved_rate(verdicts: Mapping[str, Sequence[bool]]) -> Fraction:
    """Return the mean over tasks of the mean over attempts, as a share."""
    rates = [Fraction(sum(attempts), len(attempts)) for attempts in verdicts.values()]
    return sum(rates, Fraction(0)) / len(rates)


def pass_at_k(verdicts: Mapping[str, Sequence[bool]], k: int) -> Fraction:
    """Return the share of tasks that some of k attempts resolves, over all ways to take k."""
    failed_all = Fraction(0)
    for attempts in verdicts.values():
        failed = len(attempts) - sum(attempts)
        failed_all += Fraction(comb(failed, k), comb(len(attempts), k))
    return 1 - failed_all / len(verdicts)


def pass_hat_k(verdicts: Mapping[str, Sequence[bool]], k: int) -> Fraction:
    """Return the share of tasks that all of k attempts resolve, over all ways to take k."""
    passed_all = Fraction(0)
    for attempts in verdicts.values():
        passed_all += Fraction(comb(sum(attempts), k), comb(len(attempts), k))
    return passed_all / len(verdicts)


def shipped_verdicts(bundle: str) -> dict[str, list[bool]]:
    """Return whether each attempt at a task passed, as the shipped records say."""
    path = BOARD / "submissions" / bundle / "rounds.jsonl"
    by_task: defaultdict[str, list[bool]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        by_task[record["task"]].append(record["state"] == "scored" and record["reward"] == 1)
    return dict(by_task)


@pytest.fixture(scope="module")
def rows() -> dict[str, Mapping[str, Any]]:
    """Return what `score` prints of each submission, by its id."""
    scored = sitegen("score", BOARD, "--format", "json")
    assert scored.returncode == 0, scored.stderr
    return {row["id"]: row for row in json.loads(scored.stdout)["submissions"]}


def test_the_board_has_thirteen_submissions_of_five_attempts_at_eighty_tasks(
    rows: Mapping[str, Mapping[str, Any]],
) -> None:
    assert len(rows) == len(terminal_bench_board.SUBMISSIONS) == 13
    for bundle in rows:
        verdicts = shipped_verdicts(bundle)
        assert len(verdicts) == TASKS
        assert {len(attempts) for attempts in verdicts.values()} == {ATTEMPTS}


def test_every_resolved_rate_follows_from_the_runs(rows: Mapping[str, Mapping[str, Any]]) -> None:
    root = real_data("real", "terminal-bench", "results")
    rates = []
    for submission in terminal_bench_board.SUBMISSIONS:
        verdicts = verdicts_of(root / submission.folder)
        assert {len(attempts) for attempts in verdicts.values()} == {ATTEMPTS}
        rates.append(float(100 * resolved_rate(verdicts)))
    shown = [row["metrics"]["resolved"]["value"] for row in rows.values()]
    assert sorted(rates) == pytest.approx(sorted(shown))
    assert max(rates) == 58.75


def test_pass_at_k_and_pass_hat_k_follow_from_the_shipped_rounds(rows: Mapping[str, Mapping[str, Any]]) -> None:
    for bundle, row in rows.items():
        verdicts = shipped_verdicts(bundle)
        shown = {metric: value["value"] for metric, value in row["metrics"].items()}
        assert shown["resolved"] == pytest.approx(float(100 * resolved_rate(verdicts)))
        assert pass_at_k(verdicts, 1) == pass_hat_k(verdicts, 1) == resolved_rate(verdicts)
        for k in (3, 5):
            assert shown[f"pass_at_{k}"] == pytest.approx(float(100 * pass_at_k(verdicts, k)))
            assert shown[f"pass_hat_{k}"] == pytest.approx(float(100 * pass_hat_k(verdicts, k)))


def test_claims_stand_beside_the_rows_that_they_are_about(rows: Mapping[str, Mapping[str, Any]]) -> None:
    claims = {}
    for bundle, row in rows.items():
        resolved = row["metrics"]["resolved"]
        if resolved["claimed"] is not None:
            claims[bundle] = (resolved["claimed"], resolved["agrees"])
    assert claims == {
        "2025-09-01-claude-4-sonnet": (36.0, True),
        "2025-09-01-qwen-3-coder-480b": (19.25, True),
        "2025-09-06-claude-4-1-opus": (39.75, True),
        "2025-09-23-claude-4-1-opus": (58.75, True),
        "2025-09-23-claude-4-sonnet": (50.5, True),
        "2025-09-24-gpt-5": (52.5, True),
    }


def test_only_figures_ship() -> None:
    keys = set()
    for path in BOARD.glob("submissions/*/rounds.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            keys |= json.loads(line).keys()
    assert keys == {
        *("task", "attempt", "round", "state", "reward", "passed", "total", "outcomes", "case_ids", "cause"),
        *("input_tokens", "output_tokens", "agent_seconds", "verifier_seconds"),
    }
    assert not list(BOARD.rglob("failures*"))
    assert sum(path.stat().st_size for path in BOARD.rglob("*") if path.is_file()) < 1_500_000


def test_the_page_has_the_commands_that_make_the_board() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for command in terminal_bench_board.commands():
        assert shlex.join(command) in text
