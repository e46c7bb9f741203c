"""The rules that runs and submissions of SWE-bench keep. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

INFRASTRUCTURE = Rule.warning(
    "SWEBENCH-INFRASTRUCTURE",
    "No instance fails because of the machinery.",
    "evaluate these instances again",
    "The evaluation says that the machinery failed, not the patch: {}.",
)
STALE = Rule.warning(
    "SWEBENCH-STALE-REPORT",
    "An instance without a patch has no report.",
    "nothing needs to be done: reports of an earlier run are not counted",
)
FEWER = Rule.warning(
    "SWEBENCH-FEWER",
    "A submission is over all instances of its split.",
    "evaluate all of them: scores over a part do not compare with others",
    "The submission is over a part of its split: {}.",
)
UNCHECKED = Rule.warning(
    "SWEBENCH-UNCHECKED",
    "The leaderboard's maintainers ran a submission again.",
    "nothing needs to be done: readers are told",
    "The leaderboard's maintainers have not checked this submission.",
)
NO_LOGS = Rule.warning(
    "SWEBENCH-NO-LOGS",
    "A submission has the reports of its instances.",
    "fetch the logs from where the leaderboard keeps them, and import again",
    "There are no reports: which instances are resolved is known, and no test.",
)

TESTS_TWICE = Rule.warning(
    "SWEBENCH-TESTS-TWICE",
    "A report names a test once.",
    "look whether the instance's own list names it twice; each counts as a case",
    "Tests that their report names more than once: {}.",
)
TESTS_DIFFER = Rule.warning(
    "SWEBENCH-TESTS-DIFFER",
    "An instance has the same tests in every report.",
    "look whether all were evaluated on one version of the dataset",
    "Others were graded on other tests of these instances: {}.",
)
