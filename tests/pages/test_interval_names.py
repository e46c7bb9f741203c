"""Only an interval that holds 95 times in 100 is called a 95 % interval, on pages and in files."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.boards import board, bundle, track
from kit.rendered_pages import all_pages
from kit.result_grids import records
from kit.share_cards import card, words_on
from lxml import html

from sitegen.board.board import Board, BoardEntry
from sitegen.board.comparison_file import comparison_file
from sitegen.board.every_eval_ever import aggregate_record
from sitegen.board.history.changes import board_changes
from sitegen.board.history.changes_report import Changes
from sitegen.board.history.proposal import pull_request
from sitegen.board.history.releases import lock_boards
from sitegen.models.site import Site

AMOUNTS = ("cost_per_round", "avg_turns")
SHARES = ("dataset_score", "case_score")


def board_of(folder: Path, *columns: str, dearer: float = 0.0) -> Board:
    """Make a board of two agents over eight tasks whose rounds cost something."""
    bundles = []
    for number in range(2):
        results = []
        for task_index, task in enumerate("abcdefgh"):
            cost = (1 + dearer) * (1 + task_index) * (1 + number)
            effort: dict[str, Any] = {"cost_usd": cost, "turns": 3 + number + task_index}
            results += records(task, "#." if task_index % 2 else "##", 1, **effort)
        bundles.append(replace(bundle(f"agent-{number}", found=results), path=folder))
    on = track(headline=columns[0], columns=columns)
    return board(*bundles, on=on, rounds=(2,) * 8)


def texts(before: Board, after: Board) -> Iterator[tuple[str, str]]:
    """Yield every page, with its markup, and every text that is made of a board."""
    releases = []
    for day, released in ((1, before), (8, after)):
        releases.append(lock_boards([[released]], {}, date(2026, 7, day), "", "1.0"))
    for page in all_pages([after], releases=releases):
        yield page.address, f"{page.description} {page.content}"
    yield "the board's card", " ".join(words_on(card(after)))
    changes = Changes(board_changes([before], [after]))
    for entry in after.all_entries:
        yield f"the card of {entry.id}", " ".join(words_on(card(after, entry.id)))
        yield "the pull request", "\n".join(pull_request(changes, [BoardEntry(after, entry)]))
    yield "compare.json", json.dumps(comparison_file(after), ensure_ascii=False)


def test_no_text_calls_the_interval_of_an_amount_a_95_percent_interval(tmp_path: Path) -> None:
    before = board_of(tmp_path, *AMOUNTS, dearer=0.5)
    after = board_of(tmp_path, *AMOUNTS)
    kinds = set()
    for name, text in texts(before, after):
        assert "95 % interval" not in text, name
        if "approximate" in text.lower():
            kinds.add(name.split("/")[-2] if name.count("/") > 1 else name)
    assert len(kinds) >= 8, kinds


def test_intervals_of_shares_are_called_95_percent_intervals(tmp_path: Path) -> None:
    made = board_of(tmp_path, *SHARES)
    named = [name for name, text in texts(made, made) if "95 % interval" in text]
    assert len(named) >= 8, named


def test_a_column_with_intervals_of_both_kinds_names_the_kind_in_each_row(tmp_path: Path) -> None:
    made = board_of(tmp_path, "dataset_score", "cost_per_round")
    pages = {page.address: str(page.content) for page in all_pages([made])}
    (page,) = (text for address, text in pages.items() if address == "mini/main/agent-0/")
    table = html.fromstring(page).find(".//table[@class='sg-table sg-stack sg-claimed-scores']")
    assert table is not None
    assert "Interval" in [head.text_content() for head in table.iterfind("./thead//th")]
    lines = [row.text_content() for row in table.iterfind("./tbody/tr")]
    assert ["95 %" in line for line in lines] == [True, False]
    assert ["approximate" in line for line in lines] == [False, True]


@pytest.mark.parametrize("columns", [AMOUNTS, SHARES])
def test_a_metric_and_each_of_its_intervals_have_one_name(tmp_path: Path, columns: tuple[str, ...]) -> None:
    made = board_of(tmp_path, *columns)
    for entry in made.all_entries:
        for name, metric in made.metrics.items():
            interval = made.inference.interval(entry, name)
            if interval:
                assert interval.words == metric.interval_words, name


@pytest.mark.parametrize("columns", [AMOUNTS, SHARES])
def test_a_metric_and_each_difference_of_its_scores_have_one_name(tmp_path: Path, columns: tuple[str, ...]) -> None:
    made = board_of(tmp_path, *columns)
    first, second = made.all_entries
    tested = 0
    for metric in made.columns:
        for paired in made.inference.paired(metric, first, [second]):
            tested += 1
            assert paired.interval.words == metric.difference_interval_words, metric.id
    assert tested


def test_exports_give_a_level_only_where_it_holds(tmp_path: Path) -> None:
    made = board_of(tmp_path, *SHARES, *AMOUNTS)
    document: Any = aggregate_record(made, made.entries[0], Site())
    levels = {}
    for result in document["evaluation_results"]:
        uncertainty = result["score_details"]["uncertainty"]
        name = result["metric_config"]["metric_id"].removeprefix("mini.")
        levels[name] = uncertainty["confidence_interval"].get("confidence_level")
    assert {levels[name] for name in SHARES} == {0.95}
    assert {levels[name] for name in AMOUNTS} == {None}
