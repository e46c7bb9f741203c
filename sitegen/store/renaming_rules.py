"""The rules about addresses that were something else's before."""

from sitegen.problems import Rule

RENAMED_TO_UNKNOWN = Rule(
    "RENAMED-TO-UNKNOWN",
    "error",
    "A former address leads to something that is there.",
    "write where it is now: BENCHMARK/TRACK, BENCHMARK/TRACK/SUBMISSION or BENCHMARK/TRACK/tasks/TASK",
)
RENAMED_FROM_TAKEN = Rule(
    "RENAMED-FROM-TAKEN",
    "error",
    "At a former address stands nothing, and it leads to one place.",
    "name the address that something had and that nothing has now, once",
)
