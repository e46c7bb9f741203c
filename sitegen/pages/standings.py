"""The table of a board: one row for each agent, one column for each score."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.claims import problems_of
from sitegen.board.entry import Entry
from sitegen.board.score import GAP, Score
from sitegen.board.splits import Split
from sitegen.errors import counted, errors_of
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.pages import addresses, labels
from sitegen.pages.figures import full_precision, interval_text, place_text, score_text
from sitegen.pages.notices import source_notes

_EVIDENCE_ORDER = tuple(labels.EVIDENCE)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column.

    Attributes:
        title: What the column holds.
        unit: Of its numbers, or what part of the tasks they are about.
        help: What it means, in a sentence.
        kind: "number", "text", "rank", "agent" or "coverage".
        sort: How the column is sorted, as `aria-sort` says it.
        first: The way that a first click sorts.
        mark: Sign of an erratum that concerns the whole column.
    """

    title: str
    unit: str
    help: str
    kind: str
    sort: str
    first: str
    mark: str = ""


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


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a board."""

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


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board as its table needs it."""

    track: str
    title: str
    caption: str
    address: str
    heads: Sequence[Head]
    rows: Sequence[Row]
    has_coverage: bool
    """Whether any row has records to count."""


def board_view(board: Board) -> BoardView:
    """Arrange a board as a table."""
    address = addresses.board_address(board.benchmark.id, board.track.id)
    ranked_by = f"ranked by {_title(board.headline, board)}"
    caption = f"{board.benchmark.title}, {board.track.title}: {counted(len(board.entries), 'row')}, {ranked_by}"
    has_coverage = any(entry.coverage for entry in board.entries)
    errata = _anchors(board)
    rows = [_row(board, entry, errata) for entry in board.entries]
    heads = list(_heads(board, has_coverage=has_coverage))
    return BoardView(board.track.id, board.track.title, caption, address, heads, rows, has_coverage)


def _heads(board: Board, *, has_coverage: bool) -> Iterator[Head]:
    rank = "Place by the headline score; rows that the data cannot tell apart share their places"
    yield Head("Rank", "", rank, "rank", "none", "ascending")
    yield Head("Agent", "", "", "agent", "none", "ascending")
    for metric in board.columns:
        yield _head(metric, board)
    if has_coverage:
        yield Head("Coverage", "", "Rounds with a record, of all rounds of the track", "coverage", "none", "descending")
    yield Head("Evidence", "", "How far the numbers can be followed", "text", "none", "descending")
    for split in board.splits:
        yield from _split_heads(split, board)


def _split_heads(split: Split, board: Board) -> Iterator[Head]:
    metric, mark = board.headline, labels.ERRATUM if split.errata else ""
    first = "descending" if metric.direction == "higher" else "ascending"
    for index, group in enumerate(split.groups):
        value = labels.value_of(group.value)
        part = f"{split.title}, {counted(group.tasks, 'task')}" if group.tasks else split.title
        about = f"{_title(metric, board)} on the tasks whose {split.title.lower()} is {group.value}"
        yield Head(value, part, about, f"number {_place(index)}", "none", first, mark)


def _title(metric: Metric, board: Board) -> str:
    return labels.title_of(metric, board.track, board.benchmark)


def _head(metric: Metric, board: Board) -> Head:
    first = "descending" if metric.direction == "higher" else "ascending"
    title, unit = _title(metric, board), labels.unit_of(metric)
    return Head(title, unit, metric.definition, "number", first if metric is board.headline else "none", first)


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
        bool(errors_of(problems_of(entry))),
    )


def _cell(board: Board, entry: Entry, metric: Metric, erratum: str | None) -> ScoreCell:
    score = entry.scores.get(metric.id)
    kind, title = (
        "sg-headline" if metric is board.headline else "",
        _title(metric, board),
    )
    if score is None or score.value is None:
        return ScoreCell(metric.id, title, None, GAP, score, kind=kind)
    interval = board.certainty.interval(entry, metric.id)
    low, high = (_bar(interval.low, metric), _bar(interval.high, metric)) if interval else (None, None)
    text, sure = score_text(score, board), interval_text(interval, metric)
    value, bar = full_precision(score), _bar(score.value, metric)
    return ScoreCell(metric.id, title, value, text, score, bar, low, high, sure, kind=kind, erratum=erratum)


def _place(index: int) -> str:
    """Tell the first column of a split from the others."""
    return "sg-split" if index else "sg-split sg-first"


def _split_cells(board: Board, entry: Entry) -> Iterator[ScoreCell]:
    metric = board.headline
    for split in board.splits:
        for index, group in enumerate(split.groups):
            score = group.scores.get(entry.id)
            value = full_precision(score) if score else None
            text = score.text if score else GAP
            title = labels.value_of(group.value)
            kind, value_on = _place(index), group.value
            yield ScoreCell(metric.id, title, value, text, score, kind=kind, axis=split.axis, group=value_on)


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
    return f"{min(100.0, max(0.0, value)):.2f}%" if metric.unit == "percent" else None
