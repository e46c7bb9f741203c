"""Scores of submissions, and the claims that others make about them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from sitegen.board.wording import published_text
from sitegen.metrics.metric import Extent, Metric
from sitegen.metrics.tolerances import SCORE_TOLERANCE
from sitegen.problems import counted

T = TypeVar("T")

_MAX_DECIMALS = 12
"""The maximum number of digits after the decimal point of a score."""

GAP = "\N{EN DASH}"
"""The text shown for a missing value."""


class OnDemand(Mapping[str, T]):
    """Values by name, each computed on first access; iterating computes all of them."""

    def __init__(self, names: Collection[str], compute: Callable[[str], T | None]) -> None:
        """Store the names, in order, and the function that computes a value or returns None."""
        self.names = names
        self._compute = compute
        self._computed: dict[str, T | None] = {}

    def __getitem__(self, name: str) -> T:
        value = self._value(name)
        if value is None:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._value(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.names if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _value(self, name: str) -> T | None:
        if name not in self._computed:
            value = None
            if name in self.names:
                value = self._compute(name)
            self._computed[name] = value
        return self._computed[name]


@dataclass(frozen=True, slots=True)
class Claim:
    """A value, as published, that somebody claims for a score."""

    value: Decimal
    source: str | None
    """Where the value was published; None if the submitter claims it."""
    line: int | None = None
    """The line of the submission's manifest with the claim, from 1; None for a reported table."""
    tasks: int | None = None
    """The number of tasks that the claim covers; None if it is the score's number of tasks."""

    @property
    def decimals(self) -> int:
        """The number of digits after the decimal point, as published."""
        exponent = self.value.as_tuple().exponent
        if not isinstance(exponent, int):  # NaN and infinity
            return 0
        return min(max(-exponent, 0), _MAX_DECIMALS)

    def agrees_with(self, value: float) -> bool:
        """Return whether a value rounds to the claim; a value half-way agrees with both sides."""
        half: float = 0.5 / 10**self.decimals
        return abs(value - float(self.value)) <= half + SCORE_TOLERANCE


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's value for one submission, in the metric's unit; a gap has the value None."""

    metric: Metric
    value: float | None
    gap: str | None = None
    """The reason why there is no value."""
    printed: Decimal | None = None
    """The value as its source publishes it; only for reported scores."""
    extent: Extent | None = None
    """How many of its tasks, rounds or runs the value covers; None if not known."""
    caveat: str | None = None
    """A note for readers on the evidence behind the value."""
    claims: Sequence[Claim] = ()
    claims_over_other_tasks: Sequence[Claim] = ()
    """Claims about a different set of tasks, which are not comparable with the score."""
    version: str | None = None
    """The version of the definition used for the measurement; None for metrics without versions."""
    sd: float | None = None
    """The sample standard deviation behind the mean, if the metric is shown with one."""
    printed_sd: Decimal | None = None
    errata: Sequence[str] = ()
    """Known errors of a reported figure."""
    counted: tuple[int, int] | None = None
    """k and n, if the score counts k of n tasks, rounds or attempts."""
    without_findings: "Score | None" = None
    """The score as if findings had no effect; None if they do not change the submission."""
    on_own_day: "Score | None" = None
    """The score with only the findings recorded up to the submission's own date.

    None unless a claim agrees neither with the score nor with the score without findings.
    """

    @property
    def disputed(self) -> tuple[Claim, ...]:
        """Claims that differ from the score both with and without findings."""
        settled = {*self.claims_over_other_tasks, *self.overtaken}
        disputed = []
        for claim in self.claims:
            if self.agrees(claim) is False and claim not in settled:
                disputed.append(claim)
        return tuple(disputed)

    @property
    def incomparable(self) -> tuple[Claim, ...]:
        """Claims about a different set of tasks, except for claims that are `overtaken`."""
        overtaken = self.overtaken
        return tuple(claim for claim in self.claims_over_other_tasks if claim not in overtaken)

    @property
    def overtaken(self) -> tuple[Claim, ...]:
        """Claims that agree only without findings, or only with those of the submission's day."""
        earlier = [score for score in (self.without_findings, self.on_own_day) if score]
        overtaken = []
        for claim in self.claims:
            if not self.meets(claim) and any(score.meets(claim) for score in earlier):
                overtaken.append(claim)
        return tuple(overtaken)

    def agrees(self, claim: Claim) -> bool | None:
        """Return whether the value rounds to a claim; None if they cannot be compared."""
        if self.value is None or claim in self.claims_over_other_tasks:
            return None
        return claim.agrees_with(self.value)

    def meets(self, claim: Claim) -> bool:
        """Return whether the score can be compared with a claim and agrees with it."""
        return bool(self.agrees(claim))

    def claim_outcome(self, claim: Claim) -> str:
        """Return a phrase that says whether a claim agrees with the score; empty for a gap."""
        if claim in self.overtaken:
            if self.without_findings and self.without_findings.meets(claim):
                return "agrees without findings"
            return "agreed with the findings of its day"
        if claim in self.claims_over_other_tasks:
            extent = ""
            if claim.tasks:
                extent = f" (over {counted(claim.tasks, 'task')})"
            return f"not comparable{extent}"
        return {True: "agrees", False: "differs", None: ""}[self.agrees(claim)]

    def claim_text(self, claim: Claim) -> str:
        """Return the value of a claim as its source publishes it."""
        return published_text(claim.value, self.metric.decimals)

    @property
    def claim(self) -> Claim | None:
        """The only claim to show if room is short: the submission's own claim, else the first."""
        return next(iter(self.claims), None)

    @property
    def text(self) -> str:
        """The value with the metric's decimals; a dash for a gap."""
        if self.printed is not None:
            return published_text(self.printed, self.metric.decimals)
        if self.value is None:
            return GAP
        return f"{self.value:.{self.metric.decimals}f}"

    @property
    def text_without_findings(self) -> str:
        """The score's text as if findings had no effect; empty if findings do not change it."""
        if self.without_findings is None or self.without_findings.text == self.text:
            return ""
        return self.without_findings.text

    @property
    def count_words(self) -> str:
        """The count behind the score: "52 of 89"; empty if it is not a count.

        The noun "attempts" is added if there are several at each task, since readers know how many
        tasks there are.
        """
        if self.counted is None:
            return ""
        k, n = self.counted
        is_several = self.extent is not None and n > self.extent.expected
        if self.metric.counted_unit == "attempts" and is_several:
            return f"{k:,} of {counted(n, 'attempt')}"
        return f"{k:,} of {n:,}"

    @property
    def missing_note(self) -> str:
        """The data that the score lacks, and how missing data counts; empty if nothing is missing.

        "6 of 120 tasks missing, counted as 0" for verdicts, "over 4 of 5 rounds" for means of costs
        and measurements, and "3 of 5 rounds known" for a gap.
        """
        if self.extent is None or not self.extent.is_part:
            return ""
        if self.gap:
            return f"{self.extent.words} known"
        if self.metric.counts_missing_as_zero:
            return f"{self.extent.missing_words} missing, counted as 0"
        return f"over {self.extent.words}"

    @property
    def deviation(self) -> float | None:
        """The standard deviation, published or computed; None if there is none."""
        if self.printed_sd is None:
            return self.sd
        return float(self.printed_sd)

    @property
    def spread(self) -> str:
        """The standard deviation with the metric's decimals; empty if there is none."""
        if self.printed_sd is not None:
            return str(self.printed_sd)
        if self.sd is None:
            return ""
        return f"{self.sd:.{self.metric.decimals}f}"
