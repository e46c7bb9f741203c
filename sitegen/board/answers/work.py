"""What was finished: of all tasks, of one, in one round, and in one run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sitegen.board.answers.answer import Answer, answered
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.grids import RewardGrid, TaskGrid
from sitegen.metrics.sureness import kept
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task
from sitegen.problems import counted, part_of


class _Tried(NamedTuple):
    """What a submission made of a task, and which counting rounds passed; with fail-stop, none after a failure."""

    grid: TaskGrid
    passed: RewardGrid

    @property
    def is_finished(self) -> bool:
        """Whether every round passed in one attempt."""
        return bool(self.passed.all(axis=1).any())

    @property
    def counts(self) -> tuple[int, int]:
        """How many rounds passed, of how many, over all attempts."""
        return int(self.passed.sum()), self.passed.size

    def column(self, number: int) -> RewardGrid:
        """Which attempts passed a round; none where it does not count here."""
        return self.passed[
            :, [place for place, each in enumerate(self.grid.rounds) if each == number]
        ]


def _tried(board: Board, task: Task, names: Iterable[str]) -> Mapping[str, _Tried]:
    """What rows made of a task, where they made an attempt at it; by id."""
    grids, stops = board.grids.get(task.id, {}), board.track.protocol == "fail-stop"
    found = {name: grids[name] for name in names if name in grids and grids[name].attempted.size}
    return {
        name: _Tried(grid, kept(grid.attempted) if stops else grid.attempted)
        for name, grid in found.items()
    }


def _standing(board: Board, task: Task) -> Mapping[str, _Tried]:
    """What the submissions that stand made of a task."""
    return _tried(board, task, (entry.id for entry in board.submissions))


def passed_rounds(board: Board, task: Task) -> dict[str, tuple[int, int]]:
    """Return how many rounds each published submission passed of a task, and of how many, over all attempts made.

    A missing record did not pass, and with fail-stop nothing does after a failure. Submissions without an attempt are
    left out.
    """
    return {name: tried.counts for name, tried in _standing(board, task).items()}


def finished_by(board: Board, task: Task) -> set[str]:
    """The submissions that stand and passed every round of a task in one attempt, by id; what was not run did not."""
    return {name for name, tried in _standing(board, task).items() if tried.is_finished}


def _left_out(board: Board, task: Task, what: str = "") -> Answer | None:
    """Say that a task, or a part of it, does not count, where a finding is why there is nothing to say of it."""
    excluded = any(
        each.finding.effect == "exclude" for each in board.marks.by_task.get(task.id, ())
    )
    return (
        answered(f"{what or task.name} does not count: a finding leaves it out")
        if excluded
        else None
    )


def tasks_answer(board: Board) -> Answer | None:
    """Say how many tasks nobody finished, and how many one agent alone; None where there are no results."""
    known = [(task, tried) for task in board.tasks.tasks if (tried := _standing(board, task))]
    if not known:
        return None
    if len(known) == 1:
        return task_answer(board, known[0][0])
    word, tasks = board.benchmark.round_word.lower(), counted(len(known), "task")
    by_task = [[name for name, each in tried.items() if each.is_finished] for _, tried in known]
    nobody, alone = by_task.count([]), [names[0] for names in by_task if len(names) == 1]
    several = len(board.submissions) > 1
    text = f"{nobody} of {tasks} {'was' if nobody == 1 else 'were'} finished by no agent"
    if nobody == len(known):
        text = f"No agent finished any of {tasks}"
    if nobody == 0:
        text = f"Each of {tasks} was finished by at least one agent"
    if not several:
        text = f"{board.names[board.submissions[0].id]} finished {part_of(len(known) - nobody, len(known), 'task')}"
    only = (
        f"{text}; {len(alone)} only by {board.names[alone[0]]}"
        if several and len({*alone}) == 1
        else ""
    )
    every = "it" if board.tasks.is_of_one_round else f"every one of its {word}s"
    finished = f"A task is finished when {every} passed in one attempt."
    untouched = "" if board.tasks.is_of_one_round else _untouched(known, word)
    return answered(only, text, sure=(untouched, finished))


def _untouched(known: Sequence[tuple[Task, Mapping[str, _Tried]]], word: str) -> str:
    """Say which task nobody passed a round of, or how many there are; empty where there is none."""
    found = [
        (task, tried)
        for task, tried in known
        if not any(each.passed.any() for each in tried.values())
    ]
    if len(found) == 1:
        ((task, tried),) = found
        rounds = sum(each.passed.size for each in tried.values())
        return f"{task.name} has no passed {word} at all: 0 of {rounds} by {counted(len(tried), 'agent')}."
    return f"{len(found)} tasks have no passed {word} at all." if found else ""


def task_answer(board: Board, task: Task) -> Answer | None:
    """Say who finished a task, and how many of its rounds nobody passed; None where nobody tried it."""
    tried, is_short = _standing(board, task), board.tasks.is_of_one_round
    word = "attempt" if is_short else board.benchmark.round_word.lower()
    if not tried:
        return _left_out(board, task)
    finishers, agents = (
        [name for name, each in tried.items() if each.is_finished],
        counted(len(tried), "agent"),
    )
    passed, of = (
        sum(counts) for counts in zip(*(each.counts for each in tried.values()), strict=True)
    )
    rounds = {number for each in tried.values() for number in each.grid.rounds}
    never = sum(not any(each.column(number).any() for each in tried.values()) for number in rounds)
    text = f"{len(finishers) or 'None'} of {agents} finished {task.name}"
    if len(finishers) == 1:
        text = (
            f"{board.names[finishers[0]]} {'alone ' if len(tried) > 1 else ''}finished {task.name}"
        )
    elif len(tried) == 1:
        text = f"{board.names[next(iter(tried))]} did not finish {task.name}"
    more = (
        f"{text}; {never} of {counted(len(rounds), word)} nobody passed"
        if never and len(rounds) > 1
        else ""
    )
    return answered(more, text, sure=(f"Over {agents}, {part_of(passed, of, word)} passed.",))


def round_answer(board: Board, task: Task, number: int) -> Answer | None:
    """Say how many passed a round; None where nobody tried it."""
    word, tried = board.benchmark.round_word, _standing(board, task)
    columns = {name: column for name, each in tried.items() if (column := each.column(number)).size}
    what = "" if board.tasks.is_of_one_round else f"{word} {number} of {task.name}"
    if not columns:
        return _left_out(board, task, what)
    solved, passed = (
        sum(column.any() for column in columns.values()),
        sum(int(each.sum()) for each in columns.values()),
    )
    attempts, agents = (
        sum(column.size for column in columns.values()),
        counted(len(columns), "agent"),
    )
    what, several = what.replace(word, word.lower(), 1) or task.name, attempts > len(columns)
    text = f"{solved or 'None'} of {agents} passed {what}"
    if len(columns) == 1:
        text = f"{board.names[next(iter(columns))]} {'passed' if solved else 'did not pass'} {what}"
    worked = (
        result for name in columns for attempt in tried[name].grid.worked for result in attempt
    )
    results = [result for result in worked if result.round == number]
    near = sum(
        result.state == "scored" and (result.total or 0) - (result.passed or 0) == 1
        for result in results
    )
    who = counted(attempts, "attempt") if several else agents
    reached = (
        f"All {who} reached it."
        if len(results) == attempts
        else f"{len(results)} of {who} reached it."
    )
    if attempts == 1:
        reached = "The only agent reached it." if results else "The only agent did not reach it."
    missed = f"{near} missed it by a single case." if near else ""
    more = f"{text}, in {passed} of {counted(attempts, 'attempt')}" if several and passed else ""
    return answered(more, text, sure=(reached, missed))


Failing = Mapping[int, Sequence[tuple[str | None, object]]]
"""The failed cases that a source names, by round of one attempt: the requirement of each, and what tells it from others
of any round, None where nothing does: names of cases change from round to round."""


def run_answer(board: Board, entry: Entry, task: Task, failing: Failing) -> Answer | None:
    """Say how far a submission got with a task, from its failing cases; None where there is no attempt."""
    tried = _tried(board, task, [entry.id]).get(entry.id)
    if tried is None:
        return _left_out(board, task)
    name, word, (attempts, rounds) = (
        board.name_of(entry),
        board.benchmark.round_word,
        tried.passed.shape,
    )
    passed, of = int(tried.passed.sum()), f"{word.lower()}s of {task.name}"
    if attempts > 1:
        finished = f"{name} finished {task.name} in {int(tried.passed.all(axis=1).sum())} of {attempts} attempts"
        if rounds == 1:
            return answered(finished)
        return answered(
            f"{finished}; {part_of(passed, tried.passed.size, word.lower())} passed", finished
        )
    if rounds == 1:
        return answered(f"{name} {'passed' if passed else 'did not pass'} {task.name}")
    if passed == rounds:
        return answered(f"{name} passed all {rounds} {of}")
    text = f"{name} passed {passed or 'none'} of {rounds} {of}"
    if not board.benchmark.ordered or board.track.protocol == "once":
        return answered(text)
    first = int(tried.passed[0].argmin())  # place of the first round that did not pass
    rest = f"then none of the next {rounds - first}" if rounds - first > 1 else "but not the last"
    begun = (
        f"{name} passed {_numbers(word.lower(), tried.grid.rounds[:first])} of {task.name}, {rest}"
        if first
        else ""
    )
    return answered(
        begun if first == passed else "", text, sure=(_broken(tried.grid, first, failing, word),)
    )


def _numbers(word: str, numbers: Sequence[int]) -> str:
    """Name rounds by their numbers: round 1; rounds 1 and 2; rounds 1 to 4; 3 rounds, where one between is left out."""
    if len(numbers) == 1:
        return f"{word} {numbers[0]}"
    if numbers[-1] - numbers[0] >= len(numbers):
        return f"{len(numbers)} {word}s"
    return f"{word}s {numbers[0]} {'and' if len(numbers) == 2 else 'to'} {numbers[-1]}"  # noqa: PLR2004 - a pair


def _broken(grid: TaskGrid, first: int, failing: Failing, word: str) -> str:
    """Say how many cases the first failed round left failing, and how many of them failed in every later round."""
    result = next(each for place, each in enumerate(grid.results) if place not in grid.unmade)[
        first
    ]
    if result is None or result.state != "scored" or not result.failed:
        return ""
    named, later = failing.get(result.round, ()), grid.rounds[first + 1 :]
    if all(text is not None for _, text in named):
        known: Sequence[object] = named
        of = (
            "Of these"
            if len(named) == result.failed
            else f"Of the {len(named)} that the source names"
        )
        if len(named) == result.failed == 1:
            of = "It"
    else:  # then only a requirement can be known to have failed again
        failing = {number: [(each, None) for each, _ in cases] for number, cases in failing.items()}
        known = sorted({(each, None) for each, _ in named if each})
        requirements = counted(len(known), "requirement")
        of = (
            f"Of their {requirements}"
            if len(named) == result.failed
            else f"Of the {requirements} named"
        )
        if len(known) == 1:
            of = (
                "Their one requirement"
                if len(named) == result.failed
                else "The one requirement named"
            )
    again = (
        {*known}.intersection(*(failing.get(number, ()) for number in later)) if later else set()
    )
    still = sum(each in again for each in known)
    which = f"{of}, {still}" if of.startswith("Of") else of
    held = f" {which} failed again in every later {word.lower()}." if still else ""
    return f"{word} {result.round} left {counted(result.failed, 'case')} failing.{held}"


def part_answer(board: Board, entry: Entry, task: Task, result: RoundResult) -> Answer | None:
    """Say how many cases a submission passed in one round; None where they were not counted."""
    if not result.total or result.state != "scored":
        return None
    where = f"in {board.benchmark.round_word.lower()} {result.round} of {task.name}"
    return answered(
        f"{board.name_of(entry)} passed {result.passed} of {counted(result.total, 'case')} {where}"
    )


def transcripts_answer(entry: Entry, attempts: int, tasks: int) -> Answer | None:
    """Say of how many attempts a submission has transcripts."""
    return answered(
        f"{entry.agent.name} worked {counted(attempts, 'attempt')} at {counted(tasks, 'task')}"
    )
