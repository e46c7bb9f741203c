"""The board page, and the table that it shares with a benchmark's page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.claims import problems_of
from sitegen.board.entry import Entry
from sitegen.board.score import GAP, Score
from sitegen.errors import counted, errors_of
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import RESAMPLES, Interval
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Crumb, Page, Templates

_EVIDENCE_ORDER = tuple(labels.EVIDENCE)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column. `kind` is "number" or "text"; `first` the way a first click sorts."""

    title: str
    unit: str
    help: str
    kind: str
    sort: str
    first: str


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One score on a board. `bar`, `low` and `high` are shares of a full bar in percent, where it has one."""

    metric: str
    title: str
    value: str | None
    text: str
    score: Score | None
    bar: str | None
    low: str | None
    high: str | None
    sure: str
    is_headline: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a board."""

    entry: Entry
    rank: int | None
    place: str
    address: str
    cells: Sequence[ScoreCell]
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


@dataclass(frozen=True, slots=True)
class SourceNote:
    """What a reader should know about rows that come from a published table."""

    count: str
    title: str
    date: str
    source: str
    note: str | None


def board_page(board: Board, templates: Templates) -> Page:
    """Show a board."""
    benchmark, track = board.benchmark, board.track
    address = addresses.board_address(benchmark.id, track.id)
    title = f"{benchmark.title}: {track.title}"
    values = {
        "title": track.title,
        "crumbs": benchmark_crumbs(board),
        "benchmark": benchmark,
        "track": track,
        "board": board_view(board),
        "facts": facts(board),
        "sureness": _sureness(board),
        "links": _links(board),
        "sources": _sources(board),
        "findings": [each for each in board.results.findings if not each.tracks or track.id in each.tracks],
        "retired": board.retired,
        "errors": errors_of(board.results.problems),
    }
    return Page(address, title, f"{title}. {facts(board)}.", templates.fill("board.html.j2", address, values))


def benchmark_crumbs(board: Board) -> list[Crumb]:
    """Give the way down to a board's benchmark."""
    home = Crumb("Boards", addresses.HOME)
    return [home, Crumb(board.benchmark.title, addresses.benchmark_address(board.benchmark.id))]


def board_crumbs(board: Board) -> list[Crumb]:
    """Give the way down to a board."""
    address = addresses.board_address(board.benchmark.id, board.track.id)
    return [*benchmark_crumbs(board), Crumb(board.track.title, address)]


def board_view(board: Board) -> BoardView:
    """Arrange a board as a table."""
    columns = board.columns
    heads = [
        Head(
            "Rank",
            "",
            "Place by the headline score; rows that the data cannot tell apart share their places",
            "rank",
            "none",
            "ascending",
        )
    ]
    heads.append(Head("Agent", "", "", "agent", "none", "ascending"))
    heads += [_head(metric, board.headline) for metric in columns]
    heads.append(
        Head("Coverage", "", "Rounds with a record, of all rounds of the track", "coverage", "none", "descending")
    )
    heads.append(Head("Evidence", "", "How far the numbers can be followed", "text", "none", "descending"))
    address = addresses.board_address(board.benchmark.id, board.track.id)
    ranked_by = f"ranked by {board.headline.title}"
    caption = f"{board.benchmark.title}, {board.track.title}: {counted(len(board.entries), 'row')}, {ranked_by}"
    rows = [_row(board, entry, columns) for entry in board.entries]
    return BoardView(board.track.id, board.track.title, caption, address, heads, rows)


def facts(board: Board) -> str:
    """Say in a line what a board holds."""
    evidence = Counter(entry.evidence for entry in board.entries)
    parts = [counted(len(board.entries), "agent")]
    if board.tasks.tasks:
        word = labels.rounds_word(board.benchmark)
        parts += [counted(len(board.tasks.tasks), "task"), counted(board.tasks.rounds, word)]
    parts.append(counted(board.track.attempts, "attempt") + " per task")
    parts += [f"{number} {word}" for word, number in evidence.items()]
    if board.entries:
        parts.append(f"latest {max(entry.date for entry in board.entries)}")
    return " · ".join(parts)


def score_text(score: Score, board: Board) -> str:
    """Write a score; a count of tasks says out of how many."""
    if score.metric.unit != "tasks" or score.value is None:
        return score.text
    out_of = score.out_of if score.printed is not None else len(board.tasks.tasks)
    return f"{score.text} / {out_of}" if out_of else score.text


def _head(metric: Metric, headline: Metric) -> Head:
    first = "descending" if metric.direction == "higher" else "ascending"
    unit = labels.unit_of(metric)
    return Head(metric.title, unit, metric.definition, "number", first if metric is headline else "none", first)


def _row(board: Board, entry: Entry, columns: Sequence[Metric]) -> Row:
    coverage = entry.coverage
    return Row(
        entry,
        board.ranks.get(entry.id),
        place_text(board, entry),
        addresses.entry_address(board.benchmark.id, board.track.id, entry.id),
        [_cell(board, entry, metric) for metric in columns],
        f"{coverage.rounds} / {coverage.expected_rounds}" if coverage else GAP,
        coverage.rounds / coverage.expected_rounds if coverage and coverage.expected_rounds else 0.0,
        _EVIDENCE_ORDER.index(entry.evidence),
        bool(errors_of(problems_of(entry))),
    )


def _cell(board: Board, entry: Entry, metric: Metric) -> ScoreCell:
    score = entry.scores.get(metric.id)
    is_headline = metric is board.headline
    if score is None or score.value is None:
        return ScoreCell(metric.id, metric.title, None, GAP, score, None, None, None, "", is_headline)
    interval = board.certainty.interval(entry, metric.id)
    low, high = (_bar(interval.low, metric), _bar(interval.high, metric)) if interval else (None, None)
    text, sure = score_text(score, board), interval_text(interval, metric)
    value, bar = full_precision(score), _bar(score.value, metric)
    return ScoreCell(metric.id, metric.title, value, text, score, bar, low, high, sure, is_headline)


def _bar(value: float, metric: Metric) -> str | None:
    return f"{min(100.0, max(0.0, value)):.2f}%" if metric.unit == "percent" else None


def interval_text(interval: Interval | None, metric: Metric) -> str:
    """Write an interval with the metric's decimals; empty where there is none."""
    return f"{interval.low:.{metric.decimals}f} to {interval.high:.{metric.decimals}f}" if interval else ""


def place_text(board: Board, entry: Entry) -> str:
    """Write a row's place: its group where the data can't tell some rows apart, else its rank."""
    place = board.certainty.place(entry)
    if place is not None:
        return place.replace("-", GAP)
    return str(board.ranks[entry.id]) if entry.id in board.ranks else GAP


def _sureness(board: Board) -> str:
    """Say in a sentence how much of the order the data supports."""
    groups = board.certainty.groups
    if not groups:
        return ""
    many = len(set(groups.values()))
    if many == len(groups):
        return f"The data tells all {many} rows apart: 95 %, tasks drawn again {RESAMPLES:,} times."
    return (
        f"The {counted(len(groups), 'row')} fall into {counted(many, 'group')} that share places: who is better within "
        f"a group, the data cannot tell (95 %, tasks drawn again {RESAMPLES:,} times). "
        "The thin line on a bar is the score's 95 % interval."
    )


def full_precision(score: Score) -> str | None:
    """Write a value with every digit that it has."""
    if score.printed is not None:
        return str(score.printed)
    return None if score.value is None else repr(score.value)


def _links(board: Board) -> list[Crumb]:
    links = []
    if any(entry.bundle for entry in board.all_entries):
        links.append(Crumb("Tasks", addresses.tasks_address(board.benchmark.id, board.track.id)))
    links.append(Crumb("How scores are made", addresses.METHODS))
    links.append(Crumb("Scores as JSON", addresses.SCORES))
    return links


def _sources(board: Board) -> list[SourceNote]:
    notes = []
    for table in board.results.reported_on(board.track):
        rows = [entry for entry in board.entries if entry.table is table]
        if rows:
            noted = counted(len(rows), "row")
            notes.append(SourceNote(noted, table.title, str(table.date), table.source, table.note))
    return notes
