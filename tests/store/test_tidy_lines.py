"""Lines that are written the usual way are taken at a glance: what is read of them stays the same."""

import json
from pathlib import Path

import pytest
from kit.results_folders import json_lines

from sitegen.models.outcome import RoundResult
from sitegen.reading.json import LineKind, chunks_of_lines, read_lines, tidy_look

KIND = LineKind(RoundResult)
FIRST = {"task": "tidy", "attempt": 1, "round": 1, "state": "scored", "reward": 1, "passed": 2, "total": 2}
SECOND = {**FIRST, "round": 2, "outcomes": "pp", "case_ids": ["a", 'b "]}'], "cost_usd": 1.5e-3, "cause": "ü\n\\"}


def is_tidy(text: str) -> bool:
    return tidy_look(["task", "round", "case_ids", "cause"]).is_seen_in(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        '{"task": "a", "round": 1}',
        '{"task":"a","round":1}\n{"round": -1.5e+3}\n',
        '{"task": "a \\" \\u00e9 é", "case_ids": ["a", "b"], "cause": null}\n',
        "{}\n",
    ],
)
def test_flat_lines_with_keys_in_their_order_are_tidy(text: str) -> None:
    assert is_tidy(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"task": "a", "task": "b"}',
        '{"task": "a", "t\\u0061sk": "b"}',
        '{"round": 1, "task": "a"}',
        '{"task": "a", "other": 1}',
        '{"task": {"task": 1}}',
        '{"round": NaN}',
        '{"task": "a\nb"}',
        '{"task": "a"} {"task": "b"}',
        '[{"task": "a"}]',
        '{"task": "a"}\n\n{"task": "b"}',
        ' {"task": "a"}',
        "",
    ],
)
def test_what_needs_a_closer_look_is_not_tidy(text: str) -> None:
    assert not is_tidy(text)


def test_what_is_no_text_is_not_tidy() -> None:
    assert not tidy_look(["task"]).is_seen_in(b'{"task": "\xff"}')


def test_tidy_lines_hold_the_same_as_untidy_ones(tmp_path: Path) -> None:
    tidy, untidy = tmp_path / "tidy.jsonl", tmp_path / "untidy.jsonl"
    tidy.write_text(json_lines(FIRST, SECOND), encoding="utf-8")
    turned = (dict(reversed(record.items())) for record in (FIRST, SECOND))
    untidy.write_text("\n".join(json.dumps(record) for record in turned), encoding="utf-8")
    actual, expected = read_lines(tidy, KIND), read_lines(untidy, KIND)
    assert KIND.tidiness.is_seen_in(tidy.read_bytes())
    assert not KIND.tidiness.is_seen_in(untidy.read_bytes())
    assert list(actual.numbered) == list(expected.numbered)
    assert len(actual.records) == 2
    assert list(actual.raw) == tidy.read_bytes().splitlines()
    without_raw = read_lines(tidy, KIND, has_raw=False)
    assert (list(without_raw.numbered), without_raw.raw) == (list(actual.numbered), ())


@pytest.mark.parametrize("key_order", [1, -1], ids=["tidy", "untidy"])
def test_records_of_a_file_share_equal_values(tmp_path: Path, key_order: int) -> None:
    path = tmp_path / "rounds.jsonl"
    pairs = list({**FIRST, "reward": 0.25}.items())
    path.write_text(json_lines(*[dict(pairs[::key_order])] * 30_000), encoding="utf-8")
    records = read_lines(path, LineKind(RoundResult, shared=["task", "reward"]), has_raw=False).records
    assert len(records) == 30_000
    assert len({id(record.task) for record in records}) == 1
    assert len({id(record.reward) for record in records}) == 1


def test_chunks_of_lines_end_with_a_line() -> None:
    text = b"12\n3456\n\n7\n89"
    chunks = [text[start:end] for start, end in chunks_of_lines(text, 3)]
    assert chunks == [b"12\n3456\n", b"\n7\n89"]
    assert b"".join(chunks) == text
    assert list(chunks_of_lines(b"", 3)) == []


def test_a_fault_in_tidy_lines_is_told_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_text(json_lines(FIRST, {**SECOND, "attempt": 0}), encoding="utf-8")
    lines = read_lines(path, KIND)
    assert KIND.tidiness.is_seen_in(path.read_bytes())
    assert [(problem.code, problem.line) for problem in lines.problems] == [("VALUE-REFUSED", 2)]
    assert lines.numbers == [1]
    assert lines.refused == [path.read_bytes().splitlines()[1]]
