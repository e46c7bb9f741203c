"""The small JSON and YAML files of a run, as types. Unused keys are ignored."""

import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from sitegen.importers.kit.documents import plain_yaml
from sitegen.importers.kit.file_records import FileRecord, nested_field
from sitegen.models.record import LIMIT, Amount, Count, Measure
from sitegen.reading.files import read_text

Key = tuple[str, int]
"""Problem and number of a checkpoint."""

_CHECKPOINT_NAME = re.compile(r"checkpoint_([1-9]\d{0,3})")
_BLANK_SCALARS = {"", "~", "null", "Null", "NULL"}


def checkpoint_number(name: str) -> int | None:
    """Return the number in a checkpoint's name (`checkpoint_3`); None for any other name."""
    match = _CHECKPOINT_NAME.fullmatch(name)
    return int(match[1]) if match else None


def _none_if_not_finite(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Finite = Annotated[Measure | None, BeforeValidator(_none_if_not_finite)]
"""A figure; None if the runner wrote none, `Infinity` or `NaN`."""

Spent = Annotated[Amount | None, BeforeValidator(_none_if_not_finite)]
"""A non-negative figure; None as in `Finite`."""

Whole = Annotated[int, Field(ge=-LIMIT, le=LIMIT)]
"""An integer that may be negative."""


class Tokens(FileRecord):
    """Tokens of a checkpoint, by kind."""

    input: Count = 0
    output: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0
    reasoning: Count = 0

    @property
    def are_counted(self) -> bool:
        """Whether tokens were counted, which is assumed unless all counts are 0."""
        return any(count for _, count in self)


class CheckpointEffort(FileRecord, populate_by_name=True):
    """Time, cost and tokens of a checkpoint, from `inference_result.json` or from its row.

    The texts of errors are not read.
    """

    started: str | None = None
    ended: str | None = Field(None, alias="completed")
    seconds: Spent = Field(None, alias="elapsed")
    had_error: bool = False
    """Whether the agent's run ended in an error."""
    cost: Spent = nested_field("usage", "cost")
    steps: Count = nested_field("usage", "steps", default=0)
    tokens: Tokens = nested_field("usage", "net_tokens", default=Tokens())
    """Tokens of the complete checkpoint; `current_tokens` covers only its last step."""

    @property
    def cost_usd(self) -> float | None:
        """The cost; None for a cost of 0 without tokens, which was not measured."""
        return self.cost if self.cost or self.tokens.are_counted else None


class GroupedTests(FileRecord):
    """The names of a group's tests by outcome, as listed in files since January 2026."""

    passed: list[str] = Field(default=[])
    failed: list[str] = Field(default=[])
    skipped: list[str] = Field(default=[])
    """A separate list since 21 April 2026; earlier files list skipped tests as failed."""


class ListedTest(FileRecord):
    """One test, as listed in files before January 2026."""

    id: str
    checkpoint: str = ""
    group_type: str = "Core"
    status: str = "failed"


class CheckpointEvaluation(FileRecord):
    """The tests of a checkpoint and their outcomes: `evaluation.json`, in both of its formats."""

    problem_name: str | None = None
    checkpoint_name: str | None = None
    schema_version: Whole | None = None
    """Always 1, although the format changed; absent before 7 January 2026."""
    tests: dict[str, GroupedTests] | list[ListedTest] = Field(default=[])
    """Tests by checkpoint and category, such as `checkpoint_2-Core`; or a flat list."""
    pass_counts: dict[str, Count] = Field(default={})
    total_counts: dict[str, Count] = Field(default={})
    duration: Spent = None
    pytest_exit_code: Whole | None = None
    infrastructure_failure: bool = False

    @property
    def counts_tests(self) -> bool:
        """Whether the file lists or counts tests, or says that the test runner crashed."""
        return bool(self.tests or self.total_counts or self.infrastructure_failure)


class RunSummary(FileRecord):
    """The runner's own summary of a run: `result.json`."""

    model: str | None = None
    thinking: str | None = None
    prompt: str | None = None
    agent_type: str | None = None
    agent_version: str | None = None
    expected_checkpoints: Count | None = None
    """The number of checkpoints to solve; None in summaries of earlier runners."""
    num_checkpoints: Count | None = None
    checkpoints_solved: Count | None = None
    checkpoints_iso_solved: Count | None = None
    checkpoints_core_solved: Count | None = None
    strict_percent: Finite = Field(None, alias="pct_checkpoints_solved")
    iso_percent: Finite = Field(None, alias="pct_checkpoints_iso_solved")
    core_percent: Finite = Field(None, alias="pct_checkpoints_core_solved")
    cost: Finite = nested_field("costs", "total")
    """Cost of the run in US dollars."""


class CatalogueName(FileRecord):
    """The catalogue with which a run was made: `problem_catalog.json`."""

    version: str | None = None
    commit: str | None = None

    def __str__(self) -> str:
        return f"{self.version} at {self.commit}" if self.commit else f"{self.version}"


class _YamlRecord(BaseModel):
    """Base of the records read from YAML.

    Every scalar arrives as text, so that version 2.10 does not become 2.1; numbers are parsed here.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _none_if_blank(cls, value: object) -> object:
        return None if isinstance(value, str) and value in _BLANK_SCALARS else value


class _NamedYamlRecord(_YamlRecord):
    """A record that may also be written as its name alone, or be empty."""

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, value: object) -> object:
        return {"name": value} if isinstance(value, str | None) else value


class AgentLimits(_NamedYamlRecord):
    """Limits at which the runner stops an agent at a checkpoint; 0 for no limit."""

    step_limit: Amount | None = None
    cost_limit: Amount | None = None
    net_cost_limit: Amount | None = None

    @property
    def descriptions(self) -> list[str]:
        """A phrase for each limit that is set."""
        limits = (
            (self.step_limit, "at most {:g} steps a checkpoint"),
            (self.cost_limit, "at most ${:g} a checkpoint"),
            (self.net_cost_limit, "at most ${:g} a problem"),
        )
        return [phrase.format(limit) for limit, phrase in limits if limit]


class ComponentConfig(_NamedYamlRecord):
    """The agent, the model or the one-shot mode in a run's configuration."""

    name: str | None = None
    provider: str | None = None
    type: str | None = None
    version: str | None = None
    cost_limits: AgentLimits = AgentLimits()
    enabled: bool = False


class RunConfig(_YamlRecord):
    """A run's resolved configuration: `config.yaml`. Prompts, paths and addresses are not read."""

    agent: ComponentConfig = ComponentConfig()
    model: ComponentConfig = ComponentConfig()
    thinking: str | None = None
    thinking_max_tokens: str | None = None
    prompt_path: str | None = None
    one_shot: ComponentConfig = ComponentConfig()
    post_checkpoint_skill: dict[str, object] | str | None = None
    problems: list[str] | None = None


class RunInfo(_YamlRecord):
    """Facts about one problem of a run: `run_info.yaml`."""

    model_name: str | None = None
    agent_type: str | None = None
    agent_version: str | None = None
    seed: Whole | None = None


class ProblemInfo(_YamlRecord):
    """A problem at the time of the run: `problem.yaml`."""

    category: str | None = None
    difficulty: str | None = None

    @property
    def labels(self) -> dict[str, str]:
        """The problem's label on each axis for which the file has one."""
        return {axis: value for axis, value in self if value}


def describes_run(path: Path) -> bool:
    """Return whether a `config.yaml` belongs to a run; agents also write files with that name."""
    text, _ = read_text(path)
    with suppress(yaml.YAMLError, RecursionError):
        config = plain_yaml(text or "")
        return isinstance(config, dict) and "agent" in config
    return False
