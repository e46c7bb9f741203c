"""What was wrong with the runs of a benchmark's withdrawn tracks, what it concerns, and what replaced what."""

from collections.abc import Iterator, Mapping

from sitegen.board.answers.answer import answered
from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.board.succession import reruns, total
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.environment import Templates
from sitegen.pages.findings import finding_views
from sitegen.pages.records import BenchmarkBoards
from sitegen.pages.site import View, page_kind
from sitegen.problems import counted


@page_kind(BenchmarkBoards, "integrity.html.j2")
def integrity_page(about: BenchmarkBoards, _: Templates) -> Iterator[View]:
    """Show the integrity record of a benchmark, where a track of it is withdrawn."""
    benchmark, by_track = (
        about.boards[0].benchmark,
        {board.track.id: board for board in about.boards},
    )
    withdrawn = [board for board in about.boards if board.track.status == "withdrawn"]
    if withdrawn:
        records = [
            _record(board, by_track.get(board.track.superseded_by or "")) for board in withdrawn
        ]
        found = [each for board in withdrawn for each in reruns(board)]
        whole, tasks = (
            total([each.whole for each in found]),
            {task for each in found for task in each.tasks},
        )
        said = (
            f"{whole.changed:,} of {counted(whole.of, labels.rounds_word(benchmark))} in {counted(len(tasks), 'task')} "
            "got another verdict when run again"
        )
        values = {
            "title": "Integrity record",
            "crumbs": [
                *about.crumbs,
                Link(benchmark.title, addresses.benchmark_address(benchmark.id)),
            ],
            "findings": list(
                {each["id"]: each for board in withdrawn for each in finding_views(board)}.values()
            ),
            "headline": labels.title_on(withdrawn[0]),
            "records": records,
        }
        answer = answered(said if whole.of else "")
        yield View(
            addresses.integrity_address(benchmark.id),
            f"{benchmark.title}: integrity record",
            answer,
            values,
        )


def _record(board: Board, after: Board | None) -> Mapping[str, object]:
    """Tell of a withdrawn track; `integrity.html.j2` says what it needs."""
    found = reruns(board)
    names = {task.id: task.name for task in board.tasks.tasks}
    cells = {task: [each.tasks.get(task) for each in found] for task in names}
    return {
        "board": board,
        "after": after,
        "replaced": list(_replaced(board, after)) if after else [],
        "agents": [board.names[each.entry.id] for each in found],
        "tasks": [
            (names[task], own, total(list(filter(None, own))))
            for task, own in cells.items()
            if any(own)
        ],
    }


def _replaced(board: Board, after: Board) -> Iterator[tuple[Link, str, Link | None, str]]:
    """Each row that was withdrawn with its score, and the row of its agent that stands now, with its own."""
    now = {after.benchmark.agent_name(entry.agent.name): entry for entry in reversed(after.entries)}
    for entry in board.entries:
        later = now.get(board.benchmark.agent_name(entry.agent.name))
        score = later.text(after.headline.id) if later else GAP
        yield (
            entry_link(board, entry),
            entry.text(board.headline.id),
            entry_link(after, later) if later else None,
            score,
        )
