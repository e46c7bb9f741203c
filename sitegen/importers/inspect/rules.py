"""The rules about logs of Inspect. Codes are stable."""

from sitegen.problems import Rule

TASKS = Rule.error(
    "INSPECT-TASKS",
    "The logs of an import are of one task, in one version, or the tasks to take are named.",
    "choose a task with `--task NAME` or `--task NAME@VERSION`; repeat `--task` to bring several "
    "tasks into one board",
)
LIMITS = Rule.note(
    "INSPECT-LIMIT",
    "A sample ends by itself.",
    "nothing needs to be done: the score that the sample got counts",
    "A limit stopped these samples, which were scored all the same: {}.",
)
ERRORS_SCORED = Rule.note(
    "INSPECT-ERROR-SCORED",
    "A sample that was scored ended without an error.",
    "nothing needs to be done: Inspect counts these scores, too",
    "These samples ended with an error and were scored all the same: {}.",
)
INVALIDATED = Rule.warning(
    "INSPECT-INVALIDATED",
    "No sample was invalidated.",
    "run these samples again",
    "These samples were invalidated, and count 0: {}.",
)
CORRECTED = Rule.warning(
    "INSPECT-CORRECTED",
    "A score is the one that the scorer gave.",
    "check who corrected the score, and why",
    "These scores were corrected by hand: {}.",
)
CHANGED = Rule.warning(
    "INSPECT-CHANGED",
    "A score that differs from what the scorer gave has a history that says so.",
    "find out who changed the log; `inspect score` or Inspect's function `edit_score` record a "
    "change",
    "These scores differ from what the scorer gave, and the log does not say why: {}.",
)
USAGE = Rule.warning(
    "INSPECT-USAGE",
    "The tokens and the cost of a run are those of its samples.",
    "check whether the log was changed, or samples were run again",
    "The log counts other tokens or another cost for the run than for its samples: {}.",
)
FIELDS = Rule.warning(
    "INSPECT-FIELDS",
    "Every field of a log has the kind of value that Inspect writes.",
    "check whether something is missing from the results",
    "Parts of the log could not be read, and nothing is taken from them: {}.",
)
NO_SAMPLES = Rule.warning(
    "INSPECT-NO-SAMPLES",
    "A log holds its samples.",
    "run the task without `--no-log-samples`: a score without samples can't be recomputed",
)
