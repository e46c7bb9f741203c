"""Lists of failed cases hold the same, however they are written, and whoever reads them."""

import gzip
import json
import pickle
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kit.results_folders import Tree, json_lines
from kit.thoroughness import examples
from pydantic import TypeAdapter, ValidationError

from sitegen.models.outcome import Failure, RoundKey
from sitegen.problems import ProblemsError
from sitegen.store.checks.cases import FailuresByRound
from sitegen.store.files.failures import FailureIndex, LineBlock, read_failures

Told = dict[str, Any]

FAILED: Told = {"task": "tidy", "attempt": 1, "round": 2, "case": "c4", "requirement": "R1", "reason": 'é "no"\n'}
ENDINGS = ("status", "truncated", "start")
NAMES = [field.name for field in fields(Failure)]
ADAPTER = TypeAdapter(Failure)

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "task": st.sampled_from(["a", "b", 'q"\\', "é"]),
            "attempt": st.integers(1, 2),
            "round": st.integers(1, 3),
            "case": st.sampled_from(["one", "two", "three"]),
        },
        optional={
            "status": st.sampled_from(["failed", "error", "skipped"]),
            "requirement": st.sampled_from(["R1", "R2", None]),
            "reason": st.text(max_size=4),
            "truncated": st.booleans(),
            "start": st.sampled_from(["own", "reference"]),
        },
    ),
    max_size=12,
)


def in_order(row: Told) -> Told:
    return {name: row[name] for name in NAMES if name in row}


def without_endings(row: Told) -> Told:
    return {name: value for name, value in row.items() if name not in ENDINGS}


def usual(row: Told) -> str:
    return json.dumps(in_order(row))


def short(row: Told) -> str:
    return json.dumps(in_order(row), separators=(",", ":"), ensure_ascii=False)


def turned(row: Told) -> str:
    return f" {json.dumps(dict(reversed(row.items())))} "


def key_of(row: Told) -> RoundKey:
    return (row["task"], row["attempt"], row["round"], row.get("start", "own"))


def round_of(failure: Failure) -> RoundKey:
    return (failure.task, failure.attempt, failure.round, failure.start)


def held(failure_index: FailureIndex) -> list[tuple[int, Failure]]:
    """Give all failures that were found, by their lines."""
    failures = FailuresByRound(failure_index, ())
    return sorted(
        (line, failure) for key in failure_index.slices_by_round for line, _, failure in failures.of_round(key)
    )


drawn = settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
lists = given(
    ROWS, st.sampled_from([usual, short, turned]), st.sets(st.sampled_from(["plain", "sorted", "packed", "long"]))
)


def listed(folder: Path, rows: list[Told], write: Callable[[Told], str], traits: set[str]) -> tuple[list[Told], Path]:
    """Write a list of failures in some way, and give what it is to hold."""
    rows = [without_endings(row) if "plain" in traits else row for row in rows]
    if "long" in traits:  # the failures of one round are then far apart in the list
        rows = rows * (2000 // max(len(rows), 1))
    rows = sorted(rows, key=key_of) if "sorted" in traits else rows
    text = "\n".join(map(write, rows)).encode()
    path = folder / ("failures.jsonl.gz" if "packed" in traits else "failures.jsonl")
    path.write_bytes(gzip.compress(text, 1) if "packed" in traits else text)
    return rows, path


@drawn
@lists
def test_a_list_holds_its_lines(tmp_path: Path, rows: list[Told], write: Callable[[Told], str], how: set[str]) -> None:
    rows, path = listed(tmp_path, rows, write, how)
    failures = read_failures(path)
    assert (failures.problems, failures.refused, failures.is_empty) == ((), (), not rows)
    assert held(failures) == [(line, Failure(**row)) for line, row in enumerate(rows, start=1)]


@drawn
@lists
def test_it_is_known_which_cases_were_skipped_and_cut(
    tmp_path: Path, rows: list[Told], write: Callable[[Told], str], how: set[str]
) -> None:
    rows, path = listed(tmp_path, rows, write, how)
    failures = read_failures(path)
    assert dict(failures.skipped) == Counter(key_of(row) for row in rows if row.get("status") == "skipped")
    assert list(failures.cut) == [line for line, row in enumerate(rows, start=1) if row.get("truncated")]


@drawn
@lists
def test_what_is_said_to_be_distinct_is(
    tmp_path: Path, rows: list[Told], write: Callable[[Told], str], how: set[str]
) -> None:
    rows, path = listed(tmp_path, rows, write, how)
    for key, slices in read_failures(path).slices_by_round.items():
        of_round = [write(row) for row in rows if key_of(row) == key]
        assert len(set(of_round)) == len(of_round) or len(slices) > 1 or not slices[0].is_distinct


@drawn
@lists
def test_texts_are_kept_by_task(tmp_path: Path, rows: list[Told], write: Callable[[Told], str], how: set[str]) -> None:
    rows, path = listed(tmp_path, rows, write, how)
    log = read_failures(path).log
    assert set(log.texts) == {row["task"] for row in rows}
    for task in log.texts:
        of_task = sorted((row for row in rows if row["task"] == task), key=key_of)
        assert sorted(map(json.loads, log.lines_of(task)), key=key_of) == of_task
        assert sorted(log.of_task(task), key=round_of) == [Failure(**row) for row in of_task]


@drawn
@lists
def test_it_is_known_what_the_cases_of_a_round_check(
    tmp_path: Path, rows: list[Told], write: Callable[[Told], str], how: set[str]
) -> None:
    rows, path = listed(tmp_path, rows, write, how)
    log = read_failures(path).log
    meanings = {(*round_key, *meaning) for round_key in log.meanings for meaning in log.meanings_of(*round_key)}
    assert meanings == {(row["task"], row["round"], row["case"], row.get("requirement")) for row in rows}


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, 2, -1, 1.0, 9_999, 10_000, 10_001, 10**30]),
    st.text(max_size=3),
    st.lists(st.integers(), max_size=1),
)
RAW = st.sampled_from(
    [
        '"\\ud800"',
        '"\\u00e9"',
        '"\\/"',
        '"\\x41"',
        '"\\uD7fF"',
        '"a\tb"',
        '"\x7f\u2028"',
        "01",
        "1e0",
        "+1",
        "nul",
        '"',
        "",
    ]
)


@settings(max_examples=examples(600))
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.one_of(VALUES.map(json.dumps), RAW)), max_size=3), st.data())
def test_a_line_is_a_failure_where_its_schema_says_so(changes: list[tuple[str, str]], data: st.DataObject) -> None:
    pairs = {name: json.dumps(value) for name, value in in_order(FAILED).items()} | dict(changes)
    if data.draw(st.booleans()):
        pairs.pop(data.draw(st.sampled_from(sorted(pairs))))
    line = "{" + ", ".join(f'"{name}": {pairs[name]}' for name in NAMES if name in pairs) + "}"
    with TemporaryDirectory() as folder:
        path = Path(folder, "failures.jsonl")
        path.write_text(line, encoding="utf-8")
        failures = read_failures(path)
        try:
            read = ADAPTER.validate_json(line)
        except ValidationError:
            assert list(failures.refused) == [line.encode()]
        else:
            assert held(failures) == [(1, read)]


def test_failures_that_stand_twice_are_found_wherever_they_stand(tree: Tree) -> None:
    other_failure = {**FAILED, "attempt": 1, "round": 1}
    tree.write(
        "failures.jsonl",
        json_lines(FAILED, other_failure, FAILED, {**FAILED, "reason": "another"}, other_failure, FAILED),
    )
    repeats = [(problem.place, problem.what) for problem in tree.told() if problem.code == "FAILURE-TWICE"]
    assert repeats == [
        ("failures.jsonl:3", "case c4 of round 2 of tidy is already listed in line 1 (here and in 1 more place)"),
        ("failures.jsonl:5", "case c4 of round 1 of tidy is already listed in line 2"),
    ]


def test_a_long_list_is_read_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    rows = [{**FAILED, "round": 1 + number // 1500, "case": f"c{number}"} for number in range(4000)]
    path.write_text(json_lines(*rows, rows[0]), encoding="utf-8")
    failures = read_failures(path)
    lengths = [
        (key[2], sum(line_slice.stop - line_slice.start for line_slice in slices))
        for key, slices in failures.slices_by_round.items()
    ]
    assert lengths == [(1, 1501), (2, 1500), (3, 1000)]
    assert (
        max(
            len(block_slice.block.numbers)
            for round_slices in failures.slices_by_round.values()
            for block_slice in round_slices
        )
        == 1000
    )
    assert [line for line, failure in held(failures) if failure.case == "c0"] == [1, 4001]
    assert len(failures.log.of_task("tidy")) == 4001


def test_a_list_that_is_sorted_by_case_is_read_again_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rounds are spread over all of it, and each is asked for by itself."""
    path = tmp_path / "failures.jsonl"
    rows = [{**FAILED, "round": number, "case": f"c{case}"} for case in range(3) for number in range(1, 1001)]
    path.write_text(json_lines(*rows), encoding="utf-8")
    failure_index = read_failures(path)
    failures, asked = FailuresByRound(failure_index, ()), Counter[int]()
    rows_of = LineBlock.read

    def counted(block: LineBlock) -> list[tuple[int, bytes, Failure]]:
        asked[block.span.start] += 1
        return rows_of(block)

    monkeypatch.setattr(LineBlock, "read", counted)
    assert [len(failures.of_round(key)) for key in failure_index.slices_by_round] == [3] * 1000
    assert [line for line, _, _ in failures.of_round(("tidy", 1, 7, "own"))] == [7, 1007, 2007]
    assert len(asked) == 3
    assert set(asked.values()) == {1}


def test_a_list_without_any_order_is_put_in_order_first(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    rows = [{**FAILED, "round": number, "case": f"c{case}"} for case in range(60) for number in range(1, 101)]
    random.Random(0).shuffle(rows)  # noqa: S311 - a draw that anyone may foresee
    path.write_text(json_lines(*rows), encoding="utf-8")
    failures = read_failures(path)
    assert sum(map(len, failures.slices_by_round.values())) < 110
    assert held(failures) == [(line, Failure(**row)) for line, row in enumerate(rows, start=1)]
    path.unlink()  # its texts don't stay there
    assert Counter(failures.log.of_task("tidy")) == Counter(Failure(**row) for row in rows)


def test_the_texts_of_a_plain_file_stay_there(tmp_path: Path) -> None:
    path = tmp_path / "failures.jsonl"
    rows = [{**FAILED, "task": task, "case": f"c{number}"} for task in "aba" for number in range(50)]
    path.write_text(json_lines(*rows), encoding="utf-8")
    log = read_failures(path).log
    sent = pickle.dumps(log)
    assert len(sent) < path.stat().st_size / 4
    for task, group in groupby(sorted(rows, key=lambda row: row["task"]), lambda row: row["task"]):
        assert pickle.loads(sent).lines_of(task) == [json.dumps(row).encode() for row in group]  # noqa: S301 - its own
    assert log.lines_of("none") == []


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_file_that_changed_meanwhile_is_not_taken_for_the_one_that_was_read(tmp_path: Path, is_gone: bool) -> None:  # noqa: FBT001 - a case of the test
    path = tmp_path / "failures.jsonl"
    path.write_text(json_lines(FAILED), encoding="utf-8")
    log = read_failures(path).log
    if is_gone:
        path.unlink()
    else:
        path.write_text(json_lines(FAILED, FAILED), encoding="utf-8")
    with pytest.raises(ProblemsError, match=r"failures.jsonl was changed while it was read.*\n.*run the command again"):
        log.of_task("tidy")
