"""Rules that imports and the checks of results both apply, stated once.

An import checks them before it writes anything, and states a fix of its own for each problem.
"""

from sitegen.problems import Rule, reasons

ATTEMPTS_ABOVE_TRACK = Rule.error(
    "ATTEMPTS-ABOVE-TRACK",
    "A bundle has more attempts than its track allows.",
    "submit only as many attempts as the track allows",
    former_codes=("MERGE-ATTEMPTS-ABOVE",),
)
NAME_TWICE = Rule.error(
    "NAME-TWICE",
    "Two entries have the same name.",
    "rename or remove one of the two",
    unwaivable=reasons.ADDRESSES,
    former_codes=("MERGE-NAME-TWICE",),
)
