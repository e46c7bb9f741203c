"""The rules that a table of rounds keeps. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

FORMAT = Rule.error(
    "TABLE-FORMAT",
    "A table is a CSV file with a line of column names, or JSON Lines.",
    "give a file whose name ends in `.csv` or `.jsonl`",
)
LARGE = Rule.error(
    "TABLE-LARGE",
    "A table has a size that a whole benchmark needs, and not a multiple of it.",
    "split it by agent, and import the parts one by one",
)
EMPTY = Rule.error("TABLE-EMPTY", "A table has at least one row.", "write a row for each round of each run")
SYNTAX = Rule.error(
    "TABLE-SYNTAX",
    "A row has a cell for each column, and a line of JSON is one object that has each key once.",
    "write the lines again",
)
COLUMN_UNKNOWN = Rule.error(
    "TABLE-COLUMN-UNKNOWN", "Every column is one that a bundle knows.", "rename the columns, or leave them out"
)
COLUMN_MISSING = Rule.error(
    "TABLE-COLUMN-MISSING",
    "A table has the columns `task` and `reward`; without `attempt` and `round`, all is tried and checked once.",
    "add the columns, or rename those that tell them: 0 or 1 is a `reward`",
)
COLUMN_TWICE = Rule.error("TABLE-COLUMN-TWICE", "A column stands once.", "leave one of the columns out")
VALUE = Rule.error("TABLE-VALUE", "A value is of its column's kind and range.", "correct it, or leave the cell empty")
CONTRADICTION = Rule.error(
    "TABLE-CONTRADICTION", "Counts, reward and state of a round agree.", "correct the row by the runner's output"
)
ROW_TWICE = Rule.error(
    "TABLE-ROW-TWICE", "A round of an attempt has one row.", "keep one of the rows, or number the attempts from 1"
)
AGENT_MISSING = Rule.error(
    "TABLE-AGENT-MISSING", "Every row names its agent.", "name the agent with `--agent`, or add a column `agent`"
)
AGENT_DIFFERS = Rule.error(
    "TABLE-AGENT-DIFFERS", "Rows tell the same of an agent.", "correct the rows, or give the agents different names"
)
AGENT_TWICE = Rule.error(
    "TABLE-AGENT-TWICE", "Agents have bundles of different names.", "give one another name with `--alias`"
)
RUN_MISSING = Rule.error(
    "TABLE-RUN-MISSING",
    "Every agent has rows for each task and each of its attempts.",
    "add the rows, or import with `--allow-missing` to have these runs recorded as unreached, which counts 0",
)
RUN_UNREACHED = Rule.warning(
    "TABLE-RUN-UNREACHED",
    "Every agent has rows for each task and each of its attempts.",
    "add the rows where these runs were made: until then they are recorded as unreached, which counts 0",
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
    "nothing needs to be done where the runs ended there: the missing rounds are recorded as unreached",
    "Rounds at the end of runs that the table has no row of are recorded as unreached: {}.",
)
TITLE_DIFFERS = Rule.error("TABLE-TITLE-DIFFERS", "A task has one title.", "correct the column `title`")
WEIGHT_DIFFERS = Rule.error(
    "TABLE-WEIGHT-DIFFERS", "A round has one weight, whichever agent it is told of.", "correct the column `weight`"
)
