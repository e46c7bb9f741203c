"""Rules for run folders of SlopCodeBench. Codes are stable: programs refer to them."""

from sitegen.importers.kit import rules as kit_rules
from sitegen.problems import Rule

_OWN_CATALOGUE = (
    "name the run's catalogue with `--catalog`, a JSON file such as "
    '`{"version": "v1.0", "problems": {"code_search": 5}}`; or leave the problem out by naming the '
    "others with `--task`"
)
_WRITE_AGAIN = "write the file again with the runner's own `eval` command"

NO_RUN = kit_rules.NOTHING_FOUND.specific(
    "name a folder that has `checkpoint_results.jsonl`, or the run's `config.yaml` and the "
    "folders of its problems",
)
FILE_BROKEN = kit_rules.FILE_BROKEN.specific(
    "correct the files; unreadable parts of them are not used",
    "Some files of the run can't be read completely; the unreadable parts are not used: {}.",
    order="SLOP-FILE-BROKEN",
)
ONE_SHOT = kit_rules.PROTOCOLS_MIXED.specific(
    "leave one-shot runs out: they combine all checkpoints of a problem, and no track "
    "accepts such results",
)
ONE_SHOT_LEFT_OUT = kit_rules.RUN_NOT_COUNTED.specific(
    "nothing needs to be done: one-shot runs are not imported, because they combine all "
    "checkpoints of a problem",
)
AGENT_UNKNOWN = kit_rules.AGENT_UNKNOWN.specific(
    "name the agent with `--agent`, or import only the runs of one model with `--model`",
)
NAME_UNPRINTABLE = Rule.note(
    "SLOP-NAME-UNPRINTABLE",
    "The name of a model or an agent program has unprintable characters or is too long.",
    "nothing needs to be done: unprintable characters are removed, and long names are shortened",
)
LENGTH_UNKNOWN = kit_rules.TASK_UNKNOWN.specific(
    _OWN_CATALOGUE,
)
LENGTH_DIFFERS = kit_rules.ROUND_UNKNOWN.specific(
    _OWN_CATALOGUE,
)
LENGTH_GIVEN = kit_rules.ROUNDS_DIFFER.specific(
    "check that the catalogue belongs to the runs; the catalogue counts, and later "
    "checkpoints are left out",
    "The checkpoints of runs differ from those of the given catalogue, which counts: {}.",
    order="SLOP-LENGTH-GIVEN",
)
CATALOGUE_ASSUMED = kit_rules.ASSUMED.specific(
    "name the catalogue with `--catalog`, unless the run used that release",
    "A run does not name its catalogue; its problems are assumed to be those of {}.",
    order="SLOP-CATALOGUE-ASSUMED",
)
CATALOGUE_DIFFERS = kit_rules.CONDITIONS_DIFFER.specific(
    "check whether the problems are the same in both catalogues",
    "The results of the import were made with different catalogues; these runs name {}.",
    order="SLOP-CATALOGUE-DIFFERS",
)
PROBLEMS_DIFFER = kit_rules.PART_OF_TASKS.specific(
    "to rank runs on other problems, import them into separate tracks with `--track` and "
    "`--new-track`; on this track their bundles list the other problems as missing",
)
PROBLEMS_UNLISTED = kit_rules.ASSUMED.specific(
    "check whether the run should have covered more problems: the task set has only the "
    "problems that it started",
    "A run does not say which problems it should solve; only the problems that it began are "
    "in the task set.",
    order="SLOP-PROBLEMS-UNLISTED",
)
ROW_BROKEN = kit_rules.VALUE_UNUSABLE.specific(
    f"{_WRITE_AGAIN}; a checkpoint without a row is read from its own files, or counts as 0 if it "
    "has none",
    "Lines of the runner's rows can't be read; their checkpoints are read from their own files, or "
    "count as 0: {}.",
    order="SLOP-ROW-BROKEN",
)
VALUE_UNUSABLE = kit_rules.VALUE_UNUSABLE.specific(
    f"{_WRITE_AGAIN}; the values are not used, but the rest of the row is",
    "Values in the runner's rows can't be right and are not used: {}.",
    order="SLOP-VALUE-UNUSABLE",
)
ROW_CUT = kit_rules.SUMMARY_PARTIAL.specific(
    "nothing needs to be done: checkpoints without a row are read from their own files",
    "The last of the runner's rows is cut off; checkpoints without a row are read from their own "
    "files.",
    order="SLOP-ROW-CUT",
)
ROW_MISSING = kit_rules.FILE_MISSING.specific(
    f"{_WRITE_AGAIN}; until then these checkpoints are read from their own files",
    "Checkpoints without a row are read from their own files, without measurements of the code: "
    "{}.",
    order="SLOP-ROW-MISSING",
)
ROW_TWICE = kit_rules.ENTRY_TWICE.specific(
    "remove the outdated rows; the last row is used, as the runner does",
    "Several rows are about the same checkpoint, of which the last row is used: {}.",
    order="SLOP-ROW-TWICE",
)
COUNTS_DIFFER = kit_rules.COUNTS_DIFFER.specific(
    f"{_WRITE_AGAIN}; the row's verdict is kept, but its counts are left out",
    "Test counts that can't be right are left out, but the verdicts are kept: {}.",
    order="SLOP-COUNTS-DIFFER",
)
EVALUATION_DIFFERS = kit_rules.COUNTS_DIFFER.specific(
    "write the rows again with the runner's own `eval` command; the listed tests are used",
    "The tests that the runner's rows count differ from those it lists; the listed tests are "
    "used: {}.",
    order="SLOP-EVALUATION-DIFFERS",
)
CATEGORY_OUTDATED = Rule.note(
    "SLOP-CATEGORY-OUTDATED",
    "Tests of an earlier checkpoint are not marked as regression tests.",
    "nothing needs to be done: they are counted as regression tests, as later releases do",
    "Tests of earlier checkpoints were not marked as regression tests, but are counted as such: "
    "{}.",
)
CHECKPOINT_LOST = kit_rules.VERDICT_HOLE.specific(
    "look for the checkpoint in the run's folder; it is recorded as aborted",
    "Checkpoints without results that come before a checkpoint with some are recorded as aborted: "
    "{}.",
    order="SLOP-CHECKPOINT-LOST",
)
INTERRUPTED = kit_rules.SUMMARY_PARTIAL.specific(
    "nothing needs to be done: the checkpoints are read from their own files, without "
    "measurements of the code",
    "A run did not finish; its checkpoints are read from their own files, without measurements of "
    "the code.",
    order="SLOP-RUN-INTERRUPTED",
)
EMPTY = kit_rules.RUN_NOT_COUNTED.specific(
    "nothing needs to be done: a run without checkpoints is not imported",
    "Runs of this agent that produced no checkpoint are left out: {}.",
    order="SLOP-RUN-EMPTY",
)
COPY = kit_rules.LEFT_OUT.specific(
    "remove the copy; it is not imported",
)
CONDITIONS = kit_rules.CONDITIONS_DIFFER.specific(
    "check whether the track accepts these conditions; they are recorded in the agent's scaffold",
    "The conditions differ from those of the published results: {}.",
    order="SLOP-CONDITIONS",
)
ANALYSER_MISSING = kit_rules.MEASURE_MISSING.specific(
    "install the analysers and measure the snapshots again; until then these measurements are left "
    "blank",
    "Not all of the code was measured: {}.",
    order="SLOP-ANALYSER-MISSING",
)
COST_UNKNOWN = kit_rules.MEASURE_MISSING.specific(
    "add the cost if you know it: checkpoints without cost and tokens are shown as gaps, "
    "not as free",
    "Neither cost nor tokens are known for {}.",
    order="SLOP-COST-UNKNOWN",
)
INFRASTRUCTURE = kit_rules.VERIFIER_FAILED.specific(
    "evaluate these checkpoints again: until then they count as failed, as in the benchmark",
    "The test runner crashed, which counts as a failure, at {}.",
    order="SLOP-INFRASTRUCTURE",
)
AGENT_FAILED = kit_rules.FAILURE_SCORED.specific(
    "nothing needs to be done: the agent's work is graded as it was when the error occurred",
    "The agent's run ended in an error, and its work was graded as it was left, at {}.",
    order="SLOP-AGENT-FAILED",
)
SKIPPED_TESTS = kit_rules.SKIPPED_CASES.specific(
    "nothing needs to be done: a skipped test has not passed, so its checkpoint is not solved",
    "Tests were skipped, so their checkpoints are not solved: {}.",
    order="SLOP-SKIPPED-TESTS",
)
