"""Import the result files that EvoCode-Bench publishes with its site.

A folder with an index and a file for each task goes in; an `Incoming` with one bundle per agent
comes out. `files` reads the index and the tasks' files, `cells` the rounds in them, `task_kinds`
the kinds of tasks from their ids, and `sweep` the table of tool calls beside them. `agents` finds
the runs of each agent, `runs` makes its rounds, and `source` the bundles. `benchmark` is what the
benchmark says of itself, `values` takes values out of JSON, and `rules` lists what may be wrong.
Read `source.read_published` first.
"""
