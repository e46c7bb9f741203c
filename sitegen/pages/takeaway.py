"""What readers take along from a page: a badge and a card to show elsewhere, and how to cite what they saw."""

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.release import Release
from sitegen.pages import addresses
from sitegen.pages.citation import Citation, citation_of


@dataclass(frozen=True, slots=True)
class TakeAway:
    """What there is to take along.

    Attributes:
        badge: Address of the badge, below the site's root.
        card: Address of the share card.
        words: What they are pictures of.
        markdown: How a page in Markdown shows it.
        citation: How to cite.
        file: Address of the citation as a file; None for a row.
    """

    badge: str
    card: str
    words: str
    markdown: str
    citation: Citation
    file: str | None


def takeaway_of(board: Board, entry: Entry | None, releases: Sequence[Release], site: str) -> TakeAway:
    """Give what there is to take along of a board, or of one of its rows.

    Args:
        board: The board.
        entry: The row; None for the whole board.
        releases: The oldest first.
        site: Address of the site, ending in `/`; empty where it is not known.
    """
    where = (board.benchmark.id, board.track.id)
    badge = addresses.badge_address(*where, entry.id if entry else "")
    page = addresses.entry_address(*where, entry.id) if entry else addresses.board_address(*where)
    latest = next((each for each in reversed(releases) if each.board(*where)), None)
    citation = citation_of(board, entry, latest, site)
    words = f"{board.benchmark.title} {board.track.title}"
    return TakeAway(
        badge,
        addresses.card_address(*where, entry.id if entry else ""),
        entry.agent.name if entry else words,
        f"[![{words}]({site}{badge})]({site}{page})",
        citation,
        None if entry else addresses.citation_address(*where),
    )
