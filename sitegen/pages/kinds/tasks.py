"""Heat maps of a track: tasks by submission, and the rounds of one task by submission."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.board.answers.task_kinds import no_kind_sentence, task_kind_sentences
from sitegen.board.answers.work import finished_by, task_answer, tasks_answer
from sitegen.board.outcomes_file import MOST_CELLS
from sitegen.models.outcome import REACHED, RoundResult
from sitegen.models.task import Task
from sitegen.pages import labels
from sitegen.pages.addresses import Link, submission_links
from sitegen.pages.cases import AttemptCases, CaseKey
from sitegen.pages.diagnostics import section_of
from sitegen.pages.environment import Templates, TemplateValues
from sitegen.pages.findings import flags_of
from sitegen.pages.heat import COUNTS, PARTS, SHADES, SHARES, HeatCell, samples_in, states_in
from sitegen.pages.records import BoardRecords, TaskCases
from sitegen.pages.search_names import names_in_task
from sitegen.pages.selection import has_submissions
from sitegen.pages.site import View, page_kind
from sitegen.pages.suites import CaseRow
from sitegen.pages.task_rows import task_rows, total_of
from sitegen.pages.timeline import task_timeline
from sitegen.problems import counted

_MAX_HARD_REQUIREMENTS = 12
"""Maximum number of requirements shown as hardest; `hardest.html.j2` shows as many cases."""

_MIN_ATTEMPTS = 2
"""Minimum number of attempts or submissions for statements about "nobody" or "everybody"."""


@page_kind(BoardRecords, "tasks.html.j2")
def tasks_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show the result of every submission on every task, the easiest task first."""
    board = records.board
    if not has_submissions(board):
        return
    rows = task_rows(records)
    cells = list(chain.from_iterable(row.cells for row in rows))
    totals = []
    for index in range(len(board.submissions)):
        tallies = [row.tallies[index] for row in rows]
        totals.append(total_of(tallies))
    counts = f"{labels.verdicts_word(board)} passed, if not all (darker: a larger share)"
    values: dict[str, object] = {
        "title": "Tasks",
        "facts": _tasks_facts(board),
        "legend_counts": counts,
        "samples": samples_in(cells, PARTS if board.tasks.is_of_one_round else COUNTS),
        "states": states_in(cells),
        "agents": submission_links(board),
        "rows": rows,
        "totals": totals,
        "counting": [row for row in rows if row.share is not None],
        "axes": _distinguishing_axes(records),
        "axis_summaries": _axis_summaries(records),
        "kinds": list(task_kind_sentences(board)) or list(filter(None, [no_kind_sentence(board)])),
        "bins": (),
        "findings": board.findings.on_any_task(),
    }
    if len(cells) > MOST_CELLS:  # too many to draw: each task has counts of submissions by shade
        values["axes"] = {}
        values["bins"] = _shades_in(cells)
    title = f"{board.title}: tasks"
    yield View(records.addresses.tasks, title, tasks_answer(board), values)


def _tasks_facts(board: Board) -> list[str]:
    """Return texts with the numbers of tasks, rounds, attempts and agents on the page."""
    facts = labels.extent(board)
    if board.track.attempts > 1:
        facts.append(f"{counted(board.track.attempts, 'attempt')} each")
    facts.append(f"{counted(len(board.submissions), 'agent')} in board order")
    return facts


def _shades_in(cells: Sequence[HeatCell]) -> list[tuple[str, tuple[str, str]]]:
    """Return the shades that occur, best first, each with its mark and text."""
    present = {cell.shade for cell in cells}
    return [(shade, legend) for shade, legend in SHADES.items() if shade in present]


def _distinguishing_axes(records: BoardRecords) -> Mapping[str, str]:
    """Return the titles of the axes on which tasks differ, by axis."""
    values_by_axis: dict[str, set[str]] = defaultdict(set)
    for task in records.board.tasks.tasks:
        for axis, value in task.labels.items():
            values_by_axis[axis].add(value)
    declared = records.board.benchmark.axes
    titles = {}
    for axis, values in values_by_axis.items():
        if len(values) > 1:
            titles[axis] = declared[axis].title if axis in declared else axis
    return titles


def _axis_summaries(records: BoardRecords) -> list[tuple[str, str]]:
    """Return the title and the summary of each axis on which tasks have labels."""
    labelled_axes: set[str] = set()
    for task in records.board.tasks.tasks:
        labelled_axes.update(task.labels)
    summaries = []
    for name, axis in records.board.benchmark.axes.items():
        if axis.summary and name in labelled_axes:
            summaries.append((axis.title, axis.summary))
    return summaries


@page_kind(TaskCases, "task.html.j2", names=names_in_task)
def task_page(task_cases: TaskCases, _: Templates) -> Iterator[View]:
    """Show the result of every submission in every round of a task, and the hardest parts."""
    records = task_cases.records
    task = task_cases.task
    board = task_cases.records.board
    benchmark = board.benchmark
    cells = list(chain.from_iterable(task_cases.cells.values()))
    heat_map = {
        "legend_counts": "percent of cases passed, if not all",
        "samples": samples_in(cells, SHARES),
        "states": states_in(cells),
        "caption": f"{benchmark.rounds_word} of {task.name} by submission",
        "corner": benchmark.round_word,
        "agents": submission_links(board),
        "rows": _round_rows(task_cases),
    }
    values = {
        **heat_map,
        "title": task.name,
        "task_is_of_one_round": board.tasks.is_of_one_round,
        "lead": _task_facts(records, task),
        "outcome": _task_outcome(records, task),
        "findings": board.findings.on_any_round(task.id),
        "hardest": Hardest(task_cases),
        "diagnosed": section_of(board, task.name, board.diagnosis.of_task(task)),
        "timeline": task_timeline(records, task),
    }
    title = f"{task.name}: {labels.rounds_word(benchmark, 2)} by submission"
    address = records.addresses.task(task.id)
    yield View(address, title, task_answer(board, task), values)


def _task_facts(records: BoardRecords, task: Task) -> str:
    """Return the id, rounds, labels and privacy of a task in one line."""
    facts = [task.id] if task.name != task.id else []
    facts.append(counted(len(task.rounds), labels.rounds_word(records.board.benchmark)))
    facts += task.labels.values()
    if task.id in records.board.private_tasks:
        facts.append("private: texts withheld, cases numbered")
    return " · ".join(facts)


def _round_rows(task_cases: TaskCases) -> list[TemplateValues]:
    """Return the result of every submission in each round of a task."""
    board = task_cases.records.board
    task = task_cases.task
    rows: list[TemplateValues] = []
    for task_round in task.rounds:
        number = task_round.n
        title = f"{board.benchmark.round_word} {number}"
        instruction = labels.round_title(task_round)
        if instruction:
            title = f"{number}. {instruction}"
        marks = board.findings.on_any_row(task.id, number)
        rows.append(
            {
                "title": title,
                "address": task_cases.records.addresses.round(task.id, number),
                "note": " · ".join(task_round.labels),
                "cells": task_cases.cells[number],
                "flags": flags_of(board, marks),
            }
        )
    return rows


def _task_outcome(records: BoardRecords, task: Task) -> TemplateValues | None:
    """Return who finished a task, and the rounds at which most attempts first failed.

    Returns None if no submission has results. Attempts whose first round was done by the reference
    solution are left out: their agent neither passed nor failed that round.
    """
    board = records.board
    attempts: list[Sequence[RoundResult]] = []
    submission_count = 0
    for entry in board.submissions:
        runs = filter(None, records.counting_results_by_attempt(entry, task.id))
        own_runs = [run for run in runs if run[0].state != "fast_forwarded"]
        attempts += own_runs
        submission_count += bool(own_runs)
    if not attempts:
        return None
    finisher_ids = finished_by(board, task)
    finishers = []
    for entry in board.submissions:
        if entry.id in finisher_ids:
            address = records.run_address(entry, task)
            finishers.append(Link(board.name_of(entry), address))
    first_failures: Counter[int] = Counter()
    if board.benchmark.ordered and board.track.protocol != "once" and len(task.rounds) > 1:
        first_failures = _first_failures(attempts)
    most_failures = max(first_failures.values(), default=0)
    stops = []
    for number, count in sorted(first_failures.items()):
        if count == most_failures:
            stops.append(Link(str(number), records.addresses.round(task.id, number)))
    return {
        "finished": finishers,
        "submissions": submission_count,
        "stops": stops,
        "first_failures": most_failures,
        "attempts": len(attempts),
    }


def _first_failures(attempts: Sequence[Sequence[RoundResult]]) -> Counter[int]:
    """Return the number of attempts that first failed at each round, by the round's number."""
    counts: Counter[int] = Counter()
    for results in attempts:
        failed = [result.round for result in results if not result.solved]
        if failed:
            counts[min(failed)] += 1
    return counts


class HardRequirement(NamedTuple):
    """A requirement with the number of attempts, and of rounds in attempts, in which it failed."""

    title: str
    failed: int
    attempts: int
    rounds_failed: int
    rounds: int

    @property
    def share(self) -> float:
        """The percentage of attempts in which it failed."""
        return 100 * self.failed / self.attempts


class HardRound(NamedTuple):
    """A round that no submission passed, with the number that reached it and the best result."""

    round: Link
    reached: int
    best: str


class HardCase(NamedTuple):
    """A case that failed whenever its outcome is known: `failed` times in `ran` attempts."""

    case: str
    requirement: str
    intent: str
    rounds: Sequence[Link]
    failed: int
    ran: int


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class Hardest:
    """The hardest parts of a task: requirements, rounds nobody passed, and cases all failed."""

    task_cases: TaskCases

    @property
    def is_partial(self) -> bool:
        """Whether any submission names only some of its failed cases, so more may have failed."""
        return any(
            not attempt_cases.are_failed_cases_known for _, attempt_cases in self._scored_rounds()
        )

    @cached_property
    def requirements(self) -> list[HardRequirement]:
        """The requirements that failed in the largest share of attempts."""
        requirements = []
        for title, checks_by_attempt in self._checks.items():
            checks = checks_by_attempt.values()
            failed = sum(any(failures) for failures in checks)
            if failed and len(checks) >= _MIN_ATTEMPTS:
                rounds_failed = sum(map(sum, checks))
                rounds = sum(map(len, checks))
                requirements.append(
                    HardRequirement(title, failed, len(checks), rounds_failed, rounds)
                )
        requirements.sort(key=_hardness)
        return requirements[:_MAX_HARD_REQUIREMENTS]

    @cached_property
    def _checks(self) -> Mapping[str, Mapping[tuple[str, int], list[bool]]]:
        """Whether each requirement failed, by submission and attempt, with one value per round."""
        requirements_by_round = {}
        for task_round in self.task_cases.task.rounds:
            requirements = {key.requirement for key in self.task_cases.rows[task_round.n]}
            requirements |= {case.requirement for case in task_round.cases or ()}
            requirements_by_round[task_round.n] = sorted(filter(None, requirements))
        checks: dict[str, dict[tuple[str, int], list[bool]]] = {}
        if not any(requirements_by_round.values()):
            return checks
        for (submission_id, attempt, number), attempt_cases in self._scored_rounds():
            for requirement in requirements_by_round[number]:
                checks_by_attempt = checks.setdefault(requirement, {})
                failures = checks_by_attempt.setdefault((submission_id, attempt), [])
                failures.append(requirement in attempt_cases.failed_by_requirement)
        return checks

    @cached_property
    def rounds(self) -> list[HardRound]:
        """The rounds that several submissions reached and none passed."""
        records = self.task_cases.records
        task = self.task_cases.task
        rounds = []
        for task_round in task.rounds:
            number = task_round.n
            results = self._reached_results(number)
            submission_ids = {entry.id for entry, _ in results}
            is_passed = any(result.solved for _, result in results)
            if len(submission_ids) >= _MIN_ATTEMPTS and not is_passed:
                title = f"{records.board.benchmark.round_word} {number}"
                address = records.addresses.round(task.id, number)
                link = Link(title, address)
                rounds.append(HardRound(link, len(results), self._best_text(results)))
        return rounds

    def _reached_results(self, number: int) -> list[tuple[Entry, RoundResult]]:
        """Return the results of a round in the attempts that reached it."""
        records = self.task_cases.records
        task = self.task_cases.task
        reached_results: list[tuple[Entry, RoundResult]] = []
        for entry in records.board.submissions:
            results = records.round_results(entry, task.id, number)
            reached_results += [(entry, result) for result in results if result.state in REACHED]
        return reached_results

    def _best_text(self, results: Sequence[tuple[Entry, RoundResult]]) -> str:
        """Return a text on the best of some results: the number of passed cases, and the agent."""
        entry, best = max(results, key=lambda item: (item[1].passed or 0) / (item[1].total or 1))
        if best.passed and best.total:
            agent_name = self.task_cases.records.board.name_of(entry)
            return f"{best.passed:,} of {counted(best.total, 'case')}: {agent_name}"
        if best.total is not None:
            return "no case passed"
        return "case counts unknown"

    @cached_property
    def cases(self) -> list[HardCase]:
        """The cases that every submission failed, sorted by the number of rounds, most first."""
        scored_rounds = Counter(number for (_, _, number), _ in self._scored_rounds())
        failed_rows: dict[CaseKey, list[tuple[int, CaseRow]]] = defaultdict(list)
        for number, rows in self.task_cases.rows.items():
            min_attempts = max(_MIN_ATTEMPTS, scored_rounds[number] / 2)
            for row in rows.values():
                if row.failed == row.known_count >= min_attempts:
                    failed_rows[row.key].append((number, row))
        cases = [self._hard_case(key, rows) for key, rows in failed_rows.items()]
        return sorted(cases, key=lambda case: -len(case.rounds))

    def _hard_case(self, key: CaseKey, rows: Sequence[tuple[int, CaseRow]]) -> HardCase:
        """Return a case with the rounds in which every submission failed it."""
        links = []
        for number, _ in rows:
            location = self.task_cases.case_locations[number][key]
            address = self.task_cases.case_address(number, location)
            links.append(Link(str(number), address))
        intent = ""
        if key.intent and key.intent != key.requirement:
            intent = key.intent
        failed = sum(row.failed for _, row in rows)
        ran = sum(row.known_count for _, row in rows)
        return HardCase(key.case, key.requirement or "", intent, links, failed, ran)

    def _scored_rounds(self) -> Iterator[tuple[tuple[str, int, int], AttemptCases]]:
        """Yield the rounds whose cases ran, each with its submission, attempt and number."""
        for entry in self.task_cases.records.board.submissions:
            for attempt, rounds in self.task_cases.reported_cases[entry.id].items():
                for number, attempt_cases in rounds.items():
                    if attempt_cases.result.state == "scored":
                        yield (entry.id, attempt, number), attempt_cases


def _hardness(requirement: HardRequirement) -> tuple[float, float, int]:
    """Return the sort key of requirements; the hardest requirement comes first."""
    failed_share = requirement.rounds_failed / requirement.rounds
    return -requirement.share, -failed_share, -requirement.rounds
