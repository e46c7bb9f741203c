"""Whatever stands in a file, reading tells of it and never fails; nor does scoring what was read."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kit.results_folders import MANIFEST, ROUNDS, Tree, json_lines
from kit.thoroughness import examples

from sitegen.board.claims import entry_problems
from sitegen.board.export import scores_json
from sitegen.board.making import make_boards
from sitegen.problems import Problem

FULL = {
    **ROUNDS[0],
    "skipped": 0,
    "outcomes": "ppp",
    "case_ids": ["a", "b", "c"],
    "by_category": {"core": [2, 2], "regression": [1, 1]},
    "interactions": 3,
    "turns": 1.5,
    "output_tokens": 200,
    "cost_usd": 0.5,
    "agent_seconds": 3,
    "measures": {"erosion@1": 0.5},
}
RUN = {"task": "tidy", "attempt": 1, "turns": 5, "interactions_per_round": 3.5}
FAILURE = {"task": "tidy", "attempt": 1, "round": 2, "case": "d", "reason": "x", "requirement": "R"}
LONG_MANIFEST = f"""{MANIFEST}
[status]
state = "published"
date = 2026-06-26

[provenance]
images = {{ tidy = "sha256:{"0" * 64}" }}
seeds = [1, 2]
started = 2026-06-25T10:00:00Z
"""
TABLE = """\
schema = 1
track = "main"
title = "Table 1"
source = "A paper"
date = 2026-06-01

[[rows]]
id = "beta"
name = "acme one"
values = { dataset_score = 42.0, case_score = { value = 9.5, n = 3, groups = { kind = { tool = 8.0 } } } }
"""
FINDINGS = """\
schema = 1

[[findings]]
date = 2026-06-26
kind = "defect"
title = "x"
reason = "y"
effect = "exclude"
tasks = ["tidy"]
rounds = [2]
"""
NAMES = st.sampled_from(
    [
        "benchmark.toml",
        "findings.toml",
        "tasks/all.jsonl",
        "reported/paper.toml",
        *(f"submissions/2026-06-25-acme/{name}" for name in ("submission.toml", "SHA256SUMS")),
        *(f"submissions/2026-06-25-acme/{name}.jsonl" for name in ("rounds", "runs", "failures")),
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from([10**400, 1e308]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
VALUES = _JSON.map(json.dumps) | st.sampled_from(
    ["2026-01-01", "10:00:00", "inf", "nan", "1e999999999999999999999", "9" * 5000, "[" * 5000, '"\\ud800"', "0x1F"]
)
VALUE = re.compile(r'(?<=[:=\[,] )("[^"]*"|[-\d.:TZ]+|\{[^{}]*\}|\[[^\[\]]*\])')


@pytest.fixture(scope="module")
def full_tree() -> Iterator[Tree]:
    """Give a folder with every kind of file, which its tests put right again."""
    with TemporaryDirectory() as folder:
        tree = Tree(Path(folder) / "results")
        tree.write("submission.toml", LONG_MANIFEST)
        tree.rounds(FULL, *ROUNDS[1:])
        tree.write("runs.jsonl", json_lines(RUN))
        tree.write("failures.jsonl", json_lines(FAILURE))
        tree.put("reported/paper.toml", TABLE)
        tree.put("findings.toml", FINDINGS)
        yield tree


def survives(tree: Tree, name: str, content: bytes) -> bool:
    """Read and score the folder with one file of another content."""
    file = tree.benchmark / name
    before = file.read_bytes()
    file.write_bytes(content)
    if not name.endswith("SHA256SUMS"):
        tree.seal()
    try:
        problems = read_and_score(tree)
    finally:
        file.write_bytes(before)
        tree.seal()
    return len(problems) <= 25 and all(is_clear(problem, tree) for problem in problems)


def read_and_score(tree: Tree) -> list[Problem]:
    """Do what a build does with the data, as far as the scores."""
    results = tree.read()
    rows = [row for benchmark in results.benchmarks for board in make_boards(benchmark) for row in board.board_entries]
    json.dumps(scores_json(rows), allow_nan=False)
    return [*results.all_problems(), *(problem for row in rows for problem in entry_problems(row.entry))]


def is_clear(problem: Problem, tree: Tree) -> bool:
    """Whether a problem says what, where and what to do."""
    has_location = problem.path.is_relative_to(tree.folder) and (problem.line or 1) >= 1
    return bool(problem.what and problem.fix and has_location)


def test_the_folder_is_valid_as_it_is(full_tree: Tree) -> None:
    assert full_tree.told() == []


@settings(deadline=None, max_examples=examples(150))
@given(name=NAMES, content=st.binary(max_size=300))
@example(name="submissions/2026-06-25-acme/rounds.jsonl", content=b"{},{}\n{")
@example(name="submissions/2026-06-25-acme/rounds.jsonl", content=b'{"a": [{}\n{}]}\n{},{}')
@example(name="submissions/2026-06-25-acme/rounds.jsonl", content=b'{}],{"a":1},[{}\n[1\n2]')
@example(name="submissions/2026-06-25-acme/rounds.jsonl", content=b"[" * 100_000)
@example(name="benchmark.toml", content=b"a = " + b"[" * 100_000)
@example(name="benchmark.toml", content=b"a" + b".a" * 5000 + b" = 1")
def test_any_bytes_are_told_of(full_tree: Tree, name: str, content: bytes) -> None:
    assert survives(full_tree, name, content)


@settings(deadline=None, max_examples=examples(150))
@given(name=NAMES, place=st.integers(0, 2000), length=st.integers(0, 40), new=st.binary(max_size=4))
def test_any_cut_is_told_of(full_tree: Tree, name: str, place: int, length: int, new: bytes) -> None:
    content = (full_tree.benchmark / name).read_bytes()
    at = place % len(content)
    assert survives(full_tree, name, content[:at] + new + content[at + length :])


@settings(deadline=None, max_examples=examples(400))
@given(name=NAMES, place=st.integers(0, 100), value=VALUES)
def test_any_value_is_told_of(full_tree: Tree, name: str, place: int, value: str) -> None:
    content = (full_tree.benchmark / name).read_text(encoding="utf-8")
    matches = list(VALUE.finditer(content))
    if matches:
        at = matches[place % len(matches)]
        content = content[: at.start()] + value + content[at.end() :]
    assert survives(full_tree, name, content.encode())


@settings(deadline=None, max_examples=examples(100))
@given(name=NAMES, order=st.lists(st.integers(0, 40), max_size=40))
def test_any_order_of_lines_is_told_of(full_tree: Tree, name: str, order: list[int]) -> None:
    lines = (full_tree.benchmark / name).read_bytes().splitlines(keepends=True)
    assert survives(full_tree, name, b"".join(lines[at % len(lines)] for at in order))
