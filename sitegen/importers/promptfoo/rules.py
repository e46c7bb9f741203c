"""The rules for results of promptfoo. Codes are stable."""

from sitegen.importers.kit import rules as kit_rules

CSV_BROKEN = kit_rules.SOURCE_BROKEN.specific(
    "export the results as JSON, which is more complete: `promptfoo export eval ID -o "
    "results.json`",
)
UNCHECKED = kit_rules.LEFT_OUT.specific(
    "if these tests are meant to count, give them an assertion and run them again",
    "promptfoo passes tests that have no assertion; they are left out: {}.",
    order="PROMPTFOO-UNCHECKED",
)
