"""Import the run folders of Harbor's multi-turn fork, which EvoCode-Bench's paper was made with.

A folder of runs goes in; an `Incoming` with one bundle per agent comes out. `runs` reads a run,
`kinds` says what it was (an attempt, a resume, a branch, a sample), `rounds` lists its rounds,
`attempts` and `submissions` arrange runs as attempts, and `source` makes the bundles. Read
`source.read_harbor_multiturn` first. Scoring is shared with `harbor`.
"""
