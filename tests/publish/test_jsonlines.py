"""Records become lines that say what is known, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.task import Case, Task, TaskRound
from sitegen.publish.results.records import JsonRecord, json_lines

NUMBERS = st.none() | st.floats(0, 1e12)


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (
            RoundResult("tidy", 1, 2, "scored", 1.0, passed=3, total=3, interactions=12.5, turns=9.0),
            (
                '{"task": "tidy", "attempt": 1, "round": 2, "state": "scored", "reward": 1, "passed": 3, "total": 3, '
                '"interactions": 12.5, "turns": 9}'
            ),
        ),
        (
            RoundResult("tidy", 1, 3, "unreached", 0.0, passed=0, total=0),
            '{"task": "tidy", "attempt": 1, "round": 3, "state": "unreached", "reward": 0, "passed": 0, "total": 0}',
        ),
        (
            RoundResult("tidy", 1, 1, "scored", 0.85, start="reference", by_category={"core": (1, 2)}),
            (
                '{"task": "tidy", "attempt": 1, "round": 1, "state": "scored", "reward": 0.85, "start": "reference", '
                '"by_category": {"core": [1, 2]}}'
            ),
        ),
        (
            RunFigures("tidy", 2, interactions_per_round=48.8),
            '{"task": "tidy", "attempt": 2, "interactions_per_round": 48.8}',
        ),
        (
            Failure("tidy", 1, 1, "c1", expected='"Zoë"\n', truncated=True),
            '{"task": "tidy", "attempt": 1, "round": 1, "case": "c1", "expected": "\\"Zoë\\"\\n", "truncated": true}',
        ),
        (
            Task(
                "tidy",
                (TaskRound(1), TaskRound(2, "Mend", ("correction",), 0.5, (Case("c1", requirement="R1"),))),
                "Tidy ledger",
                {"domain": "data"},
                "https://example.org/tidy",
            ),
            (
                '{"id": "tidy", "title": "Tidy ledger", "labels": {"domain": "data"}, "rounds": [{"n": 1}, '
                '{"n": 2, "title": "Mend", "labels": ["correction"], "weight": 0.5, '
                '"cases": [{"id": "c1", "requirement": "R1"}]}], "url": "https://example.org/tidy"}'
            ),
        ),
        (Task("tidy", (TaskRound(1),)), '{"id": "tidy", "rounds": [{"n": 1}]}'),
    ],
)
def test_a_line_tells_what_is_known(record: JsonRecord, line: str) -> None:
    assert json_lines([record]).decode() == line + "\n"


def test_each_record_has_a_line() -> None:
    assert json_lines([RunFigures("a", 1), RunFigures("b", 1)]).count(b"\n") == 2


@given(text=st.text(), number=NUMBERS, measures=st.none() | st.dictionaries(st.text(), st.floats(0, 1)))
def test_a_line_reads_back_as_the_record(text: str, number: float | None, measures: dict[str, float] | None) -> None:
    record = RoundResult("tidy", 1, 1, "aborted", 0, cost_usd=number, measures=measures, cause=text)
    line = json_lines([record])
    assert line.count(b"\n") == 1
    assert TypeAdapter(RoundResult).validate_json(line) == record
