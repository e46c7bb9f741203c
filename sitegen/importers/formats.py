"""The foreign formats, each a package here, and which of them a folder or file is of."""

from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from sitegen import importers
from sitegen.importers.kit.options import Format
from sitegen.importers.kit.tree import Tree

FORMATS = tuple(
    sorted(
        path.parent.name.replace("_", "-")
        for path in Path(importers.__path__[0]).glob("*/source.py")
    )
)
"""Their names, as the import command takes them."""

LOOKED_INTO = 2_000
"""Folders of a source that are looked into before it counts as one of no kind that is known."""


class Recognised(NamedTuple):
    """A format that a source looks to be of."""

    form: str
    reason: str
    """What tells, for whoever named the source: it goes on from "it has"."""


def format_of(name: str) -> Format:
    """What there is to know of a format. Only its own importer is loaded."""
    found: Format = import_module(f"sitegen.importers.{name.replace('-', '_')}.source").FORMAT
    return found


def recognised(path: Path) -> tuple[Recognised, ...]:
    """The formats that a folder or file looks to be of, none where it is of no kind that is known."""
    found = []
    for name in FORMATS:
        form = format_of(name)
        if form.can_be(path) and (reason := form.recognise(Tree(path, LOOKED_INTO))):
            found.append(Recognised(name, reason))
    return tuple(found)
