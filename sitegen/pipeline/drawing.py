"""Draws a site's charts and share cards beside everything else, and takes over what its last build drew."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path

from sitegen.charts.cards import card_digest, drawn_card, is_card
from sitegen.charts.chart import Panel, digest_of
from sitegen.publish.processes import beside
from sitegen.publish.site import Tree

KEPT = "assets/charts"
"""Where a site has its drawings: readers find them in its pages, and what they are drawn from here. So does the next
build."""

_DRAWING, _SPECIFICATION = ".svg", ".json"


@dataclass(frozen=True, slots=True)
class Drawings:
    """Drawings of charts by their digest, some of which may be in the making."""

    folder: Path
    process: ForkProcess | None
    """Makes those that were not drawn before; None where there are none."""

    def __call__(self, panel: Panel) -> str:
        """Give the drawing of a panel, once it is made.

        Raises:
            ChildProcessError: It could not be made.
        """
        path = self.folder / f"{digest_of(panel)}{_DRAWING}"
        if self.process and not path.exists():
            wait([self.process.sentinel])
        if not path.exists():
            raise ChildProcessError(f"the chart “{panel.title}” could not be drawn; what kept it stands above")
        return path.read_text(encoding="utf-8")


@contextmanager
def drawing(panels: Iterable[Panel], folder: Path, kept: Path) -> Iterator[Drawings]:
    """Draw the charts that were not drawn before; the caller goes on meanwhile.

    Args:
        panels: What is to be drawn.
        folder: Where the drawings go; it is made.
        kept: Where those of the last build are.
    """
    folder.mkdir()
    missing = {}
    for panel in panels:
        digest = digest_of(panel)
        files = [kept / f"{digest}{kind}" for kind in (_DRAWING, _SPECIFICATION)]
        if all(file.exists() for file in files):
            for file in files:
                shutil.copyfile(file, folder / file.name)
        else:
            missing[digest] = panel
    with beside(_draw_charts, missing, folder) if missing else nullcontext() as process:
        yield Drawings(folder, process)


def _draw_charts(panels: Mapping[str, Panel], folder: Path) -> None:
    from sitegen.charts.drawing import drawn  # noqa: PLC0415 - it takes half a second, and most builds draw nothing

    for digest, panel in panels.items():
        made, part = drawn(panel), folder / f"{digest}.part"
        (folder / f"{digest}{_SPECIFICATION}").write_text(made.specification, encoding="utf-8", newline="\n")
        part.write_text(made.svg, encoding="utf-8", newline="\n")
        part.replace(folder / f"{digest}{_DRAWING}")  # whole from the first moment on: the pages' makers look for it


@contextmanager
def drawing_cards(cards: Mapping[str, str], folder: Path, last: Path, tree: Tree) -> Iterator[None]:
    """Draw the share cards that were not drawn before while the caller goes on, and put all into the site at the end.

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
    with beside(_draw_cards, missing, folder) if missing else nullcontext() as process:
        yield
        if process:
            process.join()
        for address, digest in digests.items():
            file = last / address if address in kept else folder / digest
            if not file.exists():
                raise ChildProcessError(f"the share card {address} could not be drawn; what kept it stands above")
            tree.copy(file, address)


def _draw_cards(cards: Mapping[str, str], folder: Path) -> None:
    for digest, svg in cards.items():
        (folder / digest).write_bytes(drawn_card(svg))
