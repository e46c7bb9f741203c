"""The importer of SlopCodeBench's run folders, of every generation of the runner.

`runs` finds run folders and reads what lies in them: `rows` the runner's own rows, `files` and `salvage` the
small files beside them, `checkpoints` what both say of one checkpoint. `definition` describes the benchmark and
finds how many checkpoints a problem has; `source` chooses runs and makes a bundle for each agent. Read
`source.read_slopcodebench` first.
"""
