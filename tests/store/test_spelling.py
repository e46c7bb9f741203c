"""Which keys the format has at a place."""

import pytest
from pydantic import TypeAdapter

from sitegen.models.schemas import SCHEMAS
from sitegen.reading.shape import Location, keys_at, suggestion


@pytest.mark.parametrize(
    ("kind", "location", "wrong", "meant"),
    [
        ("submission", (), "agents", "agent"),
        ("submission", ("provenance",), "code-commit", "code_commit"),
        ("benchmark", ("tracks", 1), "protocoll", "protocol"),
        ("task", ("rounds", 0), "weigth", "weight"),
        ("reported", ("rows", 2, "values", "dataset_score"), "valu", "value"),
        ("findings", ("findings", 0), "submission", "submissions"),
        ("round", (), "costusd", "cost_usd"),
    ],
)
def test_a_slip_is_told_the_key_that_stands_there(kind: str, location: Location, wrong: str, meant: str) -> None:
    assert suggestion(wrong, keys_at(SCHEMAS[kind], location)) == f"did you mean `{meant}`?"


def test_a_key_is_proposed_by_the_name_that_files_have() -> None:
    assert {"schema", "findings"} == keys_at(SCHEMAS["findings"], ())


def test_lines_are_a_list_of_records() -> None:
    lines = TypeAdapter(list[dict[str, int]])
    assert keys_at(lines, (7, "some", "where")) == set()


@pytest.mark.parametrize("location", [("nowhere",), ("agent", 3), ("agent", "name", "x"), ("attempts", 0)])
def test_where_the_format_has_nothing_no_key_is_known(location: Location) -> None:
    assert keys_at(SCHEMAS["submission"], location) == set()
