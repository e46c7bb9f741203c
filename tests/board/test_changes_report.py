"""What a report of changes says, and what it leaves out where it has to fit a comment."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from functools import cache
from pathlib import Path

import comment
import pytest
from harmless import harmless
from kit.boards import board, bundle

from sitegen.board.board import Board
from sitegen.board.history.changes import board_changes
from sitegen.board.history.changes_report import LARGEST_REPORT, Changes, ChangeWriter, as_json, as_markdown, as_text
from sitegen.board.history.differences import Difference
from sitegen.board.making import make_boards
from sitegen.models.benchmark import Renaming
from sitegen.models.finding import Finding
from sitegen.models.results import Bundle
from sitegen.problems import Rule

LEAK = Finding(
    date=Date(2026, 7, 3),
    kind="leak",
    title="The cases of a round were read",
    reason="Step 31 prints them.",
    by="Ann",
    effect="zero",
    submissions=("a",),
    rounds=(2,),
)
RULE = Rule.error("FAULT", "All is well.", "make it so")


def with_findings(made: Board, *findings: Finding) -> Board:
    return make_boards(replace(made.results, findings=findings))[0]


def text_of(before: Board, after: Board) -> str:
    return "\n".join(as_text(Changes(board_changes([before], [after]))))


def size(lines: Sequence[str]) -> int:
    return len("\n".join(lines).encode())


def test_a_new_finding_is_told_once_and_as_one() -> None:
    made = board(bundle("a", "##"))
    text = text_of(made, with_findings(made, LEAK))
    title = "- Finding new: 2026-07-03, leak, effect zero: The cases of a round were read; "
    assert f"{title}submissions a; rounds 2; by Ann; Step 31 prints them.\n" in text
    assert text.count(LEAK.title) == 1
    assert "Definitions" not in text


def test_of_a_finding_that_differs_only_the_difference_is_told() -> None:
    made = board(bundle("a", "##"))
    later = LEAK.model_copy(update={"id": "2026-07-03-the-cases-of-a-round-were-read", "by": "Bob"})
    text = text_of(with_findings(made, LEAK), with_findings(made, later))
    assert "by Ann → Bob" in text
    assert "Step 31" not in text


def test_a_finding_about_rows_of_another_board_is_not_told() -> None:
    made = board(bundle("a", "##"), bundle("elsewhere", "##", track="other"))
    elsewhere = LEAK.model_copy(update={"submissions": ("elsewhere",)})
    assert text_of(made, with_findings(made, elsewhere)) == "Nothing differs."


def test_a_finding_about_no_row_of_the_tracks_that_it_names_is_told_there() -> None:
    made = board(bundle("a", "##"), bundle("elsewhere", "##", track="other"))
    idle = LEAK.model_copy(update={"submissions": ("elsewhere",), "tracks": ("main",)})
    assert LEAK.title in text_of(made, with_findings(made, idle))


def notes(number: int) -> list[Finding]:
    changes: dict[str, str] = {"kind": "note", "effect": "note"}
    return [LEAK.model_copy(update={**changes, "title": f"Note {index}"}) for index in range(number)]


def test_a_waiver_is_told_before_many_notes() -> None:
    made = board(bundle("a", "##"))
    waiver = LEAK.model_copy(update={"kind": "waiver", "effect": "note", "code": "X-Y", "title": "The waiver"})
    lines = as_markdown(Changes(board_changes([made], [with_findings(made, *notes(600), waiver)])))
    text = "\n".join(lines)
    assert size(lines) <= LARGEST_REPORT
    assert text.index("`The waiver`") < text.index("`Note 0`")


def test_a_board_that_differs_is_told_before_many_new_ones() -> None:
    made = board(bundle("a", "##"))
    benchmarks = (made.benchmark.model_copy(update={"id": f"a{number}"}) for number in range(300))
    new = [replace(made, results=replace(made.results, benchmark=benchmark)) for benchmark in benchmarks]
    lines = as_markdown(Changes(board_changes([made], [*new, with_findings(made, LEAK)])))
    assert size(lines) <= LARGEST_REPORT
    assert lines.index("## `mini/main`") < lines.index("## `a0/main`: new")
    assert [line for line in lines if line.endswith(" more new boards")]


def test_two_long_texts_are_told_from_where_they_differ() -> None:
    long = "A simulated benchmark whose summary goes on and on, for more than any line shows. "
    text = ChangeWriter(markdown=False).before_and_after(
        Difference("summary", f"{long}It is fair.", f"{long}Alder-1 cheated.")
    )
    assert text == "…han any line shows. It is fair. → …han any line shows. Alder-1 cheated."


def test_no_difference_has_nothing_on_both_sides() -> None:
    made = board(bundle("a", "##"))
    changes = Changes(board_changes([made], [with_findings(made, LEAK)]))
    (finding,) = json.loads(json.dumps(as_json(changes)))["boards"][0]["findings"]
    assert finding["values"]["submissions"] == "a"
    assert "tasks" not in finding["values"]


def test_definitions_stand_apart_from_the_rows_below_them() -> None:
    text = text_of(board(bundle("a", "##")), board(bundle("a", "#."), rounds=(3,)))
    assert "\n\na (a)\n" in text


def test_a_task_that_is_new_is_told_once() -> None:
    text = text_of(board(bundle("a", "##"), rounds=(2,)), board(bundle("a", "##", "##"), rounds=(2, 2)))
    assert "- New tasks: task b – → 2 rounds\n" in text


def test_of_a_task_that_differs_the_round_is_named() -> None:
    text = text_of(board(bundle("a", "##"), rounds=(2,)), board(bundle("a", "##"), rounds=(3,)))
    assert "task a.round 3.weight – → 1.0" in text


def test_a_renaming_is_told_on_the_board_that_it_is_about() -> None:
    made = board(bundle("a", "##"))
    names = [{"from": "mini/main/b", "to": "mini/main/a"}, {"from": "mini/other/c", "to": "mini/other/d"}]
    renamed = tuple(map(Renaming.model_validate, names))
    benchmark = made.benchmark.model_copy(update={"renamed": renamed})
    text = text_of(made, replace(made, results=replace(made.results, benchmark=benchmark)))
    assert "- Definitions: renamed.mini/main/b – → mini/main/a\n" in text
    assert "mini/other" not in text


@pytest.mark.parametrize(
    ("before", "after", "expected_text"),
    [
        (100 / 3, 50.0, "33.333333 → 50.0"),
        (None, 200 / 3, "– → 66.666667"),
        (0.9999999, 1.0, "0.9999999 → 1.0"),
    ],
)
def test_numbers_are_as_long_as_what_differs_takes(before: float | None, after: float, expected_text: str) -> None:
    assert ChangeWriter(markdown=False).before_and_after(Difference("score", before, after)) == expected_text


def many(number: int, grid: str, name: str = "row") -> list[Bundle]:
    return [bundle(f"{name}-{index}", grid, agent={"name": f"{name} {index}"}) for index in range(number)]


def tampered(made: Bundle, records: int) -> Bundle:
    rounds = [replace(round_result, reward=0.0, passed=1) for round_result in made.rounds[:records]]
    return replace(made, rounds=(*rounds, *made.rounds[records:]))


@cache
def huge() -> Changes:
    """Two hundred rows that are new, and among them what somebody may want to hide."""
    length = 40
    honest = [bundle(f"honest-{index}", "#" * length, agent={"name": f"Honest {index}"}) for index in range(3)]
    gone = bundle("gone", "#" * length, agent={"name": "Gone"})
    before = board(*honest, gone, rounds=(length,))
    changed = tampered(honest[1], 40)
    after = board(honest[0], changed, honest[2], *many(200, "#" * length, "new"), rounds=(length,))
    problems = [RULE.broken(Path(f"b/submissions/new-{index}"), 3, f"fault {index}") for index in range(100)]
    return Changes(board_changes([before], [after]), problems)


def starting(lines: Sequence[str], start: str) -> list[str]:
    return [line for line in lines if line.startswith(start)]


def test_a_report_that_is_too_long_leaves_out_what_is_new_before_anything_else() -> None:
    changes = huge()
    assert size(as_text(changes)) > LARGEST_REPORT
    lines = as_markdown(changes)
    assert size(lines) <= LARGEST_REPORT
    assert "changes.txt" in lines[0]
    assert "- error `FAULT`: 100" in lines
    assert len(starting(lines, "  - `b/submissions/new-")) == 100
    assert len(starting(lines, "  - `a`, attempt 1, round ")) == 40
    assert "### `Gone` (`gone`): removed" in lines
    shown = len(starting(lines, "### `new "))
    assert starting(lines, "- and ") == [f"- and {200 - shown} more new entries"]


def test_where_even_silent_changes_are_too_many_they_are_counted() -> None:
    changes = huge()
    lines = as_markdown(changes, largest=3_000)
    assert size(lines) <= 3_000
    text = "\n".join(lines)
    assert "## New problems: 100" in text
    assert "200 entries added, 1 removed, 1 changed, 40 records changed" in text


def test_a_shortened_report_fits_a_comment_as_a_whole() -> None:
    quoted, omitted_lines = harmless("\n".join(as_markdown(huge())), comment.ROOM - 2_000)
    assert omitted_lines == 0
    assert "honest-1" in quoted


def test_a_report_that_fits_is_not_shortened() -> None:
    changes = Changes(board_changes([board(bundle("a", "##"))], [board(bundle("a", "##"), *many(3, "#."))]))
    assert len(as_markdown(changes)) == len(as_text(changes))


def test_a_list_that_is_too_long_for_a_line_stands_below_its_title() -> None:
    made, later = board(bundle("a", "##"), rounds=(2,)), board(bundle("a", "##"), rounds=(60,))
    lines = as_markdown(Changes(board_changes([made], [later])))
    assert max(map(len, lines)) < 1_800
    assert any(line.startswith("  - `task a.round 60.") for line in lines)
