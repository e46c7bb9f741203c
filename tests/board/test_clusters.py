"""Tasks that depend on each other, such as those of one repository: what is tested, and what a board then says."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.boards import FACTS, row, table, track
from kit.rendered_pages import board_page, certainty_page, compare_page
from kit.task_cases import TEMPLATES, tree, words
from numpy.typing import NDArray

from sitegen.board.board import Board, BoardEntry
from sitegen.board.comparison_file import comparison_file
from sitegen.board.export import scores_json
from sitegen.board.inference.board_inference import BY_CLUSTERS
from sitegen.board.inference.robustness import Robustness
from sitegen.board.making import make_boards
from sitegen.models.benchmark import Axis, Benchmark
from sitegen.models.outcome import RoundResult
from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Submission
from sitegen.models.task import Task, TaskRound, TaskSet
from sitegen.pages.notices import order_basis

TASKS, REPOSITORIES, AGENTS = 120, 8, 5

Verdicts = NDArray[np.bool_]
"""Which tasks agents pass, shape (agents, tasks)."""


def clustered_board(
    verdicts: Verdicts, repositories: Sequence[str], *, cluster: bool = True, tables: Sequence[ReportedTable] = ()
) -> Board:
    """Return a board of tasks with one round each, every one labelled with its repository."""
    names = [f"task-{index}" for index in range(len(repositories))]
    tasks = []
    for name, repository in zip(names, repositories, strict=True):
        tasks.append(Task(name, (TaskRound(1),), labels={"repo": repository}))
    bundles = []
    for agent, passed in enumerate(verdicts):
        submission = Submission.model_validate({**FACTS, "agent": {"name": f"agent-{agent}"}})
        rounds = []
        for name, is_passed in zip(names, passed.tolist(), strict=True):
            rounds.append(RoundResult(name, 1, 1, "scored", float(is_passed)))
        path = Path("results/mini/submissions") / f"agent-{agent}"
        bundles.append(Bundle(f"agent-{agent}", path, submission, tuple(rounds)))
    benchmark = Benchmark(
        schema_version=1,
        id="mini",
        title="Mini",
        axes={"repo": Axis(title="Repository", cluster=cluster)},
        tracks=(track(protocol="once", headline="resolved", columns=("resolved",)),),
    )
    sets = {"all": TaskSet("all", tuple(tasks))}
    results = BenchmarkResults(Path("results/mini"), benchmark, sets, tuple(bundles), tuple(tables))
    (board,) = make_boards(results)
    return board


def repositories_of(tasks: int, repositories: int) -> list[str]:
    """Return the repository of each task; the first ones have more tasks, as in SWE-bench."""
    shares = np.arange(repositories, 0, -1) / np.arange(1, repositories + 1).sum()
    ends = np.round(np.cumsum(shares) * tasks).astype(int)
    return [f"org/repo-{int(np.searchsorted(ends, index, side='right'))}" for index in range(tasks)]


def equal_agents(seed: int) -> Verdicts:
    """Return verdicts of equally good agents, each with repositories that it finds easy or hard."""
    random = np.random.default_rng(seed)
    labels = repositories_of(TASKS, REPOSITORIES)
    repository_indices = np.array([int(label.rpartition("-")[2]) for label in labels])
    taste = random.normal(0, 1.5, (AGENTS, REPOSITORIES))
    hardness = random.normal(0, 1.0, TASKS)
    chances = 1 / (1 + np.exp(-(taste[:, repository_indices] + hardness)))
    verdicts: Verdicts = random.random((AGENTS, TASKS)) < chances
    return verdicts


def told_apart(*, cluster: bool, boards: int = 40) -> int:
    """Return on how many boards of equal agents any two are told apart."""
    labels = repositories_of(TASKS, REPOSITORIES)
    apart = 0
    for seed in range(boards):
        ranks = clustered_board(equal_agents(seed), labels, cluster=cluster).inference.ranks
        apart += any(ranks_of_one != (1, AGENTS) for ranks_of_one in ranks.values())
    return apart


def test_equal_agents_with_tastes_for_repositories_are_rarely_told_apart() -> None:
    """120 tasks of 8 repositories: as independent tasks they tell equal agents apart on most boards."""
    assert told_apart(cluster=False) >= 20
    assert told_apart(cluster=True) <= 4


def varied(repositories: int, tasks: int = 40) -> Board:
    """Return a board of three unlike agents on tasks of some repositories."""
    random = np.random.default_rng(1)
    verdicts = random.random((3, tasks)) < np.array([[0.8], [0.5], [0.2]])
    return clustered_board(verdicts, repositories_of(tasks, repositories))


def test_a_board_says_what_is_tested_and_how_many_clusters_there_are() -> None:
    board = varied(8)
    assert board.inference.grounds == BY_CLUSTERS
    expected_sentence = (
        "Tasks that share a repository depend on each other, so the 40 tasks are tested as 8 repositories."
    )
    assert expected_sentence in order_basis(board)
    page = certainty_page(board, TEMPLATES)
    assert page is not None
    assert expected_sentence in words(tree(page))
    assert "With 40 tasks in 8 repositories, the median pair needs" in words(tree(page))
    assert "tested repository by repository" in words(tree(compare_page(board, TEMPLATES)))


WHY = (
    "Scores have no intervals and ranks are not tested: tasks that share a repository depend on each other, and "
    "the 40 tasks form only 5 repositories; intervals and tests need at least 6."
)


@pytest.fixture(scope="module")
def few() -> Board:
    return varied(5)


def test_below_six_clusters_no_score_has_an_interval_and_no_order_is_tested(few: Board) -> None:
    certainty = few.inference
    assert certainty.ranks == {}
    assert [certainty.interval(entry, "resolved") for entry in few.entries] == [None] * 3
    assert {certainty.pair_order(first, second) for first in few.entries for second in few.entries} == {"cannot tell"}
    assert varied(6).inference.ranks


def test_below_six_clusters_every_page_says_why_in_one_sentence(few: Board) -> None:
    sure = certainty_page(few, TEMPLATES)
    assert sure is not None
    for page in (board_page(few, TEMPLATES), sure, compare_page(few, TEMPLATES)):
        assert WHY in words(tree(page)), page.address
    assert not tree(sure).cssselect("[data-smallest]")


def test_below_six_clusters_the_files_have_no_interval(few: Board) -> None:
    scores: Any = scores_json(BoardEntry(few, entry) for entry in few.entries)
    for line in scores["submissions"]:
        assert line["rank_interval"] is None
        resolved = line["metrics"]["resolved"]
        assert (resolved["low"], resolved["high"]) == (None, None)
    compared: Any = comparison_file(few)["pairs"]
    assert set(compared["standing"]) == {"k"}
    compared = compared["differences"]["resolved"]
    assert set(compared["standing"]) == {"k"}
    assert {end for name in ("value", "low", "high", "p") for end in compared[name]} == {None}


def test_below_six_clusters_there_is_no_smallest_gap(few: Board) -> None:
    assert Robustness(few).detectable_gaps is None


def test_printed_counts_of_clustered_tasks_are_not_tested() -> None:
    """A count does not say which tasks passed: taken one by one, 90 of 120 would differ from 60 of 120."""
    rows = []
    for name, value in (("a", "75.0"), ("b", "50.0")):
        rows.append(row(name, values={"resolved": {"value": Decimal(value), "n": 120}}))
    board = clustered_board(np.zeros((0, 40), dtype=np.bool_), repositories_of(40, 8), tables=[table(*rows)])
    assert board.inference.ranks == {}
    assert [board.inference.interval(entry, "resolved") for entry in board.entries] == [None, None]
