"""Records are structs: what reads them fast takes and refuses the same lines as what tells their faults."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.thoroughness import examples
from msgspec.json import Decoder
from pydantic import TypeAdapter

from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.record import LIMIT, Sharing

Told = dict[str, Any]
Kind = type[RoundResult] | type[RunFigures] | type[Failure]

SOUND: dict[Kind, Told] = {
    RoundResult: {"task": "a", "attempt": 1, "round": 2, "state": "scored", "reward": 1, "passed": 2, "total": 2}
    | {"outcomes": "pp", "case_ids": ["x", "y"], "by_category": {"core": [1, 2]}, "measures": {"erosion@1": -0.5}},
    RunFigures: {"task": "a", "attempt": 1, "turns": 3, "cost_usd": 0.25},
    Failure: {"task": "a", "attempt": 1, "round": 2, "case": "one", "reason": 'exit "1"\n', "truncated": True},
}
KINDS = pytest.mark.parametrize("kind", SOUND)
NUMBERS = [0, 1, 2, -1, 0.999, 1.0, 1.5, -0.5, 10_000, 10_001, LIMIT, LIMIT + 1, -LIMIT, -LIMIT - 1, 1e16, 10**30]
WORDS = ["failed", "error", "own", "reference", "scored", "unreached", "", "p", "pfes", "pp\n", "px", "é\u2028"]
SINGLE = st.one_of(st.none(), st.booleans(), st.sampled_from(NUMBERS), st.sampled_from(WORDS), st.text(max_size=3))
VALUES = st.one_of(
    SINGLE,
    st.lists(SINGLE, max_size=2),
    st.dictionaries(st.text(max_size=2), st.one_of(SINGLE, st.lists(SINGLE, max_size=3)), max_size=2),
)


FAST: dict[Kind, Decoder[Any]] = {kind: Decoder(kind) for kind in SOUND}
SLOW: dict[Kind, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in SOUND}


def read_fast(kind: Kind, line: bytes) -> object:
    try:
        return FAST[kind].decode(line)
    except ValueError:
        return "refused"


def read_slowly(kind: Kind, line: bytes) -> object:
    try:
        return SLOW[kind].validate_json(line)
    except ValueError:
        return "refused"


def line_of(record: Told) -> bytes:
    return json.dumps(record).encode()


def types_in(record: object) -> object:
    return [type(getattr(record, field.name)) for field in fields(type(record))] if record != "refused" else None  # type: ignore[arg-type]  # a record of any kind


@KINDS
def test_a_sound_line_gives_one_record_whoever_reads_it(kind: Kind) -> None:
    record = read_fast(kind, line_of(SOUND[kind]))
    assert isinstance(record, kind)
    assert record == read_slowly(kind, line_of(SOUND[kind]))
    assert types_in(record) == types_in(read_slowly(kind, line_of(SOUND[kind])))


@settings(max_examples=examples(1500))
@given(st.sampled_from([(kind, field.name) for kind in SOUND for field in fields(kind)]), VALUES)
def test_whatever_stands_in_a_field_both_take_it_or_both_refuse_it(where: tuple[Kind, str], value: object) -> None:
    kind, name = where
    line = line_of({**SOUND[kind], name: value})
    assert read_fast(kind, line) == read_slowly(kind, line)
    assert types_in(read_fast(kind, line)) == types_in(read_slowly(kind, line))


@KINDS
def test_each_number_and_word_at_a_limit_is_judged_alike_in_every_field(kind: Kind) -> None:
    lines = [line_of({**SOUND[kind], field.name: value}) for field in fields(kind) for value in (*NUMBERS, *WORDS)]
    fast, slow = [read_fast(kind, line) for line in lines], [read_slowly(kind, line) for line in lines]
    assert fast == slow
    assert 0 < fast.count("refused") < len(fast)


@KINDS
def test_a_record_lacks_no_key_that_it_needs_and_has_none_that_is_unknown(kind: Kind) -> None:
    record = SOUND[kind]
    lines = [line_of({key: value for key, value in record.items() if key != name}) for name in record]
    lines.append(line_of({**record, "other": 1}))
    assert [read_fast(kind, line) for line in lines] == [read_slowly(kind, line) for line in lines]
    assert read_fast(kind, lines[0]) == read_fast(kind, lines[-1]) == "refused"


@pytest.mark.parametrize(
    "line",
    [b'{"task": "\xff"}', b'{"task": "a\x01"}', b'{"task": "\\ud800"}', b'{"task": "a"', b"[]", b'{"round": NaN}'],
)
@KINDS
def test_what_is_no_strict_json_is_refused(kind: Kind, line: bytes) -> None:
    sound_start = line_of(SOUND[kind]).removesuffix(b"}")
    assert read_fast(kind, line) == "refused"
    assert read_fast(kind, sound_start + b", " + line.removeprefix(b"{")) == "refused"


def test_a_record_that_is_replaced_stays_one() -> None:
    record = RoundResult("a", 1, 1, "scored", 1.0, 2, 2)
    excluded = replace(record, state="excluded")
    assert (type(excluded), excluded.state, excluded.solved, record.solved) == (RoundResult, "excluded", False, True)


def test_records_share_what_they_tell_alike() -> None:
    lines = (json.dumps(SOUND[RoundResult] | {"turns": turns}) for turns in (7.0, 7.0, 8.0))
    records = [FAST[RoundResult].decode(line) for line in lines]
    Sharing(["turns", "outcomes"]).apply(records)
    assert [record.turns for record in records] == [7.0, 7.0, 8.0]
    assert records[0].turns is records[1].turns
    assert len({id(record.outcomes) for record in records}) == 1


def test_a_record_does_not_change() -> None:
    record = RunFigures("a", 1)
    with pytest.raises(AttributeError):
        record.turns = 2  # type: ignore[misc]  # the point of the test
