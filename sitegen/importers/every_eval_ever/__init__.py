"""Import records of Every Eval Ever: aggregates, usually with a line for each sample.

In: a folder of records. Out: an `Incoming` with one bundle for each agent with samples, and a
reported table for the others. Read `source.read_every_eval_ever` first. `records` finds aggregates,
`samples` reads lines, `scales` turns scores into rewards, `settings` names agents, `runs` and
`reported` build results, and `exported` reads back what `sitegen export` wrote.
"""
