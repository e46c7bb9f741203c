"""The contents of a promptfoo file: the results, and a column per provider and prompt."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.cases import CaseRecord


@dataclass(frozen=True, slots=True)
class PromptColumn:
    """A provider with a prompt, which promptfoo shows as a column."""

    provider: str
    """The id of the provider; empty if unknown."""
    label: str
    """The label of the provider in the configuration; empty if it has none."""
    prompt: str
    """The label of the prompt, or its text."""
    number: int = 0
    """The column's number, which distinguishes columns with the same provider and prompt."""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The figures that promptfoo computed for a column."""

    passed: int
    total: int
    score: float | None = None
    """The sum of the scores."""
    named_scores: dict[str, float] = field(default_factory=dict)
    """The mean of each named score."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test, as described by its configuration."""

    key: str
    """A checksum of the test; repeats of a test have the same key."""
    description: str
    variables: str
    """The variables of the test on one line; empty if there are none."""
    is_checked: bool
    """Whether any assertion decides the test."""
    is_restricted: bool = False
    """Whether the test applies only to some providers or prompts."""
    labels: dict[str, str] = field(default_factory=dict)
    """Texts in the metadata of the test, by name."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of one test in one column."""

    id: str
    """The result's id; empty if the file states none."""
    column: int
    """The number of the result's column."""
    test: int
    """The number of the result's test."""
    case: TestCase
    success: bool | None
    """Whether promptfoo considers the test passed; None if there is no verdict."""
    score: float | None
    named_scores: dict[str, float]
    cause: str = ""
    """Why there is no verdict; empty if there is a verdict."""
    cost_usd: float | None = None
    seconds: float | None = None
    input_tokens: float | None = None
    cached_tokens: float | None = None
    output_tokens: float | None = None
    checks: Sequence[CaseRecord] = ()
    """The assertions that decide the test."""


@dataclass(slots=True)
class ResultFile:
    """The contents of one file: the columns and results of an evaluation."""

    path: Path
    columns: dict[int, PromptColumn]
    """The columns of the file, keyed by column number."""
    results: list[TestResult]
    evaluation: str = ""
    """The evaluation's id; empty if unknown."""
    description: str = ""
    timestamp: str = ""
    runner_version: str | None = None
    format_version: float | None = None
    reasoning: dict[int, str] = field(default_factory=dict)
    """Reasoning settings, keyed by column number."""
    summaries: dict[int, ColumnSummary] = field(default_factory=dict)
    """Figures that promptfoo itself computed, keyed by column number."""
    successes: int | None = None
    """The number of results that promptfoo counts as passed."""
