"""A board's table says all that scripts sort, filter and export, and is complete without them."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from kit.boards import board, bundle, called, claims, entry_of, row, table, track
from kit.rendered_pages import board_page
from kit.result_grids import records
from lxml import html

from sitegen.board.board import Board
from sitegen.charts.chart import AxisScale
from sitegen.charts.layout import from_zero
from sitegen.metrics.intervals import Interval
from sitegen.models.declared import COLUMNS
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.pages.environment import Templates
from sitegen.pages.score_axis import ONLY, REPORTED, ScoreAxis, ScoreStrip
from sitegen.pages.standings import ScoreCell, split_key, standings_of

TEMPLATES = Templates(Path(__file__).parents[2] / "templates" / "pages")


def page(made: Board) -> html.HtmlElement:
    return html.fromstring(board_page(made, TEMPLATES).content)


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def test_a_board_without_agents_is_named_with_its_benchmark_and_has_no_empty_section() -> None:
    made = page(board())
    assert words(made.cssselect("h1")[0]) == "Mini, Main"
    assert "About this board" not in words(made)
    assert words(page(board(bundle("ours", "##"))).cssselect("#about h2")[0]) == "About this board"


def withdrawn(name: str, *marks: str, found: Sequence[RoundResult] = ()) -> Bundle:
    """Make a submission that does not stand any more."""
    return bundle(name, *marks, found=found, status={"state": "withdrawn", "by": "acme", "reason": "leak"})


def rows(made: Board) -> dict[str, html.HtmlElement]:
    """Give the rows of a board's table by their ids, in order."""
    return {
        table_row.get("data-submission"): table_row
        for table_row in page(made).cssselect("table[data-board] tr[data-submission]")
    }


def test_a_row_states_what_it_is_filtered_by() -> None:
    agent = {
        "name": "Acme-1",
        "organization": "Acme & Co",
        "scaffold": "loop",
        "open_weights": True,
        "parameters_b": 70.5,
    }
    shown = rows(board(bundle("one", "#.", agent=agent)))["one"]
    assert {name: shown.get(f"data-{name}") for name in ("organization", "scaffold", "open-weights", "status")} == {
        "organization": "Acme & Co",
        "scaffold": "loop",
        "open-weights": "yes",
        "status": "published",
    }
    assert shown.get("data-parameters") == "70.5"
    assert (shown.get("data-evidence"), shown.get("data-date")) == ("recomputed", "2026-06-25")


def test_what_is_not_known_is_not_stated() -> None:
    """A row whose weights are not known is none of those without open weights."""
    shown = rows(board(bundle("one", "#.")))["one"]
    assert not {"data-parameters", "data-open-weights", "data-organization", "data-scaffold", "data-reasoning"} & set(
        shown.keys()
    )


def test_every_head_names_its_column_and_has_one_control() -> None:
    heads = page(board(bundle("one", "#."))).cssselect("table[data-board] thead th")
    assert [head.get("data-column") for head in heads] == ["rank", "agent", "dataset_score"]
    assert [len(head.cssselect("button, a, input, select")) for head in heads] == [1] * len(heads)
    assert all(head.get("aria-sort") in {"none", "ascending", "descending"} for head in heads)


def test_dates_are_a_column_where_they_differ() -> None:
    """A column that says the same of every row says nothing."""
    made = board(bundle("one", "#."), bundle("two", "##", date=date(2026, 7, 1)))
    dates = [row.find("td[@class='sg-text sg-date']") for row in rows(made).values()]
    assert [cell.get("data-value") for cell in dates] == ["2026-07-01", "2026-06-25"]
    standings = standings_of(board(bundle("one", "#."), bundle("two", "##")))
    assert "date" not in {column.head.key for column in standings.columns}


def test_a_withdrawn_row_is_there_for_those_who_ask() -> None:
    """It stands where its score would be, so that the order holds whether it is shown or not."""
    made = board(bundle("best", "##"), withdrawn("gone", "#."), bundle("last", ".."))
    shown = rows(made)
    assert list(shown) == ["best", "gone", "last"]
    assert [table_row.get("hidden") is not None for table_row in shown.values()] == [False, True, False]
    assert shown["gone"].find("td[@class='sg-rank']").get("data-value") == ""
    assert "sg-retired-row" in shown["gone"].get("class")


def test_its_link_leads_to_the_list_below_the_board() -> None:
    """A link to a row outlives its withdrawal, without scripts too."""
    (target,) = page(board(bundle("best", "##"), withdrawn("gone", "#."))).cssselect("#gone")
    assert target.tag == "li"
    assert "leak" in target.text_content()


def test_where_low_is_better_a_withdrawn_row_stands_in_that_order() -> None:
    calls = track(headline="avg_rounds", columns=("avg_rounds",))
    many_calls, few_calls = (records("a", "##", interactions=number) for number in (9, 3))
    made = board(bundle("many", found=many_calls), withdrawn("few", found=few_calls), on=calls)
    assert list(rows(made)) == ["few", "many"]


def test_a_board_of_withdrawn_rows_only_says_that_nothing_stands() -> None:
    made = board(withdrawn("gone", "#."))
    assert (
        "All submissions were withdrawn or superseded."
        in page(made).cssselect("table[data-board] tbody")[0].text_content()
    )


def ranks(made: Board) -> list[str]:
    """Tell the ranks that rows may have, from top to bottom."""
    return [words(row.find("td[@class='sg-rank']")) for row in rows(made).values()]


def test_a_row_shows_the_ranks_that_it_may_have() -> None:
    """Below all that are shown to be better, above all that are shown to be worse."""
    half = bundle("half", *["##", ".."] * 4)
    made = board(bundle("best", *["##"] * 8), half, bundle("last", *[".."] * 8), rounds=(2,) * 8)
    assert ranks(made) == ["1–2", "1–3", "2–3"]
    assert [row.find("td[@class='sg-rank']").get("data-value") for row in rows(made).values()] == ["1", "2", "3"]


def test_a_rank_that_nothing_supports_stands_in_brackets() -> None:
    assert ranks(board(tables=(table(row("a", "60.0"), row("b", "40.0")),))) == ["(1)", "(2)"]


def drawn(made: Board) -> dict[str, ScoreStrip]:
    """Give what is drawn of each row's score on the axis that all share."""
    strips_by_row = {
        row.entry.id: [cell.drawn for cell in row.cells if isinstance(cell, ScoreCell)]
        for row in standings_of(made).rows
    }
    return {name: cells[0] for name, cells in strips_by_row.items() if cells[0]}


def test_scores_and_their_intervals_stand_on_one_axis_from_0() -> None:
    half = bundle("half", *["##", ".."] * 4)
    made = board(bundle("best", *["##"] * 8), half, bundle("none", *[".."] * 8), rounds=(2,) * 8)
    assert [score_strip.at for score_strip in drawn(made).values()] == ["100.00%", "50.00%", "0.00%"]
    middle = drawn(made)["half"]
    interval = made.inference.interval(entry_of(made, "half"), "dataset_score")
    assert interval
    ends = f"{interval.low:.2f}%", f"{interval.high - interval.low:.2f}%", f"{interval.high:.2f}%"
    assert middle[1:5] == ("50.00%", *ends)
    assert middle.interval_text == (f"{interval.low:.1f} to {interval.high:.1f}" if middle.side else "")


def test_the_axis_is_marked_in_even_steps() -> None:
    shown = standings_of(board(bundle("one", "##"), bundle("two", "..")))
    (head,) = [column.head for column in shown.columns if column.head.axis]
    assert head.key == "dataset_score"
    assert head.axis
    assert [text for _, text, _ in head.axis.ticks] == ["0", "20", "40", "60", "80", "100"]
    assert [at for at, _, _ in head.axis.ticks] == [f"{at}.00%" for at in range(0, 101, 20)]


def test_a_rank_that_is_one_place_is_drawn_stronger_and_a_reported_score_hollow() -> None:
    sure = board(bundle("best", *["##"] * 8), bundle("last", *[".."] * 8), rounds=(2,) * 8)
    assert {score_strip.look for score_strip in drawn(sure).values()} == {ONLY}
    printed = drawn(board(tables=(table(row("a", "60.0"), row("b", "40.0")),)))
    assert {printed_strip.look for printed_strip in printed.values()} == {REPORTED}


def test_a_score_without_a_value_is_not_drawn() -> None:
    calls = track(headline="avg_rounds", columns=("avg_rounds",))
    made = board(bundle("known", found=records("a", "##", interactions=3)), bundle("gap", "##"), on=calls)
    assert list(drawn(made)) == ["known"]


def test_what_rows_share_is_said_above_the_table_and_not_in_it() -> None:
    agents = [
        {"name": name, "scaffold": "loop", "reasoning": reasoning} for name, reasoning in (("A", "high"), ("B", "low"))
    ]
    shown = page(board(*(bundle(agent["name"].lower(), "#.", agent=agent) for agent in agents)))
    (line,) = shown.cssselect(".sg-line-facts")
    assert words(line) == "2 agents 1 task 2 rounds 1 attempt per task loop recomputed 2026-06-25"
    assert [words(note) for note in shown.cssselect(".sg-agent .sg-about")] == ["high", "low"]


def test_a_claim_that_is_not_the_score_stands_in_a_column_beside_it() -> None:
    bundle_one, two = (
        bundle(name, "##", "..", claims=claims("README", dataset_score="51.0")) for name in ("one", "two")
    )
    made = board(bundle_one, two, rounds=(2, 2))
    assert [words(row.cssselect(".sg-claimed")[0]) for row in rows(made).values()] == ["51.0", "51.0"]
    assert not page(made).cssselect(".sg-headline .sg-claim")
    (head,) = page(made).cssselect("th[data-column=claimed]")
    assert head.get("title") == "Dataset Score as published by README"
    assert not page(board(bundle("one", "#."))).cssselect("th[data-column=claimed]")


def test_a_split_is_named_by_its_value_and_not_by_its_place() -> None:
    assert split_key("domain", "ML & Data") == "domain.ml-data"
    assert split_key("style", "new") == "style.new"


def test_rows_are_compared_where_there_are_two() -> None:
    (two,) = page(board(bundle("one", "#."), bundle("two", "##"))).cssselect("table[data-board]")
    (single_table,) = page(board(bundle("one", "#."))).cssselect("table[data-board]")
    assert (two.get("data-compare"), single_table.get("data-compare")) == ("../../mini/main/compare/", None)


def test_the_whole_board_is_linked_as_files() -> None:
    hrefs = [link.get("href") for link in page(board(bundle("one", "#."))).cssselect(".sg-line a[data-export]")]
    assert set(hrefs) == {"../../api/v1/mini/main.csv", "../../api/v1/mini/main.json"}


def test_columns_that_a_track_hides_are_left_out_of_its_table() -> None:
    rows = (bundle("ours", "##", "#."), bundle("other", "##", date=date(2026, 6, 26)))
    made = [board(*rows, on=on, rounds=(2, 2)) for on in (None, track(hide=("coverage", "date")))]
    keys = [{column.head.key for column in standings_of(made_board).columns} for made_board in made]
    assert keys[0] - keys[1] == {"coverage", "date"}


def test_no_metric_can_be_called_as_a_column_that_every_board_may_have() -> None:
    of_figures = table(row("printed"), date=date(2026, 1, 1))
    of_bundle = bundle("ours", "##", "..", claims=claims("README", dataset_score="51.0"))
    shown = {column.head.key for column in standings_of(board(of_bundle, tables=[of_figures], rounds=(2, 2))).columns}
    assert len(shown) > 5
    assert shown - COLUMNS == {"dataset_score"}


def test_coverage_is_told_in_the_benchmark_s_word_for_rounds() -> None:
    made = board(bundle("ours", "##", "#."), bundle("other", "##"), rounds=(2, 2))
    for round_name in ("Round", "Checkpoint"):
        (head,) = page(called("mini", made, round_name=round_name)).cssselect("th[data-column=coverage]")
        assert head.get("title") == f"{round_name}s with a record, out of all {round_name.lower()}s of the track"


def test_a_rank_says_how_many_agents_are_shown_to_be_better_and_worse() -> None:
    half = bundle("half", *["##", ".."] * 4)
    made = board(bundle("best", *["##"] * 8), half, bundle("last", *[".."] * 8), rounds=(2,) * 8)
    cells = [row.cssselect("td.sg-rank")[0] for row in rows(made).values()]
    assert [cell.get("title") for cell in cells] == [
        "no agent is shown to be better, 1 to be worse",
        "no agent is shown to be better or worse",
        "1 agent is shown to be better, none to be worse",
    ]
    assert {cell.get("tabindex") for cell in cells} == {"0"}
    (foot,) = page(made).cssselect(".sg-foot")
    assert "Rank 1–2: no agent is shown to be better, 1 to be worse." in words(foot)


def test_a_rank_in_brackets_says_that_the_order_is_not_tested() -> None:
    made = board(tables=(table(row("a", "60.0"), row("b", "40.0")),))
    titles = [row.cssselect("td.sg-rank")[0].get("title") for row in rows(made).values()]
    assert titles == ["by score alone; the order is not tested"] * 2


def test_the_evidence_of_a_row_has_its_mark_beside_the_name() -> None:
    made = board(bundle("one", "#."), tables=(table(row("two", "60.0")),))
    marks = {name: table_row.cssselect("th.sg-agent .sg-tier")[0] for name, table_row in rows(made).items()}
    titles = {name: (mark.get("data-mark"), mark.get("title")) for name, mark in marks.items()}
    assert titles == {"one": ("◑", "recomputed, not verified"), "two": ("○", "reported, not recomputed")}


@pytest.mark.parametrize(
    ("low", "high", "side"),
    [(10, 40, "end"), (40, 74, "start"), (20, 75, "end"), (24, 75, "end"), (10, 90, ""), (35, 95, "start")],
)
def test_an_interval_in_words_is_where_a_phone_has_room(low: float, high: float, side: str) -> None:
    axis = ScoreAxis("axis", from_zero(AxisScale("Score", 100.0), [100.0]))
    drawn = axis.strip("", (low + high) / 2, Interval(low, high), "", f"{low} to {high}")
    assert (drawn.side, bool(drawn.interval_text)) == (side, bool(side))


@pytest.mark.parametrize(
    ("marks", "note"),
    [
        ("#" * 15 + "....x", "no verdict in 1 of 20 rounds; they count as failed"),
        ("#" * 15 + ".....x", None),
        ("....", None),
    ],
)
def test_a_row_says_how_many_of_its_results_have_no_verdict(marks: str, note: str | None) -> None:
    shown = rows(board(bundle("one", marks), rounds=(len(marks),)))["one"]
    assert [words(about) for about in shown.cssselect("[data-unscored]")] == [note] * bool(note)
