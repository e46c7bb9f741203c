"""Compare the output of two versions of the program for the same results."""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.board.history.differences import Difference, Value, differences, differing, flattened
from sitegen.publish.machine.programs import Program, program_at
from sitegen.publish.machine.transaction import files_below

_ARTICLE = re.compile(r"<article.*</article>", re.DOTALL)
"""Matches the main content of a page."""
_TAG = re.compile(r"<(script|style).*?</\1>|<[^>]*>", re.DOTALL)
_SIGNIFICANT_DIGITS = 10
"""The number of significant digits compared; later digits depend on the order of addition."""
_STANDING_KEYS = ("rank", "rank_interval", "evidence", "status")

RowValues = dict[str, dict[str, Value]]
"""The values of each row, by the row's address, then by the value's name."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The differences between the output of two versions for the same results, by row address."""

    scores: Sequence[tuple[str, Sequence[Difference]]]
    """Differences in scores and their intervals, for each row that differs."""
    standings: Sequence[tuple[str, Sequence[Difference]]]
    """Differences in ranks, evidence tiers and statuses, for each row that differs."""
    rows: int
    """The number of rows."""
    new: Sequence[str]
    """Problems that only the other version reports, with their codes and paths."""
    gone: Sequence[str]
    """Problems that only this version reports."""
    pages: Sequence[tuple[str, str]]
    """Addresses of pages that differ, each with "new", "gone" or "changed"."""
    all_pages: int
    """The number of pages."""


def upgrade(other: Path, results: Path, work: Path) -> Upgrade:
    """Return the changes that another version of the program would make.

    Args:
        other: A wheel, a checkout or an interpreter, as accepted by `program_at`.
        results: The results folder.
        work: An empty folder.

    Raises:
        UsageError: There is no such program, or one of the two programs fails.
    """
    this_program = Program(Path(sys.executable))
    other_program = program_at(other, work)
    scores, standings = _read_rows(this_program, results)
    other_scores, other_standings = _read_rows(other_program, results)
    problems = dict.fromkeys(_problems(this_program, results))
    other_problems = dict.fromkeys(_problems(other_program, results))
    new_problems = [line for line in other_problems if line not in problems]
    fixed_problems = [line for line in problems if line not in other_problems]
    pages = _page_texts(this_program, results, work / "ours")
    other_pages = _page_texts(other_program, results, work / "theirs")
    return Upgrade(
        scores=_row_differences(scores, other_scores),
        standings=_row_differences(standings, other_standings),
        rows=len(scores),
        new=new_problems,
        gone=fixed_problems,
        pages=_page_changes(pages, other_pages),
        all_pages=len(pages),
    )


def _row_differences(before: RowValues, after: RowValues) -> list[tuple[str, list[Difference]]]:
    """Return the differences of each row that differs, with the row's address."""
    changed_rows = []
    for address in dict.fromkeys((*before, *after)):
        row_differences = differences(before.get(address, {}), after.get(address, {}))
        if row_differences:
            changed_rows.append((address, row_differences))
    return changed_rows


def _page_changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the address of each page that differs, with "new", "gone" or "changed"."""
    changes = []
    for address, text, other_text in differing(before, after):
        if text is None:
            changes.append((address, "new"))
        elif other_text is None:
            changes.append((address, "gone"))
        else:
            changes.append((address, "changed"))
    return changes


def _read_rows(program: Program, results: Path) -> tuple[RowValues, RowValues]:
    """Run a version of the program, and return each row's scores, and its ranks and statuses."""
    scores: RowValues = {}
    standings: RowValues = {}
    document = json.loads(program.run("score", results, "--format", "json"))
    for row in document["submissions"]:
        address = "/".join((row["benchmark"], row["track"], row["id"]))
        intervals = {}
        for name, score in row["metrics"].items():
            intervals[name] = _rounded_interval(score)
        row_scores = {}
        for name, value in flattened(intervals).items():
            row_scores[name.removesuffix(".value")] = value
        row_standing = {key: row.get(key) for key in _STANDING_KEYS}
        scores[address] = row_scores
        standings[address] = flattened(row_standing)
    return scores, standings


def _rounded_interval(score: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return a score and the ends of its interval, rounded to the significant digits."""
    rounded: dict[str, float | None] = {}
    for key in ("value", "low", "high"):
        value = score.get(key)
        if value is not None:
            value = float(f"{value:.{_SIGNIFICANT_DIGITS}g}")
        rounded[key] = value
    return rounded


def _problems(program: Program, results: Path) -> Iterator[str]:
    """Yield the problems that a version of the program reports, one per line.

    Versions before 0.2 have no notes: problems that are notes today were warnings.
    """
    document = json.loads(program.run("validate", results, "--format", "json"))
    for problem in (*document["problems"], *document.get("notes", ())):
        severity_and_code = f"{problem['severity']} {problem['code']}"
        yield f"{problem['path']}: {severity_and_code}: {problem['what']}"


def _page_texts(program: Program, results: Path, site: Path) -> dict[str, str]:
    """Build a site with a version of the program, and return the text of each page by address."""
    cache = site.with_name(f"{site.name}-cache")
    program.run("build", "--results", results, "--site", site, "--cache", cache, "--allow-problems")
    texts = {}
    for name in sorted(files_below(site)):
        if name.endswith(".html"):
            page = (site / name).read_text(encoding="utf-8")
            article = _ARTICLE.search(page)
            markup = article[0] if article else ""
            text = _TAG.sub(" ", markup)
            texts[name.removesuffix("index.html")] = " ".join(text.split())
    return texts
