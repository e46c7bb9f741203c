"""Check that journals only gained lines between two states of a results folder."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from sitegen.problems import Problem
from sitegen.reading.files import read_bytes
from sitegen.store.compare.history_rules import HISTORY_JOURNAL, HISTORY_MAINTAINED
from sitegen.store.files.layout import (
    ARRIVALS_FILE,
    CHECKS_FILE,
    DEFINITION_FILE,
    REGISTRATIONS_FILE,
)

_NumberedLine: TypeAlias = tuple[int, bytes]
"""A non-blank line, with its number in the file."""


def journal_problems(
    base: Path, head: Path, names_after: Mapping[str, str], new: Sequence[str]
) -> Iterator[Problem]:
    """Yield problems with lines of journals that changed, are missing or are new."""
    new_submission = new[0].rpartition("/")[2] if new else None
    for name_before, name_after in _journal_names(head, names_after):
        lines_before = [text for _, text in _numbered_lines(base / name_before)]
        numbered_after = _numbered_lines(head / name_after)
        lines_after = [text for _, text in numbered_after]
        path = head / name_after
        journal = path.name.removesuffix(".jsonl")
        if lines_after[: len(lines_before)] != lines_before:
            yield _changed_lines(path, journal, lines_before, numbered_after)
        elif lines_after != lines_before:
            line, _ = numbered_after[len(lines_before)]
            fact = f"{journal}: lines are new"
            if new_submission:
                fact = f"{fact} in a request that adds {new_submission}"
                yield HISTORY_JOURNAL.broken(path, line, fact)
            elif path.name != REGISTRATIONS_FILE:  # Anyone may register runs.
                yield HISTORY_MAINTAINED.broken(path, line, fact)


def _journal_names(head: Path, names_after: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the path of each journal in the earlier and in the later state."""
    yield ARRIVALS_FILE, ARRIVALS_FILE
    benchmarks = dict(names_after)
    for path in head.glob(f"*/{DEFINITION_FILE}"):
        name = path.parent.name
        if name not in names_after.values():
            benchmarks.setdefault(name, name)
    for name, name_after in sorted(benchmarks.items()):
        for journal in (CHECKS_FILE, REGISTRATIONS_FILE):
            yield f"{name}/{journal}", f"{name_after}/{journal}"


def _changed_lines(
    path: Path,
    journal: str,
    lines_before: Iterable[bytes],
    numbered_after: Iterable[_NumberedLine],
) -> Problem:
    """Return the problem of a journal whose earlier lines differ or are gone."""
    line = _first_difference(lines_before, numbered_after)
    event = "lines are missing" if line is None else "a line differs"
    fact = f"{journal}: {event}, but lines may only be added"
    return HISTORY_JOURNAL.broken(path, line, fact)


def _first_difference(
    lines_before: Iterable[bytes], numbered_after: Iterable[_NumberedLine]
) -> int | None:
    """Return the number of the first differing line; None if one text begins with the other."""
    pairs = zip(lines_before, numbered_after, strict=False)
    for line_before, (number, line_after) in pairs:
        if line_before != line_after:
            return number
    return None


def _numbered_lines(path: Path) -> list[_NumberedLine]:
    """Return the numbered non-blank lines of a file; empty if it is missing or can't be read."""
    if not path.is_file():
        return []
    content, _ = read_bytes(path)
    lines = enumerate((content or b"").split(b"\n"), start=1)
    return [(number, line) for number, line in lines if line.strip()]
