"""Published tables without raw data: valid by themselves, and checked like everything else."""

import shutil
from decimal import Decimal

import pytest
from kit.results_folders import Told, Tree

from sitegen.models.digests import table_digest
from sitegen.models.reported import Figure

TABLE = """\
schema = 1
track = "main"
title = "Table 1"
source = "A paper, table 1"
date = 2026-06-01

[[rows]]
id = "beta"
name = "Beta"

[rows.values]
dataset_score = 42.0

[[rows]]
id = "gamma"
name = "Gamma"

[rows.values]
dataset_score = { value = 9.5, sd = 1.5, groups = { kind = { tool = 8.0 } } }
"""
RENAME = "rename or remove one of the two"


def published(tree: Tree, old: str, new: str) -> list[Told]:
    """Publish the table with another text in it, and give what is told of it."""
    tree.put("reported/paper.toml", TABLE.replace(old, new))
    return tree.told()


def test_a_tree_with_only_reported_tables_is_valid(tree: Tree) -> None:
    shutil.rmtree(tree.benchmark / "submissions")
    shutil.rmtree(tree.benchmark / "tasks")
    tree.put("reported/paper.toml", TABLE)
    assert tree.told() == []


def test_figures_keep_their_decimals(tree: Tree) -> None:
    tree.put("reported/paper.toml", TABLE)
    (results,) = tree.read().benchmarks
    beta, gamma = results.reported[0].rows
    assert str(beta.values["dataset_score"].value) == "42.0"
    assert gamma.values["dataset_score"].groups == {"kind": {"tool": Figure(value=Decimal("8.0"))}}


ERRATUM = """[[errata]]
about = "Table 2"
note = "counts another number of rounds"
rows = ["beta"]
metrics = ["dataset_score"]
[[rows]]"""


def test_errata_concern_the_figures_that_they_name(tree: Tree) -> None:
    tree.put("reported/paper.toml", TABLE.replace("[[rows]]", ERRATUM, 1))
    (erratum,) = tree.read().benchmarks[0].reported[0].errata
    cells = [("beta", "dataset_score"), ("beta", "case_score"), ("gamma", "dataset_score")]
    assert [erratum.concerns(*cell) for cell in cells] == [True, False, False]


def test_errata_name_rows_of_the_table(tree: Tree) -> None:
    erratum = ERRATUM.replace('"beta"', '"omega"')
    (problem,) = published(tree, TABLE, TABLE.replace("[[rows]]", erratum, 1))
    assert (problem.code, problem.what) == ("ROW-UNKNOWN", "the table has no row `omega`")


def test_errata_name_metrics_of_the_catalogue(tree: Tree) -> None:
    erratum = ERRATUM.replace('"dataset_score"', '"dataset_scores"')
    (problem,) = published(tree, TABLE, TABLE.replace("[[rows]]", erratum, 1))
    assert (problem.code, problem.what) == ("METRIC-UNKNOWN", "there is no metric `dataset_scores`")


def test_what_is_printed_beside_a_table_leaves_its_figures_their_name(tree: Tree) -> None:
    tree.put("reported/paper.toml", TABLE)
    (before,) = tree.read().benchmarks[0].reported
    shown = 'title = "A"\nwhere = "table 2"\ncolumns = ["Kind", "Tasks"]\nrows = [["tool", 2.0], ["game", ""]]\n'
    tree.put("reported/paper.toml", f'{TABLE}\n[[exhibits]]\nid = "kinds"\n{shown}')
    (after,) = tree.read().benchmarks[0].reported
    assert [[str(cell) for cell in row] for row in after.exhibits[0].rows] == [["tool", "2.0"], ["game", ""]]
    assert table_digest(before) == table_digest(after)


def test_rows_have_their_own_names(tree: Tree) -> None:
    expected_message = "`beta` is already the id of another row or of a bundle"
    assert published(tree, '"gamma"', '"beta"') == [
        Told("NAME-TWICE", "mini/reported/paper.toml:15", expected_message, RENAME)
    ]


def test_rows_of_two_tables_may_have_one_name_where_they_are_one_agent_s(tree: Tree) -> None:
    tree.put("reported/paper.toml", TABLE)
    tree.put("reported/site.toml", TABLE)
    assert tree.told() == []


def test_rows_of_two_agents_have_their_own_names(tree: Tree) -> None:
    tree.put("reported/paper.toml", TABLE)
    tree.put("reported/site.toml", TABLE.replace('name = "Beta"', 'name = "Delta"'))
    expected_message = "`beta` is already the id of another row or of a bundle"
    assert tree.told() == [Told("NAME-TWICE", "mini/reported/site.toml:8", expected_message, RENAME)]


def test_tables_of_two_tracks_may_share_names(tree: Tree) -> None:
    """A row's address begins with its track."""
    tree.put("reported/paper.toml", TABLE)
    tree.put("reported/site.toml", TABLE.replace('"main"', '"relay"'))
    assert tree.told() == []


def test_a_row_is_not_called_like_a_bundle(tree: Tree) -> None:
    expected_message = "`2026-06-25-acme` is already the id of another row or of a bundle"
    assert published(tree, '"gamma"', '"2026-06-25-acme"') == [
        Told("NAME-TWICE", "mini/reported/paper.toml:15", expected_message, RENAME)
    ]


@pytest.mark.parametrize("name", ["compare", "rows-2"])
def test_a_row_leaves_the_site_its_addresses(tree: Tree, name: str) -> None:
    expected_message = f'"{name}" is reserved for an address of the site'
    assert published(tree, '"gamma"', f'"{name}"') == [
        Told("NAME-RESERVED", "mini/reported/paper.toml:15", expected_message, "choose another name")
    ]


def test_a_table_is_about_a_track(tree: Tree) -> None:
    expected_message = "mini has no track `man`"
    assert published(tree, '"main"', '"man"') == [
        Told("TRACK-UNKNOWN", "mini/reported/paper.toml:2", expected_message, "did you mean `main`?")
    ]


def test_an_unknown_metric_is_told_once(tree: Tree) -> None:
    expected_message = "there is no metric `datset_score` (here and in 1 more place)"
    assert published(tree, "dataset_score", "datset_score") == [
        Told("METRIC-UNKNOWN", "mini/reported/paper.toml:12", expected_message, "did you mean `dataset_score`?")
    ]


def test_groups_lie_on_axes(tree: Tree) -> None:
    expected_message = "`kin` is not an axis of mini"
    assert published(tree, "kind =", "kin =") == [
        Told("AXIS-UNKNOWN", "mini/reported/paper.toml:19", expected_message, "did you mean `kind`?")
    ]


def test_groups_are_values_of_their_axis(tree: Tree) -> None:
    expected_message = 'axis "Kind" has no value "tol"'
    assert published(tree, "tool =", "tol =") == [
        Told("LABEL-UNKNOWN", "mini/reported/paper.toml:19", expected_message, "did you mean `tool`?")
    ]


def test_a_figure_in_quotes_is_told_at_its_line(tree: Tree) -> None:
    expected_message = '`rows.values.dataset_score` is "42.0"'
    assert published(tree, "42.0", '"42.0"') == [
        Told("TYPE-WRONG", "mini/reported/paper.toml:12", expected_message, "give a number, without quotes")
    ]


def test_an_unknown_key_of_a_figure_is_told_at_its_line(tree: Tree) -> None:
    (problem,) = published(tree, "sd =", "std =")
    assert problem[:3] == (
        "KEY-UNKNOWN",
        "mini/reported/paper.toml:19",
        "the key `rows.values.dataset_score.std` is unknown",
    )


def test_a_table_has_rows(tree: Tree) -> None:
    tree.put("reported/paper.toml", TABLE[: TABLE.index("[[rows]]")])
    expected_message = "the key `rows` is missing"
    assert tree.told() == [Told("KEY-MISSING", "mini/reported/paper.toml", expected_message, "add `rows`")]


def test_a_table_that_can_not_be_read_leaves_the_others(tree: Tree) -> None:
    tree.put("reported/a.toml", "schema =")
    tree.put("reported/paper.toml", TABLE)
    (results,) = tree.read().benchmarks
    assert [problem.code for problem in results.problems] == ["TOML-SYNTAX"]
    assert [table.title for table in results.reported] == ["Table 1"]
