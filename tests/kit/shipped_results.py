"""The shipped results, evaluated once per test process; tests must not change them."""

from datetime import date
from functools import cache
from pathlib import Path

from sitegen.pipeline.evaluating import Evaluation, evaluate

RESULTS = Path(__file__).parents[2] / "results"


@cache
def shipped() -> Evaluation:
    return evaluate(RESULTS, date(2026, 11, 27))
