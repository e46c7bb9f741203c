"""The one engine of differences: documents taken apart, and two states put side by side."""

from sitegen.board.history.differences import (
    Difference,
    differences,
    differing,
    dotted,
    flattened,
    leaves,
    side_by_side,
)

TRACKS = {"tracks": [{"id": "main", "columns": ["a", "b"]}, {"id": "other"}], "title": ""}


def test_states_stand_side_by_side_in_the_order_of_the_first_and_then_what_the_second_alone_has() -> None:
    paired_states = list(side_by_side({"b": 1, "a": 2}, {"c": 3, "a": 2}))
    assert paired_states == [("b", 1, None), ("a", 2, 2), ("c", None, 3)]


def test_what_is_the_same_does_not_differ() -> None:
    assert list(differing({"b": 1, "a": 2}, {"c": 3, "a": 2})) == [("b", 1, None), ("c", None, 3)]


def test_differences_come_in_the_order_of_the_later_state() -> None:
    assert differences({"gone": 1, "kept": 2}, {"new": 3, "kept": 4}) == [
        Difference("new", None, 3),
        Difference("kept", 2, 4),
        Difference("gone", 1, None),
    ]


def test_a_list_of_documents_is_taken_apart_by_position_and_one_of_plain_values_is_one_value() -> None:
    assert {dotted(location): value for location, value in leaves(TRACKS)} == {
        "tracks.0.id": "main",
        "tracks.0.columns": ["a", "b"],
        "tracks.1.id": "other",
        "title": "",
    }


def test_parts_of_a_list_may_have_names() -> None:
    named_leaves = leaves(
        TRACKS["tracks"], part=lambda document, _: document["id"] if isinstance(document, dict) else ""
    )
    assert [dotted(location) for location, _ in named_leaves] == ["main.id", "main.columns", "other.id"]


def test_what_is_nested_too_deeply_is_one_value() -> None:
    document: object = "core"
    for _ in range(1000):
        document = {"in": document}
    ((location, value),) = leaves(document)
    assert len(location) < 50
    assert isinstance(value, dict)


def test_flattened_leaves_out_what_says_nothing_and_joins_lists() -> None:
    about = {"name": "", "none": None, "zero": 0, "no": False, "tags": ["a", "b"], "deep": {"x": 1}}
    assert flattened(about, "it") == {"it.zero": 0, "it.no": False, "it.tags": "a, b", "it.deep.x": 1}
