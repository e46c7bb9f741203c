"""The rules that records of Every Eval Ever keep. Codes are stable: programs refer to them."""

from sitegen.problems import Rule

BENCHMARKS = Rule.error(
    "EEE-BENCHMARKS",
    "The records of an import are of one benchmark.",
    "choose one with `--task`, and import the others into benchmarks of their own",
)
EPOCHS_COUNTED = Rule.warning(
    "EEE-EPOCHS",
    "A line says which attempt it is of.",
    "write `metadata.epoch`, if the order of the lines is not that of the attempts",
    "The source does not number attempts: they are counted in the order of its lines.",
)
RETRIEVED = Rule.warning(
    "EEE-DATE",
    "A record tells when its evaluation was run.",
    "remove what came in, and import again with `--date`",
    "The source does not tell the day of the run: the one on which it was retrieved stands for it.",
)
LEFT_OUT = Rule.warning(
    "EEE-RESULT-LEFT-OUT",
    "A result without samples is one of a metric that is known.",
    "declare a metric of its id with `reported = true`, remove the table that came in, and import again",
)
SCALE = Rule.warning(
    "EEE-SCALE",
    "Samples that are correct have the best score of the scale, and others the worst, where there are two scores.",
    "look whether `lower_is_better`, `min_score` and `max_score` are those of the metric",
    "The scale does not fit the samples: {}.",
)
