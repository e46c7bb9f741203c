"""The rules for runs of Terminal-Bench. Codes are stable: programs refer to them."""

from sitegen.importers.kit import rules as kit_rules

DATASETS_DIFFER = kit_rules.DATASETS_MIXED.specific(
    "import the folders of each dataset separately, into separate tracks",
)
MODELS_UNSTATED = kit_rules.AGENT_UNKNOWN.specific(
    "import each folder separately; if all runs belong to one agent, name it with `--agent`",
)
TRIAL_UNREADABLE = kit_rules.FILE_BROKEN.specific(
    "copy these files from where the run was made, if they are complete there",
    "The files of these trials could not be read; the run's own list is used if it contains "
    "them: {}.",
    order="TERMINAL-BENCH-TRIAL-UNREADABLE",
)
FAILURE_SCORED = kit_rules.FAILURE_SCORED.specific(
    "nothing needs to be done: the tests ran, and their verdict counts",
    "The runner noted a failure in trials that it scored all the same, and the verdict counts: {}.",
    order="TERMINAL-BENCH-FAILURE-SCORED",
)
TESTS_CONTRADICTED = kit_rules.REWARD_CONTRADICTED.specific(
    "compare the trial's file with the output of its tests; the verdict counts, but not the tests",
    "The tests of these trials contradict the verdict, which counts; they are not recorded: {}.",
    order="TERMINAL-BENCH-TESTS-CONTRADICTED",
)
ORDER_ASSUMED = "runs that state no time are in the order of their names"
TOKENS_ASSUMED = "0 input and 0 output tokens mean that the agent kept no count"
