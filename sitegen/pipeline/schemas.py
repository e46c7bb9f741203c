"""Writing the JSON Schemas of the bundle format."""

import json
from pathlib import Path

from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.publish.arrival import arriving


def write_schemas(folder: Path) -> None:
    """Write the JSON Schema of every kind of record to a folder."""
    texts = {name: json.dumps(json_schema(name), indent=2, ensure_ascii=False) for name in SCHEMAS}
    with arriving(folder) as arrival:
        arrival.write("", {f"{name}.schema.json": f"{text}\n".encode() for name, text in texts.items()})
