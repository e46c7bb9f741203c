"""The worked example of a metric: which score it is, and that its parts make it."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from kit.boards import board, bundle, row, table, track
from kit.random_results import random_results
from kit.review_day import TODAY
from kit.shipped_results import shipped

from sitegen.board.board import Board, BoardEntry
from sitegen.board.explanation import Example, TaskFraction, find_example
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.pipeline.evaluating import evaluate

DATASET_SCORE = METRICS["dataset_score"]

MEASURED = board(bundle("half", "#."), bundle("all", "##"), bundle("none", ".."))
REPORTED = board(tables=[table(row("theirs", "42.0"))])


def simulated(made: Board) -> Board:
    """Say that a program made the results up."""
    benchmark = made.benchmark.model_copy(update={"simulated": True})
    return replace(made, results=replace(made.results, benchmark=benchmark))


def chosen(metric: str, *boards: Board) -> Example:
    """Choose an example that there is."""
    example = find_example(METRICS[metric], boards)
    assert example is not None
    return example


def test_a_score_that_was_recomputed_goes_first() -> None:
    assert chosen("dataset_score", REPORTED, simulated(MEASURED), MEASURED).board is MEASURED


def test_a_simulated_score_goes_before_a_reported_one() -> None:
    example = chosen("dataset_score", REPORTED, simulated(MEASURED))
    assert (example.board.benchmark.simulated, example.entry.evidence) == (True, "recomputed")


def test_a_board_that_shows_the_metric_goes_first() -> None:
    elsewhere = board(bundle("ours", "##"), on=track(headline="case_score", columns=("case_score",)))
    assert chosen("dataset_score", elsewhere, MEASURED).board is MEASURED


def test_of_equals_the_one_in_the_middle_is_taken() -> None:
    assert chosen("dataset_score", MEASURED).entry.id == "half"


def test_a_row_that_does_not_stand_is_no_example() -> None:
    retired = board(bundle("ours", "##", status={"state": "withdrawn"}))
    assert find_example(DATASET_SCORE, [retired]) is None


def test_what_nobody_measured_has_no_example() -> None:
    assert find_example(METRICS["erosion"], [MEASURED, REPORTED]) is None


def test_a_mean_is_taken_apart_into_tasks_that_weigh_the_same() -> None:
    example = chosen("dataset_score", board(bundle("ours", "#...", "#"), rounds=(4, 1)))
    assert example.fractions == [TaskFraction("a", 25.0, 1.0), TaskFraction("b", 100.0, 1.0)]
    assert (example.amount, example.weight, example.result) == (125.0, 2.0, 62.5)


def test_a_pooled_share_is_taken_apart_by_rounds() -> None:
    example = chosen("strict", board(bundle("ours", "#...", "#"), rounds=(4, 1)))
    assert example.fractions == [TaskFraction("a", 100.0, 4.0), TaskFraction("b", 100.0, 1.0)]
    assert example.result == 40


def test_a_count_is_a_sum() -> None:
    example = chosen("perfect_tasks", board(bundle("ours", "#...", "#"), rounds=(4, 1)))
    assert example.result == 1


@pytest.mark.parametrize(
    ("metric", "value", "n", "result"),
    [
        ("dataset_score", "39.1", 115, 100 * 45 / 115),
        ("perfect_tasks", "9", 26, 9.0),
        ("dataset_score", "42.0", None, None),
    ],
)
def test_a_reported_score_follows_from_its_count(metric: str, value: str, n: int | None, result: float | None) -> None:
    printed = table({"id": "theirs", "values": {metric: {"value": Decimal(value), "n": n}}})
    example = chosen(metric, board(tables=[printed], on=track(columns=(metric,))))
    assert (example.result, example.fractions) == (result, ())


def test_a_difference_is_that_of_its_terms() -> None:
    values = {name: Decimal(value) for name, value in {"sr": "76.7", "mt_at_k": "54.0", "gap": "22.7"}.items()}
    on = track(protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k", "sr", "gap"))
    example = chosen("gap", board(tables=[table({"id": "theirs", "values": values})], on=on))
    assert [term.text for term in example.terms] == ["76.7", "54.0"]
    assert example.result == pytest.approx(22.7)


def test_a_difference_without_its_terms_can_not_be_worked_out() -> None:
    on = track(protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k", "gap"))
    example = chosen("gap", board(tables=[table({"id": "theirs", "values": {"gap": Decimal("22.7")}})], on=on))
    assert (example.terms, example.result) == ((), None)


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    """Every board of the project's own results."""
    return list(shipped().all_boards())


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_example_of_the_site_comes_to_its_score(boards: list[Board], metric: Metric) -> None:
    example = find_example(metric, boards)
    assert example is not None
    result, score = example.result, example.score
    if score.printed is None:
        assert result == pytest.approx(score.value, abs=1e-9)
    elif result is not None:
        assert round(Decimal(result), -int(score.printed.as_tuple().exponent)) == score.printed


def rows(made: Board) -> Iterator[BoardEntry]:
    """Give each row on a board of its own."""
    return (BoardEntry(replace(made, entries=[entry]), entry) for entry in made.entries)


@pytest.mark.parametrize("seed", range(6))
def test_any_score_is_made_of_its_parts(tmp_path: Path, seed: int) -> None:
    """Whatever is missing, excluded or not measured."""
    random_results(tmp_path / "results", seed)
    alone = [row for made in evaluate(tmp_path / "results", TODAY).all_boards() for row in rows(made)]
    scores = [(made, score) for made, entry in alone for score in entry.scores.values() if score.value is not None]
    expected: list[object] = [(score.metric.id, pytest.approx(score.value, abs=1e-9)) for _, score in scores]
    assert [(score.metric.id, chosen(score.metric.id, made).result) for made, score in scores] == expected
