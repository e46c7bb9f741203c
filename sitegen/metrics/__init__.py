"""Scores of submissions, and their uncertainty.

`results.arrange_results` turns a submission's records into arrays, and `metric.Metric.measure`
scores these under `conditions`. `catalogue` lists every metric: the metrics of `checkpoints`,
`effort` and `failstop`, and the declared metrics, which `metric_builder` builds and `reduction`
computes.

`resampling` splits scores by task and computes the contributions of tasks to scores, which
`contributions` defines. The `intervals` of scores, the `rank_tests`, and the comparisons of
`paired`, `reruns` and `generalizability` start from these contributions. `likeness` compares
rounds.

`rates`, `estimates`, `attempts`, `task_effects` and `outcomes` compute shares and means over tasks,
over repeated attempts, for single tasks and for single cases. `diagnostics` has tables of pass
rates and failures by round. `arrays` has the types of arrays, `tolerances` says which computed
values are equal, and `special_functions` loads the special functions of SciPy. Read `metric` first.
"""

import os

# This must be set before numpy loads: its threads take a fifth of a second to start, which the
# small matrices here never make up for.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
