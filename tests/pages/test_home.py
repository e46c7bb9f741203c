"""The home page: the board that leads with its whole ranking, what was counted again, and the other boards."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from kit.boards import board, bundle, called, claims, row, table, track
from kit.rendered_pages import TEMPLATES
from lxml import html

from sitegen.board import Board, make_boards
from sitegen.board.history.ledger import make_ledger
from sitegen.board.history.releases import lock_boards
from sitegen.pages.kinds.authored import changelog_part
from sitegen.pages.kinds.home import home_parts
from sitegen.pages.lead import lead_of
from sitegen.pages.site import SiteContent
from sitegen.problems import UsageError

EIGHT = (1,) * 8


RAW = called("raw", board(bundle("ash", *"########"), bundle("elm", *"........"), rounds=EIGHT))
PRINTED = called("printed", board(tables=[table(*(row(f"oak-{number}", f"{60 - number}.0") for number in range(8)))]))
MADE_UP = called("made-up", board(*(bundle(name, "##") for name in ("a", "b", "c"))), simulated=True)
EMPTY = called("empty", board())


def home(*boards: Board, releases: Sequence[date] = ()) -> html.HtmlElement:
    """Read the home page of some boards, its heading first."""
    locked = [lock_boards([[board] for board in boards], {}, day, "", "1.0") for day in releases]
    site_content = SiteContent(make_ledger(locked, [[board] for board in boards], "1.0"), {}, ())
    contents_by_slot = {fragment.slot: fragment.content for fragment in home_parts(site_content, TEMPLATES)}
    return html.fromstring(f"<main>{contents_by_slot.get('title', '')}{contents_by_slot['boards']}</main>")


def words(element: html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).split())


def ranking(page: html.HtmlElement, name: str) -> list[list[str]]:
    rows = page.cssselect(f"table[data-ranking='{name}/main'] tbody tr")
    return [[words(cell) for cell in row][:3] for row in rows]


def test_rows_of_one_name_enter_by_their_scaffolds() -> None:
    rows = (row(name, name="oak", scaffold=scaffold) for name, scaffold in (("a", "Saw"), ("b", "Axe"), ("c", None)))
    made = board(tables=[table(*rows)])
    (fragment,) = changelog_part(SiteContent(make_ledger([], [[made]], "1.0"), {}, ()), TEMPLATES)
    assert (
        words(html.fromstring(fragment.content).cssselect("p")[0])
        == "Published scores on Mini, Main: oak (Saw), oak (Axe), oak"
    )


def test_the_page_says_who_leads_and_shows_the_whole_ranking() -> None:
    page = home(PRINTED, RAW)
    (answer,) = page.cssselect("h1 [data-answer]")
    assert words(answer) == "ash leads with 100.0; elm follows with 0.0"
    assert ranking(page, "raw") == [["1", "ash", "100.0"], ["2", "elm", "0.0"]]
    assert [ranking_table.get("data-ranking") for ranking_table in page.cssselect("table")] == [
        "raw/main",
        "printed/main",
    ]
    assert [ranking_row.get("data-submission") for ranking_row in page.cssselect("table")[0].cssselect("tr")[1:]] == [
        "ash",
        "elm",
    ]


def test_every_row_is_drawn_on_one_axis_with_its_interval_in_words() -> None:
    (table_,) = home(RAW).cssselect("table")
    drawn = table_.cssselect("tbody svg")
    assert [drawing.get("aria-label") for drawing in drawn] == [
        "100.0, 95 % interval 63.1 to 100.0",
        "0.0, 95 % interval 0.0 to 36.9",
    ]
    assert [svg.cssselect("circle")[-1].get("cx") for svg in drawn] == ["100.00%", "0.00%"]
    (grid,) = table_.cssselect("thead g")
    assert {use_element.get("href") for use_element in table_.cssselect("use")} == {f"#{grid.get('id')}"}


def test_six_rows_of_another_board_are_shown_and_the_others_counted() -> None:
    page = home(PRINTED, RAW)
    assert len(ranking(page, "printed")) == 6
    assert "2 more on the board" in words(page)
    assert len(page.cssselect("table[data-ranking='printed/main'] .sg-reported")) == 6
    assert not page.cssselect("table[data-ranking='raw/main'] .sg-reported")
    assert "Hollow dots: reported by the source, not recomputed here." in words(page)


def test_simulated_data_never_leads() -> None:
    page = home(MADE_UP, PRINTED)
    assert page.cssselect("table")[0].get("data-ranking") == "printed/main"
    alone = home(MADE_UP)
    assert alone.cssselect("[data-answer], .sg-lead-board table") == []
    assert "Simulated data." in words(alone)
    assert len(ranking(alone, "made-up")) == 3


def test_boards_of_one_group_stand_together_with_ways_to_all_of_it() -> None:
    page = home(
        *(called(grouped_board.benchmark.id, grouped_board, group="Long Work") for grouped_board in (RAW, PRINTED)),
        MADE_UP,
    )
    (section,) = page.cssselect("#more")
    order = [(heading.tag, words(heading)) for heading in section.cssselect("h3, h4")]
    assert [(tag, text.split(",")[0]) for tag, text in order] == [
        ("h3", "Made-Up"),
        ("h3", "Long Work"),
        ("h4", "Printed"),
    ]
    (group,) = section.cssselect("#group-long-work + ul")
    assert [link.get("href") for link in group.cssselect("a")] == ["./raw/", "./printed/"]
    assert RAW.benchmark.group_anchor == ""


def test_a_board_without_a_row_asks_for_one() -> None:
    page = home(EMPTY)
    assert "No submissions yet. How to submit" in words(page)
    assert page.cssselect("table") == []


def test_the_board_of_most_recomputed_rows_leads_unless_the_settings_name_one() -> None:
    boards = [PRINTED, MADE_UP, RAW, EMPTY]
    assert lead_of(boards, "") is RAW
    assert lead_of(boards, "printed/main") is PRINTED
    assert lead_of([PRINTED, EMPTY], "") is PRINTED
    assert lead_of([MADE_UP, EMPTY], "") is None


def test_an_earlier_version_leads_until_the_new_one_has_ranks() -> None:
    legacy = track(status="legacy", reason="Broken tasks.", superseded_by="main-2")
    later = track(id="main-2", title="Main 2", replaces="main", changed=("b",))
    results = board(bundle("ash", "##", "##"), bundle("elm", "..", ".."), rounds=(2, 2)).results
    benchmark = results.benchmark.model_copy(update={"tracks": (legacy, later)})
    waiting = bundle("ash-2", "##", track="main-2", missing=("b",))
    boards = make_boards(replace(results, benchmark=benchmark, bundles=(*results.bundles, waiting)))
    assert lead_of(boards, "") is boards[0]
    assert lead_of(boards, "mini/main") is boards[0]
    notice = words(home(*boards).cssselect(".sg-lead-board .sg-notice")[0])
    assert notice == "This track is legacy: Broken tasks. See Main 2 instead."
    ranked = bundle("ash-2", "##", "##", track="main-2")
    boards = make_boards(replace(results, benchmark=benchmark, bundles=(*results.bundles, ranked)))
    assert lead_of(boards, "") is boards[1]


@pytest.mark.parametrize(
    ("named", "expected_message"),
    [
        ("raw/other", "raw/other, which is not a board of these results; use one of: printed/main, raw/main"),
        ("made-up/main", "made-up/main, which is simulated, and simulated data never leads"),
    ],
)
def test_a_lead_that_is_none_is_told_with_those_that_there_are(named: str, expected_message: str) -> None:
    with pytest.raises(UsageError, match=expected_message):
        lead_of([PRINTED, MADE_UP, RAW], named)


@pytest.mark.parametrize(
    ("claimed", "expected_number"),
    [
        ("75.0", ("2 of 2", "published Dataset Score values agree with the recomputed scores")),
        ("70.0", ("2 of 2", "published Dataset Score values differ from the recomputed scores; both are shown")),
    ],
)
def test_what_was_counted_again_is_told(claimed: str, expected_number: tuple[str, str]) -> None:
    printed = {"source": "A paper", "dataset_score": claimed}
    made = board(*(bundle(name, "##", "#.", claims=claims(**printed)) for name in "xy"), rounds=(2, 2))
    page = home(made)
    shown_numbers = [(words(element[1]), words(element[0])) for element in page.cssselect(".sg-numbers > div")]
    assert shown_numbers[0] == ("8", "verdicts recomputed, one per round of every run")
    assert expected_number in shown_numbers


def test_published_values_over_other_tasks_are_not_said_to_differ() -> None:
    printed = {"source": "A paper", "dataset_score": "70.0"}
    stated = {**claims(**printed), "tasks": 3}
    made = board(*(bundle(name, "##", "#.", claims=stated) for name in "xy"), rounds=(2, 2))
    labels_by_number = {words(element[1]): words(element[0]) for element in home(made).cssselect(".sg-numbers > div")}
    expected = "published Dataset Score values cover 3 tasks and the recomputed ones 2"
    assert labels_by_number["2"] == f"{expected}, so the two are not comparable; both are shown"


def test_ranks_that_are_one_rank_are_counted() -> None:
    numbers_by_label = {words(element[0]): words(element[1]) for element in home(RAW).cssselect(".sg-numbers > div")}
    assert numbers_by_label["agents with a single rank"] == "2 of 2"


def test_what_is_new_is_what_releases_changed_the_latest_first() -> None:
    day = date(2026, 7, 1)
    page = home(RAW, releases=[day])
    (item,) = page.cssselect(".sg-news li")
    assert words(item) == "2026-07-01First release: 2 agents are new on Raw (Main)."
    assert item.cssselect("a")[0].get("href") == "./changelog/2026-07-01/"
    assert home(RAW).cssselect(".sg-news") == []


def test_news_of_a_release_begin_with_withdrawals_and_leave_out_boards_without_agents() -> None:
    withdrawn = called("gone", board(bundle("ash", "##"), on=track(title="Gone", status="withdrawn", reason="a leak")))
    newcomer = called("new", board(bundle("ash", "##")))
    first = lock_boards([[RAW]], {}, date(2026, 7, 1), "", "1.0")
    boards = [[RAW], [newcomer], [EMPTY], [withdrawn]]
    second = lock_boards(boards, {}, date(2026, 8, 1), "", "1.0")
    content = SiteContent(make_ledger([first, second], boards, "1.0"), {}, ())
    contents_by_slot = {fragment.slot: fragment.content for fragment in home_parts(content, TEMPLATES)}
    news = [words(item) for item in html.fromstring(contents_by_slot["boards"]).cssselect(".sg-news li")]
    assert "withdrawn" in news[0]
    assert not [item for item in news if "no agents yet" in item]
