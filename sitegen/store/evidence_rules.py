"""The rules about the cases that a bundle tells of: its files agree with each other, and with what it states."""

from sitegen.problems import Rule

DETAIL_OVERSTATED = Rule(
    "DETAIL-OVERSTATED",
    "error",
    "A bundle holds as much of its cases as `detail.cases` states.",
    "add what is missing, or state in `detail.cases` how much the bundle holds",
)
FAILURE_CONTRADICTED = Rule(
    "FAILURE-CONTRADICTED",
    "error",
    "A listed case ended as `outcomes` says.",
    "look up in the verifier's output which of the two is right",
)
FAILURE_CASE_UNKNOWN = Rule(
    "FAILURE-CASE-UNKNOWN",
    "error",
    "A listed case is one of its round's cases.",
    "correct the case's name, or the line's task, attempt or round",
)
FAILURE_TWICE = Rule("FAILURE-TWICE", "error", "A failure is listed once.", "keep one of the lines")
