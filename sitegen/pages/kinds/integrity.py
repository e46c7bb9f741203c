"""The integrity record: the faults of a benchmark's withdrawn tracks, and what replaced them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from sitegen.board import GAP, Board, Entry
from sitegen.board.agents import closest_of_agent
from sitegen.board.answers.answer import answered
from sitegen.board.history.successor_rounds import RoundTransitions, add_transitions, successor_runs
from sitegen.board.wording import number_text
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.environment import Templates, TemplateValues
from sitegen.pages.findings import finding_views
from sitegen.pages.records import BenchmarkBoards
from sitegen.pages.selection import boards_of_status
from sitegen.pages.site import View, page_kind
from sitegen.problems import counted


class ReplacedRow(NamedTuple):
    """A withdrawn row and its score, and the current row of the same agent and its score."""

    row: Link
    score: str
    current: Link | None
    current_score: str
    difference: str = ""
    """The current score minus the withdrawn score; empty if the two cannot be compared."""
    change: str = ""
    """How the score changed: "gained", "lost" or empty."""


class RerunTask(NamedTuple):
    """A task with its verdicts before and after."""

    name: str
    turnovers: Sequence[RoundTransitions | None]
    """Changed verdicts of each agent that was run again; None for an agent without changes."""
    total: RoundTransitions
    """Changed verdicts of all agents."""


@dataclass(frozen=True, slots=True)
class WithdrawnTrack:
    """The record of a withdrawn track."""

    board: Board
    after: Board | None
    """The board that replaced the track; None if there is none."""
    replaced: Sequence[ReplacedRow]
    agents: Sequence[str]
    """The agents that were run again."""
    tasks: Sequence[RerunTask]

    @property
    def changed_tasks(self) -> list[RerunTask]:
        """The tasks on which any verdict changed, sorted by the number of changes, most first."""
        changed = [task for task in self.tasks if task.total.changed]
        return sorted(changed, key=lambda task: -task.total.changed)

    @property
    def unchanged_tasks(self) -> list[RerunTask]:
        """The tasks on which no verdict changed."""
        return [task for task in self.tasks if not task.total.changed]


@page_kind(BenchmarkBoards, "integrity.html.j2")
def integrity_page(about: BenchmarkBoards, _: Templates) -> Iterator[View]:
    """Show the integrity record of a benchmark, if any of its tracks is withdrawn."""
    withdrawn = boards_of_status(about.boards, "withdrawn")
    if not withdrawn:
        return
    benchmark = withdrawn[0].benchmark
    board_by_track = {board.track.id: board for board in about.boards}
    records = []
    findings: dict[object, TemplateValues] = {}
    for board in withdrawn:
        records.append(_track_record(board, board_by_track.get(board.track.superseded_by or "")))
        findings |= {view["id"]: view for view in finding_views(board)}
    address = addresses.benchmark_address(benchmark.id)
    benchmark_link = Link(benchmark.title, address)
    values = {
        "title": "Integrity record",
        "crumbs": [*about.crumbs, benchmark_link],
        "findings": list(findings.values()),
        "headline": labels.title_on(withdrawn[0]),
        "records": records,
    }
    title = f"{benchmark.title}: integrity record"
    answer = answered(_changed_verdicts(withdrawn))
    yield View(addresses.integrity_address(benchmark.id), title, answer, values)


def _changed_verdicts(withdrawn: list[Board]) -> str:
    """Return a text on how many verdicts of withdrawn tracks changed in reruns; may be empty."""
    turnovers = []
    task_ids: set[str] = set()
    for board in withdrawn:
        for rerun in successor_runs(board):
            turnovers.append(rerun.over_all_tasks)
            task_ids |= rerun.tasks.keys()
    turnover = add_transitions(turnovers)
    if not turnover.rounds:
        return ""
    rounds = counted(turnover.rounds, labels.rounds_word(withdrawn[0].benchmark))
    tasks = counted(len(task_ids), "task")
    return f"{turnover.changed:,} of {rounds} in {tasks} changed verdict when rerun"


def _track_record(board: Board, successor: Board | None) -> WithdrawnTrack:
    """Return the record of a withdrawn track."""
    track_reruns = successor_runs(board)
    agents = [board.names[rerun.entry.id] for rerun in track_reruns]
    tasks = []
    for task in board.tasks.tasks:
        turnovers = [rerun.tasks.get(task.id) for rerun in track_reruns]
        if any(turnovers):
            task_total = add_transitions(list(filter(None, turnovers)))
            tasks.append(RerunTask(task.name, turnovers, task_total))
    replaced = list(_replaced_rows(board, successor)) if successor else []
    return WithdrawnTrack(board, successor, replaced, agents, tasks)


def _replaced_rows(board: Board, successor: Board) -> Iterator[ReplacedRow]:
    """Yield each withdrawn row with its score, and the row of the same agent that replaced it."""
    for entry in board.entries:
        score = entry.text(board.headline.id)
        current = closest_of_agent(
            entry.agent, successor.entries, attrgetter("agent"), board.benchmark.agent_name
        )
        if current:
            current_score = current.text(successor.headline.id)
            current_link = entry_link(successor, current)
            difference, change = _difference(board, entry, successor, current)
            yield ReplacedRow(
                entry_link(board, entry), score, current_link, current_score, difference, change
            )
        else:
            yield ReplacedRow(entry_link(board, entry), score, None, GAP)


def _difference(board: Board, entry: Entry, successor: Board, current: Entry) -> tuple[str, str]:
    """Return the current score minus the withdrawn score, and "gained", "lost" or an empty text."""
    metric = board.headline
    before = entry.value(metric.id)
    after = current.value(successor.headline.id)
    if before is None or after is None or metric.id != successor.headline.id:
        return "", ""
    difference = after - before
    text = number_text(difference, metric.decimals, "+")
    rounded = round(difference, metric.decimals)
    is_better = rounded > 0 if metric.direction == "higher" else rounded < 0
    change = "gained" if is_better else "lost"
    return text, change if rounded else ""
