"""Imports what the evaluations of SWE-bench and its relatives write, and leaderboard submissions.

Read `source` first. `contents` finds what a folder holds: submissions, and runs with a summary (`summaries`), logs
(`logs`) and predictions (`predictions`). `evaluations` and `submissions` make runs of them, with the verdicts that
`reports` reads and `grading` keeps.
"""
