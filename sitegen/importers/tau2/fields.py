"""Read fields of JSON objects whose values may be missing or of the wrong type."""

from collections.abc import Mapping

from sitegen.importers.kit.values import text_of


def read_text(record: Mapping[str, object], *keys: str, longest: int = 200) -> str:
    """Return the first non-empty text in the named fields, on one line; empty if there is none."""
    for key in keys:
        text = text_of(record.get(key), longest)
        if text:
            return text
    return ""
