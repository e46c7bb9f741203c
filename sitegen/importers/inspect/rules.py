"""Define the rules for Inspect logs. Codes are stable."""

from sitegen.importers.kit import rules as kit_rules
from sitegen.problems import Rule

TASKS = kit_rules.DATASETS_MIXED.specific(
    "choose a task with `--task NAME` or `--task NAME@VERSION`; repeat `--task` to import "
    "several tasks into one board",
)
EPOCHS = kit_rules.DATASETS_MIXED.specific(
    "import tasks with different numbers of epochs into separate tracks: `--task NAME --track "
    "TRACK` for each",
)
LIMITS = kit_rules.FAILURE_SCORED.specific(
    "nothing needs to be done: the sample's score counts",
    "These samples hit a limit but were scored anyway: {}.",
    order="INSPECT-LIMIT",
)
ERRORS_SCORED = kit_rules.FAILURE_SCORED.specific(
    "nothing needs to be done: Inspect counts these scores, too",
    "These samples ended with an error but were scored anyway: {}.",
    order="INSPECT-ERROR-SCORED",
)
INVALIDATED = Rule.warning(
    "INSPECT-INVALIDATED",
    "A sample was invalidated.",
    "run these samples again",
    "These samples were invalidated, and count as 0: {}.",
)
CORRECTED = kit_rules.SCORE_CHANGED.specific(
    "find out who corrected the score, and why",
    "These scores were corrected by hand: {}.",
    order="INSPECT-CORRECTED",
)
CHANGED = kit_rules.SCORE_CHANGED.specific(
    "find out who changed the log; `inspect score` or Inspect's function `edit_score` record a "
    "change",
    "These scores differ from the scorer's, and the log does not say why: {}.",
    order="INSPECT-CHANGED",
)
USAGE = kit_rules.SCORE_DIFFERS.specific(
    "check whether the log was changed, or samples were run again",
    "The log states a different number of tokens or a different cost for the run than for its "
    "samples: {}.",
    order="INSPECT-USAGE",
)
FIELDS = kit_rules.VALUE_UNUSABLE.specific(
    "check whether results are missing; unreadable parts of the log are not used",
    "Parts of the log could not be read and were ignored: {}.",
    order="INSPECT-FIELDS",
)
NO_SAMPLES = kit_rules.FIGURES_ONLY.specific(
    "run the task without `--no-log-samples`: a score without samples can't be recomputed",
)
