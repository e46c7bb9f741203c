"""What a build keeps for the next one: it is used where nothing has changed, and never believed otherwise."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from kit.command import ROOT, done
from kit.projects import project
from kit.results_folders import Tree as Results

from sitegen.publish.cache import BuildRecord, FileGroup, PageCache, cache_in
from sitegen.publish.site import SiteTree

T = TypeVar("T")
INPUTS, KEY = "a digest", "a key"
PAGES = ("index.html", "board/index.html")


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    tree = SiteTree(tmp_path / "site")
    for name in PAGES:
        tree.write_bytes(name, f"<h1>{name}</h1>".encode())
    return tree.root


def _opened(folder: Path, site: Path, use: Callable[[PageCache], T]) -> T:
    with cache_in(folder, site, site.with_name("results")) as cache:
        return use(cache)


def _left(folder: Path, site: Path) -> None:
    """Be a build that made the site as it stands, of one part, and found one thing out."""

    def build(cache: PageCache) -> None:
        cache.add_groups([(KEY, _part(cache, site.with_name("other")))])
        cache.put(KEY, b"found out")
        cache.keep(BuildRecord(INPUTS, 2))

    _opened(folder, site, build)


def _part(cache: PageCache, root: Path) -> FileGroup:
    tree = SiteTree(root)

    def make() -> list[str]:
        for name in PAGES:
            tree.write_bytes(name, b"made")
        return ["names"]

    return cache.group(KEY, tree, make)


def _found(folder: Path, site: Path, inputs: str = INPUTS) -> object:
    return _opened(folder, site, lambda cache: cache.last(inputs))


def _taken(folder: Path, site: Path) -> str:
    """Give what a page of the part has where a next build takes it over, or makes it."""
    root = site.with_name("next")
    shutil.rmtree(root, ignore_errors=True)
    _opened(folder, site, lambda cache: _part(cache, root))
    return (root / PAGES[1]).read_text(encoding="utf-8")


def _known(folder: Path, site: Path) -> bytes:
    return _opened(folder, site, lambda cache: bytes(cache.get(KEY) or b""))


def test_what_was_made_of_the_same_is_found_again(tmp_path: Path, site: Path) -> None:
    assert (_found(tmp_path / "kept", site), _known(tmp_path / "kept", site)) == (None, b"")
    _left(tmp_path / "kept", site)
    assert (_found(tmp_path / "kept", site), _known(tmp_path / "kept", site)) == ((2, []), b"found out")
    assert _found(tmp_path / "kept", site, "another digest") is None
    assert _taken(tmp_path / "kept", site) == "<h1>board/index.html</h1>"


def test_a_page_that_is_taken_over_and_then_written_stays_as_it_was_in_the_old_site(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
    _taken(tmp_path / "kept", site)
    SiteTree(tmp_path / "next").write_bytes(PAGES[1], b"anew")
    assert (site / PAGES[1]).read_text(encoding="utf-8") == "<h1>board/index.html</h1>"


def _rewrite(site: Path) -> None:
    page, text = site / PAGES[1], (site / PAGES[1]).read_text(encoding="utf-8")
    was = page.stat()
    page.write_text(text.replace("h1", "h2"), encoding="utf-8")
    os.utime(page, ns=(was.st_atime_ns, was.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "a page of the same size and time": _rewrite,
    "a page gone": lambda site: (site / PAGES[1]).unlink(),
    "all gone": shutil.rmtree,
    "a copy of all": lambda site: shutil.copytree(shutil.move(site, site.with_name("moved")), site),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_site_that_somebody_changed_is_made_anew(tmp_path: Path, site: Path, change: str) -> None:
    _left(tmp_path / "kept", site)
    CHANGES[change](site)
    assert _found(tmp_path / "kept", site) is None
    assert _taken(tmp_path / "kept", site) == "made"


def test_a_site_with_a_file_more_is_made_anew(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
    (site / "more.html").touch()
    assert _found(tmp_path / "kept", site) is None
    assert _taken(tmp_path / "kept", site) == "<h1>board/index.html</h1>"


@pytest.mark.parametrize("name", ["record", f"found/{KEY}"])
def test_what_is_broken_is_noticed_at_every_byte(tmp_path: Path, site: Path, name: str) -> None:
    _left(tmp_path / "kept", site)
    file = tmp_path / "kept" / name
    whole = file.read_bytes()

    def broken() -> Iterator[bytes]:
        for place in range(len(whole)):
            yield whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
            yield whole[:place]

    def known() -> bool:
        return bool(_found(tmp_path / "kept", site)) if name == "record" else bool(_known(tmp_path / "kept", site))

    for each in broken():
        file.write_bytes(each)
        assert not known()
    file.write_bytes(whole)
    assert known()


def test_what_comes_from_elsewhere_is_not_believed(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
    shutil.copytree(tmp_path / "kept", tmp_path / "copied")
    assert (_found(tmp_path / "copied", site), _known(tmp_path / "copied", site)) == (None, b"")
    shutil.copy(tmp_path / "kept" / "record", tmp_path / "kept" / "found" / "other")
    assert _opened(tmp_path / "kept", site, lambda cache: cache.get("other")) is None


def test_what_is_found_out_counts_once_the_site_stands_and_until_nobody_asks(tmp_path: Path, site: Path) -> None:
    _opened(tmp_path / "kept", site, lambda cache: cache.put(KEY, b"of a build that was killed"))
    assert _known(tmp_path / "kept", site) == b""
    _left(tmp_path / "kept", site)
    _opened(tmp_path / "kept", site, lambda cache: cache.keep(BuildRecord(INPUTS, 2)))
    assert list((tmp_path / "kept" / "found").iterdir()) == []


def test_a_build_whose_inputs_changed_meanwhile_leaves_nothing(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
    _opened(tmp_path / "kept", site, PageCache.clear)
    assert (_found(tmp_path / "kept", site), _known(tmp_path / "kept", site)) == (None, b"")


def test_nothing_is_kept_in_the_site_in_the_results_or_behind_a_link(tmp_path: Path, site: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for folder in (site / "kept", tmp_path / "results" / "kept", tmp_path / "link"):
        _left(folder, site)
        assert _found(folder, site) is None
        assert folder.is_symlink() or not folder.exists()
    assert not any((tmp_path / "elsewhere").iterdir())


def test_nothing_is_taken_over_that_nobody_can_name(tmp_path: Path, site: Path) -> None:
    def build(cache: PageCache) -> None:
        cache.add_groups([("", cache.group("", SiteTree(tmp_path / "other"), list))])
        cache.put("", b"found out")
        cache.keep(BuildRecord("", 2))

    _opened(tmp_path / "kept", site, build)
    assert _found(tmp_path / "kept", site, "") is None
    assert not (tmp_path / "kept" / "found").exists()


def test_who_comes_second_keeps_nothing(tmp_path: Path, site: Path) -> None:
    with cache_in(tmp_path / "kept", site, tmp_path / "results"):
        _left(tmp_path / "kept", site)
    assert _found(tmp_path / "kept", site) is None


def test_a_second_build_makes_nothing_until_something_changes(tmp_path: Path) -> None:
    tree, home = Results(tmp_path / "results"), tmp_path / "home"
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
