"""Boards made up of agents whose true scores are known.

An agent passes a round of a task with a chance whose logit is the agent's ability, plus the task's easiness, plus
what only this agent finds easy about this task. Rounds hang together within tasks, and scores are lumpy, as on the
board that this was fitted to.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy
from numpy.typing import NDArray

LENGTHS = (5, *[7] * 8, *[8] * 9, *[9] * 3, 11, *[13] * 2, *[15] * 2)
"""Rounds of the tasks of EvoCode-Bench, which those of simulated tasks are drawn from."""
TASK_SPREAD = 2.1
OWN_SPREAD = 2.1
"""Standard deviations of what a task is like for all, and for one agent alone; fitted to the same board."""

REAL = (59.7, 30.4, 24.4, 16.8, 14.7, 13.8, 12.7, 12.3, 9.3, 8.1, 6.6, 6.1, 5.3)
"""Scores of the 13 agents of that board."""
LEVELS = (5.0, 15.0, 30.0, 60.0)
"""Expected scores of boards of equal agents, in turn."""

SCALE = 100.0
CLOSE = 1e-9
"""Scores that differ by less are equal."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Agents:
    """Agents to simulate.

    Attributes:
        scores: Expected scores in percent, best first.
        own: How much what is easy differs from agent to agent, for each.
    """

    scores: Numbers
    own: Numbers


@dataclass(frozen=True)
class Kind:
    """How the agents of a board are made up.

    Attributes:
        name: What is printed of them.
        scores: Expected scores in percent, best first, of so many agents of a board with that number.
        own: How much what is easy differs from agent to agent, for the first and for the last.
    """

    name: str
    scores: Callable[[int, int], Numbers]
    own: tuple[float, float] = (OWN_SPREAD, OWN_SPREAD)

    def agents(self, rows: int, board: int) -> Agents:
        """Make up the agents of a board."""
        return Agents(self.scores(rows, board), np.linspace(*self.own, rows))


def level(rows: int, board: int) -> Numbers:
    """Give scores that are equal, on each board at another level."""
    return np.full(rows, LEVELS[board % len(LEVELS)])


EQUAL = Kind("equal", level)
UNLIKE = Kind("equal scores, unlike agents", level, (0.5, 4.0))
"""Some find the same tasks hard as others do, and some have their own."""
NEAR = Kind("near equal, 18 to 22 %", lambda rows, _: np.linspace(22.0, 18.0, rows))
LIKE_REAL = Kind("like the real board", lambda rows, _: np.array(REAL[:rows]))
FLOOR = Kind("floor, 1 to 6 %", lambda rows, _: np.linspace(6.0, 1.0, rows))
PAIRS = (
    Kind("22 against 35 %", lambda *_: np.array([35.0, 22.0])),
    Kind("5 against 15 %", lambda *_: np.array([15.0, 5.0])),
    Kind("30 against 60 %", lambda *_: np.array([60.0, 30.0])),
)


@cache
def ability(score: float, own: float) -> float:
    """Find the ability that has an expected score, in percent, by halving."""
    at, weights = np.polynomial.hermite_e.hermegauss(80)
    spread = float(np.hypot(TASK_SPREAD, own))
    low, high = -40.0, 40.0
    while high - low > CLOSE:
        middle = (low + high) / 2
        passes = scipy.special.expit(middle + spread * at) @ weights / weights.sum()
        low, high = (middle, high) if SCALE * passes < score else (low, middle)
    return low


def simulated(agents: Agents, tasks: int, random: np.random.Generator) -> Numbers:
    """Make up a board: the score of each agent at each task, in percent."""
    rounds = random.choice(LENGTHS, tasks)
    abilities = [
        ability(*each) for each in zip(agents.scores.tolist(), agents.own.tolist(), strict=True)
    ]
    own = random.normal(0, agents.own[:, np.newaxis], (len(abilities), tasks))
    logits = np.array(abilities)[:, np.newaxis] + random.normal(0, TASK_SPREAD, tasks) + own
    passed: Numbers = random.binomial(rounds, scipy.special.expit(logits)) / rounds
    return SCALE * passed
