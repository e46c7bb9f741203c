"""The importer of logs of Inspect.

`source.read_inspect` is the way in: it reads every log of a folder (`logs`, whose parts `records` describes), decides
which score is the reward (`scores`), and makes a round of each sample (`grading`). `checks` holds what a log says of
itself against its samples, and makes claims of it; `reported` reads logs that were written without samples.
"""
