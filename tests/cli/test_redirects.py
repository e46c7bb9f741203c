"""Addresses of a site that a board follows lead on, and hide nothing."""

from pathlib import Path

import pytest
from kit.command import sitegen
from kit.results_folders import Tree

RULE = '[[redirects]]\nfrom = "{}"\nto = "{}"\n\n'


def test_former_addresses_lead_on_and_those_that_hide_or_miss_a_page_are_refused(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    wrong = RULE.format("methods/metrics", "mini/main") + RULE.format("gone", "nowhere")
    tree.define("[aliases]", wrong + "[aliases]")
    refused = sitegen("build", "--results", tree.folder, "--site", tmp_path / "site")
    assert refused.returncode == 1
    assert "REDIRECT-TAKEN: methods/metrics is an address of the site" in refused.stderr
    right = RULE.format("submit/format", "mini/main")  # authored pages: results alone do not show them
    tree.define(RULE.format("methods/metrics", "mini/main"), right)
    refused = sitegen("build", "--results", tree.folder, "--site", tmp_path / "site")
    assert refused.returncode == 2
    assert "submit/format: the site already has a page there" in refused.stderr
    assert "gone to nowhere: the site has no such page" in refused.stderr
    wrong = right + RULE.format("gone", "nowhere")
    tree.define(wrong, RULE.format("old/board.html", "mini/main") + RULE.format("Leaderboard", "mini"))
    done = sitegen("build", "--check-links", "--results", tree.folder, "--site", tmp_path / "site")
    assert done.returncode == 0, done.stderr
    for name, link in (("old/board.html", "../mini/main/"), ("Leaderboard/index.html", "../mini/")):
        page = (tmp_path / "site" / name).read_text(encoding="utf-8")
        assert f'content="0; url={link}"' in page
        assert f'href="{link}" data-forward' in page


@pytest.mark.parametrize(
    "old",
    [
        "index.html",
        "404.html",
        "feed.xml",
        "mini",
        "mini/main/",
        "mini/main/index.html",
        "mini/main/2026-06-25-acme",
        "mini/main/certainty",
        "index.html/below",
        "methods",
    ],
)
def test_what_would_hide_a_page_is_refused_before_a_build(old: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.define("[aliases]", RULE.format(old, "mini/main") + "[aliases]")
    for path in (tree.folder, tree.benchmark):
        done = sitegen("validate", path)
        assert (done.returncode, "REDIRECT-TAKEN" in done.stdout) == (1, True)


@pytest.mark.parametrize("pair", [("old", "old/"), ("old.html", "old.html/below"), ("old/index.html", "old")])
def test_two_redirects_that_share_a_place_are_refused(pair: tuple[str, str], tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.define("[aliases]", "".join(RULE.format(old, "mini/main") for old in pair) + "[aliases]")
    done = sitegen("validate", tree.folder)
    assert (done.returncode, "REDIRECT-TAKEN" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("new", "code"),
    [
        ("mini/nowhere", 1),
        ("mini/main/nobody", 1),
        ("mini/main/tasks/none", 1),
        ("mini/main/tasks/wide", 0),
        ("mini/main/2026-06-25-acme/wide", 0),
        ("mini/integrity", 0),
        ("about", 0),
    ],
)
def test_a_redirect_to_no_page_of_a_benchmark_is_refused_before_a_build(new: str, code: int, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.define("[aliases]", RULE.format("old", new) + "[aliases]")
    done = sitegen("validate", tree.folder)
    assert (done.returncode, "REDIRECT-UNKNOWN" in done.stdout) == (code, bool(code)), done.stdout


@pytest.mark.parametrize(
    "old", ["../up", "/root", "a//b", "con.html", "aux/x", "b" * 121, "a\\u0000b", "a b", "ü.html"]
)
def test_what_no_site_can_have_is_no_former_address(old: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.define("[aliases]", RULE.format(old, "mini/main") + "[aliases]")
    done = sitegen("validate", tree.folder)
    assert (done.returncode, "redirects.from" in done.stdout) == (1, True)
