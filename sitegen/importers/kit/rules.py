"""The rules that sources of several formats keep, and imports towards results that stand. Codes are stable."""

from sitegen.problems import Rule

PASSED_OVER = Rule(
    "SOURCE-PASSED-OVER",
    "warning",
    "A source is a plain tree of folders and files that can be opened.",
    "look whether results lie there; if so, copy them into the tree",
)
ARCHIVE = Rule(
    "SOURCE-ARCHIVE",
    "warning",
    "Runs lie in folders.",
    "unpack it first where it holds results, and import again; what is packed is not read",
)
TASK_ID = Rule(
    "SOURCE-TASK-ID", "error", "Task ids can stand in addresses.", "use lower-case letters, digits, `-` and `_` only"
)
TASK_MISSING = Rule(
    "SOURCE-TASK-MISSING",
    "error",
    "Every task that the index lists has its file.",
    "add the files, or import with `--allow-missing` to leave these tasks out of the task set",
)
TASKS_LEFT_OUT = Rule(
    "SOURCE-TASKS-LEFT-OUT",
    "warning",
    "The task set has every task that the source lists.",
    "import again once the files are there: scores over fewer tasks do not compare with the published ones",
)
SCORE_DIFFERS = Rule(
    "SOURCE-SCORE-DIFFERS",
    "warning",
    "Scores that the source states follow from its rounds.",
    "publish the files again from one run of their scripts, or mend the one that is out of date",
    "The source states other figures than follow from its rounds: {}.",
)
DATE_ASSUMED = Rule(
    "SOURCE-DATE-ASSUMED",
    "warning",
    "The date of the results is known.",
    "remove what came in, and import again with `--date`, or with a folder whose name begins with the date",
    "The source does not tell the day of these results: theirs is the day of the import.",
)
FILE_BROKEN = Rule(
    "HARBOR-FILE-BROKEN",
    "warning",
    "What the runner writes can be read.",
    "fetch the file again, if it was cut off; without it nothing is taken from it",
    "Files of these runs could not be read, and nothing is taken from them: {}.",
)

CLAIM_FORMAT = Rule(
    "CLAIM-FORMAT",
    "error",
    "Claims are a TOML file like those in `reported/`, or a JSON file with `source` and `rows`.",
    "give a file whose name ends in `.toml` or `.json`",
)
CLAIM_AGENT = Rule("CLAIM-AGENT-MISSING", "error", "A row of claims names its agent.", "add the column `Agent`")
CLAIM_TWICE = Rule("CLAIM-TWICE", "error", "An agent has one row of claims.", "keep one of the rows")
CLAIM_VALUE = Rule(
    "CLAIM-VALUE",
    "error",
    "A claim is a number such as 40.9, a count such as 6/26, or a dash.",
    "write the value as it was printed, without words",
)
CLAIM_UNMATCHED = Rule(
    "CLAIM-UNMATCHED",
    "warning",
    "Every row of claims is about an agent of the source.",
    "add an alias for the agent, or remove the row; it is not used",
)
CLAIM_AMBIGUOUS = Rule(
    "CLAIM-AMBIGUOUS",
    "warning",
    "A row of claims is about an agent with one bundle in the import.",
    "import the agent's results one by one with `--model`, each with its own claims; the row is not used",
)
CLAIM_METRIC = Rule(
    "CLAIM-METRIC-UNKNOWN",
    "warning",
    "A claim names a metric of the catalogue.",
    "name the metric by its id; the values are not used",
)
CLAIM_TRACK = Rule(
    "CLAIM-TRACK-DIFFERS",
    "warning",
    "Claims are about the track that the results go to.",
    "look whether the table is about these results",
)

_OTHER_TRACK = (
    "import into another track with `--track`, or a new one with `--new-track`: scores never mix across conditions"
)
NAME_INVALID = Rule(
    "MERGE-NAME-INVALID",
    "error",
    "Names of folders and files are slugs.",
    "use up to 120 lower-case letters, digits, `-` and `_` only, and begin with a letter or digit",
)
NAME_TWICE = Rule(
    "MERGE-NAME-TWICE",
    "error",
    "A bundle's name stands for one thing.",
    "name another date with `--date`, or rename the other one",
)
NAME_LONGER = Rule(
    "MERGE-NAME-LONGER",
    "warning",
    "A bundle is called after its date and its agent.",
    "nothing needs to be done: the name says what tells it from the bundle that stands",
)
TRACK_DIFFERS = Rule(
    "MERGE-TRACK-DIFFERS",
    "error",
    "Results join a track that states the conditions they were made under.",
    _OTHER_TRACK,
)
ATTEMPTS_ABOVE = Rule(
    "MERGE-ATTEMPTS-ABOVE",
    "error",
    "A bundle has at most the attempts of its track.",
    "raise `attempts` of the track while it has no submission, import into another track with `--track`, or leave the "
    "runs beyond the track's attempts out",
)
TASKS_DIFFER = Rule(
    "MERGE-TASKS-DIFFER",
    "error",
    "Results have tasks of the track that they join, and no others.",
    f"bring the tasks under the ids that the track has them under; or {_OTHER_TRACK}",
)
TASKS_MISSING = Rule(
    "MERGE-TASKS-MISSING",
    "warning",
    "Results have every task of the track that they join.",
    "run the missing tasks and import again before you send the bundles in: one that misses a task says so in "
    "`missing`, and has no rank",
)
TASK_DIFFERS = Rule("MERGE-TASK-DIFFERS", "error", "A task is the same in every import into a track.", _OTHER_TRACK)
DIGEST_DIFFERS = Rule(
    "MERGE-DIGEST-DIFFERS",
    "warning",
    "A task has the same checksum in every import into a track.",
    "look whether the tasks were changed: scores on changed tasks do not compare",
)
ALIAS_DIFFERS = Rule(
    "MERGE-ALIAS-DIFFERS",
    "error",
    "A spelling stands for one agent.",
    "correct `[aliases]` in benchmark.toml, or the alias of the import",
)
