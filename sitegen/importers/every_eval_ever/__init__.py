"""Records of Every Eval Ever: aggregates, and a line for each sample where there are any.

`records` finds aggregates with their samples and takes what they state, `samples` reads the lines, `scales` decides
how a score becomes a reward, `settings` says which agent a record is about, `runs` and `reported` make bundles and
rows of them, and `exported` reads what `sitegen export` wrote. Begin with `source`, at `read_every_eval_ever`.
"""
