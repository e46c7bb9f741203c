"""The rules of sources, and of imports into benchmarks. Codes are stable.

A rule here is a kind of fault that sources of any format can have. Where a format can say better
what to do, or has to tell readers more, it declares `KIND.specific(fix, caveat)`: the code and what
the rule asks for are stated here alone.
"""

from sitegen.problems import Rule

PASSED_OVER = Rule.warning(
    "SOURCE-PASSED-OVER",
    "A source is a plain tree of folders and files that can be opened.",
    "look whether results lie there; if so, copy them into the tree",
)
ARCHIVE = Rule.warning(
    "SOURCE-ARCHIVE", "Runs lie in folders.", "unpack it if it holds results, and import again"
)
TASK_MISSING = Rule.error(
    "SOURCE-TASK-MISSING",
    "Every task that the index lists has its file.",
    "add the files, or import with `--allow-missing` to leave these tasks out of the task set",
)
TASKS_LEFT_OUT = Rule.warning(
    "SOURCE-TASKS-LEFT-OUT",
    "The task set has every task that the source lists.",
    "import again once the files are there: scores over fewer tasks do not compare with the "
    "published ones",
)
SCORE_DIFFERS = Rule.warning(
    "SOURCE-SCORE-DIFFERS",
    "Scores that the source states follow from its rounds.",
    "publish the files again from one run of their scripts, or mend the one that is out of date",
    "The source states other figures than follow from its rounds: {}.",
)
DATE_ASSUMED = Rule.warning(
    "SOURCE-DATE-ASSUMED",
    "The date of the results is known.",
    "where that is not their day, import again with `--date`, and keep only that bundle",
    "The source does not tell the day of these results: theirs is the day of the import.",
)
DATE_MISSING = Rule.error(
    "SOURCE-DATE-MISSING",
    "The date of the results is known.",
    "say it with `--date`: nothing in the source tells it",
)
NOTHING_FOUND = Rule.error(
    "SOURCE-EMPTY",
    "A source holds results of the format.",
    "name the folder that the tool wrote its results to",
)
SOURCE_BROKEN = Rule.error(
    "SOURCE-BROKEN",
    "A file of the source has the contents that its format asks for.",
    "correct the file, or leave it out; nothing was imported",
)
CUT_OFF = Rule.error(
    "SOURCE-CUT-OFF",
    "A file of the source is complete to its last byte.",
    "copy the source again from where it was made; nothing was imported",
)
SOURCE_UNUSABLE = Rule.error(
    "SOURCE-UNUSABLE",
    "A try is graded with a number from 0 to 1.",
    "choose a score that is one, if the source has another; else these results can't be imported",
)
NOTHING_SCORED = Rule.error(
    "SOURCE-NOTHING-SCORED",
    "A source holds at least one verdict.",
    "score the runs with the tool that made them, and import again",
)
SCALE_UNSTATED = Rule.error(
    "SOURCE-SCALE-UNSTATED",
    "Rewards are numbers from 0 to 1, or their largest possible value is stated.",
    "state the largest possible reward, for example `--scale 100`; every reward is divided by it",
)
SCORE_AMBIGUOUS = Rule.error(
    "SOURCE-SCORE-AMBIGUOUS",
    "It is clear which of several scores is the reward.",
    "name the score that counts with `--metric`",
)
RUNS_SEVERAL = Rule.error(
    "SOURCE-RUNS-SEVERAL",
    "It is clear how several runs of one agent on the same tasks count.",
    "count every run with `--runs attempts`, as attempts in order of time, or only the last one "
    "with `--pick latest`",
)
RUN_FILLED = Rule.warning(
    "SOURCE-RUN-FILLED",
    "A verdict comes from the run that its attempt belongs to.",
    "check that the later run repeated the failed attempts on purpose",
    "A later run repeated attempts that had no verdict, and its results took their place: {}.",
)
LEFT_OUT = Rule.warning(
    "SOURCE-LEFT-OUT",
    "Everything in the source can be imported.",
    "check that these parts are not meant to count",
    "The import left out parts of the source: {}.",
)
VERSION_NEWER = Rule.warning(
    "SOURCE-VERSION-NEWER",
    "The runner wrote its files in a version that this program knows.",
    "check a few numbers against the runner's own, or install a newer version of this program",
    "The source is of a newer version than this program knows: {}.",
)
TREE_DIRTY = Rule.note(
    "SOURCE-TREE-DIRTY",
    "The code that ran is exactly that of a commit.",
    "nothing needs to be done; to avoid this caveat, commit every change before a run",
    "The code that ran had changes that are in no commit{}.",
)
ASSUMED = Rule.warning(
    "SOURCE-ASSUMED",
    "The source states everything that the import needs to know.",
    "check that the assumption is right",
    "The import assumed: {}.",
)
AGENT_UNKNOWN = Rule.error(
    "SOURCE-AGENT-UNKNOWN", "A run says which model made it.", "name the agent with `--agent`"
)
RUN_TWICE = RUNS_SEVERAL.specific(
    "keep one of these runs in the source, or choose one with `--model`",
)
RUN_REPLACED = Rule.warning(
    "SOURCE-RUN-REPLACED",
    "An agent ran once.",
    "look whether the later run is the one that counts",
    "An earlier run of this agent was left out for a later one: {}.",
)
RUN_MISSING = Rule.error(
    "SOURCE-RUN-MISSING",
    "Every agent tried every task of the source.",
    "add the runs, or import with `--allow-missing`: what is missing then counts 0, as unreached",
)
RUN_UNREACHED = Rule.warning(
    "SOURCE-RUN-UNREACHED",
    "Every agent tried every task of the source.",
    "add the runs, remove what came in, and import again; until then what is missing counts 0",
    "The source has nothing of these tries, and they count 0: {}.",
    order="SOURCE-TRIES-UNREACHED",
)
RUN_FAILED = Rule.note(
    "SOURCE-RUN-FAILED",
    "Every try came to a verdict.",
    "nothing needs to be done: these tries count 0, and say why",
    "These tries came to no verdict, and count 0: {}.",
    order="SOURCE-TRIES-FAILED",
)
PART_OF_TASKS = Rule.warning(
    "SOURCE-PART",
    "A run is over all tasks of its benchmark.",
    "run all of them: scores over a part do not compare with others",
    "The run is over a part of the benchmark's tasks: {}.",
)
SCORE_CHOSEN = Rule.warning(
    "SOURCE-SCORE-CHOSEN",
    "A try has one score.",
    "check that the first one named is the one that counts",
    "The source scores each try in several ways: {}.",
)
RUN_UNFINISHED = Rule.warning(
    "SOURCE-RUN-UNFINISHED",
    "A run ended as it was to.",
    "run it to its end and import again, if you can",
    "The run did not end as it was to: {}.",
)
FILE_BROKEN = Rule.warning(
    "SOURCE-FILE-BROKEN",
    "What the runner writes can be read.",
    "fetch the file again, if it was cut off; without it nothing is taken from it",
    "Files of these runs could not be read, and nothing is taken from them: {}.",
    order="HARBOR-FILE-BROKEN",
)

TASK_UNKNOWN = Rule.error(
    "SOURCE-TASK-UNKNOWN",
    "It is known which task a run is of, and how many rounds the task has.",
    "name the tasks, with the option or the file of the format that lists them",
)
TASK_REDEFINED = Rule.error(
    "SOURCE-TASK-DIFFERS",
    "A source defines each task once, or in the same way everywhere.",
    "correct the definitions, or import the runs of each into a track of its own",
)
ROUND_UNKNOWN = Rule.error(
    "SOURCE-ROUND-UNKNOWN",
    "A run has the rounds of its task, and no others.",
    "name the version of the tasks that was run",
)
DATASETS_MIXED = Rule.error(
    "SOURCE-DATASETS-MIXED",
    "All results of an import are of one benchmark or dataset, in one version.",
    "choose one of them, and import the others into tracks of their own",
)
PROTOCOLS_MIXED = Rule.error(
    "SOURCE-PROTOCOLS-MIXED",
    "All runs of a track go through the rounds of their tasks in the same way.",
    "import each kind of run by itself",
)
RESULT_TWICE = Rule.error(
    "SOURCE-RESULT-TWICE",
    "A round of an attempt has one result.",
    "keep the result that counts, or say that the results are of several attempts",
)
CONTRADICTION = Rule.error(
    "SOURCE-CONTRADICTION",
    "What a source states in several places agrees.",
    "correct the one that is wrong",
)
COLUMNS_UNCLEAR = Rule.error(
    "SOURCE-COLUMNS-UNCLEAR",
    "It is clear what the rows and columns of a table are, and which column holds the reward.",
    "name the column, for example `--column reward=score`",
)
METRIC_UNKNOWN = Rule.warning(
    "SOURCE-METRIC-UNKNOWN",
    "A figure without single results is one of a known metric.",
    "declare the metric in benchmark.toml, with `reported = true`",
)
FIGURES_ONLY = Rule.warning(
    "SOURCE-FIGURES-ONLY",
    "A source has the single results that its figures are computed from.",
    "add the single results: figures without them can't be recomputed",
)
REFERENCE_FAILED = Rule.warning(
    "SOURCE-REFERENCE-FAILED",
    "The reference solution carries a run to the round that the run starts at.",
    "look why the reference solution failed, and run the round again; the run is not imported",
)
VERIFIER_FAILED = Rule.warning(
    "SOURCE-VERIFIER-FAILED",
    "No run fails because of the test runner or the test environment.",
    "check these runs again",
)
FAILURE_SCORED = Rule.note(
    "SOURCE-FAILURE-SCORED",
    "A run that was scored ended without an error, and before any limit.",
    "nothing needs to be done: the verdict counts",
)
VALUE_UNUSABLE = Rule.warning(
    "SOURCE-VALUE-UNUSABLE",
    "Every line and every value of a file is one that its format allows.",
    "write the file again; values that can't be right are not used",
)
FILE_MISSING = Rule.warning(
    "SOURCE-FILE-MISSING",
    "A source has every file that its runs wrote.",
    "add the file",
)
CASES_MISSING = Rule.warning(
    "SOURCE-CASES-MISSING",
    "Every verdict comes with all of its test cases.",
    "add the output of the tests, or run the tests again",
)
COUNTS_DIFFER = Rule.warning(
    "SOURCE-COUNTS-DIFFER",
    "The counts of a round's cases fit together, and fit the cases that are listed.",
    "count the cases in the verifier's output again",
)
REWARD_CONTRADICTED = Rule.warning(
    "SOURCE-REWARD-CONTRADICTED",
    "A reward follows from its cases or checks.",
    "look up the verifier's output; the reward counts",
)
REWARD_CONFLICT = Rule.warning(
    "SOURCE-REWARD-CONFLICT",
    "A round's reward is the same wherever the source states it.",
    "look who wrote the other value: an agent may be able to plant one",
)
SCORE_CHANGED = Rule.warning(
    "SOURCE-SCORE-CHANGED",
    "A score is the one that the scorer gave.",
    "find out who changed the score, and why",
)
SKIPPED_CASES = Rule.note(
    "SOURCE-SKIPPED-CASES",
    "Every case passed or failed.",
    "nothing needs to be done: the cases that did neither are recorded as skipped",
)
VERDICT_HOLE = Rule.warning(
    "SOURCE-VERDICT-HOLE",
    "A round before one with a verdict has a verdict.",
    "look for the lost verdict in the run's folder; the round is recorded as aborted",
)
CONDITIONS_DIFFER = Rule.warning(
    "SOURCE-CONDITIONS-DIFFER",
    "All runs were made under the same conditions, those of the benchmark.",
    "look whether the runs compare; if they do not, import them apart",
)
TASK_CHANGED = Rule.warning(
    "SOURCE-TASK-CHANGED",
    "All runs of a task were made with the same files and the same tests.",
    "look what changed between the runs: scores on changed tasks do not compare",
)
ROUNDS_DIFFER = Rule.warning(
    "SOURCE-ROUNDS-DIFFER",
    "A source agrees with itself, and with the tasks, about how many rounds a task has.",
    "check how many rounds the task has",
)
ENTRY_TWICE = Rule.warning(
    "SOURCE-ENTRY-TWICE",
    "A source has one entry or column for each agent and each result.",
    "correct the list",
)
NAME_UNLISTED = Rule.warning(
    "SOURCE-NAME-UNLISTED",
    "Every agent, task and target that a source names is one that it lists or defines.",
    "list it, or correct the name; an agent can get an alias",
)
MEASURE_MISSING = Rule.warning(
    "SOURCE-MEASURE-MISSING",
    "A source states what every run used, and measured the work of every run.",
    "look the figures up; they are recorded as not measured",
)
RUN_NOT_COUNTED = Rule.note(
    "SOURCE-RUN-NOT-COUNTED",
    "Every run of a source is one that the format counts.",
    "nothing needs to be done: a run that does not count is not imported",
)
SUMMARY_PARTIAL = Rule.note(
    "SOURCE-SUMMARY-PARTIAL",
    "The runner's summary of a run is complete.",
    "nothing needs to be done: what it lacks is read from the run's other files",
)

CLAIM_FORMAT = Rule.error(
    "CLAIM-FORMAT",
    "Claims are a TOML file like those in `reported/`, or a JSON file with `source` and `rows`.",
    "give a file whose name ends in `.toml` or `.json`",
)
CLAIM_AGENT = Rule.error(
    "CLAIM-AGENT-MISSING", "A row of claims names its agent.", "add the column `Agent`"
)
CLAIM_TWICE = Rule.error("CLAIM-TWICE", "An agent has one row of claims.", "keep one of the rows")
CLAIM_VALUE = Rule.error(
    "CLAIM-VALUE",
    "A claim is a number, a count such as 6/26, or a dash.",
    "write the value without words",
)
CLAIM_UNMATCHED = Rule.warning(
    "CLAIM-UNMATCHED",
    "A row of claims is about an agent here.",
    "add an alias; the row is not used",
)
CLAIM_AMBIGUOUS = Rule.warning(
    "CLAIM-AMBIGUOUS",
    "A row of claims is about an agent with one bundle in the import.",
    "import the agent's results one by one with `--model`, each with its own claims; the row is "
    "not used",
)
CLAIM_METRIC = Rule.warning(
    "CLAIM-METRIC-UNKNOWN",
    "A claim names a metric.",
    "name the metric by its id; the values are not used",
)
CLAIM_TRACK = Rule.warning(
    "CLAIM-TRACK-DIFFERS",
    "Claims are about the track of the results.",
    "look whether they are about these",
)

_OTHER_TRACK = (
    "name the track with these conditions, or begin one with `--new-track`; scores never mix "
    "across conditions"
)
NAME_INVALID = Rule.error(
    "MERGE-NAME-INVALID",
    "Names of folders and files are slugs.",
    "use up to 120 lower-case letters, digits, `-` and `_` only, and begin with a letter or digit",
)
NAME_TWICE_FIX = "name another `--date`, or rename the other one"
NAME_LONGER = Rule.note(
    "MERGE-NAME-LONGER",
    "A bundle is called after its date and its agent.",
    "nothing needs to be done: the name says what tells it from the bundle that stands",
)
TRACK_DIFFERS = Rule.error(
    "MERGE-TRACK-DIFFERS",
    "Results join a track that states the conditions they were made under.",
    _OTHER_TRACK,
)
CLUSTER_UNKNOWN = Rule.error(
    "MERGE-CLUSTER-UNKNOWN",
    "Tasks that an import adds have a label on the benchmark's axis with `cluster = true`.",
    "import into a benchmark of its own, or add the labels: of these tasks nothing says which "
    "depend on each other",
)
CLUSTER_LEFT = Rule.warning(
    "MERGE-CLUSTER-LEFT",
    "A benchmark says which of its tasks depend on each other.",
    "if they do, label every task on this axis, and set `cluster = true` on it in benchmark.toml",
)
TASKS_DIFFER = Rule.error(
    "MERGE-TASKS-DIFFER",
    "Results have tasks of the track that they join, and no others.",
    f"bring the tasks under the ids that the track has them under; or {_OTHER_TRACK}",
)
TASKS_MISSING = Rule.warning(
    "MERGE-TASKS-MISSING",
    "Results have every task of the track that they join.",
    "run the missing tasks and import again before you send the bundles in: one that misses a task "
    "says so in `missing`, and has no rank",
)
TASK_DIFFERS = Rule.error(
    "MERGE-TASK-DIFFERS", "A task is the same in every import into a track.", _OTHER_TRACK
)
DIGEST_DIFFERS = Rule.warning(
    "MERGE-DIGEST-DIFFERS",
    "A task has the same checksum in every import into a track.",
    "look whether the tasks were changed: scores on changed tasks do not compare",
)
ALIAS_DIFFERS = Rule.error(
    "MERGE-ALIAS-DIFFERS",
    "A spelling stands for one agent.",
    "correct `[aliases]` here, or the import's alias",
)
AGENT_TWICE = Rule.error(
    "SOURCE-AGENT-TWICE",
    "Every agent has a name of its own.",
    "give one of the spellings another name with `--alias SPELLING=NAME`",
    former_codes=("SLOP-AGENT-TWICE", "TABLE-AGENT-TWICE"),
)
