"""The rules that SWE-bench evaluations and submissions keep. Codes are stable."""

from sitegen.problems import Rule

INFRASTRUCTURE = Rule.warning(
    "SWEBENCH-INFRASTRUCTURE",
    "No instance fails because of the test environment.",
    "evaluate these instances again",
    "SWE-bench reports that the test environment failed, not the patch: {}.",
)
AMBIGUOUS = Rule.warning(
    "SWEBENCH-AMBIGUOUS",
    "It is clear whether the patch or the test environment is the reason for a failure.",
    "read the logs of these instances, and evaluate them again if the environment failed",
    "Either the patch or the test environment is the reason for these failures: {}.",
)
STALE = Rule.warning(
    "SWEBENCH-STALE-REPORT",
    "Every report belongs to an instance that its run's summary counts.",
    "check that these reports are of an earlier run; to count them, remove the summary",
    "The logs hold reports of instances that the summary does not count, and they were left out: "
    "{}.",
)
CASES_UNKNOWN = Rule.warning(
    "SWEBENCH-CASES-UNKNOWN",
    "Every verdict comes with a report that names its test cases.",
    "add the missing `report.json` files, or evaluate the instances again",
    "The verdicts of these instances come without their test cases: {}.",
)
NO_LOGS = Rule.warning(
    "SWEBENCH-NO-LOGS",
    "A run has the reports of its instances.",
    "add the logs, and import again, if they still exist",
    "The verdicts are known and the test cases are not: there are no reports of single instances.",
)
NO_SUMMARY = Rule.warning(
    "SWEBENCH-NO-SUMMARY",
    "A run has a summary.",
    "add the summary, or the file of predictions, so that predictions without logs are known",
    "There is no summary of this run, so instances without logs are missing from it.",
)
PREDICTIONS = Rule.warning(
    "SWEBENCH-PREDICTIONS",
    "A file of predictions holds the predictions that were evaluated, each once.",
    "check that the predictions belong to this run",
    "The file of predictions is broken or does not match the evaluation: {}.",
)
GOLD = Rule.warning(
    "SWEBENCH-GOLD",
    "Predictions come from an agent.",
    "set `baseline = true` in its `submission.toml`, so that it is shown and not ranked",
    "These patches are the reference solutions of the dataset, not the work of an agent.",
)
DATASETS = Rule.error(
    "SWEBENCH-DATASETS",
    "All runs of an import were evaluated on the same dataset.",
    "name the dataset to import with `--task`, and import the others into tracks of their own",
)
INSTANCES_UNKNOWN = Rule.error(
    "SWEBENCH-INSTANCES-UNKNOWN",
    "A submission names all of its instances, or how many there are.",
    "add `all_preds.jsonl` or the logs: `results.json` does not name instances that are not "
    "resolved",
)
REPORTED_ONLY = Rule.warning(
    "SWEBENCH-REPORTED-ONLY",
    "A submission names all of its instances.",
    "add `all_preds.jsonl` or the logs to import every instance",
)
FEWER = Rule.warning(
    "SWEBENCH-FEWER",
    "A submission is over all instances of its split.",
    "evaluate the other instances, too: scores over a part do not compare with others",
    "The submission is over a part of its split: {}.",
)
UNCHECKED = Rule.note(
    "SWEBENCH-UNCHECKED",
    "The maintainers of the leaderboard ran a submission again.",
    "nothing needs to be done: readers see this caveat",
    "The maintainers of the SWE-bench leaderboard have not checked this submission.",
)
METADATA = Rule.warning(
    "SWEBENCH-METADATA",
    "The `metadata.yaml` of a submission can be read.",
    "correct the file; the submission is named after its folder",
)
TESTS_TWICE = Rule.warning(
    "SWEBENCH-TESTS-TWICE",
    "A report names a test once.",
    "check whether the dataset names it twice; each mention counts as a case",
    "Tests that their report names more than once: {}.",
)
TESTS_DIFFER = Rule.warning(
    "SWEBENCH-TESTS-DIFFER",
    "An instance has the same tests in every report.",
    "check whether all runs were evaluated on one version of the dataset",
    "Other runs were graded on different tests of these instances: {}.",
)
