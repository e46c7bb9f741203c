"""What can be drawn: panels of plain values, each with a digest that tells whether it was drawn before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Scale:
    """What an axis measures.

    Attributes:
        title: With its unit.
        most: No value is larger, as 100 for percent; None where values have no bound.
    """

    title: str
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, where it has one.

    Attributes:
        agent: Place of its agent on the board, from 0; None where the value is of no single agent.
        name: What it is of.
        value: The value.
        text: The value as pages show it.
        low: Where the interval begins.
        high: Where it ends.
    """

    agent: int | None
    name: str
    value: float
    text: str
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> list[float]:
        """The score and, where it has one, both ends of its interval."""
        return [end for end in (self.value, self.low, self.high) if end is not None]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One value below the other."""

    scale: Scale
    bars: Sequence[Bar]

    @property
    def title(self) -> str:
        """What is drawn."""
        return self.scale.title


@dataclass(frozen=True, slots=True)
class Dot:
    """An agent between two scores.

    Attributes:
        agent: Place of the agent on the board, from 0.
        name: The agent's.
        x: The score to the right.
        y: The score upwards.
        text: Both as pages show them.
        is_front: Whether the panel's front goes through it.
    """

    agent: int
    name: str
    x: float
    y: float
    text: str
    is_front: bool = False


@dataclass(frozen=True, slots=True)
class Cloud:
    """Agents between two scores.

    Attributes:
        x: The scale to the right.
        y: The scale upwards.
        dots: In the board's order.
        diagonal: What to call the line where both scores are equal; None where they can't be compared.
    """

    x: Scale
    y: Scale
    dots: Sequence[Dot]
    diagonal: str | None = None

    @property
    def title(self) -> str:
        """What is drawn."""
        return f"{self.y.title} against {self.x.title}"


@dataclass(frozen=True, slots=True)
class Tick:
    """One agent's score in a strip.

    Attributes:
        agent: Place of the agent on the board, from 0.
        name: The agent's.
        value: The score.
        text: The score as pages show it.
    """

    agent: int
    name: str
    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Strip:
    """The scores of all agents on one kind of tasks, with their mean."""

    title: str
    ticks: Sequence[Tick]
    mean: float

    def tick(self, agent: int) -> Tick | None:
        """Give an agent's score; None where it has none."""
        return next((tick for tick in self.ticks if tick.agent == agent), None)


@dataclass(frozen=True, slots=True)
class Strips:
    """The scores of all agents on several kinds of tasks, one kind below the other.

    Attributes:
        axis: What tells the kinds apart.
        scale: Of the scores.
        strips: One a kind.
    """

    axis: str
    scale: Scale
    strips: Sequence[Strip]

    @property
    def title(self) -> str:
        """What is drawn."""
        return f"{self.scale.title} by {self.axis}"


@dataclass(frozen=True, slots=True)
class Stop:
    """A share at one step.

    Attributes:
        value: In percent.
        text: As pages show it.
        is_thin: Whether it is over too few tasks to tell anything.
    """

    value: float
    text: str
    is_thin: bool = False


@dataclass(frozen=True, slots=True)
class Course:
    """What becomes of a share from step to step.

    Attributes:
        name: What the share is called.
        stops: One a step; None for a gap. Not all are.
    """

    name: str
    stops: Sequence[Stop | None]


@dataclass(frozen=True, slots=True)
class Courses:
    """Shares from step to step.

    Attributes:
        title: What is drawn.
        word: What a step is called.
        steps: Names of the steps, in order.
        courses: Few enough to be told apart by a name at their end.
        is_whole: Whether the shares of a course are the parts of one whole.
        tasks: How many tasks each step is over; empty where that is the same for all, and enough.
    """

    title: str
    word: str
    steps: Sequence[str]
    courses: Sequence[Course]
    is_whole: bool = False
    tasks: Sequence[int] = ()


Panel: TypeAlias = Ranking | Cloud | Strips | Courses
"""What can be drawn."""
