"""Search entries of a task: the task, its rounds, cases and requirements."""

from collections import defaultdict
from collections.abc import Iterator

from sitegen.models.site import Name
from sitegen.pages.cases import CaseKey
from sitegen.pages.pagination import CaseLocation
from sitegen.pages.records import TaskCases
from sitegen.pages.texts import join_texts


def names_in_task(task_cases: TaskCases) -> Iterator[Name]:
    """Yield a task and its rounds; on current tracks also requirements and cases, each once."""
    records = task_cases.records
    board_addresses = records.addresses
    task = task_cases.task
    board_title = records.board.title
    round_word = records.board.benchmark.round_word
    about = f"{task.id}, {board_title}" if task.title else board_title
    yield Name("Task", task.name, about, board_addresses.task(task.id))
    for task_round in task.rounds:
        name = f"{round_word} {task_round.n} of {task.name}"
        address = board_addresses.round(task.id, task_round.n)
        yield Name("Round", name, task_round.title, address)
    if records.board.track.status == "current":
        yield from _case_names(task_cases)
        yield from _requirement_names(task_cases)


def _locations_with_rounds(task_cases: TaskCases) -> Iterator[tuple[int, CaseKey, CaseLocation]]:
    """Yield the cases of a task, round by round, each with its location."""
    for number, case_locations in task_cases.case_locations.items():
        for key, location in case_locations.items():
            yield number, key, location


def _case_names(task_cases: TaskCases) -> Iterator[Name]:
    """Yield the cases of a task, each at its first location.

    A case is identified by its intent, if it has one, since ids may be reused in every round.
    """
    seen = set()
    for number, key, location in _locations_with_rounds(task_cases):
        identity = key.intent or key.case
        if identity not in seen:
            seen.add(identity)
            about = join_texts(key.intent, key.requirement, separator=", ")
            address = task_cases.case_address(number, location)
            name = f"{key.case} of {task_cases.task.name}"
            yield Name("Case", name, about, address)


def _requirement_names(task_cases: TaskCases) -> Iterator[Name]:
    """Yield the requirements of a task, each with the first and the last round that checks it."""
    rounds_by_requirement: dict[str, list[int]] = defaultdict(list)
    for number, key, _ in _locations_with_rounds(task_cases):
        if key.requirement:
            rounds_by_requirement[key.requirement].append(number)
    round_word = task_cases.records.board.benchmark.round_word
    task = task_cases.task
    for requirement, numbers in rounds_by_requirement.items():
        rounds = dict.fromkeys((f"{round_word} {numbers[0]}", f"{round_word} {numbers[-1]}"))
        about = f"{task.name}, {' to '.join(rounds)}"
        address = task_cases.records.addresses.task(task.id)
        yield Name("Requirement", requirement, about, address)
