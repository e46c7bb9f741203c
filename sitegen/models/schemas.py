"""JSON Schemas of the bundle format, made from the models."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Findings
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.release import Release
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Submission
from sitegen.models.task import Task

SCHEMAS: Mapping[str, TypeAdapter[Any]] = {
    "benchmark": TypeAdapter(Benchmark),
    "task": TypeAdapter(Task),
    "submission": TypeAdapter(Submission),
    "round": TypeAdapter(RoundResult),
    "run": TypeAdapter(RunFigures),
    "failure": TypeAdapter(Failure),
    "reported": TypeAdapter(ReportedTable),
    "findings": TypeAdapter(Findings),
    "release": TypeAdapter(Release),
}
"""The kinds of record that a results folder holds, by name."""


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one kind of record.

    Raises:
        KeyError: There is no such kind.
    """
    return schema_of(SCHEMAS[name])


def schema_of(kind: TypeAdapter[Any]) -> dict[str, Any]:
    """The JSON Schema of a type."""
    schema = kind.json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
