"""Metrics that a benchmark declares: which value of a round they use, and how it is aggregated."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from sitegen.models.names import Name
from sitegen.models.record import Record

DeclaredUnit = Literal["percent", "share", "count", "number", "usd", "seconds", "tokens"]
Direction = Literal["higher", "lower"]
OverRounds = Literal["mean", "sum", "last", "all", "weighted"]
OverAttempts = Literal["mean", "median", "best", "worst", "first", "pass_at_k", "pass_hat_k"]
OverTasks = Literal["mean", "median", "sum", "count", "pooled", "macro", "weighted"]

VERDICTS = ("pass", "reward", "cases")
"""Values of a verdict, from 0 to 1; 0 for a round without a verdict."""
AMOUNTS = ("cost_usd", "turns", "interactions", "input_tokens", "output_tokens", "agent_seconds")
"""Amounts that a round used, which may be unknown."""
MEASURE = "measure:"
"""Prefix of the name of a measurement."""
TAKEN = f"^({'|'.join((*VERDICTS, *AMOUNTS))}|{MEASURE}[^@]+)$"
"""Pattern of the name of the value that a metric uses."""
ID = "^[a-z0-9_]+$"
"""Pattern of a metric's id."""

DECIMALS: Mapping[DeclaredUnit, int] = {
    "percent": 1,
    "share": 3,
    "count": 0,
    "number": 2,
    "usd": 2,
    "seconds": 1,
    "tokens": 0,
}
"""Digits after the decimal point by unit, for a metric that does not state them."""


COLUMNS = frozenset(
    {
        "agent",
        "attempts_expected",
        "attempts_made",
        "benchmark",
        "claimed",
        "coverage",
        "date",
        "evidence",
        "free",
        "id",
        "model",
        "model_released",
        "open_weights",
        "organization",
        "parameters_b",
        "rank",
        "rank_high",
        "rank_low",
        "reasoning",
        "scaffold",
        "scaffold_version",
        "status",
        "submission",
        "tasks_missing",
        "track",
    }
)
"""Columns of boards and their files that are not metrics; no metric may have such an id."""
FOLLOWING = ("low", "high", "interval", "n", "of", "claimed", "claim_source", "missing_note")
"""Columns of files about a metric: `METRIC_low`, `METRIC_high` and so on."""


class Declared(Record):
    """A metric that a benchmark declares. Its id belongs to the benchmark."""

    id: Annotated[str, Field(pattern=ID, max_length=120)]
    """Name in files, addresses and code."""
    title: Name = Field(min_length=1)
    """The title that readers see, exactly as written."""
    unit: DeclaredUnit
    """The unit of the values that are shown; `percent` is 100 × the share."""
    direction: Direction = "higher"
    """Which values are better."""
    decimals: Annotated[int, Field(ge=0, le=9)] | None = None
    """Digits after the decimal point; by default, those of the unit."""
    summary: str = ""
    """The definition in one sentence."""
    source: Name | None = None
    """The source of the definition."""
    of: Annotated[str, Field(pattern=TAKEN)] | None = None
    """The value that is taken from each round: `pass`, `reward`, `cases`, `cost_usd`, `turns`,
    `interactions`, `input_tokens`, `output_tokens`, `agent_seconds` or `measure:NAME`."""
    rounds: OverRounds | None = None
    """How the rounds of an attempt are combined; `all` is 1 if every round passed, `weighted` uses
    their `weight`."""
    attempts: OverAttempts | None = None
    """How the attempts at a task are combined; `median` takes the middle attempt, `best` and
    `worst` follow the direction."""
    tasks: OverTasks | None = None
    """How the tasks are combined; `median` takes the middle task, `count` counts tasks whose value
    is 1, `pooled` is the mean over all rounds alike."""
    k: Annotated[int, Field(ge=1, le=1000)] | None = None
    """The number of attempts that `pass_at_k` and `pass_hat_k` use."""
    axis: str | None = None
    """The axis over whose values `macro` is the mean."""
    numerator: Annotated[str, Field(pattern=ID)] | None = None
    """Id of the declared metric that a ratio divides, in place of the keys from `of` to `axis`."""
    denominator: Annotated[str, Field(pattern=ID)] | None = None
    """Id of the declared metric that a ratio divides by; if its value is 0, there is no score."""
    reported: bool = False
    """`true` if only published tables report the metric; leave out the other keys from `of` on."""

    @property
    def is_ratio(self) -> bool:
        """Whether the metric is a ratio of two declared metrics."""
        return self.numerator is not None or self.denominator is not None
