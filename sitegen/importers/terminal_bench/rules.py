"""The rules that runs of Terminal-Bench keep. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

DATASETS_DIFFER = Rule.error(
    "TERMINAL-BENCH-DATASETS",
    "The runs of an import are of one dataset in one version.",
    "import the folders of each dataset by themselves, into tracks of their own",
)
MODELS_UNSTATED = Rule.error(
    "TERMINAL-BENCH-MODELS-UNSTATED",
    "Runs that may be of several agents state which model each agent used.",
    "import each folder by itself; if all runs are of one agent, name it with `--agent`",
)
TRIAL_UNREADABLE = Rule.warning(
    "TERMINAL-BENCH-TRIAL-UNREADABLE",
    "The file of every trial can be read.",
    "copy these files from where the run was made, if they are complete there",
    (
        "The files of these trials could not be read; the run's own list is used where it has "
        "them: {}."
    ),
)
FAILURE_SCORED = Rule.note(
    "TERMINAL-BENCH-FAILURE-SCORED",
    "A trial that was scored ended without a failure.",
    "nothing needs to be done: the tests ran, and their verdict counts",
    "The runner noted a failure in trials that it scored all the same, and the verdict counts: {}.",
)
TESTS_CONTRADICTED = Rule.warning(
    "TERMINAL-BENCH-TESTS-CONTRADICTED",
    "A task is resolved where all of its tests passed, and only there.",
    "compare the trial's file with the output of its tests; the verdict counts, without the tests",
    "The tests of these trials contradict the verdict, which counts; they are not recorded: {}.",
)
ORDER_ASSUMED = "runs that state no time are in the order of their names"
TOKENS_ASSUMED = "0 input and 0 output tokens mean that the agent kept no count"
