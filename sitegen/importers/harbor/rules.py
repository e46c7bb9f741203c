"""The rules that Harbor's folders keep. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

_APART = "import them apart: name the folder of one of them as the source"

NOTHING_FOUND = Rule.error(
    "HARBOR-NOTHING-FOUND",
    "The source holds at least one finished trial.",
    "name the folder that holds the jobs, such as `jobs/` or the folder above `harbor_jobs/`",
)
TASK_WITHOUT_ROUNDS = Rule.error(
    "HARBOR-TASK-WITHOUT-ROUNDS",
    "A task.toml names its rounds, each once.",
    "name each of the `[[steps]]`",
)
TASK_CHAIN_DIFFERS = Rule.warning(
    "HARBOR-TASK-CHAIN-DIFFERS",
    "A task's metadata tells of the rounds that its `[[steps]]` list.",
    "correct the metadata; the rounds are those of `[[steps]]`",
)
TASK_TWICE = Rule.error(
    "HARBOR-TASK-TWICE",
    "Every task goes by a name of its own.",
    "keep one, or name the folder with `--tasks`",
)
TASK_UNKNOWN = Rule.error(
    "HARBOR-TASK-UNKNOWN",
    (
        "The task of every run is known, and so is how many rounds it has: by its task.toml, or by "
        "what the run left."
    ),
    (
        "name the folder of the tasks with `--tasks`, or import with `--allow-missing` to leave "
        "these runs out"
    ),
)
TASK_LEFT_OUT = Rule.warning(
    "HARBOR-TASK-LEFT-OUT",
    "The task of every run is known, and so is how many rounds it has.",
    "name the folder of the tasks with `--tasks`; these runs are not imported",
)
TASKS_MIXED = Rule.error(
    "HARBOR-TASKS-MIXED",
    "The tasks of a track are all chains of rounds, or all sets of targets that are graded once.",
    _APART,
)
STEPS_DIFFER = Rule.error(
    "HARBOR-STEPS-DIFFER",
    "A run has no other rounds than its task.",
    "name the version that was run with `--tasks`",
)
TARGET_UNKNOWN = Rule.warning(
    "HARBOR-TARGET-UNKNOWN",
    "A verdict is about the targets that its task names, besides the key `reward`.",
    "correct the names in task.toml, or in the verifier's reward.json; other keys are not used",
    "Verdicts tell of targets that the task does not have, which are not used: {}.",
)
TARGETS_UNSTATED = Rule.error(
    "HARBOR-TARGETS-UNTOLD",
    "The verdict of a task with targets tells of each target.",
    (
        "let the verifier write reward.json with a key for each target: one number does not say "
        "which targets passed"
    ),
)

AGENT_UNKNOWN = Rule.error(
    "HARBOR-AGENT-UNKNOWN",
    (
        "Every run says which agent made it: in its files, or by its place in "
        "`TASK/harbor_jobs/MODEL/JOB/`."
    ),
    "name the agent with `--agent`",
)
RUNS_SEVERAL = Rule.error(
    "HARBOR-RUNS-SEVERAL",
    (
        "It is clear which of several verdicts on the same work counts, and which run of a round "
        "from the reference state."
    ),
    (
        "say which one counts with `--pick latest` or `--pick first`, or remove the others from "
        "the source"
    ),
)
RUN_MISSING = Rule.warning(
    "HARBOR-RUN-MISSING",
    "Every agent made every attempt at every task.",
    "add the missing runs; until then their rounds are recorded as unreached and count 0",
    "Rounds of runs that were not made are recorded as unreached and count 0: {}.",
)
TRIALS_MISSING = Rule.warning(
    "HARBOR-TRIALS-MISSING",
    "Every trial that a job counts is in its folder.",
    "fetch the whole job: whoever leaves trials out chooses among attempts",
    "Jobs count more trials than are here: {}.",
)
RUN_PARTIAL = Rule.note(
    "HARBOR-RUN-PARTIAL",
    "A run goes from a task's first round to its last.",
    "nothing needs to be done: a run that was told to end earlier is not imported",
)
RUN_UNFINISHED = Rule.warning(
    "HARBOR-RUN-UNFINISHED",
    "A run that is imported has ended: its folder holds result.json.",
    "import again once the run has ended; what stands in its folder now was taken",
    "Runs had not ended when they were imported; what stood there was taken: {}.",
)
REFERENCE_MISSING = Rule.error(
    "HARBOR-REFERENCE-MISSING",
    "Where rounds were run from the reference state, every round of every task was.",
    (
        "add the runs, or import with `--allow-missing` to record these rounds as unreached, which "
        "counts 0"
    ),
)
REFERENCE_LEFT_OUT = Rule.warning(
    "HARBOR-REFERENCE-LEFT-OUT",
    "Where rounds were run from the reference state, every round of every task was.",
    "add the runs; until then these rounds are recorded as unreached and count 0",
    "Rounds that were not run from the reference state are recorded as unreached and count 0: {}.",
)
REFERENCE_INVALID = Rule.warning(
    "HARBOR-REFERENCE-INVALID",
    "The reference solution carries a run to the round that it starts at.",
    "look why the reference solution failed, and run the round again; the run is not imported",
    (
        "Runs in which the reference solution did not get to the round that was to be run are left "
        "out: {}."
    ),
)
CONDITIONS_DIFFER = Rule.warning(
    "HARBOR-CONDITIONS-DIFFER",
    "All runs of an agent were made under the same conditions.",
    "look whether the runs compare; where they do not, import them apart",
    "Not all runs were made under the same conditions: {}.",
)
LIMITS_CHANGED = Rule.warning(
    "HARBOR-LIMITS-CHANGED",
    "Runs have the limits of time and resources that their tasks set.",
    "run the tasks with their own limits, unless the benchmark allows these",
    "The runs had other limits than the tasks set: {}.",
)
EXTRA_INSTRUCTIONS = Rule.warning(
    "HARBOR-EXTRA-INSTRUCTIONS",
    "An agent is told what the task tells, and nothing else.",
    (
        "say so in the agent's name or setting, with `--agent` or `--reasoning`: such runs do not "
        "compare with others"
    ),
    "The agent was told more than the task tells: {}.",
)
SESSION_RESUMED = Rule.warning(
    "HARBOR-SESSION-RESUMED",
    "An agent begins each round with a session of its own.",
    (
        "say so in the agent's name or setting: it remembers the rounds before, and what it used "
        "may count them again"
    ),
    (
        "The agent went on in the session of the round before, so what it used may count those "
        "rounds again: {}."
    ),
)
DIGEST_DIFFERS = Rule.warning(
    "HARBOR-DIGEST-DIFFERS",
    "All runs of a task were made with the same files.",
    (
        "look what changed between the runs: scores on changed tasks do not compare; no checksum "
        "is recorded"
    ),
    "Runs of the same task were made with different files, so no checksum is recorded: {}.",
)
VERIFIER_EXPOSED = Rule.warning(
    "HARBOR-VERIFIER-EXPOSED",
    "An agent can't see how the rounds before were checked.",
    "look whether the runner was patched or the checks ran elsewhere; if not, record a finding",
    "The agent may have seen how the rounds before were checked: {}.",
)

REWARD_CONFLICT = Rule.warning(
    "HARBOR-REWARD-CONFLICT",
    "A round's reward is the same wherever it is told.",
    "look who wrote the other value: an agent may be able to plant one",
    "A round's reward differs between the places that tell it: {}.",
)
REWARD_CONTRADICTED = Rule.warning(
    "HARBOR-REWARD-CONTRADICTED",
    "A round earns the full reward where none of its cases failed, and only there.",
    (
        "look up the verifier's output; the reward counts, and the cases of these rounds are not "
        "recorded"
    ),
    (
        "Rewards contradict the cases of their rounds; the reward counts, and the cases are not "
        "recorded: {}."
    ),
)
CASES_CONTRADICTED = Rule.warning(
    "HARBOR-CASES-CONTRADICTED",
    "The cases that a verifier prints are those that it counts.",
    (
        "look up the verifier's output; the summary counts unless it leaves no room for the cases "
        "that failed"
    ),
    "The cases that the verifier printed are not those that it counted: {}.",
)
SUMMARIES_DIFFER = Rule.warning(
    "HARBOR-SUMMARIES-DIFFER",
    "A verifier's log has one CASE_SUMMARY.",
    (
        "look whether the agent's program printed the other one; the first that fits the reward is "
        "taken"
    ),
    (
        "The verifier's output has several summaries of the cases; the first that fits the reward "
        "is taken: {}."
    ),
)
SUMMARY_MISSING = Rule.warning(
    "HARBOR-SUMMARY-MISSING",
    "A verifier that prints cases ends with a CASE_SUMMARY.",
    (
        "look whether the suite was cut off; the cases that it printed are counted, where its own "
        "board counts none"
    ),
    "The verifier's output ends without a summary; the cases that it printed are counted: {}.",
)
CASES_MISSING = Rule.warning(
    "HARBOR-CASES-UNTOLD",
    "A verifier that prints cases prints those of every round with a reward.",
    "look whether its output is whole; the cases of the round are recorded as not known",
    "The verifier's output tells of no case in these rounds, and does in others: {}.",
)
CASES_BROKEN = Rule.warning(
    "HARBOR-CASES-BROKEN",
    "A CASE_RESULT names its case and says how it ended.",
    "look up the line; it is not recorded as a case",
    "Lines of the verifier's output that tell of cases could not be read: {}.",
)
CASES_EXCESS = Rule.warning(
    "HARBOR-CASES-EXCESS",
    "A verifier's log is of a size that a suite of tests prints.",
    (
        "look what was printed; the cases beyond are not listed, and the counts are those of the "
        "summary"
    ),
    "The verifier printed more cases than are listed; its summary is taken for the counts: {}.",
)
CALLS_MISSING = Rule.note(
    "HARBOR-CALLS-UNTOLD",
    "Trajectories tell of tool calls.",
    (
        "nothing needs to be done: where no step of a run has one, interactions are recorded as "
        "not measured"
    ),
    "The transcripts tell of no tool call, so interactions are recorded as not measured: {}.",
)
TRANSCRIPT_MISSING = Rule.warning(
    "HARBOR-TRANSCRIPT-MISSING",
    "Where a run has transcripts, every round that it reached has one.",
    "fetch the file; the interactions of the round are recorded as not measured",
    "Other rounds of the run have a transcript, and these have none that can be counted: {}.",
)
TRANSCRIPT_CONTRADICTED = Rule.warning(
    "HARBOR-TRANSCRIPT-CONTRADICTED",
    (
        "A transcript is whole and its agent's own: numbered steps, an answer to each call, and "
        "the runner's figures."
    ),
    "compare it with the runner's own copy; what the runner counted is recorded",
    "Transcripts are not whole, or of another round or agent: {}.",
)
