"""Imports results of SWE-bench's evaluation and its relatives, and submissions to its leaderboard.

A folder goes in, an `Incoming` with a bundle for each agent comes out. `contents` finds submissions
and evaluations, with their summary (`summaries`), logs (`logs`) and predictions (`predictions`).
`evaluations` and `submissions` make runs of them, with the verdicts that `reports` reads and
`grading` collects. `datasets` knows the datasets by their spellings, `json_files` reads JSON, and
`rules` lists what may be wrong. Read `source.read_swebench` first.
"""
