"""The importer of the result files that EvoCode-Bench publishes.

`files` reads the index and the tasks' files, `cells` the rounds in them, `sweep` the table of tool calls beside them;
`agents` finds the runs of each agent, `runs` makes rounds of them, and `source` a bundle for each agent. Read
`source.read_published` first. What is wrong in a file is kept by name and costs no more than itself.
"""
