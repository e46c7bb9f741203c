"""Caveats: what a manifest says was odd about the source of its results."""

from sitegen.problems import Rule

CAVEAT = Rule.note(
    "SUBMISSION-CAVEAT",
    "Nothing was odd about the source that results were imported from.",
    "nothing needs to be done: readers see it",
)
