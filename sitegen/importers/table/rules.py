"""Define the rules for a table of rounds. Codes are stable: programs refer to them."""

from sitegen.importers.kit import rules as kit_rules
from sitegen.problems import Rule

FORMAT = Rule.error(
    "TABLE-FORMAT",
    "The file is not a CSV, TSV, JSON, JSON Lines, Parquet or Excel table.",
    "give a file whose name ends in `.csv`, `.tsv`, `.json`, `.jsonl`, `.parquet` or `.xlsx`, "
    "with or without `.gz`",
)
LARGE = Rule.error(
    "TABLE-LARGE",
    "The numbers of attempts or rounds have large gaps.",
    "correct the numbers of attempts and rounds: every number up to the largest would be filled "
    "in for every task",
)
EMPTY = kit_rules.NOTHING_FOUND.specific(
    "write a row for each round of each run",
)
SYNTAX = kit_rules.SOURCE_BROKEN.specific(
    "correct the row; in CSV, a cell that contains the separator or a quote is written in quotes",
)
COLUMN_UNKNOWN = kit_rules.METRIC_UNKNOWN.specific(
    "to show the columns, declare them as metrics in benchmark.toml with `reported = true`",
)
COLUMN_MISSING = kit_rules.COLUMNS_UNCLEAR.specific(
    "name the column, for example `--column reward=score` or `--column task=name`",
)
COLUMN_TWICE = kit_rules.COLUMNS_UNCLEAR.specific(
    "rename one of the columns",
)
WIDE = kit_rules.COLUMNS_UNCLEAR.specific(
    "state what a row is: `--wide tasks` if every other column is an agent, `--wide agents` "
    "if every other column is a task; or name the column of the reward, for example "
    "`--column reward=score`",
)
SUMMARY = Rule.error(
    "TABLE-SUMMARY",
    "A row or column of the table contains averages or totals.",
    "leave the row or column out of the table; if it contains results, give it another name",
)
SCORE_AMBIGUOUS = kit_rules.SCORE_AMBIGUOUS.specific(
    "name the column that counts, for example `--column reward=score`",
)
ERROR_MEASURE = kit_rules.SOURCE_UNUSABLE.specific(
    "choose another metric, or invert the values, for example to 1 - WER; if higher values "
    "are better here, name the metric with `--metric`",
)
DATA_FRAME = kit_rules.COLUMNS_UNCLEAR.specific(
    "import the logs that the column `log` names: `sitegen import inspect FOLDER`",
)
VALUE = kit_rules.SOURCE_BROKEN.specific(
    "correct the value, or leave the column out with `--column ignore=NAME`",
)
REWARD_EMPTY = kit_rules.SOURCE_BROKEN.specific(
    'give a reward from 0 to 1, or the state "aborted" with a cause',
)
CONTRADICTION = kit_rules.CONTRADICTION.specific(
    "correct the row according to the runner's output",
)
ROW_TWICE = kit_rules.RESULT_TWICE.specific(
    "if the rows are attempts, number them in the table's order with `--runs attempts`, or "
    "name the column that distinguishes them, for example `--column attempt=seed`; if only "
    "one of them counts, choose it with `--pick latest` or `--pick first`; if a row is a "
    "copy, remove it",
)
AGENT_MISSING = kit_rules.AGENT_UNKNOWN.specific(
    "name the agent with `--agent`, or its column with `--column agent=NAME`",
)
AGENT_DIFFERS = kit_rules.CONTRADICTION.specific(
    "if the column `agent` names the program that drives the model, import with `--column "
    "scaffold=agent`; otherwise give the agents different names",
)
FACT_DIFFERS = Rule.warning(
    "TABLE-FACT-DIFFERS",
    "Rows contradict each other about an agent or a task.",
    "correct the rows; until then the first row counts",
)
LABEL_DIFFERS = kit_rules.TASK_REDEFINED.specific(
    "correct the column that `--label` names",
)
RUN_MISSING = kit_rules.RUN_MISSING.specific(
    "add the rows, or import with `--allow-missing` to record these runs as unreached, "
    "which counts as 0",
)
RUN_UNREACHED = kit_rules.RUN_UNREACHED.specific(
    "if these runs were made, add their rows: until then they are recorded as unreached, "
    "which counts as 0",
    "Runs without a row in the table are recorded as unreached and count as 0: {}.",
    order="TABLE-RUN-UNREACHED",
)
ROUND_MISSING = kit_rules.RUN_MISSING.specific(
    "add the rows; a round that was reached but has no verdict has the state `aborted`",
)
ROUNDS_UNREACHED = kit_rules.RUN_UNREACHED.specific(
    "check that the runs ended there: the missing rounds are recorded as unreached",
    "Rounds at the end of runs that have no row in the table are recorded as unreached: {}.",
    order="TABLE-ROUNDS-UNREACHED",
)
WEIGHT_DIFFERS = kit_rules.TASK_REDEFINED.specific(
    "correct the column `weight`",
)
