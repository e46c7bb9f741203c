"""Import logs of Inspect.

Input: a folder of `.eval` or JSON logs. Output: an `Incoming` with one bundle per agent, one task
per sample, and one attempt per epoch. Read `source.read_inspect` first. `logs` reads logs into
`records`, `times` parses their times, and `merging` joins logs of one run; `agents` identifies the
agents, `scores` chooses the reward, `grading` makes rounds from samples, and `checks` compares a
log with its samples. `reported` handles logs without samples, and `rules` lists the possible
problems.
"""
