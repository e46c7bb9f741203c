"""What a bundle with fewer attempts than its track asks for is worth, from its files to its scores."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from kit.results_folders import ROUNDS, Tree
from kit.review_day import TODAY

from sitegen.board.export import scores_json
from sitegen.pipeline.evaluating import evaluate


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write the folder."""
    return Tree(tmp_path / "results")


def relay(*attempts: int) -> list[Mapping[str, object]]:
    """Give the records of some attempts, and of every round from the reference state."""
    own_records = [{**round_result, "attempt": attempt} for attempt in attempts for round_result in ROUNDS]
    return [*own_records, *({**round_result, "start": "reference"} for round_result in ROUNDS)]


def enter(tree: Tree, records: Sequence[Mapping[str, object]], stated: str = "") -> tuple[dict[str, Any], list[str]]:
    """Enter the fail-stop track of two attempts; give the values of all metrics, and the codes of all problems."""
    tree.edit("submission.toml", '"main"', f'"relay"\n{stated}')
    tree.edit("submission.toml", "dataset_score = 25.0", "")
    tree.rounds(*records)
    judged = evaluate(tree.folder, TODAY)
    document: dict[str, Any] = scores_json(judged.entries())
    metrics = document["submissions"][0]["metrics"]
    return {name: score["value"] for name, score in metrics.items()}, [problem.code for problem in judged.problems()]


def test_fewer_attempts_that_are_stated_are_a_warning_and_gaps(tree: Tree) -> None:
    """Tidy keeps its first round of two; means use the attempt that there is."""
    values, codes = enter(tree, relay(1), "attempts = 1")
    assert codes == ["ATTEMPTS-BELOW-TRACK"]
    assert (values["mt_at_k"], values["sr"]) == (None, pytest.approx(100 / 3))
    assert not {"gap", "comp", "perfect_tasks"} & values.keys()


def test_an_attempt_that_is_missing_without_a_word_is_an_error_and_a_gap(tree: Tree) -> None:
    values, codes = enter(tree, relay(1))
    assert codes == ["ROUND-MISSING"]
    assert values["mt_at_k"] is None


def test_an_attempt_that_is_missing_at_one_task_is_an_error_and_a_gap(tree: Tree) -> None:
    records = [record for record in relay(1, 2) if (record["task"], record["attempt"]) != ("wide", 2)]
    values, codes = enter(tree, records)
    assert codes == ["ROUND-MISSING"]
    assert values["mt_at_k"] is None


def test_a_round_that_is_missing_in_an_attempt_counts_as_failed(tree: Tree) -> None:
    records = [record for record in relay(1, 2) if (record["attempt"], record["round"]) != (2, 2) or "start" in record]
    values, codes = enter(tree, records)
    assert codes == ["ROUND-MISSING"]
    assert values["mt_at_k"] == 25


def test_all_attempts_give_a_score(tree: Tree) -> None:
    values, codes = enter(tree, relay(1, 2))
    assert codes == []
    assert values["mt_at_k"] == 25
