"""Import results of SWE-bench's evaluation and its variants, and submissions to its leaderboard.

Input: a folder. Output: an `Incoming` with one bundle per agent. `contents` finds submissions and
evaluations, with their summaries (`summaries`, `openhands`), logs (`logs`) and predictions
(`predictions`). `evaluations` and `submissions` build runs from them, with the verdicts that
`reports` reads and `grading` collects. `causes` names why instances have no verdict, `datasets`
maps spellings to datasets, `json_files` reads JSON, and `rules` lists the possible problems. Read
`source.read_swebench` first.
"""
