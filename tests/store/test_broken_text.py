"""Text that is no JSON, no TOML or no UTF-8: one clear message at the right line, and the rest is read."""

import pytest
from kit.results_folders import ROUNDS, Told, Tree, json_lines

LINE = "correct the line"
FINITE = "give a number, or leave an optional key out if its value is unknown"


def test_broken_json_is_told_with_its_column(tree: Tree) -> None:
    """Nor is the round missing that stands in the broken line."""
    tree.edit("rounds.jsonl", '"passed": 3, "total": 4}', '"passed": 3, "total": 4')
    message = "broken JSON: Expecting ',' delimiter at column 99"
    assert tree.told() == [Told("JSON-SYNTAX", "rounds.jsonl:2", message, LINE)]


def test_two_objects_on_a_line_are_told(tree: Tree) -> None:
    tree.edit("rounds.jsonl", '"total": 3}\n', '"total": 3},')
    message = "the line has 2 JSON values, but must be one object"
    assert tree.told() == [Told("JSON-SYNTAX", "rounds.jsonl:1", message, 'write one {"key": value, …} per line')]


def test_an_object_over_two_lines_is_told(tree: Tree) -> None:
    tree.edit("rounds.jsonl", ', "passed": 3, "total": 4}', '\n"passed": 3, "total": 4}')
    assert [(problem.code, problem.place) for problem in tree.told()] == [
        ("JSON-SYNTAX", "rounds.jsonl:2"),
        ("JSON-SYNTAX", "rounds.jsonl:3"),
    ]


@pytest.mark.parametrize("line", ["42", "[]", '"text"', "null", "[{}]"])
def test_a_line_that_is_no_object_is_told(tree: Tree, line: str) -> None:
    tree.write("rounds.jsonl", json_lines(*ROUNDS) + line + "\n")
    message = "the line has 1 JSON value, but must be one object"
    assert tree.told() == [Told("JSON-SYNTAX", "rounds.jsonl:4", message, 'write one {"key": value, …} per line')]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_are_finite(tree: Tree, number: str) -> None:
    tree.change(2, cost_usd=float(number))
    assert tree.told() == [Told("NUMBER-NOT-FINITE", "rounds.jsonl:2", f"`cost_usd` is {number}", FINITE)]


def test_numbers_beyond_any_range_are_told(tree: Tree) -> None:
    tree.edit("rounds.jsonl", '"reward": 0, "passed": 3', '"reward": 1e999, "passed": 3')
    assert tree.told() == [Told("NUMBER-NOT-FINITE", "rounds.jsonl:2", "`reward` is inf", FINITE)]


def test_claims_are_finite(tree: Tree) -> None:
    tree.edit("submission.toml", "dataset_score = 25.0", "dataset_score = nan")
    assert tree.told() == [Told("NUMBER-NOT-FINITE", "submission.toml:13", "`claims.dataset_score` is NaN", FINITE)]


def test_text_is_utf8_in_rounds(tree: Tree) -> None:
    """The other lines are read all the same."""
    tree.write("rounds.jsonl", json_lines(*ROUNDS).encode().replace(b"unreached", b"unr\xe9ached"))
    message = "byte 0xe9 is not UTF-8"
    assert tree.told() == [Told("TEXT-NOT-UTF8", "rounds.jsonl:3", message, "save the file as UTF-8")]


def test_text_is_utf8_in_the_manifest(tree: Tree) -> None:
    manifest = (tree.bundle / "submission.toml").read_bytes()
    tree.write("submission.toml", manifest.replace(b'"Acme"', b'"Acm\xe9"'))
    message = "byte 0xe9 is not UTF-8"
    assert tree.told() == [Told("TEXT-NOT-UTF8", "submission.toml:7", message, "save the file as UTF-8")]


@pytest.mark.parametrize("name", ["submission.toml", "rounds.jsonl", "SHA256SUMS"])
def test_a_byte_order_mark_is_named(tree: Tree, name: str) -> None:
    content = (tree.bundle / name).read_bytes()
    if name == "SHA256SUMS":
        (tree.bundle / name).write_bytes(b"\xef\xbb\xbf" + content)
    else:
        tree.write(name, b"\xef\xbb\xbf" + content)
    fix = "save the file as UTF-8 without a byte order mark (BOM)"
    assert tree.told() == [Told("TEXT-BYTE-ORDER-MARK", f"{name}:1", f"{name} begins with a byte order mark", fix)]


def test_utf16_is_few_problems(tree: Tree) -> None:
    tree.write("rounds.jsonl", json_lines(*ROUNDS * 50).encode("utf-16"))
    assert len(tree.told()) <= 3


def test_a_key_stands_once_in_a_line(tree: Tree) -> None:
    tree.edit("rounds.jsonl", '"passed": 3, "total": 4', '"passed": 3, "passed": 4, "total": 4')
    message = "the key `passed` occurs twice"
    assert tree.told() == [Told("KEY-DUPLICATE", "rounds.jsonl:2", message, "keep one of the two values")]


def test_a_key_stands_once_in_an_inner_object(tree: Tree) -> None:
    tree.edit("rounds.jsonl", '"total": 4', '"total": 4, "by_category": {"core": [3, 4], "core": [3, 4]}')
    message = "the key `core` occurs twice"
    assert tree.told() == [Told("KEY-DUPLICATE", "rounds.jsonl:2", message, "keep one of the two values")]


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        ('name = "Acme-1"\n', 'name = "Acme-1"\nname = "Acme-2"\n', 7, "name"),
        ("[detail]", "[agent]", 9, "agent"),
        ('cases = "counts"', 'x = {a = 1, a = 2}\ncases = "counts"', 10, "a"),
        ("dataset_score = 25.0\n", "dataset_score = 25.0\ndataset_score = 26.0", 14, "dataset_score"),
    ],
)
def test_a_key_stands_once_in_a_manifest(tree: Tree, old: str, new: str, line: int, key: str) -> None:
    tree.edit("submission.toml", old, new)
    message = f"the key `{key}` occurs twice"
    assert tree.told() == [Told("KEY-DUPLICATE", f"submission.toml:{line}", message, "keep one of the two values")]


def test_broken_toml_is_told_with_its_line(tree: Tree) -> None:
    tree.edit("submission.toml", 'name = "Acme-1"', 'name = "Acme-1')
    (problem,) = tree.told()
    fix = 'correct the line: write strings in "quotes", and dates as 2026-06-25'
    assert (problem.code, problem.place, problem.fix) == ("TOML-SYNTAX", "submission.toml:6", fix)
    assert problem.what.startswith("broken TOML: ")


def test_both_sides_of_a_merge_are_told_as_such(tree: Tree) -> None:
    tree.edit("submission.toml", 'name = "Acme-1"\n', '<<<<<<< main\nname = "A"\n=======\nname = "B"\n>>>>>>> other\n')
    mend = "keep the entries of both sides, merge their lists, and remove the conflict markers"
    assert tree.told() == [Told("TOML-SYNTAX", "submission.toml:6", "the file has conflict markers of a merge", mend)]


def test_toml_that_breaks_off_is_told_at_its_last_line(tree: Tree) -> None:
    tree.edit("submission.toml", "dataset_score = 25.0\n", "dataset_score =\n\n")
    assert [problem.place for problem in tree.told()] == ["submission.toml:13"]


@pytest.mark.parametrize(
    ("value", "expected_location"),
    [
        ("1e99999999999999999999999", "submission.toml:13"),
        ("9" * 5000, "submission.toml:13"),
        ("[" * 5000 + "]" * 5000, "submission.toml"),
    ],
)
def test_values_beyond_any_measure_are_told(tree: Tree, value: str, expected_location: str) -> None:
    tree.edit("submission.toml", "dataset_score = 25.0", f"dataset_score = {value}")
    message = "a number has too many digits, or values are nested too deeply"
    assert tree.told() == [Told("TOML-SYNTAX", expected_location, message, "shorten the number, or use less nesting")]


@pytest.mark.parametrize("value", ["0x" + "f" * 4000, "-0o" + "7" * 9000, "0b" + "1" * 20_000, "9" * 20])
def test_whole_numbers_of_more_bits_than_toml_has_are_told_with_their_line(tree: Tree, value: str) -> None:
    tree.edit("submission.toml", "dataset_score = 25.0", f"dataset_score = {value.removeprefix('-')}")
    message = "`claims.dataset_score` is a whole number of more than 64 bits"
    assert tree.told() == [Told("TOML-SYNTAX", "submission.toml:13", message, "give a smaller number")]


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 300 + "]" * 300, r'"\ud800"', "[" * 100_000])
def test_json_beyond_any_measure_is_told(tree: Tree, value: str) -> None:
    """Numbers too long, values nested too deeply, half a character."""
    tree.edit("rounds.jsonl", '"total": 4', f'"total": 4, "cause": {value}')
    (problem,) = tree.told()
    assert (problem.code, problem.place) == ("JSON-SYNTAX", "rounds.jsonl:2")


def test_blank_lines_hold_nothing_and_count_as_lines(tree: Tree) -> None:
    tree.rounds(ROUNDS[0], {**ROUNDS[1], "passed": 5}, ROUNDS[2])
    tree.edit("rounds.jsonl", '"total": 3}\n', '"total": 3}\n\n  \n')
    assert [problem.place for problem in tree.told()] == ["rounds.jsonl:4"]


def test_warnings_count_blank_lines_too(tree: Tree) -> None:
    tree.write("rounds.jsonl", "\n\n" + json_lines(*ROUNDS[:2], {**ROUNDS[2], "state": "no_cases"}))
    assert [(problem.code, problem.place) for problem in tree.told()] == [("NO-CASES-UNEXPLAINED", "rounds.jsonl:5")]


def test_lines_may_end_the_windows_way(tree: Tree) -> None:
    for name in ("rounds.jsonl", "submission.toml"):
        tree.write(name, (tree.bundle / name).read_bytes().replace(b"\n", b"\r\n"))
    assert tree.told() == []


def test_the_windows_way_leaves_lines_their_numbers(tree: Tree) -> None:
    tree.edit("submission.toml", "dataset_score", "datset_score")
    tree.write("submission.toml", (tree.bundle / "submission.toml").read_bytes().replace(b"\n", b"\r\n"))
    assert [problem.place for problem in tree.told()] == ["submission.toml:13"]


def test_the_last_line_needs_no_end(tree: Tree) -> None:
    tree.write("rounds.jsonl", json_lines(*ROUNDS).rstrip("\n"))
    assert tree.told() == []
