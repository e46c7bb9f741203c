"""Writing the JSON Schemas of the bundle format."""

import json
from pathlib import Path

from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.publish.tree import Tree


def write_schemas(folder: Path) -> None:
    """Write the JSON Schema of every kind of record to a folder."""
    tree = Tree(folder)
    for name in SCHEMAS:
        tree.write(f"{name}.schema.json", json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n")
