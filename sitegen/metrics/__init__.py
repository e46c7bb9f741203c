"""Scores of submissions, and how sure they are.

`results.arrange_results` makes arrays of a submission's records, and `metric.Metric.measure` scores
them under `conditions`. `catalogue` has every metric: those of `checkpoints`, `effort` and
`failstop`, and those that are declared, which `metric_builder` builds and `reduction` computes.

`resampling` splits scores by task and computes what tasks contribute to them, as `contributions`
defines it. The `intervals` of scores, the order of `rank_tests`, and the comparisons of `paired`,
`reruns` and `generalizability` start from these contributions. `likeness` compares rounds.

`rates`, `estimates`, `attempts`, `task_effects` and `outcomes` say how often and how much: shares
and means over tasks, repeated attempts, single tasks, single cases. `diagnostics` has tables of how
rounds went. `arrays` has the types of arrays, `tolerances` says which computed values are equal,
and `special_functions` loads those of SciPy. Read `metric` first.
"""

import os

# This has to come before numpy loads: its threads take a fifth of a second to start, which the
# small matrices here never win back.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
