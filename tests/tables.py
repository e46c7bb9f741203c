"""Small tables of rounds, for tests to import."""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from sitegen.importers.kit.options import ImportOptions

OPTIONS = ImportOptions(
    today=date(2026, 7, 1),
    benchmark="bench",
    track="main",
    date=date(2026, 6, 25),
    agent="Acme-1",
    known_metrics=("dataset_score",),
)

HEAD = "task,attempt,round,reward,passed,total"


def csv(folder: Path, *lines: str, head: str = HEAD) -> Path:
    """Write a table as CSV."""
    path = folder / "table.csv"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def jsonl(folder: Path, *rows: Mapping[str, object]) -> Path:
    """Write a table as JSON Lines."""
    path = folder / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
