"""The rules about results of promptfoo. Codes are stable."""

from sitegen.importers.kit import rules as kit_rules

CSV_BROKEN = kit_rules.SOURCE_BROKEN.specific(
    "write the results again as JSON, which holds more: `promptfoo export eval ID -o results.json`",
)
UNCHECKED = kit_rules.LEFT_OUT.specific(
    "give these tests an assertion, and run them again, if they are meant to count",
    "promptfoo passes tests that have no assertion; they are left out: {}.",
    order="PROMPTFOO-UNCHECKED",
)
