"""The cases of each checkpoint, which runs share."""

from dataclasses import dataclass, field

from sitegen.importers.slopcodebench.quality import Key
from sitegen.models.task import Case


@dataclass(slots=True)
class CaseBook:
    """The cases of each checkpoint, as the first run that lists them has them.

    Attributes:
        lists: Cases by checkpoint.
    """

    lists: dict[Key, tuple[Case, ...]] = field(default_factory=dict)

    def other_names(self, key: Key, cases: tuple[Case, ...] | None) -> tuple[str, ...] | None:
        """Enter a checkpoint's cases, or give their names where the book has others; None where it has the same."""
        if cases is None or self.lists.setdefault(key, cases) == cases:
            return None
        return tuple(case.id for case in cases)
