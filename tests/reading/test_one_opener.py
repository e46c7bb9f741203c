"""Files of strangers: one opener, which follows nothing, waits for nobody and reads no more than a kind of file has."""

import gzip
import os
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from kit.evocodebench_trees import imported, passed, publish_cells
from kit.evocodebench_trees import refused as refused_of_evocodebench
from kit.small_tables import HEAD, OPTIONS

import sitegen
from sitegen.importers.table.source import read_table
from sitegen.models.outcome import RunFigures
from sitegen.models.record import Count
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST, MEGABYTE, largest_of, opened, read_bytes
from sitegen.reading.json import LineKind, read_json, read_lines

PACKAGE = Path(sitegen.__file__).parent
READERS = [*(PACKAGE / "store").rglob("*.py"), *(PACKAGE / "importers").rglob("*.py")]


def link(path: Path) -> None:
    """Put a link to what stands there in its place."""
    path.symlink_to(path.rename(path.with_name("elsewhere")))


def endless(path: Path) -> None:
    """Put a link to a file without an end in its place."""
    path.unlink()
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    """Put a pipe that nobody writes to in its place."""
    path.unlink()
    os.mkfifo(path)


def test_who_reads_results_or_sources_opens_nothing_itself() -> None:
    for module in READERS:
        text = module.read_text(encoding="utf-8")
        assert not re.findall(r"\bopen\(|\.(?:fdopen|read_text|read_bytes)\(", text), module


SPOILED = [(link, "is a symbolic link"), (endless, "is a symbolic link"), (pipe, "is not a plain file")]


def publication_with_sweep(folder: Path) -> Path:
    """Write a publication of one task, with its table of sweeps."""
    source = publish_cells(folder, passed())
    (source / "sweep_2026-06.csv").write_text("task,total_rounds,GPT-5.5,__note\ntidy,1,1/1,x\n", encoding="utf-8")
    return source


@pytest.mark.parametrize(("spoil", "why"), SPOILED)
def test_the_index_of_a_publication_is_a_plain_file(tmp_path: Path, spoil: Callable[[Path], None], why: str) -> None:
    source = publication_with_sweep(tmp_path)
    spoil(source / "index.json")
    (error,) = refused_of_evocodebench(source)
    assert error.code in {"LINK-REFUSED", "FILE-UNREADABLE"}
    assert (error.path, error.what) == (source / "index.json", f"index.json {why}")


@pytest.mark.parametrize(("spoil", "why"), SPOILED)
def test_the_tasks_of_a_publication_are_plain_files(tmp_path: Path, spoil: Callable[[Path], None], why: str) -> None:
    source = publication_with_sweep(tmp_path)
    spoil(source / "tasks/tidy.json")
    (error,) = refused_of_evocodebench(source)
    assert (error.code, error.what) == ("SOURCE-EMPTY", f"no file of a task can be used: tidy.json {why}")


@pytest.mark.parametrize(("spoil", "why"), SPOILED)
def test_a_table_of_sweeps_is_a_plain_file_or_not_used(tmp_path: Path, spoil: Callable[[Path], None], why: str) -> None:
    source = publication_with_sweep(tmp_path)
    spoil(source / "sweep_2026-06.csv")
    problems = [(problem.code, problem.what) for problem in imported(source).problems]
    assert ("SOURCE-VALUE-UNUSABLE", f"sweep_2026-06.csv {why}") in problems


def test_the_tasks_of_a_publication_lie_in_it(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, passed())
    link(source / "tasks")
    (error,) = refused_of_evocodebench(source)
    assert (error.code, error.what) == ("SOURCE-EMPTY", "no file of a task can be used: tasks is a symbolic link")


@pytest.mark.parametrize("cell", ["x" * 200_000, '"' + "x\n" * 100_000 + '"'])
def test_a_long_cell_of_csv_is_a_problem_with_its_line(tmp_path: Path, cell: str) -> None:
    table = tmp_path / "table.csv"
    table.write_text(f"{HEAD}\ntidy,1,1,{cell},1,1\n", encoding="utf-8")
    with pytest.raises(ProblemsError) as raised:
        read_table(table, OPTIONS)
    assert [(problem.code, problem.line) for problem in raised.value.problems] == [("SOURCE-BROKEN", 2)]
    assert len(raised.value.problems[0].what) < 200
    source = publish_cells(tmp_path, passed())
    (source / "sweep_2026-06.csv").write_text(f"task,total_rounds,GPT-5.5,__note\ntidy,1,{cell},x\n", encoding="utf-8")
    (warning,) = [problem for problem in imported(source).problems if problem.code == "SOURCE-VALUE-UNUSABLE"]
    assert (warning.is_error, "field larger than field limit" in warning.what) == (False, True)
    assert warning.line


def test_a_socket_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        (problem,) = read_bytes(tmp_path / "socket")[1]
    assert problem.code == "FILE-UNREADABLE"


def test_a_file_that_is_swapped_while_it_is_open_is_not_read(tmp_path: Path) -> None:
    """What is judged is what is read."""
    path = tmp_path / "a.json"
    path.write_text("[1]", encoding="utf-8")
    with opened(path) as file:
        endless(path)
        assert file.read() == b"[1]"


def test_kinds_of_files_have_limits_of_their_own() -> None:
    assert largest_of(Path("mini/benchmark.toml")) == MEGABYTE
    assert largest_of(Path("releases/2026-06-25.toml")) == LARGEST
    assert largest_of(Path("submissions/a/rounds.jsonl")) == LARGEST


@pytest.mark.parametrize("kind", ["toml", "json", "yaml"])
def test_a_file_beyond_its_kind_is_not_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    with path.open("wb") as file:
        file.truncate(largest_of(path) + 1)
    assert [problem.code for problem in read_bytes(path)[1]] == ["FILE-TOO-LARGE"]


@pytest.mark.parametrize("digits", ["9" * 5000, "9" * 400, "-" + "9" * 4000])
def test_whole_numbers_of_json_without_end_are_problems(tmp_path: Path, digits: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(f'{{"a": {digits}}}', encoding="utf-8")
    assert len(read_json(path, dict[str, Count])[1]) == 1
    path.with_suffix(".jsonl").write_text(f'{{"task": "a", "attempt": {digits}}}\n', encoding="utf-8")
    assert [problem.line for problem in read_lines(path.with_suffix(".jsonl"), LineKind(RunFigures)).problems] == [1]


def test_blank_lines_take_no_time_worth_mentioning(tmp_path: Path) -> None:
    """They took 4 seconds for so many, and a gigabyte."""
    path = tmp_path / "runs.jsonl.gz"
    blank, line = b"\n" * MEGABYTE * 3, b'  {"task": "a", "attempt": 0}\n'
    path.write_bytes(gzip.compress(blank + line + os.urandom(MEGABYTE).hex().encode() + blank * 10))
    begun = time.process_time()
    lines = read_lines(path, LineKind(RunFigures))
    assert [problem.line for problem in lines.problems] == [3 * MEGABYTE + 2, 3 * MEGABYTE + 1]
    assert time.process_time() - begun < 2


EMPTY = gzip.compress(b"", mtime=0)
NAMED = (EMPTY[:3] + b"\x08" + EMPTY[4:10], b"\0" + EMPTY[10:])


@pytest.mark.parametrize(
    ("pack", "expected_starts"),
    [
        (lambda: EMPTY * 2_000_000, ["runs.jsonl.gz can't be unpacked: it consists of more than 10,000 packed files"]),
        (lambda: (b"n" * 60 * MEGABYTE).join(NAMED), []),
        (lambda: EMPTY + bytes(60 * MEGABYTE), []),
        (lambda: EMPTY + bytes(60 * MEGABYTE) + b"x", ["runs.jsonl.gz can't be unpacked: "]),
        (lambda: (EMPTY + bytes(6_000)) * 9_000, []),
        (lambda: gzip.compress(os.urandom(MEGABYTE))[:-9], ["runs.jsonl.gz can't be unpacked: it ends before"]),
    ],
    ids=["empty parts", "name", "padding", "behind padding", "padded parts", "cut off"],
)
def test_packed_bytes_that_hold_nothing_take_no_time_worth_mentioning(
    tmp_path: Path, pack: Callable[[], bytes], expected_starts: list[str]
) -> None:
    """They took up to half a minute."""
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(pack())
    begun = time.process_time()
    problems = read_bytes(path)[1]
    assert [
        problem.what.startswith(expected_start)
        for problem, expected_start in zip(problems, expected_starts, strict=True)
    ] == [True] * len(expected_starts)
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("size", [0, 1, MEGABYTE // 16, 3 * MEGABYTE + 5])
def test_what_was_packed_is_unpacked_to_the_byte(tmp_path: Path, size: int) -> None:
    """In one part, and in two with padding behind each."""
    text = os.urandom(size)
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(text))
    assert read_bytes(path) == (text, [])
    path.write_bytes((gzip.compress(text) + bytes(9)) * 2)
    assert read_bytes(path) == (text * 2, [])


def test_toml_of_very_many_short_lines_is_not_read(tmp_path: Path) -> None:
    """It took seconds to say of each that nobody asked for it."""
    path = tmp_path / "submission.toml"
    path.write_text("".join(f"[t{number}]\n" for number in range(100_000)), encoding="utf-8")
    (problem,) = read_bytes(path)[1]
    assert (problem.code, problem.what) == (
        "FILE-TOO-LARGE",
        "submission.toml has 100,000 lines, which is more than 20,000",
    )
