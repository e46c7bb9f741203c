"""What a build keeps for the next one: it is used where nothing has changed, and never believed otherwise."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from bundles import Tree
from command import ROOT, done
from projects import project

from sitegen.publish.cache import Cache, cache_in, inputs_digest
from sitegen.publish.project import Project

INPUTS = "a digest"


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    (tmp_path / "site" / "board").mkdir(parents=True)
    for name in ("index.html", "board/index.html"):
        (tmp_path / "site" / name).write_text(f"<h1>{name}</h1>", encoding="utf-8")
    return tmp_path / "site"


def _opened(folder: Path, site: Path, use: Callable[[Cache], object]) -> object:
    with cache_in(folder, site, site.with_name("results")) as cache:
        return use(cache)


def _left(folder: Path, site: Path) -> None:
    _opened(folder, site, lambda cache: cache.keep(INPUTS, 2, ()))


def _found(folder: Path, site: Path, inputs: str = INPUTS) -> object:
    return _opened(folder, site, lambda cache: cache.last(inputs))


def test_a_site_of_the_same_inputs_is_found_again(tmp_path: Path, site: Path) -> None:
    assert _found(tmp_path / "kept", site) is None
    _left(tmp_path / "kept", site)
    assert _found(tmp_path / "kept", site) == (2, [])
    assert _found(tmp_path / "kept", site, "another digest") is None


def _rewrite(site: Path) -> None:
    page, text = site / "index.html", (site / "index.html").read_text(encoding="utf-8")
    was = page.stat()
    page.write_text(text.replace("h1", "h2"), encoding="utf-8")
    os.utime(page, ns=(was.st_atime_ns, was.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "a page of the same size and time": _rewrite,
    "a page gone": lambda site: (site / "board" / "index.html").unlink(),
    "a page more": lambda site: (site / "more.html").touch(),
    "all gone": shutil.rmtree,
    "a copy of all": lambda site: shutil.copytree(shutil.move(site, site.with_name("moved")), site),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_site_that_somebody_changed_is_made_anew(tmp_path: Path, site: Path, change: str) -> None:
    _left(tmp_path / "kept", site)
    CHANGES[change](site)
    assert _found(tmp_path / "kept", site) is None


def test_a_broken_record_is_noticed_at_every_byte(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
    record = tmp_path / "kept" / "record"
    whole = record.read_bytes()
    for place in range(len(whole)):
        record.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert _found(tmp_path / "kept", site) is None, place
    for length in range(len(whole)):
        record.write_bytes(whole[:length])
        assert _found(tmp_path / "kept", site) is None, length
    record.write_bytes(whole)
    assert _found(tmp_path / "kept", site) == (2, [])


def test_a_record_from_elsewhere_is_not_believed(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
    shutil.copytree(tmp_path / "kept", tmp_path / "copied")
    assert _found(tmp_path / "copied", site) is None


def test_nothing_is_kept_in_the_site_in_the_results_or_behind_a_link(tmp_path: Path, site: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for folder in (site / "kept", tmp_path / "results" / "kept", tmp_path / "link"):
        _left(folder, site)
        assert _found(folder, site) is None
        assert folder.is_symlink() or not folder.exists()
    assert not any((tmp_path / "elsewhere").iterdir())


def test_nothing_is_kept_of_a_site_whose_inputs_nobody_knows(tmp_path: Path, site: Path) -> None:
    _opened(tmp_path / "kept", site, lambda cache: cache.keep("", 2, ()))
    assert _found(tmp_path / "kept", site, "") is None


def test_who_comes_second_keeps_nothing(tmp_path: Path, site: Path) -> None:
    with cache_in(tmp_path / "kept", site, tmp_path / "results"):
        _left(tmp_path / "kept", site)
    assert _found(tmp_path / "kept", site) is None


OUTSIDE = (
    "hooks: [own.py]",
    "plugins: [search, macros]",
    "plugins: [{macros: {}}]",
    "markdown_extensions: [pymdownx.snippets]",
    "copyright: !ENV [OWNER]",
)


@pytest.mark.parametrize("settings", OUTSIDE)
def test_settings_that_run_code_or_read_elsewhere_have_no_digest(tmp_path: Path, settings: str) -> None:
    (tmp_path / "mkdocs.yml").write_text("plugins: [search]\n", encoding="utf-8")
    assert inputs_digest(Project(tmp_path), tmp_path / "results")
    (tmp_path / "mkdocs.yml").write_text(f"{settings}\n", encoding="utf-8")
    assert inputs_digest(Project(tmp_path), tmp_path / "results") == ""


@pytest.mark.parametrize("name", ["mkdocs.yml", "site_src/index.md", "templates/pages/run.html.j2", "results/a.jsonl"])
def test_every_part_counts(tmp_path: Path, name: str) -> None:
    (tmp_path / "mkdocs.yml").write_text("plugins: [search]\n", encoding="utf-8")
    before = inputs_digest(Project(tmp_path), tmp_path / "results")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    with (tmp_path / name).open("a", encoding="utf-8") as file:
        file.write("# more\n")
    assert inputs_digest(Project(tmp_path), tmp_path / "results") not in {before, ""}
    assert inputs_digest(Project(tmp_path), tmp_path / "results", "another day") != before


def test_a_second_build_makes_nothing_until_something_changes(tmp_path: Path) -> None:
    tree, home = Tree(tmp_path / "results"), tmp_path / "home"
    home.mkdir()
    project(home, "https://example.org/")
    index = home / "site" / "index.html"

    def built(*options: str) -> tuple[str, int]:
        told = done("build", "--results", tree.folder, *options, folder=home)
        return told, index.stat().st_ino

    first = built()
    assert (home / ".sitegen" / "record").exists()
    assert not (ROOT / "results" / ".sitegen").exists()
    assert built() == first
    again = built("--cache", "other")
    assert again[0] == first[0]
    assert again[1] != first[1]
    tree.write("rounds.jsonl", (tree.bundle / "rounds.jsonl").read_text(encoding="utf-8") + "\n")
    changed = built("--cache", "other", "--allow-problems")
    assert changed[1] != again[1]
