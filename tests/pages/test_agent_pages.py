"""Agents by boards, two boards against each other, and the page of an agent."""

from datetime import date

import pytest
from kit.boards import board, bundle, called, row, table, track, with_agents
from kit.rendered_pages import TEMPLATES
from lxml import html

from sitegen.board.board import Board
from sitegen.models.agents import AgentDirectory
from sitegen.pages.addresses import agent_address
from sitegen.pages.agent_matrix import agent_matrix, agent_results, most_shared_pair
from sitegen.pages.kinds.agents import agent_pages
from sitegen.pages.scatter import HEIGHT, ScatterPoint, name_places, scatter_of

RAW = called("raw", board(bundle("ash", *"########"), bundle("elm", *"........"), rounds=(1,) * 8))
PRINTED = called("printed", board(tables=[table(row("ash-printed", "12.5", name="Ash"), row("oak", "60.0"))]))


def words(element: html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).split())


PAGES = {page.address: page for page in agent_pages([RAW, PRINTED], TEMPLATES)}


def matrix_page(*boards: Board) -> html.HtmlElement:
    page = next(iter(agent_pages(list(boards), TEMPLATES)))
    return html.fromstring(f"<main>{page.content}</main>")


def cells(page: html.HtmlElement, agent: str) -> dict[str, str | None]:
    """Give the value of each cell of an agent by its board."""
    (line,) = page.cssselect(f"tr[data-agent='{agent}']")
    return {cell.get("data-board"): cell.get("data-value") for cell in line.cssselect("td[data-board]")}


def test_an_agent_has_a_page_with_its_rows_on_all_boards_whatever_its_spelling() -> None:
    page = html.fromstring(f"<main>{PAGES['agents/ash/'].content}</main>")
    (answer,) = page.cssselect("h1 [data-answer]")
    assert words(answer) == "ash appears on 2 boards and leads Raw (Main)"
    rows = [[words(cell) for cell in table_row][:3] for table_row in page.cssselect("tbody tr")]
    assert rows == [["Raw, Main", "1 of 2", "100.0"], ["Printed, Main", "(2) of 2", "12.5"]]
    assert [link.get("href") for link in page.cssselect("tbody th a")] == [
        "../../raw/main/ash/",
        "../../printed/main/ash-printed/",
    ]


def test_the_matrix_has_a_row_for_every_agent_that_leads_to_its_page() -> None:
    page = matrix_page(RAW, PRINTED)
    assert [line.get("data-agent") for line in page.cssselect("tbody tr")] == ["ash", "elm", "oak"]
    assert [link.get("href") for link in page.cssselect("tbody th a")] == [
        "../agents/ash/",
        "../agents/elm/",
        "../agents/oak/",
    ]


def test_a_cell_has_the_score_with_all_digits_and_its_ranks_and_a_gap_has_none() -> None:
    page = matrix_page(RAW, PRINTED)
    assert cells(page, "ash") == {"raw/main": "100.0", "printed/main": "12.5"}
    assert cells(page, "oak") == {"raw/main": None, "printed/main": "60.0"}
    (raw, printed) = page.cssselect("tr[data-agent='ash'] td[data-board]")
    assert words(raw) == "100.0 rank 1"
    assert (raw.get("data-first-rank"), raw.get("data-last-rank")) == ("1", "1")
    assert words(printed) == "12.5 rank (2)"
    assert printed.get("data-first-rank") is None
    assert [link.get("href") for link in raw.cssselect("a")] == ["../raw/main/ash/"]


def test_the_answer_counts_agents_and_those_on_several_boards() -> None:
    (answer,) = matrix_page(RAW, PRINTED).cssselect("[data-answer]")
    assert words(answer) == "3 agents on 2 boards; 1 of them appears on more than one"
    (alone,) = matrix_page(RAW).cssselect("[data-answer]")
    assert words(alone) == "2 agents on 1 board"


def test_agents_are_sorted_by_the_first_board_and_those_without_a_score_there_come_last() -> None:
    scores = [bundle("low", "#..."), bundle("high", "####"), bundle("mid", "##..")]
    lead = called("lead", board(*scores, rounds=(4,)))
    other_boards = [PRINTED, called("third", board(tables=[table(row("low-printed", "9.0", name="low"))]))]
    page = matrix_page(*other_boards, lead)
    assert [line.get("data-agent") for line in page.cssselect("tbody tr")] == ["high", "mid", "low", "oak", "Ash"]
    heads = page.cssselect("thead th[data-axis]")
    assert [head.get("data-column") for head in heads] == ["lead/main", "printed/main", "third/main"]
    assert [head.get("aria-sort") for head in heads] == ["descending", "none", "none"]


def test_boards_count_as_coverage() -> None:
    page = matrix_page(RAW, PRINTED)
    counts = {line.get("data-agent"): words(line.cssselect("[data-boards]")[0]) for line in page.cssselect("tbody tr")}
    assert counts == {"ash": "2", "elm": "1", "oak": "1"}


def test_a_withdrawn_board_is_left_out_and_named() -> None:
    facts = {"status": "withdrawn", "reason": "it leaked"}
    withdrawn = called("gone", board(bundle("ash", "##"), on=track(title="Gone", **facts)))
    page = matrix_page(RAW, withdrawn)
    assert set(cells(page, "ash")) == {"raw/main"}
    (note,) = page.cssselect(".sg-foot")
    assert "Withdrawn boards are left out: Gone, Gone." in words(note)


def test_boards_that_are_not_current_are_counted_apart() -> None:
    old = called("old", board(bundle("ash", "##"), on=track(status="legacy", reason="newer tasks")))
    (answer,) = matrix_page(RAW, old, PRINTED).cssselect("[data-answer]")
    assert words(answer).startswith("3 agents on 2 boards and 1 legacy board; ")


def test_the_best_of_several_results_stands_for_an_agent() -> None:
    results = [
        bundle("one", "#.", agent={"name": "Ash", "scaffold": "A"}),
        bundle("two", "##", agent={"name": "Ash", "scaffold": "B"}),
    ]
    page = matrix_page(called("raw", board(*results)))
    assert cells(page, "Ash") == {"raw/main": "100.0"}
    assert "best of 2 results" in words(page.cssselect("td[data-board]")[0])


def test_facts_of_the_directory_are_on_the_matrix_and_on_the_agents_page() -> None:
    facts = {"organization": "Acme", "open_weights": True, "license": "MIT", "released": date(2026, 5, 1)}
    listed = {"name": "Ash", "parameters_b": 1600.0, "source": "https://example.org/ash", **facts}
    directory = AgentDirectory.model_validate({"agents": (listed,)})
    pages = list(agent_pages([with_agents(RAW, directory)], TEMPLATES))
    matrix = html.fromstring(f"<main>{pages[0].content}</main>")
    (line,) = matrix.cssselect("tr[data-agent='Ash']")
    assert line.get("data-open-weights") == "yes"
    assert words(line.cssselect("[data-weights]")[0]) == "open"
    assert words(line.cssselect("[data-released]")[0]) == "2026-05-01"
    (unknown,) = matrix.cssselect("tr[data-agent='elm']")
    assert unknown.get("data-open-weights") is None
    agent = html.fromstring(f"<main>{pages[1].content}</main>")
    (model,) = agent.cssselect("[data-model]")
    assert words(model) == "Acme · open weights · licence MIT · 1,600 billion parameters · released 2026-05-01"
    assert "Model data from https://example.org/ash" in words(agent)


def shared_boards() -> list[Board]:
    """Make three boards: the first and the third are of two benchmarks and share most agents."""
    names = ("ash", "elm", "fir")
    first = called("first", board(*(bundle(name, "#." * 4, "##" * 4) for name in names), rounds=(8, 8)))
    rows = [row(f"{name}-printed", f"{number}.5", name=name) for number, name in enumerate(names, start=10)]
    return [first, PRINTED, called("third", board(tables=[table(*rows)]))]


def test_the_boards_that_share_most_agents_are_drawn_first() -> None:
    boards = shared_boards()
    matrix = agent_matrix(boards, agent_results(boards))
    assert most_shared_pair(matrix) == (0, 2)
    page = matrix_page(*boards)
    (drawn,) = page.cssselect("[data-scatter]")
    assert (drawn.get("data-across"), drawn.get("data-up")) == ("first/main", "third/main")
    assert {point.get("data-point") for point in drawn.cssselect("[data-point]")} == {"ash", "elm", "fir"}
    assert words(drawn.cssselect("[data-scatter-words]")[0]).startswith("3 agents have a score on both boards.")


def test_dots_are_where_the_scores_are() -> None:
    boards = shared_boards()
    matrix = agent_matrix(boards, agent_results(boards))
    scatter = scatter_of(matrix, (0, 2))
    points = {point.name: point for point in scatter.points}
    assert points["ash"].x == pytest.approx(scatter.across.axis.ruler.place(75.0, 100))
    assert points["ash"].y == pytest.approx(HEIGHT - scatter.up.axis.ruler.place(10.5, HEIGHT))
    assert points["ash"].look == "sg-reported"


def dot(name: str, x: float, y: float, line: tuple[float, float] | None = None) -> ScatterPoint:
    """Return a point with a horizontal line, if any."""
    return ScatterPoint(name, "", x, y, line, None, "")


def test_a_name_is_beside_its_dot_and_above_it_if_a_line_is_there() -> None:
    side_position, above = name_places([dot("ash", 20, 50), dot("elm", 50, 200, (40, 60))], (600, 864))
    assert (side_position, above) == ((9, 4, "start"), (0, -9, "middle"))


def test_a_name_has_a_vertical_line_of_its_own_dot_beside_it() -> None:
    (position,) = name_places([dot("ash", 50, 200, (40, 60))._replace(y_interval=(150, 250))], (600, 864))
    assert position == (6, -8, "start")


def test_no_name_is_nearer_to_another_dot_or_on_a_line() -> None:
    """The lower dots of a plot of two boards that share eleven agents."""
    points = [
        dot("Xiaomi-MiMo-V2.5-Pro", 27.8, 270.4, (16.3, 43.2)),
        dot("Qwen3.5-397B-A17B", 20.8, 350.9, (11.0, 35.0)),
        dot("MiniMax-M2.7", 20.8, 356.6, (11.0, 35.0)),
        dot("Doubao-Seed-2.0-Pro", 10.4, 368.0, (3.9, 22.0)),
    ]
    positions = name_places(points, (600, 864))
    assert [position and position.dy for position in positions] == [-9, -9, None, None]


def test_the_outermost_dots_are_named_first() -> None:
    points = [dot("a long name of an agent", 50, 20 + 12 * number, (40, 60)) for number in range(7)]
    named = [position is not None for position in name_places(points, (230, 616))]
    assert (named[0], named[-1]) == (True, True)
    assert not any(named[2:-2])


def test_a_name_without_room_in_a_narrow_window_is_only_shown_in_a_wide_one() -> None:
    long_name = "an agent with a name of over thirty letters"
    names = ("ash", long_name)
    first = called("first", board(*(bundle(name, "#." * 4, "##" * 4) for name in names), rounds=(8, 8)))
    rows = [row("ash-printed", "10.0", name="ash"), row("other-printed", "90.0", name=long_name)]
    page = matrix_page(first, called("third", board(tables=[table(*rows)])))
    looks = {}
    for point in page.cssselect("[data-scatter] [data-point]"):
        looks[point.get("data-point")] = [text.get("class") for text in point.cssselect("text")]
    assert looks == {"ash": [None], long_name: ["sg-wide-name"]}


def test_boards_without_shared_agents_are_not_drawn() -> None:
    assert matrix_page(RAW, PRINTED).cssselect("[data-scatter]") == []
    assert matrix_page(RAW).cssselect("[data-scatter]") == []


def test_a_site_without_results_says_so() -> None:
    page = matrix_page(called("empty", board()))
    assert "No submissions yet" in words(page)
    assert page.cssselect("[data-answer]") == []


def test_names_that_may_tell_agents_apart_have_addresses_of_their_own() -> None:
    assert agent_address("GLM 5.2") == agent_address("glm-5.2") == "agents/glm-5-2/"
    distinct_names = ("con", "x" * 200, "x" * 199, "Qwen3", "Qwen3+", "智谱 3", "模型 3", "智谱", "模型")
    assert len({agent_address(name) for name in distinct_names}) == len(distinct_names)
    assert max(len(agent_address(name)) for name in distinct_names) < 100
