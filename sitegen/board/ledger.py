"""What happened from one release to the next, and since the last one, and why.

Who entered, left, moved, was rescored or taken back is told from what releases lock, and nothing else: so what was told
of a release stays, whatever the boards are now.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from sitegen.board.board import Board
from sitegen.board.causes import BoardStep, Cause, RowPairs
from sitegen.board.differences import CellChange, cell_changes, differing
from sitegen.board.entry import Entry
from sitegen.board.findings import Marked
from sitegen.board.releases import release_of
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.models.digests import finding_digest
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedRow, LockedScore, Release
from sitegen.models.results import Bundle

What = Literal[
    "entered",
    "redacted",
    "withdrawn",
    "superseded",
    "left",
    "restored",
    "renamed",
    "rescored",
    "moved",
]
"""What became of a row, in the order that it is told in.

One that was rescored may have moved as well; one that was renamed may be told of twice.
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """A score that another one takes the place of; None where there is none."""

    metric: str
    before: LockedScore | None
    after: LockedScore | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a row."""

    what: What
    row: LockedRow
    """The row as it is; as it was, where it left."""
    before: LockedRow | None
    """As it was; None where it is new."""
    causes: Sequence[Cause]
    """Why, as far as is known."""
    turns: Sequence[Turn] = ()
    earlier: tuple[str, str] | None = None
    """Track and id of the row that it takes the place of, where there is one."""
    corrects: LockedRow | None = None
    """As it was, the row of the same board whose place it takes, where it entered."""

    @property
    def former(self) -> LockedRow | None:
        """What it is held against: the row as it was, or the other that it corrects."""
        return self.corrects or self.before

    @property
    def changed(self) -> Sequence[Turn]:
        """Its scores that differ from those; all of one that is new."""
        return turns_between(self.corrects, self.row) if self.corrects else self.turns


@dataclass(frozen=True, slots=True)
class BoardEvents:
    """What happened on a board."""

    benchmark: LockedBenchmark
    board: LockedBoard
    before: LockedBoard | None
    """The board as it was; None where it is new."""
    events: Sequence[Event]
    """In the order of what happened, then of the board."""
    kept: RowPairs = ()
    """What both states have, each row as it was and as it is: by its id, else by what it takes the place of."""
    metrics: Mapping[str, Metric] = field(default_factory=lambda: METRICS)

    def metric_title(self, metric: str) -> str:
        """What the board calls a metric; its id where nobody knows it any more."""
        found = self.metrics.get(metric)
        return found.named(self.board.attempts, self.board.rounds_word) if found else metric

    @property
    def is_new(self) -> bool:
        """Whether the board is."""
        return self.before is None

    @property
    def has_turned(self) -> bool:
        """Whether its track is withdrawn, or current again."""
        return self.before is not None and self.before.status != self.board.status

    @property
    def former_headline(self) -> str | None:
        """The metric that ranked before, where that was another one."""
        if self.before is None or self.before.headline == self.board.headline:
            return None
        return self.before.headline


@dataclass(frozen=True, slots=True)
class ReleaseEvents:
    """What a release brought."""

    release: Release
    """The boards as they are, for what has come since the last one."""
    before: Release | None
    """The one before; None for the first."""
    boards: Sequence[BoardEvents]


class Row(NamedTuple):
    """A row of a board as it is."""

    board: Board
    entry: Entry


@dataclass(frozen=True, slots=True)
class Ledger:
    """What happened in a results folder, release by release."""

    releases: Sequence[ReleaseEvents]
    """What each brought, the oldest first."""
    since: ReleaseEvents | None
    """What has come since the last one; None where there is no release, or nothing has."""
    benchmarks: Sequence[Sequence[Board]]
    """The boards as they are, by benchmark."""

    def deciding_cells(self, where: BoardEvents, event: Event) -> list[CellChange]:
        """The rounds, of tasks that both have, whose verdict differs between a row and the one it follows."""
        bundles = []
        for track, name in (
            (event.earlier, (where.board.track, event.row.id)) if event.earlier else ()
        ):
            row = self.row(where.benchmark.id, track, name)
            bundles.append(row.entry.bundle if row and row.entry.id == name else None)
        match bundles:
            case [Bundle() as was, Bundle() as now]:
                both = {each.task for each in was.rounds} & {each.task for each in now.rounds}
                return [
                    cell
                    for cell in cell_changes(was, now)
                    if cell.task in both and cell.changes_verdict
                ]
            case _:
                return []

    def row(self, benchmark: str, track: str, name: str) -> Row | None:
        """What stands for a row of a release; None where nothing does."""
        for board in chain.from_iterable(self.benchmarks):
            if (board.benchmark.id, board.track.id) == (benchmark, track):
                entry = board.standing_for(name)
                return Row(board, entry) if entry else None
        return None


def ledger_of(
    releases: Sequence[Release], benchmarks: Sequence[Sequence[Board]], program: str
) -> Ledger:
    """Tell of releases, the oldest first, and of the boards as a version of the program has them now."""
    if not releases:
        return Ledger((), None, benchmarks)
    findings = {
        (board.benchmark.id, board.track.id): {
            finding_digest(each.finding): each for each in board.marks.all
        }
        for board in chain.from_iterable(benchmarks)
    }
    now = release_of(benchmarks, {}, date.max, "", program)
    steps = zip((None, *releases), (*releases, now), strict=True)
    known = {board.benchmark.id: board.metrics for board in chain.from_iterable(benchmarks)}
    *told, since = [
        ReleaseEvents(after, before, events_between(before, after, findings, known))
        for before, after in steps
    ]
    return Ledger(told, since if since.boards else None, benchmarks)


Findings = Mapping[tuple[str, str], Mapping[str, Marked]]
"""Those about a board by their digests, by benchmark and track."""


Known = Mapping[str, Mapping[str, Metric]]
"""Metrics by id, of each benchmark that is there."""


def events_between(
    before: Release | None, after: Release, findings: Findings, known: Known = MappingProxyType({})
) -> list[BoardEvents]:
    """What happened from one state of the boards to the next, by findings on record; only boards that changed."""
    found = []
    for now in after.benchmarks:
        was = before.benchmark(now.id) if before else None
        programs = (before.program if before else "", after.program)
        for board in now.boards:
            then = was.board(board.track) if was else None
            where = BoardEvents(now, board, then, (), metrics=known.get(now.id, METRICS))
            earlier = was or LockedBenchmark(id=now.id, title=now.title)
            kept = _kept_rows(then, board)
            former = then or board.model_copy(update={"rows": ()})
            marked = findings.get((now.id, board.track), {})
            about = BoardStep(earlier, now, former, board, programs, marked, where.metrics, kept)
            step = _Step(now, board, then, about)
            found.append(replace(where, events=step.events(), kept=kept))
    return [
        each
        for each in found
        if each.is_new or each.has_turned or each.former_headline or each.events
    ]


def place_of(row: LockedRow) -> str | None:
    """Write the ranks that a row may have as people read them, else its rank by the value alone."""
    if row.first and row.last:
        return str(row.first) if row.first == row.last else f"{row.first}-{row.last}"
    return f"({row.rank})" if row.rank else None


def _kept_rows(before: LockedBoard | None, board: LockedBoard) -> RowPairs:
    """Pair the rows of both states: by id, then what replaces a row that stood, or the only one of its agent."""
    was, now = _rows(before), _rows(board)
    stood = {
        row.by: was[name] for name, row in now.items() if _is_replaced(row, was.get(name), was)
    }
    pairs = []
    for name, row in now.items():
        found = was.get(name) or stood.get(name)
        if not found:  # the row of the same agent that is gone, where it is one alone
            gone = [
                each for each in was.values() if each.id not in now and _is_same_agent(each, row)
            ]
            found = gone[0] if len(gone) == 1 else None
        pairs += [(found, row)] if found else []
    return pairs


def _is_replaced(row: LockedRow, was: LockedRow | None, before: Mapping[str, LockedRow]) -> bool:
    """Whether a row that stood is superseded now by one that is new on the board."""
    is_superseded = was and was.state == "published" and row.state == "superseded"
    return bool(is_superseded and row.by and row.by not in before)


@dataclass(frozen=True, slots=True)
class _Step:
    """One board, of a benchmark, from one release to the next."""

    now: LockedBenchmark
    board: LockedBoard
    before: LockedBoard | None
    about: BoardStep
    """Why it changed."""

    def events(self) -> list[Event]:
        """Tell what happened on the board, in the order of what it was."""
        kept = self.about.pairs
        earlier, taken = {row.id: was for was, row in kept}, {was.id for was, _ in kept}
        found = [
            Event("left", row, row, ())
            for name, row in _rows(self.before).items()
            if name not in taken
        ]
        for row in self.board.rows:
            was = earlier.get(row.id)
            if was is None:
                found.append(self._entered(row, self._earlier(row)))
            else:
                found += self._kept(row, was) if was.id == row.id else self._renewed(row, was)
        return sorted(found, key=lambda event: get_args(What).index(event.what))

    def _entered(self, row: LockedRow, earlier: tuple[str, str] | None) -> Event:
        track, name = earlier or ("", "")
        corrected = _rows(self.before).get(name) if track == self.board.track else None
        return Event(
            "entered", row, None, (_news(row),), turns_between(None, row), earlier, corrected
        )

    def _renewed(self, row: LockedRow, was: LockedRow) -> Iterator[Event]:
        """Tell of a row that came in the place of another. One with the same values was imported again, no more."""
        turns, earlier = turns_between(was, row), (self.board.track, was.id)
        if was.evidence == "reported" != row.evidence:
            causes = (Cause("recomputed"), *self.about.acting_findings(row))
            yield Event("rescored", row, was, causes, turns, earlier)
        elif turns and was.id in _rows(self.board):
            yield self._entered(row, earlier)
        elif turns:
            yield Event("rescored", row, was, (_news(row),), turns, earlier)
        elif place_of(was) != place_of(row):
            yield Event("moved", row, was, self.about.rank_causes(row), (), earlier)

    def _earlier(self, row: LockedRow) -> tuple[str, str] | None:
        """Find the row that a new one takes the place of, with its track: a superseded one that names it.

        Else the row of the same agent on a track that this one supersedes, where that is one alone.
        """
        rows = [(board, each) for board in self.now.boards for each in board.rows]
        for board, each in rows:
            if each.state == "superseded" and each.by == row.id:
                return board.track, each.id
        former = [
            (board.track, each.id)
            for board, each in rows
            if board.superseded_by == self.board.track and _is_same_agent(each, row)
        ]
        return former[0] if len(former) == 1 else None

    def _kept(self, row: LockedRow, was: LockedRow) -> Iterator[Event]:
        """Tell what became of a row that both releases have."""
        if was.formerly and was.formerly != row.formerly:
            yield Event("renamed", row, was, (Cause("name", was.formerly),))
        turns, successor = turns_between(was, row), _rows(self.board).get(row.by or "")
        is_replaced = _is_replaced(row, was, _rows(self.before))
        is_again = successor and is_replaced and not turns_between(was, successor)
        redactions = []
        for each in self.about.new_findings(row):
            finding = each.finding
            if finding.redacts(row.id):
                what = f"texts of {', '.join(finding.tasks)}" if finding.tasks else "content"
                about = f"{what} removed by {finding.by} on {finding.date}: {finding.reason}"
                redactions.append(Cause("redaction", about, each))
        if redactions:
            yield Event("redacted", row, was, redactions, turns)
        elif was.state != row.state and not is_again:
            what_became: What = "restored" if row.state == "published" else row.state
            yield Event(what_became, row, was, (Cause("status", row.reason or ""),), turns)
        elif turns and not is_again:
            causes = self.about.score_causes(was, row, [turn.metric for turn in turns])
            yield Event("rescored", row, was, causes, turns)
        elif place_of(was) != place_of(row) and not is_again:
            yield Event("moved", row, was, self.about.rank_causes(row))


def _news(row: LockedRow) -> Cause:
    return Cause("table" if row.evidence == "reported" else "submission")


def _rows(board: LockedBoard | None) -> dict[str, LockedRow]:
    return {row.id: row for row in board.rows} if board else {}


def _is_same_agent(one: LockedRow, other: LockedRow) -> bool:
    """Whether two rows are of the same agent, as far as both tell."""
    told = ((one.scaffold, other.scaffold), (one.reasoning, other.reasoning))
    return one.name == other.name and all(not was or not now or was == now for was, now in told)


def turns_between(before: LockedRow | None, after: LockedRow) -> list[Turn]:
    """The scores whose values differ, in the order of the later state."""
    was, now = (row.scores if row else {} for row in (before, after))
    values = ({metric: score.value for metric, score in scores.items()} for scores in (now, was))
    return [Turn(metric, was.get(metric), now.get(metric)) for metric, _, _ in differing(*values)]
