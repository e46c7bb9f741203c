"""The files of a bundle."""

MANIFEST, ROUNDS, RUNS, CHECKSUMS = "submission.toml", "rounds.jsonl", "runs.jsonl", "SHA256SUMS"
FAILURES = ("failures.jsonl.gz", "failures.jsonl")
"""Packed or not: a bundle has one of the two, or none."""
REQUIRED = (MANIFEST, ROUNDS, CHECKSUMS)
KNOWN = frozenset({*REQUIRED, RUNS, *FAILURES})
"""Every file that a bundle may hold."""
BESIDE_SUBMISSIONS = frozenset({"tasks", "compare", "certainty", "analysis"})
"""Names that the site uses beside submissions and tasks."""
