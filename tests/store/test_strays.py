"""Nothing in a benchmark's folders is skipped: extra files are reported, and nothing behind a link is read."""

import gzip
import os
from pathlib import Path

import pytest
from kit.results_folders import ROUNDS, Told, Tree

from sitegen.reading.files import LARGEST, LARGEST_UNPACKED, MEGABYTE
from sitegen.store.readers.bundles import LARGEST_BUNDLE

REMOVE = "remove it, or keep it outside of the results folder"


def places(tree: Tree) -> list[tuple[str, str]]:
    """Read the folder, and give code and place of every problem."""
    return [(problem.code, problem.place) for problem in tree.told()]


@pytest.mark.parametrize(
    ("name", "who"), [(".DS_Store", "macOS"), ("._rounds.jsonl", "macOS"), (".rounds.jsonl.swp", "an editor")]
)
def test_hidden_files_of_a_bundle_are_told_with_who_left_them(tree: Tree, name: str, who: str) -> None:
    (tree.bundle / name).write_bytes(b"x")
    fix = f"remove it: {who} left it behind, and a line in `.gitignore` keeps it out"
    assert tree.told() == [Told("FILE-HIDDEN", name, f"{name} is hidden: nobody would see it", fix)]


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("Thumbs.db", "Windows"),
        ("rounds.jsonl~", "an editor"),
        ("rounds.jsonl.orig", "a merge"),
        ("a.bak", "an editor"),
    ],
)
def test_leftovers_are_told_with_who_left_them(tree: Tree, name: str, who: str) -> None:
    (tree.bundle / name).write_bytes(b"x")
    fix = f"remove it: {who} left it behind, and a line in `.gitignore` keeps it out"
    assert tree.told() == [Told("FILE-UNEXPECTED", name, f"{name} is not part of a bundle", fix)]


def test_a_hidden_bundle_is_not_lost_without_a_word(tree: Tree) -> None:
    tree.add(".2026-06-26-acme", *ROUNDS)
    fix = "rename it without the dot if it is meant to be read, or remove it"
    location, expected_message = "mini/submissions/.2026-06-26-acme", ".2026-06-26-acme is hidden: nobody would see it"
    assert tree.told() == [Told("FILE-HIDDEN", location, expected_message, fix)]


def test_a_repository_inside_is_told(tree: Tree) -> None:
    (tree.bundle / ".git").mkdir()
    fix = "remove it: copy a bundle's files without the repository that they come from"
    assert tree.told() == [Told("FILE-HIDDEN", ".git", ".git is hidden: nobody would see it", fix)]


def test_a_hidden_benchmark_is_not_lost_without_a_word(tree: Tree) -> None:
    (tree.folder / ".old").mkdir()
    (tree.folder / ".old" / "benchmark.toml").write_text("", encoding="utf-8")
    assert places(tree) == [("FILE-HIDDEN", ".old")]


def test_what_belongs_to_other_tools_may_lie_beside_the_benchmarks(tree: Tree) -> None:
    (tree.folder / ".git").mkdir()
    (tree.folder / "README.md").write_text("x", encoding="utf-8")
    assert tree.told() == []


def test_a_bundle_has_no_folders(tree: Tree) -> None:
    (tree.bundle / "logs").mkdir()
    assert tree.told() == [Told("FILE-UNEXPECTED", "logs", "logs is not part of a bundle", REMOVE)]


def test_a_misspelled_file_is_told_with_the_one_meant(tree: Tree) -> None:
    (tree.bundle / "Runs.jsonl").write_text("{}", encoding="utf-8")
    fix = "did you mean `runs.jsonl`?"
    assert tree.told() == [Told("FILE-UNEXPECTED", "Runs.jsonl", "Runs.jsonl is not part of a bundle", fix)]


@pytest.mark.parametrize("name", ["README.md", "tasks/all.json", "reported/paper.csv", "submissions/notes.txt"])
def test_stray_files_of_a_benchmark_are_told(tree: Tree, name: str) -> None:
    tree.put(name, "x")
    assert places(tree) == [("FILE-UNEXPECTED", f"mini/{name}")]


@pytest.mark.parametrize("name", ["tasks/All Tasks.jsonl", "reported/A Paper.toml"])
def test_files_that_are_named_by_others_have_slugs(tree: Tree, name: str) -> None:
    tree.put(name, "")
    assert ("SLUG-INVALID", f"mini/{name}") in places(tree)


def test_names_that_are_one_elsewhere_are_told(tree: Tree) -> None:
    tree.add("2026-06-25-ACME", *ROUNDS)
    problems = [problem for problem in tree.told() if problem.code == "NAME-TWICE"]
    expected_message = (
        "2026-06-25-ACME and 2026-06-25-acme differ only in upper and lower case, and are the same file on some systems"
    )
    fix = "rename or remove one of the two"
    assert problems == [Told("NAME-TWICE", ".", expected_message, fix)]


@pytest.mark.parametrize("name", ["a\nb.txt", "a\u202eb.txt", os.fsdecode(b"a\xff.txt")])
def test_names_that_cannot_be_seen_are_told_in_plain_characters(tree: Tree, name: str) -> None:
    (tree.bundle / name).write_bytes(b"x")
    (problem,) = tree.told()
    assert (problem.code, problem.place) == ("NAME-ODD", ".")
    assert problem.what.isascii()


def test_a_bundle_whose_name_cannot_be_seen_is_told_of_the_benchmark(tree: Tree) -> None:
    tree.add("2026\u200b", *ROUNDS)
    assert places(tree) == [("NAME-ODD", "mini")]


@pytest.mark.parametrize("name", ["tasks", "submissions", "reported"])
def test_a_benchmark_s_folders_are_no_links(tree: Tree, name: str) -> None:
    folder = tree.benchmark / name
    folder.mkdir(exist_ok=True)
    folder.rename(tree.folder.parent / name)
    folder.symlink_to(tree.folder.parent / name)
    assert ("LINK-REFUSED", f"mini/{name}") in places(tree)


@pytest.mark.parametrize("name", ["findings.toml", "tasks/all.jsonl", "reported/paper.toml"])
def test_a_benchmark_s_files_are_no_links(tree: Tree, name: str) -> None:
    path = tree.benchmark / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to("/etc/hostname")
    assert ("LINK-REFUSED", f"mini/{name}") in places(tree)


def test_a_benchmark_is_no_link(tree: Tree) -> None:
    (tree.folder / "other").symlink_to(tree.benchmark)
    assert places(tree) == [("LINK-REFUSED", "other")]


def test_a_pipe_keeps_nobody_waiting(tree: Tree) -> None:
    (tree.bundle / "rounds.jsonl").unlink()
    os.mkfifo(tree.bundle / "rounds.jsonl")
    fix = "replace it with a file"
    assert tree.told() == [Told("FILE-UNREADABLE", "rounds.jsonl", "rounds.jsonl is not a plain file", fix)]


def grow(path: Path, size: int) -> None:
    """Make a file of a size that takes no room on disk."""
    path.touch()
    os.truncate(path, size)


def test_a_file_beyond_the_limit_is_not_read(tree: Tree) -> None:
    grow(tree.bundle / "runs.jsonl", LARGEST + MEGABYTE)
    problems = [
        (problem.code, problem.place, problem.what) for problem in tree.told() if problem.code != "CHECKSUM-MISSING"
    ]
    assert problems == [("FILE-TOO-LARGE", "runs.jsonl", "runs.jsonl is 101.0 MB, more than the limit of 100 MB")]


def test_a_file_that_people_write_is_small(tree: Tree) -> None:
    tree.write("submission.toml", "# long\n" * 200_000)
    expected_message = "submission.toml is 1.3 MB, more than the limit of 1 MB"
    assert [(problem.code, problem.what) for problem in tree.told()] == [("FILE-TOO-LARGE", expected_message)]


def test_a_bundle_beyond_the_limit_is_not_read(tree: Tree) -> None:
    for name in ("runs.jsonl", "failures.jsonl", "rounds.jsonl"):
        grow(tree.bundle / name, LARGEST_BUNDLE // 3 + MEGABYTE)
    expected_message = "the files are 203.0 MB in total, more than the limit of 200 MB"
    assert [(problem.code, problem.place, problem.what) for problem in tree.told()] == [
        ("BUNDLE-TOO-LARGE", ".", expected_message)
    ]


def test_a_small_file_cannot_unpack_to_a_large_one(tree: Tree) -> None:
    bomb = gzip.compress(b" " * MEGABYTE) * (LARGEST_UNPACKED // MEGABYTE + 1)
    assert len(bomb) < MEGABYTE
    tree.write("failures.jsonl.gz", bomb)
    expected_message = "failures.jsonl.gz is more than 300 times its size when unpacked"
    assert [(problem.code, problem.what) for problem in tree.told()] == [("FILE-TOO-LARGE", expected_message)]


@pytest.mark.parametrize("name", ["runs.jsonl", "failures.jsonl"])
def test_an_empty_file_is_told(tree: Tree, name: str) -> None:
    tree.write(name, "\n")
    assert tree.told() == [Told("FILE-EMPTY", name, f"{name} is empty", "remove the file, or add its lines")]


def test_an_empty_task_set_is_told(tree: Tree) -> None:
    tree.put("tasks/more.jsonl", "")
    assert places(tree) == [("FILE-EMPTY", "mini/tasks/more.jsonl")]
