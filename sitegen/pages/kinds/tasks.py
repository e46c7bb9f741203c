"""Heat maps of a track: tasks by submissions, and one task's rounds by submissions with what is hardest about it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sitegen.board.answers.work import finished_by, task_answer, tasks_answer
from sitegen.board.outcomes_file import MOST_CELLS
from sitegen.models.outcome import REACHED
from sitegen.models.task import Task
from sitegen.pages import labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.cases import AttemptCases, CaseKey
from sitegen.pages.diagnostics import section_of
from sitegen.pages.environment import Templates
from sitegen.pages.findings import flags_of
from sitegen.pages.heat import COUNTS, PARTS, SHADES, SHARES, states_in
from sitegen.pages.records import BoardRecords, TaskCases
from sitegen.pages.site import View, page_kind
from sitegen.pages.suites import Row
from sitegen.pages.tallies import task_rows, total_of
from sitegen.pages.timeline import task_timeline
from sitegen.problems import counted

_LISTED = 12
"""So many requirements are shown as the hardest ones; of cases `hardest.html.j2` shows as many."""

_SEVERAL = 2
"""Nobody and everybody are at least so many."""


@page_kind(BoardRecords, "tasks.html.j2")
def tasks_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show how every submission fared on every task, the easiest task first."""
    board, where, tasks = records.board, records.where, records.board.tasks.tasks
    benchmark, track = board.benchmark, board.track
    if not any(entry.bundle for entry in board.all_entries):
        return
    rows = task_rows(records)
    counting = [row for row in rows if row.share is not None]
    axes = {}  # those that can tell tasks apart, by their titles
    for name in dict.fromkeys(name for task in tasks for name in task.labels):
        if len({task.labels[name] for task in tasks if name in task.labels}) > 1:
            axes[name] = benchmark.axes[name].title if name in benchmark.axes else name
    is_binned = len(rows) * len(board.submissions) > MOST_CELLS
    shades = [
        shade for shade in SHADES if any(cell.shade == shade for row in rows for cell in row.cells)
    ]
    several = [counted(track.attempts, "attempt") + " each"] if track.attempts > 1 else []
    values = {
        "title": "Tasks",
        "facts": [
            *labels.extent(board),
            *several,
            f"{counted(len(board.submissions), 'agent')} in board order",
        ],
        "legend_counts": f"{labels.verdicts_word(board)} passed, stronger for a larger share",
        "samples": PARTS if board.tasks.is_of_one_round else COUNTS,
        "states": states_in(cell for row in rows for cell in row.cells),
        "agents": [entry_link(board, entry) for entry in board.submissions],
        "rows": rows,
        "totals": [
            total_of(row.tallies[place] for row in rows) for place in range(len(board.submissions))
        ],
        "counting": counting,
        "axes": {} if is_binned else axes,
        "bins": [(shade, SHADES[shade]) for shade in shades] if is_binned else (),
        "findings": board.marks.on_any_task(),
    }
    title = f"{board.title}: tasks"
    yield View(where.tasks, title, tasks_answer(board), values)


@page_kind(TaskCases, "task.html.j2")
def task_page(cases: TaskCases, _: Templates) -> Iterator[View]:
    """Show how every submission fared in every round of a task, and what is hardest about it."""
    records, task, board = cases.records, cases.task, cases.records.board
    benchmark, where = board.benchmark, records.where
    facts = [counted(len(task.rounds), labels.rounds_word(benchmark)), *task.labels.values()]
    facts += (
        ["private: its texts are withheld, and its cases go by numbers"]
        if task.id in board.private
        else []
    )
    rows: list[dict[str, object]] = []
    for each in task.rounds:
        asked = labels.round_title(each)
        name = f"{each.n}. {asked}" if asked else f"{benchmark.round_word} {each.n}"
        flags = flags_of(board, board.marks.by_round.get((task.id, each.n), ()))
        about = {
            "title": name,
            "address": where.round(task.id, each.n),
            "note": " · ".join(each.labels),
        }
        rows.append({**about, "cells": cases.cells[each.n], "flags": flags})
    values = {
        "title": task.name,
        "lead": " · ".join([task.id, *facts] if task.name != task.id else facts),
        "legend_counts": "percent of the cases that passed",
        "samples": SHARES,
        "caption": f"{benchmark.rounds_word} of {task.name} by submission",
        "corner": benchmark.round_word,
        "outcome": _outcome(records, task),
        "agents": [entry_link(board, entry) for entry in board.submissions],
        "rows": rows,
        "findings": board.marks.by_task.get(task.id, ()),
        "hardest": Hardest(cases),
        "diagnosed": section_of(board, task.name, board.diagnosis.of_task(task)),
        "timeline": task_timeline(records, task),
    }
    title = f"{task.name}: {labels.rounds_word(benchmark, 2)} by submissions"
    yield View(where.task(task.id), title, task_answer(board, task), values)


def _outcome(records: BoardRecords, task: Task) -> Mapping[str, object] | None:
    """Say who finished a task, and at which rounds most attempts fail first; None where nobody has results."""
    board, where = records.board, records.where
    # What the reference did for an agent, the agent neither passed nor failed.
    runs = [
        [run for run in records.runs(entry, task.id) if run and run[0].state != "fast_forwarded"]
        for entry in board.submissions
    ]
    attempts = [run for several in runs for run in several]
    if not attempts:
        return None
    finished = finished_by(board, task)
    failed = [
        min((each.round for each in run if not each.solved), default=None) for run in attempts
    ]
    follows = board.benchmark.ordered and board.track.protocol != "once" and len(task.rounds) > 1
    first = Counter(number for number in failed if number is not None and follows)
    most = max(first.values(), default=0)
    return {
        "finished": [
            Link(board.name_of(each), records.run(each, task))
            for each in board.submissions
            if each.id in finished
        ],
        "submissions": sum(map(bool, runs)),
        "stops": [
            Link(str(n), where.round(task.id, n))
            for n, count in sorted(first.items())
            if count == most
        ],
        "first_failures": most,
        "attempts": len(attempts),
    }


class HardRequirement(NamedTuple):
    """A requirement with how often it failed: in attempts, and in rounds of attempts."""

    title: str
    failed: int
    attempts: int
    rounds_failed: int
    rounds: int

    @property
    def share(self) -> float:
        """Percent of the attempts in which it failed."""
        return 100 * self.failed / self.attempts


class HardRound(NamedTuple):
    """A round that nobody passed, how many reached it, and how far the best got."""

    round: Link
    reached: int
    best: str


class HardCase(NamedTuple):
    """A case that failed wherever it is known how it ended: in so many of the attempts that ran it."""

    case: str
    requirement: str
    intent: str
    rounds: Sequence[Link]
    failed: int
    ran: int


@dataclass(frozen=True)  # no slots: each kind is found out once
class Hardest:
    """The hardest parts of a task: its requirements, the rounds that nobody passed, the cases that everybody failed."""

    task: TaskCases

    @property
    def is_partial(self) -> bool:
        """Whether some submission names only some of its failed cases, so that more may have failed."""
        return any(not told.has_outcomes and not told.names_all_failed for _, told in self._told())

    @cached_property
    def requirements(self) -> list[HardRequirement]:
        """The requirements that failed in the largest share of attempts."""
        found = []
        for title, attempts in self._checks.items():
            failed = sum(any(rounds) for rounds in attempts.values())
            rounds_failed, rounds = (sum(map(count, attempts.values())) for count in (sum, len))
            if failed and len(attempts) >= _SEVERAL:
                found.append(HardRequirement(title, failed, len(attempts), rounds_failed, rounds))
        return sorted(
            found, key=lambda each: (-each.share, -each.rounds_failed / each.rounds, -each.rounds)
        )[:_LISTED]

    @cached_property
    def _checks(self) -> Mapping[str, Mapping[tuple[str, int], list[bool]]]:
        """Of each requirement, whether it failed in each round that checks it, by submission and attempt."""
        checked = {}
        for (
            each
        ) in self.task.task.rounds:  # the requirements that it checks, as far as they are known
            named = (key.requirement for key in self.task.rows[each.n])
            listed = (case.requirement for case in each.cases or ())
            checked[each.n] = sorted(
                {requirement for requirement in (*named, *listed) if requirement}
            )
        checks: dict[str, dict[tuple[str, int], list[bool]]] = defaultdict(
            lambda: defaultdict(list)
        )
        if not any(checked.values()):
            return checks
        for (name, attempt, number), told in self._told():
            for requirement in checked[number]:
                checks[requirement][name, attempt].append(requirement in told.by_requirement)
        return checks

    @cached_property
    def rounds(self) -> list[HardRound]:
        """The rounds that several submissions reached and none passed."""
        records, task = self.task.records, self.task.task
        found = []
        for each in task.rounds:
            results = [
                (entry, result)
                for entry in records.board.submissions
                for result in records.of_round(entry, task.id, each.n)
                if result.state in REACHED
            ]
            if len({entry.id for entry, _ in results}) < _SEVERAL or any(
                result.solved for _, result in results
            ):
                continue
            entry, best = max(
                results, key=lambda found: (found[1].passed or 0) / (found[1].total or 1)
            )
            if best.passed and best.total:
                told = f"{best.passed:,} of {counted(best.total, 'case')}: {records.board.name_of(entry)}"
            else:
                told = "no case passed" if best.total is not None else "cases unknown"
            title = f"{records.board.benchmark.round_word} {each.n}"
            found.append(
                HardRound(Link(title, records.where.round(task.id, each.n)), len(results), told)
            )
        return found

    @cached_property
    def cases(self) -> list[HardCase]:
        """The cases that everybody failed, those first that did in most rounds."""
        found: dict[CaseKey, list[tuple[int, Row]]] = defaultdict(list)
        for number, rows in self.task.rows.items():
            ran = sum(where[2] == number for where, _ in self._told())
            for row in rows.values():
                if row.failed == row.told >= max(_SEVERAL, ran / 2):
                    found[row.key].append((number, row))
        cases = []
        for key, several in found.items():
            places = [(number, self.task.row_places[number][key]) for number, _ in several]
            rounds = [
                Link(str(number), self.task.row_address(number, place)) for number, place in places
            ]
            intent = key.intent if key.intent and key.intent != key.requirement else ""
            failed, ran = sum(row.failed for _, row in several), sum(row.told for _, row in several)
            cases.append(HardCase(key.case, key.requirement or "", intent, rounds, failed, ran))
        return sorted(cases, key=lambda case: -len(case.rounds))

    def _told(self) -> Iterator[tuple[tuple[str, int, int], AttemptCases]]:
        """Yield the rounds whose cases ran, by submission that stands, attempt and number."""
        for entry in self.task.records.board.submissions:
            for attempt, rounds in self.task.told[entry.id].items():
                for number, told in rounds.items():
                    if told.result.state == "scored":
                        yield (entry.id, attempt, number), told
