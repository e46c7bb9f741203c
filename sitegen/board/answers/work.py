"""Sentences on which tasks and rounds were finished, for a board, a task or a run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sitegen.board.answers.answer import Answer, agents_of, answered
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.wording import capitalized
from sitegen.metrics.arrays import TaskRewards, kept_rounds
from sitegen.metrics.results import TaskResults
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task
from sitegen.problems import agreeing, counted, part_of, plural


class _Tried(NamedTuple):
    """A submission's attempts at a task, and the verdicts on the rounds that count.

    On a fail-stop track, no round passes after a failure.
    """

    task_results: TaskResults
    passed: TaskRewards

    @property
    def is_finished(self) -> bool:
        """Whether every round passed in one attempt."""
        return bool(self.passed.all(axis=1).any())

    @property
    def counts(self) -> tuple[int, int]:
        """The number of passed rounds and the number of all rounds, over all attempts."""
        return int(self.passed.sum()), self.passed.size

    def column(self, number: int) -> TaskRewards:
        """Return which attempts passed a round; an empty array if the round does not count."""
        indices = [
            index for index, counting in enumerate(self.task_results.rounds) if counting == number
        ]
        return self.passed[:, indices]


def _tried(board: Board, task: Task, row_ids: Iterable[str]) -> Mapping[str, _Tried]:
    """Return the attempts of rows at a task, by row id; rows without attempts are left out."""
    results_by_row = board.task_results.get(task.id, {})
    is_fail_stop = board.track.protocol == "fail-stop"
    tried = {}
    for row_id in row_ids:
        task_results = results_by_row.get(row_id)
        if task_results is not None and task_results.rewards_of_made_attempts.size:
            passed = task_results.rewards_of_made_attempts
            if is_fail_stop:
                passed = kept_rounds(passed)
            tried[row_id] = _Tried(task_results, passed)
    return tried


def _published(board: Board, task: Task) -> Mapping[str, _Tried]:
    """Return the attempts of the published submissions at a task, by submission id."""
    submission_ids = [entry.id for entry in board.submissions]
    return _tried(board, task, submission_ids)


def passed_rounds(board: Board, task: Task) -> dict[str, tuple[int, int]]:
    """Return how many rounds of a task each published submission passed, and out of how many.

    The counts are over all attempts made. A missing record counts as not passed, and with fail-stop
    so does every round after a failure. Submissions without an attempt are left out.
    """
    counts = {}
    for row_id, tried in _published(board, task).items():
        counts[row_id] = tried.counts
    return counts


def finished_by(board: Board, task: Task) -> set[str]:
    """Return ids of published submissions that passed all rounds of a task in one attempt."""
    return set(_finishers(_published(board, task)))


def _excluded_answer(board: Board, task: Task, subject: str = "") -> Answer | None:
    """Return a sentence saying that a finding excludes a task; None if no finding does."""
    marks = board.findings.by_task.get(task.id, ())
    if not any(mark.finding.effect == "exclude" for mark in marks):
        return None
    return answered(f"{subject or task.name} does not count: a finding excludes it")


def tasks_answer(board: Board) -> Answer | None:
    """Return a sentence on how many tasks nobody finished, and how many only one agent finished."""
    attempted = []
    for task in board.tasks.tasks:
        tried = _published(board, task)
        if tried:
            attempted.append((task, tried))
    if not attempted:
        return None
    if len(attempted) == 1:
        return task_answer(board, attempted[0][0])
    finishers = [_finishers(tried) for _, tried in attempted]
    text = _finished_tasks(board, finishers)
    round_word = board.benchmark.round_word.lower()
    all_rounds = f"all its {plural(round_word)}"
    untouched = _untouched(attempted, round_word)
    if board.tasks.is_of_one_round:
        all_rounds = "it"
        untouched = ""
    finished = f"A task counts as finished when one attempt passes {all_rounds}."
    return answered(_only_one(board, text, finishers), text, certainty=(untouched, finished))


def _finishers(tried: Mapping[str, _Tried]) -> list[str]:
    finishers = []
    for row_id, attempts in tried.items():
        if attempts.is_finished:
            finishers.append(row_id)
    return finishers


def _finished_tasks(board: Board, finishers: Sequence[Sequence[str]]) -> str:
    """Return a sentence on how many tasks no agent, or the board's only agent, finished.

    `finishers` has, for each task, the ids of the submissions that finished it.
    """
    task_count = len(finishers)
    by_nobody = finishers.count([])
    if len(board.submissions) == 1:
        finished = part_of(task_count - by_nobody, task_count, "task")
        return f"{board.names[board.submissions[0].id]} finished {finished}"
    if by_nobody == 0:
        return f"Each of the {task_count:,} tasks was finished by at least one agent"
    if by_nobody == task_count:
        return f"No agent finished any of the {task_count:,} tasks"
    were = agreeing(by_nobody, "was", "were")
    return f"{by_nobody:,} of the {task_count:,} tasks {were} not finished by any agent"


def _only_one(board: Board, text: str, finishers: Sequence[Sequence[str]]) -> str:
    """Return the text with the number of tasks that only one agent finished; otherwise empty."""
    alone = [row_ids[0] for row_ids in finishers if len(row_ids) == 1]
    if len(board.submissions) == 1 or len({*alone}) != 1:
        return ""
    return f"{text}; {board.names[alone[0]]} alone finished {len(alone):,}"


def _untouched(attempted: Sequence[tuple[Task, Mapping[str, _Tried]]], round_word: str) -> str:
    """Return a sentence on tasks in which nobody passed a round; empty if there are none."""
    untouched = []
    for task, tried in attempted:
        if not _passed_any(tried):
            untouched.append((task, tried))
    if not untouched:
        return ""
    if len(untouched) > 1:
        return f"On {len(untouched):,} tasks, no agent passed any {round_word}."
    task, tried = untouched[0]
    rounds = 0
    for attempts in tried.values():
        rounds += attempts.passed.size
    agents = counted(len(tried), "agent")
    return f"On {task.name}, no agent passed any {round_word}: 0 of {rounds:,} across {agents}."


def _passed_any(tried: Mapping[str, _Tried]) -> bool:
    return any(attempts.passed.any() for attempts in tried.values())


def task_answer(board: Board, task: Task) -> Answer | None:
    """Return a sentence on who finished a task, and how many of its rounds nobody passed."""
    tried = _published(board, task)
    if not tried:
        return _excluded_answer(board, task)
    round_word: str = board.benchmark.round_word.lower()
    if board.tasks.is_of_one_round:
        round_word = "attempt"
    agents = counted(len(tried), "agent")
    passed = 0
    rounds = 0
    numbers: set[int] = set()
    for attempts in tried.values():
        passed_by_agent, rounds_of_agent = attempts.counts
        passed += passed_by_agent
        rounds += rounds_of_agent
        numbers.update(attempts.task_results.rounds)
    text = _task_finishers(board, task, tried)
    never_passed = 0
    for number in numbers:
        if not _passed_round(tried, number):
            never_passed += 1
    with_never_passed = ""
    if never_passed and len(numbers) > 1:
        which = str(never_passed)
        if never_passed == len(numbers):
            which = "any"
        words = plural(round_word)
        with_never_passed = f"{text}; nobody passed {which} of the {len(numbers)} {words}"
    certainty = f"{capitalized(part_of(passed, rounds, round_word))} passed."
    if len(tried) > 1:
        certainty = f"Across {agents}, {part_of(passed, rounds, round_word)} passed."
    return answered(with_never_passed, text, certainty=(certainty,))


def _task_finishers(board: Board, task: Task, tried: Mapping[str, _Tried]) -> str:
    """Return a sentence that names the only finisher of a task, or counts the finishers."""
    finishers = _finishers(tried)
    if len(finishers) == 1:
        only = ""
        if len(tried) > 1:
            only = "Only "
        return f"{only}{board.names[finishers[0]]} finished {task.name}"
    if len(tried) == 1:
        return f"{board.names[next(iter(tried))]} did not finish {task.name}"
    return f"{agents_of(len(finishers), len(tried))} finished {task.name}"


def _passed_round(tried: Mapping[str, _Tried], number: int) -> bool:
    return any(attempts.column(number).any() for attempts in tried.values())


def round_answer(board: Board, task: Task, number: int) -> Answer | None:
    """Return a sentence on how many agents passed a round; None if nobody attempted it."""
    round_word = board.benchmark.round_word
    is_short = board.tasks.is_of_one_round
    tried = _published(board, task)
    columns = {}
    for row_id, tries in tried.items():
        column = tries.column(number)
        if column.size:
            columns[row_id] = column
    if not columns:
        if is_short:
            return _excluded_answer(board, task)
        return _excluded_answer(board, task, f"{round_word} {number} of {task.name}")
    subject = f"{round_word.lower()} {number} of {task.name}"
    if is_short:
        subject = task.name
    solved = 0
    passed = 0
    attempts = 0
    for column in columns.values():
        if column.any():
            solved += 1
        passed += int(column.sum())
        attempts += column.size
    text = f"{agents_of(solved, len(columns))} passed {subject}"
    if len(columns) == 1:
        verb = "did not pass"
        if solved:
            verb = "passed"
        text = f"{board.names[next(iter(columns))]} {verb} {subject}"
    with_attempts = ""
    if attempts > len(columns) and passed:
        with_attempts = f"{text}, in {passed} of {counted(attempts, 'attempt')}"
    task_results = [tried[row_id].task_results for row_id in columns]
    results = _reached_results(task_results, number)
    certainty = (_reached(len(results), attempts, len(columns)), _near_misses(results))
    return answered(with_attempts, text, certainty=certainty)


def _reached_results(rows: Sequence[TaskResults], number: int) -> list[RoundResult]:
    """Return the results of the attempts that reached a round."""
    results = []
    for task_results in rows:
        for attempt in task_results.reached_results:
            results += [result for result in attempt if result.round == number]
    return results


def _reached(reached: int, attempts: int, agents: int) -> str:
    """Return a sentence on how many of the attempts, by how many agents, reached a round."""
    if attempts == 1:
        if reached:
            return "The only agent reached it."
        return "The only agent did not reach it."
    if attempts == agents:
        return f"{agents_of(reached, agents)} reached it."
    if reached == attempts:
        return f"All {counted(attempts, 'attempt')} reached it."
    return f"{reached} of {counted(attempts, 'attempt')} reached it."


def _near_misses(results: Sequence[RoundResult]) -> str:
    """Return a sentence on how many attempts failed a round by a single case; empty if none did."""
    near = 0
    for result in results:
        if result.state == "scored" and (result.total or 0) - (result.passed or 0) == 1:
            near += 1
    if not near:
        return ""
    return f"{counted(near, 'attempt')} failed it by a single case."


Failing = Mapping[int, Sequence[tuple[str | None, object]]]
"""The failed cases that a source names in one attempt, by round.

Each case has its requirement and an identity that stays the same in every round, each None if not
known: names of cases may change from round to round.
"""


def run_answer(board: Board, entry: Entry, task: Task, failing: Failing) -> Answer | None:
    """Return a sentence on how far a submission got with a task; None if it made no attempt.

    Args:
        board: The submission's board.
        entry: The submission.
        task: The task.
        failing: The failed cases that the source names.
    """
    tried = _tried(board, task, [entry.id]).get(entry.id)
    if tried is None:
        return _excluded_answer(board, task)
    name = board.name_of(entry)
    round_word = board.benchmark.round_word.lower()
    attempts, rounds = tried.passed.shape
    passed = int(tried.passed.sum())
    if attempts > 1:
        return _several_attempts(tried, name, task, round_word)
    if rounds == 1:
        verb = "did not pass"
        if passed:
            verb = "passed"
        return answered(f"{name} {verb} {task.name}")
    if passed == rounds:
        return answered(f"{name} passed all {rounds} {plural(round_word)} of {task.name}")
    text = f"{name} passed {passed or 'none'} of the {rounds} {plural(round_word)} of {task.name}"
    if not board.benchmark.ordered or board.track.protocol == "once":
        return answered(text)
    first_failed = int(tried.passed[0].argmin())
    begun = ""
    if 0 < first_failed == passed:
        later = "but not the last"
        if rounds - first_failed > 1:
            later = f"then none of the next {rounds - first_failed}"
        numbers = _numbers(round_word, tried.task_results.rounds[:first_failed])
        begun = f"{name} passed {numbers} of {task.name}, {later}"
    certainty = _failed_cases(tried, first_failed, failing, board.benchmark.round_word)
    return answered(begun, text, certainty=(certainty,))


def _several_attempts(tried: _Tried, name: str, task: Task, round_word: str) -> Answer | None:
    """Return a sentence on how many attempts finished a task, and how many rounds passed."""
    attempts, rounds = tried.passed.shape
    passed, total = tried.counts
    finished_attempts = int(tried.passed.all(axis=1).sum())
    finished = f"{name} finished {task.name} in {finished_attempts} of {attempts} attempts"
    is_pair = attempts == 2  # noqa: PLR2004 - English has words for two
    if not finished_attempts:
        attempted = "in either attempt" if is_pair else f"in any of {attempts} attempts"
        finished = f"{name} did not finish {task.name} {attempted}"
    elif finished_attempts == attempts:
        attempted = "in both attempts" if is_pair else f"in all {attempts} attempts"
        finished = f"{name} finished {task.name} {attempted}"
    if rounds == 1:
        return answered(finished)
    return answered(f"{finished}; {part_of(passed, total, round_word)} passed", finished)


def _numbers(round_word: str, numbers: Sequence[int]) -> str:
    """Return rounds by their numbers: "round 1", "rounds 1 and 2", "rounds 1 to 4".

    If a number in between is missing, return only how many rounds there are: "3 rounds".
    """
    first, last = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return f"{round_word} {first}"
    if last - first >= len(numbers):
        return f"{len(numbers)} {plural(round_word)}"
    conjunction = "to"
    if last == first + 1:
        conjunction = "and"
    return f"{plural(round_word)} {first} {conjunction} {last}"


def _failed_cases(tried: _Tried, first_failed: int, failing: Failing, round_word: str) -> str:
    """Return a sentence on the cases that failed in the first failed round and in all later rounds.

    If no case is known to fail again, the sentence says from which round on no round passed.
    `first_failed` is the index of the round. Empty if the number of its failed cases is not known.
    """
    task_results = tried.task_results
    attempts = enumerate(task_results.results)
    results = next(
        results for attempt, results in attempts if attempt not in task_results.unmade_attempts
    )
    result = results[first_failed]
    if result is None or result.state != "scored" or not result.failed:
        return ""
    share = f"{result.failed:,} of {counted(result.total or result.failed, 'case')}"
    sentence = f"The first failure is in {round_word.lower()} {result.round} ({share})"
    later = task_results.rounds[first_failed + 1 :]
    cases = failing.get(result.round, ())
    can_be_followed = all(identity is not None for _, identity in cases)
    if not can_be_followed:  # Then only requirements can be followed from round to round.
        cases = sorted({(requirement, None) for requirement, _ in cases if requirement})
        failing = _by_requirement(failing)
    again = set(cases)
    for number in later:
        again.intersection_update(failing.get(number, ()))
    if not later or not again:
        return f"{sentence}{_never_again(tried, first_failed, round_word.lower())}"
    still = 0
    for case in cases:
        if case in again:
            still += 1
    is_complete = len(failing.get(result.round, ())) == result.failed
    if can_be_followed:
        which = _cases_again(len(cases), still, is_complete=is_complete)
    else:
        which = _requirements_again(len(cases), still, result.failed, is_complete=is_complete)
    return f"{sentence}. {which} failed again in every later {round_word.lower()}."


def _never_again(tried: _Tried, first_failed: int, round_noun: str) -> str:
    """Return the end of a sentence that says from which round on no round of an attempt passed."""
    passed = tried.passed[0].tolist()
    rounds = tried.task_results.rounds
    last_passed = max((index for index, is_passed in enumerate(passed) if is_passed), default=-1)
    start = max(last_passed, first_failed) + 1
    if start >= len(passed):
        return "."
    if start == first_failed + 1:
        return f"; no later {round_noun} passes."
    return f"; from {round_noun} {rounds[start]} on, no {round_noun} passes."


def _by_requirement(failing: Failing) -> Failing:
    """Return failed cases as if they could be identified only by their requirements."""
    by_requirement = {}
    for number, cases in failing.items():
        by_requirement[number] = [(requirement, None) for requirement, _ in cases]
    return by_requirement


def _cases_again(named: int, still: int, *, is_complete: bool) -> str:
    """Return a phrase on how many of the named cases failed again.

    `is_complete` is whether the source names all failed cases.
    """
    if not is_complete:
        return f"{still} of the {counted(named, 'case')} named by the source"
    if named == 1:
        return "It"
    if named == still:
        return "All of them"
    return f"{still} of them"


def _requirements_again(named: int, still: int, failed: int, *, is_complete: bool) -> str:
    """Return a phrase on how many of the named requirements failed again.

    `failed` is the number of failed cases, and `is_complete` whether the source names all of them.
    """
    if named == 1 and not is_complete:
        return "The only requirement named by the source"
    if named == 1:
        return "Its requirement" if failed == 1 else "Their only requirement"
    if still == named:
        share = {2: "Both"}.get(named, f"All {named}")
        if is_complete:
            return f"{share} of their requirements"
        return f"{share} requirements named by the source"
    if is_complete:
        return f"{still} of their {named} requirements"
    return f"{still} of the {named} requirements named by the source"


def part_answer(board: Board, entry: Entry, task: Task, result: RoundResult) -> Answer | None:
    """Return a sentence on how many cases a submission passed in a round; None if not counted."""
    if result.passed is None or not result.total or result.state != "scored":
        return None
    cases = counted(result.total, "case")
    round_name = f"{board.benchmark.round_word.lower()} {result.round} of {task.name}"
    return answered(f"{board.name_of(entry)} passed {result.passed} of {cases} in {round_name}")


def transcripts_answer(entry: Entry, attempts: int, tasks: int) -> Answer | None:
    """Return a sentence on how many attempts a submission made, and at how many tasks."""
    extent = f"{counted(attempts, 'attempt')} at {counted(tasks, 'task')}"
    return answered(f"{entry.agent.name} made {extent}")
