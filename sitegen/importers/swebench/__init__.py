"""Imports what the evaluation of SWE-bench and its relatives write, and submissions to its leaderboard.

`source` finds what a folder holds and joins it: `summaries` reads a run's summary, `logs` finds its instances' logs,
`reports` reads one instance's report, `evaluations` makes a run of them, `submissions` reads the leaderboard's folders.
"""
