"""Draws a site's share cards beside everything else, and takes over those that its last build drew."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sitegen.charts.cards import card_digest, drawn_card, is_card
from sitegen.pipeline.drawing import beside
from sitegen.publish.tree import Tree


@contextmanager
def drawing_cards(cards: Mapping[str, str], folder: Path, last: Path, tree: Tree) -> Iterator[None]:
    """Draw cards in a process of its own while the caller goes on, and put all of them into the site at the end.

    Args:
        cards: Their SVG, by their addresses.
        folder: Where those that were not drawn before go until then; it is made.
        last: The site that the last build made.
        tree: The site.

    Raises:
        ChildProcessError: One could not be drawn.
    """
    folder.mkdir()
    digests = {address: card_digest(svg) for address, svg in cards.items()}
    kept = {address for address, digest in digests.items() if is_card(last / address, digest)}
    missing = {digest: cards[address] for address, digest in digests.items() if address not in kept}
    process = beside(_draw, missing, folder) if missing else None
    try:
        yield
        if process:
            process.join()
        for address, digest in digests.items():
            file = last / address if address in kept else folder / digest
            if not file.exists():
                raise ChildProcessError(f"the share card {address} could not be drawn; what kept it stands above")
            tree.copy(file, address)
    finally:
        if process:
            process.kill()
            process.join()


def _draw(cards: Mapping[str, str], folder: Path) -> None:
    for digest, svg in cards.items():
        (folder / digest).write_bytes(drawn_card(svg))
