"""A submission beside every other row of its board: what is said of each pair alone, and of all pairs at once."""

from types import SimpleNamespace

import pytest
from kit.boards import board, bundle, entry_of, row, table, track

from sitegen.board.board import Board
from sitegen.board.inference.comparison import comparisons
from sitegen.pages.rivals import rivals_of

HALF = ["#.", "##"] * 4
MIXED = board(
    bundle("best", *["##"] * 8),
    bundle("near", *HALF),
    bundle("last", *[".."] * 8),
    rounds=(2,) * 8,
    tables=[table(row("theirs", "10.0"))],
)


def rivals(made: Board, name: str) -> dict[str, SimpleNamespace]:
    """Give the other rows by their agents."""
    rivals = rivals_of(made, entry_of(made, name))
    assert rivals
    return {row["agent"]: SimpleNamespace(**row) for row in rivals["rows"]}


def test_a_pair_alone_is_likely_ahead_or_cannot_be_told() -> None:
    """Of eight differences four are 50 and four are 0: the mean is 25, its standard error 9.4, and t 2.36."""
    near = rivals(MIXED, "best")["near"]
    assert (near.order_text, near.difference, near.interval, near.p) == (
        "likely ahead",
        "+25.0",
        "2.7 to 52.4",
        "0.033",
    )
    back = rivals(MIXED, "near")["best"]
    assert (back.order_text, back.difference, back.interval, back.p) == (
        "likely behind",
        "−25.0",
        "−52.4 to −2.7",
        "0.033",
    )


@pytest.mark.parametrize(
    ("attempts", "rule"), [(1, ""), (2, "A round counts as passed if the first attempt passes it.")]
)
def test_which_attempt_counts_is_told_where_there_are_several(attempts: int, rule: str) -> None:
    made = board(bundle("best", "##"), bundle("last", ".."), on=track(attempts=attempts))
    rivals = rivals_of(made, entry_of(made, "best"))
    assert rivals
    assert rivals["rule"] == rule


def test_as_one_of_all_pairs_it_takes_more() -> None:
    """Every pair could have been the one that stands out by chance."""
    assert {name: rival.on_board for name, rival in rivals(MIXED, "best").items()} == {
        "near": "cannot tell",
        "last": "ahead",
    }
    assert rivals(MIXED, "last")["best"].on_board == "behind"


def test_it_is_said_how_many_tasks_would_tell() -> None:
    """A difference of 25 beside a standard deviation of 26.7 takes twelve."""
    assert rivals(MIXED, "best")["near"].tasks == "12"


def test_a_published_row_is_not_compared_with_submissions() -> None:
    assert "theirs" not in rivals(MIXED, "best")


@pytest.mark.parametrize("name", ["best", "near", "last"])
def test_no_word_is_stronger_than_what_is_shown(name: str) -> None:
    """The words of a pair alone and of all pairs are those of the board, whichever row they are said of."""
    entry = entry_of(MIXED, name)
    pair_comparisons = comparisons(
        MIXED, entry, [other_entry for other_entry in MIXED.ranked_entries if other_entry is not entry]
    )
    for comparison in pair_comparisons:
        rival = rivals(MIXED, name)[comparison.second.agent.name]
        assert rival.on_board == MIXED.inference.pair_order(entry, comparison.second)
        assert rival.order_text.removeprefix("likely ") == comparison.alone.order
