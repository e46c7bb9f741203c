"""A board's headline score on parts of the tasks."""

from decimal import Decimal
from pathlib import Path

from boards import bundle, row, table, track
from grids import task

from sitegen.board.board import Board, boards_of
from sitegen.models.benchmark import Axis, Benchmark
from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.task import Task, TaskSet

AXES = {"kind": Axis(title="Kind", values=("tool", "game"))}


def labelled(name: str, kind: str) -> Task:
    return Task(name, task(name, 2).rounds, labels={"kind": kind})


def board(*bundles: Bundle, tables: tuple[ReportedTable, ...] = (), headline: str = "dataset_score") -> Board:
    """Tasks a and c are tools, b is a game; every task has two rounds."""
    protocol = "once" if headline == "resolved" else "chain"
    on = track(groupings=("kind",), headline=headline, columns=(headline,), protocol=protocol)
    benchmark = Benchmark(schema_version=1, id="mini", title="Mini", tracks=(on,), axes=AXES)
    tasks = TaskSet("all", (labelled("a", "tool"), labelled("b", "game"), labelled("c", "tool")))
    (made,) = boards_of(BenchmarkResults(Path("results/mini"), benchmark, {"all": tasks}, bundles, tables))
    return made


def values(made: Board, name: str) -> dict[str, float | None]:
    (split,) = made.splits
    return {group.value: group.scores[name].value for group in split.groups if name in group.scores}


def test_a_group_is_scored_by_its_own_tasks() -> None:
    assert values(board(bundle("acme", "##", ".#", "..")), "acme") == {"tool": 50.0, "game": 50.0}


def test_groups_come_in_the_order_that_the_benchmark_names_them() -> None:
    (split,) = board(bundle("acme", "##", "##", "##")).splits
    assert [(group.value, group.tasks) for group in split.groups] == [("tool", 2), ("game", 1)]


def test_a_share_of_tasks_is_k_of_n_in_each_group() -> None:
    (split,) = board(bundle("acme", "##", "#.", ".#"), headline="resolved").splits
    assert {group.value: group.scores["acme"].count for group in split.groups} == {"tool": (1, 2), "game": (0, 1)}


def test_a_reported_row_has_the_groups_that_its_source_prints() -> None:
    printed = {"value": Decimal("30.6"), "n": 36}
    figures = {"dataset_score": {"value": Decimal("39.1"), "n": 115, "groups": {"kind": {"tool": printed}}}}
    made = board(tables=(table({"id": "paper", "values": figures}),))
    (split,) = made.splits
    (group,) = split.groups
    assert (group.value, group.scores["paper"].text, group.scores["paper"].count) == ("tool", "30.6", (11, 36))


def test_a_split_that_nobody_has_a_score_on_is_left_out() -> None:
    assert board(tables=(table(row("paper")),)).splits == ()
