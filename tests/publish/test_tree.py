"""The site appears at once: a build that fails leaves the old site standing."""

from pathlib import Path

import pytest

from sitegen.errors import UsageError
from sitegen.publish.tree import Tree, replacing


def publish(site: Path, text: str) -> None:
    with replacing(site) as (tree, _):
        tree.write_page("", text)


def fail_half_way(tree: Tree) -> None:
    tree.write_page("", "new")
    raise OSError("no space")


def test_a_new_site_takes_the_place_of_the_old_one_as_a_whole(tmp_path: Path) -> None:
    site = tmp_path / "site"
    with replacing(site) as (tree, _):
        tree.write_page("", "old")
        tree.write_page("gone/", "old")
    publish(site, "new")
    assert (site / "index.html").read_text(encoding="utf-8") == "new"
    assert not (site / "gone").exists()


def test_a_build_that_fails_leaves_the_old_site_and_nothing_else(tmp_path: Path) -> None:
    site = tmp_path / "site"
    publish(site, "old")
    with pytest.raises(OSError, match="no space"), replacing(site) as (tree, _):
        fail_half_way(tree)
    assert (site / "index.html").read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_that_is_no_site_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(UsageError, match="no site of sitegen's"), replacing(tmp_path):
        pass
    assert (tmp_path / "thesis.tex").exists()


def test_an_empty_folder_may_become_a_site(tmp_path: Path) -> None:
    publish(tmp_path, "new")
    assert (tmp_path / "index.html").exists()
