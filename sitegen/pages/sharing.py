"""What is shared elsewhere of a board or a row: its card and its badge as pictures, and how to cite it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sitegen.board.answers.order import board_answer
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.charts.board_charts import scale_of
from sitegen.charts.cards import Lettering, writable
from sitegen.charts.layout import from_zero
from sitegen.metrics.uncertainty import ends_of
from sitegen.models.release import Release
from sitegen.models.site import SITE_CARD, SocialCard
from sitegen.pages import addresses, labels
from sitegen.pages.charts import words_of
from sitegen.pages.environment import Templates
from sitegen.problems import counted

MOST, READ_OUT = 13, 7
"""So many rows of a board can be read on its card, and so many are named where that is told in words."""


Figure = tuple[str, str, str, str]
"""A figure in large type: what it is, itself, its unit or of how many, and what to know of it."""


class Line(NamedTuple):
    """A row: its ranks, its agent, its score, that as a number with its interval, and how it came to be known."""

    place: str
    name: str
    text: str
    ends: Sequence[float]
    is_reported: bool


def cards_of(
    benchmarks: Sequence[Sequence[Board]], releases: Sequence[Release], templates: Templates
) -> dict[str, str]:
    """Draw the cards of the site, of its boards by benchmark, and of all their rows as SVG, each with its address."""
    boards, firsts = (
        [board for each in benchmarks for board in each],
        [each[0].benchmark for each in benchmarks],
    )
    site = {"board": None, "entry": None, "benchmarks": firsts, "boards": boards}
    cards = {SITE_CARD.address: _drawn_card(site, templates)}
    for board in boards:
        cards |= BoardCards(board, releases).drawn(templates)
    return cards


def _drawn_card(values: Mapping[str, object], templates: Templates) -> str:
    return templates.fill(
        "card.svg.j2", "", {"letters": Lettering(), "writable": writable, **values}
    )


@dataclass(frozen=True)  # no slots: what all cards of a board share is worked out once
class BoardCards:
    """The cards of one board, whose rows may stand in releases, the oldest first."""

    board: Board
    releases: Sequence[Release] = ()

    def drawn(self, templates: Templates) -> Iterator[tuple[str, str]]:
        """Draw the card of the board, and those of its rows, each with its address."""
        where, scale = addresses.of(self.board), scale_of(self.board.headline, words_of(self.board))
        for entry in (None, *self.board.all_entries):
            lines = [self._lines[entry.id]] if entry else self.standing[:MOST]
            ends = [
                end for line in (*lines, *(self.standing if entry else ())) for end in line.ends
            ]
            values = {
                "cards": self,
                "board": self.board,
                "entry": entry,
                "lines": lines,
                "axis": scale.title,
            }
            about = {"released": released(self.board, entry, self.releases) if entry else ""}
            ruler = from_zero(scale, ends) if ends else None
            yield (
                where.card(entry.id if entry else ""),
                _drawn_card({**values, **about, "ruler": ruler}, templates),
            )

    def card(self, entry: Entry | None = None) -> SocialCard:
        """Tell where the card of a row, or of the board, stands, and what is to be read on it."""
        title = self.board.title
        if entry:
            state = "" if entry.is_ranked else entry.status.state
            told = [
                f"{' '.join(filter(None, about))}, {note}" for *about, note in self.figures(entry)
            ]
            words = [f"{entry.agent.name} on {title}", *self.warnings, state, *told]
        else:
            names, rows = self.board.names, self.board.entries[:READ_OUT]
            read = ((self._lines[row.id], names[row.id]) for row in rows)
            first = "; ".join(f"{line.place} {name} {line.text}" for line, name in read)
            reported = "reported, not recomputed" if self.is_reported else ""
            words = [
                title,
                self.says,
                *self.warnings,
                reported,
                " · ".join(self.facts),
                f"{words_of(self.board).axis(self.board.headline)}: {first}" if first else "",
            ]
        address = addresses.of(self.board).card(entry.id if entry else "")
        return SocialCard(address, labels.visible(". ".join(filter(None, words))))

    def figures(self, entry: Entry) -> list[Figure]:
        """Choose the figures of a row that are large on its card: its headline score, and its rank."""
        board, metric = self.board, self.board.headline
        score, title, text, unit = entry.scores.get(metric.id), labels.title_on(board), GAP, ""
        title = title if metric.direction == "higher" else f"{title}, lower is better"
        if score is None or score.value is None:
            note = (score.gap if score else None) or "not measured"
        else:
            sure, text = labels.sure_text(board, entry, metric), labels.score_text(score)
            unit = "" if metric.unit == "share" else labels.unit_of(metric)
            interval = f"{metric.interval_words} {sure}" if sure else "nothing tells how sure it is"
            note = "; ".join(filter(None, (entry.missing_note(metric.id), interval)))
        return [(title, text, unit, note), self._rank(entry)]

    def _rank(self, entry: Entry) -> Figure:
        """Say which ranks a row may have, and how many others it is shown to be ahead of and behind."""
        board, status = self.board, entry.status
        if not entry.is_ranked:
            return (
                "Rank",
                GAP,
                "",
                status.reason or (f"{status.state} by {status.by}" if status.by else status.state),
            )
        if entry.id not in board.ranks:
            note = "not ranked"
        elif entry.id not in board.certainty.ranks:
            note = "by the scores alone" if entry.sheet else "by the printed values alone"
        elif len(board.ranks) == 1:
            note = "the only agent"
        else:
            standings = [board.certainty.standing(entry, other) for other in board.entries]
            note = f"shown ahead of {standings.count('ahead')}, behind {standings.count('behind')}"
        of = f"of {len(board.ranks)}" if entry.id in board.ranks else ""
        return "Rank", labels.place_text(board, entry), of, note

    @cached_property
    def warnings(self) -> list[str]:
        """What nobody should miss about the whole board."""
        status = self.board.track.status
        simulated = "simulated data" if self.board.benchmark.simulated else ""
        return list(filter(None, [simulated, "" if status == "current" else f"{status} track"]))

    @cached_property
    def says(self) -> str:
        """What the board says first; empty where it has no rows."""
        answer = board_answer(self.board)
        return answer.text if answer else ""

    @cached_property
    def is_reported(self) -> bool:
        """Whether all its rows come from published tables."""
        return {line.is_reported for line in self.standing} == {True}

    @cached_property
    def standing(self) -> Sequence[Line]:
        """The rows that stand, best first."""
        return [self._lines[entry.id] for entry in self.board.entries]

    @cached_property
    def facts(self) -> Sequence[str]:
        """What the board holds, and of which day that is."""
        days = {released(self.board, entry, self.releases) for entry in self.board.entries}
        release = days.pop() if len(days) == 1 else ""
        latest = str(max((entry.date for entry in self.board.entries), default=""))
        told = [
            f"latest {latest}" if latest != release else "",
            f"release {release}" if release else "",
        ]
        return [
            counted(len(self.board.entries), "agent"),
            *labels.extent(self.board),
            *filter(None, told),
        ]

    @cached_property
    def _lines(self) -> Mapping[str, Line]:
        """Every row, by its id."""
        metric, names, found = self.board.headline.id, self.board.names, {}
        for entry in self.board.all_entries:
            score, value = entry.scores.get(metric), entry.value(metric)
            known = (value, *ends_of(self.board.certainty.interval(entry, metric)))
            ends = [each for each in known if each is not None]
            name = writable(names.get(entry.id, entry.agent.name), entry.id)
            place, text = (
                labels.place_text(self.board, entry),
                labels.score_text(score) if score else GAP,
            )
            found[entry.id] = Line(place, name, text, ends, entry.evidence == "reported")
        return found


_BESIDE = re.compile(r"[^A-Za-z0-9]+")
_LETTER, _PADDING = 6.4, 12
"""Width of a letter of a badge, and the room around words. The words are stretched to fit, whatever the font."""


class Citation(NamedTuple):
    """What is cited, under a short name for it."""

    key: str
    title: str
    author: str
    day: str
    """Of the release, or of the results; empty where there are neither."""
    version: str
    """The release; empty where there is none."""
    url: str
    """Where it is; relative where the site's address is not known."""

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
        """The file in the Citation File Format 1.2.0, which is YAML; its texts are written as in JSON."""
        told = {
            "cff-version": "1.2.0",
            "message": "If you use these results, please cite them.",
            "type": "dataset",
            "title": self.title,
            "version": self.version,
            "date-released": self.day,
            "url": self.url if "://" in self.url else "",
            "authors:\n  - name": self.author,
        }
        texts = (
            (name, json.dumps(" ".join(value.split()), ensure_ascii=False))
            for name, value in told.items()
            if value
        )
        return "".join(f"{name}: {text}\n" for name, text in texts)


def citation_of(
    board: Board, entry: Entry | None, releases: Sequence[Release], site: str
) -> Citation:
    """Cite a board, or one of its rows, pinned to the latest release that has the board; the oldest comes first."""
    where, name = addresses.of(board), board.title
    release = next((each for each in reversed(releases) if each.board(*where)), None)
    dated = release or entry
    day = (
        str(dated.date)
        if dated
        else max((str(each.date) for each in board.all_entries), default="")
    )
    title, address, author = (
        f"{name}: leaderboard",
        where.snapshot(release.date) if release else where.board,
        None,
    )
    if entry:
        title, address, author = (
            f"{entry.agent.name} on {name}",
            where.entry(entry.id),
            entry.agent.organization,
        )
    return Citation(
        _BESIDE.sub("-", "-".join(filter(None, (*where, entry.id if entry else "board", day)))),
        title,
        author or f"{board.benchmark.title} maintainers and submitters",
        day,
        str(release.date) if release else "",
        f"{site}{address}",
    )


def badges_of(
    board: Board, releases: Sequence[Release], templates: Templates
) -> Iterator[tuple[str, str]]:
    """Draw the badge of every row, and of the board: each with its address. Of releases the oldest comes first."""
    where, headline = addresses.of(board), board.headline
    withdrawn = "withdrawn track" if board.track.status == "withdrawn" else ""
    for entry in board.all_entries:
        score = entry.scores.get(headline.id)
        told: str = entry.status.state
        if entry.is_ranked and score is not None and score.value is not None:
            unit = f" {labels.unit_of(headline)}" if headline.unit == "percent" else ""
            rank = entry.remark or "not ranked"
            if entry.id in board.ranks:
                rank = f"rank {labels.place_text(board, entry)} of {len(board.ranks)}"
            value = f"{labels.score_text(score)}{unit}"
            told = " · ".join(filter(None, (rank, value, entry.missing_note(headline.id))))
        known = " · ".join(filter(None, (withdrawn, told, released(board, entry, releases))))
        stands = entry.is_ranked and not withdrawn
        yield where.badge(entry.id), _drawn_badge(board, known, templates, stands=stands)
    rows = counted(len(board.entries), "agent")
    known = " · ".join(filter(None, (withdrawn, rows, releases[-1].name if releases else "")))
    yield where.badge(), _drawn_badge(board, known, templates, stands=not withdrawn)


def _drawn_badge(board: Board, told: str, templates: Templates, *, stands: bool) -> str:
    """Draw a badge; on a ground without colour where its row does not stand."""
    label = f"{board.benchmark.title} {board.track.title}"
    first, second = (round(_LETTER * len(text)) + _PADDING for text in (label, told))
    values = {
        "label": label,
        "told": told,
        "first": first,
        "second": second,
        "padding": _PADDING,
        "stands": stands,
    }
    return templates.fill("badge.svg.j2", "", values)


def released(board: Board, entry: Entry, releases: Sequence[Release]) -> str:
    """Name the last release in which a row has the score and the rank that it has now; empty where none does."""
    locked = releases[-1].board(*addresses.of(board)) if releases else None
    row = next((row for row in locked.rows if row.id == entry.id), None) if locked else None
    if row is None:
        return ""
    score, ranks = (
        row.scores.get(board.headline.id),
        (row.first, row.last) if row.first and row.last else None,
    )
    was = (ranks, score.value if score else None)
    is_same = was == (board.certainty.ranks.get(entry.id), entry.value(board.headline.id))
    return str(releases[-1].date) if is_same else ""
