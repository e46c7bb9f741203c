"""What the rounds of simulated tasks ask for."""

from dataclasses import dataclass
from typing import Literal

Label = Literal["extension", "correction", "conflict"]
"""What kind of change a request asks for."""

Category = Literal["core", "integration", "error", "boundary"]
"""What kind of check a case is."""


@dataclass(frozen=True, slots=True)
class Request:
    """One change that a round asks for.

    Attributes:
        title: The request, in a few words.
        slug: Name of the requirement at its heart.
    """

    title: str
    slug: str


FIRST = (
    Request("Read, check and store records", "records"),
    Request("Set up the first command", "first-command"),
    Request("Build a version that works end to end", "end-to-end"),
    Request("Define the model and its storage", "model"),
)
"""What a task begins with."""

REQUESTS: dict[Label, tuple[Request, ...]] = {
    "extension": (
        Request("Add CSV export", "csv-export"),
        Request("Import records from JSON", "json-import"),
        Request("Search by several words", "search"),
        Request("Add undo and redo", "undo"),
        Request("Support time zones", "time-zones"),
        Request("Filter by date range", "date-filter"),
        Request("Add a dry-run switch", "dry-run"),
        Request("Read settings from a file", "settings"),
        Request("Add tags", "tags"),
        Request("Page through long lists", "paging"),
        Request("Retry after a lost connection", "retries"),
        Request("Print a summary at the end", "summary"),
        Request("Archive old entries", "archive"),
        Request("Add roles and permissions", "permissions"),
        Request("Accept several currencies", "currencies"),
        Request("Cache repeated queries", "cache"),
        Request("Watch a folder for changes", "watch"),
    ),
    "correction": (
        Request("Correct rounding of totals", "rounding"),
        Request("Keep order when two keys are equal", "stable-order"),
        Request("Refuse negative amounts", "negative-amounts"),
        Request("Handle empty files", "empty-files"),
        Request("Correct the exit code on bad input", "exit-code"),
        Request("Stop losing the last line", "last-line"),
        Request("Escape quotes in output", "escaping"),
        Request("Correct leap years", "leap-years"),
        Request("Close files after an error", "open-files"),
        Request("Count each entry once", "duplicates"),
        Request("Keep accents when sorting", "accents"),
        Request("Correct the month that a report ends in", "month-end"),
        Request("Read long lines whole", "long-lines"),
        Request("Lock while writing", "locking"),
        Request("Name the line that an error is on", "error-lines"),
    ),
    "conflict": (
        Request("Drop the old date format", "date-format"),
        Request("Sort newest first from now on", "sort-order"),
        Request("Make names case-sensitive after all", "name-case"),
        Request("Replace numeric ids by slugs", "slug-ids"),
        Request("Write integers as strings", "string-integers"),
        Request("Make strict mode the default", "strict-mode"),
        Request("Merge the two list commands", "one-list"),
        Request("Delete for good instead of hiding", "hard-delete"),
        Request("Count weeks from Monday", "week-start"),
        Request("Answer errors as JSON", "json-errors"),
        Request("Move totals out of the header", "totals"),
        Request("Store times in UTC only", "utc-only"),
        Request("Rename the export command", "export-name"),
        Request("Fail where we warned before", "no-warnings"),
    ),
}
"""Every request there is, by its label."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """A side of a request that has a requirement of its own.

    Attributes:
        slug: What is added to the request's slug.
        category: What kind of check its cases are.
    """

    slug: str
    category: Category


ASPECTS = (
    Aspect("empty-input", "boundary"),
    Aspect("bad-input", "error"),
    Aspect("with-filters", "integration"),
    Aspect("defaults", "core"),
    Aspect("limits", "boundary"),
    Aspect("messages", "error"),
    Aspect("round-trip", "integration"),
    Aspect("order", "core"),
    Aspect("unicode", "boundary"),
    Aspect("conflicting-flags", "error"),
    Aspect("after-restart", "integration"),
    Aspect("twice", "core"),
)
"""Every side a request may have besides its heart."""
