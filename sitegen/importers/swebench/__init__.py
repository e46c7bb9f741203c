"""The importer of what the evaluation of SWE-bench writes, and of submissions to its leaderboard."""
