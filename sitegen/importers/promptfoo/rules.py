"""The rules about results of promptfoo. Codes are stable."""

from sitegen.problems import Rule

CSV_BROKEN = Rule.error(
    "PROMPTFOO-CSV",
    "Results in CSV have a row for each test, and the same columns in every row.",
    "write the results again as JSON, which holds more: `promptfoo export eval ID -o results.json`",
)
UNCHECKED = Rule.warning(
    "PROMPTFOO-UNCHECKED",
    "Every test has an assertion that decides over it.",
    "give these tests an assertion, and run them again, if they are meant to count",
    "promptfoo passes tests that have no assertion; they are left out: {}.",
)
