"""Diagnostics on pages: where there is data for them, and nowhere else."""

import re
from collections.abc import Mapping

import pytest
from kit.boards import board, bundle, track
from kit.real_data import real_data
from kit.rendered_pages import all_pages

from sitegen.board.board import Board
from sitegen.board.making import make_boards
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.diagnostics import MetricValue, Share
from sitegen.pages.diagnostics import CellView, cell_view, diagnostics_address, section_of
from sitegen.store.readers.folder import read_results

CHAIN = ["by-round", "first-failure", "phases", "labels"]
PERSIST = ["by-round", "sr-mt", "recovery", "first-failure", "labels", "aptitude"]

Pages = Mapping[str, str]


def pages_of(boards: tuple[Board, ...]) -> Pages:
    """Make every page of a benchmark, by its address."""
    return {page.address: page.content for page in all_pages(boards)}


@pytest.fixture(scope="module")
def example() -> Pages:
    """Every page of the example: a chain, a fail-stop, a weighted-targets and a checkpoint track."""
    (benchmark,) = read_results(real_data("example-results")).benchmarks
    return pages_of(make_boards(benchmark))


def shown(text: str) -> list[str]:
    """List the diagnostics on a page."""
    return re.findall(r'data-diagnostic="([^"]*)"', text)


def section(text: str, track_id: str) -> str:
    """Cut a track's diagnostics out of its benchmark's page."""
    return text.split(f'id="diagnostics-{track_id}"')[1].split("</section>", maxsplit=1)[0]


@pytest.mark.parametrize(
    ("track_id", "expected"),
    [("chain", CHAIN), ("persist", PERSIST), ("checkpoints", CHAIN)],
)
def test_a_benchmark_shows_what_each_track_has_data_for(example: Pages, track_id: str, expected: list[str]) -> None:
    assert shown(section(example["synthetic/"], track_id)) == expected


def test_targets_without_labels_in_tasks_without_a_group_of_three_show_nothing(example: Pages) -> None:
    assert 'id="diagnostics-targets"' not in example["synthetic/"]
    assert shown(example["synthetic/targets/2026-01-01-targets-0/"]) == []


@pytest.mark.parametrize(
    ("track_id", "name", "expected"),
    [
        ("chain", "2026-01-01-chain-0", CHAIN),
        ("persist", "2026-01-01-persist-0", PERSIST),
        ("checkpoints", "2026-01-01-ckpt-0", CHAIN),
    ],
)
def test_a_submission_shows_what_it_has_data_for(example: Pages, track_id: str, name: str, expected: list[str]) -> None:
    assert shown(example[f"synthetic/{track_id}/{name}/"]) == expected
    assert "All submissions" in example[f"synthetic/{track_id}/{name}/"]


@pytest.mark.parametrize(("track_id", "expected"), [("chain", CHAIN), ("persist", PERSIST), ("checkpoints", CHAIN)])
def test_a_task_shows_what_it_has_data_for(example: Pages, track_id: str, expected: list[str]) -> None:
    assert shown(example[f"synthetic/{track_id}/tasks/task-1/"]) == [
        diagnostic for diagnostic in expected if diagnostic != "axis-domain"
    ]


def test_a_task_of_one_domain_without_labels_or_turns_has_no_diagnostics(example: Pages) -> None:
    """Not even a heading."""
    text = example["synthetic/targets/tasks/road-1/"]
    assert shown(text) == []
    assert "How the rounds went" not in text


def test_other_pages_show_no_diagnostics(example: Pages) -> None:
    assert shown(example["synthetic/chain/"]) == []
    assert shown(example["synthetic/chain/tasks/"]) == []


def test_no_diagnostic_is_shown_empty(example: Pages) -> None:
    tables = [
        table
        for text in example.values()
        for table in re.findall(r"<table[^>]*data-diagnostic.*?</table>", text, re.DOTALL)
    ]
    assert len(tables) > 100
    assert min(table.count('scope="row"') for table in tables) >= 2
    assert all(re.search(r"\d %| of \d", table) for table in tables)


def test_a_diagnostic_is_no_board_and_no_heat_map(example: Pages) -> None:
    sections = [section(example["synthetic/"], name) for name in ("chain", "persist", "checkpoints")]
    assert not any("data-board" in text or "data-cell" in text for text in sections)


def test_the_example_s_first_round_passes_as_often_as_its_records_say(example: Pages) -> None:
    text = section(example["synthetic/"], "chain")
    assert re.search(r'<th scope="row">1</th><td>6</td><td[^>]*>55\.6 % <span>20 of 36</span></td>', text)


def test_the_example_s_failed_rounds_are_solved_as_often_as_its_records_say(example: Pages) -> None:
    assert "324 of 365" in section(example["synthetic/"], "persist")


def test_a_share_says_percent_and_k_of_n() -> None:
    assert cell_view(Share(7, 17)) == CellView("41.2 %", "7 of 17", "41.2%")


def test_a_share_of_nothing_is_a_dash_and_none_of_some_is_zero() -> None:
    assert cell_view(Share(0, 0)) == CellView("–")
    assert cell_view(Share(0, 1_352)) == CellView("0.0 %", "0 of 1,352", "0.0%")


@pytest.mark.parametrize(
    ("metric", "value", "view"),
    [
        ("dataset_score", 59.08, CellView("59.1 %", bar="59.1%")),
        ("completion", 0.5, CellView("0.500", bar="50.0%")),
        ("gap", -0.04, CellView("0.0")),
        ("gap", -20.0, CellView("-20.0")),
        ("cost_per_round", 3.5, CellView("3.50")),
    ],
)
def test_a_score_is_written_in_its_unit(metric: str, value: float, view: CellView) -> None:
    assert cell_view(MetricValue(value, METRICS[metric])) == view


def test_a_number_of_things_is_written_plain_and_a_gap_as_a_dash() -> None:
    assert (cell_view(1_234), cell_view(None)) == (CellView("1,234"), CellView("–"))


def test_a_board_can_link_to_its_diagnostics_where_there_are_any() -> None:
    assert diagnostics_address(board(bundle("one", "#."))) == "mini/#diagnostics-main"
    assert diagnostics_address(board()) is None


def test_headings_use_the_benchmarks_word_for_a_round() -> None:
    made = board(bundle("one", "#."), on=track(title="Multi-step"))
    sections = [section_of(made, "Multi-step", made.diagnosis.of_track, track) for track in ("main", "")]
    headings = [section.title for section in sections if section]
    assert headings == ["How the rounds went: Multi-step", "How the rounds went"]


def test_notes_stand_below_numbers_where_beside_them_is_no_room(example: Pages) -> None:
    text = section(example["synthetic/"], "persist")
    tall = re.findall(r'<table class="[^"]*--tall" data-diagnostic="([^"]*)"', text)
    assert tall == ["aptitude"]
