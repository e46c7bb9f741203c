"""Files of earlier versions are read by steps, and those of later ones refused."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from sitegen.models.record import Record
from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.reading.toml import read_toml
from sitegen.reading.versions import newest


class Kept(Record):
    """What the third version of a format keeps: `name` was `title` in the first, and `seconds` minutes until then."""

    schema_version: Annotated[Literal[3], Field(alias="schema")]
    name: str
    seconds: int


def _named(_: type[Record], values: dict[str, object]) -> dict[str, object]:
    return {"name" if key == "title" else key: value for key, value in values.items()}


def _in_seconds(kind: type[Record], values: dict[str, object]) -> dict[str, object]:
    minutes = values.pop("minutes", None)
    return {**values, "seconds": minutes * 60 if isinstance(minutes, int) and kind is Kept else minutes}


STEPS = (_named, _in_seconds)


def told(folder: Path, text: str) -> tuple[Kept | None, list[tuple[str, int | None, str]]]:
    path = folder / "kept.toml"
    path.write_text(text, encoding="utf-8")
    result = read_toml(path, Kept, STEPS)
    return result.record, [(problem.code, problem.line, problem.what) for problem in result.problems]


@pytest.mark.parametrize(
    "text",
    [
        'schema = 1\ntitle = "A"\nminutes = 2\n',
        'schema = 2\nname = "A"\nminutes = 2\n',
        'schema = 3\nname = "A"\nseconds = 120\n',
    ],
)
def test_a_file_of_each_version_tells_the_same(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, text) == (Kept(schema_version=3, name="A", seconds=120), [])


def test_an_old_file_with_a_fault_is_told_with_its_line(tmp_path: Path) -> None:
    text = 'schema = 2\nname = "A"\nminutes = 2\nextra = 1\n'
    assert told(tmp_path, text) == (None, [("KEY-UNKNOWN", 4, "the key `extra` is unknown")])


def test_of_a_newer_file_that_alone_is_told(tmp_path: Path) -> None:
    text = '\nschema = 4\nlabel = "A"\n'
    message = "`schema` is 4, but this version of the program supports up to 3"
    assert told(tmp_path, text) == (None, [("SCHEMA-NEWER", 2, message)])


def test_there_is_a_step_to_each_version() -> None:
    versions = {name: json_schema(name)["properties"].get("schema", {}).get("const") for name in SCHEMAS}
    assert {version for version in versions.values() if version} == {newest()}
    assert {"agents", "benchmark", "submission", "findings", "reported", "release"} == {
        name for name, schema_version in versions.items() if schema_version
    }
