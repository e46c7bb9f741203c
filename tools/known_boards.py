"""Boards of simulated agents whose true scores are known.

The logit of an agent's chance to pass a round of a task is the sum of the agent's ability, the task's easiness, and an
easiness of this task for this agent alone. Rounds within a task are correlated, and scores are lumpy, as on the board
to which this model was fitted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy
from numpy.typing import NDArray

LENGTHS = (5, *[7] * 8, *[8] * 9, *[9] * 3, 11, *[13] * 2, *[15] * 2)
"""Numbers of rounds of EvoCode-Bench's tasks; simulated tasks draw their numbers of rounds from these."""
TASK_SPREAD = 2.1
OWN_SPREAD = 2.1
"""Standard deviations of a task's easiness for all agents and for one agent alone, fitted to the same board."""

REAL = (59.7, 30.4, 24.4, 16.8, 14.7, 13.8, 12.7, 12.3, 9.3, 8.1, 6.6, 6.1, 5.3)
"""Scores of the 13 agents on that board."""
LEVELS = (5.0, 15.0, 30.0, 60.0)
"""Expected scores of boards of equal agents, in turn."""

SCALE = 100.0
CLOSE = 1e-9
"""Scores that differ by less than this are equal."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Agents:
    """Agents to simulate.

    Attributes:
        scores: Expected scores in percent, best first.
        own: The spread of each agent's own easiness of tasks.
    """

    scores: Numbers
    own: Numbers


@dataclass(frozen=True)
class Kind:
    """How the agents of a board are simulated.

    Attributes:
        name: The name in the output.
        scores: Returns expected scores in percent, best first, given the number of agents and of the board.
        own: The spread of the agent's own easiness of tasks, for the first and the last agent.
    """

    name: str
    scores: Callable[[int, int], Numbers]
    own: tuple[float, float] = (OWN_SPREAD, OWN_SPREAD)

    def agents(self, rows: int, board: int) -> Agents:
        """Return simulated agents for a board."""
        return Agents(self.scores(rows, board), np.linspace(*self.own, rows))


def level(rows: int, board: int) -> Numbers:
    """Return equal scores, at a level that differs from board to board."""
    return np.full(rows, LEVELS[board % len(LEVELS)])


EQUAL = Kind("equal", level)
UNLIKE = Kind("equal scores, unlike agents", level, (0.5, 4.0))
"""Agents with equal scores that differ in how similar their hard tasks are to those of other agents."""
NEAR = Kind("near equal, 18 to 22 %", lambda rows, _: np.linspace(22.0, 18.0, rows))
LIKE_REAL = Kind("like the real board", lambda rows, _: np.array(REAL[:rows]))
FLOOR = Kind("floor, 1 to 6 %", lambda rows, _: np.linspace(6.0, 1.0, rows))
PAIRS = (
    Kind("22 against 35 %", lambda *_: np.array([35.0, 22.0])),
    Kind("5 against 15 %", lambda *_: np.array([15.0, 5.0])),
    Kind("30 against 60 %", lambda *_: np.array([60.0, 30.0])),
)


@cache
def ability(score: float, own_spread: float) -> float:
    """Return the ability that leads to an expected score in percent, found by bisection."""
    at, weights = np.polynomial.hermite_e.hermegauss(80)
    spread = float(np.hypot(TASK_SPREAD, own_spread))
    low, high = -40.0, 40.0
    while high - low > CLOSE:
        middle = (low + high) / 2
        passes = scipy.special.expit(middle + spread * at) @ weights / weights.sum()
        low, high = (middle, high) if SCALE * passes < score else (low, middle)
    return low


def simulated(agents: Agents, tasks: int, random: np.random.Generator) -> Numbers:
    """Return a simulated board: the score of each agent on each task, in percent."""
    rounds = random.choice(LENGTHS, tasks)
    abilities = [
        ability(*score_and_spread)
        for score_and_spread in zip(agents.scores.tolist(), agents.own.tolist(), strict=True)
    ]
    own_effects = random.normal(0, agents.own[:, np.newaxis], (len(abilities), tasks))
    logits = np.array(abilities)[:, np.newaxis] + random.normal(0, TASK_SPREAD, tasks) + own_effects
    passed: Numbers = random.binomial(rounds, scipy.special.expit(logits)) / rounds
    return SCALE * passed
