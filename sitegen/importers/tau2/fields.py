"""Read fields of JSON objects whose values may be missing or of another type."""

from collections.abc import Mapping

from sitegen.importers.kit.values import text_of


def read_text(record: Mapping[str, object], *keys: str, longest: int = 200) -> str:
    """Return the first of the named fields that holds a text, on one line; empty if none does."""
    for key in keys:
        text = text_of(record.get(key), longest)
        if text:
            return text
    return ""
