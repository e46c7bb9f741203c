"""What share cards say: the words and numbers of a row, of a board, and of the whole site."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.charts.cards.card import BoardCard, Card, Figure, Line, Name, RowCard, SiteCard, Span, Surroundings
from sitegen.charts.ruler import Ruler, from_zero
from sitegen.charts.scores import scale_of
from sitegen.errors import counted
from sitegen.models.release import Release
from sitegen.pages import addresses, labels
from sitegen.pages.badge import released
from sitegen.pages.charts import words_of
from sitegen.pages.facts import extent
from sitegen.pages.figures import interval_text, place_text, score_text

MOST = 7
"""So many rows of a board can be read on a card."""

_RANKS: Mapping[tuple[bool, bool], str] = {
    (True, False): "Rank: below all shown to be better, above all worse.",
    (True, True): "Rank: as far as the data tells, in brackets by value.",
    (False, True): "Ranks in brackets follow the values alone.",
    (False, False): "",
}
"""How ranks are to be read where something tells of some rows, and nothing of some."""

REPORTED = "reported, not recomputed"
"""What is said of numbers from published tables."""


def cards_of(benchmarks: Sequence[Sequence[Board]], releases: Sequence[Release], site: str) -> dict[str, Card]:
    """Give the card of the site, of every board and of every row, each by its address.

    Args:
        benchmarks: Boards by benchmark.
        releases: The oldest first.
        site: What the site is called.
    """
    boards = [board for each in benchmarks for board in each]
    rows = sum(len(board.entries) for board in boards)
    simulated = sum(each[0].benchmark.simulated for each in benchmarks)
    told = f"{counted(len(benchmarks), 'benchmark')}{f', {simulated} simulated' if simulated else ''}"
    facts = (told, counted(len(boards), "board"), counted(rows, "row"))
    cards: dict[str, Card] = {addresses.SITE_CARD: SiteCard(site, " · ".join(facts))}
    for board in boards:
        cards |= BoardCards(board, releases, site).all()
    return cards


@dataclass(frozen=True)  # no slots: what all cards of a board share is worked out once
class BoardCards:
    """The cards of one board.

    Attributes:
        board: The board.
        releases: The oldest first.
        site: What the site is called.
    """

    board: Board
    releases: Sequence[Release] = ()
    site: str = ""

    def all(self) -> Iterator[tuple[str, Card]]:
        """Give the card of the board, then that of every row, each with its address."""
        where = (self.board.benchmark.id, self.board.track.id)
        yield addresses.card_address(*where), self.whole()
        for entry in self.board.all_entries:
            yield addresses.card_address(*where, entry.id), self.row(entry)

    def whole(self) -> BoardCard:
        """Say what is on the card of the board: its first rows."""
        entries = self.board.entries
        shown, how_many = entries[:MOST], counted(len(entries), "agent")
        reported = [REPORTED] if self._is_reported else []
        return BoardCard(
            Surroundings([self._benchmark], [*self.labels, *reported], self._reading(shown), self.site),
            Name(self.board.track.title, self.board.track.id),
            " · ".join(self._facts()),
            f"the first {len(shown)} of {how_many}" if len(shown) < len(entries) else how_many,
            words_of(self.board).axis(self.board.headline),
            self._ruler([self._spans[entry.id] for entry in shown]),
            list(self._lines(shown)),
        )

    def row(self, entry: Entry) -> RowCard:
        """Say what is on the card of a row: its headline score among all others, and its rank."""
        entries, own = self.board.entries, self._spans[entry.id]
        standing = [self._spans[each.id] for each in entries]
        where = [self._benchmark, Name(self.board.track.title, self.board.track.id)]
        agents = counted(len(entries), "agent")
        among = f"all {agents}" if entry.is_ranked else f"the {agents} that stand{'s' if len(entries) == 1 else ''}"
        return RowCard(
            Surroundings(where, [*self.labels, *_row_labels(entry)], self._foot(entry), self.site),
            Name(entry.agent.name, entry.id),
            labels.about(entry.agent),
            not entry.is_ranked,
            self.figures(entry),
            f"{self._score_title} of {among}",
            self._ruler([*standing, own]),
            own,
            [span.value for span in standing if span],
        )

    def figures(self, entry: Entry) -> list[Figure]:
        """Give the figures of a row that are large on its card."""
        return [self._score(entry), _place(self.board, entry)]

    @cached_property
    def labels(self) -> list[str]:
        """What nobody should miss about the whole board."""
        simulated = ["simulated data"] if self.board.benchmark.simulated else []
        status = self.board.track.status
        return simulated if status == "current" else [*simulated, f"{status} track"]

    @cached_property
    def _is_reported(self) -> bool:
        """Whether all rows come from published tables."""
        return {entry.evidence for entry in self.board.entries} == {"reported"}

    @cached_property
    def _benchmark(self) -> Name:
        return Name(self.board.benchmark.title, self.board.benchmark.id)

    @cached_property
    def _score_title(self) -> str:
        return labels.title_of(self.board.headline, self.board.track, self.board.benchmark)

    @cached_property
    def _spans(self) -> Mapping[str, Span | None]:
        return {entry.id: self._span(entry) for entry in self.board.all_entries}

    def _span(self, entry: Entry) -> Span | None:
        value = entry.value(self.board.headline.id)
        if value is None:
            return None
        interval = self.board.certainty.interval(entry, self.board.headline.id)
        return Span(value, interval.low, interval.high) if interval else Span(value)

    def _ruler(self, spans: Sequence[Span | None]) -> Ruler | None:
        ends = [end for span in spans if span for end in span.ends]
        return from_zero(scale_of(self.board.headline, words_of(self.board)), ends) if ends else None

    def _reading(self, shown: Sequence[Entry]) -> str:
        """Say how the rows of a board are to be read, in as few words as its card has room for."""
        ranked = [entry.id in self.board.certainty.ranks for entry in shown if entry.id in self.board.ranks]
        told = [_RANKS[any(ranked), not all(ranked)]]
        if any(span and span.low is not None for span in map(self._spans.get, (entry.id for entry in shown))):
            told.append("Line: 95 % interval.")
        return " ".join(filter(None, told))

    def _facts(self) -> Iterator[str]:
        board = self.board
        yield counted(len(board.entries), "agent")
        yield from extent(board)
        days = {released(board, entry, self.releases) for entry in board.entries}
        release = days.pop() if len(days) == 1 else ""
        latest = str(max((entry.date for entry in board.entries), default=""))
        yield from [f"latest {latest}"] if latest != release else []
        yield from [f"release {release}"] if release else []

    def _lines(self, shown: Sequence[Entry]) -> Iterator[Line]:
        names = labels.names_of(self.board.entries)
        for entry in shown:
            score = entry.scores.get(self.board.headline.id)
            text = score_text(score) if score else GAP
            name = Name(names[entry.id], entry.id)
            note = "reported" if entry.evidence == "reported" and not self._is_reported else ""
            yield Line(place_text(self.board, entry), name, text, self._spans[entry.id], note)

    def _foot(self, entry: Entry) -> str:
        release = released(self.board, entry, self.releases)
        told = (
            f"evidence: {labels.EVIDENCE[entry.evidence][1]}",
            f"{'published' if entry.table else 'results of'} {entry.date}",
            f"release {release}" if release else "",
        )
        return " · ".join(filter(None, told))

    def _score(self, entry: Entry) -> Figure:
        metric, score = self.board.headline, entry.scores.get(self.board.headline.id)
        title = self._score_title if metric.direction == "higher" else f"{self._score_title}, lower is better"
        if score is None or score.value is None:
            return Figure(title, GAP, "", (score.gap if score else None) or "not measured")
        sure = interval_text(self.board.certainty.interval(entry, metric.id), metric)
        unit = "" if metric.unit == "share" else labels.unit_of(metric)
        note = f"95 % interval {sure}" if sure else "nothing tells how sure it is"
        return Figure(title, score_text(score), unit, note)


def _row_labels(entry: Entry) -> Iterator[str]:
    """Name what nobody should miss about a row."""
    if entry.evidence == "reported":
        yield REPORTED
    if entry.remark:
        yield f"{entry.remark} {entry.status.date}" if entry.status.date else entry.remark


def _place(board: Board, entry: Entry) -> Figure:
    status = entry.status
    if not entry.is_ranked:
        by = f"{status.state} by {status.by}" if status.by else status.state
        return Figure("Rank", GAP, "", status.reason or by)
    note = _sharing(board, entry) if entry.id in board.ranks else "not ranked"
    return Figure("Rank", place_text(board, entry), f"of {len(board.entries)}", note)


def _sharing(board: Board, entry: Entry) -> str:
    """Say how many others a ranked row is shown to be ahead of and behind."""
    if entry.id not in board.certainty.ranks:
        return "by the scores alone" if entry.sheet else "by the printed values alone"
    if len(board.ranks) == 1:
        return "the only agent"
    standings = [board.certainty.standing(entry, other) for other in board.entries]
    return f"shown ahead of {standings.count('ahead')}, behind {standings.count('behind')}"
