"""The table of a board: one row for each agent, and columns, each with its head and its cells."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from sitegen.board import GAP, Board, Claim, Entry, Score, problems_in
from sitegen.board.board import score_sort_key
from sitegen.board.history.revisions import revision_mark
from sitegen.board.splits import Group, Split
from sitegen.board.task_scores_file import has_choice_of_tasks
from sitegen.board.wording import value_title
from sitegen.metrics.metric import Metric
from sitegen.pages import addresses, labels
from sitegen.pages.findings import Flag, row_flags, score_flag
from sitegen.pages.notices import (
    carried_note,
    incomparable_claims,
    shared_claims,
    source_notes,
    version_note,
)
from sitegen.pages.row_parts import RowPart, row_parts
from sitegen.pages.score_axis import (
    ONLY,
    REPORTED,
    ScoreAxis,
    ScoreStrip,
    baseline_scores,
    score_axis,
    strip_on,
)
from sitegen.pages.texts import join_texts, only_value
from sitegen.problems import counted, errors_of, part_of

_EVIDENCE_ORDER = tuple(labels.EVIDENCE)
_MAX_SCORES_WITH_ROOM = 6
_NOTABLE_ABORTED_SHARE = 0.05
"""Minimum share of results without a verdict for a note on a row."""
_NON_WORD_RUN = re.compile(r"\W+")

_RANK_HELP = "Below every agent shown to be better, above every agent shown to be worse"

Errata = Mapping[tuple[str, str], str]
"""The addresses of errata that concern reported figures, by row and metric."""


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """The head of a column."""

    key: str
    """Its name in addresses: a metric's id, or "AXIS.VALUE" for a split."""
    title: str
    unit: str = ""
    """The unit of its numbers, or the tasks that they cover."""
    help: str = ""
    """Its meaning, in one sentence."""
    classes: str = "sg-text"
    """CSS classes: the first is "sg-number", "sg-text", "sg-rank", "sg-agent" or similar."""
    first_sort: str = "descending"
    """The order after a first click: the better end first."""
    sort: str = "none"
    """The current order of the column, in the terms of `aria-sort`."""
    erratum_sign: str = ""
    """The sign of an erratum that concerns the whole column."""
    axis: ScoreAxis | None = None
    """The axis of its cells; None if they are only numbers."""


class TextCell(NamedTuple):
    """A text with its sort key: "" for a gap, which comes last."""

    text: str
    value: object


class ClaimsCell(NamedTuple):
    """Published values of a score; the column is sorted by the first value."""

    claims: Sequence[tuple[str, str]]
    """The text of each value, and its source."""
    value: object

    @property
    def text(self) -> str:
        """The first value; a dash if there is none."""
        return self.claims[0][0] if self.claims else GAP


class ScoreCell(NamedTuple):
    """A score of a row, with all its digits and as text, and its interval as text."""

    metric: str
    value: str | None
    """The score with all its digits; None for a gap."""
    text: str
    score: Score | None
    """The score; None if the row does not have the metric."""
    interval_text: str = ""
    drawn: ScoreStrip | None = None
    """The score on the axis that all rows share, for the headline."""
    axis: str | None = None
    """For a split, the value that distinguishes the tasks."""
    group: str | None = None
    """For a split, the tasks that this column is about."""
    erratum: str | None = None
    """The address of the erratum that concerns it."""
    flag: Flag | None = None
    """The flag for findings that changed this score; None if there are none."""


TableCell = TextCell | ClaimsCell | ScoreCell


@dataclass(frozen=True, slots=True)
class StandingsColumn:
    """A column of a table of rows: its head, and the function that returns the cell of a row."""

    head: ColumnHead
    cell: Callable[[Entry], TableCell]
    macro: str = "score"
    """The macro that writes its cells: "rank", "agent", "evidence", "claims", "score" or "text"."""
    look: str = ""
    """CSS classes of its cells, such as "sg-number" for numbers."""


class StandingsRow(NamedTuple):
    """A row of a board, with a cell for each column."""

    board: Board
    entry: Entry
    address: str
    about: str
    """The agent's organization and settings, if rows differ in these."""
    cells: Sequence[TableCell]
    has_errors: bool
    """Whether its results have errors."""
    flags: Sequence[Flag]
    """Marks of the findings that name it."""
    incomparable_claims: str
    """Why claims about its scores cannot be compared; empty if the board says so for all rows."""
    carried: str
    """The results that come from an earlier version of the track; empty if there are none."""
    version_note: str
    """Why its track is an earlier version; empty on any other track."""
    revised: str
    """The rounds that were run again, with the score before and after, or what was corrected."""
    unscored: str
    """A note on results without a verdict; empty if there are few."""


class Standings(NamedTuple):
    """The table of a board."""

    board: Board
    caption: str
    columns: Sequence[StandingsColumn]
    rows: Sequence[StandingsRow]
    """The rows, best first; withdrawn and superseded rows are at the position of their score."""
    note: str
    """Why no claim about its rows can be compared; empty if some can."""

    @property
    def published_count(self) -> int:
        """The number of published rows; the others are hidden until a reader asks for them."""
        return sum(row.entry.is_published for row in self.rows)

    @property
    def has_choice_of_tasks(self) -> bool:
        """Whether a reader may score the board over some of its tasks."""
        return has_choice_of_tasks(self.board)

    @property
    def parts(self) -> list[RowPart]:
        """The parts of the table, one per page."""
        return row_parts([row.entry.is_published for row in self.rows])

    @property
    def has_room(self) -> bool:
        """Whether scores are few enough to show each interval below its score on a wide page."""
        score_columns = sum(column.macro == "score" for column in self.columns)
        return score_columns <= _MAX_SCORES_WITH_ROOM

    @property
    def key(self) -> str:
        """The meaning of the headline score, and of the marks on its axis."""
        metric = self.board.headline
        sentence = metric.definition.sentence
        title = f"{labels.title_on(self.board)}: {sentence[0].lower()}{sentence[1:]}"
        strips = self._strips()
        if not strips:
            return title
        meanings = ["Dot: score"]
        looks = [strip.look for strip in strips]
        if 0 < looks.count(REPORTED) < len(looks):
            meanings.append("hollow dot: reported, not recomputed")
        if any(strip.low for strip in strips):
            meanings.append(f"band: {metric.interval_words}")
        if ONLY in looks:
            meanings.append("darker: a single rank")
        if baseline_scores(self.board):
            meanings.append("dashed line: baseline")
        return f"{title} {'; '.join(meanings)}."

    @property
    def rank_example(self) -> str:
        """A sentence on the first range of ranks; empty if no row has a range."""
        for entry in self.board.ranked_entries:
            first, last = self.board.inference.ranks.get(entry.id, (0, 0))
            if first < last:
                meaning = labels.rank_meaning(self.board, entry)
                return f"Rank {labels.rank_text(self.board, entry)}: {meaning}."
        return ""

    def _strips(self) -> list[ScoreStrip]:
        """Return the scores that are drawn on the axis."""
        strips: list[ScoreStrip] = []
        for row in self.rows:
            score_cells = [cell for cell in row.cells if isinstance(cell, ScoreCell)]
            strips += [cell.drawn for cell in score_cells if cell.drawn]
        return strips


def standings_of(board: Board) -> Standings:
    """Return the table of a board."""
    title = f"{board.title}: {counted(len(board.entries), 'agent')}"
    caption = f"{title}, ranked by {labels.title_on(board)}"
    note = shared_claims(board)
    columns = list(columns_of(board))
    setup = labels.shared_setup(board)
    rows = []
    for entry in _entries_in_order(board):
        row = StandingsRow(
            board=board,
            entry=entry,
            address=addresses.of(board).entry(entry.id),
            about=labels.about(entry.agent, setup),
            cells=[column.cell(entry) for column in columns],
            has_errors=bool(errors_of(problems_in(board, entry))),
            flags=row_flags(board, entry),
            incomparable_claims="" if note else incomparable_claims(entry),
            carried=carried_note(entry),
            version_note=version_note(board),
            revised=revision_mark(board, entry),
            unscored=_unscored_note(board, entry),
        )
        rows.append(row)
    return Standings(board, caption, columns, rows, note)


def _unscored_note(board: Board, entry: Entry) -> str:
    """Return a note on a row's results without a verdict; empty if their share is small."""
    aborted = 0
    recorded = 0
    for task_results in entry.task_results:
        for attempt in task_results.results:
            for result in attempt:
                if result is not None:
                    recorded += 1
                    aborted += result.state == "aborted"
    if not aborted or aborted < _NOTABLE_ABORTED_SHARE * recorded:
        return ""
    results = part_of(aborted, recorded, labels.verdict_word(board))
    return f"no verdict in {results}; they count as failed"


def _entries_in_order(board: Board) -> list[Entry]:
    """Return the rows of a board, with retired ones at the position of their score."""
    entries = list(board.entries)
    order = partial(score_sort_key, headline=board.headline)
    for entry in board.retired:
        entries.insert(bisect_right(entries, order(entry), key=order), entry)
    return entries


def columns_of(board: Board) -> Iterator[StandingsColumn]:
    """Yield the columns of a board, from left to right."""
    yield _rank_column(board)
    yield StandingsColumn(
        ColumnHead("agent", "Agent", classes="sg-agent", first_sort="ascending"),
        _agent_cell,
        "agent",
    )
    errata = _errata_addresses(board)
    yield _headline_column(board, errata)
    for metric in board.columns:
        if metric is not board.headline:
            yield score_column(board, metric, errata)
    if any(score.disputed or score.claims_over_other_tasks for score in _headline_scores(board)):
        yield _claims_column(board)
    yield from _varying_columns(board)
    for split in board.splits:
        yield from _split_columns(split, board)


def _varying_columns(board: Board) -> Iterator[StandingsColumn]:
    """Yield coverage, evidence and date, except for columns that the track hides or rows share."""
    entries = board.entries
    hidden = board.track.hide
    if "coverage" not in hidden and len({str(entry.coverage) for entry in entries}) > 1:
        rounds_noun = labels.rounds_word(board.benchmark, 2)
        meaning = f"{rounds_noun.capitalize()} with a record, out of all {rounds_noun} of the track"
        head = ColumnHead("coverage", "Coverage", help=meaning, classes="sg-coverage")
        yield StandingsColumn(head, _coverage_cell, "text", "sg-coverage")
    if "evidence" not in hidden and len({entry.evidence for entry in entries}) > 1:
        head = ColumnHead("evidence", "Evidence", help="How far the numbers can be traced")
        yield StandingsColumn(head, _evidence_cell, "evidence")
    if "date" not in hidden and len({entry.date for entry in entries}) > 1:
        head = ColumnHead("date", "Date", help="When the results were produced or published")
        yield StandingsColumn(head, _date_cell, "text", "sg-text sg-date")


def _rank_column(board: Board) -> StandingsColumn:
    def cell(entry: Entry) -> TextCell:
        return TextCell(labels.rank_text(board, entry), board.ranks.get(entry.id, ""))

    head = ColumnHead("rank", "Rank", help=_RANK_HELP, classes="sg-rank", first_sort="ascending")
    return StandingsColumn(head, cell, "rank")


def _agent_cell(entry: Entry) -> TextCell:
    return TextCell(entry.agent.name, entry.agent.name)


def _evidence_cell(entry: Entry) -> TextCell:
    return TextCell(entry.evidence, _EVIDENCE_ORDER.index(entry.evidence))


def _date_cell(entry: Entry) -> TextCell:
    return TextCell(str(entry.date), entry.date)


def _coverage_cell(entry: Entry) -> TextCell:
    coverage = entry.coverage
    if coverage is None:
        return TextCell(GAP, "")
    share = 0.0
    if coverage.expected_rounds:
        share = coverage.rounds / coverage.expected_rounds
    return TextCell(f"{coverage.rounds} / {coverage.expected_rounds}", share)


def _headline_scores(board: Board) -> list[Score]:
    """Return the headline scores of published rows."""
    scores = (entry.scores.get(board.headline.id) for entry in board.entries)
    return [score for score in scores if score]


def _claims_column(board: Board) -> StandingsColumn:
    """Return the column of the claims about the headline score."""
    claims = [score.claim for score in _headline_scores(board) if score.claim]
    source = only_value(claim.source for claim in claims)
    title = labels.title_on(board)
    meaning = f"{title} as published by {source}" if source else f"{title} as claimed"

    def cell(entry: Entry) -> ClaimsCell:
        score = entry.scores.get(board.headline.id)
        if score is None or score.claim is None:
            return ClaimsCell((), "")
        claims = []
        for claim in _distinct_claims(score.claims):
            claims.append((score.claim_text(claim), claim.source or "the submitter"))
        return ClaimsCell(claims, score.claim.value)

    head = ColumnHead("claimed", "Claimed", help=meaning, classes="sg-number")
    return StandingsColumn(head, cell, "claims", "sg-number sg-claimed")


def _distinct_claims(claims: Sequence[Claim]) -> list[Claim]:
    """Return the first claim of each distinct value."""
    by_value: dict[Decimal, Claim] = {}
    for claim in claims:
        by_value.setdefault(claim.value, claim)
    return list(by_value.values())


def _headline_column(board: Board, errata: Errata) -> StandingsColumn:
    """Return the column of the headline score, drawn with its intervals on one axis."""
    metric = board.headline
    column = score_column(board, metric, errata)
    measured = [entry for entry in board.all_entries if entry.value(metric.id) is not None]
    axis = None
    if measured:
        axis = score_axis(board, measured)

    def cell(entry: Entry) -> TableCell:
        number_cell = column.cell(entry)
        if axis is None or not isinstance(number_cell, ScoreCell) or number_cell.value is None:
            return number_cell
        return number_cell._replace(drawn=strip_on(axis, board, entry, is_alone=False))

    head = replace(
        column.head, sort=column.head.first_sort, classes="sg-number sg-headline", axis=axis
    )
    return replace(column, head=head, cell=cell, look="sg-headline")


def score_column(
    board: Board, metric: Metric, errata: Errata | None = None, *, has_flags: bool = True
) -> StandingsColumn:
    """Return the column of a metric.

    Args:
        board: The board of the table.
        metric: The metric of the column.
        errata: The addresses of errata of reported figures, by row and metric.
        has_flags: Whether to mark scores that findings changed.
    """
    published_title = f"({metric.published_title})" if metric.published_title else ""
    head = ColumnHead(
        key=metric.id,
        title=labels.title_on(board, metric),
        unit=join_texts(labels.unit_of(metric), published_title),
        help=_metric_help(metric),
        classes="sg-number",
        first_sort=_better_first(metric),
    )
    errata = errata or {}

    def cell(entry: Entry) -> ScoreCell:
        score = entry.scores.get(metric.id)
        if score is None or score.value is None:
            return ScoreCell(metric.id, None, GAP, score)
        flag = None
        if has_flags and score.text_without_findings:
            flag = score_flag(board, entry)
        return ScoreCell(
            metric=metric.id,
            value=labels.full_precision(score),
            text=labels.score_text(score),
            score=score,
            interval_text=labels.row_interval_text(board, entry, metric),
            erratum=errata.get((entry.id, metric.id)),
            flag=flag,
        )

    return StandingsColumn(head, cell)


def _metric_help(metric: Metric) -> str:
    """Return the meaning of a metric, and its name in its source."""
    sentence = metric.definition.sentence
    if metric.published_title:
        sentence = f"{sentence} Published as {metric.published_title}."
    return sentence


def _better_first(metric: Metric) -> str:
    """Return the order in which the better scores come first."""
    if metric.direction == "higher":
        return "descending"
    return "ascending"


def _split_columns(split: Split, board: Board) -> Iterator[StandingsColumn]:
    """Yield a column for each group of tasks of a split."""
    for index, group in enumerate(split.groups):
        subject = split.title
        if group.tasks:
            subject = f"{subject}, {counted(group.tasks, 'task')}"
        tasks = f"the tasks whose {split.title.lower()} is {value_title(group.value)}"
        meaning = f"{labels.title_on(board)} on {tasks}"
        if split.left_out:
            meaning = f"{meaning}. {split.left_out}"
        look = "sg-split" if index else "sg-split sg-first"
        head = ColumnHead(
            key=split_key(split.axis, group.value),
            title=value_title(group.value),
            unit=subject,
            help=meaning,
            classes=f"sg-number {look}",
            first_sort=_better_first(board.headline),
            erratum_sign=labels.ERRATUM if split.errata else "",
        )
        cell = partial(_split_cell, split.axis, group, board.headline.id)
        yield StandingsColumn(head, cell, look=look)


def _split_cell(axis: str, group: Group, metric_id: str, entry: Entry) -> ScoreCell:
    score = group.scores.get(entry.id)
    if score is None:
        return ScoreCell(metric_id, None, GAP, None, axis=axis, group=group.value)
    value = labels.full_precision(score)
    return ScoreCell(metric_id, value, score.text, score, axis=axis, group=group.value)


def split_key(axis: str, value: str) -> str:
    """Return the name of a split's column in addresses; it depends only on the axis and value."""
    return f"{axis}.{_NON_WORD_RUN.sub('-', value.lower()).strip('-')}"


def _errata_addresses(board: Board) -> Errata:
    """Return the address of the first erratum that concerns each reported figure."""
    errata: dict[tuple[str, str], str] = {}
    for source in source_notes(board):
        for note in source.errata:
            address = f"{addresses.of(board).board}#{note.anchor}"
            for row in note.erratum.rows:
                for metric in note.erratum.metrics or board.metrics:
                    errata.setdefault((row, metric), address)
    return errata
