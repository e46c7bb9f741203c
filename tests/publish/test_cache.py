"""What a build keeps for the next one: it is used where nothing has changed, and never believed otherwise.

It may travel: contents decide, and neither times nor places.
"""

import os
import pickle
import shutil
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import pytest
from kit.command import ROOT, done
from kit.projects import project
from kit.results_folders import Tree as Results

from sitegen.models.submission import Agent
from sitegen.publish.site.cache import BuildRecord, FileGroup, PageCache, cache_in
from sitegen.publish.site.object_files import pack_objects, unpack_objects
from sitegen.publish.site.tree import SiteTree, replace_site

T = TypeVar("T")
INPUTS, KEY = "a digest", "a key"
PAGES = ("index.html", "board/index.html")


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    with replace_site(tmp_path / "site") as (tree, _):
        for name in PAGES:
            tree.write_bytes(name, f"<h1>{name}</h1>".encode())
    return tmp_path / "site"


def _opened(folder: Path, site: Path, use: Callable[[PageCache], T]) -> T:
    with cache_in(folder, site, site.with_name("results")) as cache:
        return use(cache)


def _left(folder: Path, site: Path) -> None:
    """Be a build that made the site as it stands, of one part, and found one thing out."""
    group = FileGroup({name: sha256((site / name).read_bytes()).hexdigest() for name in PAGES}, ["names"])

    def build(cache: PageCache) -> None:
        cache.add_groups([(KEY, group)])
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
    return _opened(folder, site, lambda cache: cache.reuse_last_site(inputs, site.with_name("results")))


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


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _rewrite(site: Path) -> None:
    page, text = site / PAGES[1], (site / PAGES[1]).read_text(encoding="utf-8")
    stat_before = page.stat()
    page.write_text(text.replace("h1", "h2"), encoding="utf-8")
    os.utime(page, ns=(stat_before.st_atime_ns, stat_before.st_mtime_ns))


IN_PLACE = "a page of the same size and time"
"""Changes a file of the cache too, which is the same one."""
CHANGES: dict[str, Callable[[Path], object]] = {
    IN_PLACE: _rewrite,
    "a page gone": lambda site: (site / PAGES[1]).unlink(),
    "all gone": shutil.rmtree,
    "a file more": lambda site: (site / "more.html").touch(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_site_that_somebody_changed_is_put_together_again(tmp_path: Path, site: Path, change: str) -> None:
    _left(tmp_path / "kept", site)
    before = _contents(site)
    CHANGES[change](site)
    if change == IN_PLACE:
        assert _found(tmp_path / "kept", site) is None
    else:
        assert _found(tmp_path / "kept", site) == (2, [])
        assert _contents(site) == before


@pytest.mark.parametrize("change", CHANGES)
def test_the_next_site_has_no_page_that_somebody_changed(tmp_path: Path, site: Path, change: str) -> None:
    _left(tmp_path / "kept", site)
    CHANGES[change](site)
    assert _taken(tmp_path / "kept", site) == ("made" if change == IN_PLACE else "<h1>board/index.html</h1>")


def test_a_copy_of_the_site_stays_and_is_not_read_twice(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
    shutil.copytree(shutil.move(site, site.with_name("moved")), site)
    inode = (site / PAGES[1]).stat().st_ino
    record = (tmp_path / "kept" / "record").read_bytes()
    for _ in range(2):
        assert _found(tmp_path / "kept", site) == (2, [])
        assert (site / PAGES[1]).stat().st_ino == inode
        assert (tmp_path / "kept" / "record").read_bytes() != record


@pytest.mark.parametrize("transport", ["copied", "tar", "without times"])
def test_a_cache_that_travelled_makes_the_site_again(tmp_path: Path, site: Path, transport: str) -> None:
    _left(tmp_path / "kept", site)
    before = _contents(site)
    (tmp_path / "away").mkdir()
    if transport == "tar":
        pack = ["tar", "--create", "--file", "kept.tar", "kept"]
        for command in (pack, ["tar", "--extract", "--file", "kept.tar", "--directory", "away"]):
            subprocess.run(command, cwd=tmp_path, check=True)
    else:
        function = shutil.copyfile if transport == "without times" else shutil.copy2
        shutil.copytree(tmp_path / "kept", tmp_path / "away" / "kept", copy_function=function)
    away = tmp_path / "away" / "site"
    assert _taken(tmp_path / "away" / "kept", away) == "<h1>board/index.html</h1>"
    assert _known(tmp_path / "away" / "kept", away) == b"found out"
    assert _found(tmp_path / "away" / "kept", away) == (2, [])
    assert _contents(away) == before


@pytest.mark.parametrize("cut", [False, True])
def test_a_file_of_the_cache_that_is_broken_is_not_used(tmp_path: Path, site: Path, *, cut: bool) -> None:
    _left(tmp_path / "kept", site)
    content = (site / PAGES[1]).read_bytes()
    cached_file = tmp_path / "kept" / "files" / sha256(content).hexdigest()
    shutil.rmtree(site)
    cached_file.write_bytes(content[:-1] if cut else content.replace(b"h1", b"h2"))
    assert _found(tmp_path / "kept", site) is None
    assert not site.exists()
    assert _taken(tmp_path / "kept", site) == "made"
    assert not cached_file.exists()


def test_a_kept_file_that_is_a_link_is_not_used(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
    cached_file = tmp_path / "kept" / "files" / sha256((site / PAGES[1]).read_bytes()).hexdigest()
    cached_file.rename(tmp_path / "elsewhere")
    cached_file.symlink_to(tmp_path / "elsewhere")
    shutil.rmtree(site)
    assert _found(tmp_path / "kept", site) is None


@pytest.mark.parametrize("name", ["../outside", "/outside", "a//b", "a/../../outside", ""])
def test_a_forged_record_can_not_name_files_elsewhere(tmp_path: Path, site: Path, name: str) -> None:
    (tmp_path / "outside").write_bytes(b"secret")
    group = FileGroup({name: sha256(b"secret").hexdigest()}, [])

    def forge(cache: PageCache) -> None:
        cache.add_groups([(KEY, group)])
        cache.keep(BuildRecord(INPUTS, 2))

    _opened(tmp_path / "kept", site, forge)
    assert _taken(tmp_path / "kept", site) == "made"
    with pytest.raises(ValueError, match="outside"), replace_site(tmp_path / "other") as (tree, _):
        tree.write_bytes("../outside", b"forged")
    assert (tmp_path / "outside").read_bytes() == b"secret"


def test_a_cache_with_a_folder_that_is_a_link_is_left_alone(tmp_path: Path, site: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine").touch()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "files").symlink_to(tmp_path / "elsewhere")
    _left(tmp_path / "kept", site)
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["mine"]
    assert _found(tmp_path / "kept", site) is None


def test_code_is_only_run_where_it_was_written(tmp_path: Path, site: Path) -> None:
    def build(cache: PageCache) -> None:
        cache.put("code", b"compiled", is_code=True)
        cache.keep(BuildRecord(INPUTS, 2))

    _opened(tmp_path / "kept", site, build)
    shutil.copytree(tmp_path / "kept", tmp_path / "copied")
    for name, code in {"kept": b"compiled", "copied": b""}.items():
        restored_code = _opened(tmp_path / name, site, lambda cache: bytes(cache.get("code", is_code=True) or b""))
        assert restored_code == code


class _Forged:
    """Runs a command where it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch forged",)


def test_objects_are_restored_and_no_function_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    agent = Agent(name="Agent")
    assert unpack_objects(pack_objects([agent]), {}) == [agent]
    forged = [pickle.dumps(_Forged()), b"cos\nsystem\n(S'touch forged'\ntR.", pickle.dumps(Path("/etc/passwd")), b"."]
    assert [unpack_objects(pickled, {}) for pickled in forged] == [None] * len(forged)
    assert not (tmp_path / "forged").exists()


@pytest.mark.parametrize("name", ["record", f"found/{KEY}"])
def test_what_is_broken_is_noticed_at_every_byte(tmp_path: Path, site: Path, name: str) -> None:
    _left(tmp_path / "kept", site)
    file = tmp_path / "kept" / name
    content = file.read_bytes()

    def broken() -> Iterator[bytes]:
        for offset in range(len(content)):
            yield content[:offset] + bytes([content[offset] ^ 1]) + content[offset + 1 :]
            yield content[:offset]

    def known() -> bool:
        return bool(_found(tmp_path / "kept", site)) if name == "record" else bool(_known(tmp_path / "kept", site))

    for broken_content in broken():
        file.write_bytes(broken_content)
        assert not known()
    file.write_bytes(content)
    assert known()


def test_what_was_kept_under_another_name_is_not_believed(tmp_path: Path, site: Path) -> None:
    _left(tmp_path / "kept", site)
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


def test_a_group_with_a_file_of_unknown_content_is_made_again_and_the_others_are_not(
    tmp_path: Path, site: Path
) -> None:
    unknown = FileGroup({PAGES[0]: ""}, [])
    known_group = FileGroup({PAGES[1]: sha256((site / PAGES[1]).read_bytes()).hexdigest()}, ["names"])

    def build(cache: PageCache) -> None:
        cache.add_groups([("copied", unknown), (KEY, known_group)])
        cache.keep(BuildRecord(INPUTS, 2))

    _opened(tmp_path / "kept", site, build)
    assert _taken(tmp_path / "kept", site) == "<h1>board/index.html</h1>"

    def group_of_copies(cache: PageCache) -> FileGroup:
        return cache.group("copied", SiteTree(tmp_path / "other"), lambda: ["made again"])

    assert _opened(tmp_path / "kept", site, group_of_copies).returned == ["made again"]


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
        output = done("build", "--results", tree.folder, *options, folder=home)
        return output, index.stat().st_ino

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
