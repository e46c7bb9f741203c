"""Caveats: notes in a manifest on oddities in the source of its results."""

from sitegen.problems import Rule

CAVEAT = Rule.note(
    "SUBMISSION-CAVEAT",
    "The import noted something odd about the source of these results.",
    "nothing needs to be done: the submission's page shows the note",
)
