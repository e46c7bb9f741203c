"""The keys that a format has at a place, to say which was meant by one that it has not."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from sitegen.reading.places import Location

_Schema = Mapping[str, Any]


def keys_at(kind: TypeAdapter[Any], place: Location) -> set[str]:
    """Give the keys that a value may have; none where the place is not one of the format's.

    Args:
        kind: What a document is to hold.
        place: The way to the value from the document's root.
    """
    schema = _schema_of(kind)
    found = _choices(schema, [schema])
    for part in place:
        found = _choices(schema, (child for each in found for child in _children(each, part)))
    return {key for each in found for key in each.get("properties", ())}


@lru_cache(maxsize=8)
def _schema_of(kind: TypeAdapter[Any]) -> _Schema:
    return kind.json_schema(by_alias=True)


def _choices(schema: _Schema, nodes: Iterable[_Schema]) -> list[_Schema]:
    """Give what values may be, references and unions taken apart."""
    found: list[_Schema] = []
    for node in nodes:
        if "$ref" in node:
            found += _choices(schema, [schema["$defs"][node["$ref"].rpartition("/")[2]]])
        found += [node, *_choices(schema, node.get("anyOf", ()))]
    return found


def _children(node: _Schema, part: int | str) -> Iterator[_Schema]:
    """Give the schema of what stands in a value under a key or at a position."""
    child = node.get("items") if isinstance(part, int) else node.get("properties", {}).get(part)
    child = child or (node.get("additionalProperties") if isinstance(part, str) else None)
    if isinstance(child, Mapping):
        yield child
