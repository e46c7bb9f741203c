"""The results that ship, judged once for all tests of a process, which only look at them."""

from datetime import date
from functools import cache
from pathlib import Path

from sitegen.pipeline.evaluating import Evaluation, evaluate

RESULTS = Path(__file__).parents[2] / "results"


@cache
def shipped() -> Evaluation:
    return evaluate(RESULTS, date(2026, 11, 27))
