"""What maintainers let pass, as rows and submissions show it."""

from collections.abc import Sequence
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.findings import Marked
from sitegen.board.review import problems_in
from sitegen.board.waivers import waived_words
from sitegen.models.finding import Finding
from sitegen.pages.flags import FindingNote, finding_address, notes_of


class WaivedNote(NamedTuple):
    """A waiver in a line.

    Attributes:
        id: Its name in addresses.
        address: Where it is told.
        code: The rule whose breach it lets pass.
        title: What it is called.
        words: By whom, until when and why.
    """

    id: str
    address: str
    code: str
    title: str
    words: str


def row_marks(board: Board, entry: Entry) -> list[Marked]:
    """Give the findings that mark a row: those that name it, and the waivers that let something of it pass."""
    return [*_marking(board, board.marks.on_row(entry.id)), *_waivers_on(board, entry)]


def waived_notes(board: Board, entry: Entry) -> list[WaivedNote]:
    """Tell the waivers that let something of a row pass."""
    return [
        WaivedNote(name, finding_address(board, name), finding.code or "", finding.title, waived_words(finding))
        for name, finding in _waivers_on(board, entry)
    ]


def other_notes(board: Board, found: Sequence[Marked]) -> list[FindingNote]:
    """Tell findings in a line each, without waivers: those that let nothing pass concern nobody."""
    return notes_of(board, _marking(board, found))


def _marking(board: Board, found: Sequence[Marked]) -> list[Marked]:
    """Give those that speak against something: no waivers, and no reruns that do not differ."""
    return [each for each in found if each.finding.kind != "waiver" and not _is_borne_out(board, each.finding)]


def _is_borne_out(board: Board, finding: Finding) -> bool:
    """Whether a finding is of reruns, none of which differs."""
    if finding.kind != "reproduction":
        return False
    reruns = [each for found in board.reproductions.values() for each in found if each.finding == finding]
    return bool(reruns) and not any(each.differs for each in reruns)


def _waivers_on(board: Board, entry: Entry) -> list[Marked]:
    used = [waiver for problem in problems_in(board, entry) for waiver in board.waivers.covering(problem)]
    return [each for each in board.marks.all if each.finding in used]
