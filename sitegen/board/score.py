"""A score beside what others claim it to be."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sitegen.metrics.metric import Metric

_EXACT = 1e-9
_DECIMALS = 12
"""More digits than that after the point are no part of a score."""

GAP = "\N{EN DASH}"
"""What stands where nothing was measured."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A value that somebody states for a score.

    Attributes:
        value: As printed.
        source: Where it was printed; None where the submitter states it.
        line: Line of the submission's manifest that states it, from 1; None where a published table does.
    """

    value: Decimal
    source: str | None
    line: int | None = None

    @property
    def decimals(self) -> int:
        """Digits after the point, as printed."""
        exponent = self.value.as_tuple().exponent
        return min(-exponent, _DECIMALS) if isinstance(exponent, int) and exponent < 0 else 0

    def agrees_with(self, value: float) -> bool:
        """Whether a value rounds to the claim; where it lies half-way, either neighbour will do."""
        half: float = 0.5 / 10**self.decimals
        return abs(value - float(self.value)) <= half + _EXACT


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's value for one row of a board.

    Attributes:
        metric: The catalogue's row.
        value: In the metric's unit; None for a gap.
        gap: Why there is no value.
        printed: The value as its source prints it, for rows that are reported only.
        out_of: How many things a reported figure counts some of, where its source says so.
        sd: Sample standard deviation over what the mean is taken over, where the metric is shown with one.
        printed_sd: The standard deviation as its source prints it, for rows that are reported only.
        errata: What is known to be wrong with a reported figure.
        counted: k of n, where the score counts k of n tasks or rounds here.
        caveat: What to know of the evidence behind the value.
        claims: What others state.
        version: Version of the definition it was measured by, for measurements that have versions.
        before: The score as it would be if findings had no effect; None where they change nothing of the row.
        then: The score under the findings of the submission's own day; None where no claim hangs on that.
    """

    metric: Metric
    value: float | None
    gap: str | None = None
    printed: Decimal | None = None
    out_of: int | None = None
    caveat: str | None = None
    claims: Sequence[Claim] = ()
    version: str | None = None
    sd: float | None = None
    printed_sd: Decimal | None = None
    errata: Sequence[str] = ()
    counted: tuple[int, int] | None = None
    before: "Score | None" = None
    then: "Score | None" = None

    @property
    def count(self) -> tuple[int, int] | None:
        """How many of how many, where the score counts things; None elsewhere."""
        if self.value is None or self.out_of is None:
            return self.counted
        k = self.value if self.metric.unit == "tasks" else self.value / 100 * self.out_of
        return round(k), self.out_of

    @property
    def disputed(self) -> tuple[Claim, ...]:
        """Claims that the recomputed value contradicts, with the effects of findings and without."""
        value = self.value
        disputed = () if value is None else (claim for claim in self.claims if not claim.agrees_with(value))
        return tuple(claim for claim in disputed if claim not in self.overtaken)

    @property
    def overtaken(self) -> tuple[Claim, ...]:
        """Claims that do not agree with the value, and do with the one without findings or with those of their day."""
        others = list(filter(None, (self.before, self.then)))
        return tuple(
            claim for claim in self.claims if not self.meets(claim) and any(each.meets(claim) for each in others)
        )

    def meets(self, claim: Claim) -> bool:
        """Whether it has a value, and a claim agrees with that."""
        return self.value is not None and claim.agrees_with(self.value)

    @property
    def unfounded(self) -> str:
        """What it would be if findings had no effect, as people read it; empty where that reads the same."""
        return self.before.text if self.before and self.before.text != self.text else ""

    @property
    def claim(self) -> Claim | None:
        """The claim to show where there is room for one: the submission's own, else the first."""
        return next(iter(self.claims), None)

    @property
    def text(self) -> str:
        """The value with the metric's decimals; a dash for a gap."""
        if self.printed is not None:
            return str(self.printed)
        return GAP if self.value is None else f"{self.value:.{self.metric.decimals}f}"

    @property
    def deviation(self) -> float | None:
        """The standard deviation, printed or computed; None where there is none."""
        return self.sd if self.printed_sd is None else float(self.printed_sd)

    @property
    def spread(self) -> str:
        """The standard deviation with the metric's decimals; empty where there is none."""
        if self.printed_sd is not None:
            return str(self.printed_sd)
        return "" if self.sd is None else f"{self.sd:.{self.metric.decimals}f}"
