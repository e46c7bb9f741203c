"""The page on which a script opens the transcripts of a submission."""

from collections.abc import Iterator

from sitegen.board.answers.work import transcripts_answer
from sitegen.pages.addresses import entry_link
from sitegen.pages.environment import Templates, TemplateValues
from sitegen.pages.records import BoardRow
from sitegen.pages.site import View, page_kind
from sitegen.pages.transcript_sources import (
    TranscriptSource,
    reached_rounds,
    shown_source,
    source_of,
)


@page_kind(BoardRow, "trajectory.html.j2")
def trajectory_page(row: BoardRow, _: Templates) -> Iterator[View]:
    """Show the transcripts of a submission, if a browser can open any of them."""
    board = row.records.board
    entry = row.entry
    source = shown_source(board, entry)
    if source is None:
        return
    title = f"Trajectories of {entry.agent.name}"
    crumbs = [*row.records.crumbs, entry_link(board, entry)]
    runs = list(_runs(row, source))
    task_ids = {run["task"] for run in runs}
    values = {"title": title, "crumbs": crumbs, "source": source, "runs": runs}
    hosts = (source.host,) if source.host else ()
    answer = transcripts_answer(entry, len(runs), len(task_ids))
    yield View(source.page, f"{title} on {board.title}", answer, values, hosts)


def _runs(row: BoardRow, source: TranscriptSource) -> Iterator[TemplateValues]:
    """Yield the attempts that an agent worked on, each with its transcripts by round.

    The transcript of a complete attempt has round 0.
    """
    records = row.records
    entry = row.entry
    for task in records.board.tasks.tasks:
        if source_of(records.board, entry, task.id) is None:
            continue
        attempts = records.attempts(entry, task.id)
        for attempt, rounds in attempts:
            numbers = reached_rounds(rounds.values())
            if not numbers:
                continue
            title = task.name
            anchor = ""
            if len(attempts) > 1:
                title = f"{task.name}, attempt {attempt}"
                anchor = f"attempt-{attempt}"
            transcripts = [(0, source.of(task.id, attempt))]
            if source.has_round_transcripts:
                transcripts = [(number, source.of(task.id, attempt, number)) for number in numbers]
            yield {
                "task": task.id,
                "title": title,
                "address": records.run_address(entry, task, anchor),
                "attempt": attempt,
                "transcripts": transcripts,
            }
