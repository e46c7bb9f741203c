"""How the rounds of a track went, as charts."""

from boards import board, bundle, row, table, track
from grids import records

from sitegen.charts.chart import Chart, Courses
from sitegen.charts.round_charts import rounds_chart


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


def test_the_sentence_says_where_it_begins_and_ends_and_over_which_tasks() -> None:
    chart = rounds_chart(board(bundle("a", *["##."] * 5), bundle("b", *["#.."] * 5), rounds=(3,) * 5))
    assert chart
    assert "Pass rate by round, 1 to 3: 100.0 % to 0.0 %, over all 5 tasks." in chart.sentence


def test_a_curve_ends_where_a_fifth_of_the_tasks_has_ended() -> None:
    """Eight of ten tasks have three rounds; two of them go on, and one of the others has two rounds."""
    marks = ["##.", "##.", "##.", "##.", "##.", "##.", "##.##", "##.##", "..", "."]
    chart = rounds_chart(board(bundle("a", *marks), rounds=[len(each) for each in marks]))
    panel = courses(chart)["Pass rate by round"]
    assert (panel.steps, values(panel)) == (["1", "2", "3"], [[100.0, 100.0, 0.0]])
    assert chart
    assert "100.0 % to 0.0 %, over the 8 tasks with 3 rounds or more." in chart.sentence
    assert chart.table
    assert chart.table.lines[0] == ("1", ["100.0 %, 8 of 8"])
    assert chart.sentence.endswith("The tables below are over all tasks, as k of n.")


def test_points_over_few_tasks_are_muted_and_say_so_and_nothing_is_concluded() -> None:
    chart = rounds_chart(board(bundle("a", *["##."] * 4), rounds=(3,) * 4))
    panel = courses(chart)["Pass rate by round"]
    assert panel.tasks == [4, 4, 4]
    assert [stop.is_thin for course in panel.courses for stop in course.stops if stop] == [True] * 3
    assert chart
    assert chart.sentence == (
        "Pale marks are over fewer than 5 tasks, as the n below them says. "
        "The tables below hold these numbers, as k of n."
    )


def test_a_phase_that_few_tasks_have_is_muted_among_others() -> None:
    """Six tasks of three rounds have no middle and no late phase; one of five has."""
    marks = [*["##."] * 6, "####."]
    panel = courses(rounds_chart(board(bundle("a", *marks), rounds=list(map(len, marks)))))[
        "Pass rate by phase of the task"
    ]
    thin = [stop.is_thin for stop in panel.courses[0].stops if stop]
    assert (list(panel.tasks), thin) == ([7, 7, 1, 1, 7], [False, False, True, True, False])


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
