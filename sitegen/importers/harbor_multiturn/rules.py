"""The rules that runs of the multi-turn fork keep. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

_NONE_NEEDED = "nothing needs to be done"

NOTHING_FOUND = Rule.error(
    "MULTITURN-NOTHING-FOUND",
    "The source holds runs of the multi-turn fork.",
    (
        "name the folder that holds the jobs; runs of the official runner are imported with "
        "`sitegen import harbor`"
    ),
)
FILE_SHAPE = Rule.warning(
    "MULTITURN-FILE-SHAPE",
    "A file of a run has the shape that the fork writes.",
    (
        "look what changed the file; nothing is taken from it, and a run without usable settings "
        "is left out"
    ),
    "Files of runs have another shape than the fork writes, and nothing is taken from them: {}.",
)
AGENT_UNKNOWN = Rule.error(
    "MULTITURN-AGENT-UNKNOWN",
    "A run tells which model made it, in its files or by the folder below `harbor_jobs`.",
    "name the agent with `--agent`",
)
TASK_UNKNOWN = Rule.error(
    "MULTITURN-TASK-UNKNOWN",
    "Of every run it is known which task it was about and how many rounds that task has.",
    "name the folder of the tasks with `--tasks`",
)
TASK_NOT_RUN = Rule.error(
    "MULTITURN-TASK-NOT-RUN",
    "Every task was run by somebody.",
    "add the runs, or import with `--allow-missing` to leave these tasks out of the task set",
)
TASKS_LEFT_OUT = Rule.warning(
    "MULTITURN-TASKS-LEFT-OUT",
    "The task set has every task that is defined.",
    (
        "import again once the runs are there: scores over fewer tasks do not compare with the "
        "published ones"
    ),
)
ROUNDS_ASSUMED = Rule.warning(
    "MULTITURN-ROUNDS-ASSUMED",
    "The number of a task's rounds is known from its definition.",
    "name the folder of the tasks with `--tasks`",
    "Tasks are not defined in the source; how many rounds they have follows from the runs: {}.",
)
ROUND_UNKNOWN = Rule.error(
    "MULTITURN-ROUND-UNKNOWN",
    "A run has the rounds of its task.",
    "look whether this definition was run",
)
ROUND_TWICE = Rule.warning(
    "MULTITURN-ROUND-TWICE",
    "A run tells of a round once, or twice the same.",
    "look which outcome is right; the round is recorded as aborted",
    "Runs list rounds twice, with different outcomes, which are recorded as aborted: {}.",
)
REWARD_DIFFERS = Rule.warning(
    "MULTITURN-REWARD-DIFFERS",
    "A run's list of rounds and the verifier's files state the same rewards.",
    "look who wrote the file: the list counts, which the runner writes outside of the sandbox",
    (
        "The runner's list of rounds and the verifier's files state different rewards; the list "
        "counts: {}."
    ),
)
ROWS_MISSING = Rule.warning(
    "MULTITURN-ROWS-MISSING",
    "A run lists its rounds in `multiround_results.json`.",
    "look whether the run crashed; the rounds are taken from the verifier's files",
    "Runs have no list of their rounds, which are taken from the verifier's files: {}.",
)

UNFINISHED = Rule.warning(
    "MULTITURN-RUN-UNFINISHED",
    "Every run came to an end.",
    "import again once it has; a run that was cancelled or that tells of no round is not imported",
)
UNVERIFIED = Rule.note(
    "MULTITURN-RUN-UNVERIFIED",
    "The rounds of a run are verified.",
    f"{_NONE_NEEDED}: a run without verification is not imported",
)
STRETCH = Rule.note(
    "MULTITURN-RUN-LATE",
    "A run begins with the first round, or goes through one round only.",
    (
        f"{_NONE_NEEDED}: rounds after a late start are neither an attempt nor single rounds, and "
        "are not imported"
    ),
)
FOREIGN = Rule.note(
    "MULTITURN-RUN-FOREIGN",
    "A run goes on from a run of the same agent.",
    f"{_NONE_NEEDED}: what began with another agent's work is not imported",
)
CAPPED = Rule.note(
    "MULTITURN-RUN-CAPPED",
    "An attempt may go through all rounds of its task.",
    f"{_NONE_NEEDED}: a run that was told to end earlier is not imported",
)
RESUME_REPLACED = Rule.note(
    "MULTITURN-RESUME-REPLACED",
    "One run at most goes on from an attempt.",
    f"{_NONE_NEEDED}: of several the latest counts",
    "Several runs went on from the same attempt; the latest counts.",
)
ORIGIN_MISSING = Rule.warning(
    "MULTITURN-ORIGIN-MISSING",
    "The run that another goes on from is here.",
    "add its folder; until then the rounds before are those that the later run copied",
    (
        "Runs went on from runs that are not in the source; the rounds before are those that they "
        "copied."
    ),
)
FAN_OUT_UNEVEN = Rule.note(
    "MULTITURN-FAN-OUT-UNEVEN",
    "Every round of a fan-out is tried equally often.",
    (
        f"{_NONE_NEEDED}: the widest round is the number of attempts, and rounds with fewer had "
        "fewer chances"
    ),
    "Not every round was tried equally often: {}.",
)
TOPOLOGIES = Rule.warning(
    "MULTITURN-TOPOLOGIES-MIXED",
    "The attempts of a track are all independent, or are all branches of fan-outs.",
    (
        "import each kind by itself, with `--model`, `--track` and `--new-track`: they compare "
        "only by the formula"
    ),
)

ATTEMPTS_ABOVE = Rule.note(
    "MULTITURN-ATTEMPTS-ABOVE",
    "An agent made as many attempts at each task.",
    (
        f"{_NONE_NEEDED}: attempts beyond the number that most tasks have are not imported, the "
        "first ones count"
    ),
)
ATTEMPTS_BELOW = Rule.warning(
    "MULTITURN-ATTEMPTS-BELOW",
    "An agent made as many attempts at each task.",
    "add the missing runs; until then their rounds are recorded as unreached and count 0",
)
ATTEMPTS_NONE = Rule.warning(
    "MULTITURN-ATTEMPTS-NONE",
    "An agent with single rounds made attempts too.",
    (
        "add the attempts; until then the rounds of one are unreached, and MT@k, Comp and Perfect "
        "Tasks are gaps"
    ),
    "No attempt was made, only single rounds; the rounds of one attempt are recorded as unreached.",
)
SAMPLE_TWICE = Rule.note(
    "MULTITURN-SAMPLE-TWICE",
    "A round is run once from the reference state.",
    f"{_NONE_NEEDED}: of several runs the latest counts",
    "Rounds were run several times from the reference state; the latest run counts.",
)
SAMPLE_EMPTY = Rule.warning(
    "MULTITURN-SAMPLE-EMPTY",
    "The reference solution carries a run to the round that it starts at.",
    "look why it failed, and run the round again; the run is not imported",
    (
        "Runs in which the reference solution did not get to the round that was to be run are left "
        "out."
    ),
)
SAMPLE_MISSING = Rule.warning(
    "MULTITURN-SAMPLE-MISSING",
    "Where rounds were run from the reference state, every round of every task was.",
    (
        "add the runs; until then these rounds are unreached and count 0, and SR is a gap where an "
        "agent has none at all"
    ),
    "Rounds that were not run from the reference state are recorded as unreached and count 0: {}.",
)
