"""The rules that a publication of EvoCode-Bench keeps. Codes are stable: programs refer to them."""

from sitegen.importers.kit import rules as kit_rules
from sitegen.problems import Rule

_FROM_SOURCE = kit_rules.SCORE_DIFFERS.fix

TASK_TWICE = Rule.error("SOURCE-TASK-TWICE", "A task is listed once.", "keep one of the entries")
TASK_UNNAMED = Rule.warning(
    "SOURCE-TASK-UNNAMED", "The index lists every task that has a file.", "list the task; it is not imported"
)
TASK_DIFFERS = Rule.error(
    "SOURCE-TASK-DIFFERS", "A task's file is about the task that it is named after.", "rename or replace the file"
)
ROUNDS_DIFFER = Rule.error(
    "SOURCE-ROUNDS-DIFFER", "A task has the same rounds, 1 to n, wherever it is told.", _FROM_SOURCE
)
AGENT_TWICE = Rule.error(
    "SOURCE-AGENT-TWICE", "Every agent goes by a name of its own.", "mend the index, or name one by an alias"
)
AGENT_MISSING = Rule.error("SOURCE-AGENT-MISSING", "Every task file has every agent of the index.", _FROM_SOURCE)
AGENT_UNKNOWN = Rule.error("SOURCE-AGENT-UNKNOWN", "Task files have no other agents than the index.", _FROM_SOURCE)
COUNTS_DIFFER = Rule.error(
    "SOURCE-COUNTS-DIFFER", "No more cases pass and fail than a round has.", "recount the cases in the output"
)
REWARD_CONTRADICTED = Rule.error(
    "SOURCE-REWARD-CONTRADICTED",
    "A round earns the full reward where none of its cases failed, and only there.",
    "look up the reward and recount the cases in the verifier's output",
)
SKIPPED_CASES = Rule.warning(
    "SOURCE-SKIPPED-CASES",
    "Every case passed or failed.",
    "nothing needs to be done: the cases that did neither are recorded as skipped",
    "Cases that neither passed nor failed are recorded as skipped: {}.",
)
REWARD_MISSING = Rule.warning(
    "SOURCE-REWARD-MISSING",
    "A round whose tests ran has a reward.",
    "look for the reward in the run's folder; the round is recorded as aborted, without its cases",
    "Rounds with test output and without a reward are recorded as aborted, without their cases: {}.",
)
VERDICT_MISSING = Rule.warning(
    "SOURCE-VERDICT-MISSING",
    "The source tells a round that was aborted from one that was never reached.",
    "nothing needs to be done: of each run the first such round is recorded as aborted, the later ones as unreached",
    "Of rounds without a verdict at a run's end, the first is recorded as aborted, the later ones as unreached: {}.",
)
VERDICT_HOLE = Rule.warning(
    "SOURCE-VERDICT-HOLE",
    "A round before one with a verdict has a verdict.",
    "look for the lost verdict in the run's folder; the round is recorded as aborted",
    "Rounds without a verdict, though a later one has one, are recorded as aborted: {}.",
)
EXCLUDED = Rule.warning(
    "SOURCE-RUN-EXCLUDED", "Every run counts.", "say in the finding that is written for them why they do not count"
)
LISTED_EXCESS = Rule.warning(
    "SOURCE-LISTED-EXCESS",
    "No more failed cases are told of than failed.",
    "look which of the two counts is right; both are kept",
    "The source tells of more failed cases than it counts, and both are kept: {}.",
)
REASON_LOST = Rule.warning(
    "SOURCE-REASON-LOST",
    "What is said of a failed requirement can be told from its listed cases.",
    "list the requirement's first case, with the reason that the requirement gives",
    "What the source says of failed requirements, and of none of the cases that it lists for them, is not kept: {}.",
)
SWEEP_SEVERAL = Rule.error(
    "SWEEP-SEVERAL",
    "There is one table of sweeps beside the files.",
    "keep the one that belongs to these results: figures of another run would be taken for theirs",
)
SWEEP_CELL = Rule.error(
    "SWEEP-CELL",
    "A sweep's line has a cell for each column, such as `9/9`, `9/9 c100%`, `9/9 c100% r48.8` or `—`.",
    "write the table again",
)
SWEEP_COLUMN = Rule.warning(
    "SWEEP-COLUMN-UNMATCHED", "Every column is an agent of the index.", "add an alias; the column is not used"
)
SWEEP_COLUMN_TWICE = Rule.error("SWEEP-COLUMN-TWICE", "An agent has one column.", "keep one of the columns")
SWEEP_TASK = Rule.warning(
    "SWEEP-TASK-UNMATCHED", "A sweep has one line a task of the index.", "mend the lines; unknown ones are not used"
)
SWEEP_DIFFERS = Rule.warning(
    "SWEEP-DIFFERS",
    "A sweep counts the rounds that the task files tell of.",
    _FROM_SOURCE,
    "The source's table of sweeps counts other rounds than its files, which count: {}.",
)
SWEEP_UNCLEAR = Rule.warning(
    "SWEEP-FIGURE-UNCLEAR",
    "A sweep's note says what its last figure is.",
    "say in `__note` whether `r` is the rounds reached or the interactions per reached round; it is not used",
)
