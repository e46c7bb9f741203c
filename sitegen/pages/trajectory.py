"""The page of a submission's transcripts: every run that has one, from which scripts let a reader open it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sitegen.board.entry import Entry
from sitegen.models.task import Task
from sitegen.pages import addresses
from sitegen.pages.board import board_crumbs
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.records import Records
from sitegen.pages.transcripts import Source, Transcript, reached, shown_source, source_of


@dataclass(frozen=True, slots=True)
class TranscribedRun:
    """A run that has transcripts.

    Attributes:
        task: Id of the task.
        title: The task's name, with the attempt where there are several.
        address: The run's own page.
        attempt: Number of the attempt.
        transcripts: Its transcripts by round; one for 0 where it covers the whole attempt.
    """

    task: str
    title: str
    address: str
    attempt: int
    transcripts: Sequence[tuple[int, Transcript]]


def trajectory_page(records: Records, entry: Entry, templates: Templates) -> Page | None:
    """Show the transcripts of a submission; None where a browser can open none."""
    board = records.board
    source = shown_source(board, entry)
    if not source:
        return None
    title = f"Trajectories of {entry.agent.name}"
    submission = addresses.entry_address(board.benchmark.id, board.track.id, entry.id)
    values = {
        "title": title,
        "crumbs": [*board_crumbs(board), Crumb(entry.agent.name, submission)],
        "benchmark": board.benchmark,
        "entry": entry,
        "source": source,
        "runs": [run for task in board.tasks.tasks for run in _runs(records, entry, task, source)],
    }
    description = f"{title}, step by step: {board.benchmark.title}, {board.track.title}."
    content = templates.fill("trajectory.html.j2", source.page, values)
    hosts = (source.host,) if source.host else ()
    return Page(source.page, f"{title} on {board.benchmark.title}, {board.track.title}", description, content, hosts)


def _runs(records: Records, entry: Entry, task: Task, source: Source) -> Iterator[TranscribedRun]:
    """Give the attempts at a task that an agent worked on."""
    board = records.board
    address = addresses.run_address(board.benchmark.id, board.track.id, entry.id, task.id)
    attempts = records.attempts(entry, task.id)
    for attempt, rounds in attempts:
        numbers = reached(rounds.values())
        if not numbers or not source_of(board, entry, task.id):
            continue
        whole = [(0, source.of(task.id, attempt))]
        told = [(number, source.of(task.id, attempt, number)) for number in numbers] if source.tells_rounds else whole
        run = TranscribedRun(task.id, task.name, address, attempt, told)
        if len(attempts) > 1:
            run = replace(run, title=f"{task.name}, attempt {attempt}", address=f"{address}#attempt-{attempt}")
        yield run
