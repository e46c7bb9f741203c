"""Rules that imports and the checks of results both apply, stated once.

An import breaks them before anything is written; its problems come with a fix of their own.
"""

from sitegen.problems import Rule, reasons

ATTEMPTS_ABOVE_TRACK = Rule.error(
    "ATTEMPTS-ABOVE-TRACK",
    "A bundle has at most the attempts of its track.",
    "submit the attempts that the track allows",
    former_codes=("MERGE-ATTEMPTS-ABOVE",),
)
NAME_TWICE = Rule.error(
    "NAME-TWICE",
    "A name stands for one thing.",
    "rename or remove one of the two",
    unwaivable=reasons.ADDRESSES,
    former_codes=("MERGE-NAME-TWICE",),
)
