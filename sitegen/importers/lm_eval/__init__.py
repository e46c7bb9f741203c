"""The lm-evaluation-harness: files of results, and of the documents behind them.

`files` finds and reads the files of every version of the harness, `settings` says which agent a file is about,
`documents` reads what came of each document, `scores` decides which metric is the reward, and `source` makes bundles
of it all; begin there, with `read_lm_eval`.
"""
