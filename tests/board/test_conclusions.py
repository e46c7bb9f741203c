"""What findings concern on a board, and which of its conclusions they changed."""

from dataclasses import replace
from datetime import date

import pytest
from kit.boards import board, bundle, track
from kit.findings import finding, with_findings

from sitegen.board.history.changes import compare_without
from sitegen.board.history.differences import Difference
from sitegen.board.making import make_boards
from sitegen.models.finding import finding_ids
from sitegen.models.results import BenchmarkResults

TWO = board(bundle("ada", "##.#"), bundle("bob", "####"), bundle("cyd", "#..."), rounds=(4,))
ROUND = finding("Round 3 is odd", effect="exclude", tasks=("a",), rounds=(3,))
LEAK = finding("Bob peeked", effect="zero", tasks=("a",), rounds=(1, 2), submissions=("bob",))


def test_a_finding_says_which_scores_ranks_and_best_scores_changed() -> None:
    finding_effects = compare_without(with_findings(TWO, LEAK), LEAK)
    assert finding_effects
    assert [(turn.id, turn.rank) for turn in finding_effects.moved] == [
        ("ada", Difference("rank", 2, 1)),
        ("bob", Difference("rank", 1, 2)),
    ]
    assert [turn.score for turn in finding_effects.effects] == [None, Difference("dataset_score", 100, 50)]
    assert (finding_effects.scored, finding_effects.rows, finding_effects.highest) == (1, 3, (["bob"], ["ada"]))


def test_a_finding_is_told_by_itself_beside_others() -> None:
    """Each against the board with all findings but this one."""
    made = with_findings(TWO, LEAK, ROUND)
    finding_effects = compare_without(made, ROUND)
    assert finding_effects
    changed = {turn.id: (turn.score.before, turn.score.after) for turn in finding_effects.effects if turn.score}
    assert changed["ada"] == (75, 100)
    assert changed["bob"] == pytest.approx((50, 100 / 3))
    assert changed["cyd"] == pytest.approx((25, 100 / 3))


def test_a_note_changes_no_conclusion() -> None:
    note = finding("odd", tasks=("a",))
    assert compare_without(with_findings(TWO, note), note) is None


def test_the_ranks_that_a_row_may_have_are_a_conclusion() -> None:
    """Where a rank by score stays, it may become unsure: without round 3 nothing tells the two apart."""
    long_board = board(
        *(bundle(name, *[marks] * 8) for name, marks in (("ada", "####"), ("bob", "##.#"))), rounds=(4,) * 8
    )
    odd = finding("odd", effect="exclude", rounds=(3,))
    finding_effects = compare_without(with_findings(long_board, odd), odd)
    assert finding_effects
    assert [(turn.id, turn.rank) for turn in finding_effects.moved] == [("bob", Difference("rank", 2, 1))]
    assert [(turn.id, turn.possible) for turn in finding_effects.reconsidered] == [
        ("ada", Difference("possible ranks", "1", "1-2"))
    ]
    assert finding_effects.highest == (["ada"], ["ada", "bob"])


MARKS = with_findings(
    board(bundle("ada", "##", "##"), bundle("bob", "##", "##"), rounds=(2, 2)),
    finding("everything"),
    finding("round", tasks=("a",), rounds=(2,)),
    finding("task of bob", tasks=("b",), submissions=("bob",)),
    finding("zero of ada", effect="zero", submissions=("ada",)),
    finding("gone", effect="withdraw", submissions=("bob",)),
    finding("waiver", kind="waiver", code="X-Y", tasks=("a",)),
).findings


@pytest.mark.parametrize(
    ("row", "task", "number", "titles"),
    [
        ("ada", "a", 1, ["zero of ada"]),
        ("ada", "a", 2, ["round", "zero of ada"]),
        ("bob", "a", 1, []),
        ("bob", "a", 2, ["round"]),
        ("bob", "b", 1, ["task of bob"]),
    ],
)
def test_a_round_is_marked_by_findings_that_name_it_or_change_it(
    row: str, task: str, number: int, titles: list[str]
) -> None:
    assert [mark.finding.title for mark in MARKS.on_round(row, task, number)] == titles


def test_a_row_is_marked_by_findings_that_name_it() -> None:
    assert [mark.finding.title for mark in MARKS.on_row("bob")] == ["task of bob", "gone"]
    assert len(MARKS.about_row("bob")) == 5


def test_a_board_has_the_findings_about_its_own_track() -> None:
    """By their tracks, their submissions and their tasks."""
    base_results = board(bundle("ada", "##"), on=track()).results
    tracks = (*base_results.benchmark.tracks, track(id="other"))
    results: BenchmarkResults = replace(
        base_results,
        benchmark=base_results.benchmark.model_copy(update={"tracks": tracks}),
        bundles=(*base_results.bundles, bundle("bob", "##", track="other")),
        findings=(
            finding("all"),
            finding("main", tracks=("main",)),
            finding("bob", submissions=("bob",)),
            finding("other task", tasks=("z",)),
        ),
    )
    titles = [[mark.finding.title for mark in made.findings.all] for made in make_boards(results)]
    assert titles == [["all", "main"], ["all", "bob"]]


def test_a_finding_is_named_by_its_date_and_title() -> None:
    assert finding_ids([finding("A round's cases, ~40 %"), finding("x", id="mine")]) == (
        "2026-07-01-a-round-s-cases-40",
        "mine",
    )


def test_findings_of_one_date_and_title_are_told_apart_by_their_scope() -> None:
    """So their names outlive a third that comes between them."""
    first_finding, two = finding("odd", tasks=("a",)), finding("odd", tasks=("b",))
    first, second = finding_ids([first_finding, two])
    assert first != second
    assert finding_ids([first_finding, finding("odd", tasks=("c",)), two])[::2] == (first, second)
    assert len({*finding_ids([first_finding, first_finding, finding("odd", date=date(2026, 7, 2))])}) == 3
