"""Which share card stands for a page where somebody links to it, and what is to be read on that card."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.pages import addresses
from sitegen.pages.benchmark import headline_board
from sitegen.pages.cards import BoardCards
from sitegen.pages.environment import Page
from sitegen.pages.text import visible


class Picture(NamedTuple):
    """A card as pages name it: its address, and what is to be read on it."""

    card: str
    pictured: str


@dataclass(frozen=True)  # no slots: the pictures are named once
class Gallery:
    """The share cards of a benchmark's pages: that of a row for all pages about it, else that of the board.

    Attributes:
        boards: The benchmark's boards, at least one.
    """

    boards: Sequence[Board]

    def hung(self, batch: Callable[[], Iterable[Page]]) -> Iterator[Page]:
        """Give the pages of a batch, each with its card; those of boards as they were have the site's."""
        for page in batch():
            picture = self._picture(page.address)
            yield replace(page, card=picture.card, pictured=picture.pictured) if picture else page

    def _picture(self, address: str) -> Picture | None:
        """Find the card of what a page is about, from the row up to the benchmark."""
        parts = address.split("/")[:3]
        above = ("/".join([*parts[:length], ""]) for length in range(len(parts), 0, -1))
        return next((self._pictures[each] for each in above if each in self._pictures), None)

    @cached_property
    def _pictures(self) -> dict[str, Picture]:
        """The card of each board and row by the address of its page, and that of the benchmark."""
        found = {address: picture for board in self.boards for address, picture in _pictures_of(board)}
        first = headline_board(self.boards)
        if first:
            benchmark = first.benchmark.id
            found[addresses.benchmark_address(benchmark)] = found[addresses.board_address(benchmark, first.track.id)]
        return found


def _pictures_of(board: Board) -> Iterator[tuple[str, Picture]]:
    cards, where = BoardCards(board), (board.benchmark.id, board.track.id)
    yield addresses.board_address(*where), Picture(addresses.card_address(*where), _read_of_board(cards))
    for entry in board.all_entries:
        picture = Picture(addresses.card_address(*where, entry.id), _read_of_row(cards, entry))
        yield addresses.entry_address(*where, entry.id), picture


def _read_of_board(cards: BoardCards) -> str:
    card = cards.whole()
    first = "; ".join(f"{line.place} {line.name.text} {line.text}" for line in card.lines)
    words = (_title(cards.board), *card.around.labels, card.facts, f"{card.score}: {first}" if first else "")
    return visible(". ".join(filter(None, words)))


def _read_of_row(cards: BoardCards, entry: Entry) -> str:
    status = [] if entry.is_ranked else [entry.status.state]
    told = [
        f"{' '.join(filter(None, (each.title, each.text, each.beside)))}, {each.note}" for each in cards.figures(entry)
    ]
    words = (f"{entry.agent.name} on {_title(cards.board)}", *cards.labels, *status, *told)
    return visible(". ".join(words))


def _title(board: Board) -> str:
    return f"{board.benchmark.title}, {board.track.title}"
