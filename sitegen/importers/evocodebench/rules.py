"""The rules for a publication of EvoCode-Bench. Codes are stable: programs refer to them."""

from sitegen.importers.kit import rules as kit_rules
from sitegen.problems import Rule

LISTED_TWICE = Rule.note(
    "SOURCE-LISTED-TWICE",
    "The index lists an agent or a task twice.",
    "nothing needs to be done: one of the entries is used",
)
TASK_UNNAMED = kit_rules.NAME_UNLISTED.specific(
    "list the task in the index if it is meant to count; it is not imported",
)
ROUNDS_DIFFER = kit_rules.ROUNDS_DIFFER.specific(
    "check how many rounds the task has; a round without a verdict counts as failed",
    "The source contradicts itself about the rounds of tasks: {}.",
)
AGENT_MISSING = Rule.warning(
    "SOURCE-AGENT-MISSING",
    "The file of a task lacks an agent that the index lists.",
    (
        "add the agent's rounds to the files; until then its bundle lists these tasks as missing, "
        "and has no rank"
    ),
    "The source has no rounds of this agent on some tasks, which its bundle lists as missing: {}.",
)
AGENT_UNLISTED = kit_rules.NAME_UNLISTED.specific(
    "add the agent to the index, or name the agent that the spelling stands for with `--alias "
    "SPELLING=NAME`",
    "The source's index does not list this agent, which has rounds in the files of {}.",
    order="SOURCE-AGENT-UNLISTED",
)
SPELLING_LEFT_OUT = kit_rules.ENTRY_TWICE.specific(
    "correct the file; the entry under the index's own spelling is used",
    "A task's file has several entries for this agent, of which one is used: {}.",
    order="SOURCE-SPELLING-LEFT-OUT",
)
COUNTS_DIFFER = kit_rules.COUNTS_DIFFER.specific(
    "count the cases in the verifier's output again; the round keeps its verdict but loses its "
    "cases",
    "Counts of cases that can't be right are left out, and the verdicts are kept: {}.",
)
REWARD_CONTRADICTED = kit_rules.REWARD_CONTRADICTED.specific(
    "check the reward and count the cases in the verifier's output again; the reward counts",
    "Rewards contradict the counts of cases; the rewards are kept, and these counts are left "
    "out: {}.",
)
SKIPPED_CASES = kit_rules.SKIPPED_CASES.specific(
    "nothing needs to be done: the cases that did neither are recorded as skipped",
    "Cases that neither passed nor failed are recorded as skipped: {}.",
)
REWARD_MISSING = Rule.warning(
    "SOURCE-REWARD-MISSING",
    "Tests of a round ran, but the round has no reward.",
    "look for the reward in the run's folder; the round is recorded as aborted, without its cases",
    (
        "Rounds with test output but without a reward are recorded as aborted, without their "
        "cases: {}."
    ),
)
VERDICT_MISSING = Rule.note(
    "SOURCE-VERDICT-MISSING",
    "The source does not distinguish aborted rounds from rounds that were never reached.",
    (
        "nothing needs to be done: the first round without a verdict is recorded as aborted, the "
        "later ones as unreached"
    ),
    (
        "Of rounds without a verdict at a run's end, the first is recorded as aborted, the later "
        "ones as unreached: {}."
    ),
)
VERDICT_HOLE = kit_rules.VERDICT_HOLE.specific(
    "look for the lost verdict in the run's folder; the round is recorded as aborted",
    "Rounds without a verdict that come before a round with one are recorded as aborted: {}.",
)
EXCLUDED = Rule.warning(
    "SOURCE-RUN-EXCLUDED",
    "A run was excluded from the results.",
    "explain in the finding about these runs why they do not count",
)
LISTED_EXCESS = kit_rules.COUNTS_DIFFER.specific(
    "check which of the two counts is right; both are kept",
    "The source tells of more failed cases than it counts, and both are kept: {}.",
    order="SOURCE-LISTED-EXCESS",
)
LISTING_BROKEN = kit_rules.VALUE_UNUSABLE.specific(
    "correct the entries; they are left out, and the round keeps its verdict and its counts",
    "Listed failures that can't be read are left out: {}.",
    order="SOURCE-LISTING-BROKEN",
)
REASON_LOST = Rule.warning(
    "SOURCE-REASON-LOST",
    "A requirement failed, but none of its listed cases states the reason.",
    "list the first case of the requirement, with the requirement's reason",
    (
        "The source says why these requirements failed, but not at any case that it lists for "
        "them, so the reasons are not kept: {}."
    ),
)
SWEEP_SEVERAL = kit_rules.ENTRY_TWICE.specific(
    "keep the table that belongs to these results; until then none of them is used",
    "The source has several tables of sweeps, so none of them is used: {}.",
    order="SWEEP-SEVERAL",
)
SWEEP_CELL = kit_rules.VALUE_UNUSABLE.specific(
    "write the table again; unreadable parts of it are not used",
    "Parts of the source's table of sweeps can't be read, and are not used: {}.",
    order="SWEEP-CELL",
)
SWEEP_COLUMN = kit_rules.NAME_UNLISTED.specific(
    "add an alias for the agent; the column is not used",
)
SWEEP_COLUMN_TWICE = kit_rules.ENTRY_TWICE.specific(
    "keep one of the columns; until then none of them is used",
    "The source's table of sweeps has several columns for one agent, so none of them is used: {}.",
    order="SWEEP-COLUMN-TWICE",
)
SWEEP_TASK = kit_rules.NAME_UNLISTED.specific(
    "correct the lines; unknown and repeated ones are not used",
)
SWEEP_DIFFERS = kit_rules.SCORE_DIFFERS.specific(
    "publish the files again from a single run of their scripts; the files count, not the table",
    "The rounds in the source's table of sweeps and in its files differ; the files count: {}.",
    order="SWEEP-DIFFERS",
)
SWEEP_UNCLEAR = kit_rules.MEASURE_MISSING.specific(
    "state in `__note` whether `r` means rounds reached or interactions per reached round; "
    "`r` is not used",
)
