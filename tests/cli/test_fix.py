"""`sitegen validate --fix`: what is mechanical is mended in place, and nothing else is touched."""

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.results_folders import MANIFEST, ROUNDS, Tree, json_lines
from kit.review_day import TODAY
from kit.small_import import files_in

from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.repairing import Repairs, count_mendable, repair
from sitegen.publish.results.repairs import Repair

DATA_PROBLEMS, MACHINE_FAILED = 1, 4
MARK = b"\xef\xbb\xbf"
FAILURE = {"task": "tidy", "attempt": 1, "round": 2, "case": "c4"}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "results")


def fix(path: Path) -> list[str]:
    """Repair, and tell what was done: file, line and words."""
    done: list[Repair] = []
    repair(Repairs(path, TODAY), done.append)
    return [
        f"{completed_repair.path.name}:{completed_repair.line or ''} {completed_repair.description}"
        for completed_repair in done
    ]


def codes(path: Path) -> list[str]:
    return [problem.code for problem in evaluate(path, TODAY).problems()]


def test_checksums_that_stay_say_why(tree: Tree) -> None:
    claimed = bytes_of(tree, "submission.toml")
    (tree.bundle / "submission.toml").write_bytes(claimed.replace(b"dataset_score = 25.0", b"dataset_score = 26.0"))
    output = sitegen("validate", tree.folder, "--fix").stderr
    name = tree.bundle.name
    assert (
        output == f"the checksums of {name} are left unchanged, because the bundle has other problems: CLAIM-DIFFERS\n"
    )
    (tree.bundle / "submission.toml").write_bytes(claimed + b"# as it is meant\n")
    assert "updated: the current file is assumed" in sitegen("validate", tree.folder, "--fix").stderr


def bytes_of(tree: Tree, name: str) -> bytes:
    return (tree.bundle / name).read_bytes()


def mark_rounds(tree: Tree) -> None:
    tree.write("rounds.jsonl", MARK + bytes_of(tree, "rounds.jsonl"))


def mark_manifest_after_sealing(tree: Tree) -> None:
    """An editor put the mark in front: the checksum is the one of the file without it."""
    manifest = bytes_of(tree, "submission.toml")
    (tree.bundle / "submission.toml").write_bytes(MARK + manifest)


def turn_line_ends_after_sealing(tree: Tree) -> None:
    """What git does on some machines."""
    rounds = bytes_of(tree, "rounds.jsonl")
    (tree.bundle / "rounds.jsonl").write_bytes(rounds.replace(b"\n", b"\r\n"))


def cut_last_line_end_after_sealing(tree: Tree) -> None:
    rounds = bytes_of(tree, "rounds.jsonl")
    (tree.bundle / "rounds.jsonl").write_bytes(rounds.removesuffix(b"\n"))


def leave_blank_lines_after_sealing(tree: Tree) -> None:
    rounds = bytes_of(tree, "rounds.jsonl")
    (tree.bundle / "rounds.jsonl").write_bytes(rounds.replace(b"\n", b"\r\n\r\n").removesuffix(b"\r\n\r\n"))


def repeat_a_round(tree: Tree) -> None:
    tree.write("rounds.jsonl", json_lines(*ROUNDS, ROUNDS[1]).replace("\n", "\r\n"))


def leave_a_desktop(tree: Tree) -> None:
    for name in (".DS_Store", "._rounds.jsonl", "Thumbs.db", "desktop.ini"):
        (tree.bundle / name).write_bytes(b"\x00\x01")


def seal_with_a_desktop(tree: Tree) -> None:
    tree.write("desktop.ini", b"\x00\x01")


def lose_the_checksums(tree: Tree) -> None:
    (tree.bundle / "SHA256SUMS").unlink()


def change_after_sealing(tree: Tree) -> None:
    """A word in the manifest that nothing depends on."""
    manifest = bytes_of(tree, "submission.toml")
    (tree.bundle / "submission.toml").write_bytes(manifest.replace(b'organization = "Acme"', b'organization = "ACME"'))


def garble_the_checksums(tree: Tree) -> None:
    (tree.bundle / "SHA256SUMS").write_bytes(b"rounds.jsonl: fine\r\n" + bytes_of(tree, "SHA256SUMS"))


CLEAN: dict[Callable[[Tree], None], list[str]] = {
    mark_rounds: [
        "rounds.jsonl:1 byte order mark removed",
        "SHA256SUMS: checksum of rounds.jsonl renewed",
    ],
    mark_manifest_after_sealing: ["submission.toml:1 byte order mark removed"],
    turn_line_ends_after_sealing: ["rounds.jsonl: 3 lines now end with a line feed alone"],
    cut_last_line_end_after_sealing: ["rounds.jsonl: line feed added at the end"],
    leave_blank_lines_after_sealing: [
        "rounds.jsonl: 4 lines now end with a line feed alone",
        "rounds.jsonl: line feed added at the end",
        "rounds.jsonl: 2 blank lines removed",
    ],
    repeat_a_round: [
        "rounds.jsonl:4 removed, because it repeats line 2",
        "SHA256SUMS: checksum of rounds.jsonl renewed",
        "rounds.jsonl: 3 lines now end with a line feed alone",
    ],
    leave_a_desktop: [
        ".DS_Store: removed, 2 bytes",
        "._rounds.jsonl: removed, 2 bytes",
        "Thumbs.db: removed, 2 bytes",
        "desktop.ini: removed, 2 bytes",
    ],
    seal_with_a_desktop: ["desktop.ini: removed, 2 bytes", "SHA256SUMS: checksum of desktop.ini removed"],
    lose_the_checksums: [
        "SHA256SUMS: checksum of rounds.jsonl added",
        "SHA256SUMS: checksum of submission.toml added",
    ],
}
"""Faults, each with what is done about it: afterwards every file is as in the valid bundle."""

every_fault = pytest.mark.parametrize("spoil", [*CLEAN, change_after_sealing], ids=lambda fault: fault.__name__)


@pytest.mark.parametrize("spoil", CLEAN, ids=lambda fault: fault.__name__)
def test_a_mechanical_fault_is_mended_to_the_byte(tree: Tree, spoil: Callable[[Tree], None]) -> None:
    before = files_in(tree.folder)
    spoil(tree)
    assert files_in(tree.folder) != before
    assert fix(tree.folder) == CLEAN[spoil]
    assert files_in(tree.folder) == before
    assert codes(tree.folder) == []


@every_fault
def test_one_bundle_is_mended_as_the_whole_folder_is(tree: Tree, spoil: Callable[[Tree], None]) -> None:
    spoil(tree)
    assert fix(tree.bundle)
    assert codes(tree.folder) == []


@every_fault
def test_a_second_time_nothing_is_left_to_do(tree: Tree, spoil: Callable[[Tree], None]) -> None:
    spoil(tree)
    fix(tree.folder)
    once = files_in(tree.folder)
    assert fix(tree.folder) == []
    assert files_in(tree.folder) == once


@every_fault
def test_what_can_be_mended_is_counted_before(tree: Tree, spoil: Callable[[Tree], None]) -> None:
    spoil(tree)
    before = files_in(tree.folder)
    problems = evaluate(tree.folder, TODAY).problems()
    assert count_mendable(Repairs(tree.folder, TODAY), problems) == len(problems) > 0
    assert files_in(tree.folder) == before


def test_a_file_that_was_changed_is_taken_for_the_one_that_is_meant(tree: Tree) -> None:
    change_after_sealing(tree)
    manifest = bytes_of(tree, "submission.toml")
    assert fix(tree.folder) == [
        "SHA256SUMS: checksum of submission.toml updated: the current file is assumed to be right"
    ]
    assert bytes_of(tree, "submission.toml") == manifest
    assert hashlib.sha256(manifest).hexdigest() in bytes_of(tree, "SHA256SUMS").decode()


def test_checksums_that_cannot_be_read_are_written_anew(tree: Tree) -> None:
    before = bytes_of(tree, "SHA256SUMS")
    garble_the_checksums(tree)
    assert fix(tree.folder) == ['SHA256SUMS:1 removed, "rounds.jsonl: fine" is not a checksum of a file in this folder']
    assert bytes_of(tree, "SHA256SUMS") == before


def test_a_changed_file_in_a_faulty_bundle_may_be_damaged_and_is_left_alone(tree: Tree) -> None:
    """A reward and its checksum disagree, and so do the reward and the cases."""
    rounds = bytes_of(tree, "rounds.jsonl")
    (tree.bundle / "rounds.jsonl").write_bytes(rounds.replace(b'"reward": 1,', b'"reward": 0,'))
    before, problem_codes = files_in(tree.folder), codes(tree.folder)
    assert {"CHECKSUM-DIFFERS", "ROUND-PASS-WITHOUT-REWARD"} <= {*problem_codes}
    assert fix(tree.folder) == []
    assert files_in(tree.folder) == before


def test_a_repair_beside_a_fault_that_stays_keeps_the_checksums_right(tree: Tree) -> None:
    tree.change(1, reward=0.5)
    mark_rounds(tree)
    fix(tree.folder)
    assert "CHECKSUM-DIFFERS" not in codes(tree.folder)
    assert "ROUND-PASS-WITHOUT-REWARD" in codes(tree.folder)


def spoil_a_word(tree: Tree) -> None:
    tree.edit("submission.toml", "dataset_score", "datset_score")


def contradict_a_round(tree: Tree) -> None:
    tree.rounds(*ROUNDS, {**ROUNDS[1], "passed": 2})


def add_notes(tree: Tree) -> None:
    tree.write("notes.txt", "a word")


def add_a_link(tree: Tree) -> None:
    (tree.bundle / ".DS_Store").symlink_to(tree.benchmark / "benchmark.toml")


def add_a_folder(tree: Tree) -> None:
    (tree.bundle / "Thumbs.db").mkdir()


def lose_the_rounds(tree: Tree) -> None:
    """The checksums still name them: they may have been forgotten."""
    (tree.bundle / "rounds.jsonl").unlink()


def break_a_line(tree: Tree) -> None:
    tree.edit("rounds.jsonl", '"total": 4}', '"total": 4')


@pytest.mark.parametrize(
    "spoil",
    [spoil_a_word, contradict_a_round, add_notes, add_a_link, add_a_folder, lose_the_rounds, break_a_line],
    ids=lambda fault: fault.__name__,
)
def test_what_needs_a_decision_is_left_alone(tree: Tree, spoil: Callable[[Tree], None]) -> None:
    spoil(tree)
    before, problem_codes = files_in(tree.folder), codes(tree.folder)
    assert problem_codes
    assert fix(tree.folder) == []
    assert files_in(tree.folder) == before
    assert codes(tree.folder) == problem_codes


def test_failures_that_are_listed_twice_go(tree: Tree) -> None:
    lines = json_lines(FAILURE, FAILURE)
    tree.write("failures.jsonl.gz", gzip.compress(lines.encode()))
    assert "FAILURE-TWICE" in codes(tree.folder)
    assert fix(tree.folder)[0] == "failures.jsonl.gz:2 removed, because it repeats line 1"
    assert gzip.decompress(bytes_of(tree, "failures.jsonl.gz")).decode() == json_lines(FAILURE)
    assert codes(tree.folder) == []


def test_repeated_figures_of_runs_go(tree: Tree) -> None:
    run = {"task": "tidy", "attempt": 1, "turns": 4}
    tree.write("runs.jsonl", json_lines(run, run))
    assert codes(tree.folder) == ["RUN-TWICE"]
    fix(tree.folder)
    assert bytes_of(tree, "runs.jsonl").decode() == json_lines(run)
    assert codes(tree.folder) == []


def test_files_of_the_benchmark_are_mended_too(tree: Tree) -> None:
    definition = (tree.benchmark / "benchmark.toml").read_bytes()
    tree.put("benchmark.toml", MARK + definition)
    assert fix(tree.folder) == ["benchmark.toml:1 byte order mark removed"]
    assert (tree.benchmark / "benchmark.toml").read_bytes() == definition


def test_nothing_outside_of_the_named_path_is_touched(tree: Tree) -> None:
    other_bundle = tree.add("other", *ROUNDS)
    (other_bundle / "Thumbs.db").write_bytes(b"")
    before = files_in(tree.folder)
    assert fix(tree.bundle) == []
    assert files_in(tree.folder) == before


def test_a_bundle_behind_a_link_is_not_written_to(tree: Tree) -> None:
    mark_rounds(tree)
    moved = tree.folder.parent / "moved"
    tree.bundle.rename(moved)
    tree.bundle.symlink_to(moved)
    before = files_in(moved)
    fix(tree.folder)
    assert files_in(moved) == before


def test_repairs_are_told_beside_the_report(tree: Tree) -> None:
    mark_rounds(tree)
    done = sitegen("validate", tree.folder, "--fix", "--format", "json")
    assert json.loads(done.stdout) == {"schema": 1, "ok": True, "problems": [], "notes": []}
    assert "rounds.jsonl:1: byte order mark removed\n" in done.stderr
    assert done.returncode == 0


def test_what_is_left_ends_the_command_with_one(tree: Tree) -> None:
    tree.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 99.0")
    (tree.bundle / "desktop.ini").write_bytes(b"")
    done = sitegen("validate", tree.folder, "--fix")
    assert done.returncode == DATA_PROBLEMS
    assert done.stdout.endswith("1 error, 0 warnings\n")


@pytest.mark.parametrize("form", ["text", "markdown", "github"])
def test_a_report_says_what_can_be_repaired(tree: Tree, form: str) -> None:
    tree.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 99.0")
    (tree.bundle / "desktop.ini").write_bytes(b"")
    done = sitegen("validate", tree.folder, "--format", form)
    assert "2 errors, 0 warnings; 1 of these can be fixed with `--fix`" in done.stdout


def test_bundles_that_were_published_at_the_base_are_not_edited(tree: Tree, tmp_path: Path) -> None:
    """The new one is mended; of the other one the report tells, and does not offer to mend it."""
    shutil.copytree(tree.folder, tmp_path / "base")
    new = tree.add("2026-06-28-new", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "New-1"))
    for bundle in (tree.bundle, new):
        (bundle / "Thumbs.db").write_bytes(b"")
    done = sitegen("validate", tree.folder, "--fix", "--base", tmp_path / "base")
    assert (tree.bundle / "Thumbs.db").exists()
    assert not (new / "Thumbs.db").exists()
    assert done.returncode == DATA_PROBLEMS
    assert "can be fixed" not in sitegen("validate", tree.bundle, "--base", tmp_path / "base").stdout


ALLOWED_EDITS = [
    ("", '\n[status]\nstate = "withdrawn"\ndate = 2026-06-30\nreason = "Its logs were lost."\n'),
    ("baseline = true\n", ""),
    ("embargo = 2026-06-28\n", ""),
]
"""Text at the top and at the end of a published manifest that its maintainers may add."""


@pytest.mark.parametrize(("top", "end"), ALLOWED_EDITS)
def test_an_allowed_edit_of_a_published_manifest_gets_its_checksum(
    tree: Tree, tmp_path: Path, top: str, end: str
) -> None:
    manifest = bytes_of(tree, "submission.toml").decode()
    if "embargo" in top:
        tree.write("submission.toml", "embargo = 2027-01-01\n" + manifest)
    shutil.copytree(tree.folder, tmp_path / "base")
    (tree.bundle / "submission.toml").write_text(top + manifest + end, encoding="utf-8")
    checked = sitegen("validate", tree.folder, "--base", tmp_path / "base")
    assert "1 of these can be fixed with `--fix`" in checked.stdout
    fixed = sitegen("validate", tree.folder, "--fix", "--base", tmp_path / "base")
    assert fixed.stderr.endswith("SHA256SUMS: checksum of submission.toml updated after an allowed edit\n")
    assert fixed.returncode == 0, fixed.stdout


@pytest.mark.parametrize("day", ["2027-01-02", "2026-12-01"])
def test_an_edit_of_a_published_manifest_that_is_not_allowed_keeps_its_checksum(
    tree: Tree, tmp_path: Path, day: str
) -> None:
    """An embargo that ends later is not allowed; nor are rounds that changed with an allowed edit."""
    manifest = bytes_of(tree, "submission.toml").decode()
    tree.write("submission.toml", "embargo = 2027-01-01\n" + manifest)
    shutil.copytree(tree.folder, tmp_path / "base")
    (tree.bundle / "submission.toml").write_text(f"embargo = {day}\n" + manifest, encoding="utf-8")
    if day < "2027":
        (tree.bundle / "rounds.jsonl").write_bytes(bytes_of(tree, "rounds.jsonl").replace(b"1", b"0", 1))
    sums = bytes_of(tree, "SHA256SUMS")
    fixed = sitegen("validate", tree.folder, "--fix", "--base", tmp_path / "base")
    assert "are left unchanged, because the bundle is published: restore its files as they were" in fixed.stderr
    assert bytes_of(tree, "SHA256SUMS") == sums


FULL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
sys.argv = ["sitegen", "validate", sys.argv[1], "--fix"]
from sitegen.cli import main
main()
"""
"""Runs the command where no file can grow beyond 200 bytes, as on a disk that is full."""


def test_a_disk_that_refuses_leaves_everything_as_it_was(tree: Tree) -> None:
    """The first file of the two fits, the second does not."""
    mark_rounds(tree)
    tree.put("benchmark.toml", (tree.benchmark / "benchmark.toml").read_bytes() + b"\n" * 300)
    (tree.bundle / "Thumbs.db").write_bytes(b"\x00")
    before = files_in(tree.folder)
    command = [sys.executable, "-c", FULL_DISK, str(tree.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == MACHINE_FAILED, done.stderr
    limit = "a file would exceed 200 bytes, the limit of this session (`ulimit -f`)"
    assert done.stderr == f"error: {limit}; nothing was changed\n"
    assert files_in(tree.folder) == before
    assert not list(tree.folder.parent.rglob(".sitegen-*"))
