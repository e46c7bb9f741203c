"""The rules for runs of the multi-turn fork. Codes are stable: programs refer to them."""

from sitegen.importers.kit import rules as kit_rules
from sitegen.problems import Rule

_NONE_NEEDED = "nothing needs to be done"

NOTHING_FOUND = kit_rules.NOTHING_FOUND.specific(
    "name the folder of the jobs; import runs of the official runner with `sitegen import harbor`",
)
FILE_SHAPE = kit_rules.FILE_BROKEN.specific(
    "find out what changed the file; nothing is read from it, and a run without usable "
    "settings is left out",
    "These files are not in the format that the fork writes and were ignored: {}.",
    order="MULTITURN-FILE-SHAPE",
)
AGENT_UNKNOWN = kit_rules.AGENT_UNKNOWN.specific(
    "name the agent with `--agent`",
)
TASK_UNKNOWN = kit_rules.TASK_UNKNOWN.specific(
    "name the folder of the tasks with `--tasks`",
)
TASK_NOT_RUN = kit_rules.TASK_MISSING.specific(
    "add the runs, or import with `--allow-missing` to leave these tasks out of the task set",
)
TASKS_LEFT_OUT = kit_rules.TASKS_LEFT_OUT.specific(
    "import again once the runs are available: scores over fewer tasks are not comparable "
    "with the published scores",
)
ROUNDS_ASSUMED = kit_rules.ASSUMED.specific(
    "name the folder of the tasks with `--tasks`",
    "Tasks are not defined in the source; the number of rounds is inferred from the runs: {}.",
    order="MULTITURN-ROUNDS-ASSUMED",
)
ROUND_UNKNOWN = kit_rules.ROUND_UNKNOWN.specific(
    "check whether the runs used this definition",
)
ROUND_TWICE = kit_rules.REWARD_CONFLICT.specific(
    "check which outcome is right; the round is recorded as aborted",
    "Runs list rounds twice, with different outcomes, which are recorded as aborted: {}.",
    order="MULTITURN-ROUND-TWICE",
)
REWARD_DIFFERS = kit_rules.REWARD_CONFLICT.specific(
    "find out who wrote the file: the list counts, because the runner writes it outside of "
    "the sandbox",
    "The runner's list of rounds and the verifier's files state different rewards; the list "
    "counts: {}.",
    order="MULTITURN-REWARD-DIFFERS",
)
ROWS_MISSING = kit_rules.FILE_MISSING.specific(
    "check whether the run crashed; the rounds are taken from the verifier's files",
    "Runs have no list of their rounds, which are taken from the verifier's files: {}.",
    order="MULTITURN-ROWS-MISSING",
)

UNFINISHED = kit_rules.RUN_UNFINISHED.specific(
    "import again once the run has ended; a run that was cancelled or has no rounds is not "
    "imported",
)
UNVERIFIED = kit_rules.RUN_NOT_COUNTED.specific(
    f"{_NONE_NEEDED}: a run without verification is not imported",
)
STRETCH = kit_rules.RUN_NOT_COUNTED.specific(
    f"{_NONE_NEEDED}: rounds after a late start are neither an attempt nor single rounds, and "
    "are not imported",
)
FOREIGN = kit_rules.RUN_NOT_COUNTED.specific(
    f"{_NONE_NEEDED}: runs that start from another agent's work are not imported",
)
CAPPED = kit_rules.RUN_NOT_COUNTED.specific(
    f"{_NONE_NEEDED}: a run that was configured to end early is not imported",
)
RESUME_REPLACED = kit_rules.RUN_NOT_COUNTED.specific(
    f"{_NONE_NEEDED}: the latest run counts",
    "Several runs continued the same attempt; the latest counts.",
    order="MULTITURN-RESUME-REPLACED",
)
ORIGIN_MISSING = kit_rules.FILE_MISSING.specific(
    "add the folder of the earlier run; until then its rounds are taken from the copy in "
    "the later run",
    "Runs continued runs that are not in the source; their earlier rounds are taken from the "
    "copies in these runs.",
    order="MULTITURN-ORIGIN-MISSING",
)
FAN_OUT_UNEVEN = Rule.note(
    "MULTITURN-FAN-OUT-UNEVEN",
    "Rounds of a fan-out were tried different numbers of times.",
    (
        f"{_NONE_NEEDED}: the round tried most often sets the number of attempts, so the other "
        "rounds had fewer chances"
    ),
    "Not every round was tried equally often: {}.",
)
TOPOLOGIES = Rule.warning(
    "MULTITURN-TOPOLOGIES-MIXED",
    "The source mixes independent attempts with branches of fan-outs.",
    (
        "import each kind separately, with `--model`, `--track` and `--new-track`: their scores "
        "follow the same formula, but do not mean the same thing"
    ),
)

ATTEMPTS_ABOVE = kit_rules.RUN_NOT_COUNTED.specific(
    f"{_NONE_NEEDED}: attempts beyond the number that most tasks have are not imported; the first "
    "attempts count",
)
ATTEMPTS_BELOW = kit_rules.RUN_UNREACHED.specific(
    "add the missing runs; until then their rounds are recorded as unreached and count as 0",
)
ATTEMPTS_NONE = kit_rules.RUN_UNREACHED.specific(
    "add the attempts; until then the rounds of one attempt are recorded as unreached, and "
    "MT@k, Comp and Perfect Tasks are left blank",
    "No attempt was made, only single rounds; the rounds of one attempt are recorded as unreached.",
    order="MULTITURN-ATTEMPTS-NONE",
)
SAMPLE_TWICE = kit_rules.RUN_NOT_COUNTED.specific(
    f"{_NONE_NEEDED}: the latest run counts",
    "Rounds were run several times from the reference state; the latest run counts.",
    order="MULTITURN-SAMPLE-TWICE",
)
SAMPLE_EMPTY = kit_rules.REFERENCE_FAILED.specific(
    "find out why the reference solution failed, and run the round again; the run is not imported",
    "Runs in which the reference solution did not reach the round to be run are left out.",
    order="MULTITURN-SAMPLE-EMPTY",
)
SAMPLE_MISSING = kit_rules.RUN_UNREACHED.specific(
    "add the runs; until then these rounds are unreached and count as 0, and SR is left blank "
    "for an agent without any of them",
    "Rounds that were not run from the reference state are recorded as unreached and count as 0: "
    "{}.",
    order="MULTITURN-SAMPLE-MISSING",
)
