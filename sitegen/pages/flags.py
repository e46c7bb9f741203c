"""Marks of findings: what stands beside rows, cells and cases that a finding concerns, and leads to it."""

from collections.abc import Sequence
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.findings import Marked
from sitegen.board.waivers import waived_words
from sitegen.models.finding import Effect, Finding, FindingKind
from sitegen.pages import addresses

KINDS: dict[FindingKind, str] = {
    "leak": "Leak",
    "contamination": "Contamination",
    "defect": "Defect",
    "reproduction": "Reproduction",
    "waiver": "Waiver",
    "redaction": "Redaction",
    "note": "Note",
}
EFFECTS: dict[Effect, str] = {
    "note": "changes no score",
    "exclude": "left out of the scores",
    "zero": "counts 0",
    "withdraw": "withdrawn",
}


def effect_of(finding: Finding) -> str:
    """Say in words what follows from a finding."""
    if finding.kind == "redaction":
        return "texts removed" if finding.tasks else "content removed"
    words = EFFECTS[finding.effect]
    return f"cases {words}" if finding.cases and finding.effect == "exclude" else words


class Flag(NamedTuple):
    """The mark of one finding or of several.

    Attributes:
        ids: Names of the findings, with blanks between them.
        address: Where they are told.
        words: What they say.
    """

    ids: str
    address: str
    words: str


class FindingNote(NamedTuple):
    """A finding in a line, on a page that it concerns."""

    id: str
    address: str
    date: str
    title: str
    kind: str
    effect: str


def flag_of(board: Board, found: Sequence[Marked]) -> Flag | None:
    """Mark what findings concern; None where there are none."""
    if not found:
        return None
    words = "; ".join(_words(finding) for _, finding in found)
    address = finding_address(board, found[0].id) if len(found) == 1 else findings_address(board)
    return Flag(" ".join(each.id for each in found), address, words)


def _words(finding: Finding) -> str:
    if finding.kind == "waiver":
        return f"{finding.code} {waived_words(finding)}"
    return f"finding: {finding.title} ({effect_of(finding)})"


def flags_of(board: Board, found: Sequence[Marked]) -> list[Flag]:
    """Mark what findings concern, with one mark for each."""
    return [flag for flag in (flag_of(board, [each]) for each in found) if flag]


def case_flags(board: Board, row: str, task: str, number: int) -> dict[str, Flag]:
    """Mark the cases of a round that findings name, by the case's name.

    Args:
        board: The board.
        row: The submission's id.
        task: The task's id.
        number: The round.
    """
    found = board.marks.on_round(row, task, number)
    named = dict.fromkeys(case for each in found for case in each.finding.cases)
    flags = {case: flag_of(board, [each for each in found if case in each.finding.cases]) for case in named}
    return {case: flag for case, flag in flags.items() if flag}


def score_flag(board: Board, entry: Entry) -> Flag | None:
    """Mark the scores that findings changed; None where they changed none of a row."""
    if entry.before is None:
        return None
    return flag_of(board, [each for each in board.marks.about_row(entry.id) if each.finding.changes_results])


def notes_of(board: Board, found: Sequence[Marked]) -> list[FindingNote]:
    """Tell findings in a line each."""
    return [
        FindingNote(
            name,
            finding_address(board, name),
            str(finding.date),
            finding.title,
            KINDS[finding.kind],
            effect_of(finding),
        )
        for name, finding in found
    ]


def finding_address(board: Board, name: str) -> str:
    """Give the address at which a finding is told."""
    return f"{_board(board)}#{addresses.finding_anchor(name)}"


def findings_address(board: Board) -> str:
    """Give the address at which all findings of a board are told."""
    return f"{_board(board)}#{addresses.FINDINGS}"


def _board(board: Board) -> str:
    return addresses.board_address(board.benchmark.id, board.track.id)
