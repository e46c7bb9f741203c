"""The line that a key of a TOML file stands on, however the file is written."""

import pytest

from sitegen.reading.shape import Location
from sitegen.reading.toml import Places

TEXT = '''\
# a comment with id = "no"
id = "x"
note = """
[tracks]
protocol = "not here"
"""
list = [
  1, 2,
]

[agent] # a comment
name = "A"
"model name" = "B"
home.city = "C"

[[tracks]]
id = "one"

[[tracks]]
id = "two"
protocol = "chain"
inner = { a = { b = 1 } }

[tracks.limits]
hours = 2

[[tracks]]
"id" = "three"

[ axes . "big kind" ]
title = "Kind"
'''

PLACES: dict[Location, int | None] = {
    ("id",): 2,
    ("note",): 3,
    ("list",): 7,
    ("list", 1): 7,
    ("agent",): 11,
    ("agent", "name"): 12,
    ("agent", "model name"): 13,
    ("agent", "home", "city"): 14,
    ("agent", "missing"): 11,
    ("tracks", 0): 16,
    ("tracks", 0, "id"): 17,
    ("tracks", 0, "protocol"): 16,
    ("tracks", 1, "id"): 20,
    ("tracks", 1, "protocol"): 21,
    ("tracks", 1, "inner", "a", "b"): 22,
    ("tracks", 1, "inner", "a", "c"): 22,
    ("tracks", 1, "limits"): 24,
    ("tracks", 1, "limits", "hours"): 25,
    ("tracks", 2, "id"): 28,
    ("tracks", 2, "limits", "hours"): 27,
    ("axes", "big kind", "title"): 31,
    ("axes", "big kind"): 30,
    ("missing",): None,
    (): None,
}


@pytest.mark.parametrize(("location", "line"), PLACES.items(), ids=str)
def test_a_key_is_found_where_it_stands(location: Location, line: int | None) -> None:
    assert Places(TEXT).line_of(location) == line


def test_windows_lines_count_as_lines() -> None:
    assert Places(TEXT.replace("\n", "\r\n")).line_of(("axes", "big kind", "title")) == 31


def test_other_separators_are_no_lines() -> None:
    """Python's own notion of lines would count them."""
    assert Places('a = "\N{LINE SEPARATOR}\x85"\nb = 1\n').line_of(("b",)) == 2


def test_tables_of_tables_are_counted_each_for_itself() -> None:
    text = "[[a]]\n[[a.b]]\nx = 1\n[[a.b]]\nx = 2\n[[a]]\n[[a.b]]\nx = 3\n"
    assert [Places(text).line_of(("a", *location, "x")) for location in ((0, "b", 1), (1, "b", 0))] == [5, 8]


def test_a_file_without_statements_has_no_places() -> None:
    assert Places("# nothing\n\n").line_of(("a",)) is None


@pytest.mark.parametrize("lines", [50, 99, 2000])
def test_what_follows_a_long_value_is_found(lines: int) -> None:
    text = 'note = """\n' + "x\n" * lines + '"""\nlast = 1\n\n[agent]\nname = "A"\n'
    key_positions = Places(text)
    assert key_positions.line_of(("note",)) == 1
    assert key_positions.line_of(("agent", "name")) == lines + 6


def test_a_file_with_many_keys_is_searched_once() -> None:
    key_positions = Places("[claims]\n" + "".join(f"key-{number} = 1\n" for number in range(5000)))
    assert [key_positions.line_of(("claims", f"key-{number}")) for number in range(5000)] == list(range(2, 5002))
