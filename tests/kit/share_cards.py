"""Share cards of boards in memory, as SVG, and the text on them."""

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

from sitegen.board.board import Board
from sitegen.models.release import Release
from sitegen.pages.environment import Templates
from sitegen.pages.sharing import BoardCards

TEMPLATES = Templates(Path(__file__).parents[2] / "templates" / "pages")


def card(made: Board, row: str = "", releases: Sequence[Release] = ()) -> str:
    """Return the card of a row, or of the board, as SVG."""
    address = f"{made.benchmark.id}/{made.track.id}/{row}/card.png".replace("//", "/")
    return dict(BoardCards(made, releases).drawn(TEMPLATES))[address]


def lines_of(svg: str) -> list[Element]:
    """Return the labelled groups on a card, in document order."""
    return [group for group in fromstring(svg).iterfind(".//{*}g") if group.get("aria-label")]  # noqa: S314 - our own


def words_on(svg: str) -> list[str]:
    """Return the texts on a card, in document order."""
    return [line.get("aria-label", "") for line in lines_of(svg)]
