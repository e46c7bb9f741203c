"""Import runs of Terminal-Bench's own harness, `tb` 0.x.

A folder with runs goes in; an `Incoming` with a bundle for each agent comes out. `records` reads
single files, `runs` finds out which of them belong to one run, `agents` says who made it, and
`rounds` makes its results. `rules` lists what may be wrong. Read `source.read_terminal_bench`
first.
"""
