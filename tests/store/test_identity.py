"""One name is one agent, and one agent has one name."""

import pytest
from kit.results_folders import MANIFEST, ROUNDS, Tree
from pydantic import ValidationError

from sitegen.models.names import FROM_FILE
from sitegen.models.submission import Agent
from sitegen.pages import labels
from sitegen.store.readers.folder import read_results

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
    """Enter a bundle that is said to be older beside one that was there: give code, severity, place and fact."""
    tree.add("2026-07-01-acme", *ROUNDS, manifest=MANIFEST.replace(old, new, 1).replace("06-25", "01-01"))
    problems = read_results(tree.folder, known_earlier=[("mini", "2026-06-25-acme")]).all_problems()
    located_problems = [(problem, problem.path.relative_to(tree.folder).as_posix()) for problem in problems]
    return [
        (problem.code, problem.severity, f"{name}:{problem.line}", problem.what) for problem, name in located_problems
    ]


def beside_unknown(tree: Tree, old: str = "", new: str = "") -> list[tuple[str, str, str]]:
    """Enter a second bundle where nothing tells which came first: give code, place and fact."""
    tree.add("2026-07-01-acme", *ROUNDS, manifest=MANIFEST.replace(old, new, 1))
    return [(problem.code, problem.place, problem.what) for problem in tree.told()]


PLACE = "mini/submissions/2026-07-01-acme/submission.toml"


@pytest.mark.parametrize(
    ("alias", "fact"),
    [
        ('"one" = "acme one"', "`one` is an alias of `acme one`, which is an alias of `Acme-1`"),
        ('"Acme-1" = "Acme-1"', "`Acme-1` is an alias of itself"),
        ('"Acme-1" = "acme one"', "`acme one` is an alias of `Acme-1`, which is an alias of `acme one`"),
    ],
)
def test_an_alias_leads_to_a_name(tree: Tree, alias: str, fact: str) -> None:
    tree.define(ALIAS, f"{ALIAS}\n{alias}")
    assert ("ALIAS-CHAINED", "error", fact) in [
        (problem.code, problem.severity, problem.what) for problem in tree.told()
    ]


@pytest.mark.parametrize(
    "name",
    [
        *("acme 1", "ACME-1", "Acme_1", "Acme\u20131", "\uff21cme-1"),
        *("Acme-l", "\u0410cme-1", "\u0391cme-1", "\u13aacme-1", "\ua4eecme-1", "A\u0441me-1", "Acrne-1"),
        *("Acm\u0117-1", "Ac\u0323me-1", "\u00c1cme-1", "Acm\u1eb9-1", "A\u010bm\u00e9-1"),
    ],
)
def test_names_that_hardly_differ_are_told(tree: Tree, name: str) -> None:
    ((code, severity, location, message),) = beside(tree, "Acme-1", name)
    assert (code, severity, location) == ("AGENT-NAMES-ALIKE", "warning", f"{PLACE}:6")
    assert f"`{name}`" in message
    assert "`Acme-1`" in message


@pytest.mark.parametrize("key", ["name", "organization"])
@pytest.mark.parametrize("mark", ["\u2713", "\u2714", "\u2705", "\u25c9", "\u25cf", "\u2691", "\U0001f947", "\u2605"])
def test_a_name_has_no_sign_by_which_pages_show_a_verdict(tree: Tree, key: str, mark: str) -> None:
    named = {"name": "Acme-1", "organization": "Acme"}[key]
    tree.edit("submission.toml", f'{key} = "{named}"', f'{key} = "{mark} verified"')
    (problem,) = tree.told()
    assert (problem.code, f"U+{ord(mark):04X}" in problem.what) == ("NAME-ODD", True)


def test_every_sign_of_a_page_that_looks_like_a_verdict_is_refused_in_names() -> None:
    ordinary = set("\u00b7\u00d7\u00bb\u2013!")
    shown = {*labels.MARKS.values(), *labels.PRESENCES.values(), labels.FLAG}
    shown |= {mark for mark, *_ in (*labels.EVIDENCE.values(), *labels.CASES.values())}
    for mark in shown - ordinary:
        with pytest.raises(ValidationError):
            Agent.model_validate({"name": f"{mark} Acme"}, context=FROM_FILE)


def test_an_import_leaves_signs_of_verdicts_out_of_the_names_of_its_source() -> None:
    assert Agent(name="\u2705 Acme-1 \u2713").name == "Acme-1"
    assert Agent(name="\u2705").name == "unnamed"


@pytest.mark.parametrize("letter", ["\u0421", "\u03f9", "\u13df", "\ua4da"])
def test_the_first_letter_of_another_script_is_told(tree: Tree, letter: str) -> None:
    """Cyrillic, Greek, Cherokee, Lisu."""
    tree.edit("submission.toml", '"Acme-1"', '"Claude"')
    assert [code for code, *_ in beside(tree, "Acme-1", f"{letter}laude")] == ["AGENT-NAMES-ALIKE"]


def test_an_organization_that_looks_like_another_is_told(tree: Tree) -> None:
    ((code, _, location, message),) = beside(
        tree, 'name = "Acme-1"\norganization = "Acme"', 'name = "B"\norganization = "Acrne"'
    )
    assert (code, location, message) == (
        "AGENT-NAMES-ALIKE",
        f"{PLACE}:7",
        "`Acme` and `Acrne` differ only in case, spaces, accents or punctuation",
    )


@pytest.mark.parametrize(
    "name", ["\u667a\u8c31-5", "\u042f\u043d\u0434\u0435\u043a\u0441 5", "\u00c9t\u00e9 2", "\u0643\u0644\u0648\u062f"]
)
def test_names_of_other_scripts_are_names(tree: Tree, name: str) -> None:
    assert beside(tree, '"Acme-1"\norganization = "Acme"', f'"{name}"\norganization = "{name}"') == []


@pytest.mark.parametrize(
    ("reasoning", "other_reasoning"), [("high ", "high"), ("  high", "high"), ("e\u0301lev\u00e9", "\u00e9lev\u00e9")]
)
def test_blanks_around_a_name_and_parts_of_letters_make_no_other_agent(
    tree: Tree, reasoning: str, other_reasoning: str
) -> None:
    tree.edit("submission.toml", '"Acme-1"', f'"Acme-1 "\nreasoning = "{other_reasoning}"')
    assert [code for code, *_ in beside(tree, '"Acme-1"', f'" Acme-1"\nreasoning = "{reasoning}"')] == ["AGENT-TWICE"]


@pytest.mark.parametrize("key", ["name", "organization", "model", "scaffold", "reasoning"])
@pytest.mark.parametrize(
    "mark", ["\\u00AD", "\\u200B", "\\u202E", "\\u0007", "\\u3164", "\\u2800", "\\u00A0", "\\u034F", "\\uFFFE"]
)
def test_what_nobody_sees_is_no_part_of_a_name(tree: Tree, key: str, mark: str) -> None:
    if key in {"name", "organization"}:
        tree.edit("submission.toml", f'{key} = "Acme', f'{key} = "A{mark}cme')
    else:
        tree.edit("submission.toml", 'organization = "Acme"', f'{key} = "A{mark}cme"')
    (problem,) = (candidate for candidate in tree.told() if candidate.code != "TEXT-DECEPTIVE")
    line = 6 if key == "name" else 7
    expected_message = f"`agent.{key}` has invisible characters: U+{mark[2:]}"
    assert (problem.code, problem.severity, problem.place, problem.what) == (
        "NAME-ODD",
        "error",
        f"submission.toml:{line}",
        expected_message,
    )


@pytest.mark.parametrize("key", ["organization", "reasoning"])
def test_a_lone_blank_is_no_name(tree: Tree, key: str) -> None:
    tree.edit("submission.toml", 'organization = "Acme"', f'{key} = "  "')
    assert [(problem.code, problem.what) for problem in tree.told()] == [("VALUE-REFUSED", f'`agent.{key}` is "  "')]


@pytest.mark.parametrize("name", ["Acme-1.1", "Acme-1+", "Acme-11", "Acme-2"])
def test_versions_are_names_of_their_own(tree: Tree, name: str) -> None:
    assert beside(tree, "Acme-1", name) == []


def test_an_alias_makes_two_names_one(tree: Tree) -> None:
    """Which then is there twice."""
    assert [code for code, *_ in beside(tree, "Acme-1", "acme one")] == ["AGENT-TWICE"]


def test_a_published_table_spells_an_agent_the_same_way(tree: Tree) -> None:
    tree.put("reported/paper.toml", TABLE)
    expected_message = "`ACME 1` and `Acme-1` differ only in case, spaces, accents or punctuation"
    assert [(problem.code, problem.place, problem.what) for problem in tree.told()] == [
        ("AGENT-NAMES-ALIKE", "submission.toml:6", expected_message)
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
    problems = [problem for problem in beside(tree, old, new) if problem[0] != "AGENT-TWICE"]
    assert problems == [("AGENT-CONTRADICTED", "error", f"{PLACE}:{line}", fact)]


def test_a_model_may_be_asked_from_another_provider(tree: Tree) -> None:
    tree.edit("submission.toml", 'organization = "Acme"', 'organization = "acme"\nmodel = "provider/acme-1"')
    problems = beside(tree, 'organization = "Acme"', 'organization = "Acme"\nmodel = "Acme-1"')
    assert [code for code, *_ in problems] == ["AGENT-TWICE"]


def test_where_nothing_tells_which_was_first_both_are_told_the_same(tree: Tree) -> None:
    """A date is written by whoever sends a bundle in."""
    facts = [
        f"`Acme-1` has another submission on main, {name}; it is unknown which came first"
        for name in ("2026-07-01-acme", "2026-06-25-acme")
    ]
    assert beside_unknown(tree, "2026-06-25", "2020-01-01") == [
        ("AGENT-TWICE", location, fact)
        for location, fact in zip(("submission.toml:6", f"{PLACE}:6"), facts, strict=True)
    ]


def test_an_impostor_with_an_early_date_makes_no_error_of_another_s_bundle(tree: Tree) -> None:
    tree.edit("submission.toml", "2026-06-25", "2026-06-26")
    problems = [(code, location) for code, _, location, _ in beside(tree, '"Acme"', '"Beta"')]
    assert problems == [("AGENT-CONTRADICTED", f"{PLACE}:7"), ("AGENT-TWICE", f"{PLACE}:6")]


def test_an_agent_is_published_once_on_a_track(tree: Tree) -> None:
    expected_message = "`Acme-1` has an older submission on main, 2026-06-25-acme"
    assert beside(tree) == [("AGENT-TWICE", "warning", f"{PLACE}:6", expected_message)]


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
