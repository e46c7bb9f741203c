"""The rules for Harbor's folders. Codes are stable: programs refer to them.

Most rules are variants of the kit's rules, with a fix for Harbor's files. They keep the kit's code,
such as SOURCE-REWARD-CONFLICT, whatever the constant is called here. `order` is a stable key for
sorting the caveats of a bundle: the code that the rule had before it shared the kit's code. It may
therefore differ from the name of the constant.
"""

from sitegen.importers.kit import rules as kit_rules
from sitegen.problems import Rule

_APART = "import them separately: name the folder of one of them as the source"

NOTHING_FOUND = kit_rules.NOTHING_FOUND.specific(
    "name the folder of the jobs, such as `jobs/` or the folder above `harbor_jobs/`",
)
TASK_WITHOUT_ROUNDS = kit_rules.SOURCE_BROKEN.specific(
    "give every entry of `[[steps]]` a name",
)
WEIGHT_UNUSABLE = kit_rules.SOURCE_BROKEN.specific(
    "give every target a weight above 0, or leave all weights out",
)
TASK_CHAIN_DIFFERS = kit_rules.ROUNDS_DIFFER.specific(
    "correct the metadata; the rounds are taken from `[[steps]]`",
)
TASK_TWICE = kit_rules.TASK_REDEFINED.specific(
    "keep one of the definitions, or name the folder of the tasks with `--tasks`",
)
TASK_UNKNOWN = kit_rules.TASK_UNKNOWN.specific(
    "name the folder of the tasks with `--tasks`, or import with `--allow-missing` to leave "
    "these runs out",
)
TASK_LEFT_OUT = kit_rules.LEFT_OUT.specific(
    "name the folder of the tasks with `--tasks`; these runs are not imported",
)
TASKS_MIXED = kit_rules.PROTOCOLS_MIXED.specific(
    _APART,
)
STEPS_DIFFER = kit_rules.ROUND_UNKNOWN.specific(
    "use `--tasks` to name the version that was run",
)
TARGET_UNKNOWN = kit_rules.NAME_UNLISTED.specific(
    "correct the names in task.toml, or in the verifier's reward.json; other keys are not used",
    "Verdicts name targets that the task does not have; these are not used: {}.",
    order="HARBOR-TARGET-UNKNOWN",
)
TARGETS_UNSTATED = kit_rules.SOURCE_UNUSABLE.specific(
    "let the verifier write reward.json with one key per target: a single number does not "
    "say which targets passed",
)

AGENT_UNKNOWN = kit_rules.AGENT_UNKNOWN.specific(
    "name the agent with `--agent`",
)
RUNS_SEVERAL = kit_rules.RUNS_SEVERAL.specific(
    "choose the run that counts with `--pick latest` or `--pick first`, or remove the other "
    "runs from the source",
)
RUN_MISSING = kit_rules.RUN_UNREACHED.specific(
    "add the missing runs; until then their rounds are recorded as unreached and count as 0",
    "Rounds of runs that were not made are recorded as unreached and count as 0: {}.",
    order="HARBOR-RUN-MISSING",
)
TRIALS_MISSING = kit_rules.FILE_MISSING.specific(
    "fetch the complete job: leaving trials out selects among attempts",
    "The source lacks trials that its jobs list: {}.",
    order="HARBOR-TRIALS-MISSING",
)
RUN_PARTIAL = kit_rules.RUN_NOT_COUNTED.specific(
    "nothing needs to be done: a run that was configured to end early is not imported",
)
RUN_UNFINISHED = kit_rules.RUN_UNFINISHED.specific(
    "import again once the run has ended; the results that its folder had so far were imported",
    "These runs had not ended when they were imported; only their results so far are included: {}.",
    order="HARBOR-RUN-UNFINISHED",
)
REFERENCE_MISSING = kit_rules.RUN_MISSING.specific(
    "add the runs, or import with `--allow-missing` to record these rounds as unreached, which "
    "count as 0",
)
REFERENCE_LEFT_OUT = kit_rules.RUN_UNREACHED.specific(
    "add the runs; until then these rounds are recorded as unreached and count as 0",
    "Rounds that were not run from the reference state are recorded as unreached and count as 0: "
    "{}.",
    order="HARBOR-REFERENCE-LEFT-OUT",
)
REFERENCE_INVALID = kit_rules.REFERENCE_FAILED.specific(
    "find out why the reference solution failed, and run the round again; the run is not imported",
    "Runs in which the reference solution did not reach the round to be run are left out: {}.",
    order="HARBOR-REFERENCE-INVALID",
)
CONDITIONS_DIFFER = kit_rules.CONDITIONS_DIFFER.specific(
    "check whether the runs are comparable; if not, import them separately",
    "Not all runs were made under the same conditions: {}.",
    order="HARBOR-CONDITIONS-DIFFER",
)
LIMITS_CHANGED = kit_rules.CONDITIONS_DIFFER.specific(
    "run the tasks with their default limits, unless the benchmark allows other limits",
    "The runs had limits that differ from those of the tasks: {}.",
    order="HARBOR-LIMITS-CHANGED",
)
EXTRA_INSTRUCTIONS = kit_rules.CONDITIONS_DIFFER.specific(
    "state the extra instructions in the agent's name or setting, with `--agent` or "
    "`--reasoning`: these runs are not comparable with others",
    "The agent was given instructions beyond those of the task: {}.",
    order="HARBOR-EXTRA-INSTRUCTIONS",
)
SESSION_RESUMED = kit_rules.CONDITIONS_DIFFER.specific(
    "name the resumed session in the agent's name or setting: the agent remembers earlier "
    "rounds, and its tokens and costs may include them again",
    "The agent resumed the previous round's session, so its tokens and costs may include earlier "
    "rounds: {}.",
    order="HARBOR-SESSION-RESUMED",
)
DIGEST_DIFFERS = kit_rules.TASK_CHANGED.specific(
    "find out what changed between the runs: scores on changed tasks are not comparable; no "
    "checksum is recorded",
    "Runs of the same task were made with different files, so no checksum is recorded: {}.",
    order="HARBOR-DIGEST-DIFFERS",
)
VERIFIER_EXPOSED = Rule.warning(
    "HARBOR-VERIFIER-EXPOSED",
    "An agent could see how earlier rounds were checked.",
    "check whether the runner was patched or the checks ran elsewhere; if not, record a finding",
    "The agent may have seen how earlier rounds were checked: {}.",
)

REWARD_CONFLICT = kit_rules.REWARD_CONFLICT.specific(
    "find out who wrote the other value: an agent may be able to plant it",
    "A round's reward differs between the files that report it: {}.",
    order="HARBOR-REWARD-CONFLICT",
)
REWARD_CONTRADICTED = kit_rules.REWARD_CONTRADICTED.specific(
    "check the verifier's output; the reward counts, and the cases of these rounds are not "
    "recorded",
    "Rewards contradict the cases of their rounds; the reward counts, and the cases are not "
    "recorded: {}.",
    order="HARBOR-REWARD-CONTRADICTED",
)
CASES_CONTRADICTED = kit_rules.COUNTS_DIFFER.specific(
    "check the verifier's output; its summary counts, unless it has fewer cases than failed",
    "The cases that the verifier printed differ from the cases that it counted: {}.",
    order="HARBOR-CASES-CONTRADICTED",
)
SUMMARIES_DIFFER = kit_rules.COUNTS_DIFFER.specific(
    "check whether the agent's program printed the other summary; the first summary that "
    "fits the reward is used",
    "The verifier's output has several summaries of the cases; the first that fits the reward "
    "is taken: {}.",
    order="HARBOR-SUMMARIES-DIFFER",
)
SUMMARY_MISSING = kit_rules.CASES_MISSING.specific(
    "check whether the test suite was cut off; the cases that it printed are counted here, "
    "although the benchmark's own leaderboard counts none",
    "The verifier's output ends without a summary; the cases that it printed are counted: {}.",
    order="HARBOR-SUMMARY-MISSING",
)
CASES_MISSING = kit_rules.CASES_MISSING.specific(
    "check whether its output is complete; the cases of the round are recorded as unknown",
    "The verifier's output lists cases for other rounds, but none for these: {}.",
    order="HARBOR-CASES-UNTOLD",
)
CASES_BROKEN = kit_rules.VALUE_UNUSABLE.specific(
    "check the line; it is not recorded as a case",
    "Lines of the verifier's output that report cases could not be read: {}.",
    order="HARBOR-CASES-BROKEN",
)
CASES_EXCESS = kit_rules.CASES_MISSING.specific(
    "check the output; cases beyond the limit are not listed, and the counts are taken from "
    "the summary",
    "The verifier printed more cases than are listed; the counts come from its summary: {}.",
    order="HARBOR-CASES-EXCESS",
)
CALLS_MISSING = Rule.note(
    "HARBOR-CALLS-UNTOLD",
    "The transcripts of a run contain no tool calls.",
    "nothing needs to be done: the interactions of the run are recorded as not measured",
    "The transcripts contain no tool calls, so interactions are recorded as not measured: {}.",
)
TRANSCRIPT_MISSING = kit_rules.FILE_MISSING.specific(
    "fetch the file; the interactions of the round are recorded as not measured",
    "Other rounds of the run have a transcript, but these have none that can be counted: {}.",
    order="HARBOR-TRANSCRIPT-MISSING",
)
TRANSCRIPT_CONTRADICTED = Rule.warning(
    "HARBOR-TRANSCRIPT-CONTRADICTED",
    "A transcript is incomplete or belongs to another agent or round: steps are missing, calls "
    "have no answer, or totals differ from the runner's.",
    "compare it with the runner's copy; the runner's counts are recorded",
    "These transcripts are incomplete, or belong to a different round or agent: {}.",
)
