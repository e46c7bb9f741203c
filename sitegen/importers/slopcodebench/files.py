"""What a run's small JSON and YAML files hold. Keys that nothing here needs are passed over."""

import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from sitegen.importers.kit.told import Told, at, plain_yaml
from sitegen.models.record import LIMIT, Amount, Count, Measure
from sitegen.reading.files import read_text

Key = tuple[str, int]
"""Problem and number of a checkpoint."""

_CHECKPOINT = re.compile(r"checkpoint_([1-9]\d{0,3})")
_BLANK = {"", "~", "null", "Null", "NULL"}


def checkpoint_number(name: str) -> int | None:
    """The number of a checkpoint by its name, such as 3 for `checkpoint_3`; None where the name is another."""
    match = _CHECKPOINT.fullmatch(name)
    return int(match[1]) if match else None


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Finite = Annotated[Measure | None, BeforeValidator(_finite)]
"""A figure; None where the source has none, or one that is no number: `Infinity` and `NaN` are written as they come."""

Spent = Annotated[Amount | None, BeforeValidator(_finite)]
"""As `Finite`, of what can't be less than nothing."""

Whole = Annotated[int, Field(ge=-LIMIT, le=LIMIT)]
"""A whole number that is no count."""


class Tokens(Told):
    """Tokens of a checkpoint, by kind."""

    input: Count = 0
    output: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0
    reasoning: Count = 0

    @property
    def are_counted(self) -> bool:
        """Whether somebody counted: where every kind is 0, nobody did."""
        return any(count for _, count in self)


class Effort(Told, populate_by_name=True):
    """What a checkpoint took: `inference_result.json`, or the same by its row. Words of errors stay in the source."""

    started: str | None = None
    ended: str | None = Field(None, alias="completed")
    seconds: Spent = Field(None, alias="elapsed")
    had_error: bool = False
    """Whether the agent's run ended in one."""
    cost: Spent = at("usage", "cost")
    steps: Count = at("usage", "steps", default=0)
    tokens: Tokens = at("usage", "net_tokens", default=Tokens())
    """Of the whole checkpoint; `current_tokens` are those of its last step."""

    @property
    def cost_usd(self) -> float | None:
        """The cost; None where a cost of 0 without a token says that nobody counted."""
        return self.cost if self.cost or self.tokens.are_counted else None


class GroupedTests(Told):
    """The names of a group's tests by what became of them, as files since January 2026 have it."""

    passed: list[str] = Field(default=[])
    failed: list[str] = Field(default=[])
    skipped: list[str] = Field(default=[])
    """A list of its own since 21 April 2026; before, skipped tests were among the failed."""


class ListedTest(Told):
    """One test, as files before January 2026 have it."""

    id: str
    checkpoint: str = ""
    group_type: str = "Core"
    status: str = "failed"


class Evaluation(Told):
    """What the test runner found at a checkpoint: `evaluation.json`, in both forms that it was written in."""

    problem_name: str | None = None
    checkpoint_name: str | None = None
    schema_version: Whole | None = None
    """Always 1, whatever changed; absent before 7 January 2026."""
    tests: dict[str, GroupedTests] | list[ListedTest] = Field(default=[])
    """By checkpoint and category, such as `checkpoint_2-Core`; or one by one."""
    pass_counts: dict[str, Count] = Field(default={})
    total_counts: dict[str, Count] = Field(default={})
    duration: Spent = None
    pytest_exit_code: Whole | None = None
    infrastructure_failure: bool = False

    @property
    def counts_tests(self) -> bool:
        """Whether it lists or counts tests, be it none of them."""
        return bool(self.tests or self.total_counts or self.infrastructure_failure)


class Summary(Told):
    """What the runner itself makes of a run: `result.json`."""

    model: str | None = None
    thinking: str | None = None
    prompt: str | None = None
    agent_type: str | None = None
    agent_version: str | None = None
    expected_checkpoints: Count | None = None
    """Only since checkpoints that are missing count; absent before."""
    num_checkpoints: Count | None = None
    checkpoints_solved: Count | None = None
    checkpoints_iso_solved: Count | None = None
    checkpoints_core_solved: Count | None = None
    strict_percent: Finite = Field(None, alias="pct_checkpoints_solved")
    iso_percent: Finite = Field(None, alias="pct_checkpoints_iso_solved")
    core_percent: Finite = Field(None, alias="pct_checkpoints_core_solved")
    cost: Finite = at("costs", "total")
    """US dollars of the run."""


class CatalogueName(Told):
    """The catalogue that a run was made with: `problem_catalog.json`."""

    version: str | None = None
    commit: str | None = None

    def __str__(self) -> str:
        return f"{self.version} at {self.commit}" if self.commit else f"{self.version}"


class _Part(BaseModel):
    # Every scalar of YAML arrives as text, so that version 2.10 does not become 2.1: numbers are read from it.
    model_config = ConfigDict(extra="ignore", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _none_if_blank(cls, value: object) -> object:
        return None if isinstance(value, str) and value in _BLANK else value


class _NamedPart(_Part):
    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, value: object) -> object:
        """Take a bare word for the name of what it stands for, and an empty part for one that tells nothing."""
        return {"name": value} if isinstance(value, str | None) else value


class Limits(_NamedPart):
    """When the runner stops an agent at a checkpoint; 0 for never."""

    step_limit: Amount | None = None
    cost_limit: Amount | None = None
    net_cost_limit: Amount | None = None

    @property
    def words(self) -> list[str]:
        """The limits that there are, in words."""
        limits = (self.step_limit, self.cost_limit, self.net_cost_limit)
        words = (
            "at most {:g} steps a checkpoint",
            "at most ${:g} a checkpoint",
            "at most ${:g} a problem",
        )
        return [each.format(limit) for limit, each in zip(limits, words, strict=True) if limit]


class PartConfig(_NamedPart):
    """The program that drives the model, the model, or whether all checkpoints of a problem are put into one."""

    name: str | None = None
    provider: str | None = None
    type: str | None = None
    version: str | None = None
    cost_limits: Limits = Limits()
    enabled: bool = False


class RunConfig(_Part):
    """A run's resolved configuration: `config.yaml`. Prompts, paths and addresses in it are left there."""

    agent: PartConfig = PartConfig()
    model: PartConfig = PartConfig()
    thinking: str | None = None
    thinking_max_tokens: str | None = None
    prompt_path: str | None = None
    one_shot: PartConfig = PartConfig()
    post_checkpoint_skill: dict[str, object] | str | None = None
    problems: list[str] | None = None


class RunInfo(_Part):
    """How one problem of a run went: `run_info.yaml`."""

    model_name: str | None = None
    agent_type: str | None = None
    agent_version: str | None = None
    seed: Whole | None = None


class ProblemInfo(_Part):
    """A problem as the run found it: `problem.yaml`."""

    category: str | None = None
    difficulty: str | None = None

    @property
    def labels(self) -> dict[str, str]:
        """What it tells, by axis."""
        return {axis: value for axis, value in self if value}


def tells_of_run(path: Path) -> bool:
    """Whether a `config.yaml` is a run's: agents write files of that name too."""
    text, _ = read_text(path)
    with suppress(yaml.YAMLError, RecursionError):
        found = plain_yaml(text or "")
        return isinstance(found, dict) and "agent" in found
    return False
