"""One name is one agent, and one agent has one name."""

import pytest
from bundles import MANIFEST, ROUNDS, Tree

ALIAS = '"acme one" = "Acme-1"'
TABLE = """\
schema = 1
track = "main"
title = "Table 1"
source = "A paper"
date = 2026-06-01

[[rows]]
id = "acme"
name = "ACME 1"
values = { dataset_score = 42.0 }
"""


def beside(tree: Tree, old: str = "", new: str = "") -> list[tuple[str, str, str, str]]:
    """Enter a second bundle with a changed manifest: give what is told, as code, severity, place and fact."""
    tree.add("2026-07-01-acme", *ROUNDS, manifest=MANIFEST.replace(old, new, 1).replace("06-25", "07-01"))
    return [(each.code, each.severity, each.place, each.what) for each in tree.told()]


PLACE = "mini/submissions/2026-07-01-acme/submission.toml"


@pytest.mark.parametrize(
    ("alias", "fact"),
    [
        ('"one" = "acme one"', "`one` stands for `acme one`, which stands for `Acme-1`"),
        ('"Acme-1" = "Acme-1"', "`Acme-1` stands for itself"),
        ('"Acme-1" = "acme one"', "`acme one` stands for `Acme-1`, which stands for `acme one`"),
    ],
)
def test_an_alias_leads_to_a_name(tree: Tree, alias: str, fact: str) -> None:
    tree.define(ALIAS, f"{ALIAS}\n{alias}")
    assert ("ALIAS-CHAINED", "error", fact) in [(each.code, each.severity, each.what) for each in tree.told()]


@pytest.mark.parametrize("name", ["acme 1", "ACME-1", "Acme_1", "Acme–1", "Acme-1\u200b", "Ａcme-1"])  # noqa: RUF001 - what it is about
def test_names_that_hardly_differ_are_told(tree: Tree, name: str) -> None:
    ((code, severity, place, what),) = beside(tree, "Acme-1", name)
    assert (code, severity, place) == ("AGENT-NAMES-ALIKE", "warning", f"{PLACE}:6")
    assert f"`{name}`" in what
    assert "`Acme-1`" in what


@pytest.mark.parametrize("name", ["Acme-1.1", "Acme-1+", "Acme-11", "Acme-2"])
def test_versions_are_names_of_their_own(tree: Tree, name: str) -> None:
    assert beside(tree, "Acme-1", name) == []


def test_an_alias_makes_two_names_one(tree: Tree) -> None:
    """Which then is there twice."""
    assert [code for code, *_ in beside(tree, "Acme-1", "acme one")] == ["AGENT-TWICE"]


def test_a_published_table_spells_an_agent_the_same_way(tree: Tree) -> None:
    tree.put("reported/paper.toml", TABLE)
    what = "`ACME 1` and `Acme-1` are hardly two names"
    assert [(each.code, each.place, each.what) for each in tree.told()] == [
        ("AGENT-NAMES-ALIKE", "submission.toml:6", what)
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "fact"),
    [
        (
            'organization = "Acme"',
            'organization = "Beta"',
            7,
            "the organization of `Acme-1` is `Beta`, but `Acme` in 2026-06-25-acme",
        ),
        (
            'organization = "Acme"',
            'model = "other"',
            7,
            "the model of `Acme-1` is `other`, but `provider/acme-1` in 2026-06-25-acme",
        ),
    ],
)
def test_a_name_is_one_model_of_one_organization(tree: Tree, old: str, new: str, line: int, fact: str) -> None:
    tree.edit("submission.toml", 'organization = "Acme"', 'organization = "Acme"\nmodel = "provider/acme-1"')
    told = [each for each in beside(tree, old, new) if each[0] != "AGENT-TWICE"]
    assert told == [("AGENT-CONTRADICTED", "error", f"{PLACE}:{line}", fact)]


def test_a_model_may_be_asked_from_another_provider(tree: Tree) -> None:
    tree.edit("submission.toml", 'organization = "Acme"', 'organization = "acme"\nmodel = "provider/acme-1"')
    told = beside(tree, 'organization = "Acme"', 'organization = "Acme"\nmodel = "Acme-1"')
    assert [code for code, *_ in told] == ["AGENT-TWICE"]


def test_an_agent_is_published_once_on_a_track(tree: Tree) -> None:
    what = "`Acme-1` has an older submission on main, 2026-06-25-acme"
    assert beside(tree) == [("AGENT-TWICE", "warning", f"{PLACE}:6", what)]


@pytest.mark.parametrize("key", ['scaffold = "terminus"', 'reasoning = "high"'])
def test_other_settings_make_another_agent(tree: Tree, key: str) -> None:
    assert beside(tree, 'organization = "Acme"', key) == []


def test_a_superseded_submission_makes_room(tree: Tree) -> None:
    tree.edit("submission.toml", "[detail]", '[status]\nstate = "superseded"\nby = "2026-07-01-acme"\n\n[detail]')
    assert beside(tree, '"Acme"', '"Beta"') == []


def test_a_reproduction_is_no_second_submission(tree: Tree) -> None:
    tree.findings("""
[[findings]]
date = 2026-07-02
kind = "reproduction"
title = "Run again"
submissions = ["2026-06-25-acme"]
rerun = "2026-07-01-acme"
""")
    assert beside(tree) == []
