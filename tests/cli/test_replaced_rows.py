"""A row of a published table whose place another takes: releases that have it are built, and its address leads on."""

import json
from pathlib import Path

import pytest
from kit.command import done
from kit.projects import project
from kit.results_folders import MANIFEST, ROUNDS, Tree
from lxml import html

BUNDLE, NAME = "2026-07-02-bolt", 'Bolt <a href="bolt.md">'
TITLE = '[First](first.md) & <a href="one.md">'


def table(day: str, *rows: tuple[str, str, float]) -> str:
    """Print a table of rows: id, agent and score."""
    head = f'schema = 1\ntrack = "main"\ntitle = "Table of {day}"\nsource = "Paper of {day}"\ndate = {day}\n'
    return head + "".join(
        f"\n[[rows]]\nid = '{name}'\nname = '{agent}'\nvalues = {{ dataset_score = {score} }}\n"
        for name, agent, score in rows
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site in whose release two rows were reported: since, one has a submission, and one a later table."""
    work = tmp_path_factory.mktemp("replaced")
    tree = Tree(project(work, "https://example.org/") / "results")
    tree.put("reported/early.toml", table("2026-06-01", ("bolt", NAME, 40.5), ("cedar", "Cedar", 30.5)))
    done("release", "2026-07-01", "--title", TITLE, folder=work)
    manifest = MANIFEST.replace('"Acme-1"', f"'{NAME}'").replace("dataset_score = 25.0\n", "")
    tree.add(BUNDLE, *ROUNDS, manifest=manifest)
    tree.put("reported/late.toml", table("2026-07-03", ("cedar-2", "Cedar", 35.5)))
    done("release", "2026-07-08", folder=work)
    done("build", folder=work)
    return work / "site"


def page(site: Path, address: str) -> html.HtmlElement:
    return html.fromstring((site / address / "index.html").read_bytes())


@pytest.mark.parametrize(("old", "new"), [("bolt", BUNDLE), ("cedar", "cedar-2")])
def test_its_address_leads_to_what_stands_for_it(site: Path, old: str, new: str) -> None:
    (link,) = page(site, f"mini/main/{old}").cssselect("a[data-forward]")
    assert link.get("href") == f"../../../mini/main/{new}/"


@pytest.mark.parametrize("name", ["badge.svg", "card.png"])
def test_what_others_show_of_it_stays(site: Path, name: str) -> None:
    assert (site / "mini/main/bolt" / name).read_bytes() == (site / "mini/main" / BUNDLE / name).read_bytes()


def test_no_run_is_said_to_have_been_there(site: Path) -> None:
    assert not (site / "mini/main/bolt/tidy").exists()


def test_the_board_as_it_was_leads_to_where_they_are_now(site: Path) -> None:
    rows = page(site, "changelog/2026-07-01/mini/main").cssselect("table[data-snapshot] tbody tr")
    links = {row.get("data-row"): row.cssselect("th a")[0].get("href") for row in rows}
    assert links["bolt"] == f"../../../../mini/main/{BUNDLE}/"
    assert links["cedar"] == "../../../../mini/main/cedar-2/"


def test_the_changelog_says_what_stands_for_them(site: Path) -> None:
    changes = page(site, "changelog/2026-07-08").cssselect("[data-change]")
    texts = {change.get("data-change"): " ".join(str(change.text_content()).split()) for change in changes}
    assert texts.keys() == {"recomputed", "rescored"}
    assert f"{NAME} now has scores recomputed from raw results" in texts["recomputed"]
    assert "Cedar's Dataset Score rose from 30.5 to 35.5Cause: published table added" in texts["rescored"]
    rows = [
        element.get("data-row") for element in page(site, "changelog/2026-07-08").cssselect("[data-event='rescored']")
    ]
    assert rows == [f"mini-main-{name}" for name in (BUNDLE, "cedar-2")]


def test_the_earlier_value_stands_beside_the_later(site: Path) -> None:
    text = " ".join(str(page(site, "mini/main/cedar-2").text_content()).split())
    assert "The same agent also appears in Table of 2026-06-01 (2026-06-01); scores published there" in text
    assert "30.5Paper of 2026-06-01" in text
    board = page(site, "mini/main")
    (claim,) = board.cssselect("tr#cedar-2 td[data-label='Claimed']")
    assert claim.text_content().strip() == "30.5"
    sources = [" ".join(str(notice.text_content()).split()) for notice in board.cssselect("[data-notice='reported']")]
    assert sources[0].startswith("additional figures for 1 agent as reported by Table of 2026-06-01")
    assert sources[1].startswith("1 agent as reported by Table of 2026-07-03")


def test_both_rows_are_told_to_programs_by_their_names_then(site: Path) -> None:
    release = json.loads((site / "api/v1/releases/2026-07-01.json").read_text(encoding="utf-8"))
    assert {row["id"] for row in release["boards"][0]["rows"]} >= {"bolt", "cedar"}


def test_a_title_of_a_release_is_text(site: Path) -> None:
    released = page(site, "changelog/2026-07-01")
    (heading,) = released.cssselect("h1 .sg-name")
    assert heading.text_content().strip() == f"{TITLE}, 2026-07-01"
    assert released.findtext("head/title").startswith(f"{TITLE}, 2026-07-01 - ")
