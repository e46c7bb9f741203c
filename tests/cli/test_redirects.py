"""Addresses of a site that a board follows lead on, and hide nothing."""

from pathlib import Path

from bundles import Tree
from command import sitegen

RULE = '[[redirects]]\nfrom = "{}"\nto = "{}"\n\n'


def test_former_addresses_lead_on_and_those_that_hide_or_miss_a_page_are_refused(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    wrong = RULE.format("mini/main/", "mini/main") + RULE.format("gone", "mini/nowhere")
    tree.define("[aliases]", wrong + "[aliases]")
    refused = sitegen("build", "--results", tree.folder, "--site", tmp_path / "site")
    assert refused.returncode == 2
    assert "mini/main/: something stands there already" in refused.stderr
    assert "gone to mini/nowhere: the site has no such page" in refused.stderr
    tree.define(wrong, RULE.format("old/board.html", "mini/main") + RULE.format("Leaderboard", "mini"))
    done = sitegen("build", "--check-links", "--results", tree.folder, "--site", tmp_path / "site")
    assert done.returncode == 0, done.stderr
    for name, link in (("old/board.html", "../mini/main/"), ("Leaderboard/index.html", "../mini/")):
        page = (tmp_path / "site" / name).read_text(encoding="utf-8")
        assert f'content="0; url={link}"' in page
        assert f'href="{link}" data-forward' in page
