"""Draws a site's share cards beside everything else, and takes over those that its last build drew."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkProcess
from pathlib import Path

from sitegen.charts.cards.card import Card
from sitegen.charts.cards.digest import card_digest, has_digest
from sitegen.pipeline.drawing import beside
from sitegen.publish.tree import Tree


@dataclass(frozen=True, slots=True)
class Cards:
    """The cards of a site, some of which may be in the making.

    Attributes:
        files: Where each is, or will be, by its address.
        process: Makes those that were not drawn before; None where there are none.
    """

    files: Mapping[str, Path]
    process: ForkProcess | None

    def put(self, tree: Tree) -> None:
        """Put every card at its address, once all are drawn.

        Raises:
            ChildProcessError: One could not be drawn.
        """
        if self.process:
            self.process.join()
        for address, file in self.files.items():
            if not file.exists():
                raise ChildProcessError(f"the share card {address} could not be drawn; what kept it stands above")
            tree.copy(file, address)


@contextmanager
def drawing_cards(cards: Mapping[str, Card], folder: Path, last: Path) -> Iterator[Cards]:
    """Draw the cards that were not drawn before, in a process of its own; the caller goes on meanwhile.

    Args:
        cards: By their addresses.
        folder: Where new ones go until they are put into the site; it is made.
        last: The site that the last build made.
    """
    folder.mkdir()
    digests = {address: card_digest(card) for address, card in cards.items()}
    files = {address: _file(digest, last / address, folder) for address, digest in digests.items()}
    missing = {digests[address]: cards[address] for address, file in files.items() if file.parent == folder}
    process = beside(_draw, missing, folder) if missing else None
    try:
        yield Cards(files, process)
    finally:
        if process:
            process.kill()
            process.join()


def _file(digest: str, kept: Path, folder: Path) -> Path:
    """Give the file of a card: the one that was kept, where it still holds, else a new one."""
    return kept if has_digest(kept, digest) else _new_file(folder, digest)


def _new_file(folder: Path, digest: str) -> Path:
    return folder / f"{digest}.png"


def _draw(cards: Mapping[str, Card], folder: Path) -> None:
    from sitegen.charts.cards.drawing import drawn_card  # noqa: PLC0415 - most builds draw nothing

    for digest, card in cards.items():
        _new_file(folder, digest).write_bytes(drawn_card(card))
