"""A board that ranks by a median over tasks says what it shows, and shows nothing that means only would allow."""

from dataclasses import replace

from kit.boards import board, bundle, track

from sitegen.board.answers.ranking_headlines import neighbours
from sitegen.board.board import Board
from sitegen.board.explanation import find_example
from sitegen.board.inference.comparison import HeadToHead, PairOutcome, comparisons
from sitegen.board.inference.rerun_odds import rerun_terms
from sitegen.board.inference.robustness import Robustness
from sitegen.board.making import make_boards
from sitegen.models.declared import Declared
from sitegen.pages.kinds.certainty import smallest_difference
from sitegen.pages.notices import order_basis, untested_sentence

MEDIAN = Declared(id="typical", title="Typical task", unit="percent", of="pass", tasks="median")
WHY = "Typical task is a median over tasks, and two medians are not compared by a test"


def ranked_by_median(*rows: tuple[str, ...]) -> Board:
    """Rank agents, given by their names and the marks of the tasks a, b, c and so on."""
    bundles = [bundle(name, *marks) for name, *marks in rows]
    made = board(*bundles, rounds=[4] * (len(rows[0]) - 1))
    ranked_by = track(headline="typical", columns=("typical", "dataset_score"))
    benchmark = made.benchmark.model_copy(update={"metrics": (MEDIAN,), "tracks": (ranked_by,)})
    results = replace(made.results, benchmark=benchmark)
    (ranked_board,) = make_boards(results)
    return ranked_board


GOOD = ("good", "####", "####", "###.", "##..", "##..", "#...", "####")
POOR = ("poor", "....", "....", "#...", "#...", "##..", "....", "....")


def test_a_median_has_the_interval_of_order_statistics() -> None:
    made = ranked_by_median(GOOD, POOR)
    scores = [entry.value("typical") for entry in made.ranked_entries]
    assert scores == [75.0, 0.0]
    intervals = [made.inference.interval(entry, "typical") for entry in made.ranked_entries]
    assert [(interval.low, interval.high, interval.kind) for interval in intervals if interval] == [
        (25, 100, "order"),
        (0, 50, "order"),
    ]


def test_five_tasks_give_a_median_no_interval() -> None:
    made = ranked_by_median(GOOD[:6], POOR[:6])
    first = made.ranked_entries[0]
    assert made.inference.interval(first, "typical") is None
    assert made.inference.interval(first, "dataset_score") is not None


def test_no_order_is_tested_and_every_sentence_says_why() -> None:
    made = ranked_by_median(GOOD, POOR)
    assert not made.inference.ranks
    assert neighbours(made) == untested_sentence(made) == f"The order is not tested: {WHY}."
    assert order_basis(made) == f"Ranks in brackets follow the scores alone: {WHY}."


def test_no_pair_is_compared_by_a_median_and_other_columns_are() -> None:
    made = ranked_by_median(GOOD, POOR)
    good, poor = made.ranked_entries
    pairs = HeadToHead(made)
    by_median, by_mean = (pairs.metric_outcome(metric, good, poor) for metric in made.columns)
    assert (by_median, by_mean) == (PairOutcome.MEDIAN, PairOutcome.LIKELY_AHEAD)
    (comparison,) = comparisons(made, good, [poor])
    assert (comparison.difference, comparison.outcome) == (None, PairOutcome.MEDIAN)


def test_leaving_out_a_task_gives_the_median_of_the_others() -> None:
    made = ranked_by_median(GOOD, POOR)
    robustness = Robustness(made)
    effects = {facts.task.id: facts.without.score_change for facts in robustness.tasks}
    assert effects["a"] == -12.5  # 75 is the middle of 7, (75 + 50) / 2 that of the other 6
    assert {facts.item_rest for facts in robustness.tasks} == {None}
    assert robustness.detectable_gaps is None
    assert not smallest_difference(robustness)
    assert rerun_terms(made, made.ranked_entries[0]) is None


def test_a_worked_example_is_the_median_of_its_tasks() -> None:
    made = ranked_by_median(GOOD, POOR)
    example = find_example(made.headline, [made])
    assert example is not None
    assert example.result == example.score.value
