"""The rules that a table of rounds keeps. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

FORMAT = Rule.error(
    "TABLE-FORMAT",
    "A table is a file of CSV, TSV, JSON, JSON Lines, Parquet or Excel, packed with gzip or not.",
    "give a file whose name ends in `.csv`, `.tsv`, `.json`, `.jsonl`, `.parquet` or `.xlsx`",
)
LARGE = Rule.error(
    "TABLE-LARGE",
    "Attempts and rounds are numbered without large gaps.",
    "correct the numbers of attempts and rounds: each one up to the largest would be filled in for "
    "every task",
)
EMPTY = Rule.error(
    "TABLE-EMPTY", "A table has at least one row.", "write a row for each round of each run"
)
SYNTAX = Rule.error(
    "TABLE-SYNTAX",
    "A row has a cell for each column, and JSON follows its grammar.",
    "correct the row; in CSV, a cell that contains the separator or a quote is written in quotes",
)
COLUMN_UNKNOWN = Rule.warning(
    "TABLE-COLUMN-UNKNOWN",
    "Every column of a published table is a metric of the benchmark or a fact about the agent.",
    "declare the columns as metrics in benchmark.toml, with `reported = true`, if they should be "
    "shown",
)
COLUMN_MISSING = Rule.error(
    "TABLE-COLUMN-MISSING",
    "A table has a column for the task and one for the reward.",
    "name the column, for example `--column reward=score` or `--column task=name`",
)
COLUMN_TWICE = Rule.error(
    "TABLE-COLUMN-TWICE",
    "A column that is used stands once in a table.",
    "rename one of the columns",
)
WIDE = Rule.error(
    "TABLE-WIDE",
    "A table has a row for each round, or it is said what its rows and columns are.",
    "say what a row is: `--wide tasks` if every other column is an agent, `--wide agents` if every "
    "other column is a task; or name the column that holds the reward, for example `--column "
    "reward=score`",
)
SUMMARY = Rule.error(
    "TABLE-SUMMARY",
    "A table holds results, and no averages or totals of them.",
    "leave the row or column out of the table; if it holds results of its own, give it another "
    "name",
)
SCORE_AMBIGUOUS = Rule.error(
    "TABLE-SCORE-AMBIGUOUS",
    "It is clear which column holds the reward.",
    "name the column that counts, for example `--column reward=score`",
)
VALUE = Rule.error(
    "TABLE-VALUE",
    "A value is one that its column can hold.",
    "correct the value, or leave the column out with `--column ignore=NAME`",
)
CONTRADICTION = Rule.error(
    "TABLE-CONTRADICTION",
    "Counts, reward and state of a round agree.",
    "correct the row by the runner's output",
)
ROW_TWICE = Rule.error(
    "TABLE-ROW-TWICE",
    "A round of an attempt has one row.",
    "if the rows are attempts, number them in the table's order with `--runs attempts`, or name "
    "the column that tells them apart, for example `--column attempt=seed`; if only one of them "
    "counts, take it with `--pick latest` or `--pick first`; if it is a copy, remove it",
)
AGENT_MISSING = Rule.error(
    "TABLE-AGENT-MISSING",
    "Every row names its agent.",
    "name the agent with `--agent`, or add a column `agent`",
)
AGENT_DIFFERS = Rule.error(
    "TABLE-AGENT-DIFFERS",
    "An agent has one model.",
    "if the column `agent` names the program that drives the model, import with `--column "
    "scaffold=agent`; else give the agents different names",
)
FACT_DIFFERS = Rule.warning(
    "TABLE-FACT-DIFFERS",
    "Rows say the same about an agent or a task.",
    "correct the rows; until then the first row counts",
)
LABEL_DIFFERS = Rule.error(
    "TABLE-LABEL-DIFFERS",
    "A task has one label on an axis.",
    "correct the column that `--label` names",
)
RUN_MISSING = Rule.error(
    "TABLE-RUN-MISSING",
    "Every agent has rows for each task and each of its attempts.",
    "add the rows, or import with `--allow-missing` to have these runs recorded as unreached, "
    "which counts 0",
)
RUN_UNREACHED = Rule.warning(
    "TABLE-RUN-UNREACHED",
    "Every agent has rows for each task and each of its attempts.",
    "add the rows where these runs were made: until then they are recorded as unreached, which "
    "counts 0",
    "Runs that the table has no row of are recorded as unreached and count 0: {}.",
)
ROUND_MISSING = Rule.error(
    "TABLE-ROUND-MISSING",
    "A round before one that was reached has a row.",
    "add the rows; where a round was reached and has no verdict, its state is `aborted`",
)
ROUNDS_UNREACHED = Rule.warning(
    "TABLE-ROUNDS-UNREACHED",
    "Every run has rows for all rounds of its task.",
    "check that the runs ended there: the missing rounds are recorded as unreached",
    "Rounds at the end of runs that the table has no row of are recorded as unreached: {}.",
)
WEIGHT_DIFFERS = Rule.error(
    "TABLE-WEIGHT-DIFFERS",
    "A round has one weight, whichever agent it is told of.",
    "correct the column `weight`",
)
