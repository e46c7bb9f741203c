"""Which of two submissions came first: dates that a submitter writes tell nothing of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Arrivals:
    """When submissions came, as far as those tell it who had them already."""

    order: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By the submission: smaller is earlier. Equal ones, and those that are not here, may have come in any order."""
    released: Mapping[str, int] = field(default_factory=dict)
    """By the submission, the number of the release that had it first; only those that were released."""

    def is_before(self, one: str, other: str) -> bool:
        """Whether a submission is known to have come before another."""
        return one in self.order and other in self.order and self.order[one] < self.order[other]

    def is_history(self, name: str, other: str) -> bool:
        """Whether a submission may have been there when another came: not later, and not first released with it."""
        are_released_together = other in self.released and self.released[other] == self.released.get(name)
        return not are_released_together and not self.is_before(name, other)

    def sorted(self, names: Iterable[str]) -> list[str]:
        """Give the earliest first; where nothing tells, by name."""
        return sorted(names, key=lambda name: (self.order.get(name, ()), name))

    def elder(self, name: str, others: Iterable[str]) -> str | None:
        """Give the earliest of some others that is not known to have come after a submission; None for no such one."""
        return next((each for each in self.sorted(others) if each != name and not self.is_before(name, each)), None)

    def remark(self, name: str, elder: str) -> str:
        """Say behind what is told of a submission and another whether that was first; nothing where it is known."""
        return "" if self.is_before(elder, name) else "; which came first is not known"
