"""Which lines of published tables are rows of a board, and what stands for the others."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from kit.boards import board, bundle, entry_of, row, table

from sitegen.board.board import Board
from sitegen.board.wording import published_text, released_text
from sitegen.models.release import LockedScore
from sitegen.models.reported import ReportedTable

EARLY, LATE = date(2026, 6, 1), date(2026, 7, 1)


def printed(day: date, *rows: Mapping[str, Any]) -> ReportedTable:
    return table(*rows, date=day, source=f"Paper of {day}")


def rows_of(made: Board) -> list[tuple[str, str]]:
    return [(entry.id, entry.text("dataset_score")) for entry in made.entries]


def successors_of(made: Board) -> dict[str, str]:
    return {name: entry.id for name, entry in made.entry_by_line.items()}


def test_an_agent_of_two_tables_is_one_row_as_the_later_has_it() -> None:
    made = board(tables=[printed(LATE, row("acme", "60.0")), printed(EARLY, row("acme", "50.0"), row("bolt", "40.0"))])
    assert rows_of(made) == [("acme", "60.0"), ("bolt", "40.0")]


def test_the_earlier_value_stands_beside_the_later_with_its_source() -> None:
    made = board(tables=[printed(EARLY, row("acme", "50.0")), printed(LATE, row("acme", "60.0"))])
    (claim,) = entry_of(made, "acme").scores["dataset_score"].claims
    assert (str(claim.value), claim.source) == ("50.0", f"Paper of {EARLY}")


def test_what_only_the_earlier_table_prints_stays_in_sight() -> None:
    early = {"id": "acme", "values": {"dataset_score": 50, "perfect_tasks": 3}}
    made = board(tables=[printed(EARLY, early), printed(LATE, row("acme", "60.0"))])
    score = entry_of(made, "acme").scores["perfect_tasks"]
    assert (score.value, str(score.claims[0].value)) == (None, "3")


def test_a_later_table_without_the_headline_takes_no_place() -> None:
    late = {"id": "acme", "values": {"perfect_tasks": 3}}
    assert rows_of(board(tables=[printed(EARLY, row("acme", "50.0")), printed(LATE, late)])) == [("acme", "50.0")]


def test_a_later_row_of_another_name_stands_for_the_earlier() -> None:
    tables = [printed(EARLY, row("acme-1", name="acme")), printed(LATE, row("acme-2", name="ACME"))]
    made = board(tables=tables, aliases={"ACME": "acme"})
    assert rows_of(made) == [("acme-2", "42.0")]
    assert successors_of(made) == {"acme-1": "acme-2"}


def test_rows_of_one_table_take_no_place_of_each_other() -> None:
    made = board(tables=[printed(EARLY, row("plain", name="acme"), row("high", name="acme", reasoning="high"))])
    assert [name for name, _ in rows_of(made)] == ["high", "plain"]


def test_each_setting_goes_on_as_itself() -> None:
    def settings(suffix: str) -> list[Mapping[str, Any]]:
        return [row(f"plain-{suffix}", name="acme"), row(f"high-{suffix}", name="acme", reasoning="high")]

    made = board(tables=[printed(EARLY, *settings("a")), printed(LATE, *settings("b"))])
    assert successors_of(made) == {"plain-a": "plain-b", "high-a": "high-b"}


def test_a_row_that_stands_for_another_of_another_setting_does_not_hide_a_third() -> None:
    """The one in the middle names no scaffold, and could be either."""
    first, second, third = (
        row("a", name="acme", scaffold="A"),
        row("b", name="acme"),
        row("c", name="acme", scaffold="C"),
    )
    made = board(tables=[printed(EARLY, first), printed(date(2026, 6, 15), second), printed(LATE, third)])
    assert [name for name, _ in rows_of(made)] == ["a", "c"]
    assert successors_of(made) == {"b": "c"}


def test_a_submission_stands_for_the_rows_of_its_agent() -> None:
    made = board(bundle("ours", "##", agent={"name": "acme"}), tables=[printed(EARLY, row("acme"), row("bolt"))])
    assert successors_of(made) == {"acme": "ours"}
    assert made.entry_for("acme") is entry_of(made, "ours")
    assert made.entry_for("bolt") is entry_of(made, "bolt")
    assert made.entry_for("cedar") is None


def test_of_several_submissions_the_one_that_stands_with_the_same_settings_does() -> None:
    gone = {"state": "withdrawn", "reason": "a slip", "date": LATE}
    made = board(
        bundle("high", "##", agent={"name": "acme", "reasoning": "high"}),
        bundle("low", "#.", agent={"name": "acme", "reasoning": "low"}),
        bundle("same", "##", agent={"name": "acme"}, status=gone),
        tables=[printed(EARLY, row("acme"), row("acme-low", name="acme", reasoning="low"))],
    )
    assert successors_of(made) == {"acme": "high", "acme-low": "low"}


def test_a_number_with_the_digits_of_a_computation_is_rounded() -> None:
    texts = [published_text(Decimal(text), 1) for text in ("0.14300000000000002", "-63.333333333333336", "12.34567")]
    assert texts == ["0.143", "-63.3333", "12.34567"]
    assert published_text(Decimal("0.000012345678901234567"), 1) == "0.0000123"
    score = LockedScore(value=0.14300000000000002, printed="0.14300000000000002")
    assert released_text(score, 3) == "0.143"
    assert released_text(LockedScore(value=0.5, printed="0.50"), 3) == "0.50"
