"""Import run folders of SlopCodeBench, of every generation of the runner.

Input: a folder. Output: an `Incoming` with one bundle per agent. `runs` finds run folders and reads
them: `rows` reads the runner's own rows, `files` and `salvage` the small files next to them, and
`checkpoints` combines both for one checkpoint. `definition` describes the benchmark, with the facts
in `benchmark`, and determines how many checkpoints a problem has. `rules` lists the possible
problems. Read `source.read_slopcodebench` first.
"""
