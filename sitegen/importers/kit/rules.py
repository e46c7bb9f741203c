"""Define the rules for sources and for imports into benchmarks. Codes are stable.

A rule here describes a kind of fault that sources of any format can have. If a format can suggest a
better fix, or needs another caveat for readers, it declares `KIND.specific(fix, caveat)`; the code
and the requirement are stated only here.
"""

from sitegen.problems import Rule

PASSED_OVER = Rule.warning(
    "SOURCE-PASSED-OVER",
    "A folder or file of the source was skipped: it is a link, is not a plain file or can't be "
    "opened.",
    "check whether it contains results; if so, copy them into the source folder",
)
ARCHIVE = Rule.warning(
    "SOURCE-ARCHIVE",
    "The source contains an archive, which was not read.",
    "unpack it if it contains results, and import again",
)
TASK_MISSING = Rule.error(
    "SOURCE-TASK-MISSING",
    "The file of a task that the index lists is missing.",
    "add the files, or import with `--allow-missing` to leave these tasks out of the task set",
)
TASKS_LEFT_OUT = Rule.warning(
    "SOURCE-TASKS-LEFT-OUT",
    "Tasks that the source lists are left out of the task set.",
    "import again once the files are available: scores over fewer tasks are not comparable with "
    "the published scores",
)
SCORE_DIFFERS = Rule.warning(
    "SOURCE-SCORE-DIFFERS",
    "A score in the source differs from the score computed from its rounds.",
    "publish the files again from a single run of their scripts, or correct the file that is "
    "out of date",
    "The source states figures that differ from those of its rounds: {}.",
)
DATE_ASSUMED = Rule.warning(
    "SOURCE-DATE-ASSUMED",
    "The source does not state the date of the results; the date of the import is used.",
    "if the runs were made on another day, import again with `--date`, and keep only that bundle",
    "The source does not date these results, so they have the date of the import.",
)
DATE_MISSING = Rule.error(
    "SOURCE-DATE-MISSING",
    "The source does not state the date of the results.",
    "pass the date with `--date YYYY-MM-DD`",
)
NOTHING_FOUND = Rule.error(
    "SOURCE-EMPTY",
    "The source contains no results of this format.",
    "name the folder that the tool wrote its results to",
)
SOURCE_BROKEN = Rule.error(
    "SOURCE-BROKEN",
    "A file of the source does not have the contents that its format requires.",
    "correct the file, or leave it out; nothing was imported",
)
CUT_OFF = Rule.error(
    "SOURCE-CUT-OFF",
    "A file of the source is cut off.",
    "copy the source again from the original; nothing was imported",
)
SOURCE_UNUSABLE = Rule.error(
    "SOURCE-UNUSABLE",
    "The score of an attempt is not a number from 0 to 1.",
    "choose a score between 0 and 1, if the source has one; otherwise these results can't be "
    "imported",
)
NOTHING_SCORED = Rule.error(
    "SOURCE-NOTHING-SCORED",
    "The source contains no verdicts.",
    "score the runs with the tool that made them, and import again",
)
SCALE_UNSTATED = Rule.error(
    "SOURCE-SCALE-UNSTATED",
    "Rewards exceed 1, and their maximum is not stated.",
    "state the largest possible reward, for example `--scale 100`; every reward is divided by it",
)
SCORE_AMBIGUOUS = Rule.error(
    "SOURCE-SCORE-AMBIGUOUS",
    "The source has several scores, and it is not clear which is the reward.",
    "name the score that counts with `--metric`",
)
RUNS_SEVERAL = Rule.error(
    "SOURCE-RUNS-SEVERAL",
    "An agent has several runs on the same tasks, and it is not clear how they count.",
    "count every run with `--runs attempts`, as attempts in chronological order, or only the last "
    "one "
    "with `--pick latest`",
)
RUN_FILLED = Rule.warning(
    "SOURCE-RUN-FILLED",
    "The verdict of an attempt was taken from a later run.",
    "check that the later run repeated the failed attempts on purpose",
    "A later run repeated attempts that had no verdict, and its results took their place: {}.",
)
LEFT_OUT = Rule.warning(
    "SOURCE-LEFT-OUT",
    "Parts of the source were not imported.",
    "check that these parts are not meant to count",
    "The import left out parts of the source: {}.",
)
VERSION_NEWER = Rule.warning(
    "SOURCE-VERSION-NEWER",
    "The source was written by a newer version of the runner than this program supports.",
    "compare a few numbers with the runner's output, or install a newer version of this program",
    "The source was written by a newer version than this program supports: {}.",
)
TREE_DIRTY = Rule.note(
    "SOURCE-TREE-DIRTY",
    "The code that ran had uncommitted changes.",
    "nothing needs to be done; to avoid this caveat, commit every change before a run",
    "The code that ran had uncommitted changes{}.",
)
ASSUMED = Rule.warning(
    "SOURCE-ASSUMED",
    "The source does not state something that the import needs, so the import assumed it.",
    "check that the assumption is right",
    "The import assumed: {}.",
)
AGENT_UNKNOWN = Rule.error(
    "SOURCE-AGENT-UNKNOWN",
    "A run does not say which model made it.",
    "name the agent with `--agent`",
)
RUN_TWICE = RUNS_SEVERAL.specific(
    "keep one of these runs in the source, or choose one with `--model`",
)
RUN_REPLACED = Rule.warning(
    "SOURCE-RUN-REPLACED",
    "An agent has several runs, and the earlier run was left out.",
    "check that the later run is the one that counts",
    "An earlier run of this agent was left out in favour of a later run: {}.",
)
RUN_MISSING = Rule.error(
    "SOURCE-RUN-MISSING",
    "Runs of an agent on some tasks are missing from the source.",
    "add the runs, or import with `--allow-missing` to record them as unreached, which counts as 0",
)
RUN_UNREACHED = Rule.warning(
    "SOURCE-RUN-UNREACHED",
    "Runs of an agent on some tasks are missing; they are recorded as unreached and count as 0.",
    "add the runs, remove the imported bundles, and import again; until then, missing runs count "
    "as 0",
    "The source has no results for these attempts, which count as 0: {}.",
    order="SOURCE-TRIES-UNREACHED",
)
RUN_FAILED = Rule.note(
    "SOURCE-RUN-FAILED",
    "An attempt ended without a verdict.",
    "nothing needs to be done: these attempts count as 0, and their records say why",
    "These tries came to no verdict, and count 0: {}.",
    order="SOURCE-TRIES-FAILED",
)
PART_OF_TASKS = Rule.warning(
    "SOURCE-PART",
    "A run covers only part of the benchmark's tasks.",
    "run all tasks: scores over part of the tasks are not comparable with others",
    "The run covers only part of the benchmark's tasks: {}.",
)
SCORE_CHOSEN = Rule.warning(
    "SOURCE-SCORE-CHOSEN",
    "An attempt has several scores, of which the first is used.",
    "check that the first score named is the one that counts",
    "The source has several scores for each attempt: {}.",
)
RUN_UNFINISHED = Rule.warning(
    "SOURCE-RUN-UNFINISHED",
    "A run did not finish normally.",
    "complete the run and import again, if possible",
    "The run did not end as it was to: {}.",
)
FILE_BROKEN = Rule.warning(
    "SOURCE-FILE-BROKEN",
    "A file that the runner wrote can't be read.",
    "fetch the file again if it was cut off; the import used nothing from it",
    "Some files of these runs could not be read and were ignored: {}.",
    order="HARBOR-FILE-BROKEN",
)

TASK_UNKNOWN = Rule.error(
    "SOURCE-TASK-UNKNOWN",
    "The task of a run, or its number of rounds, is unknown.",
    "name the tasks with the option or the file that lists them in this format",
)
TASK_REDEFINED = Rule.error(
    "SOURCE-TASK-DIFFERS",
    "The source defines a task in several different ways.",
    "correct the definitions, or import the runs of each definition into a separate track",
)
ROUND_UNKNOWN = Rule.error(
    "SOURCE-ROUND-UNKNOWN",
    "A run has a round that its task does not have.",
    "name the version of the tasks that was run",
)
DATASETS_MIXED = Rule.error(
    "SOURCE-DATASETS-MIXED",
    "The source mixes results of several benchmarks, datasets or versions.",
    "choose one of them, and import the others into separate tracks",
)
PROTOCOLS_MIXED = Rule.error(
    "SOURCE-PROTOCOLS-MIXED",
    "The source mixes runs that go through the rounds of their tasks in different ways.",
    "import each kind of run separately",
)
RESULT_TWICE = Rule.error(
    "SOURCE-RESULT-TWICE",
    "A round of an attempt has several results.",
    "keep the result that counts, or import the results as several attempts",
)
CONTRADICTION = Rule.error(
    "SOURCE-CONTRADICTION",
    "The source contradicts itself.",
    "correct the value that is wrong",
)
COLUMNS_UNCLEAR = Rule.error(
    "SOURCE-COLUMNS-UNCLEAR",
    "It is not clear what the rows and columns of a table are, or which column contains the "
    "reward.",
    "name the column, for example `--column reward=score`",
)
METRIC_UNKNOWN = Rule.warning(
    "SOURCE-METRIC-UNKNOWN",
    "A score without per-task results belongs to an unknown metric.",
    "declare the metric in benchmark.toml, with `reported = true`",
)
FIGURES_ONLY = Rule.warning(
    "SOURCE-FIGURES-ONLY",
    "The source has scores without the per-task results that they are computed from.",
    "add the per-task results: scores without them can't be recomputed",
)
REFERENCE_FAILED = Rule.warning(
    "SOURCE-REFERENCE-FAILED",
    "The reference solution failed before the round that a run starts at.",
    "find out why the reference solution failed, and run the round again; the run is not imported",
)
VERIFIER_FAILED = Rule.warning(
    "SOURCE-VERIFIER-FAILED",
    "The test runner or the test environment failed during a run.",
    "evaluate these runs again",
)
FAILURE_SCORED = Rule.note(
    "SOURCE-FAILURE-SCORED",
    "A run ended with an error or at a limit, but was still scored.",
    "nothing needs to be done: the verdict counts",
)
VALUE_UNUSABLE = Rule.warning(
    "SOURCE-VALUE-UNUSABLE",
    "A file has a line or a value that its format does not allow.",
    "write the file again; invalid values are not used",
)
FILE_MISSING = Rule.warning(
    "SOURCE-FILE-MISSING",
    "A file that a run should have written is missing.",
    "add the file",
)
CASES_MISSING = Rule.warning(
    "SOURCE-CASES-MISSING",
    "A verdict comes without some or all of its test cases.",
    "add the output of the tests, or run the tests again",
)
COUNTS_DIFFER = Rule.warning(
    "SOURCE-COUNTS-DIFFER",
    "The case counts of a round contradict each other or the listed cases.",
    "count the cases in the verifier's output again",
)
REWARD_CONTRADICTED = Rule.warning(
    "SOURCE-REWARD-CONTRADICTED",
    "A reward contradicts its cases or checks.",
    "check the verifier's output; the reward counts",
)
REWARD_CONFLICT = Rule.warning(
    "SOURCE-REWARD-CONFLICT",
    "The source states different rewards for one round.",
    "find out who wrote the other value: an agent may be able to plant it",
)
SCORE_CHANGED = Rule.warning(
    "SOURCE-SCORE-CHANGED",
    "A score was changed after the scorer wrote it.",
    "find out who changed the score, and why",
)
SKIPPED_CASES = Rule.note(
    "SOURCE-SKIPPED-CASES",
    "A case neither passed nor failed.",
    "nothing needs to be done: these cases are recorded as skipped",
)
VERDICT_HOLE = Rule.warning(
    "SOURCE-VERDICT-HOLE",
    "A round has no verdict, although a later round of the run has one.",
    "look for the lost verdict in the run's folder; the round is recorded as aborted",
)
CONDITIONS_DIFFER = Rule.warning(
    "SOURCE-CONDITIONS-DIFFER",
    "Runs were made under conditions that differ from each other or from the benchmark's.",
    "check whether the runs are comparable; if not, import them separately",
)
TASK_CHANGED = Rule.warning(
    "SOURCE-TASK-CHANGED",
    "Runs of a task were made with different files or different tests.",
    "find out what changed between the runs: scores on changed tasks are not comparable",
)
ROUNDS_DIFFER = Rule.warning(
    "SOURCE-ROUNDS-DIFFER",
    "The source gives different numbers of rounds for one task.",
    "check how many rounds the task has",
)
ENTRY_TWICE = Rule.warning(
    "SOURCE-ENTRY-TWICE",
    "The source has several entries or columns for one agent or result.",
    "correct the list",
)
NAME_UNLISTED = Rule.warning(
    "SOURCE-NAME-UNLISTED",
    "The source names an agent, task or target that it does not list or define.",
    "add it to the list, or correct the name; an agent can get an alias",
)
MEASURE_MISSING = Rule.warning(
    "SOURCE-MEASURE-MISSING",
    "Measurements or settings of a run are missing.",
    "add the values if you have them; they are recorded as not measured",
)
RUN_NOT_COUNTED = Rule.note(
    "SOURCE-RUN-NOT-COUNTED",
    "The source contains runs that this format does not count.",
    "nothing needs to be done: these runs are not imported",
)
SUMMARY_PARTIAL = Rule.note(
    "SOURCE-SUMMARY-PARTIAL",
    "The runner's summary of a run is incomplete.",
    "nothing needs to be done: missing parts are read from the run's other files",
)

CLAIM_FORMAT = Rule.error(
    "CLAIM-FORMAT",
    "Claims are not in a format that can be read.",
    "write claims as a TOML file like those in `reported/`, or as a JSON file with `source` and "
    "`rows`; the file's name ends in `.toml` or `.json`",
)
CLAIM_AGENT = Rule.error(
    "CLAIM-AGENT-MISSING", "A row of claims names no agent.", "add the column `Agent`"
)
CLAIM_TWICE = Rule.error(
    "CLAIM-TWICE", "An agent has several rows of claims.", "keep one of the rows"
)
CLAIM_VALUE = Rule.error(
    "CLAIM-VALUE",
    "A claim is not a number, a count such as 6/26 or a dash.",
    "write the value without words",
)
CLAIM_UNMATCHED = Rule.warning(
    "CLAIM-UNMATCHED",
    "A row of claims is about an agent without results in this import.",
    "add an alias for the agent; the row is not used",
)
CLAIM_AMBIGUOUS = Rule.warning(
    "CLAIM-AMBIGUOUS",
    "A row of claims is about an agent with several bundles in this import.",
    "import the agent's bundles one at a time with `--model`, each with its own claims; the row "
    "is not used",
)
CLAIM_METRIC = Rule.warning(
    "CLAIM-METRIC-UNKNOWN",
    "A claim names an unknown metric.",
    "name the metric by its id; the values are not used",
)
CLAIM_TRACK = Rule.warning(
    "CLAIM-TRACK-DIFFERS",
    "The claims and the results are about different tracks.",
    "check whether the claims are about these results",
)

_OTHER_TRACK = (
    "name the track with these conditions, or start a new track with `--new-track`; scores "
    "never mix across conditions"
)
NAME_INVALID = Rule.error(
    "MERGE-NAME-INVALID",
    "The name of a folder or file is not a slug.",
    "use only lower-case letters, digits, `-` and `_` (at most 120 characters), and begin with a "
    "letter or digit",
)
NAME_TWICE_FIX = "pass another `--date`, or rename the other bundle"
NAME_LONGER = Rule.note(
    "MERGE-NAME-LONGER",
    "The usual name of a bundle, its date and its agent, is taken; a longer name is used.",
    "nothing needs to be done: the longer name distinguishes it from the existing bundle",
)
TRACK_DIFFERS = Rule.error(
    "MERGE-TRACK-DIFFERS",
    "Results were made under conditions that differ from those of the track they would join.",
    _OTHER_TRACK,
)
CLUSTER_UNKNOWN = Rule.error(
    "MERGE-CLUSTER-UNKNOWN",
    "A task that the import adds has no label on the axis with `cluster = true`.",
    "import into a separate benchmark, or add the labels: without them nothing says which of "
    "the new tasks depend on each other",
)
CLUSTER_LEFT = Rule.warning(
    "MERGE-CLUSTER-LEFT",
    "The benchmark does not say which of its tasks depend on each other.",
    "if tasks depend on each other, label every task on this axis, and set `cluster = true` on "
    "the axis in benchmark.toml",
)
TASKS_DIFFER = Rule.error(
    "MERGE-TASKS-DIFFER",
    "Results have tasks that the track does not have.",
    f"rename the tasks to the ids that the track uses; or {_OTHER_TRACK}",
)
TASKS_MISSING = Rule.warning(
    "MERGE-TASKS-MISSING",
    "Results lack tasks of the track that they join.",
    "run the missing tasks and import again before you submit the bundles: a bundle without "
    "some tasks lists them in `missing`, and has no rank",
)
TASK_DIFFERS = Rule.error(
    "MERGE-TASK-DIFFERS", "A task differs from the task of the same id on the track.", _OTHER_TRACK
)
DIGEST_DIFFERS = Rule.warning(
    "MERGE-DIGEST-DIFFERS",
    "The checksum of a task differs from the checksum on the track.",
    "check whether the tasks were changed: scores on changed tasks are not comparable",
)
ALIAS_DIFFERS = Rule.error(
    "MERGE-ALIAS-DIFFERS",
    "A spelling is an alias of two different agents.",
    "correct `[aliases]` of the benchmark, or the alias of the import",
)
AGENT_TWICE = Rule.error(
    "SOURCE-AGENT-TWICE",
    "Two agents share a name.",
    "give one of the spellings another name with `--alias SPELLING=NAME`",
    former_codes=("SLOP-AGENT-TWICE", "TABLE-AGENT-TWICE"),
)
