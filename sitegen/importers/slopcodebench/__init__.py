"""Imports run folders of SlopCodeBench, of every generation of the runner.

A folder goes in, an `Incoming` with a bundle for each agent comes out. `runs` finds run folders and
reads them: `rows` the runner's own rows, `files` and `salvage` the small files beside them, and
`checkpoints` combines both for one checkpoint. `definition` describes the benchmark, with what
`benchmark` knows of it, and finds how many checkpoints a problem has. `rules` lists what may be
wrong. Read `source.read_slopcodebench` first.
"""
