"""The rules that a results folder keeps. Codes are stable: programs and waivers refer to them."""

from sitegen.problems import Rule

_RECOUNT = "recount the cases from the verifier's output and correct the line"

FILE_UNEXPECTED = Rule(
    "FILE-UNEXPECTED",
    "error",
    "A folder holds only the files that the format names.",
    "remove it, or keep it outside of the results folder",
)
FOLDER_EMPTY = Rule("FOLDER-EMPTY", "error", "No bundle is an empty folder.", "add the bundle's files, or remove it")
NOTHING_FOUND = Rule(
    "NOTHING-FOUND",
    "error",
    "What is validated holds a benchmark, or is a bundle.",
    "name a results folder, a benchmark folder or a bundle",
)
NOTHING_YET = Rule(
    "NOTHING-YET",
    "warning",
    "A benchmark has a submission, or a reported table.",
    "bring results in: `sitegen import FORMAT SOURCE --into RESULTS --benchmark ID`",
)
BUNDLE_ASTRAY = Rule(
    "BUNDLE-ASTRAY",
    "error",
    "A bundle lies in the `submissions` folder of its benchmark.",
    "move the folder to BENCHMARK/submissions/",
)
NAME_RESERVED = Rule("NAME-RESERVED", "error", "Names leave the site's own addresses alone.", "choose another name")
NAME_DIFFERS = Rule("NAME-DIFFERS", "error", "A benchmark's folder is called by its id.", "rename one of the two")
NAME_TWICE = Rule("NAME-TWICE", "error", "A name stands for one thing.", "rename or remove one of the two")

CHECKSUM_DIFFERS = Rule(
    "CHECKSUM-DIFFERS",
    "error",
    "Every file has the checksum that SHA256SUMS states.",
    "restore the file, or run `sha256sum` over the bundle's files again if the change is meant",
)
CHECKSUM_MISSING = Rule(
    "CHECKSUM-MISSING",
    "error",
    "SHA256SUMS lists every file of the bundle.",
    "run `sha256sum` over the bundle's files and write the result to SHA256SUMS",
)
CHECKSUM_SYNTAX = Rule(
    "CHECKSUM-SYNTAX",
    "error",
    "A line of SHA256SUMS is a SHA-256 in hexadecimal, two blanks and a file's name.",
    "write the file with `sha256sum`",
)

TRACK_UNKNOWN = Rule("TRACK-UNKNOWN", "error", "A track is one that benchmark.toml defines.", "name a defined track")
TASK_SET_MISSING = Rule(
    "TASK-SET-MISSING",
    "error",
    "A track that bundles enter has its task set.",
    "add the task set's file, one task a line",
)
ROW_UNKNOWN = Rule(
    "ROW-UNKNOWN", "error", "An erratum names rows of its table.", "correct the row's id, or add the row"
)
METRIC_UNKNOWN = Rule(
    "METRIC-UNKNOWN", "error", "A metric is one of the catalogue's.", "name a metric of the catalogue"
)
AXIS_UNKNOWN = Rule(
    "AXIS-UNKNOWN", "error", "Labels and groupings use axes that benchmark.toml defines.", "define the axis"
)
LABEL_UNKNOWN = Rule(
    "LABEL-UNKNOWN",
    "error",
    "A label is one of its axis's values.",
    "correct the label, or add the value to the axis in benchmark.toml",
)
TASK_UNKNOWN = Rule("TASK-UNKNOWN", "error", "A task is one of the track's task set.", "correct the task's id")
ROUND_UNKNOWN = Rule("ROUND-UNKNOWN", "error", "A round is one that its task has.", "correct the round's number")
ROUND_ORDER = Rule(
    "ROUND-ORDER", "error", "A task's rounds are numbered from 1 without a gap.", "number the rounds from 1"
)
ATTEMPT_UNKNOWN = Rule(
    "ATTEMPT-UNKNOWN",
    "error",
    "A bundle has the attempts that its manifest or its track states.",
    "correct the attempt's number, or `attempts` in submission.toml",
)
ROUND_TWICE = Rule("ROUND-TWICE", "error", "Every (task, attempt, round, start) stands once.", "keep one of the lines")
ROUND_MISSING = Rule(
    "ROUND-MISSING",
    "error",
    "Every expected round has a record, also one that was never reached.",
    'add a line for each; a round never reached has state "unreached" and reward 0',
)
START_UNEXPECTED = Rule(
    "START-UNEXPECTED",
    "error",
    "Rounds start from the reference state only on tracks that ask for it.",
    "leave `start` out, or submit to a track with `reference_rounds = true`",
)

MISSING_RECORDED = Rule(
    "MISSING-RECORDED",
    "error",
    "A bundle has no record of a task that it names in `missing`.",
    "take the task out of `missing`, or its records out of the bundle",
)
MISSING_UNKNOWN = Rule(
    "MISSING-UNKNOWN", "error", "`missing` names tasks of the track's task set.", "correct the task's id"
)
MISSING_ALL = Rule(
    "MISSING-ALL",
    "error",
    "A bundle has results for some task of its track.",
    "take the tasks that there are results for out of `missing`; a bundle without results is no submission",
)

PASSED_ABOVE_TOTAL = Rule("ROUND-PASSED-ABOVE-TOTAL", "error", "No round passes more cases than it has.", _RECOUNT)
COUNTS_DIFFER = Rule(
    "ROUND-COUNTS-DIFFER",
    "error",
    "Passed, failed and skipped cases add up to the total, however they are told.",
    _RECOUNT,
)
COUNTS_HALF = Rule("ROUND-COUNTS-HALF", "error", "`passed` and `total` stand together.", "give both, or neither")
OUTCOMES_LENGTH = Rule(
    "ROUND-OUTCOMES-LENGTH",
    "error",
    "`outcomes` and `case_ids` have one entry a case.",
    "write one entry for each case",
)
REWARD_DESPITE_FAILURE = Rule(
    "ROUND-REWARD-DESPITE-FAILURE",
    "error",
    "A round earns the full reward where some case passed and none failed.",
    _RECOUNT,
)
PASS_WITHOUT_REWARD = Rule(
    "ROUND-PASS-WITHOUT-REWARD", "error", "A round without a failed case earns the full reward.", _RECOUNT
)
STATE_CONTRADICTED = Rule(
    "ROUND-STATE-CONTRADICTED",
    "error",
    "A round's state agrees with its reward and its cases.",
    "correct the state, or the reward and the counts",
)
EXCLUDED_UNFOUNDED = Rule(
    "ROUND-EXCLUDED-WITHOUT-FINDING",
    "error",
    "A round is excluded only by a finding.",
    'record the finding in findings.toml with `effect = "exclude"`, or correct the state',
)
ATTEMPTS_ABOVE_TRACK = Rule(
    "ATTEMPTS-ABOVE-TRACK",
    "error",
    "A bundle has at most the attempts of its track.",
    "submit the attempts that the track allows",
)
RUN_TWICE = Rule("RUN-TWICE", "error", "Every (task, attempt) of runs.jsonl stands once.", "keep one of the lines")
SUBMISSION_UNKNOWN = Rule(
    "SUBMISSION-UNKNOWN", "error", "A finding names submissions that are here.", "correct the name of the folder"
)
FAILURE_UNEXPECTED = Rule(
    "FAILURE-UNEXPECTED",
    "error",
    "Failed cases are listed for rounds whose cases ran.",
    "correct the line's task, attempt or round",
)

ATTEMPTS_BELOW_TRACK = Rule(
    "ATTEMPTS-BELOW-TRACK",
    "warning",
    "A bundle has the attempts of its track.",
    "add the missing attempts; until then means use those there are, and metrics that need them all are gaps",
)
VERDICT_AFTER_FAILURE = Rule(
    "ROUND-AFTER-FAILURE",
    "warning",
    "A fail-stop run ends at its first failure.",
    "nothing needs to be done: verdicts after the first failure count 0",
)
REWARD_FRACTIONAL = Rule(
    "REWARD-FRACTIONAL",
    "warning",
    "A reward is 0, or at least 0.999.",
    "nothing needs to be done where a round is passed as a whole or not at all; metrics that use the fraction are not "
    "there yet",
)
TOTAL_DEGENERATE = Rule(
    "ROUND-TOTAL-DEGENERATE",
    "warning",
    "A round has about as many cases as usual.",
    "look whether the suite stopped before its cases ran",
)
TOTAL_UNUSUAL = Rule(
    "ROUND-TOTAL-UNUSUAL",
    "warning",
    "A round has as many cases for one agent as for the others.",
    "look why the number of cases differs",
)
SKIPS_UNUSUAL = Rule(
    "ROUND-SKIPS-UNUSUAL",
    "warning",
    "A round that is passed skips about as many cases as in other submissions.",
    "look why the cases were skipped: one that would have failed is no pass",
)
ROUND_TINY = Rule(
    "TASK-ROUND-TINY",
    "warning",
    "A round has about as many cases as its neighbours.",
    "look whether the verifier stops at its first failure",
)
WEIGHTS_SUM = Rule(
    "TASK-WEIGHTS-SUM",
    "warning",
    "The weights of a task's targets add up to 1.",
    "write weights that add up to 1; until then each counts as its share of their sum",
)
DETAIL_INCOMPLETE = Rule(
    "DETAIL-INCOMPLETE",
    "warning",
    "Every failed case is listed.",
    "list every failed case, where the source has it",
)
DETAIL_EXCESS = Rule(
    "DETAIL-EXCESS",
    "warning",
    "No more failed cases are listed than failed.",
    "look which of the two counts is right",
)
DETAIL_TRUNCATED = Rule(
    "DETAIL-TRUNCATED",
    "warning",
    "Texts of failed cases are whole.",
    "give the texts in full, where the source has them",
)
NO_CASES_UNEXPLAINED = Rule(
    "NO-CASES-UNEXPLAINED",
    "warning",
    "A round without cases says why none ran.",
    "give the `cause`, where it is known",
)
NO_CASES_INFRASTRUCTURE = Rule(
    "NO-CASES-INFRASTRUCTURE",
    "warning",
    "A build counts as failed because of the agent's work.",
    "look whether a leftover process or the machine was at fault",
)
ABORTED_AFTER_WORK = Rule(
    "ABORTED-AFTER-WORK",
    "warning",
    "A run whose agent worked has a verdict.",
    "look why the verifier gave none",
)
CASE_ID_AMBIGUOUS = Rule(
    "CASE-ID-AMBIGUOUS",
    "warning",
    "A case id means the same case in every submission.",
    "nothing needs to be done: cases are matched by id, requirement and intent",
)
