"""What happened from one release to the next: who entered, left, moved, was rescored or taken back, and why."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.board.ledger.causes import Cause, Changed, causes_of
from sitegen.board.marks import Marked
from sitegen.models.finding import Finding
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedRow, LockedScore, Release

What = Literal["entered", "left", "redacted", "withdrawn", "superseded", "restored", "renamed", "rescored", "moved"]
"""What became of a row. One that was rescored may have moved as well; one that was renamed may be told of twice."""

_ORDER: Sequence[What] = (
    "entered",
    "redacted",
    "withdrawn",
    "superseded",
    "left",
    "restored",
    "renamed",
    "rescored",
    "moved",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A score that another one takes the place of; None where there is none."""

    metric: str
    before: LockedScore | None
    after: LockedScore | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a row.

    Attributes:
        what: What became of it.
        row: The row as it is; as it was, where it left.
        before: As it was; None where it is new.
        causes: Why, as far as the books tell.
        turns: Scores that differ.
        earlier: Track and id of the row that it takes the place of, where there is one.
    """

    what: What
    row: LockedRow
    before: LockedRow | None
    causes: Sequence[Cause]
    turns: Sequence[Turn] = ()
    earlier: tuple[str, str] | None = None

    @property
    def has_moved(self) -> bool:
        """Whether its place differs."""
        return self.before is not None and place_of(self.before) != place_of(self.row)


@dataclass(frozen=True, slots=True)
class BoardEvents:
    """What happened on a board.

    Attributes:
        benchmark: The benchmark as it is.
        board: The board as it is.
        before: As it was; None where it is new.
        events: In the order of what happened, then of the board.
    """

    benchmark: LockedBenchmark
    board: LockedBoard
    before: LockedBoard | None
    events: Sequence[Event]

    @property
    def is_new(self) -> bool:
        """Whether the board is."""
        return self.before is None

    @property
    def has_turned(self) -> bool:
        """Whether its track is withdrawn, or current again."""
        return self.before is not None and self.before.status != self.board.status


Findings = Mapping[tuple[str, str], Mapping[str, Marked]]
"""Those about a board by their digests, by benchmark and track."""


def events_between(before: Release | None, after: Release, findings: Findings) -> list[BoardEvents]:
    """Tell what happened from one state of the boards to the next; boards to which nothing did are left out.

    Args:
        before: The earlier release; None where there is none.
        after: The later one.
        findings: Those on record now; none vanishes.
    """
    found = (_step(before, after, each, findings).board(board) for each in after.benchmarks for board in each.boards)
    return [each for each in found if each.is_new or each.has_turned or each.events]


def _step(before: Release | None, after: Release, now: LockedBenchmark, findings: Findings) -> "_Step":
    was = before.benchmark(now.id) if before else None
    programs = (before.program if before else "", after.program)
    return _Step(was or LockedBenchmark(id=now.id, title=now.title), now, programs, findings)


def place_of(row: LockedRow) -> str | None:
    """Give the ranks that a row may have as people read them, else its rank by the value alone."""
    if row.first and row.last:
        return str(row.first) if row.first == row.last else f"{row.first}-{row.last}"
    return f"({row.rank})" if row.rank else None


@dataclass(frozen=True, slots=True)
class _Step:
    """One benchmark from one release to the next, with the versions of the program that computed both."""

    was: LockedBenchmark
    now: LockedBenchmark
    programs: tuple[str, str]
    findings: Findings

    def board(self, board: LockedBoard) -> BoardEvents:
        """Tell what happened on a board."""
        before = self.was.board(board.track)
        was, now = (_rows(each) for each in (before, board))
        gone = [row for row in was.values() if row.id not in now]
        replaced = {name: _predecessor(row, gone) for name, row in now.items() if name not in was}
        found = [
            self._replacing(board, row, old)
            if (old := replaced.get(name))
            else self._event(board, before, row, was.get(name))
            for name, row in now.items()
        ]
        left = [Event("left", row, row, ()) for row in gone if row not in replaced.values()]
        renamed = [event for name, row in now.items() for event in _renamed(was.get(name), row)]
        events = sorted([*filter(None, found), *left, *renamed], key=lambda event: _ORDER.index(event.what))
        return BoardEvents(self.now, board, before, events)

    def _event(
        self, board: LockedBoard, before: LockedBoard | None, row: LockedRow, was: LockedRow | None
    ) -> Event | None:
        return self._kept(board, before, row, was) if before and was else self._entered(board, row)

    def _entered(self, board: LockedBoard, row: LockedRow) -> Event:
        earlier = next(_named(self.now, row), None) or _former(self.now, board, row)
        return Event("entered", row, None, (_news(row),), list(_turns(None, row)), earlier)

    def _replacing(self, board: LockedBoard, row: LockedRow, old: LockedRow) -> Event:
        """Tell of a row that stands for a reported one of the same agent."""
        turns = list(_turns(old, row))
        return Event("rescored", row, old, (_news(row),), turns, (board.track, old.id))

    def _kept(self, board: LockedBoard, before: LockedBoard, row: LockedRow, was: LockedRow) -> Event | None:
        """Tell what became of a row that both releases have; None where nothing did."""
        turns = list(_turns(was, row))
        redacted = [each for each in self._new_findings(board, row) if each.finding.redacts(row.id)]
        if redacted:
            return Event(
                "redacted", row, was, [Cause("redaction", _redaction(each.finding), each) for each in redacted], turns
            )
        if was.state != row.state:
            what: What = "restored" if row.state == "published" else row.state
            return Event(what, row, was, (Cause("status", row.reason or ""),), turns)
        if turns:
            return Event("rescored", row, was, self._causes(board, before, row, was), turns)
        return Event("moved", row, was, (Cause("others"),)) if place_of(was) != place_of(row) else None

    def _causes(self, board: LockedBoard, before: LockedBoard, row: LockedRow, was: LockedRow) -> tuple[Cause, ...]:
        """Say why scores of a row differ."""
        if row.evidence == "reported" and row.date != was.date:
            return (Cause("table"),)
        return causes_of(self._changed(board, before, row), [turn.metric for turn in _turns(was, row)])

    def _changed(self, board: LockedBoard, before: LockedBoard, row: LockedRow) -> Changed:
        """Gather what can have changed a row's scores."""
        return Changed(
            data=_results(self.was, row) != _results(self.now, row),
            tasks=_tasks(self.was, before) != _tasks(self.now, board),
            findings=[
                each
                for each in self._new_findings(board, row)
                if each.finding.changes_results and row.evidence != "reported"
            ],
            versions={name: (before.versions.get(name, 1), number) for name, number in board.versions.items()},
            programs=self.programs,
        )

    def _new_findings(self, board: LockedBoard, row: LockedRow) -> Iterator[Marked]:
        """Give the findings about a row that came."""
        here = self.findings.get((self.now.id, board.track), {})
        new = {each.digest for each in self.now.findings} - {each.digest for each in self.was.findings}
        return (each for digest, each in here.items() if digest in new and each.concerns_row(row.id))


def _redaction(finding: Finding) -> str:
    """Say of what a redaction is, and who decided it, when and why."""
    what = f"texts of {', '.join(finding.tasks)}" if finding.tasks else "content"
    return f"{what} removed by {finding.by} on {finding.date}: {finding.reason}"


def _news(row: LockedRow) -> Cause:
    return Cause("table" if row.evidence == "reported" else "submission")


def _predecessor(row: LockedRow, gone: Sequence[LockedRow]) -> LockedRow | None:
    """Give the row of the same agent that is gone from a board where a row is new; None where it is not one alone."""
    found = [each for each in gone if _is_same_agent(each, row)]
    return found[0] if len(found) == 1 else None


def _renamed(was: LockedRow | None, row: LockedRow) -> Iterator[Event]:
    """Tell of a row that the earlier release has under another name than the later one."""
    if was and was.formerly and was.formerly != row.formerly:
        yield Event("renamed", row, was, (Cause("name", was.formerly),))


def _rows(board: LockedBoard | None) -> Mapping[str, LockedRow]:
    return {row.id: row for row in board.rows} if board else {}


def _named(benchmark: LockedBenchmark, row: LockedRow) -> Iterator[tuple[str, str]]:
    """Give the superseded rows that name a row, each with its track."""
    for board in benchmark.boards:
        for each in board.rows:
            if each.state == "superseded" and each.by == row.id:
                yield board.track, each.id


def _former(benchmark: LockedBenchmark, board: LockedBoard, row: LockedRow) -> tuple[str, str] | None:
    """Give the row of the same agent on a track that a board's supersedes; None where it is not one alone."""
    tracks = [each for each in benchmark.boards if each.superseded_by == board.track]
    found = [(each.track, other.id) for each in tracks for other in each.rows if _is_same_agent(other, row)]
    return found[0] if len(found) == 1 else None


def _is_same_agent(one: LockedRow, other: LockedRow) -> bool:
    """Whether two rows are of the same agent, as far as both tell."""
    told = ((one.scaffold, other.scaffold), (one.reasoning, other.reasoning))
    return one.name == other.name and all(not was or not now or was == now for was, now in told)


def _turns(before: LockedRow | None, after: LockedRow) -> Iterator[Turn]:
    was = before.scores if before else {}
    for metric in dict.fromkeys((*after.scores, *was)):
        old, new = was.get(metric), after.scores.get(metric)
        if (old and old.value) != (new and new.value):
            yield Turn(metric, old, new)


def _results(benchmark: LockedBenchmark, row: LockedRow) -> tuple[str, str] | None:
    bundle = benchmark.bundles.get(row.id)
    return (bundle.manifest, bundle.rounds) if bundle else None


def _tasks(benchmark: LockedBenchmark, board: LockedBoard) -> str | None:
    return benchmark.task_sets.get(board.tasks or "")
