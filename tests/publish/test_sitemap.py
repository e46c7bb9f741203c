"""The map of a site holds every page, and nothing of the day it was built on."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from sitegen.publish.site import sitemap
from sitegen.publish.site.sitemap import write_sitemap
from sitegen.publish.site.tree import SiteTree

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SITE = "https://example.org/boards/"


@pytest.fixture
def tree(tmp_path: Path) -> SiteTree:
    tree = SiteTree(tmp_path)
    for address in ("", "methods/", "demo/chain/", "demo/chain/a&b/"):
        tree.write_page(address, "<p>A page</p>")
    tree.write("404.html", "<p>Nothing is here</p>")
    tree.write("sitemap.xml", "the builder's")
    tree.write("sitemap.xml.gz", "the builder's")
    return tree


def places(text: str) -> list[str | None]:
    return [location.text for location in ET.fromstring(text).iter(f"{NAMESPACE}loc")]  # noqa: S314 - written by ourselves


def test_every_page_is_in_the_map(tree: SiteTree) -> None:
    write_sitemap(tree, SITE)
    assert places((tree.root / "sitemap.xml").read_text(encoding="utf-8")) == [
        f"{SITE}{address}" for address in ("", "demo/chain/", "demo/chain/a&b/", "methods/")
    ]
    assert not (tree.root / "sitemap.xml.gz").exists()
    assert (tree.root / "robots.txt").read_text(encoding="utf-8").endswith(f"Sitemap: {SITE}sitemap.xml\n")


def test_the_map_of_a_site_without_an_address_is_empty(tree: SiteTree) -> None:
    """It is there, since the theme may ask for it."""
    write_sitemap(tree, "")
    assert places((tree.root / "sitemap.xml").read_text(encoding="utf-8")) == []
    assert "Sitemap" not in (tree.root / "robots.txt").read_text(encoding="utf-8")


def test_a_map_with_too_many_addresses_is_cut(tree: SiteTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "MAX_SITEMAP_ADDRESSES", 3)
    write_sitemap(tree, SITE)
    index_addresses = places((tree.root / "sitemap.xml").read_text(encoding="utf-8"))
    assert index_addresses == [f"{SITE}sitemap-1.xml", f"{SITE}sitemap-2.xml"]
    map_addresses = [places((tree.root / f"sitemap-{number}.xml").read_text(encoding="utf-8")) for number in (1, 2)]
    assert list(map(len, map_addresses)) == [3, 1]
