"""What a page says first: one sentence that follows from the data, and how sure it is.

Each sentence has its conditions: where one fails a weaker sentence is said, and none where the data says nothing. It
says no more of an order than `board.certainty` shows.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

LONGEST = 140
"""So many characters has a sentence at most."""


class Answer(NamedTuple):
    """A sentence without its full stop, and the sentences, which may be none, that say how sure it is."""

    text: str
    sure: str = ""

    def __str__(self) -> str:
        """All of it, as one text."""
        return f"{self.text}. {self.sure}".strip()


def answered(*texts: str, sure: Iterable[str] = ()) -> Answer | None:
    """Take the first of some texts that is short enough, the strongest first; None where none is."""
    text = next((each for each in texts if 0 < len(each) <= LONGEST), "")
    return Answer(text, " ".join(filter(None, sure))) if text else None


def number_text(value: float, decimals: int, sign: Literal["+", "-"] = "-") -> str:
    """Write a number with a minus, not a hyphen, where it is below 0, and with a plus where asked; 0 has no sign."""
    text = f"{value:{sign}.{decimals}f}"
    return (text if float(text) else text.lstrip("+-")).replace("-", "−")
