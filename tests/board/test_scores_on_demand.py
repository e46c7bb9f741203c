"""Scores of results are computed when somebody asks for them, and read as if all of them were there."""

import sys
from collections.abc import Callable, Mapping
from types import FrameType

import pytest
from kit.boards import board, bundle, claims, entry_of, track
from kit.findings import finding, with_findings

from sitegen.board.board import Board
from sitegen.board.claims import entry_problems
from sitegen.board.entry import recomputed_score
from sitegen.board.row_problems import problems_in
from sitegen.board.score import OnDemand
from sitegen.metrics.catalogue import METRICS

LETTERS = {"a": 1, "b": 2, "d": 4}


class Asked(list[str]):
    """Notes which names are looked up, in their order."""

    def number(self, name: str) -> int | None:
        """Look a letter's number up."""
        self.append(name)
        return LETTERS.get(name)


@pytest.fixture
def asked() -> Asked:
    """Nothing was asked for yet."""
    return Asked()


@pytest.fixture
def numbers(asked: Asked) -> Mapping[str, int]:
    """Numbers of letters, of which there is none for c."""
    return OnDemand("dcba", asked.number)


def test_nothing_is_found_before_it_is_asked_for(numbers: Mapping[str, int], asked: Asked) -> None:
    assert asked == []
    assert numbers["b"] == 2
    assert asked == ["b"]


def test_a_value_is_found_once(numbers: Mapping[str, int], asked: Asked) -> None:
    assert (numbers["b"], numbers.get("b"), "b" in numbers, numbers.get("c"), "c" in numbers) == (
        2,
        2,
        True,
        None,
        False,
    )
    assert asked == ["b", "c"]


def test_values_come_in_the_order_of_the_names_whatever_was_asked_for_first(numbers: Mapping[str, int]) -> None:
    assert numbers["a"] == 1
    assert list(numbers.items()) == [("d", 4), ("b", 2), ("a", 1)]
    assert len(numbers) == 3


def test_a_name_without_a_value_is_no_key(numbers: Mapping[str, int]) -> None:
    with pytest.raises(KeyError, match="c"):
        numbers["c"]


def test_no_other_name_is_looked_up(numbers: Mapping[str, int], asked: Asked) -> None:
    assert numbers.get("z") is None
    assert asked == []


def test_they_equal_the_same_values_found_elsewhere(numbers: Mapping[str, int]) -> None:
    assert numbers == LETTERS
    assert numbers != {"a": 1}


def computed(act: Callable[[], object]) -> list[str]:
    """Name the metrics that are computed while something is done, in their order."""
    names: list[str] = []

    def noted(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is recomputed_score.__code__:
            names.append(frame.f_locals["metric"].id)

    before = sys.getprofile()
    sys.setprofile(noted)
    try:
        act()
    finally:
        sys.setprofile(before)
    return names


WIDE = track(columns=("dataset_score", "perfect_tasks"))


def claiming(**stated: str) -> Board:
    """Rank a submission that passes one round of two, and a better one, on a track with two columns."""
    return board(bundle("ours", "#.", claims=claims(**stated)), bundle("theirs", "##"), on=WIDE)


def corrected(made: Board) -> Board:
    """Take the round that the first submission fails out of it."""
    return with_findings(made, finding("odd", effect="exclude", tasks=("a",), rounds=(2,), submissions=("ours",)))


def test_ranking_computes_the_headline_alone() -> None:
    assert computed(claiming) == ["dataset_score", "dataset_score"]


def test_looking_for_problems_computes_what_is_claimed_and_no_more() -> None:
    made = claiming(strict="50.0", partial="50.0")
    assert computed(lambda: [problems_in(made, entry) for entry in made.all_entries]) == ["strict", "partial"]


def test_reruns_are_held_against_each_other_by_the_headline_alone() -> None:
    made = board(bundle("ours", "#.", "##"), bundle("rerun", "#.", "#."), rounds=(2, 2))
    rerun = finding("again", kind="reproduction", submissions=("ours",), rerun="rerun")
    assert set(computed(lambda: with_findings(made, rerun).problems)) == {"dataset_score"}


def test_findings_compute_no_metric_beside_the_headline_and_the_claimed() -> None:
    made = claiming(strict="50.0")
    assert set(computed(lambda: entry_problems(entry_of(corrected(made), "ours")))) == {"dataset_score", "strict"}


def test_another_metric_is_computed_when_it_is_asked_for_and_only_then() -> None:
    entry = entry_of(claiming(), "ours")
    assert computed(lambda: entry.value("solved")) == ["solved"]
    assert computed(lambda: entry.value("solved")) == []


@pytest.mark.parametrize("first", ["dataset_score", "solved", "strict"])
def test_scores_stand_in_the_catalogue_s_order_whichever_was_asked_for_first(first: str) -> None:
    scores = entry_of(claiming(strict="50.0"), "ours").scores
    assert first in scores
    assert list(scores) == [name for name in METRICS if name in scores]
    assert [score.metric.id for score in scores.values()] == list(scores)


def test_scores_after_findings_stand_in_the_catalogue_s_order_beside_those_before() -> None:
    entry = entry_of(corrected(claiming(partial="50.0")), "ours")
    score_texts = [
        (name, score.text, score.without_findings and score.without_findings.text)
        for name, score in entry.scores.items()
    ]
    assert score_texts == [
        ("dataset_score", "100.0", "50.0"),
        ("case_score", "100.0", "50.0"),
        ("perfect_tasks", "1", "0"),
        ("mean_reward", "1.000", "0.500"),
        ("strict", "100.0", "50.0"),
        ("partial", "100.0", "100.0"),
        ("solved", "100.0", "0.0"),
    ]


def test_claims_are_kept_by_the_states_of_a_row() -> None:
    entry = entry_of(corrected(claiming(partial="50.0", solved="7.0")), "ours")
    assert entry.without_findings
    for entry_state in (entry, entry.without_findings):
        assert [score.metric.id for score in entry_state.claimed] == ["partial", "solved"]


def test_a_row_holds_its_claims_in_the_catalogue_s_order() -> None:
    entry = entry_of(claiming(solved="0.0", strict="50.0", erosion="0.1"), "ours")
    assert [(score.metric.id, str(score.claims[0].value)) for score in entry.claimed] == [
        ("strict", "50.0"),
        ("solved", "0.0"),
        ("erosion", "0.1"),
    ]


def test_a_row_equals_its_twin_whatever_was_asked_of_either() -> None:
    entry, twin_entry = (entry_of(claiming(), "ours") for _ in range(2))
    assert entry.value("solved") == 0
    assert entry.scores == twin_entry.scores
    assert entry.scores != entry_of(claiming(), "theirs").scores
