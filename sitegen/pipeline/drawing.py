"""Draws a site's charts and share cards beside everything else, but for what the last build drew."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path

import msgspec

from sitegen.charts.cards import card_digest, drawn_card
from sitegen.charts.chart import Panel, digest_of
from sitegen.publish.cache import Cache
from sitegen.publish.processes import beside
from sitegen.publish.site import Tree

_KINDS = _DRAWING, _SPECIFICATION = ".svg", ".json"


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
            raise ChildProcessError(
                f"the chart “{panel.title}” could not be drawn; what kept it stands above"
            )
        return path.read_text(encoding="utf-8")


@contextmanager
def drawing(panels: Iterable[Panel], folder: Path, cache: Cache) -> Iterator[Drawings]:
    """Draw the charts that were not drawn before; the caller goes on meanwhile."""
    folder.mkdir()
    missing = {}
    for digest, panel in {digest_of(panel): panel for panel in panels}.items():
        if known := cache.get(f"chart-{digest}"):
            for kind, text in zip(_KINDS, msgspec.msgpack.decode(known), strict=True):
                (folder / f"{digest}{kind}").write_text(text, encoding="utf-8", newline="\n")
        else:
            missing[digest] = panel
    with beside(_draw_charts, missing, folder) if missing else nullcontext() as process:
        yield Drawings(folder, process)
        for digest in missing:
            files = [folder / f"{digest}{kind}" for kind in _KINDS]
            if all(file.exists() for file in files):
                texts = [file.read_text(encoding="utf-8") for file in files]
                cache.put(f"chart-{digest}", msgspec.msgpack.encode(texts))


def _draw_charts(panels: Mapping[str, Panel], folder: Path) -> None:
    from sitegen.charts.drawing import drawn  # noqa: PLC0415 - it takes half a second, and most builds draw nothing

    for digest, panel in panels.items():
        made, part = drawn(panel), folder / f"{digest}.part"
        (folder / f"{digest}{_SPECIFICATION}").write_text(
            made.specification, encoding="utf-8", newline="\n"
        )
        part.write_text(made.svg, encoding="utf-8", newline="\n")
        part.replace(
            folder / f"{digest}{_DRAWING}"
        )  # whole from the first moment on: the pages' makers look for it


_MANY = 60
"""With more cards, pages wait for them: what makes pages changes memory, of which a process beside it keeps a copy."""


@contextmanager
def drawing_cards(
    cards: Mapping[str, str], folder: Path, cache: Cache, tree: Tree
) -> Iterator[None]:
    """Draw the share cards that were not drawn before while the caller goes on, and put all into the site at the end.

    Raises:
        ChildProcessError: One could not be drawn.
    """
    folder.mkdir()
    digests = {address: card_digest(svg) for address, svg in cards.items()}
    known = {digest: found for digest in digests.values() if (found := cache.get(f"card-{digest}"))}
    missing = {digest: cards[address] for address, digest in digests.items() if digest not in known}
    with beside(_draw_cards, missing, folder) if missing else nullcontext() as process:
        if process and len(missing) > _MANY:
            process.join()
        yield
        if process:
            process.join()
        for address, digest in digests.items():
            if digest not in known:
                if not (folder / digest).exists():
                    raise ChildProcessError(
                        f"the share card {address} could not be drawn; what kept it stands above"
                    )
                known[digest] = memoryview((folder / digest).read_bytes())
                cache.put(f"card-{digest}", known[digest])
            tree.write_bytes(address, known[digest])


def _draw_cards(cards: Mapping[str, str], folder: Path) -> None:
    for digest, svg in cards.items():
        (folder / digest).write_bytes(drawn_card(svg))
