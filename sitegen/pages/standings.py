"""The table of a board: one row for each agent, one column for each score."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.problems import problems_in
from sitegen.board.score import GAP, Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.pages import addresses, labels
from sitegen.pages.figures import full_precision, interval_text, place_text, score_text
from sitegen.pages.flags import Flag, flags_of, score_flag
from sitegen.pages.heads import Head, column_title, has_coverage, has_dates, heads_of, split_look
from sitegen.pages.notices import claims_apart, shared_claims, source_notes
from sitegen.pages.reports import Report
from sitegen.pages.subjects import row_report
from sitegen.pages.waived import row_marks
from sitegen.problems import counted, errors_of

_EVIDENCE_ORDER = tuple(labels.EVIDENCE)


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One score on a board.

    Attributes:
        metric: Its metric's id.
        title: Title of its column.
        value: In full precision; None for a gap.
        text: As people read it.
        score: The score; None where the row knows nothing of it.
        bar: Share of a full bar in percent, and that of the interval's ends, where it has them.
        low: As `bar`.
        high: As `bar`.
        sure: Its interval in words.
        kind: How it looks: "sg-headline", "sg-split" or none of them.
        axis: The axis that it is split by, for a split.
        group: The value on that axis, for a split.
        erratum: Where the erratum that concerns it is told.
        flag: The mark of the findings that changed it; None where none did.
    """

    metric: str
    title: str
    value: str | None
    text: str
    score: Score | None
    bar: str | None = None
    low: str | None = None
    high: str | None = None
    sure: str = ""
    kind: str = ""
    axis: str | None = None
    group: str | None = None
    erratum: str | None = None
    flag: Flag | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a board.

    Attributes:
        entry: What it shows.
        rank: Its rank by the headline score alone.
        place: Its ranks as people read them.
        address: Its page.
        cells: Its scores, by the board's columns.
        splits: Its headline score on parts of the tasks.
        coverage: Records of all that are expected.
        covered: The same as a share.
        evidence_order: How far its evidence goes, from 0.
        has_errors: Whether anything is wrong with its results.
        flags: Marks of the findings that name it.
        report: What a problem with it is reported about; None where nobody takes reports.
        apart: That what others claim of its scores does not compare, and why; empty where it does, or the board says
            so of all rows.
    """

    entry: Entry
    rank: int | None
    place: str
    address: str
    cells: Sequence[ScoreCell]
    splits: Sequence[ScoreCell]
    coverage: str
    covered: float
    evidence_order: int
    has_errors: bool
    flags: Sequence[Flag]
    report: Report | None = None
    apart: str = ""


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board as its table needs it.

    Attributes:
        track: The track's id.
        title: The track's title.
        caption: What the table shows, in a sentence.
        address: The board's page.
        heads: Its columns.
        rows: Best first; rows that do not stand any more are at the place of their score.
        has_coverage: Whether it has a column of coverage.
        has_dates: Whether it has a column of dates.
        compare: Where rows are compared; None where there is nothing to compare.
        note: That no claim about its rows compares, and why; empty where some do.
    """

    track: str
    title: str
    caption: str
    address: str
    heads: Sequence[Head]
    rows: Sequence[Row]
    has_coverage: bool
    has_dates: bool
    compare: str | None
    note: str

    @property
    def standing(self) -> int:
        """How many rows stand; the others are hidden until somebody asks for them."""
        return sum(row.entry.is_ranked for row in self.rows)


def board_view(board: Board) -> BoardView:
    """Arrange a board as a table."""
    address = addresses.board_address(board.benchmark.id, board.track.id)
    ranked_by = f"ranked by {column_title(board.headline, board)}"
    caption = f"{board.benchmark.title}, {board.track.title}: {counted(len(board.entries), 'row')}, {ranked_by}"
    compare = addresses.compare_address(board.benchmark.id, board.track.id) if len(board.all_entries) > 1 else None
    note = shared_claims(board)
    return BoardView(
        board.track.id,
        board.track.title,
        caption,
        address,
        list(heads_of(board)),
        list(_rows(board, tells_claims=not note)),
        has_coverage(board),
        has_dates(board),
        compare,
        note,
    )


def _rows(board: Board, *, tells_claims: bool) -> Iterator[Row]:
    errata = _anchors(board)
    for entry in _in_order(board):
        row = _row(board, entry, errata)
        yield replace(row, apart=claims_apart(entry)) if tells_claims else row


def _in_order(board: Board) -> list[Entry]:
    """Put the rows that do not stand any more where their score would be, the others as they are ranked."""
    sign = -1 if board.headline.direction == "higher" else 1

    def place(entry: Entry) -> tuple[bool, bool, float]:
        value = entry.value(board.headline.id)
        return entry.is_incomplete, value is None, 0.0 if value is None else sign * value

    rows = list(board.entries)
    for entry in board.retired:
        rows.insert(bisect_right(rows, place(entry), key=place), entry)
    return rows


def _row(board: Board, entry: Entry, errata: Mapping[tuple[str, str], str]) -> Row:
    coverage = entry.coverage
    cells = [_cell(board, entry, metric, errata.get((entry.id, metric.id))) for metric in board.columns]
    return Row(
        entry,
        board.ranks.get(entry.id),
        place_text(board, entry),
        addresses.entry_address(board.benchmark.id, board.track.id, entry.id),
        cells,
        list(_split_cells(board, entry)),
        f"{coverage.rounds} / {coverage.expected_rounds}" if coverage else GAP,
        coverage.rounds / coverage.expected_rounds if coverage and coverage.expected_rounds else 0.0,
        _EVIDENCE_ORDER.index(entry.evidence),
        bool(errors_of(problems_in(board, entry))),
        flags_of(board, row_marks(board, entry)),
        row_report(board, entry) if board.benchmark.issues else None,
    )


def _cell(board: Board, entry: Entry, metric: Metric, erratum: str | None) -> ScoreCell:
    score = entry.scores.get(metric.id)
    kind, title = (
        "sg-headline" if metric is board.headline else "",
        column_title(metric, board),
    )
    if score is None or score.value is None:
        return ScoreCell(metric.id, title, None, GAP, score, kind=kind)
    interval = board.certainty.interval(entry, metric.id)
    low, high = (_bar(interval.low, metric), _bar(interval.high, metric)) if interval else (None, None)
    text, sure = score_text(score), interval_text(interval, metric)
    value, bar = full_precision(score), _bar(score.value, metric)
    flag = score_flag(board, entry) if score.unfounded else None
    return ScoreCell(metric.id, title, value, text, score, bar, low, high, sure, kind, erratum=erratum, flag=flag)


def _split_cells(board: Board, entry: Entry) -> Iterator[ScoreCell]:
    metric = board.headline
    for split in board.splits:
        for index, group in enumerate(split.groups):
            score = group.scores.get(entry.id)
            value = full_precision(score) if score else None
            text = score.text if score else GAP
            kind, value_on = split_look(index), group.value
            yield ScoreCell(metric.id, value_on, value, text, score, kind=kind, axis=split.axis, group=value_on)


def _anchors(board: Board) -> dict[tuple[str, str], str]:
    """Find where the erratum that concerns a reported figure is told, by row and metric."""
    address = addresses.board_address(board.benchmark.id, board.track.id)
    found: dict[tuple[str, str], str] = {}
    for source in source_notes(board):
        for note in source.errata:
            for row in note.erratum.rows:
                for metric in note.erratum.metrics or METRICS:
                    found.setdefault((row, metric), f"{address}#{note.anchor}")
    return found


def _bar(value: float, metric: Metric) -> str | None:
    return f"{min(100.0, max(0.0, 100 * value / metric.highest)):.2f}%" if metric.highest else None
