"""The rules for SWE-bench evaluations and submissions. Codes are stable."""

from sitegen.importers.kit import rules as kit_rules
from sitegen.problems import Rule

INFRASTRUCTURE = kit_rules.VERIFIER_FAILED.specific(
    "evaluate these instances again",
    "SWE-bench reports that the test environment failed, not the patch: {}.",
    order="SWEBENCH-INFRASTRUCTURE",
)
AMBIGUOUS = kit_rules.VERIFIER_FAILED.specific(
    "read the logs of these instances, and evaluate them again if the environment failed",
    "Either the patch or the test environment caused these failures: {}.",
    order="SWEBENCH-AMBIGUOUS",
)
STALE = kit_rules.LEFT_OUT.specific(
    "check that these reports belong to an earlier run; to count them, remove the summary",
    "The logs contain reports on instances that the summary does not count; they were left out: "
    "{}.",
    order="SWEBENCH-STALE-REPORT",
)
CASES_UNKNOWN = kit_rules.CASES_MISSING.specific(
    "add the missing `report.json` files, or evaluate the instances again",
    "The verdicts of these instances come without their test cases: {}.",
    order="SWEBENCH-CASES-UNKNOWN",
)
NO_LOGS = kit_rules.CASES_MISSING.specific(
    "if the logs still exist, add them and import again",
    "The verdicts are known, but the test cases are not: there are no reports of individual "
    "instances.",
    order="SWEBENCH-NO-LOGS",
)
NO_SUMMARY = kit_rules.FILE_MISSING.specific(
    "add the summary, or the file of predictions, so that predictions without logs are known",
    "There is no summary of this run, so instances without logs are missing from it.",
    order="SWEBENCH-NO-SUMMARY",
)
PREDICTIONS = kit_rules.FILE_BROKEN.specific(
    "check that the predictions belong to this run",
    "The file of predictions is broken or does not match the evaluation: {}.",
    order="SWEBENCH-PREDICTIONS",
)
GOLD = Rule.warning(
    "SWEBENCH-GOLD",
    "The predictions are the reference patches of the dataset.",
    "set `baseline = true` in the bundle's submission.toml, so that it is shown without a rank",
    "These patches are the reference solutions of the dataset, not the work of an agent.",
)
DATASETS = kit_rules.DATASETS_MIXED.specific(
    "name the dataset to import with `--task`, and import the others into separate tracks",
)
INSTANCES_UNKNOWN = kit_rules.TASK_UNKNOWN.specific(
    "add `all_preds.jsonl` or the logs: `results.json` does not name instances that are not "
    "resolved",
)
COUNTS_ONLY = kit_rules.TASK_UNKNOWN.specific(
    "add the logs, or a summary that lists `resolved_ids` and `unresolved_ids`; to publish only "
    "the score, import a table with the columns `agent` and `resolved`: `sitegen import table`",
)
PULL_REQUESTS_ONLY = kit_rules.NOTHING_SCORED.specific(
    "add `final_report.json`, which the evaluation of Multi-SWE-bench writes into its output "
    "folder: `valid` in a report does not say that all tests of the dataset passed",
)
REPORTED_ONLY = kit_rules.FIGURES_ONLY.specific(
    "add `all_preds.jsonl` or the logs to import every instance",
)
FEWER = kit_rules.PART_OF_TASKS.specific(
    "evaluate the other instances, too: scores over part of the instances are not "
    "comparable with others",
    "The submission covers only part of its split: {}.",
    order="SWEBENCH-FEWER",
)
UNCHECKED = Rule.note(
    "SWEBENCH-UNCHECKED",
    "The maintainers of the SWE-bench leaderboard have not run this submission again.",
    "nothing needs to be done: readers see this caveat",
    "The maintainers of the SWE-bench leaderboard have not checked this submission.",
)
METADATA = kit_rules.FILE_BROKEN.specific(
    "correct the file; the submission is named after its folder",
)
TESTS_TWICE = kit_rules.COUNTS_DIFFER.specific(
    "check whether the dataset lists the test twice; every mention counts as a case",
    "Tests that the reports name more than once: {}.",
    order="SWEBENCH-TESTS-TWICE",
)
TESTS_DIFFER = kit_rules.TASK_CHANGED.specific(
    "check whether all runs were evaluated on one version of the dataset",
    "Other runs were graded on different tests of these instances: {}.",
    order="SWEBENCH-TESTS-DIFFER",
)
