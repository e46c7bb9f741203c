"""Import the result files that EvoCode-Bench publishes with its site.

Input: a folder with an index and a file per task. Output: an `Incoming` with one bundle per agent.
`files` reads the index and the tasks' files, `cells` the rounds in these files, `task_kinds` the
kinds of tasks from their ids, and `sweep` a separate table with tool calls. `agents` finds the runs
of each agent, `runs` makes its rounds, and `source` the bundles. `benchmark` contains facts about
the benchmark, `values` extracts values from JSON, and `rules` lists the possible problems. Read
`source.read_published` first.
"""
