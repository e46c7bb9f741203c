"""What a round costs an agent."""

from dataclasses import dataclass
from random import Random

from sitegen.importers.simulation.dice import dice
from sitegen.models.submission import Agent


@dataclass(frozen=True, slots=True)
class Effort:
    """What a round cost; None where nothing was spent or nobody counted."""

    interactions: int | None = None
    turns: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    agent_seconds: float | None = None


FREE = Effort()
"""The effort of a round that the agent never reached."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How an agent spends its time and its tokens.

    Attributes:
        interactions: Tool calls in a usual round.
        output_tokens: Per turn.
        input_tokens: Per turn.
        seconds: Per turn.
        input_price: US dollars per million tokens.
        output_price: US dollars per million tokens.
    """

    interactions: float
    output_tokens: float
    input_tokens: float
    seconds: float
    input_price: float
    output_price: float

    @classmethod
    def of(cls, seed: int, agent: Agent) -> "Pace":
        """Make up the habits of an agent."""
        rng = dice(seed, "pace", agent.name)
        price = rng.uniform(0.05, 0.9)
        return cls(
            interactions=rng.uniform(25, 110),
            output_tokens=rng.uniform(150, 700),
            input_tokens=rng.uniform(6_000, 24_000),
            seconds=rng.uniform(3, 14),
            input_price=price,
            output_price=20 * price,
        )

    def effort(self, rng: Random) -> Effort:
        """Make up what one round costs."""
        interactions = max(1, round(self.interactions * rng.uniform(0.5, 1.6)))
        turns = max(1, round(interactions * rng.uniform(0.7, 1.0)))
        input_tokens = round(turns * self.input_tokens * rng.uniform(0.8, 1.2))
        output_tokens = round(turns * self.output_tokens * rng.uniform(0.7, 1.3))
        cost = (input_tokens * self.input_price + output_tokens * self.output_price) / 1_000_000
        seconds = turns * self.seconds * rng.uniform(0.8, 1.2)
        return Effort(interactions, turns, input_tokens, output_tokens, round(cost, 3), round(seconds, 1))
