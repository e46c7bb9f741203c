"""Every page of a site, made one after the other."""

from collections.abc import Iterator, Mapping, Sequence

from sitegen.board.board import Board
from sitegen.pages.benchmark import benchmark_page
from sitegen.pages.board import board_page
from sitegen.pages.environment import Fragment, Page, Templates
from sitegen.pages.overview import changelog_fragment, data_fragment, home_fragment, methods_fragment
from sitegen.pages.records import Records
from sitegen.pages.round import round_pages
from sitegen.pages.run import run_page
from sitegen.pages.submission import entry_page
from sitegen.pages.tasks import task_page, tasks_page


def pages_of(boards: Sequence[Board], templates: Templates) -> Iterator[Page]:
    """Make every generated page of one benchmark.

    Args:
        boards: The benchmark's boards, at least one.
        templates: Where the templates stand.
    """
    yield benchmark_page(boards, templates)
    for board in boards:
        yield from _board_pages(board, templates)


def fragments_of(
    benchmarks: Sequence[Sequence[Board]], raw: Mapping[str, Sequence[str]], templates: Templates
) -> Iterator[Fragment]:
    """Make the generated parts of the authored pages.

    Args:
        benchmarks: Boards by benchmark.
        raw: Names of the raw files that the site carries, by benchmark.
        templates: Where the templates stand.
    """
    yield home_fragment(benchmarks, templates)
    yield methods_fragment(benchmarks, templates)
    yield data_fragment(benchmarks, raw, templates)
    yield changelog_fragment(benchmarks, templates)


def _board_pages(board: Board, templates: Templates) -> Iterator[Page]:
    records = Records(board)
    yield board_page(board, templates)
    for entry in board.all_entries:
        yield entry_page(records, entry, templates)
        if entry.bundle:
            yield from (run_page(records, entry, task, templates) for task in board.tasks.tasks)
    if not any(entry.bundle for entry in board.all_entries):
        return
    yield tasks_page(records, templates)
    for task in board.tasks.tasks:
        yield task_page(records, task, templates)
        yield from round_pages(records, task, templates)
