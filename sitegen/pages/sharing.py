"""Content of boards and rows for other sites: cards and badges as pictures, and citations."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from sitegen.board import GAP, Board, Entry
from sitegen.board.answers.ranking_headlines import board_answer
from sitegen.charts.board_charts import scale_of
from sitegen.charts.cards import Lettering, writable
from sitegen.charts.chart import AxisScale
from sitegen.charts.layout import Ruler, from_zero
from sitegen.metrics.intervals import interval_ends
from sitegen.metrics.metric import Metric
from sitegen.models.release import LockedRow, Release
from sitegen.models.site import SITE_CARD, SocialCard
from sitegen.pages import addresses, labels
from sitegen.pages.charts import chart_labels
from sitegen.pages.environment import Templates, TemplateValues
from sitegen.pages.lead import lead_of
from sitegen.pages.selection import latest_date, releases_with
from sitegen.pages.texts import join_texts, only_value
from sitegen.problems import counted

MAX_CARD_ROWS = 13
"""Maximum number of rows of a board that can be read on its card."""
MAX_NAMED_ROWS = 7
"""Number of rows of a board that the text alternative of its card names."""

SCORE_BAR_PITCH = 8
"""The distance between the bars of a card's scores, in pixels."""

DrawnFile = tuple[str, str]
"""The address of a picture, and the picture as SVG."""

CardFigure = tuple[str, str, str, str]
"""A figure in large type: its title, its text, its unit or total, and a note."""


class CardLine(NamedTuple):
    """A row on a card: its ranks, its agent, and its score."""

    rank_text: str
    name: str
    text: str
    """The score."""
    ends: Sequence[float]
    """The score as a number, followed by the known ends of its interval; may be empty."""
    is_reported: bool


def cards_of(
    benchmarks: Sequence[Sequence[Board]], releases: Sequence[Release], templates: Templates
) -> dict[str, str]:
    """Return the cards of the site, its boards and all their rows as SVG, by address."""
    boards = list(chain.from_iterable(benchmarks))
    site_values = {
        "board": None,
        "entry": None,
        "benchmarks": [benchmark_boards[0].benchmark for benchmark_boards in benchmarks],
        "boards": boards,
        **_lead_values(boards, templates.site.lead),
    }
    cards = {SITE_CARD.address: _draw_card(site_values, templates)}
    for board in boards:
        cards |= BoardCards(board, releases).drawn(templates)
    return cards


def _lead_values(boards: Sequence[Board], lead_name: str) -> TemplateValues:
    """Return the title and the first sentence of the board that leads the home page."""
    lead = lead_of(boards, lead_name)
    answer = board_answer(lead) if lead else None
    return {"lead_title": lead.title if lead else "", "lead_says": answer.text if answer else ""}


def _draw_card(values: TemplateValues, templates: Templates) -> str:
    letter_values = {"letters": Lettering(), "writable": writable}
    return templates.fill("card.svg.j2", "", {**letter_values, **values})


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class BoardCards:
    """The cards of one board and its rows; `releases` are in order, the oldest first."""

    board: Board
    releases: Sequence[Release] = ()

    def drawn(self, templates: Templates) -> Iterator[DrawnFile]:
        """Yield the card of the board, then the cards of its rows."""
        board_addresses = addresses.of(self.board)
        yield board_addresses.card(), self._draw_board_card(templates)
        for entry in self.board.all_entries:
            yield board_addresses.card(entry.id), self._draw_row_card(entry, templates)

    def _draw_board_card(self, templates: Templates) -> str:
        lines = self.published_lines[:MAX_CARD_ROWS]
        values = {"entry": None, "lines": lines, "released": ""}
        return self._draw(values, lines, templates)

    def _draw_row_card(self, entry: Entry, templates: Templates) -> str:
        line = self._lines[entry.id]
        released_day = release_day_of(self.board, entry, self.releases)
        values = {"entry": entry, "lines": [line], "released": released_day}
        return self._draw(values, [line, *self.published_lines], templates)

    def _draw(
        self,
        values: TemplateValues,
        lines_on_ruler: Sequence[CardLine],
        templates: Templates,
    ) -> str:
        """Return a card as SVG, with a ruler that has room for the given lines."""
        ends = list(chain.from_iterable(line.ends for line in lines_on_ruler))
        board_values = {
            "cards": self,
            "board": self.board,
            "axis": self._scale.title,
            "ruler": from_zero(self._scale, ends) if ends else None,
        }
        return _draw_card({**board_values, **values}, templates)

    @cached_property
    def _scale(self) -> AxisScale:
        return scale_of(self.board.headline, chart_labels(self.board))

    def card(self, entry: Entry | None = None) -> SocialCard:
        """Return the social card of a row, or of the board if no row is given."""
        texts = self._row_texts(entry) if entry else self._board_texts()
        address = addresses.of(self.board).card(entry.id if entry else "")
        text = labels.visible(join_texts(*texts, separator=". "))
        return SocialCard(address, text)

    def _row_texts(self, entry: Entry) -> Iterator[str]:
        """Yield the texts on the card of a row."""
        yield f"{entry.agent.name} on {self.board.title}"
        yield from self.warnings
        if not entry.is_published:
            yield entry.status.state
        for title, text, unit, note in self.figures(entry):
            yield f"{join_texts(title, text, unit, separator=' ')}, {note}"

    def _board_texts(self) -> Iterator[str]:
        """Yield the texts on the card of the board."""
        yield self.board.title
        yield self.says
        yield from self.warnings
        if self.is_reported:
            yield "reported, not recomputed"
        yield " · ".join(self.facts)
        rows = []
        for entry in self.board.entries[:MAX_NAMED_ROWS]:
            line = self._lines[entry.id]
            rows.append(f"{line.rank_text} {self.board.names[entry.id]} {line.text}")
        if rows:
            axis_title = chart_labels(self.board).axis(self.board.headline)
            yield f"{axis_title}: {'; '.join(rows)}"

    def figures(self, entry: Entry) -> list[CardFigure]:
        """Return the large figures on the card of a row: its headline score and rank."""
        return [self._score_figure(entry), self._rank_figure(entry)]

    def _score_figure(self, entry: Entry) -> CardFigure:
        """Return the headline score of a row with its interval and a note on missing data."""
        board = self.board
        metric = board.headline
        title = labels.title_on(board)
        if metric.direction != "higher":
            title = f"{title}, lower is better"
        score = entry.scores.get(metric.id)
        if score is None or score.value is None:
            gap = score.gap if score else None
            return title, GAP, "", gap or "not measured"
        interval_text = labels.row_interval_text(board, entry, metric)
        interval = "no interval"
        if interval_text:
            interval = f"{metric.interval_words} {interval_text}"
        unit = "" if metric.unit == "share" else labels.unit_of(metric)
        note = join_texts(entry.missing_note(metric.id), interval, separator="; ")
        return title, labels.score_text(score), unit, note

    def _rank_figure(self, entry: Entry) -> CardFigure:
        """Return the ranks of a row, and how many agents it is shown to be ahead of and behind."""
        if not entry.is_published:
            return "Rank", GAP, "", _status_text(entry)
        total = ""
        if entry.id in self.board.ranks:
            total = f"of {len(self.board.ranks)}"
        return "Rank", labels.rank_text(self.board, entry), total, self._rank_note(entry)

    def _rank_note(self, entry: Entry) -> str:
        """Return a phrase on the basis of a row's rank."""
        board = self.board
        if entry.id not in board.ranks:
            return "not ranked"
        if entry.id not in board.inference.ranks:
            if entry.submission_results:
                return "by score alone"
            return "by published score alone"
        if len(board.ranks) == 1:
            return "the only agent"
        pair_orders = [board.inference.pair_order(entry, rival) for rival in board.entries]
        ahead = pair_orders.count("ahead")
        behind = pair_orders.count("behind")
        return f"clearly ahead of {ahead}, behind {behind}"

    def score_bars(self, ruler: Ruler, width: int) -> list[tuple[int, float]]:
        """Return bars for the published scores on a ruler: left edge in pixels and relative height.

        With a mark for each score, a card would change after any change of any score, and a board
        of 1,000 rows would need a million marks on all its cards.
        score, and a board of 1,000 rows would draw a million marks.

        Args:
            ruler: The axis of the card.
            width: The width of the axis in pixels.
        """
        counts: Counter[int] = Counter()
        last_bar = width // SCORE_BAR_PITCH - 1
        for line in self.published_lines:
            if line.ends:
                place = ruler.place(line.ends[0], width)
                counts[min(int(place // SCORE_BAR_PITCH), last_bar)] += 1
        most = max(counts.values(), default=1)
        return [(bar * SCORE_BAR_PITCH, count / most) for bar, count in sorted(counts.items())]

    @cached_property
    def warnings(self) -> list[str]:
        """The warnings on the board's cards: simulated data, or a track that is not current."""
        warnings = []
        if self.board.benchmark.simulated:
            warnings.append("simulated data")
        if self.board.track.status != "current":
            warnings.append(f"{self.board.track.status} track")
        return warnings

    @cached_property
    def says(self) -> str:
        """The first sentence about the board; empty if it has no rows."""
        answer = board_answer(self.board)
        return answer.text if answer else ""

    @cached_property
    def is_reported(self) -> bool:
        """Whether all its rows come from published tables."""
        return only_value(line.is_reported for line in self.published_lines) is True

    @cached_property
    def published_lines(self) -> Sequence[CardLine]:
        """The lines of published rows, best first."""
        return [self._lines[entry.id] for entry in self.board.entries]

    @cached_property
    def facts(self) -> Sequence[str]:
        """The size of the board, its latest date, and the release that has all its rows."""
        entries = self.board.entries
        release_day = only_value(
            release_day_of(self.board, entry, self.releases) for entry in entries
        )
        latest = str(latest_date(entries) or "")
        facts = [counted(len(entries), "agent"), *labels.extent(self.board)]
        if latest != (release_day or ""):
            facts.append(f"latest result {latest}")
        if release_day:
            facts.append(f"release {release_day}")
        return facts

    @cached_property
    def _lines(self) -> Mapping[str, CardLine]:
        """The line of every row, by the row's id."""
        return {entry.id: self._line(entry) for entry in self.board.all_entries}

    def _line(self, entry: Entry) -> CardLine:
        metric_id = self.board.headline.id
        score = entry.scores.get(metric_id)
        ends = interval_ends(self.board.inference.interval(entry, metric_id))
        numbers = (entry.value(metric_id), *ends)
        agent_name = self.board.names.get(entry.id, entry.agent.name)
        return CardLine(
            rank_text=labels.rank_text(self.board, entry),
            name=writable(agent_name, entry.id),
            text=labels.score_text(score) if score else GAP,
            ends=[number for number in numbers if number is not None],
            is_reported=entry.evidence == "reported",
        )


def _status_text(entry: Entry) -> str:
    """Return why a row is not ranked."""
    status = entry.status
    if status.reason:
        return status.reason
    if status.by:
        return f"{status.state} by {status.by}"
    return status.state


_NON_ALPHANUMERIC_RUN = re.compile(r"[^A-Za-z0-9]+")
_LETTER_WIDTH = 6.4
"""Assumed width of a letter on a badge; texts are stretched to it in any font."""
_BADGE_PADDING = 12


class Citation(NamedTuple):
    """The content of a citation, with a short key for it."""

    key: str
    title: str
    author: str
    day: str
    """The day of the release, or of the results; empty if there is neither."""
    version: str
    """The release; empty if there is none."""
    path: str
    """The address below the site's root."""
    url: str
    """The complete address; empty if the site's address is not known."""

    @property
    def bibtex(self) -> str:
        """The entry for BibTeX."""
        note = ""
        if self.version:
            note = f"Release {self.version}"
        elif self.day:
            note = f"Results of {self.day}"
        fields = {
            "title": f"{{{_escape_tex(self.title)}}}",
            "author": f"{{{_escape_tex(self.author)}}}",
            "year": self.day[:4],
            "note": _escape_tex(note),
            "url": self.url,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@misc{{{self.key},\n{lines}}}\n"

    @property
    def cff(self) -> str:
        """The file in the Citation File Format 1.2.0, which is YAML; its texts are JSON strings."""
        fields = {
            "cff-version": "1.2.0",
            "message": "If you use these results, please cite them.",
            "type": "dataset",
            "title": self.title,
            "version": self.version,
            "date-released": self.day,
            "url": self.url,
            "authors:\n  - name": self.author,
        }
        lines = []
        for name, value in fields.items():
            if value:
                text = json.dumps(" ".join(value.split()), ensure_ascii=False)
                lines.append(f"{name}: {text}\n")
        return "".join(lines)


def _escape_tex(text: str) -> str:
    """Return a text on one line, escaped for BibTeX."""
    line = " ".join(text.replace("\\", "/").split())
    return re.sub(r"([&%$#_{}])", r"\\\1", line)


def citation_of(
    board: Board, entry: Entry | None, releases: Sequence[Release], site: str
) -> Citation:
    """Return the citation of a board, or of one of its rows.

    The citation names the latest release that includes the board. The author of a row is its
    submitter, or else the maintainers of the benchmark; the maker of its model may not have run it.

    Args:
        board: The board.
        entry: The row; None for the board.
        releases: The releases, oldest first.
        site: The address of the site; empty if it is not known.
    """
    board_addresses = addresses.of(board)
    having = releases_with(board, releases)
    release = having[-1] if having else None
    version = str(release.date) if release else ""
    author = f"{board.benchmark.title} maintainers and submitters"
    if entry:
        title = f"{entry.agent.name} on {board.title}"
        address = board_addresses.entry(entry.id)
        author = _submitter_of(entry) or author
        day = version or str(entry.date)
    else:
        title = f"{board.title}: leaderboard"
        address = board_addresses.board
        if release:
            address = board_addresses.snapshot(release.date)
        day = version or str(latest_date(board.all_entries) or "")
    key = join_texts(*board_addresses, entry.id if entry else "board", day, separator="-")
    return Citation(
        key=_NON_ALPHANUMERIC_RUN.sub("-", key),
        title=title,
        author=author,
        day=day,
        version=version,
        path=address,
        url=f"{site}{address}" if "://" in site else "",
    )


class CitedScore(NamedTuple):
    """One score of a row as text, with the most permanent address that shows it."""

    metric: str
    text: str
    path: str
    """The address below the site's root: a cell of a release, or the row's page."""
    release: str
    """The day of the release; empty if no release has the score as it is."""


def cited_scores(board: Board, entry: Entry, releases: Sequence[Release]) -> list[CitedScore]:
    """Return the scores of a row for citing them one by one, in column order.

    A score is cited from the latest release that includes the board, if the score is the same
    there.
    """
    having = releases_with(board, releases)
    board_addresses = addresses.of(board)
    locked_row = None
    locked_columns: Sequence[str] = ()
    if having:
        locked_row = _row_in_release(board, entry, having[-1])
        locked_board = having[-1].board(*board_addresses)
        locked_columns = locked_board.columns if locked_board else ()
    cited = []
    for metric in board.columns:
        score = entry.scores.get(metric.id)
        if score is None or score.value is None:
            continue
        release_day = ""
        path = board_addresses.entry(entry.id)
        locked_score = None
        if locked_row and metric.id in locked_columns:
            locked_score = locked_row.scores.get(metric.id)
        if locked_score is not None and locked_score.value == score.value:
            release_day = str(having[-1].date)
            anchor = addresses.cell_anchor(entry.id, metric.id)
            path = f"{board_addresses.snapshot(having[-1].date)}#{anchor}"
        text = _score_words(board, entry, metric)
        cited.append(CitedScore(metric.id, text, path, release_day))
    return cited


def _score_words(board: Board, entry: Entry, metric: Metric) -> str:
    """Return a score with its unit and its interval: "Dataset Score 59.7 % (95 % interval ...)"."""
    unit = "" if metric.unit == "share" else labels.unit_of(metric)
    title = labels.title_on(board, metric)
    words = join_texts(title, labels.score_text(entry.scores[metric.id]), unit, separator=" ")
    interval_text = labels.row_interval_text(board, entry, metric)
    if interval_text:
        words = f"{words} ({metric.interval_words} {interval_text})"
    return words


def _submitter_of(entry: Entry) -> str | None:
    """Return the name or the organization of a row's submitter, if either is stated."""
    submitter = entry.bundle.submission.submitter if entry.bundle else None
    if submitter is None:
        return None
    return submitter.name or submitter.organization


def badges_of(
    board: Board, releases: Sequence[Release], templates: Templates
) -> Iterator[DrawnFile]:
    """Yield the badge of every row, then the badge of the board; `releases` are oldest first."""
    board_addresses = addresses.of(board)
    is_withdrawn = board.track.status == "withdrawn"
    warning = "withdrawn track" if is_withdrawn else ""
    for entry in board.all_entries:
        text = join_texts(
            warning, _badge_text(board, entry), release_day_of(board, entry, releases)
        )
        is_valid = entry.is_published and not is_withdrawn
        badge = _draw_badge(board, text, templates, is_valid=is_valid)
        yield board_addresses.badge(entry.id), badge
    release_day = ""
    if releases:
        release_day = str(releases[-1].date)
    text = join_texts(warning, counted(len(board.entries), "agent"), release_day)
    yield board_addresses.badge(), _draw_badge(board, text, templates, is_valid=not is_withdrawn)


def _badge_text(board: Board, entry: Entry) -> str:
    """Return the rank and the headline score of a row as text, or its state if it has no score."""
    headline = board.headline
    score = entry.scores.get(headline.id)
    if not entry.is_published or score is None or score.value is None:
        return entry.status.state
    rank = entry.remark or "not ranked"
    if entry.id in board.ranks:
        rank = f"rank {labels.rank_text(board, entry)} of {len(board.ranks)}"
    value = labels.score_text(score)
    if headline.unit == "percent":
        value = f"{value} {labels.unit_of(headline)}"
    return join_texts(rank, value, entry.missing_note(headline.id))


def _draw_badge(board: Board, text: str, templates: Templates, *, is_valid: bool) -> str:
    """Return a badge as SVG; it has no colour if its content is not valid."""
    label = f"{board.benchmark.title} {board.track.title}"
    values = {
        "label": label,
        "text": text,
        "first": _badge_width(label),
        "second": _badge_width(text),
        "padding": _BADGE_PADDING,
        "stands": is_valid,
    }
    return templates.fill("badge.svg.j2", "", values)


def _badge_width(text: str) -> int:
    """Return the width of a field of a badge, in pixels."""
    return round(_LETTER_WIDTH * len(text)) + _BADGE_PADDING


def release_day_of(board: Board, entry: Entry, releases: Sequence[Release]) -> str:
    """Return the day of the last release if it has a row's current score and rank; else empty."""
    row = None
    if releases:
        row = _row_in_release(board, entry, releases[-1])
    if row is None:
        return ""
    released_score = row.scores.get(board.headline.id)
    released_value = None
    if released_score:
        released_value = released_score.value
    released_ranks = None
    if row.first and row.last:
        released_ranks = (row.first, row.last)
    if released_ranks != board.inference.ranks.get(entry.id):
        return ""
    if released_value == entry.value(board.headline.id):
        return str(releases[-1].date)
    return ""


def _row_in_release(board: Board, entry: Entry, release: Release) -> LockedRow | None:
    """Return a row as it is in a release; None if the release does not have it."""
    locked = release.board(*addresses.of(board))
    rows = locked.rows if locked else ()
    return next((row for row in rows if row.id == entry.id), None)
