"""A score beside what others claim it to be."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from sitegen.metrics.metric import Extent, Metric
from sitegen.problems import counted

T = TypeVar("T")

_EXACT = 1e-9
_DECIMALS = 12
"""More digits than that after the point are no part of a score."""

GAP = "\N{EN DASH}"
"""What stands where nothing was measured."""


class OnDemand(Mapping[str, T]):
    """Values by name, each found when it is first asked for; whoever goes through all of them has all found."""

    def __init__(self, names: Collection[str], find: Callable[[str], T | None]) -> None:
        """Find nothing yet; values come in the order of the names, and a name may have none."""
        self.names = names
        self._find = find
        self._found: dict[str, T | None] = {}

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
        if name not in self._found:
            self._found[name] = self._find(name) if name in self.names else None
        return self._found[name]


@dataclass(frozen=True, slots=True)
class Claim:
    """A value, as printed, that somebody states for a score."""

    value: Decimal
    source: str | None
    """Where it was printed; None where the submitter states it."""
    line: int | None = None
    """Line of the submission's manifest that states it, from 1; None where a published table does."""
    tasks: int | None = None
    """How many tasks it is over; None where that is as many as the score is over."""

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
    """One metric's value for one row of a board, in the metric's unit; None for a gap."""

    metric: Metric
    value: float | None
    gap: str | None = None
    """Why there is no value."""
    printed: Decimal | None = None
    """The value as its source prints it, for rows that are reported only."""
    extent: Extent | None = None
    """What it is over, of what it is defined over; None where nothing tells."""
    caveat: str | None = None
    """What to know of the evidence behind the value."""
    claims: Sequence[Claim] = ()
    apart: Sequence[Claim] = ()
    """Claims that are over another set of tasks than the row, and so do not compare."""
    version: str | None = None
    """Version of the definition it was measured by, for measurements that have versions."""
    sd: float | None = None
    """Sample standard deviation over what the mean is taken over, where the metric is shown with one."""
    printed_sd: Decimal | None = None
    errata: Sequence[str] = ()
    """What is known to be wrong with a reported figure."""
    counted: tuple[int, int] | None = None
    """k of n, where the score counts k of n tasks, rounds or attempts."""
    before: "Score | None" = None
    """The score as it would be if findings had no effect; None where they change nothing of the row."""
    then: "Score | None" = None
    """The score under the findings of the submission's own day; None where no claim hangs on that."""

    @property
    def disputed(self) -> tuple[Claim, ...]:
        """Claims that the recomputed value contradicts, with the effects of findings and without."""
        settled = {*self.apart, *self.overtaken}
        return tuple(
            claim for claim in self.claims if self.agrees(claim) is False and claim not in settled
        )

    @property
    def incomparable(self) -> tuple[Claim, ...]:
        """Claims over another set of tasks, but for those that agreed before findings changed the set."""
        return tuple(claim for claim in self.apart if claim not in self.overtaken)

    @property
    def overtaken(self) -> tuple[Claim, ...]:
        """Claims that do not agree with the value, and do with the one without findings or with those of their day."""
        others = list(filter(None, (self.before, self.then)))
        return tuple(
            claim
            for claim in self.claims
            if not self.meets(claim) and any(each.meets(claim) for each in others)
        )

    def agrees(self, claim: Claim) -> bool | None:
        """Whether a claim is the value, rounded; None where one of the two is a gap, or they do not compare."""
        return None if self.value is None or claim in self.apart else claim.agrees_with(self.value)

    def meets(self, claim: Claim) -> bool:
        """Whether it has a value that a claim compares and agrees with."""
        return bool(self.agrees(claim))

    def standing(self, claim: Claim) -> str:
        """How a claim stands to the score, in words; empty where one of the two is a gap."""
        if claim in self.overtaken:
            return "agrees without findings"
        if claim in self.apart:
            return (
                f"not comparable: over {counted(claim.tasks, 'task')}"
                if claim.tasks
                else "not comparable"
            )
        return {True: "agrees", False: "differs", None: ""}[self.agrees(claim)]

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
    def unfounded(self) -> str:
        """What it would be if findings had no effect, as people read it; empty where that reads the same."""
        return self.before.text if self.before and self.before.text != self.text else ""

    @property
    def count_words(self) -> str:
        """What it counts, of how many: "52 of 89"; empty where it counts nothing.

        Attempts are named where there are several at each task, since readers know how many tasks there are.
        """
        if self.counted is None:
            return ""
        k, n = self.counted
        by_attempt = (
            self.metric.counts == "attempts" and self.extent is not None and n > self.extent.of
        )
        return f"{k:,} of {counted(n, 'attempt')}" if by_attempt else f"{k:,} of {n:,}"

    @property
    def missing_note(self) -> str:
        """What the score lacks, and how that counts; empty where it lacks nothing.

        "6 of 120 tasks missing, counted as 0" for verdicts, "over 4 of 5 rounds" for means of
        costs and measurements, and "3 of 5 rounds known" for a gap.
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
        """The standard deviation, printed or computed; None where there is none."""
        return self.sd if self.printed_sd is None else float(self.printed_sd)

    @property
    def spread(self) -> str:
        """The standard deviation with the metric's decimals; empty where there is none."""
        if self.printed_sd is not None:
            return str(self.printed_sd)
        return "" if self.sd is None else f"{self.sd:.{self.metric.decimals}f}"
