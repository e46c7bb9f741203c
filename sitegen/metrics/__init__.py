"""Scores of submissions, and how sure they are.

`results.arrange_results` makes arrays of a submission's records, and `metric.Metric.measure` scores
them under `conditions`. `catalogue` has every metric: those of `checkpoints`, `effort` and
`failstop`, and those that are declared, which `metric_builder` builds and `reduction` computes.

`resampling` splits scores by task. From these `contributions` of tasks follow `intervals`,
`rank_tests`, and the comparisons of `paired`, `reruns` and `generalizability`. `likeness` compares
rounds instead. `task_effects`, `rates` and `attempts` say what single tasks and repeated attempts
do, `outcomes` how often cases fail, and `diagnostics` how rounds went. `estimates` has means over
tasks with their intervals, `arrays` the types of arrays, and `tolerances` says which computed
values are equal. Read `metric` first.
"""

import os

# This has to come before numpy loads: its threads take a fifth of a second to start, which the
# small matrices here never win back.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
