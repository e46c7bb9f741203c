"""What the person who imports Harbor's folders decides beside the options of every import."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Pick: TypeAlias = Literal["latest", "first"] | None


@dataclass(frozen=True, slots=True)
class HarborChoice:
    """How Harbor's folders are to be read."""

    tasks: Path | None = None
    """The folder of the tasks, where the source does not hold them."""
    pick: Pick = None
    """Which of several jobs counts in which an agent ran the same task; None where that is an error."""
