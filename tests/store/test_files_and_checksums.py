"""Whether a bundle has its files, and whether they are the ones that were sealed."""

import gzip
import shutil

import pytest
from kit.results_folders import Told, Tree

from sitegen.reading.shape import SLUG_INVALID

SEAL = "run `sha256sum` over the bundle's files and write the result to SHA256SUMS"
RESTORE = "restore the file, or run `sha256sum` over the bundle's files again if the change is intended"
FAILURE = '{"task": "tidy", "attempt": 1, "round": 2, "case": "c4"}\n'


def test_a_valid_tree_has_no_problem(tree: Tree) -> None:
    assert tree.told() == []


def test_the_manifest_is_needed(tree: Tree) -> None:
    (tree.bundle / "submission.toml").unlink()
    assert tree.told() == [Told("FILE-MISSING", "submission.toml", "submission.toml is missing", "add the file")]


def test_the_rounds_are_needed(tree: Tree) -> None:
    """That the file is missing is said once, and not again for each of its records."""
    (tree.bundle / "rounds.jsonl").unlink()
    assert tree.told() == [Told("FILE-MISSING", "rounds.jsonl", "rounds.jsonl is missing", "add the file")]


def test_the_checksums_are_needed(tree: Tree) -> None:
    (tree.bundle / "SHA256SUMS").unlink()
    assert tree.told() == [Told("FILE-MISSING", "SHA256SUMS", "SHA256SUMS is missing", SEAL)]


def test_an_empty_folder_is_no_bundle(tree: Tree) -> None:
    for file in tree.bundle.iterdir():
        file.unlink()
    assert tree.told() == [
        Told("FOLDER-EMPTY", ".", "the folder is empty", "add the bundle's files, or remove the folder")
    ]


def test_a_bundle_holds_nothing_else(tree: Tree) -> None:
    tree.write("notes.txt", "a word")
    fix = "remove it, or keep it outside of the results folder"
    assert tree.told() == [Told("FILE-UNEXPECTED", "notes.txt", "notes.txt is not part of a bundle", fix)]


def test_failures_are_given_once(tree: Tree) -> None:
    tree.write("failures.jsonl", FAILURE)
    tree.write("failures.jsonl.gz", gzip.compress(FAILURE.encode()))
    message = "there are two files of failures, failures.jsonl.gz and failures.jsonl"
    assert tree.told() == [Told("FILE-UNEXPECTED", "failures.jsonl", message, "keep one of them")]


def test_a_folder_in_the_place_of_a_file_is_said_to_be_one(tree: Tree) -> None:
    (tree.bundle / "rounds.jsonl").unlink()
    (tree.bundle / "rounds.jsonl").mkdir()
    tree.seal()
    problems = tree.told()
    assert Told("FILE-UNREADABLE", "rounds.jsonl", "rounds.jsonl is a folder", "replace it with a file") in problems


@pytest.mark.parametrize("packed", [b"plain text", gzip.compress(b"{}\n", mtime=0)[:-9], b"\x1f\x8b\x08\x00"])
def test_broken_gzip_is_told(tree: Tree, packed: bytes) -> None:
    tree.write("failures.jsonl.gz", packed)
    (problem,) = tree.told()
    assert problem[:2] == ("FILE-UNREADABLE", "failures.jsonl.gz")
    assert problem.what.startswith("failures.jsonl.gz can't be unpacked: ")
    assert problem.fix == "pack the file again with `gzip`"


def test_packed_failures_are_read(tree: Tree) -> None:
    tree.write("failures.jsonl.gz", gzip.compress(b'{"task":"tidy","attempt":1,"round":2,"case":"c4"}\n'))
    assert [failure.case for failure in tree.read_bundle().failures.of_task("tidy")] == ["c4"]


def test_a_changed_file_differs_from_its_checksum(tree: Tree) -> None:
    with (tree.bundle / "rounds.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")
    (problem,) = tree.told()
    assert (problem.code, problem.place, problem.fix) == ("CHECKSUM-DIFFERS", "SHA256SUMS:1", RESTORE)
    assert problem.what.startswith("rounds.jsonl has SHA-256 ")


def test_a_file_without_checksum_is_told(tree: Tree) -> None:
    (tree.bundle / "runs.jsonl").write_text('{"task": "tidy", "attempt": 1}\n', encoding="utf-8")
    assert tree.told() == [Told("CHECKSUM-MISSING", "SHA256SUMS", "runs.jsonl has no checksum", SEAL)]


def test_a_checksum_without_file_is_told(tree: Tree) -> None:
    tree.write("runs.jsonl", "")
    (tree.bundle / "runs.jsonl").unlink()
    fix = "add the file, or remove its line from SHA256SUMS"
    assert tree.told() == [
        Told("FILE-MISSING", "SHA256SUMS:2", "runs.jsonl has a checksum but is missing", fix),
    ]


def test_a_line_that_is_no_checksum_is_told(tree: Tree) -> None:
    sums = tree.bundle / "SHA256SUMS"
    sums.write_text("rounds.jsonl: fine\n" + sums.read_text(encoding="utf-8"), encoding="utf-8")
    message = '"rounds.jsonl: fine" is not a checksum of a file in this folder'
    assert tree.told() == [Told("CHECKSUM-SYNTAX", "SHA256SUMS:1", message, "write the file with `sha256sum`")]


def test_a_checksum_reaches_no_file_outside_of_the_bundle(tree: Tree) -> None:
    sums = tree.bundle / "SHA256SUMS"
    with sums.open("a", encoding="utf-8") as file:
        file.write(f"{'0' * 64}  ../../benchmark.toml\n")
    (problem,) = tree.told()
    assert (problem.code, problem.place) == ("CHECKSUM-SYNTAX", "SHA256SUMS:3")


@pytest.mark.parametrize(("old", "new"), [("\n", "\r\n"), ("  ", " *"), ("  ", "  ./")])
def test_checksums_may_come_from_any_system(tree: Tree, old: str, new: str) -> None:
    sums = tree.bundle / "SHA256SUMS"
    sums.write_bytes(sums.read_text(encoding="utf-8").replace(old, new).encode())
    assert tree.told() == []


def test_a_name_that_is_no_slug_is_refused(tree: Tree) -> None:
    folder = tree.bundle.rename(tree.bundle.parent / "Acme 1")
    fix = SLUG_INVALID.fix
    message = 'the folder name "Acme 1" is not a slug'
    assert tree.told() == [Told("SLUG-INVALID", f"mini/submissions/{folder.name}", message, fix)]


@pytest.mark.parametrize("name", ["compare", "rows-2"])
def test_a_name_that_the_site_uses_is_refused(tree: Tree, name: str) -> None:
    tree.bundle.rename(tree.bundle.parent / name)
    message = f'"{name}" is reserved for an address of the site'
    assert tree.told() == [Told("NAME-RESERVED", f"mini/submissions/{name}", message, "choose another name")]


def test_a_file_beside_the_bundles_is_told(tree: Tree) -> None:
    (tree.bundle.parent / "notes.txt").write_text("", encoding="utf-8")
    (problem,) = tree.told()
    assert (problem.code, problem.place) == ("FILE-UNEXPECTED", "mini/submissions/notes.txt")


def test_hidden_files_beside_the_bundles_are_left_alone(tree: Tree) -> None:
    (tree.bundle.parent / ".gitkeep").touch()
    assert tree.told() == []


NAME = "name a results folder, a benchmark folder or a bundle"
NOTHING = Told("NOTHING-FOUND", ".", "the folder contains no benchmark and no bundle", NAME)


def test_a_benchmark_without_bundles_is_told_and_is_no_error(tree: Tree) -> None:
    """Every leaderboard begins so."""
    shutil.rmtree(tree.bundle)
    (problem,) = tree.told()
    assert (problem.code, problem.place) == ("NOTHING-YET", "mini")
    assert "sitegen import" in problem.fix


def test_an_empty_results_folder_is_an_error(tree: Tree) -> None:
    shutil.rmtree(tree.benchmark)
    assert tree.told() == [NOTHING]


def test_the_folder_above_the_results_is_none(tree: Tree) -> None:
    (tree.folder / "results").mkdir()
    tree.benchmark.rename(tree.folder / "results" / tree.benchmark.name)
    (tree.folder / "site_src").mkdir()
    assert tree.told() == [NOTHING]


def test_no_results_folder_is_an_error(tree: Tree) -> None:
    shutil.rmtree(tree.folder)
    assert tree.told() == [Told("NOTHING-FOUND", ".", f"{tree.folder} is not a folder", NAME)]


def test_releases_are_no_benchmark(tree: Tree) -> None:
    (tree.folder / "releases").mkdir()
    assert tree.told() == []


def test_a_link_to_elsewhere_is_no_file_of_a_bundle(tree: Tree) -> None:
    elsewhere = tree.folder.parent / "elsewhere.jsonl"
    elsewhere.write_bytes((tree.bundle / "rounds.jsonl").read_bytes())
    (tree.bundle / "rounds.jsonl").unlink()
    (tree.bundle / "rounds.jsonl").symlink_to(elsewhere)
    (problem,) = tree.told()
    assert (problem.code, problem.place) == ("LINK-REFUSED", "rounds.jsonl")


def test_a_bundle_s_folder_is_no_link_either(tree: Tree) -> None:
    moved = tree.folder.parent / "moved"
    tree.bundle.rename(moved)
    tree.bundle.symlink_to(moved)
    assert [problem.code for problem in tree.told()] == ["LINK-REFUSED"]
