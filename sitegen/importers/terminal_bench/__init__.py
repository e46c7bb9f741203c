"""Import runs of Terminal-Bench's own harness, `tb` 0.x.

Input: a folder of runs. Output: an `Incoming` with one bundle per agent. `records` reads single
files, `runs` determines which files belong to the same run, `agents` identifies its agent, and
`rounds` makes its results. `rules` lists the possible problems. Read `source.read_terminal_bench`
first.
"""
