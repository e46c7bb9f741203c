"""Values by several versions of a definition: each cell names its own, and nobody is ranked by them."""

import re
from collections.abc import Mapping

import pytest
from kit.rendered_pages import all_pages
from kit.results_folders import MANIFEST, ROUNDS, Tree

from sitegen.board.board import Board
from sitegen.board.making import make_boards

REPORTED = """\
schema = 1
track = "main"
title = "Table 1"
source = "A paper"
date = 2026-03-27

[[rows]]
id = "theirs"
name = "Theirs"

[rows.values]
erosion = 0.68
"""


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> tuple[Board, ...]:
    """A board by erosion: one row by each of two versions, and one that a paper prints without saying which."""
    tree = Tree(tmp_path_factory.mktemp("versions") / "results")
    tree.define('headline = "dataset_score"', 'headline = "erosion"')
    tree.define('"dataset_score", "case_score"', '"erosion", "dataset_score"')
    tree.change(1, measures={"erosion@1": 0.25})
    tree.change(2, measures={"erosion@1": 0.25})
    other_manifest = MANIFEST.replace("Acme-1", "Other-1")
    tree.add(
        "other",
        *({**round_result, "measures": {"erosion@2": 0.75}} for round_result in ROUNDS[:2]),
        ROUNDS[2],
        manifest=other_manifest,
    )
    tree.put("reported/paper.toml", REPORTED)
    (results,) = tree.read().benchmarks
    return make_boards(results)


@pytest.fixture(scope="module")
def pages(boards: tuple[Board, ...]) -> Mapping[str, str]:
    """Every page of the benchmark, by its address."""
    return {page.address: page.content for page in all_pages(boards)}


def cells(page: str) -> list[tuple[str, str, str]]:
    """Give the metric, the value and the version of every score cell; empty where a cell has none."""
    tags = re.findall(r"<td[^>]* data-metric=[^>]*>", page)
    matches = ([re.search(rf'data-{name}="([^"]*)"', tag) for name in ("metric", "value", "version")] for tag in tags)
    return [(told(metric), told(value), told(version)) for metric, value, version in matches]


def told(match: re.Match[str] | None) -> str:
    return match[1] if match else ""


def test_nobody_is_ranked_across_versions(boards: tuple[Board, ...]) -> None:
    main = boards[0]
    assert main.ranks == {}
    assert {entry.scores["erosion"].version for entry in main.entries} == {"1", "2", None}


def test_a_cell_of_a_board_names_its_version(pages: Mapping[str, str]) -> None:
    erosions = {cell for cell in cells(pages["mini/main/"]) if cell[0] == "erosion" and cell[1]}
    assert erosions == {("erosion", "0.25", "1"), ("erosion", "0.75", "2"), ("erosion", "0.68", "")}


def test_a_score_on_a_submission_s_page_names_its_version(pages: Mapping[str, str]) -> None:
    assert ("erosion", "0.75", "2") in cells(pages["mini/main/other/"])


def test_other_scores_name_none(pages: Mapping[str, str]) -> None:
    scores = [cell for cell in cells(pages["mini/main/other/"]) if cell[0] == "dataset_score"]
    assert [version for _, _, version in scores] == [""]


def test_a_printed_score_names_none(pages: Mapping[str, str]) -> None:
    assert cells(pages["mini/main/theirs/"]) == [("erosion", "0.68", ""), ("dataset_score", "", "")]
