"""Draws a site's charts beside everything else, and finds those that its last build drew."""

import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import TypeVar

from sitegen.charts.chart import Panel, digest_of
from sitegen.publish.workers import in_a_line

KEPT = "assets/charts"
"""Where a site has its drawings: readers find them in its pages, and what they are drawn from here. So does the next
build."""

T = TypeVar("T")

_DRAWING, _SPECIFICATION = ".svg", ".json"


@dataclass(frozen=True, slots=True)
class Drawings:
    """Drawings by their digest, some of which may be in the making.

    Attributes:
        folder: Where they are.
        process: Makes those that were not drawn before; None where there are none.
    """

    folder: Path
    process: ForkProcess | None

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
    """Draw what was not drawn before, in a process of its own; the caller goes on meanwhile.

    Args:
        panels: What is to be drawn.
        folder: Where the drawings go; it is made.
        kept: Where those of the last build are.
    """
    folder.mkdir()
    wanted = {digest_of(panel): panel for panel in panels}
    missing = {digest: panel for digest, panel in wanted.items() if not _is_taken(digest, kept, folder)}
    process = beside(_draw, missing, folder) if missing else None
    try:
        yield Drawings(folder, process)
    finally:
        if process:
            process.kill()
            process.join()


def _is_taken(digest: str, kept: Path, folder: Path) -> bool:
    """Take a drawing over with its specification, where the last build left both."""
    names = [f"{digest}{kind}" for kind in (_DRAWING, _SPECIFICATION)]
    is_there = all((kept / name).exists() for name in names)
    for name in names if is_there else ():
        shutil.copyfile(kept / name, folder / name)
    return is_there


def beside(draw: Callable[[Mapping[str, T], Path], None], wanted: Mapping[str, T], folder: Path) -> ForkProcess | None:
    """Begin to draw. A forked process sees what the caller has in memory; without fork, it is all done here.

    Args:
        draw: Draws all that is wanted into a folder.
        wanted: What is to be drawn, by its digest.
        folder: Where the drawings go.
    """
    if not hasattr(os, "fork"):
        draw(wanted, folder)
        return None
    process = multiprocessing.get_context("fork").Process(target=in_a_line, args=(draw, wanted, folder), daemon=True)
    process.start()
    return process


def _draw(panels: Mapping[str, Panel], folder: Path) -> None:
    from sitegen.charts.drawing import drawn  # noqa: PLC0415 - it takes half a second, and most builds draw nothing

    for digest, panel in panels.items():
        made, part = drawn(panel), folder / f"{digest}.part"
        (folder / f"{digest}{_SPECIFICATION}").write_text(made.specification, encoding="utf-8", newline="\n")
        part.write_text(made.svg, encoding="utf-8", newline="\n")
        part.replace(folder / f"{digest}{_DRAWING}")  # whole from the first moment on: the pages' makers look for it
