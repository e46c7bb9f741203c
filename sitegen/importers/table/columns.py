"""The columns that a table may have, and how a cell of text becomes a value."""

import re
from collections.abc import Mapping
from typing import Literal

import jiter

Kind = Literal["text", "whole", "number", "json"]
"""What the values of a column are."""

COLUMNS: Mapping[str, Kind] = {
    "task": "text",
    "attempt": "whole",
    "round": "whole",
    "state": "text",
    "reward": "number",
    "passed": "whole",
    "total": "whole",
    "skipped": "whole",
    "start": "text",
    "outcomes": "text",
    "case_ids": "json",
    "by_category": "json",
    "interactions": "number",
    "turns": "number",
    "input_tokens": "number",
    "output_tokens": "number",
    "cost_usd": "number",
    "agent_seconds": "number",
    "verifier_seconds": "number",
    "measures": "json",
    "cause": "text",
    "weight": "number",
    "agent": "text",
    "organization": "text",
    "model": "text",
    "scaffold": "text",
    "scaffold_version": "text",
    "reasoning": "text",
}
"""Columns by name: those of a round, the weight of a round in its task, and those that tell of the agent."""

REQUIRED = ("task", "attempt", "round", "reward")

BESIDE_ROUNDS = frozenset({"weight", "agent", "organization", "model", "scaffold", "scaffold_version", "reasoning"})
"""Columns that are no part of a round's record."""

_WHOLE = re.compile(r"[+-]?\d{1,18}(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")


def value_of(column: str, text: str) -> object:
    """Turn a cell of text into a value of its column's kind; text that is of no such kind stays text."""
    kind, plain = COLUMNS[column], text.strip()
    if kind == "whole" and _WHOLE.fullmatch(plain):
        return int(plain.partition(".")[0])
    if kind == "number" and _NUMBER.fullmatch(plain):
        return float(plain)
    if kind == "json":
        try:
            parsed: object = jiter.from_json(plain.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
        except ValueError:
            return text
        return parsed
    return plain if kind == "text" else text
