"""Differences between two states of boards: definitions, tasks, findings, rows and records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TypeAlias

from sitegen.board.agents import counterpart_of
from sitegen.board.board import Board, BoardEntry
from sitegen.board.entry import Entry
from sitegen.board.history.differences import (
    CellChange,
    ChangeKind,
    Difference,
    TextChange,
    Value,
    cell_changes,
    change_kind,
    differences,
    differing,
    flattened,
    known_fields,
    only_item,
    side_by_side,
    text_changes,
)
from sitegen.board.history.revisions import latest_change_words
from sitegen.models.finding import Finding, finding_ids
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.models.results import BenchmarkResults
from sitegen.models.submission import Submission
from sitegen.models.task import Task
from sitegen.problems import counted

_Values: TypeAlias = dict[str, Value]

POSSIBLE_RANKS = "possible ranks"
"""Name of a difference in possible ranks."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is new, removed or changed."""

    id: str
    agent: str
    kind: ChangeKind
    earlier: str
    """The id of the earlier row: its own, or that of the row it replaces; may be empty."""
    about: Sequence[Difference]
    """Differences in the manifest: agent, date, status, provenance, claims."""
    scores: Sequence[Difference]
    """Differences in scores, by metric."""
    places: Sequence[Difference]
    """Differences in the rank by score, and in the possible ranks if they are not a single rank."""
    rank: Difference
    """The possible ranks before and after, such as "3-10"; both may be equal.

    If the order is not tested, they are ranks by score; None for a row that is not ranked.
    """
    cells: Sequence[CellChange] = ()
    """Differences in records; empty for a row that is new or removed."""
    texts: Sequence[TextChange] = ()
    revision: str = ""
    """The effect of a new row's latest revision: "3 of 48 rounds run again: 54.2 to 60.4"."""
    missing: str = ""
    """The results that a new row lacks, such as "no results for 2 of 25 tasks"."""

    @property
    def is_moved_only(self) -> bool:
        """Whether only ranks differ, because other rows changed."""
        if self.kind != "changed":
            return False
        return not (self.about or self.scores or self.cells or self.texts)

    @property
    def has_other_rank(self) -> bool:
        """Whether the row existed before, under this id or another, with a different rank."""
        return bool(self.earlier) and self.rank.before != self.rank.after

    @property
    def is_addition(self) -> bool:
        """Whether the row is new and replaces no other row."""
        return self.kind == "new" and not self.earlier


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that is new, removed or changed."""

    id: str
    kind: ChangeKind
    values: Mapping[str, Value]
    """The values of the finding by key; the earlier values if it was removed."""
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardChange:
    """A board that is new, removed or changed."""

    benchmark: str
    track: str
    kind: ChangeKind
    about: Sequence[Difference]
    """Differences in the definitions of benchmark, track and tasks."""
    rows: Sequence[RowChange]
    """The rows that differ; rows whose own data changed come first."""
    findings: Sequence[FindingChange] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return self.kind == "changed" and not (self.about or self.rows or self.findings)


def board_changes(before: Sequence[Board], after: Sequence[Board]) -> list[BoardChange]:
    """Return the differences between boards, in the order and with the names of the later state."""
    renamed = _renamed_benchmarks(after)
    boards_before = {}
    for board in before:
        benchmark = board.benchmark.id
        boards_before[renamed.get(benchmark, benchmark), board.track.id] = board
    boards_after = {}
    for board in after:
        boards_after[board.benchmark.id, board.track.id] = board
    changes = []
    for (benchmark, track), new, old in side_by_side(boards_after, boards_before):
        definition = []
        if old and new:
            definition = definition_differences(old, new)
        change = BoardChange(
            benchmark,
            track,
            change_kind(old, new),
            definition,
            row_changes(old, new),
            finding_changes(old, new),
        )
        if not change.is_empty:
            changes.append(change)
    return changes


def _renamed_benchmarks(boards: Sequence[Board]) -> dict[str, str]:
    """Return the new ids of renamed benchmarks by old id, excluding old ids in use again."""
    current = {board.benchmark.id for board in boards}
    renamed: dict[str, str] = {}
    for board in boards:
        for renaming in board.benchmark.renamed:
            renamed[renaming.old] = renaming.new
    former_ids = {}
    for old, new in renamed.items():
        if old not in current:
            former_ids[old] = new
    return former_ids


def definition_differences(before: Board, after: Board) -> list[Difference]:
    """Compare the benchmark, the track and the tasks of two states of a board.

    A task that is new or removed is one difference. The order of items in both states is compared
    if pages show it or sums depend on it.
    """
    changes = differences(_definition(before), _definition(after))
    for task_id, new, old in differing(after.tasks.by_id(), before.tasks.by_id()):
        if old and new:
            changes += differences(_task_values(old), _task_values(new))
        else:
            changes.append(Difference(f"task {task_id}", _size(old), _size(new)))
    order_before = _order(before)
    for kind, ids in _order(after).items():
        ids_before = order_before[kind]
        shared_before = [shared_id for shared_id in ids_before if shared_id in ids]
        shared_after = [shared_id for shared_id in ids if shared_id in ids_before]
        if shared_before != shared_after:
            before_text = ", ".join(shared_before)
            changes.append(Difference(f"order of {kind}", before_text, ", ".join(shared_after)))
    return changes


def _size(task: Task | None) -> str | None:
    if not task:
        return None
    return counted(len(task.rounds), "round")


def _order(board: Board) -> dict[str, list[str]]:
    """Return the ids of the items whose order in a board's definition matters, by kind of item."""
    track_ids = [track.id for track in board.benchmark.tracks]
    task_ids = [task.id for task in board.tasks.tasks]
    return {
        "tracks": track_ids,
        "axes": list(board.benchmark.axes),
        "tasks": task_ids,
    }


def _definition(board: Board) -> _Values:
    """Return the values that define a board: of benchmark, track, renamings and reported tables."""
    benchmark = board.benchmark
    documents: dict[str, object] = {
        "benchmark": benchmark.model_dump(
            mode="json", exclude={"tracks", "renamed"}, exclude_none=True
        ),
        "track": board.track.model_dump(mode="json", exclude_none=True),
        "renamed": _renamed_rows(board),
    }
    for number, table in enumerate(board.results.reported_on(board.track), start=1):
        documents[f"table {number}"] = _table_values(table)
    return flattened(documents)


def _renamed_rows(board: Board) -> dict[str, str]:
    """Return the new names of the benchmark, the board and its rows, by their old names."""
    homes = {board.benchmark.id, f"{board.benchmark.id}/{board.track.id}"}
    renamed = {renaming.old: renaming.new for renaming in board.benchmark.renamed}
    renamed_rows = {}
    for old, new in renamed.items():
        if "/".join(new.split("/")[:2]) in homes:
            renamed_rows[old] = new
    return renamed_rows


def _table_values(table: ReportedTable) -> dict[str, object]:
    """Return the values of a reported table except for its rows, which are compared as rows."""
    values = table.model_dump(mode="json", exclude_none=True, exclude={"rows"})
    errata = values.pop("errata")
    exhibits = values.pop("exhibits")
    for number, erratum in enumerate(errata, start=1):
        values[f"erratum {number}"] = erratum
    for exhibit in exhibits:
        values[f"exhibit {exhibit.pop('id')}"] = exhibit
    return values


def _task_values(task: Task) -> _Values:
    """Return the values of a task by key, including the values of its rounds and cases.

    Each case includes its position, since outcomes are in the order of cases.
    """
    rounds = {}
    for defined in task.rounds:
        cases = {}
        for position, case in enumerate(defined.cases or (), start=1):
            cases[case.id] = {"place": position, **known_fields(case, "id")}
        round_fields = known_fields(defined, "n", "cases")
        rounds[f"round {defined.n}"] = {**round_fields, "cases": cases}
    return flattened({**known_fields(task, "id", "rounds"), **rounds}, f"task {task.id}")


def finding_changes(before: Board | None, after: Board | None) -> list[FindingChange]:
    """Return the differences in the findings about a board, in the order of the later state."""
    changes = []
    for finding_id, new, old in differing(_findings(after), _findings(before)):
        changed_values: Sequence[Difference] = ()
        if old and new:
            changed_values = differences(old, new)
        changes.append(
            FindingChange(
                finding_id, change_kind(old, new), new or old or {}, tuple(changed_values)
            )
        )
    return changes


def _findings(board: Board | None) -> dict[str, _Values]:
    """Return the values of the findings that are shown with a board, by finding id."""
    if board is None:
        return {}
    results = board.results
    values = {}
    for finding_id, finding in zip(finding_ids(results.findings), results.findings, strict=True):
        if _is_about(finding, board):
            values[finding_id] = flattened(finding.model_dump(mode="json", exclude_none=True))
    return values


def _is_about(finding: Finding, board: Board) -> bool:
    """Return whether a finding is shown with a board.

    A finding is shown if it names a row of the board, or no submission. A finding that only names
    unknown submissions is shown with every board that it applies to.
    """
    if not finding.is_on(board.track.id):
        return False
    if not finding.submissions:
        return True
    rows = {entry.id for entry in board.all_entries}
    if not rows.isdisjoint(finding.submissions):
        return True
    return _rows_under(finding, board.results).isdisjoint(finding.submissions)


def _rows_under(finding: Finding, results: BenchmarkResults) -> set[str]:
    """Return the ids of submissions and table lines on the tracks that a finding applies to."""
    rows = set()
    for bundle in results.bundles:
        if finding.is_on(bundle.submission.track):
            rows.add(bundle.id)
    for table in results.reported:
        if finding.is_on(table.track):
            rows.update(row.id for row in table.rows)
    return rows


def row_changes(before: Board | None, after: Board | None) -> list[RowChange]:
    """Return the differences in a board's rows; rows whose own data changed come first."""
    rows_before = _rows(before)
    rows_after = _rows(after)
    old_ids_by_row = {}
    if after:
        old_ids_by_row = _old_ids(after)
    compared = {*rows_after}
    changes = []
    for row_id, entry in rows_after.items():
        earlier = _earlier_row(row_id, old_ids_by_row.get(row_id, []), rows_before, rows_after)
        compared.add(earlier)
        kind: ChangeKind = "new"
        if row_id in rows_before:
            kind = "changed"
        row_before = None
        if before and earlier:
            row_before = BoardEntry(before, rows_before[earlier])
        row_after = None
        if after:
            row_after = BoardEntry(after, entry)
        change = _row_change(kind, row_before, row_after)
        if change.places or not change.is_moved_only:
            changes.append(change)
    for row_id, entry in rows_before.items():
        if before and row_id not in compared:
            changes.append(_row_change("removed", BoardEntry(before, entry), None))
    return sorted(changes, key=attrgetter("is_moved_only"))


def _rows(board: Board | None) -> dict[str, Entry]:
    if not board:
        return {}
    return {entry.id: entry for entry in board.all_entries}


def _old_ids(board: Board) -> dict[str, list[str]]:
    """Return the former ids of a board's renamed rows, by new id."""
    home = f"{board.benchmark.id}/{board.track.id}/"
    old_ids: dict[str, list[str]] = {}
    for renaming in board.benchmark.renamed:
        if renaming.old.startswith(home) and renaming.new.startswith(home):
            new = renaming.new.removeprefix(home)
            old_ids.setdefault(new, []).append(renaming.old.removeprefix(home))
    return old_ids


def _earlier_row(
    row_id: str, old_ids: Sequence[str], before: Mapping[str, Entry], after: Mapping[str, Entry]
) -> str:
    """Return the id of the earlier row to compare a row with: its own id, or a replaced row's id.

    Empty if there is none.
    """
    for earlier_id in (row_id, *old_ids):
        if earlier_id in before:
            return earlier_id
    superseded = []
    for other in after.keys() & before.keys():
        if after[other].status.by == row_id:
            superseded.append(other)
    if superseded:
        return only_item(superseded) or ""
    gone = [entry for other, entry in before.items() if other not in after]
    new = [entry for other, entry in after.items() if other not in before]
    earlier = counterpart_of(after[row_id], new, gone, attrgetter("agent"))
    if earlier is None:
        return ""
    return earlier.id


def _figures(row: BoardEntry | None) -> tuple[_Values, _Values]:
    """Return the scores of a row by metric, excluding gaps, and its ranks.

    The ranks are its rank by score and its possible ranks; None if not known.
    """
    if row is None:
        return {}, {}
    board, entry = row
    scores: _Values = {}
    for metric_id, score in entry.scores.items():
        if score.value is not None:
            scores[metric_id] = score.value
    return scores, {
        "rank": board.ranks.get(entry.id),
        POSSIBLE_RANKS: board.inference.possible_ranks(entry),
    }


def _manifest_values(entry: Entry) -> _Values:
    """Return the values of a row's manifest, or of its line of a reported table.

    Only the reason of a revision is included; the records that it changed are compared themselves.
    """
    manifest: Submission | ReportedRow | None = entry.submission
    if entry.table_line:
        manifest = entry.table_line.row
    if not manifest:
        return {}
    values = flattened(manifest.model_dump(mode="json", exclude={"revisions"}, exclude_none=True))
    if entry.submission:
        for number, revision in enumerate(entry.submission.revisions, start=1):
            values[f"revisions.{number}.reason"] = revision.reason
    return values


def _row_change(kind: ChangeKind, before: BoardEntry | None, after: BoardEntry | None) -> RowChange:
    """Return the differences between two states of a row, at least one of which must be given."""
    scores_before, ranks_before = _figures(before)
    scores_after, ranks_after = _figures(after)
    scores = differences(scores_before, scores_after)
    ranks = differences(ranks_before, ranks_after)
    shown_ranks = []
    for difference in ranks:
        if not _is_certain_rank(difference):
            shown_ranks.append(difference)
    rank = Difference("rank", _rank(ranks_before), _rank(ranks_after))
    given_rows = [row for row in (before, after) if row]
    _, entry = given_rows[-1]
    change = RowChange(entry.id, entry.agent.name, kind, "", [], scores, shown_ranks, rank)
    if after and kind == "new":
        revision = latest_change_words(*after)
        lack = entry.coverage.lack if entry.coverage else ""
        missing = "; ".join(filter(None, (lack, entry.attempts_words)))
        change = replace(change, revision=revision, missing=missing)
    if before and after:
        return _compared_row(change, before[1], after[1])
    return change


def _compared_row(change: RowChange, before: Entry, after: Entry) -> RowChange:
    """Return a change with the differences in the manifest, the records and the texts."""
    about = differences(_manifest_values(before), _manifest_values(after))
    change = replace(change, earlier=before.id, about=about)
    # Results are compared as they were sent in, since effects of findings show in the scores.
    sent_before = before.sent
    sent_after = after.sent
    if sent_before is None or sent_after is None or sent_before is sent_after:
        return change
    if not sent_after.rounds:  # A redaction removed them, and a report must not repeat them.
        remaining = [difference for difference in about if difference.after is not None]
        return replace(change, about=remaining)
    return replace(
        change,
        cells=cell_changes(sent_before, sent_after),
        texts=text_changes(sent_before, sent_after),
    )


def _is_certain_rank(difference: Difference) -> bool:
    """Return whether possible ranks are single ranks, so that they repeat the rank by score."""
    return difference.name == POSSIBLE_RANKS and "-" not in f"{difference.before}{difference.after}"


def _rank(ranks: _Values) -> Value:
    return ranks.get(POSSIBLE_RANKS) or ranks.get("rank")


@dataclass(frozen=True, slots=True)
class FindingEffect:
    """The differences between a row without and with a finding; None for unchanged values."""

    id: str
    agent: str
    score: Difference | None
    """The headline score without and with the finding."""
    rank: Difference | None
    """The rank by score without and with the finding."""
    possible: Difference | None
    """The possible ranks without and with the finding, if they are not single ranks."""


@dataclass(frozen=True, slots=True)
class FindingEffects:
    """The changes that a finding makes to a board's scores, ranks and best agents."""

    effects: Sequence[FindingEffect]
    """The rows that changed; rows whose rank changed come first."""
    highest: tuple[Sequence[str], Sequence[str]]
    """Agents with the best score without and with the finding; the lead need not be significant."""
    rows: int
    """The number of rows on the board, ranked or not."""

    @property
    def scored(self) -> int:
        """The number of rows whose headline score changed."""
        count = 0
        for effect in self.effects:
            if effect.score is not None:
                count += 1
        return count

    @property
    def moved(self) -> list[FindingEffect]:
        """The rows whose rank by score changed."""
        return [effect for effect in self.effects if effect.rank]

    @property
    def reconsidered(self) -> list[FindingEffect]:
        """The rows whose possible ranks changed but not their rank by score."""
        moved = []
        for effect in self.effects:
            if effect.possible and not effect.rank:
                moved.append(effect)
        return moved


def compare_without(board: Board, finding: Finding) -> FindingEffects | None:
    """Compare a board with its state without a finding; None if no row changes."""
    before = board.without_finding(finding)
    if before is board:
        return None
    effects = []
    for row in row_changes(before, board):
        changes = {}
        for difference in (*row.scores, *row.places):
            changes[difference.name] = difference
        score = changes.get(board.headline.id)
        rank = changes.get("rank")
        possible = changes.get(POSSIBLE_RANKS)
        if score or rank or possible:
            effects.append(FindingEffect(row.id, row.agent, score, rank, possible))
    positions = {entry.id: position for position, entry in enumerate(board.all_entries)}
    effects.sort(key=lambda effect: (effect.rank is None, positions[effect.id]))
    return FindingEffects(effects, (_best(before), _best(board)), len(board.all_entries))


def _best(board: Board) -> list[str]:
    first_names = []
    for entry in board.entries:
        if board.ranks.get(entry.id) == 1:
            first_names.append(entry.agent.name)
    return first_names
