"""What another version of the program would change, with the same results."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.board.differences import Difference, Value, differences, differing, flattened
from sitegen.publish.programs import Program, program_at
from sitegen.publish.transaction import files_below

_SEEN = re.compile(r"<article.*</article>", re.DOTALL)
_TAG = re.compile(r"<(script|style).*?</\1>|<[^>]*>", re.DOTALL)
_DIGITS = 10
_PLACES = ("rank", "rank_interval", "evidence", "status")


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What differs between what two versions make of the same results; rows are called by their addresses."""

    scores: Sequence[tuple[str, Sequence[Difference]]]
    """Values and the ends of their intervals, of rows where some differ."""
    places: Sequence[tuple[str, Sequence[Difference]]]
    """Ranks, tiers of evidence and statuses, likewise."""
    rows: int
    new: Sequence[str]
    """Problems that the other version alone finds, each with its code and place."""
    gone: Sequence[str]
    pages: Sequence[tuple[str, str]]
    """Pages that are new, gone or say something else, and which of it."""
    all_pages: int


def upgrade(other: Path, results: Path, work: Path) -> Upgrade:
    """Find what another version of the program, see `program_at`, would change of results; work is an empty folder.

    Raises:
        UsageError: There is no program, or one of the two fails.
    """
    programs = Program(Path(sys.executable)), program_at(other, work)
    was, now = (dict(_rows(each, results)) for each in programs)
    had, has = (dict.fromkeys(_problems(each, results)) for each in programs)
    ours, theirs = (
        _pages(each, results, work / name)
        for each, name in zip(programs, ("ours", "theirs"), strict=True)
    )
    nothing: tuple[dict[str, Value], dict[str, Value]] = ({}, {})
    scores, places = (
        [
            (row, found)
            for row in dict.fromkeys((*was, *now))
            if (found := differences(was.get(row, nothing)[part], now.get(row, nothing)[part]))
        ]
        for part in (0, 1)
    )
    return Upgrade(
        scores,
        places,
        len(was),
        [each for each in has if each not in had],
        [each for each in had if each not in has],
        [
            (name, "new" if text is None else "gone" if after is None else "changed")
            for name, text, after in differing(ours, theirs)
        ],
        len(ours),
    )


def _rows(
    program: Program, results: Path
) -> Iterator[tuple[str, tuple[dict[str, Value], dict[str, Value]]]]:
    """Give scores and places of each row, by its address."""
    for row in json.loads(program.run("score", results, "--format", "json"))["submissions"]:
        scores = {
            name: {end: _rounded(score.get(end)) for end in ("value", "low", "high")}
            for name, score in row["metrics"].items()
        }
        told = {name.removesuffix(".value"): value for name, value in flattened(scores).items()}
        address = f"{row['benchmark']}/{row['track']}/{row['id']}"
        yield address, (told, flattened({each: row.get(each) for each in _PLACES}))


def _rounded(value: float | None) -> float | None:
    """Leave out the digits that the order of adding decides."""
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def _problems(program: Program, results: Path) -> Iterator[str]:
    for each in json.loads(program.run("validate", results, "--format", "json"))["problems"]:
        yield f"{each['path']}: {each['severity']} {each['code']}: {each['what']}"


def _pages(program: Program, results: Path, site: Path) -> dict[str, str]:
    """Give what each page of a site says, by its address."""
    cache = site.with_name(f"{site.name}-cache")
    program.run("build", "--results", results, "--site", site, "--cache", cache, "--allow-problems")
    found = {}
    for name in sorted(files_below(site)):
        if name.endswith(".html"):
            seen = _SEEN.search((site / name).read_text(encoding="utf-8"))
            found[name.removesuffix("index.html")] = " ".join(
                _TAG.sub(" ", seen[0] if seen else "").split()
            )
    return found
