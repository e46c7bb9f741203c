"""The findings of a board: what was found, what it concerns, and which conclusions it changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.changes import Conclusions, Turn, conclusions_of
from sitegen.board.differences import Value
from sitegen.board.entry import Entry
from sitegen.board.findings import Marked
from sitegen.board.score import GAP
from sitegen.models.finding import Finding
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Crumb
from sitegen.pages.flags import KINDS, effect_of
from sitegen.problems import counted

UNKNOWN = "What it changes is not known: the submissions hold no results of what it takes out."


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A row whose conclusions a finding changed: its score, rank and possible ranks without it and with it."""

    agent: str
    address: str
    scores: tuple[str, str]
    ranks: tuple[str, str]
    possible: tuple[str, str]


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding as the page of a board tells it.

    Attributes:
        id: Its name in addresses.
        anchor: Where it stands on the page.
        finding: The finding.
        kind, effect: In words.
        submissions: Rows that it names, with their pages; empty where it is about all.
        tasks: Tasks or rounds that it names, with their pages.
        facts: What else it says: its cases, the rule that it waives, the last day that it holds.
        changed: Which conclusions it changed, in sentences.
        turns: The rows that it changed.
    """

    id: str
    anchor: str
    finding: Finding
    kind: str
    effect: str
    submissions: Sequence[Crumb]
    tasks: Sequence[Crumb]
    facts: Sequence[str]
    changed: Sequence[str]
    turns: Sequence[TurnRow]


def finding_views(board: Board) -> list[FindingView]:
    """Tell every finding about a board, the latest first."""
    found = sorted(board.marks.all, key=lambda each: each.finding.date, reverse=True)
    return [_view(board, each) for each in found]


def _view(board: Board, marked: Marked) -> FindingView:
    name, finding = marked
    conclusions = conclusions_of(board, finding) if finding.changes_results else None
    return FindingView(
        name,
        addresses.finding_anchor(name),
        finding,
        KINDS[finding.kind],
        effect_of(finding),
        list(_submissions(board, finding)),
        list(_work(board, finding)),
        list(_facts(finding)),
        list(_changed(board, finding, conclusions)),
        [_turn_row(board, turn) for turn in conclusions.turns] if conclusions else [],
    )


def _submissions(board: Board, finding: Finding) -> Iterator[Crumb]:
    entries = {entry.id: entry for entry in board.all_entries}
    for name in dict.fromkeys((*finding.submissions, *((finding.rerun,) if finding.rerun else ()))):
        if name in entries:
            title = entries[name].agent.name + (" (run again)" if name == finding.rerun else "")
            yield Crumb(title, addresses.entry_address(board.benchmark.id, board.track.id, name))


def _work(board: Board, finding: Finding) -> Iterator[Crumb]:
    """Lead to the tasks that a finding names, or to their rounds where it names these; of all tasks none is named."""
    benchmark, track = board.benchmark.id, board.track.id
    named = [task for task in board.tasks.tasks if task.id in finding.tasks]
    for task in named if board.submissions else ():
        if not finding.rounds:
            yield Crumb(task.name, addresses.task_address(benchmark, track, task.id))
        for each in task.rounds:
            if each.n in finding.rounds:
                title = f"{task.name}, {labels.rounds_word(board.benchmark)} {each.n}"
                yield Crumb(title, addresses.round_address(benchmark, track, task.id, each.n))


def _facts(finding: Finding) -> Iterator[str]:
    if finding.rounds and not finding.tasks:
        yield f"rounds {', '.join(map(str, finding.rounds))} of every task"
    if finding.cases:
        yield f"cases: {', '.join(finding.cases)}"
    if finding.code:
        yield f"rule: {finding.code}"
    if finding.until:
        yield f"until {finding.until}"


def _changed(board: Board, finding: Finding, found: Conclusions | None) -> Iterator[str]:
    """Say what a finding changed."""
    if not finding.changes_results:
        return
    if found is None or not found.turns:
        unknown = _is_without_records(board, finding)
        yield UNKNOWN if unknown else "No score and no rank on this board changes by it."
        return
    title = labels.title_of(board.headline, board.track, board.benchmark)
    rows = f"{found.scored} of {counted(found.rows, 'ranked row')}"
    yield f"{title} of {rows} changes by it; " + (
        f"{counted(len(found.moved), 'row')} changed rank by score." if found.moved else "no row changed rank by score."
    )
    if found.reconsidered:
        yield f"Of {counted(len(found.reconsidered), 'other row')} the ranks changed that the data leaves possible."
    yield _highest(found)


def _is_without_records(board: Board, finding: Finding) -> bool:
    """Whether submissions hold nothing of what a finding takes out, so that nobody can tell what it changes."""
    sent = ((entry.id, entry.sent) for entry in board.submissions if entry.sent)
    return any(
        each.state == "excluded" and finding.concerns(board.track.id, name, each.task, each.round)
        for name, bundle in sent
        for each in bundle.rounds
    )


def _highest(found: Conclusions) -> str:
    """Say who has the best score, which is not to say that the data tells who is best."""
    before, now = (" and ".join(names) or "nobody" for names in found.highest)
    verb = "has" if len(found.highest[1]) < 2 else "have"  # noqa: PLR2004 - more than one
    if found.has_other_highest:
        return f"{now} {verb} the best score; without the finding, {before}."
    return f"{now} still {verb} the best score."


def _turn_row(board: Board, turn: Turn) -> TurnRow:
    entries: Mapping[str, Entry] = {entry.id: entry for entry in board.all_entries}
    entry = entries[turn.id]
    decimals = board.headline.decimals
    score = (turn.score.before, turn.score.after) if turn.score else (None, entry.value(board.headline.id))
    rank = (turn.rank.before, turn.rank.after) if turn.rank else (None, board.ranks.get(turn.id))
    return TurnRow(
        entry.agent.name,
        addresses.entry_address(board.benchmark.id, board.track.id, turn.id),
        (_number(score[0], decimals) if turn.score else "", _number(score[1], decimals)),
        (_number(rank[0], 0) if turn.rank else "", _number(rank[1], 0)),
        (_text(turn.possible.before), _text(turn.possible.after)) if turn.possible else ("", ""),
    )


def _number(value: Value, decimals: int) -> str:
    return f"{value:.{decimals}f}" if isinstance(value, int | float) else GAP


def _text(value: Value) -> str:
    return GAP if value is None else str(value).replace("-", GAP)
