"""The rules that a benchmark's findings keep."""

from sitegen.problems import Rule

FINDING_INCOMPLETE = Rule(
    "FINDING-INCOMPLETE",
    "error",
    "A finding says all that its kind and its effect need.",
    "add the key",
)
FINDING_CONTRADICTED = Rule(
    "FINDING-CONTRADICTED",
    "error",
    "A finding has no key that its kind has no use for.",
    "remove the key, or correct the kind",
)
FINDING_UNDONE = Rule(
    "FINDING-UNDONE",
    "error",
    "What a redaction took out of a submission stays out.",
    "take it out again, and leave of the manifest what says whose results they were",
)
FINDING_CASE_UNKNOWN = Rule(
    "FINDING-CASE-UNKNOWN",
    "error",
    "A case that a finding names is one of its rounds.",
    "correct the name of the case",
)
