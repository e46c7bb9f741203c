"""Draw a site's charts and share cards in other processes, and reuse those of the last build."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import TypeVar

import msgspec

from sitegen.charts.cards import card_digest, drawn_card
from sitegen.charts.chart import Panel, digest_of
from sitegen.publish.machine.processes import start_process
from sitegen.publish.site.cache import PageCache
from sitegen.publish.site.tree import SiteTree

T = TypeVar("T")

_IMAGE = ".svg"
_SPECIFICATION = ".json"
_SUFFIXES = (_IMAGE, _SPECIFICATION)
"""The suffixes of a chart's files, whose stem is the chart's digest."""

MAX_CARDS_BESIDE_PAGES = 60
"""The largest number of cards drawn while pages are rendered; more cards are drawn before that.

Rendering pages changes memory, and the drawing process would keep a copy of every changed memory
page.
"""


@dataclass(frozen=True, slots=True)
class Drawings:
    """The images of charts, some of which may still be in progress."""

    folder: Path
    process: ForkProcess | None
    """The process that draws new charts; None if there are no new charts."""

    def __call__(self, panel: Panel) -> str:
        """Return the SVG image of a panel; wait until it is drawn.

        Raises:
            ChildProcessError: The process ended without drawing the panel.
        """
        path = self.folder / f"{digest_of(panel)}{_IMAGE}"
        if self.process and not path.exists():
            wait([self.process.sentinel])
        if not path.exists():
            raise ChildProcessError(
                f"the chart “{panel.title}” could not be drawn; the reason is above"
            )
        return _read_text(path)


@contextmanager
def drawing(panels: Iterable[Panel], folder: Path, cache: PageCache) -> Iterator[Drawings]:
    """Draw charts into a new folder in the background, and cache new ones at the end."""
    folder.mkdir()
    panels_by_digest = {digest_of(panel): panel for panel in panels}
    missing = {}
    for digest, panel in panels_by_digest.items():
        saved = cache.get(f"chart-{digest}")
        if not saved:
            missing[digest] = panel
            continue
        texts: list[str] = msgspec.msgpack.decode(saved)
        for suffix, text in zip(_SUFFIXES, texts, strict=True):
            _write_text(folder / f"{digest}{suffix}", text)
    with _draw_beside(_draw_charts, missing, folder) as process:
        yield Drawings(folder, process)
        for digest in missing:
            # The image is written last: if it exists, so does the specification.
            if (folder / f"{digest}{_IMAGE}").exists():
                texts = [_read_text(folder / f"{digest}{suffix}") for suffix in _SUFFIXES]
                cache.put(f"chart-{digest}", msgspec.msgpack.encode(texts))


def _draw_beside(
    draw: Callable[[Mapping[str, T], Path], None], missing: Mapping[str, T], folder: Path
) -> AbstractContextManager[ForkProcess | None]:
    """Start a process that draws into a folder; start none if nothing is missing."""
    if not missing:
        return nullcontext()
    return start_process(draw, missing, folder)


def _draw_charts(panels: Mapping[str, Panel], folder: Path) -> None:
    """Draw charts into a folder, in files named after the charts' digests."""
    # This import takes half a second, and most builds draw no charts.
    from sitegen.charts.drawing import drawn  # noqa: PLC0415 - see above

    for digest, panel in panels.items():
        chart = drawn(panel)
        _write_text(folder / f"{digest}{_SPECIFICATION}", chart.specification)
        # Pages are rendered meanwhile and look for the image, so the file must appear complete.
        unfinished = folder / f"{digest}.part"
        _write_text(unfinished, chart.svg)
        unfinished.replace(folder / f"{digest}{_IMAGE}")


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def drawing_cards(
    cards: Mapping[str, str], folder: Path, cache: PageCache, tree: SiteTree
) -> Iterator[None]:
    """Draw share cards in the background, and add all of them to the site at the end.

    Args:
        cards: The SVG image of each card, by its address in the site.
        folder: A new folder to draw into.
        cache: The cache with the cards of the last build.
        tree: The site.

    Raises:
        ChildProcessError: The process ended without drawing a card.
    """
    folder.mkdir()
    digests = {address: card_digest(svg) for address, svg in cards.items()}
    images: dict[str, memoryview] = {}
    missing: dict[str, str] = {}
    for address, digest in digests.items():
        saved = cache.get(f"card-{digest}")
        if saved:
            images[digest] = saved
        else:
            missing[digest] = cards[address]
    missing_count = len(missing)
    with _draw_beside(_draw_cards, missing, folder) as process:
        # The process has its own copy. A card takes 64 KB, and a large board has 1,000 cards.
        missing.clear()
        del cards
        if process and missing_count > MAX_CARDS_BESIDE_PAGES:
            process.join()
        yield
        if process:
            process.join()
        for address, digest in digests.items():
            if digest not in images:
                images[digest] = _read_card(folder / digest, address)
                cache.put(f"card-{digest}", images[digest])
            tree.write_bytes(address, images[digest])


def _read_card(path: Path, address: str) -> memoryview:
    if not path.exists():
        raise ChildProcessError(f"the share card {address} could not be drawn; the reason is above")
    return memoryview(path.read_bytes())


def _draw_cards(cards: Mapping[str, str], folder: Path) -> None:
    """Draw cards into a folder, in files named after the cards' digests."""
    for digest, svg in cards.items():
        (folder / digest).write_bytes(drawn_card(svg))
