"""The importer on what EvoCode-Bench published, recounted here with plain JSON and exact fractions."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import Any, TypeAlias

import pytest
from kit.evocodebench_trees import OPTIONS, imported, refused
from kit.real_data import real_data, stopped_at_a_gate

from sitegen.importers.evocodebench.benchmark import SPELLINGS
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult

FIRST = "2026-06-13"
SUBSET = "2026-06-20-subset"

Key: TypeAlias = tuple[str, str, int]
"""Agent, task and round."""


@pytest.fixture(scope="module")
def source() -> Path:
    return real_data("evocodebench", FIRST)


@pytest.fixture(scope="module")
def incoming(source: Path) -> Incoming:
    return imported(source, replace(OPTIONS, claims=source / "published.json"))


@pytest.fixture(scope="module")
def raw(source: Path) -> list[dict[str, Any]]:
    """The task files as they stand, in the order of the index."""
    tasks = json.loads((source / "index.json").read_text())["tasks"]
    return [json.loads((source / "tasks" / f"{task['task']}.json").read_text()) for task in tasks]


@pytest.fixture(scope="module")
def cells(raw: list[dict[str, Any]]) -> dict[Key, Any]:
    """Every published cell."""
    return {
        (SPELLINGS.get(spelling, spelling), task["task"], int(number)): cell
        for task in raw
        for spelling, rounds in task["models"].items()
        for number, cell in rounds.items()
    }


@pytest.fixture(scope="module")
def rounds(incoming: Incoming) -> dict[Key, RoundResult]:
    """Every imported round."""
    drafts = [(draft.submission.agent.name, draft.rounds) for draft in incoming.drafts]
    return {
        (agent, round_result.task, round_result.round): round_result
        for agent, rounds in drafts
        for round_result in rounds
    }


def by_task(draft: Draft, share: Callable[[RoundResult], Fraction]) -> list[list[Fraction]]:
    """Give a figure of each round, task by task."""
    shares: dict[str, list[Fraction]] = {}
    for round_result in draft.rounds:
        shares.setdefault(round_result.task, []).append(share(round_result))
    return list(shares.values())


def solved(result: RoundResult) -> Fraction:
    return Fraction(result.solved)


def share_of_cases(result: RoundResult) -> Fraction:
    return Fraction(result.passed or 0, result.total or 1)


def score(draft: Draft, share: Callable[[RoundResult], Fraction]) -> float:
    """Give the mean over tasks of the mean over rounds, in percent."""
    return float(100 * mean(map(mean, by_task(draft, share))))


def claimed(draft: Draft) -> Mapping[str, Decimal]:
    assert draft.submission.claims is not None
    return draft.submission.claims.values


def test_the_first_release_has_ten_bundles_of_227_rounds(incoming: Incoming) -> None:
    assert [(draft.id[:11], len(draft.rounds)) for draft in incoming.drafts] == [("2026-06-13-", 227)] * 10
    assert {draft.submission.date for draft in incoming.drafts} == {date(2026, 6, 13)}
    (task_set,) = incoming.task_sets
    assert (len(task_set.tasks), task_set.rounds) == (26, 227)


def test_every_round_is_as_the_files_have_it(cells: dict[Key, Any], rounds: dict[Key, RoundResult]) -> None:
    stated_cells = {key: cell for key, cell in cells.items() if cell}
    ran = {key: cell for key, cell in stated_cells.items() if cell["total"] and not stopped_at_a_gate(cell)}
    assert {
        key: (round_result.reward, round_result.passed, round_result.total, round_result.failed)
        for key, round_result in rounds.items()
        if key in ran
    } == {key: (cell["reward"], cell["pass"], cell["total"], cell["fail"]) for key, cell in ran.items()}
    assert {key: empty_round.cause for key, empty_round in rounds.items() if empty_round.state == "no_cases"} == {
        key: cell.get("early") or cell["fails"][0]["reason"] for key, cell in stated_cells.items() if key not in ran
    }


def test_rounds_of_which_the_files_say_nothing_have_a_state_too(
    cells: dict[Key, Any], rounds: dict[Key, RoundResult]
) -> None:
    assert rounds.keys() == cells.keys()
    states = Counter((rounds[key].state, cell is None) for key, cell in cells.items())
    assert states == {
        ("scored", False): 2_103,
        ("no_cases", False): 115,
        ("aborted", True): 8,
        ("unreached", True): 44,
    }


def test_passed_rounds_of_every_run_are_those_that_the_files_count(
    cells: dict[Key, Any], rounds: dict[Key, RoundResult]
) -> None:
    counted = Counter(key[:2] for key, cell in cells.items() if cell and cell["reward"] == 1)
    assert Counter(key[:2] for key, round_result in rounds.items() if round_result.solved) == counted


def test_dataset_scores_are_the_published_ones(incoming: Incoming) -> None:
    for draft in incoming.drafts:
        assert f"{score(draft, solved):.1f}" == str(claimed(draft)["dataset_score"])


def test_perfect_tasks_are_the_published_ones(incoming: Incoming) -> None:
    for draft in incoming.drafts:
        assert sum(map(all, by_task(draft, solved))) == claimed(draft)["perfect_tasks"]


def test_case_scores_are_the_published_ones_but_for_the_known_one(incoming: Incoming) -> None:
    scores = {draft.submission.agent.name: score(draft, share_of_cases) for draft in incoming.drafts}
    published = {draft.submission.agent.name: str(claimed(draft)["case_score"]) for draft in incoming.drafts}
    apart = {agent: round(value, 2) for agent, value in scores.items() if f"{value:.1f}" != published[agent]}
    assert apart == {"MiniMax-M2.7": 45.68}


def test_every_listed_failure_is_kept(incoming: Incoming, cells: dict[Key, Any]) -> None:
    listed: Counter[str] = Counter()
    for (agent, _, _), cell in cells.items():
        ran = cell and not stopped_at_a_gate(cell)
        listed[agent] += sum(len(group["cases"]) for group in cell["fails"]) if ran else 0
    assert {draft.submission.agent.name: len(draft.failures) for draft in incoming.drafts} == listed
    assert listed.total() == 57_522


def test_cut_texts_are_marked_and_the_detail_is_a_sample(incoming: Incoming) -> None:
    assert sum(failure.truncated for draft in incoming.drafts for failure in draft.failures) == 3_882
    assert {draft.submission.detail.cases for draft in incoming.drafts} == {"sample"}


def test_the_releases_oddities_are_warned_of_once_each(incoming: Incoming) -> None:
    assert Counter(problem.code for problem in incoming.problems) == {
        "SOURCE-SKIPPED-CASES": 2,
        "SOURCE-VERDICT-MISSING": 1,
        "SOURCE-COUNTS-DIFFER": 1,
    }


def test_reasoning_labels_come_from_the_published_table(incoming: Incoming) -> None:
    labels = {draft.submission.agent.name: draft.submission.agent.reasoning for draft in incoming.drafts}
    assert labels["Claude-Opus-4.8"] == "effort xhigh"
    assert labels["Kimi-K2.6"] == "thinking on"


def test_a_second_run_gives_equal_values(source: Path, incoming: Incoming) -> None:
    assert imported(source, replace(OPTIONS, claims=source / "published.json")) == incoming


def test_the_subset_is_refused_with_all_missing_tasks() -> None:
    (error,) = refused(real_data("evocodebench", SUBSET))
    assert error.code == "SOURCE-TASK-MISSING"
    assert error.what.startswith("18 of 26 tasks have no file: theme_d10_w11")
    assert error.what.count("theme_") == 18


def test_the_subset_can_be_imported_without_them() -> None:
    incoming = imported(real_data("evocodebench", SUBSET), replace(OPTIONS, allow_missing=True))
    (task_set,) = incoming.task_sets
    assert (len(task_set.tasks), task_set.rounds, len(incoming.drafts)) == (8, 72, 12)
    assert {draft.submission.date for draft in incoming.drafts} == {date(2026, 6, 20)}
    assert [finding.title for finding in incoming.findings] == ["18 of 26 tasks left out"]
    assert Counter(problem.code for problem in incoming.problems) == {
        "SOURCE-TASKS-LEFT-OUT": 1,
        "SOURCE-SKIPPED-CASES": 2,
        "SOURCE-VERDICT-MISSING": 1,
    }
