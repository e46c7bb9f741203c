"""The page of one run: every round of a submission's work on a task, and every case known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen.board.entry import Entry
from sitegen.errors import counted
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.task import Task, TaskRound
from sitegen.pages import addresses
from sitegen.pages.board import board_crumbs
from sitegen.pages.cases import CaseView, Group, round_cases
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.heat import Cell, round_look
from sitegen.pages.records import FailuresByRound, Records

_MINUTE = 60


@dataclass(frozen=True, slots=True)
class RoundView:
    """One round on a run page. What has a default is known from the round's record only."""

    number: int
    title: str
    anchor: str
    address: str
    cell: Cell
    reference: str
    reward: str | None = None
    figures: str = ""
    note: str = ""
    groups: Sequence[Group] = ()
    passed: Sequence[CaseView] = ()


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt on a run page."""

    number: int
    rounds: Sequence[RoundView]


@dataclass(frozen=True, slots=True)
class _Run:
    """What the views of one run share."""

    records: Records
    entry: Entry
    task: Task

    @property
    def address(self) -> str:
        board = self.records.board
        return addresses.run_address(board.benchmark.id, board.track.id, self.entry.id, self.task.id)


def run_page(records: Records, entry: Entry, task: Task, failures: FailuresByRound, templates: Templates) -> Page:
    """Show one submission's work on one task."""
    board, run = records.board, _Run(records, entry, task)
    attempts = [
        AttemptView(attempt, list(_rounds(run, attempt, rounds, failures)))
        for attempt, rounds in records.attempts(entry, task.id) or [(1, {})]
    ]
    own = Crumb(entry.agent.name, addresses.entry_address(board.benchmark.id, board.track.id, entry.id))
    about = Crumb(task.name, addresses.task_address(board.benchmark.id, board.track.id, task.id))
    values = {
        "title": f"{entry.agent.name} on {task.name}",
        "crumbs": [*board_crumbs(board), own],
        "benchmark": board.benchmark,
        "track": board.track,
        "entry": entry,
        "lead": _lead(records, entry, task),
        "links": [Crumb(f"All submissions on {about.title}", about.address)],
        "attempts": attempts,
    }
    title = f"{entry.agent.name} on {task.name}"
    description = f"{title}, round by round: {board.benchmark.title}, {board.track.title}."
    return Page(run.address, title, description, templates.fill("run.html.j2", run.address, values))


def _lead(records: Records, entry: Entry, task: Task) -> str:
    runs = records.runs(entry, task.id)
    passed = [f"{sum(result.solved for result in run)} of {counted(len(run), 'round')} passed" for run in runs]
    return "; ".join(passed) if passed else "There is no record of this run."


def _rounds(
    run: _Run,
    attempt: int,
    rounds: Mapping[int, RoundResult],
    failures: FailuresByRound,
) -> Iterator[RoundView]:
    board = run.records.board
    for each in run.task.rounds:
        result = rounds.get(each.n)
        anchor = addresses.round_anchor(each.n, attempt)
        look = round_look([result] if result else [], run.records.usual.get((run.task.id, each.n)))
        cell = look.cell(run.entry.id, run.task.id, each.n, f"{run.address}#{anchor}")
        address = addresses.round_address(board.benchmark.id, board.track.id, run.task.id, each.n)
        view = RoundView(each.n, each.title, anchor, address, cell, _reference(run, each) if attempt == 1 else "")
        if result:
            listed = failures.get((attempt, each.n), ())
            cases = round_cases(result, each, listed)
            view = replace(
                view,
                reward=f"{result.reward:g}",
                figures=_figures(result),
                note=_note(result, listed),
                groups=cases.groups,
                passed=cases.passed,
            )
        yield view


def _figures(result: RoundResult) -> str:
    """Say what the round took."""
    figures = (
        ("{:,.4g} tool calls", result.interactions),
        ("{:,.4g} turns", result.turns),
        ("{:,.0f} output tokens", result.output_tokens),
        ("${:,.2f}", result.cost_usd),
        ("{:,.1f} min", result.agent_seconds and result.agent_seconds / _MINUTE),
    )
    return " · ".join(text.format(figure) for text, figure in figures if figure is not None)


def _reference(run: _Run, each: TaskRound) -> str:
    results = run.records.of_round(run.entry, run.task.id, each.n, "reference")
    return round_look(results).words if results else ""


def _note(result: RoundResult, listed: Sequence[Failure]) -> str:
    """Say how much of the failed cases can be seen."""
    failed = result.failed
    if result.state != "scored" or not failed or result.outcomes is not None or len(listed) >= failed:
        return ""
    if not listed:
        return f"{counted(failed, 'case')} failed; the source lists none of them."
    return f"{len(listed)} of {counted(failed, 'failed case')} shown: the source lists no more."
