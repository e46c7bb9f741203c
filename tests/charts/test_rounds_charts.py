"""How the rounds of a track went, as charts."""

from boards import board, bundle, row, table, track
from grids import records

from sitegen.charts.chart import Chart
from sitegen.charts.panel import Courses
from sitegen.charts.rounds import rounds_chart


def courses(chart: Chart | None) -> dict[str, Courses]:
    assert chart
    return {panel.title: panel for panel in chart.panels if isinstance(panel, Courses)}


def values(panel: Courses) -> list[list[float | None]]:
    return [[stop.value if stop else None for stop in course.stops] for course in panel.courses]


def test_the_pass_rate_goes_from_round_to_round() -> None:
    shown = courses(rounds_chart(board(bundle("a", "##."), bundle("b", "#.."), rounds=(3,))))
    panel = shown["Pass rate by round"]
    assert (panel.steps, values(panel)) == (["1", "2", "3"], [[100.0, 50.0, 0.0]])


def test_a_share_says_what_it_is_a_share_of() -> None:
    shown = courses(rounds_chart(board(bundle("a", "##."), bundle("b", "#.."), rounds=(3,))))
    (course,) = shown["Pass rate by round"].courses
    assert [stop.text for stop in course.stops if stop] == ["100.0 %, 2 of 2", "50.0 %, 1 of 2", "0.0 %, 0 of 2"]


def test_the_sentence_says_where_it_begins_and_ends() -> None:
    chart = rounds_chart(board(bundle("a", "##."), bundle("b", "#.."), rounds=(3,)))
    assert chart
    assert "Pass rate by round, 1 to 3: 100.0 % to 0.0 %." in chart.sentence


def test_rounds_from_the_reference_state_go_beside_the_agents_own() -> None:
    relay = track(protocol="fail-stop", reference_rounds=True, headline="mt_at_k", columns=("mt_at_k", "sr"))
    made = board(bundle("a", "#.-", found=records("a", "#.#", start="reference")), on=relay, rounds=(3,))
    panel = courses(rounds_chart(made))["SR against MT@1 by round"]
    assert [course.name for course in panel.courses] == ["MT@1", "SR"]
    assert values(panel) == [[100.0, 0.0, 0.0], [100.0, 0.0, 100.0]]


def test_first_failures_are_parts_of_one_whole() -> None:
    made = board(bundle("a", "#....", "....."), bundle("b", "####.", "....."), rounds=(5, 5))
    panel = courses(rounds_chart(made))["Where the first failure comes"]
    assert panel.is_whole
    assert values(panel) == [[50.0, 25.0, 0.0, 0.0, 25.0]]


def test_two_rounds_are_no_course() -> None:
    assert "Pass rate by round" not in courses(rounds_chart(board(bundle("a", "##"), bundle("b", "#."))))


def test_a_track_whose_every_round_passes_has_nowhere_that_work_broke() -> None:
    assert list(courses(rounds_chart(board(bundle("a", "###"), rounds=(3,))))) == [
        "Pass rate by round",
        "Pass rate by phase of the task",
    ]


def test_a_published_table_has_no_rounds_to_draw() -> None:
    assert rounds_chart(board(tables=[table(row("a"))])) is None
