"""How to cite a board or a row, pinned to a release where there is one: BibTeX and the Citation File Format."""

import re
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.release import Release
from sitegen.pages import addresses

_BESIDE = re.compile(r"[^A-Za-z0-9]+")


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
        fields = {
            "title": f"{{{_tex(self.title)}}}",
            "author": f"{{{_tex(self.author)}}}",
            "year": self.day[:4],
            "note": _tex(self._state),
            "url": self.url,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@misc{{{self.key},\n{lines}}}\n"

    @property
    def _state(self) -> str:
        """Which state of the boards is cited."""
        if self.version:
            return f"Release {self.version}"
        return f"Results of {self.day}" if self.day else ""

    @property
    def cff(self) -> str:
        """The file in the Citation File Format 1.2.0."""
        told = {
            "cff-version": "1.2.0",
            "message": "If you use these results, please cite them.",
            "type": "dataset",
            "title": self.title,
            "version": self.version,
            "date-released": self.day,
            "url": self.url if "://" in self.url else "",
        }
        lines = [f"{name}: {_quoted(value)}\n" for name, value in told.items() if value]
        return "".join([*lines, "authors:\n", f"  - name: {_quoted(self.author)}\n"])


def citation_of(board: Board, entry: Entry | None, release: Release | None, site: str) -> Citation:
    """Cite a board, or one of its rows.

    Args:
        board: The board.
        entry: The row; None for the whole board.
        release: The latest release that has the board; None where there is none.
        site: Address of the site, ending in `/`; empty where it is not known.
    """
    name = f"{board.benchmark.title}, {board.track.title}"
    day = _day(board, entry, release)
    parts = (board.benchmark.id, board.track.id, entry.id if entry else "board", day)
    return Citation(
        _BESIDE.sub("-", "-".join(filter(None, parts))),
        f"{entry.agent.name} on {name}" if entry else f"{name}: leaderboard",
        (entry.agent.organization if entry else None) or f"{board.benchmark.title} maintainers and submitters",
        day,
        str(release.date) if release else "",
        f"{site}{_address(board, entry, release)}",
    )


def _day(board: Board, entry: Entry | None, release: Release | None) -> str:
    dated = release or entry
    days = [str(each.date) for each in board.all_entries]
    return str(dated.date) if dated else max(days, default="")


def _address(board: Board, entry: Entry | None, release: Release | None) -> str:
    where = (board.benchmark.id, board.track.id)
    if entry:
        return addresses.entry_address(*where, entry.id)
    return addresses.snapshot_address(release.date, *where) if release else addresses.board_address(*where)


def _tex(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", " ".join(text.replace("\\", "/").split()))


def _quoted(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'
