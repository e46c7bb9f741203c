"""The rules that an import keeps towards results that stand already. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

_OTHER_TRACK = (
    "import into another track with `--track`, or a new one with `--new-track`: scores never mix across conditions"
)

NAME_INVALID = Rule(
    "MERGE-NAME-INVALID",
    "error",
    "Names of folders and files are slugs.",
    "use up to 120 lower-case letters, digits, `-` and `_` only, and begin with a letter or digit",
)
NAME_TWICE = Rule(
    "MERGE-NAME-TWICE",
    "error",
    "A bundle's name stands for one thing.",
    "name another date with `--date`, or rename the other one",
)
NAME_LONGER = Rule(
    "MERGE-NAME-LONGER",
    "warning",
    "A bundle is called after its date and its agent.",
    "nothing needs to be done: the name says what tells it from the bundle that stands",
)
TRACK_DIFFERS = Rule(
    "MERGE-TRACK-DIFFERS",
    "error",
    "Results join a track that states the conditions they were made under.",
    _OTHER_TRACK,
)
ATTEMPTS_ABOVE = Rule(
    "MERGE-ATTEMPTS-ABOVE",
    "error",
    "A bundle has at most the attempts of its track.",
    "raise `attempts` of the track while it has no submission, import into another track with `--track`, or leave the "
    "runs beyond the track's attempts out",
)
TASKS_DIFFER = Rule(
    "MERGE-TASKS-DIFFER",
    "error",
    "Results have tasks of the track that they join, and no others.",
    f"bring the tasks under the ids that the track has them under; or {_OTHER_TRACK}",
)
TASKS_MISSING = Rule(
    "MERGE-TASKS-MISSING",
    "warning",
    "Results have every task of the track that they join.",
    "run the missing tasks and import again before you send the bundles in: one that misses a task says so in "
    "`missing`, and has no rank",
)
TASK_DIFFERS = Rule("MERGE-TASK-DIFFERS", "error", "A task is the same in every import into a track.", _OTHER_TRACK)
DIGEST_DIFFERS = Rule(
    "MERGE-DIGEST-DIFFERS",
    "warning",
    "A task has the same checksum in every import into a track.",
    "look whether the tasks were changed: scores on changed tasks do not compare",
)
ALIAS_DIFFERS = Rule(
    "MERGE-ALIAS-DIFFERS",
    "error",
    "A spelling stands for one agent.",
    "correct `[aliases]` in benchmark.toml, or the alias of the import",
)
