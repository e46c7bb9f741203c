"""The generated parts of reference pages: the rules that are checked, and the keys of files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sitegen.pages import addresses
from sitegen.pages.environment import Fragment, Templates
from sitegen.problems import Rule


def rules_fragments(
    rules: Mapping[str, Sequence[Rule]], templates: Templates
) -> Iterator[Fragment]:
    """Yield the rules that are checked, in one fragment per slot of the page of checks."""
    for slot, slot_rules in rules.items():
        values = {"rules": slot_rules, "are_waivable": slot == "rules-of-results"}
        text = templates.fill("rules.html.j2", addresses.CHECKS, values)
        yield Fragment(addresses.CHECKS, slot, text)


class Key(NamedTuple):
    """A key of a file that people write: path, meaning, enum values, and whether it is required."""

    path: str
    means: str
    words: Sequence[str]
    is_required: bool


def keys_fragments(templates: Templates) -> Iterator[Fragment]:
    """Yield the keys of each kind of record in a results folder, and of a declared metric."""
    # Most builds take the keys from the cache, and then do not need the schemas.
    from sitegen.models.schemas import SCHEMAS, json_schema  # noqa: PLC0415 - see above

    schemas = {kind: json_schema(kind) for kind in SCHEMAS}
    for kind, schema in schemas.items():
        keys = list(_keys(schema, schema.get("$defs", {})))
        yield _keys_fragment(addresses.FORMAT, kind, keys, templates)
    declared_metric = schemas["benchmark"]["$defs"]["Declared"]
    keys = list(_keys(declared_metric, {}))
    yield _keys_fragment(addresses.DECLARING, "metric", keys, templates)


def _keys_fragment(address: str, kind: str, keys: list[Key], templates: Templates) -> Fragment:
    text = templates.fill("keys.html.j2", address, {"kind": kind, "keys": keys})
    return Fragment(address, f"keys-of-{kind}", text)


def _keys(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], prefix: str = ""
) -> Iterator[Key]:
    """Yield the keys of a record, each before the keys inside it.

    Paths look like `agent.name`, `tracks[].id` and `axes.NAME.title`.
    """
    required = schema.get("required", ())
    for name, value in schema["properties"].items():
        path = f"{prefix}{name}"
        alternatives = [value, *value.get("anyOf", ())]
        if any(map(_is_value, alternatives[1:] or alternatives)):
            enum_values: list[str] = []
            for alternative in alternatives:
                enum_values += alternative.get("enum", ())
            yield Key(path, value.get("description", ""), enum_values, name in required)
        for alternative in alternatives:
            for sign, reference in _references(alternative):
                record = definitions[reference.rpartition("/")[2]]
                yield from _keys(record, definitions, f"{path}{sign}.")
    if isinstance(schema.get("additionalProperties"), dict):
        yield Key(f"{prefix}NAME", schema["description"], (), is_required=False)


def _is_value(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema describes a value, rather than null or a record defined elsewhere."""
    return "$ref" not in schema and schema.get("type") != "null"


def _references(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield a path suffix and the reference for each record that a schema refers to."""
    inner_schemas = (
        ("", schema),
        ("[]", schema.get("items")),
        (".NAME", schema.get("additionalProperties")),
    )
    for sign, inner_schema in inner_schemas:
        if isinstance(inner_schema, dict) and "$ref" in inner_schema:
            yield sign, inner_schema["$ref"]
