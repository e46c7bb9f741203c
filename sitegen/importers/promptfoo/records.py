"""Define what a file of promptfoo holds: columns, one for each provider and prompt, and results."""

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
    """Distinguishes columns with the same provider and prompt."""


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The figures that promptfoo itself computed for a column."""

    passed: int
    total: int
    score: float | None = None
    """The sum of the scores."""
    named_scores: dict[str, float] = field(default_factory=dict)
    """The mean of each named score."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test, as its configuration describes it."""

    key: str
    """A checksum of the test; repeats of a test have the same key."""
    description: str
    variables: str
    """Its variables on one line; empty if it has none."""
    is_checked: bool
    """Whether it has an assertion that decides it."""
    is_restricted: bool = False
    """Whether it is meant for some providers or prompts only."""
    labels: dict[str, str] = field(default_factory=dict)
    """Texts of its metadata."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of one column in one test."""

    id: str
    """Empty if the file has none."""
    column: int
    """The number of the column."""
    test: int
    """The number of the test."""
    case: TestCase
    success: bool | None
    """Whether promptfoo calls it a pass; None if there is no verdict."""
    score: float | None
    named_scores: dict[str, float]
    cause: str = ""
    """Why there is no verdict."""
    cost_usd: float | None = None
    seconds: float | None = None
    input_tokens: float | None = None
    cached_tokens: float | None = None
    output_tokens: float | None = None
    checks: Sequence[CaseRecord] = ()
    """The assertions that decide the test."""


@dataclass(slots=True)
class ResultFile:
    """One evaluation."""

    path: Path
    columns: dict[int, PromptColumn]
    """The columns by their numbers."""
    results: list[TestResult]
    evaluation: str = ""
    """Its id; empty if unknown."""
    description: str = ""
    timestamp: str = ""
    runner_version: str | None = None
    format_version: float | None = None
    reasoning: dict[int, str] = field(default_factory=dict)
    """The reasoning setting of a column, by the column's number."""
    summaries: dict[int, ColumnSummary] = field(default_factory=dict)
    """promptfoo's own figures of a column, by the column's number."""
    successes: int | None = None
    """The number of results that promptfoo counts as passed."""
