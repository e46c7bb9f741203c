"""Import the run folders of Harbor's multi-turn fork, which was used for EvoCode-Bench's paper.

Input: a folder of runs. Output: an `Incoming` with one bundle per agent. `runs` reads a run,
`kinds` classifies it (as an attempt, a resume, a branch or a sample), `selection` decides whether
it counts, `attempts` and `submissions` arrange an agent's runs, `rounds` lists the rounds of a run,
and `recorder` scores them as `harbor` does. `rules` lists the possible problems. Read
`source.read_harbor_multiturn` first.
"""
