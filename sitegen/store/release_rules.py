"""The rules that hold between a results folder and its releases."""

from sitegen.problems import Rule

_RESTORE = "restore it as it was; a correction is a new bundle, which the status of this one names"

RELEASE_NAME = Rule(
    "RELEASE-NAME",
    "error",
    "A release's file is called by its date.",
    "call it YYYY-MM-DD.toml, by the `date` that it states",
)
RELEASE_BENCHMARK_GONE = Rule(
    "RELEASE-BENCHMARK-GONE",
    "error",
    "A benchmark that was released stays, under its id or one that `[[renamed]]` of benchmark.toml tells.",
    "put it back; a track that does not stand any more says so in its `status`",
)
RELEASE_BUNDLE_GONE = Rule(
    "RELEASE-BUNDLE-GONE",
    "error",
    "A bundle that was released stays, under its name or one that `[[renamed]]` of benchmark.toml tells.",
    "put it back, or name both addresses in `[[renamed]]` where it is called otherwise; a bundle that does not stand "
    "any more says so in its status",
)
RELEASE_BUNDLE_DIFFERS = Rule(
    "RELEASE-BUNDLE-DIFFERS", "error", "A bundle that was released never changes, but for its status.", _RESTORE
)
RELEASE_TASKS_DIFFER = Rule(
    "RELEASE-TASKS-DIFFER",
    "error",
    "A task set that was released keeps its tasks, rounds, weights and cases.",
    "restore it, and give the changed tasks a task set and a track of their own",
)
RELEASE_TRACK_DIFFERS = Rule(
    "RELEASE-TRACK-DIFFERS",
    "error",
    "A track that was released keeps its conditions.",
    "restore it, and add a track with the new conditions",
)
RELEASE_FINDING_DIFFERS = Rule(
    "RELEASE-FINDING-DIFFERS",
    "error",
    "A finding that was released stays as it is.",
    "restore it; what is new about it is a finding of its own",
)
RELEASE_TABLE_DIFFERS = Rule(
    "RELEASE-TABLE-DIFFERS",
    "error",
    "A published table that was released keeps its figures.",
    "restore it; what is wrong with it goes to its `errata`",
)
