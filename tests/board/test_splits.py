"""A board's headline score on parts of the tasks."""

from decimal import Decimal
from pathlib import Path

from kit.boards import bundle, row, table, track
from kit.result_grids import task

from sitegen.board.board import Board
from sitegen.board.making import make_boards
from sitegen.models.benchmark import Axis, Benchmark
from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.task import Task, TaskSet
from sitegen.pages.standings import columns_of

AXES = {"kind": Axis(title="Kind", values=("tool", "game"))}


def labelled(name: str, kind: str) -> Task:
    return Task(name, task(name, 2).rounds, labels={"kind": kind})


def board(*bundles: Bundle, tables: tuple[ReportedTable, ...] = (), headline: str = "dataset_score") -> Board:
    """Tasks a to c are tools, d to f are games, g is a toy; every task has two rounds."""
    protocol = "once" if headline == "resolved" else "chain"
    on = track(groupings=("kind",), headline=headline, columns=(headline,), protocol=protocol)
    benchmark = Benchmark(schema_version=1, id="mini", title="Mini", tracks=(on,), axes=AXES)
    kinds = ("tool", "tool", "tool", "game", "game", "game", "toy")
    tasks = TaskSet("all", tuple(labelled(name, kind) for name, kind in zip("abcdefg", kinds, strict=True)))
    (made,) = make_boards(BenchmarkResults(Path("results/mini"), benchmark, {"all": tasks}, bundles, tables))
    return made


def values(made: Board, name: str) -> dict[str, float | None]:
    (split,) = made.splits
    return {group.value: group.scores[name].value for group in split.groups if name in group.scores}


def test_a_group_is_scored_by_its_own_tasks() -> None:
    marks = ("##", "#.", "..", ".#", ".#", ".#", "##")
    assert values(board(bundle("acme", *marks)), "acme") == {"tool": 50.0, "game": 50.0}


def test_groups_come_in_the_order_that_the_benchmark_names_them() -> None:
    (split,) = board(bundle("acme", *["##"] * 7)).splits
    assert [(group.value, group.tasks) for group in split.groups] == [("tool", 3), ("game", 3)]


def test_tasks_of_small_groups_are_counted_and_not_shown() -> None:
    (split,) = board(bundle("acme", *["##"] * 7)).splits
    assert split.left_out == "1 of the 7 tasks is left out because its group has fewer than 3 tasks."


def test_the_head_of_a_group_says_how_many_tasks_are_in_none() -> None:
    heads = {column.head.title: column.head.help for column in columns_of(board(bundle("acme", *["##"] * 7)))}
    left_out = "1 of the 7 tasks is left out because its group has fewer than 3 tasks."
    about = f"Dataset Score on the tasks whose kind is tool. {left_out}"
    assert heads["tool"] == about


def test_a_share_of_tasks_is_k_of_n_in_each_group() -> None:
    marks = ("##", "#.", "##", ".#", "..", "#.", "##")
    (split,) = board(bundle("acme", *marks), headline="resolved").splits
    assert {group.value: group.scores["acme"].counted for group in split.groups} == {"tool": (2, 3), "game": (0, 3)}


def test_a_reported_row_has_the_groups_that_its_source_prints() -> None:
    printed = {"value": Decimal("30.6"), "n": 36}
    figures = {"dataset_score": {"value": Decimal("39.1"), "n": 115, "groups": {"kind": {"engine": printed}}}}
    made = board(tables=(table({"id": "paper", "values": figures}),))
    (split,) = made.splits
    (group,) = split.groups
    assert (group.value, group.scores["paper"].text, group.scores["paper"].counted) == ("engine", "30.6", (11, 36))


def test_a_group_that_is_known_to_be_small_is_not_shown_where_a_table_prints_it() -> None:
    groups = {"kind": {kind: {"value": Decimal("30.6")} for kind in ("tool", "game", "toy")}}
    figure = {"value": Decimal("39.1"), "groups": groups}
    made = board(tables=(table({"id": "paper", "values": {"dataset_score": figure}}),))
    (split,) = made.splits
    assert [group.value for group in split.groups] == ["tool", "game"]


def test_a_split_that_nobody_has_a_score_on_is_left_out() -> None:
    assert board(tables=(table(row("paper")),)).splits == ()


def test_two_tables_of_one_title_both_have_their_errata() -> None:
    tables = []
    for name in ("one", "two"):
        figure = {"value": Decimal(42), "groups": {"kind": {"tool": {"value": Decimal(40)}}}}
        erratum = {"about": "Table 1", "note": f"A slip in {name}", "axes": ("kind",)}
        tables.append(table({"id": name, "values": {"dataset_score": figure}}, errata=(erratum,)))
    (split,) = board(tables=tuple(tables)).splits
    assert [erratum.note for erratum in split.errata] == ["A slip in one", "A slip in two"]
