"""Which submission came first is told by who had it, and by no date."""

import hashlib
import json
import subprocess
from datetime import date
from pathlib import Path

import pytest
from kit.results_folders import MANIFEST, ROUNDS, Tree

from sitegen.models.results import Arrivals
from sitegen.pipeline.releasing import lock_release, record_arrivals
from sitegen.store.readers.folder import read_results

FIRST, COPY = "2026-06-25-acme", "2020-01-01-copy"


def arrivals(tree: Tree, published: tuple[tuple[str, str], ...] = ()) -> Arrivals:
    (results,) = read_results(tree.folder, known_earlier=published).benchmarks
    return results.arrivals


def enter(tree: Tree, name: str = COPY) -> Path:
    return tree.add(name, *ROUNDS, manifest=MANIFEST.replace("2026-06-25", "2020-01-01").replace("Acme-1", "Copy"))


def commit(folder: Path, day: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Add results", f"--date={day}T00:00:00Z")


def git(folder: Path, *arguments: str) -> None:
    git_settings = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *git_settings, *arguments], check=True, capture_output=True)  # noqa: S607 - as above


def test_where_nothing_tells_neither_is_first(tree: Tree) -> None:
    enter(tree)
    arrival_order = arrivals(tree)
    assert not arrival_order.is_before(FIRST, COPY)
    assert not arrival_order.is_before(COPY, FIRST)


def test_what_the_base_had_came_first(tree: Tree) -> None:
    enter(tree)
    assert arrivals(tree, (("mini", FIRST),)).is_before(FIRST, COPY)


def test_what_a_release_had_came_first(tree: Tree) -> None:
    day = date(2026, 6, 25)
    lock_release(tree.folder, day, "", day)
    enter(tree)
    assert arrivals(tree).is_before(FIRST, COPY)


def test_what_git_had_came_first_whatever_the_commits_say(tree: Tree) -> None:
    git(tree.folder, "init", "-q")
    commit(tree.folder, "2026-06-25")
    enter(tree)
    assert arrivals(tree).is_before(FIRST, COPY)  # what nobody has committed came last
    commit(tree.folder, "2020-01-01")
    assert arrivals(tree).is_before(FIRST, COPY)


def test_a_merge_brings_what_the_branch_had_not(tree: Tree) -> None:
    """A commit may be older than the branch that it is merged into."""
    git(tree.folder, "init", "-q", "-b", "main")
    git(tree.folder, "commit", "-q", "--allow-empty", "-m", "Begin", "--date=2019-01-01T00:00:00Z")
    git(tree.folder, "checkout", "-q", "-b", "copy")
    copy = enter(tree)
    git(tree.folder, "add", str(copy))
    git(tree.folder, "commit", "-q", "-m", "Copy", "--date=2020-01-01T00:00:00Z")
    git(tree.folder, "checkout", "-q", "main")
    commit(tree.folder, "2026-06-25")
    git(tree.folder, "merge", "-q", "--no-ff", "-m", "Merge", "copy")
    assert arrivals(tree).is_before(FIRST, COPY)


@pytest.mark.parametrize("kind", ["submission", "benchmark"])
def test_what_has_another_name_now_came_when_it_came(tree: Tree, kind: str) -> None:
    enter(tree)
    tree.bundle.rename(tree.bundle.with_name("acme-now"))
    old, new = ("main/2026-06-25-acme", "main/acme-now") if kind == "submission" else ("main/acme-now",) * 2
    home = "mini" if kind == "submission" else "tiny"
    renamed = f'from = "{home}/{old}"\nto = "mini/{new}"' if kind == "submission" else 'from = "tiny"\nto = "mini"'
    tree.define("[aliases]", f"[[renamed]]\n{renamed}\n\n[aliases]")
    assert arrivals(tree, ((home, old.rpartition("/")[2]),)).is_before("acme-now", COPY)


def test_what_the_journal_had_came_first_whatever_its_folder_says(tree: Tree) -> None:
    record_arrivals(tree.folder, date(2026, 6, 25))
    enter(tree)
    record_arrivals(tree.folder, date(2026, 6, 26))
    assert arrivals(tree).is_before(FIRST, COPY)


def test_the_order_within_a_day_is_no_evidence(tree: Tree) -> None:
    enter(tree)
    record_arrivals(tree.folder, date(2026, 6, 26))
    arrival_order = arrivals(tree)
    assert not arrival_order.is_before(FIRST, COPY)
    assert not arrival_order.is_before(COPY, FIRST)


def test_a_release_names_the_last_line(tree: Tree) -> None:
    day = date(2026, 6, 25)
    record_arrivals(tree.folder, day)
    enter(tree)
    _, release = lock_release(tree.folder, day, "", day)
    lines = (tree.folder / "arrivals.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["n"] for line in lines] == [1, 2]
    assert json.loads(lines[1])["before"] == hashlib.sha256(lines[0]).hexdigest()
    assert release.arrivals == hashlib.sha256(lines[1]).hexdigest()
