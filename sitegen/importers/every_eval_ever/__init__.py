"""Import records of Every Eval Ever: aggregates, usually with a file of samples, one per line.

Input: a folder of records. Output: an `Incoming` with one bundle per agent with samples, and a
reported table of the other agents. Read `source.read_every_eval_ever` first. `records` finds
aggregates, `samples` reads lines, `scales` converts scores to rewards, `settings` names agents,
`runs` and `reported` build results, and `exported` reads records that `sitegen export` wrote.
"""
