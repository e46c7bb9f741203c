"""The first sentence of a page, and the sentences that say how certain it is.

Each sentence has conditions. If they do not hold, a weaker sentence is used, or no sentence at all.
No sentence claims more about an order than `board.inference` shows.
"""

from collections.abc import Iterable
from typing import NamedTuple

from sitegen.problems import counted

LONGEST = 140
"""Maximum length of a sentence in characters."""


class Answer(NamedTuple):
    """A sentence without its full stop, and further sentences that say how certain it is."""

    text: str
    certainty: str = ""
    """The sentences that say how certain the first sentence is; may be empty."""

    def __str__(self) -> str:
        """Return the sentence and the sentences on its certainty as one text."""
        return f"{self.text}. {self.certainty}".strip()


def answered(*texts: str, certainty: Iterable[str] = ()) -> Answer | None:
    """Return the first non-empty text that is short enough; None if there is none.

    Args:
        texts: The sentences, the strongest first.
        certainty: Sentences that say how certain the chosen sentence is; empty ones are left out.
    """
    for text in texts:
        if 0 < len(text) <= LONGEST:
            return Answer(text, " ".join(filter(None, certainty)))
    return None


def agents_of(number: int, total: int) -> str:
    """Return a number of agents out of a total, as the subject of a sentence."""
    if total == 2 and number in {0, 2}:  # noqa: PLR2004 - English has words for two
        return "Both agents" if number else "Neither agent"
    if number == 0:
        return f"None of the {total:,} agents"
    if number == total > 1:
        return f"All {total:,} agents"
    return f"{number:,} of {counted(total, 'agent')}"
