"""A page's policy stands before all that it rules, and lets run what the page itself holds."""

import pytest

from sitegen.problems import BuilderError
from sitegen.publish.stamping import guarded, require_known_scripts

HEAD = '<head><meta charset="utf-8"><script>go()</script></head>'
GO = "sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw="
"""Of `go()`, by `printf 'go()' | openssl dgst -sha256 -binary | base64`."""


def policy(page: str) -> dict[str, str]:
    """Give a page's policy, by directive."""
    text = guarded(page).partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    return {name: value for name, _, value in (each.partition(" ") for each in text.split("; "))}


def test_it_stands_before_the_first_script() -> None:
    page = guarded(HEAD)
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
        require_known_scripts("x/index.html", guarded(HEAD) + smuggled)


def test_what_a_page_s_policy_names_may_stand_in_it() -> None:
    data = '<script type="application/ld+json">{}</script><script type="module" src="../assets/a.js"></script>'
    require_known_scripts("x/index.html", guarded(HEAD) + data)


def test_a_page_that_has_no_place_for_it_is_refused() -> None:
    with pytest.raises(BuilderError, match="can't be given a policy"):
        guarded("<html></html>")
