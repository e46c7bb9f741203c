"""Random submissions, some of which tests make similar to each other."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kit.boards import board, bundle
from sitegen.board.board import Board
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle

ROUNDS, CASES = 40, 30


def drawn(seed: int, skill: float = 0.5, rounds: int = ROUNDS) -> list[RoundResult]:
    """Draw an agent's records: a share of the rounds passes, and only some cases of each other round pass."""
    dice = random.Random(seed)  # noqa: S311 - a draw that anyone may foresee
    return [ending(number, CASES if dice.random() < skill else dice.randint(1, CASES - 1)) for number in each(rounds)]


def each(rounds: int) -> range:
    """Return the numbers of the rounds, from 1."""
    return range(1, rounds + 1)


def ending(number: int, passed: int, **facts: Any) -> RoundResult:  # noqa: ANN401 - any field of a record
    """Return the record of a round of the task `a`."""
    return RoundResult("a", 1, number, "scored", float(passed == CASES), passed=passed, total=CASES, **facts)


def measured(records: Sequence[RoundResult], seed: int) -> list[RoundResult]:
    """Return copies of records with random numbers of output tokens."""
    dice = random.Random(seed)  # noqa: S311 - a draw that anyone may foresee
    return [replace(record, output_tokens=dice.randint(100, 9999)) for record in records]


def others(count: int = 6, rounds: int = ROUNDS) -> list[Bundle]:
    """Return independently drawn submissions."""
    return [bundle(f"other-{number}", found=drawn(number, 0.3 + number / 20, rounds)) for number in range(count)]


def entered(*bundles: Bundle, rounds: int = ROUNDS, **facts: Any) -> Board:  # noqa: ANN401 - as `board` has it
    """Return a board of submissions to a track with one task."""
    return board(*bundles, rounds=(rounds,), **facts)
