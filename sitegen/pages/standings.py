"""The table of a board: one row for each agent, and columns, each with its head and its cells."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from sitegen.board.board import Board, order_of
from sitegen.board.entry import Entry
from sitegen.board.review import problems_in
from sitegen.board.score import GAP, Score
from sitegen.board.splits import Group, Split
from sitegen.metrics.metric import Metric
from sitegen.pages import addresses, labels
from sitegen.pages.findings import Flag, row_flags, score_flag
from sitegen.pages.notices import claims_apart, shared_claims, source_notes
from sitegen.pages.strips import ONLY, REPORTED, Axis, Strip, drawn_on, strip_on
from sitegen.problems import counted, errors_of

_EVIDENCE_ORDER = tuple(labels.EVIDENCE)
_FEW_SCORES = 6
_BESIDE_WORDS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column."""

    key: str
    """Its name in addresses: a metric's id, "AXIS.VALUE" for a split."""
    title: str
    unit: str = ""
    """Of its numbers, or what part of the tasks they are about."""
    help: str = ""
    """What it means, in a sentence."""
    kind: str = "text"
    """"number", "text", "rank", "agent" or "coverage", and what else tells how it looks."""
    first: str = "descending"
    """The way that a first click sorts: the better end first."""
    sort: str = "none"
    """How the column is sorted, as `aria-sort` says it."""
    mark: str = ""
    """Sign of an erratum that concerns the whole column."""
    axis: Axis | None = None
    """What its cells are drawn on; None where they are numbers alone."""


class TextCell(NamedTuple):
    """A text, and what it is sorted by: "" for a gap, which comes last."""

    text: str
    value: object


class ScoreCell(NamedTuple):
    """One score of a row, in full precision and as people read it, with its interval in words."""

    metric: str
    value: str | None
    """None for a gap."""
    text: str
    score: Score | None
    """None where the row knows nothing of it."""
    sure: str = ""
    drawn: Strip | None = None
    """Where it stands on the axis that all rows share, for the score that ranks."""
    axis: str | None = None
    """For a split, what the tasks are told apart by, and how those of this column are."""
    group: str | None = None
    erratum: str | None = None
    """Where the erratum that concerns it is told."""
    flag: Flag | None = None
    """The mark of the findings that changed it."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of rows: its head, and what makes the cell of a row."""

    head: Head
    cell: Callable[[Entry], TextCell | ScoreCell]
    kind: str = "score"
    """The macro that writes its cells: "rank", "agent", "evidence", "score" or "text"."""
    look: str = ""
    """How its cells look: names of classes, such as "sg-number" for numbers."""


class Row(NamedTuple):
    """A row of a board, with a cell for each column."""

    entry: Entry
    address: str
    about: str
    """Who made its agent and how it was set up, as far as rows differ in that."""
    cells: Sequence[TextCell | ScoreCell]
    has_errors: bool
    """Whether anything is wrong with its results."""
    flags: Sequence[Flag]
    """Marks of the findings that name it."""
    apart: str
    """That what others claim of its scores does not compare, and why; empty where the board says so of all rows."""


class Standings(NamedTuple):
    """A board as its table needs it."""

    board: Board
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    """Best first; rows that do not stand any more are at the place of their score."""
    note: str
    """That no claim about its rows compares, and why; empty where some do."""

    @property
    def standing(self) -> int:
        """How many rows stand; the others are hidden until somebody asks for them."""
        return sum(row.entry.is_ranked for row in self.rows)

    @property
    def has_room(self) -> bool:
        """Whether its scores are so few that each can have its interval below it on a wide page."""
        return sum(column.kind == "score" for column in self.columns) <= _FEW_SCORES

    @property
    def key(self) -> str:
        """What the score is, and what the marks on its axis are."""
        metric = self.board.headline
        drawn = [
            cell.drawn
            for row in self.rows
            for cell in row.cells
            if isinstance(cell, ScoreCell) and cell.drawn
        ]
        hollow = sum(each.look == REPORTED for each in drawn)
        parts = ["Dot: the score"] if drawn else []
        parts += (
            ["hollow where it is reported and not recomputed"] if 0 < hollow < len(drawn) else []
        )
        parts += [f"band: its {metric.interval_words}"] if any(each.low for each in drawn) else []
        parts += (
            ["stronger where the rank is one place"]
            if any(each.look == ONLY for each in drawn)
            else []
        )
        marks = f" {'; '.join(parts)}." if parts else ""
        return f"{labels.title_on(self.board)}: {metric.told.sentence[0].lower()}{metric.told.sentence[1:]}{marks}"


def standings_of(board: Board) -> Standings:
    """Arrange a board as a table."""
    rows, ranked_by = counted(len(board.entries), "row"), labels.title_on(board)
    caption = f"{board.title}: {rows}, ranked by {ranked_by}"
    note, columns, shared = (
        shared_claims(board),
        list(columns_of(board)),
        labels.shared_setup(board),
    )
    entries, place = list(board.entries), partial(order_of, headline=board.headline)
    for entry in board.retired:  # a row that does not stand any more goes where its score would be
        entries.insert(bisect_right(entries, place(entry), key=place), entry)
    made = [
        Row(
            entry,
            addresses.of(board).entry(entry.id),
            labels.about(entry.agent, shared),
            [column.cell(entry) for column in columns],
            bool(errors_of(problems_in(board, entry))),
            row_flags(board, entry),
            "" if note else claims_apart(entry),
        )
        for entry in entries
    ]
    return Standings(board, caption, columns, made, note)


def columns_of(board: Board) -> Iterator[Column]:
    """Declare the columns of a board, from left to right."""

    def rank(entry: Entry) -> TextCell:
        return TextCell(labels.place_text(board, entry), board.ranks.get(entry.id, ""))

    def agent(entry: Entry) -> TextCell:
        return TextCell(entry.agent.name, entry.agent.name)

    def evidence(entry: Entry) -> TextCell:
        return TextCell(entry.evidence, _EVIDENCE_ORDER.index(entry.evidence))

    def date(entry: Entry) -> TextCell:
        return TextCell(str(entry.date), entry.date)

    above = "Below every row that is shown to be better, above every row that is shown to be worse"
    yield Column(Head("rank", "Rank", help=above, kind="rank", first="ascending"), rank, "rank")
    yield Column(Head("agent", "Agent", kind="agent", first="ascending"), agent, "agent")
    errata, hidden = _errata_addresses(board), board.track.hide
    yield _headline_column(board, errata)
    yield from (
        score_column(board, metric, errata)
        for metric in board.columns
        if metric is not board.headline
    )
    if any(score.disputed or score.apart for score in _headline_scores(board)):
        yield _claims_column(board)
    if "coverage" not in hidden and len({str(entry.coverage) for entry in board.entries}) > 1:
        word = labels.rounds_word(board.benchmark, 2)
        recorded = f"{word.capitalize()} with a record, of all {word} of the track"
        yield Column(
            Head("coverage", "Coverage", help=recorded, kind="coverage"),
            _coverage,
            "text",
            "sg-coverage",
        )
    if "evidence" not in hidden and len({entry.evidence for entry in board.entries}) > 1:
        yield Column(
            Head("evidence", "Evidence", help="How far the numbers can be followed"),
            evidence,
            "evidence",
        )
    if "date" not in hidden and len({entry.date for entry in board.entries}) > 1:
        made = "When the results were made or published"
        yield Column(Head("date", "Date", help=made), date, "text", "sg-text sg-date")
    for split in board.splits:
        yield from _split_columns(split, board)


def _coverage(entry: Entry) -> TextCell:
    known = entry.coverage
    if known is None:
        return TextCell(GAP, "")
    share = known.rounds / known.expected_rounds if known.expected_rounds else 0.0
    return TextCell(f"{known.rounds} / {known.expected_rounds}", share)


def _headline_scores(board: Board) -> list[Score]:
    """List the scores that rank, of rows that stand."""
    scores = (entry.scores.get(board.headline.id) for entry in board.entries)
    return [score for score in scores if score]


def _claims_column(board: Board) -> Column:
    """Declare the column of what is claimed of the score that ranks."""
    sources = {score.claim.source for score in _headline_scores(board) if score.claim}
    source = sources.pop() if len(sources) == 1 else None
    told = (
        f"{labels.title_on(board)} as printed by {source}"
        if source
        else f"{labels.title_on(board)} as claimed"
    )

    def cell(entry: Entry) -> TextCell:
        score = entry.scores.get(board.headline.id)
        return (
            TextCell(str(score.claim.value), score.claim.value)
            if score and score.claim
            else TextCell(GAP, "")
        )

    return Column(
        Head("claimed", "Claimed", help=told, kind="number"), cell, "text", "sg-number sg-claimed"
    )


def _headline_column(board: Board, errata: Mapping[tuple[str, str], str]) -> Column:
    """Declare the column of the score that ranks, drawn with its intervals on one axis."""
    column, metric = score_column(board, board.headline, errata), board.headline
    known = [entry for entry in board.all_entries if entry.value(metric.id) is not None]
    axis = drawn_on(board, known) if known else None

    def cell(entry: Entry) -> TextCell | ScoreCell:
        made = column.cell(entry)
        if axis is None or isinstance(made, TextCell) or made.value is None:
            return made
        return made._replace(drawn=strip_on(axis, board, entry, is_alone=False))

    head = replace(column.head, sort=column.head.first, kind="number sg-headline", axis=axis)
    return replace(column, head=head, cell=cell, look="sg-headline")


def score_column(
    board: Board,
    metric: Metric,
    errata: Mapping[tuple[str, str], str] | None = None,
    *,
    has_flags: bool = True,
) -> Column:
    """Declare the column of a metric; `errata` says where those of reported figures are told, by row and metric."""
    first = "descending" if metric.direction == "higher" else "ascending"
    head = Head(
        metric.id,
        labels.title_on(board, metric),
        labels.unit_of(metric),
        metric.told.sentence,
        "number",
        first,
    )

    def cell(entry: Entry) -> ScoreCell:
        score = entry.scores.get(metric.id)
        if score is None or score.value is None:
            return ScoreCell(metric.id, None, GAP, score)
        return ScoreCell(
            metric.id,
            labels.full_precision(score),
            labels.score_text(score),
            score,
            labels.sure_text(board, entry, metric),
            erratum=(errata or {}).get((entry.id, metric.id)),
            flag=score_flag(board, entry) if score.unfounded and has_flags else None,
        )

    return Column(head, cell)


def _split_columns(split: Split, board: Board) -> Iterator[Column]:
    metric, mark = board.headline, labels.ERRATUM if split.errata else ""
    first = "descending" if metric.direction == "higher" else "ascending"
    for index, group in enumerate(split.groups):

        def cell(entry: Entry, group: Group = group) -> ScoreCell:
            score = group.scores.get(entry.id)
            value, text = (labels.full_precision(score), score.text) if score else (None, GAP)
            return ScoreCell(metric.id, value, text, score, axis=split.axis, group=group.value)

        part = f"{split.title}, {counted(group.tasks, 'task')}" if group.tasks else split.title
        about = (
            f"{labels.title_on(board)} on the tasks whose {split.title.lower()} is {group.value}"
        )
        told = f"{about}. {split.left_out}" if split.left_out else about
        look = "sg-split" if index else "sg-split sg-first"
        key = split_key(split.axis, group.value)
        yield Column(
            Head(key, group.value, part, told, f"number {look}", first, mark=mark), cell, look=look
        )


def split_key(axis: str, value: str) -> str:
    """Name a column of a split in addresses, so that links outlive a new value of the axis."""
    return f"{axis}.{_BESIDE_WORDS.sub('-', value.lower()).strip('-')}"


def _errata_addresses(board: Board) -> dict[tuple[str, str], str]:
    """Find where the erratum that concerns a reported figure is told, by row and metric."""
    found: dict[tuple[str, str], str] = {}
    for source in source_notes(board):
        for note in source.errata:
            for row in note.erratum.rows:
                for metric in note.erratum.metrics or board.metrics:
                    found.setdefault((row, metric), f"{addresses.of(board).board}#{note.anchor}")
    return found
