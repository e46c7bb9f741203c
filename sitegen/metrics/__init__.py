"""Scores of submissions, and how sure they are.

`results.arrange_results` makes arrays of a submission's records, and `metric.Metric.measure` scores
them. `catalogue` has every metric, `declared` the engine of those that a benchmark declares.
`resampling` takes scores apart into tasks, for the intervals of `intervals` and for `rank_tests`;
`paired`, `reruns`, `generalizability` and `likeness` compare submissions; `task_effects`, `rates`
and `attempts` say what single tasks and repeated attempts contribute, and `diagnostics` how rounds
went. `arrays` has the types of arrays. Read `metric.py` first.
"""

import os

# This has to come before numpy loads: its threads take a fifth of a second to start, which the
# small matrices here never win back.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
