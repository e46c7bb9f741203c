"""Agents by tasks below a board: from the easiest task to the hardest, and readable however many there are."""

import pytest
from kit.boards import board, bundle
from kit.rendered_pages import board_page
from lxml import html

from sitegen.board.board import Board
from sitegen.pages.rank_axis import RankAxis
from sitegen.pages.records import BoardRecords
from sitegen.pages.task_strip import TaskStrip, strip_of


def strip(made: Board) -> TaskStrip:
    task_strip = strip_of(BoardRecords(made))
    assert task_strip
    return task_strip


def shown(made: Board) -> html.HtmlElement:
    (section,) = html.fromstring(board_page(made).content).cssselect("#by-task")
    return section


SMALL = board(bundle("best", "##", "#.", ".."), bundle("next", "#.", "#.", ".."), rounds=(2, 2, 2))


def test_tasks_stand_from_the_easiest_to_the_hardest() -> None:
    task_strip = strip(SMALL)
    assert task_strip.tasks == [("a", 0.75), ("b", 0.5), ("c", 0.0)]
    assert [(link.title, share) for link, share in task_strip.ends] == [("a", "75.0"), ("c", "0.0")]


def test_a_cell_says_how_many_rounds_passed_and_a_row_how_many_of_all() -> None:
    best, _ = strip(SMALL).rows
    _, cells, total = best
    assert [(cell.mark, cell.shade) for cell in cells] == [("✓", "all"), ("1", "share-4"), ("0", "share-0")]
    assert (total.passed, total.of) == (3, 6)


def test_the_section_is_named_by_what_was_finished_and_leads_to_the_tasks() -> None:
    section = shown(SMALL)
    assert section.findtext("h2") == "2 of the 3 tasks were not finished by any agent; best alone finished 1"
    assert "../../mini/main/tasks/" in [link.get("href") for link in section.cssselect("p a")]
    assert len(section.cssselect("tbody td[data-shade]")) == 6
    assert not section.cssselect("[style]")


def test_one_task_makes_no_strip() -> None:
    assert strip_of(BoardRecords(board(bundle("one", "##"), bundle("two", "#.")))) is None


def test_fifty_agents_and_two_hundred_and_fifty_tasks_stay_readable() -> None:
    """Tasks of like difficulty share a column, and the first agents stand for all."""
    rows = [bundle(f"agent-{n:02}", *["##"] * (250 - 5 * n), *[".."] * 5 * n) for n in range(50)]
    made = board(*rows, rounds=(2,) * 250)
    section = shown(made)
    assert (len(section.cssselect("thead th")), len(section.cssselect("tbody tr"))) == (2 + 36, 30)
    assert "and 20 more agents" in section.cssselect("p a")[0].text
    shades = [cell.get("data-shade") for cell in section.cssselect("tbody tr")[20].cssselect("td[data-shade]")]
    steps = [8 if shade == "all" else int(str(shade)[-1]) for shade in shades]
    assert steps == sorted(steps, reverse=True)
    assert {"all", "share-0"} < set(shades)
    assert len(html.tostring(section)) < 200_000


def test_a_column_says_how_many_tasks_it_holds() -> None:
    """The last column may hold fewer than the others."""
    rows = [bundle(f"agent-{n}", *["##"] * (41 - n), *[".."] * n) for n in range(2)]
    titles = [title for title, _ in strip(board(*rows, rounds=(2,) * 41)).tasks]
    assert titles[0].endswith(" and 1 other task")
    assert " other task" not in titles[-1]


@pytest.mark.parametrize(("ranks", "step"), [(20, 1), (2_001, 200), (20_001, 2_000), (1_000_000, 50_000)])
def test_an_axis_of_any_length_has_room_for_its_ticks(ranks: int, step: int) -> None:
    labels = [label for _, label, _ in RankAxis(ranks).ticks]
    assert labels[1] == str(step if step > 1 else 2)
    assert len(labels) <= 21
