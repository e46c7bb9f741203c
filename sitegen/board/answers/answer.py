"""The sentence that a page says first, and the sentences that say how certain it is.

Each sentence has its conditions: where one fails a weaker sentence is said, and none where the data
says nothing. It says no more of an order than `board.inference` shows.
"""

from collections.abc import Iterable
from typing import NamedTuple

from sitegen.problems import counted

LONGEST = 140
"""Characters that a sentence may have at most."""


class Answer(NamedTuple):
    """A sentence without its full stop, and further sentences about it."""

    text: str
    certainty: str = ""
    """The sentences that say how certain it is; may be empty."""

    def __str__(self) -> str:
        """Return all of it as one text."""
        return f"{self.text}. {self.certainty}".strip()


def answered(*texts: str, certainty: Iterable[str] = ()) -> Answer | None:
    """Return the first of some texts that is not empty and short enough; None where none is.

    Args:
        texts: The sentences, the strongest first.
        certainty: Sentences that say how certain it is; empty ones are left out.
    """
    for text in texts:
        if 0 < len(text) <= LONGEST:
            return Answer(text, " ".join(filter(None, certainty)))
    return None


def agents_of(number: int, total: int) -> str:
    """Return a number of agents among all, as the subject of a sentence."""
    if total == 2 and number in {0, 2}:  # noqa: PLR2004 - English has words for two
        return "Both agents" if number else "Neither agent"
    if number == 0:
        return f"None of the {total:,} agents"
    if number == total > 1:
        return f"All {total:,} agents"
    return f"{number:,} of {counted(total, 'agent')}"
