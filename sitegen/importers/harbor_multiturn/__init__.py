"""Import the run folders of Harbor's multi-turn fork, which EvoCode-Bench's paper was made with.

A folder of runs goes in; an `Incoming` with one bundle per agent comes out. `runs` reads a run,
`kinds` says what it was (an attempt, a resume, a branch, a sample), `selection` decides whether it
counts, `attempts` and `submissions` arrange an agent's runs, `rounds` lists the rounds of a run,
and `recorder` scores them as `harbor` does. `rules` lists what may be wrong. Read
`source.read_harbor_multiturn` first.
"""
