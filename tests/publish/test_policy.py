"""A page's policy stands before all that it rules, and lets run what the page itself holds."""

import re
import shutil
from pathlib import Path

import pytest
from kit.built_sites import site_of
from kit.command import done
from lxml import html

from sitegen.problems import BuilderError
from sitegen.publish.site.stamping import add_policy, require_known_scripts

HEAD = '<head><meta charset="utf-8"><script>go()</script></head>'
GO = "sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw="
"""Of `go()`, by `printf 'go()' | openssl dgst -sha256 -binary | base64`."""


def policy(page: str) -> dict[str, str]:
    """Give a page's policy, by directive."""
    text = add_policy(page).partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    return {name: value for name, _, value in (directive.partition(" ") for directive in text.split("; "))}


def test_it_stands_before_the_first_script() -> None:
    page = add_policy(HEAD)
    assert page.index("Content-Security-Policy") < page.index("<script>")


def test_an_inline_script_is_named_by_its_hash() -> None:
    assert policy(HEAD)["script-src"] == f"'self' '{GO}'"


def test_a_script_that_stands_twice_is_named_once() -> None:
    assert policy(HEAD + "<script>go()</script>")["script-src"].count("sha256") == 1


def test_a_style_of_the_page_itself_is_named_by_its_hash() -> None:
    assert policy(f"{HEAD}<style>go()</style>")["style-src"] == f"'self' '{GO}'"


@pytest.mark.parametrize(
    "harmless",
    ['<script src="a.js"></script>', '<script type="application/json">{}</script>', "<code>&lt;script&gt;</code>"],
)
def test_files_data_and_quotations_need_no_hash(harmless: str) -> None:
    assert policy(HEAD + harmless)["script-src"] == f"'self' '{GO}'"


def test_inline_scripts_are_those_of_a_site_without_submissions_but_for_the_way_to_its_root(tmp_path: Path) -> None:
    results = tmp_path / "with"
    done("demo", results, "--agents", "2", "--tasks", "2", "--attempts", "1")
    none = shutil.copytree(results, tmp_path / "without", ignore=shutil.ignore_patterns("submissions"))
    scripts, shown = inline_scripts(site_of(results)), inline_scripts(site_of(none, "--allow-problems"))
    assert scripts == shown
    assert len(scripts) > 1


def inline_scripts(site: Path) -> set[str]:
    """Give the inline scripts of a site, each without its way to the root; blocks of data run nothing."""
    scripts: set[str] = set()
    for path in site.rglob("*.html"):
        page = html.fromstring(path.read_bytes())
        texts = (str(script.text) for script in page.cssselect("script:not([src]):not([type$=json])"))
        scripts |= {re.sub(r'(?<=new URL\(")[./]+', "", text) for text in texts}
    return scripts


def test_nothing_is_allowed_but_what_is_named() -> None:
    rules = policy(HEAD)
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == rules["worker-src"] == rules["base-uri"] == rules["form-action"] == "'self'"
    assert rules["font-src"] == "'self'"
    assert "unsafe" not in rules["script-src"] + rules["style-src"]


@pytest.mark.parametrize(
    "smuggled",
    [
        "<script>steal()</script>",
        "<SCRIPT >steal()</SCRIPT >",
        "<script/x>steal()</script>",
        '<script x=" src=">steal()</script>',
        "<script x=' type=\"application/json\"'>steal()</script>",
    ],
)
def test_a_script_that_came_after_the_policy_is_refused(smuggled: str) -> None:
    with pytest.raises(BuilderError, match=r"x/index.html has a script that is none of the theme's.*steal"):
        require_known_scripts("x/index.html", add_policy(HEAD) + smuggled)


def test_what_a_page_s_policy_names_may_stand_in_it() -> None:
    data = '<script type="application/ld+json">{}</script><script type="module" src="../assets/a.js"></script>'
    require_known_scripts("x/index.html", add_policy(HEAD) + data)


def test_a_page_that_has_no_place_for_it_is_refused() -> None:
    with pytest.raises(BuilderError, match="can't be given a policy"):
        add_policy("<html></html>")
