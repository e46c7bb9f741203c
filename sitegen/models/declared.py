"""A metric as a benchmark's owner declares it: what is taken of a round, and how it becomes one number."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from sitegen.models.names import Name
from sitegen.models.record import Record

DeclaredUnit = Literal["percent", "share", "count", "number", "usd", "seconds", "tokens"]
Direction = Literal["higher", "lower"]
OverRounds = Literal["mean", "sum", "last", "all", "weighted"]
OverAttempts = Literal["mean", "best", "worst", "first", "pass_at_k", "pass_hat_k"]
OverTasks = Literal["mean", "sum", "count", "pooled", "macro", "weighted"]

VERDICTS = ("pass", "reward", "cases")
"""What is taken of a verdict: a share of 1, and 0 where there is none."""
AMOUNTS = ("cost_usd", "turns", "interactions", "input_tokens", "output_tokens", "agent_seconds")
"""What a round takes. It may be unknown."""
MEASURE = "measure:"
"""Begins the name of a measurement."""
TAKEN = f"^({'|'.join((*VERDICTS, *AMOUNTS))}|{MEASURE}[^@]+)$"
ID = "^[a-z0-9_]+$"

DECIMALS: Mapping[DeclaredUnit, int] = {
    "percent": 1,
    "share": 3,
    "count": 0,
    "number": 2,
    "usd": 2,
    "seconds": 1,
    "tokens": 0,
}
"""Digits after the point, where a declaration does not say."""


COLUMNS = frozenset(
    (
        *(
            "benchmark",
            "track",
            "id",
            "agent",
            "status",
            "evidence",
            "rank",
            "rank_low",
            "rank_high",
        ),
        *("coverage", "date", "claimed"),
        *(
            "organization",
            "model",
            "model_released",
            "scaffold",
            "scaffold_version",
            "reasoning",
            "open_weights",
        ),
        *("free", "tasks_missing", "attempts_made", "attempts_expected"),
    )
)
"""Columns of boards and of their files that are no metrics."""
FOLLOWING = ("low", "high", "interval", "n", "of", "claimed", "claim_source", "missing_note")
"""Columns of files about a metric: each is called by its id, `_` and one of these."""


class Declared(Record):
    """A metric that a benchmark declares. Its id belongs to the benchmark."""

    id: Annotated[str, Field(pattern=ID, max_length=120)]
    """Name in files, addresses and code."""
    title: Name = Field(min_length=1)
    """What readers see, as it is written."""
    unit: DeclaredUnit
    """Of the values that are shown; `percent` is 100 × the share."""
    direction: Direction = "higher"
    """Which values are better."""
    decimals: Annotated[int, Field(ge=0, le=9)] | None = None
    """Digits after the point; left out, those that go with the unit."""
    summary: str = ""
    """The definition in a sentence."""
    source: Name | None = None
    """Where the definition comes from."""
    of: Annotated[str, Field(pattern=TAKEN)] | None = None
    """What is taken of a round: `pass`, `reward`, `cases`, `cost_usd`, `turns`, `interactions`, `input_tokens`,
    `output_tokens`, `agent_seconds` or `measure:NAME`."""
    rounds: OverRounds | None = None
    """What is made of an attempt's rounds; `all` is 1 if every round passed, `weighted` goes by their `weight`."""
    attempts: OverAttempts | None = None
    """What is made of the attempts at a task; `best` and `worst` follow the direction."""
    tasks: OverTasks | None = None
    """What is made of the tasks; `count` counts those whose value is 1, `pooled` is the mean over all rounds alike."""
    k: Annotated[int, Field(ge=1, le=1000)] | None = None
    """How many attempts `pass_at_k` and `pass_hat_k` ask for."""
    axis: str | None = None
    """The labels over whose values `macro` is the mean."""
    reported: bool = False
    """`true` where tables print it and nothing computes it; keys from `of` on are then left out."""
