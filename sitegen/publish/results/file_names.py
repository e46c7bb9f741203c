"""The names of files and folders in a results folder.

`store.files.layout` defines the same names; the two packages do not import each other.
"""

ARRIVALS_FILE = "arrivals.jsonl"
RELEASES_FOLDER = "releases"

DEFINITION_FILE = "benchmark.toml"
FINDINGS_FILE = "findings.toml"
CHECKS_FILE = "checks.jsonl"
TASKS_FOLDER = "tasks"
REPORTED_FOLDER = "reported"
SUBMISSIONS_FOLDER = "submissions"

MANIFEST_FILE = "submission.toml"
ROUNDS_FILE = "rounds.jsonl"
RUNS_FILE = "runs.jsonl"
FAILURES_FILE = "failures.jsonl.gz"
