"""What readers take along of a board or a row: a badge to show elsewhere, and how to cite it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.release import Release
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Templates
from sitegen.problems import counted

_BESIDE = re.compile(r"[^A-Za-z0-9]+")
_LETTER, _PADDING = 6.4, 12
"""Width of a letter of a badge, and the room around words. The words are stretched to fit, whatever the font."""


@dataclass(frozen=True, slots=True)
class Citation:
    """What is cited.

    Attributes:
        key: A short name for it.
        title: What it is called.
        author: Who made it.
        day: The day of the release, or of the results; empty where there are neither.
        version: The release; empty where there is none.
        url: Where it is; relative where the site's address is not known.
    """

    key: str
    title: str
    author: str
    day: str
    version: str
    url: str

    @property
    def bibtex(self) -> str:
        """The entry for BibTeX."""

        def tex(text: str) -> str:
            return re.sub(r"([&%$#_{}])", r"\\\1", " ".join(text.replace("\\", "/").split()))

        results = f"Results of {self.day}" if self.day else ""
        fields = {
            "title": f"{{{tex(self.title)}}}",
            "author": f"{{{tex(self.author)}}}",
            "year": self.day[:4],
            "note": tex(f"Release {self.version}" if self.version else results),
            "url": self.url,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@misc{{{self.key},\n{lines}}}\n"

    @property
    def cff(self) -> str:
        """The file in the Citation File Format 1.2.0."""

        def quoted(text: str) -> str:
            plain = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
            return f'"{plain}"'

        told = {
            "cff-version": "1.2.0",
            "message": "If you use these results, please cite them.",
            "type": "dataset",
            "title": self.title,
            "version": self.version,
            "date-released": self.day,
            "url": self.url if "://" in self.url else "",
        }
        lines = [f"{name}: {quoted(value)}\n" for name, value in told.items() if value]
        return "".join([*lines, "authors:\n", f"  - name: {quoted(self.author)}\n"])


def citation_of(board: Board, entry: Entry | None, releases: Sequence[Release], site: str) -> Citation:
    """Cite a board, or one of its rows, pinned to the latest release that has the board.

    Args:
        board: The board.
        entry: The row; None for the whole board.
        releases: The oldest first.
        site: Address of the site, ending in `/`; empty where it is not known.
    """
    where, name = addresses.of(board), f"{board.benchmark.title}, {board.track.title}"
    release = next((each for each in reversed(releases) if each.board(*where)), None)
    dated = release or entry
    day = str(dated.date) if dated else max((str(each.date) for each in board.all_entries), default="")
    if entry:
        title, address = f"{entry.agent.name} on {name}", where.entry(entry.id)
    else:
        title, address = f"{name}: leaderboard", where.snapshot(release.date) if release else where.board
    return Citation(
        _BESIDE.sub("-", "-".join(filter(None, (*where, entry.id if entry else "board", day)))),
        title,
        (entry.agent.organization if entry else None) or f"{board.benchmark.title} maintainers and submitters",
        day,
        str(release.date) if release else "",
        f"{site}{address}",
    )


def badges_of(board: Board, releases: Sequence[Release], templates: Templates) -> Iterator[tuple[str, str]]:
    """Draw the badge of every row, and of the board: each with its address.

    Args:
        board: The board.
        releases: The oldest first.
        templates: Where the template stands.
    """
    where, headline = addresses.of(board), board.headline
    for entry in board.all_entries:
        score = entry.scores.get(headline.id)
        told: str = entry.status.state
        if entry.is_ranked and score is not None and score.value is not None:
            unit = f" {labels.unit_of(headline)}" if headline.unit == "percent" else ""
            rank = entry.remark or f"rank {labels.place_text(board, entry)} of {len(board.entries)}"
            told = f"{rank} · {labels.score_text(score)}{unit}"
        known = " · ".join(filter(None, (told, released(board, entry, releases))))
        yield where.badge(entry.id), _drawn(board, known, templates, stands=entry.is_ranked)
    rows = counted(len(board.entries), "agent")
    known = " · ".join(filter(None, (rows, releases[-1].name if releases else "")))
    yield where.badge(), _drawn(board, known, templates, stands=True)


def _drawn(board: Board, told: str, templates: Templates, *, stands: bool) -> str:
    """Draw a badge; on a ground without colour where its row does not stand."""
    label = f"{board.benchmark.title} {board.track.title}"
    first, second = (round(_LETTER * len(text)) + _PADDING for text in (label, told))
    values = {"label": label, "told": told, "first": first, "second": second, "padding": _PADDING, "stands": stands}
    return templates.fill("badge.svg.j2", "", values)


def released(board: Board, entry: Entry, releases: Sequence[Release]) -> str:
    """Name the last release in which a row has the score and the rank that it has now; empty where none does."""
    locked = releases[-1].board(*addresses.of(board)) if releases else None
    row = next((row for row in locked.rows if row.id == entry.id), None) if locked else None
    if row is None:
        return ""
    score, ranks = row.scores.get(board.headline.id), (row.first, row.last) if row.first and row.last else None
    was = (ranks, score.value if score else None)
    is_same = was == (board.certainty.ranks.get(entry.id), entry.value(board.headline.id))
    return str(releases[-1].date) if is_same else ""
