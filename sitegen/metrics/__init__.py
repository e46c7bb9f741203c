"""Scores and their uncertainty: pure functions on arrays, and the catalogue that names them.

A submission's records become a `grids.Sheet`; `metric.Metric.measure` scores it. `catalogue` has
every metric, `declared` the engine of those that a benchmark declares. `resampling` gives
intervals, `order` tests ranks, `paired` compares two submissions. Read `metric.py` first.
"""

import os

# This has to come before numpy loads: its threads take a fifth of a second to start, which the
# small matrices here never win back.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
