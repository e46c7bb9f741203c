"""List the foreign formats, each a package here, and recognise which of them a source has."""

from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from sitegen import importers
from sitegen.importers.kit.options import Format
from sitegen.importers.kit.tree import SourceTree

_SOURCE_MODULES = Path(importers.__path__[0]).glob("*/source.py")
FORMATS = tuple(sorted(path.parent.name.replace("_", "-") for path in _SOURCE_MODULES))
"""Names of the formats, as the import command takes them."""

LOOKED_INTO = 2_000
"""Folders of a source that are searched before its format counts as unknown."""


class RecognisedFormat(NamedTuple):
    """A format that a source seems to have."""

    form: str
    reason: str
    """What the source has that only this format has; a message reads "it has REASON"."""


def load_format(name: str) -> Format:
    """Return the format of a name; only the importer of this format is loaded."""
    module_name = name.replace("-", "_")
    source_module = import_module(f"sitegen.importers.{module_name}.source")
    form: Format = source_module.FORMAT
    return form


def recognise_formats(path: Path) -> tuple[RecognisedFormat, ...]:
    """Return the formats that a folder or file seems to have; none if its kind is unknown."""
    matches = []
    for name in FORMATS:
        form = load_format(name)
        if not form.can_be(path):
            continue
        reason = form.recognise(SourceTree(path, LOOKED_INTO))
        if reason:
            matches.append(RecognisedFormat(name, reason))
    return tuple(matches)
