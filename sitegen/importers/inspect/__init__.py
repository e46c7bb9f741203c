"""Import logs of Inspect.

In: a folder of `.eval` or JSON logs. Out: an `Incoming` with one bundle for each agent, one task
for each sample, and one attempt for each epoch. Read `source.read_inspect` first. `logs` reads
logs into `records`, with times by `times`, and `merging` joins logs of one run; `agents` says who
ran, `scores` chooses the reward, `grading` makes rounds of samples, and `checks` compares a log
with its samples. `reported` is for logs without samples, and `rules` lists what may be wrong.
"""
