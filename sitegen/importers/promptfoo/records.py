"""What a file of promptfoo holds: columns, one for each provider and prompt, and their results."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.cases import CaseRecord


@dataclass(frozen=True, slots=True)
class Column:
    """A provider with a prompt: what promptfoo shows as a column."""

    provider: str
    """The id of the provider; empty where unknown."""
    label: str
    """What the configuration calls the provider; empty where it does not."""
    prompt: str
    """What the prompt is called: its label, or its text."""
    number: int = 0
    """Tells columns with the same provider and prompt apart."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What promptfoo works out for a column."""

    passed: int
    total: int
    score: float | None = None
    """The sum of the scores."""
    named: dict[str, float] = field(default_factory=dict)
    """The mean of each named score."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test, as its configuration describes it."""

    key: str
    """Tells it apart from other tests: a test that is repeated has one key."""
    description: str
    variables: str
    """Its variables on one line; empty where it has none."""
    is_checked: bool
    """Whether an assertion decides over it."""
    is_restricted: bool = False
    """Whether it is meant for some providers or prompts only."""
    labels: dict[str, str] = field(default_factory=dict)
    """Texts of its metadata."""


@dataclass(frozen=True, slots=True)
class Result:
    """How one column did in one test."""

    id: str
    """Empty where the file has none."""
    column: int
    """The number of the column."""
    test: int
    """The number of the test."""
    case: TestCase
    success: bool | None
    """Whether promptfoo calls it a pass; None where there is no verdict."""
    score: float | None
    named: dict[str, float]
    cause: str = ""
    """Why there is no verdict."""
    cost_usd: float | None = None
    seconds: float | None = None
    input_tokens: float | None = None
    cached_tokens: float | None = None
    output_tokens: float | None = None
    checks: Sequence[CaseRecord] = ()
    """Assertions that decide over the test."""


@dataclass(slots=True)
class ResultFile:
    """One evaluation."""

    path: Path
    columns: dict[int, Column]
    results: list[Result]
    is_table: bool = False
    """Whether it is CSV, which has no ids, costs, tokens or times."""
    evaluation: str = ""
    """Its id; empty where unknown."""
    description: str = ""
    timestamp: str = ""
    runner_version: str | None = None
    format_version: float | None = None
    reasoning: dict[int, str] = field(default_factory=dict)
    """The reasoning setting of a column, by its number."""
    stated: dict[int, Stated] = field(default_factory=dict)
    """What promptfoo works out, by the number of the column."""
    successes: int | None = None
    """How many results promptfoo counts as passed."""
