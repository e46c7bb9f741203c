"""The site appears at once: a build that fails leaves the old site standing."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sitegen.problems import BuilderError, UsageError
from sitegen.publish.site.tree import SiteTree, replace_site

BUILDING = """
import sys
from pathlib import Path
from sitegen.publish.site.tree import replace_site
with replace_site(Path("site")) as (tree, _):
    tree.write_page("", "by another process")
    print("half-way", flush=True)
    sys.stdin.readline()
"""
"""Builds a site in another process, and stops half-way for as long as it is told nothing."""


@contextmanager
def half_way(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", BUILDING]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, text=True) as building:
        assert building.stdout
        assert building.stdout.readline() == "half-way\n"
        yield building


def publish(site: Path, text: str) -> None:
    with replace_site(site) as (tree, _):
        tree.write_page("", text)


def fail_half_way(tree: SiteTree) -> None:
    tree.write_page("", "new")
    raise OSError("no space")


def test_no_page_is_written_with_a_script_that_its_policy_does_not_name(tmp_path: Path) -> None:
    with pytest.raises(BuilderError, match="none of the theme's"):
        SiteTree(tmp_path).write_page("x/", "<script>steal()</script>")


def test_a_new_site_takes_the_place_of_the_old_one_as_a_whole(tmp_path: Path) -> None:
    site = tmp_path / "site"
    with replace_site(site) as (tree, _):
        tree.write_page("", "old")
        tree.write_page("gone/", "old")
    publish(site, "new")
    assert (site / "index.html").read_text(encoding="utf-8") == "new"
    assert not (site / "gone").exists()


def test_a_build_that_fails_leaves_the_old_site_and_nothing_else(tmp_path: Path) -> None:
    site = tmp_path / "site"
    publish(site, "old")
    with pytest.raises(OSError, match="no space"), replace_site(site) as (tree, _):
        fail_half_way(tree)
    assert (site / "index.html").read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_that_is_no_site_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(UsageError, match="was not built by sitegen"), replace_site(tmp_path):
        pass
    assert (tmp_path / "thesis.tex").exists()


def test_an_empty_folder_may_become_a_site(tmp_path: Path) -> None:
    publish(tmp_path, "new")
    assert (tmp_path / "index.html").exists()


def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path: Path) -> None:
    publish(tmp_path / "site", "old")
    with half_way(tmp_path) as building:
        building.send_signal(signal.SIGKILL)
    assert len(list(tmp_path.iterdir())) == 2
    publish(tmp_path / "site", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert (tmp_path / "site" / "index.html").read_text(encoding="utf-8") == "new"


def test_a_build_that_is_at_work_keeps_what_it_works_on(tmp_path: Path) -> None:
    with half_way(tmp_path) as building:
        publish(tmp_path / "site", "meanwhile")
        assert (tmp_path / "site" / "index.html").read_text(encoding="utf-8") == "meanwhile"
        building.communicate("go on\n")
    assert building.returncode == 0
    assert (tmp_path / "site" / "index.html").read_text(encoding="utf-8") == "by another process"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_site_that_was_on_its_way_out_when_its_build_was_killed_is_put_back(tmp_path: Path) -> None:
    """Where a system can't exchange folders, there is no site for a moment; and the next build may fail."""
    site = tmp_path / "site"
    publish(site, "old")
    with half_way(tmp_path) as building:
        building.send_signal(signal.SIGKILL)
    (leftover,) = tmp_path.glob(".sitegen-*")
    steps = [(leftover / ".lock").stat().st_ctime_ns, [["new/site", "site"]]]
    (leftover / "steps.json").write_text(json.dumps(steps), encoding="utf-8")
    (leftover / "old").mkdir()
    site.rename(leftover / "old" / "site")
    with pytest.raises(OSError, match="no space"), replace_site(site) as (tree, _):
        fail_half_way(tree)
    assert (site / "index.html").read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_of_somebody_else_with_such_a_name_stays(tmp_path: Path) -> None:
    for name in (".sitegen-mythesis", ".sitegen-thesis"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.tex").touch()
    (tmp_path / ".sitegen-notes_12").touch()
    publish(tmp_path / "site", "new")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"site", ".sitegen-mythesis", ".sitegen-thesis", ".sitegen-notes_12"}
