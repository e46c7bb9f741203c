"""What a run's small JSON files hold. Keys that nothing here needs are passed over."""

import math
import re
from dataclasses import field
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, ConfigDict
from pydantic.dataclasses import dataclass

from sitegen.models.record import Amount, Count, Measure
from sitegen.problems import Problem
from sitegen.reading.json import read_json

T = TypeVar("T")

OPEN = ConfigDict(extra="ignore", strict=True, populate_by_name=True)

_CHECKPOINT = re.compile(r"checkpoint_([1-9]\d{0,3})")


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Finite = Annotated[Measure | None, BeforeValidator(_finite)]
"""A figure; None where the source has none, or one that is no number: `Infinity` and `NaN` are written as they come."""

Spent = Annotated[Amount | None, BeforeValidator(_finite)]
"""As `Finite`, of what can't be less than nothing."""


@dataclass(frozen=True, slots=True, config=OPEN)
class Tokens:
    """Tokens of a checkpoint, by kind."""

    input: Count = 0
    output: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0
    reasoning: Count = 0

    @property
    def are_counted(self) -> bool:
        """Whether somebody counted: where every kind is 0, nobody did."""
        return any((self.input, self.output, self.cache_read, self.cache_write, self.reasoning))


@dataclass(frozen=True, slots=True, config=OPEN)
class Usage:
    """What an agent used at a checkpoint."""

    cost: Spent = None
    steps: Count = 0
    net_tokens: Tokens = Tokens()
    """Of the whole checkpoint; `current_tokens` are those of its last step."""


@dataclass(frozen=True, slots=True, config=OPEN)
class Inference:
    """The agent's work at a checkpoint: `inference_result.json`. What it says of errors is left in the source."""

    started: str | None = None
    completed: str | None = None
    elapsed: Spent = None
    had_error: bool = False
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, config=OPEN)
class Costs:
    """US dollars of a run."""

    total: Finite = None


@dataclass(frozen=True, slots=True, config=OPEN)
class Summary:
    """What the runner itself makes of a run: `result.json`."""

    model: str | None = None
    thinking: str | None = None
    prompt: str | None = None
    agent_type: str | None = None
    agent_version: str | None = None
    expected_checkpoints: int | None = None
    """Only since checkpoints that are missing count; absent before."""
    checkpoints_solved: int | None = None
    checkpoints_iso_solved: int | None = None
    checkpoints_core_solved: int | None = None
    costs: Costs = field(default_factory=Costs)


@dataclass(frozen=True, slots=True, config=OPEN)
class CatalogueName:
    """The catalogue that a run was made with: `problem_catalog.json`."""

    version: str | None = None
    commit: str | None = None

    def __str__(self) -> str:
        return f"{self.version} at {self.commit}" if self.commit else f"{self.version}"


def read_if_there(path: Path | None, model: type[T]) -> tuple[T | None, list[Problem]]:
    """Read a JSON file of a run, where there is one."""
    return read_json(path, model) if path else (None, [])


def checkpoint_number(name: str) -> int | None:
    """Give the number of a checkpoint by its name, such as 3 for `checkpoint_3`; None where the name is another."""
    match = _CHECKPOINT.fullmatch(name)
    return int(match[1]) if match else None
