"""The builder knows what benchmarks and releases are called by marks alone; pages and search have the texts."""

import re
from html import escape
from pathlib import Path

from sitegen.publish.projects.project import Project
from sitegen.publish.site.authored import Additions, SlottedPage, Stub, building_authored
from sitegen.publish.site.search_index import SEARCH_INDEX, add_to_search
from sitegen.publish.site.tree import SiteTree

TITLE = '<img src=x onerror=go()> "@@content@@" {{ 7 * 7 }} [x](javascript:go())'


def test_no_title_reaches_the_builder_and_every_page_has_it_as_text(tmp_path: Path) -> None:
    work, site = tmp_path / "work", tmp_path / "site"
    release = SlottedPage("changelog/2026-01-01.md", TITLE, "release", "changelog/index.md")
    stubs = [Stub("a", "A", TITLE, "group-x"), Stub("b", TITLE, TITLE, "group-x"), Stub("c", TITLE)]
    additions = Additions(stubs, [release])
    with building_authored(Project(Path(__file__).parents[2]), additions, work, site) as finish:
        read = "".join(path.read_text(encoding="utf-8") for path in work.rglob("*") if path.suffix in {".md", ".yml"})
        assert "onerror" not in read
        finish()
    home = (site / "index.html").read_text(encoding="utf-8")
    assert home.count(escape(TITLE)) >= 2
    for page, active in (("a", True), ("b", True), ("c", False)):  # one tab for both of the group
        (tab,) = re.findall(
            r'<li class="([^"]*)"><a href="[^"]*#group-x"', (site / page / "index.html").read_text("utf-8")
        )
        assert ("--active" in tab) is active
    assert f"<title>{escape(TITLE)} - " in (site / "changelog/2026-01-01/index.html").read_text(encoding="utf-8")
    add_to_search(SiteTree(site), [])
    index = (site / SEARCH_INDEX).read_text(encoding="utf-8")
    assert "&lt;img src=x onerror=go()&gt;" in index
    assert "@@text-" not in home + index
