"""What a share card says: plain words and numbers, and a digest that tells whether it was drawn before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sitegen.charts.ruler import Ruler


@dataclass(frozen=True, slots=True)
class Name:
    """What something is called.

    Attributes:
        text: Its name, in any script.
        otherwise: Its id, which is shown where the fonts of cards can't write the name.
    """

    text: str
    otherwise: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around every card.

    Attributes:
        where: What it is part of, from the outside in: the benchmark, and the track.
        labels: What must not be missed, such as "simulated data".
        foot: How far it can be followed, and of which day it is.
        site: What the site is called.
    """

    where: Sequence[Name]
    labels: Sequence[str]
    foot: str
    site: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in large type.

    Attributes:
        title: What it is.
        text: The figure.
        beside: What follows it in smaller type: its unit, or of how many.
        note: What to know of it.
    """

    title: str
    text: str
    beside: str
    note: str


@dataclass(frozen=True, slots=True)
class Span:
    """A score, and the ends of its 95 % interval where it has one."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> list[float]:
        """The score and, where it has one, both ends of its interval."""
        return [end for end in (self.value, self.low, self.high) if end is not None]


@dataclass(frozen=True, slots=True)
class RowCard:
    """The card of one row of a board.

    Attributes:
        around: What stands around it.
        name: The agent's.
        about: Who made it, and how it was set up.
        is_struck: Whether the row does not stand any more.
        figures: Its headline score and its rank.
        caption: What the axis shows.
        ruler: The axis of the headline score; None where no row has one.
        own: Its headline score; None for a gap.
        all: The headline scores of all rows that stand.
    """

    around: Surroundings
    name: Name
    about: str
    is_struck: bool
    figures: Sequence[Figure]
    caption: str
    ruler: Ruler | None
    own: Span | None
    all: Sequence[float]


@dataclass(frozen=True, slots=True)
class Line:
    """A row on a board's card.

    Attributes:
        place: The ranks that it may have.
        name: The agent's.
        text: Its headline score as people read it.
        span: The same as a bar; None for a gap.
        note: What to know of it, in a word.
    """

    place: str
    name: Name
    text: str
    span: Span | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class BoardCard:
    """The card of a board: its first rows.

    Attributes:
        around: What stands around it.
        name: The track's.
        facts: What it holds.
        shown: How many of its rows are shown.
        score: Names the headline score with its unit.
        ruler: The axis of the headline score; None where no row has one.
        lines: The rows, best first.
    """

    around: Surroundings
    name: Name
    facts: str
    shown: str
    score: str
    ruler: Ruler | None
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class SiteCard:
    """The card of the whole site: what it is called, and what it holds."""

    name: str
    facts: str


Card: TypeAlias = RowCard | BoardCard | SiteCard
