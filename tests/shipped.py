"""The results that ship, judged once for all tests of a process, which only look at them."""

from datetime import date
from functools import cache
from pathlib import Path

from sitegen.pipeline.judging import Judged, judge

RESULTS = Path(__file__).parents[1] / "results"


@cache
def shipped() -> Judged:
    return judge(RESULTS, date(2026, 11, 27))
