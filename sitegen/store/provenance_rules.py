"""The rules about what a manifest says of the runs. Saying nothing breaks none of them."""

from sitegen.problems import Rule

DATES_DISORDERED = Rule(
    "PROVENANCE-DATES-DISORDERED", "error", "Runs start before they finish.", "correct `started` or `finished`"
)
DATE_UNLIKELY = Rule(
    "DATE-UNLIKELY",
    "error",
    "Dates lie between 2015, or the day that the benchmark began, and tomorrow.",
    "correct the date, or `since` in benchmark.toml where the benchmark began earlier",
)
FINISHED_LATE = Rule(
    "PROVENANCE-FINISHED-LATE",
    "warning",
    "Runs are finished by the `date` of their submission.",
    "look which of the two dates is right",
)
RELEASED_LATE = Rule(
    "MODEL-RELEASED-LATE",
    "warning",
    "A model is released before it is run.",
    "correct `model_released`, or say in `submitter` who had the model before",
)
TREE_DIRTY = Rule(
    "PROVENANCE-DIRTY",
    "error",
    "Runs are made from a commit, without changes that nobody else has.",
    "commit the changes, make the runs again, and give the new commit",
)
COMMIT_INVALID = Rule(
    "PROVENANCE-COMMIT-INVALID",
    "error",
    "A commit is told by its full hash, 40 or 64 hexadecimal digits.",
    "give what `git rev-parse HEAD` prints, or leave `code_commit` out where it is not known",
)
TASKS_DIFFER = Rule(
    "PROVENANCE-TASKS-DIFFER",
    "error",
    "Runs are made with the tasks whose checksums the task set has.",
    "run the tasks as they are registered; correct `task_digest` where only that is wrong",
)
IMAGE_INVALID = Rule(
    "PROVENANCE-IMAGE-INVALID",
    "error",
    "The digest of an image is `sha256:` and 64 hexadecimal digits.",
    "give what `docker image inspect` prints under RepoDigests",
)
LIMITS_OVERRIDDEN = Rule(
    "PROVENANCE-OVERRIDES",
    "error",
    "Runs keep to the benchmark's limits of time and resources.",
    "make the runs with the default limits, or ask the maintainers for a waiver",
)
VERIFIER_SHARED = Rule(
    "PROVENANCE-VERIFIER-SHARED",
    "warning",
    "An agent can't see how the rounds before were checked.",
    "look whether the harness was patched; if not, make the runs with Harbor 0.24 or later, or record a finding",
)
TRANSCRIPTS_DIGEST_INVALID = Rule(
    "TRAJECTORIES-DIGEST-INVALID",
    "error",
    "Transcripts are named, and their checksum is a SHA-256: 64 hexadecimal digits.",
    "give the SHA-256 over the sorted lines `SHA256  PATH` of all transcripts, and where they are in `trajectories`",
)
