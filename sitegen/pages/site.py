"""Every page of a site, made one after the other."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.ledger.chapters import Ledger
from sitegen.models.release import Release
from sitegen.models.task import Task
from sitegen.pages.benchmark import benchmark_page
from sitegen.pages.board import board_page
from sitegen.pages.cards import page_cards, with_cards
from sitegen.pages.casebook import Casebook
from sitegen.pages.certainty import certainty_page
from sitegen.pages.compare import compare_page
from sitegen.pages.environment import Fragment, Page, Templates
from sitegen.pages.evidence import evidence_fragment
from sitegen.pages.methods import methods_fragment
from sitegen.pages.overview import (
    changelog_fragment,
    data_fragment,
    formats_fragment,
    home_fragment,
    rules_fragments,
)
from sitegen.pages.records import Records
from sitegen.pages.releases import release_fragments
from sitegen.pages.reported import reported_page
from sitegen.pages.round import round_pages
from sitegen.pages.run import run_pages
from sitegen.pages.snapshot import snapshot_page
from sitegen.pages.submission import submission_page
from sitegen.pages.tasks import task_page, tasks_page
from sitegen.pages.trajectory import trajectory_page
from sitegen.problems import Problem, Rule

Batch = Callable[[], Iterable[Page]]
"""Pages that are made together, when they are asked for."""


def batches_of(boards: Sequence[Board], templates: Templates, releases: Sequence[Release] = ()) -> Iterator[Batch]:
    """Give every generated page of one benchmark, in batches that can be made side by side.

    Pages with charts come last, when those are drawn.

    Args:
        boards: The benchmark's boards, at least one.
        templates: Where the templates stand.
        releases: The oldest first.
    """
    cards = page_cards(boards)
    for batch in _batches_of(boards, templates, releases):
        yield partial(with_cards, batch, cards)


def _batches_of(boards: Sequence[Board], templates: Templates, releases: Sequence[Release]) -> Iterator[Batch]:
    records = [Records(board, releases) for board in boards]
    for each in records:
        yield from _task_batches(each, templates)
    yield lambda: [benchmark_page(boards, templates, releases)]
    yield from (partial(_snapshots, boards, release, templates) for release in releases)
    for each in records:
        yield from _board_batches(each, templates)


def fragments_of(
    ledger: Ledger,
    raw: Mapping[str, Sequence[str]],
    rules: Mapping[str, Sequence[Rule]],
    problems: Sequence[Problem],
    templates: Templates,
) -> Iterator[Fragment]:
    """Make the generated parts of the authored pages.

    Args:
        ledger: The books, with the boards by benchmark.
        raw: Names of the raw files that the site carries, by benchmark.
        rules: What is checked, by the place that it is told in.
        problems: What is wrong with the results.
        templates: Where the templates stand.
    """
    benchmarks = ledger.benchmarks
    yield home_fragment(ledger, problems, templates)
    yield methods_fragment(benchmarks, templates)
    yield evidence_fragment(templates)
    yield data_fragment(ledger, raw, templates)
    yield formats_fragment(templates)
    yield changelog_fragment(benchmarks, templates)
    yield from release_fragments(ledger, templates)
    yield from rules_fragments(rules, templates)


def _snapshots(boards: Sequence[Board], release: Release, templates: Templates) -> Iterator[Page]:
    locked = release.benchmark(boards[0].benchmark.id)
    was = {board.track: board for board in locked.boards} if locked else {}
    for board in boards:
        if board.track.id in was:
            yield snapshot_page(board, was[board.track.id], release, templates)


def _board_batches(records: Records, templates: Templates) -> Iterator[Batch]:
    yield lambda: [board_page(records.board, templates, records.releases)]
    yield lambda: [compare_page(records.board, templates)]
    yield lambda: [page for page in [certainty_page(records.board, templates)] if page]
    for entry in records.board.all_entries:
        yield partial(_entry_pages, records, entry, templates)


def _task_batches(records: Records, templates: Templates) -> Iterator[Batch]:
    board = records.board
    if any(entry.bundle for entry in board.all_entries):
        # The longest first, so that no process is left with one at the end.
        for task in sorted(board.tasks.tasks, key=partial(_failures_of, board), reverse=True):
            yield partial(_task_pages, records, task, templates)
        yield lambda: [tasks_page(records, templates)]


def _failures_of(board: Board, task: Task) -> int:
    return sum(len(entry.bundle.failures.texts.get(task.id, b"")) for entry in board.all_entries if entry.bundle)


def _entry_pages(records: Records, entry: Entry, templates: Templates) -> list[Page]:
    if entry.bundle:
        trajectories = trajectory_page(records, entry, templates)
        return [submission_page(records, entry, entry.bundle, templates), *([trajectories] if trajectories else [])]
    if entry.reported and entry.table:
        return [reported_page(records, entry, entry.reported, entry.table, templates)]
    return []


def _task_pages(records: Records, task: Task, templates: Templates) -> Iterator[Page]:
    """Make all pages about a task together: they share its failed cases, which are the bulk of the data."""
    book = Casebook(records, task)
    yield task_page(book, templates)
    yield from round_pages(book, templates)
    for entry in records.board.all_entries:
        if entry.bundle:
            yield from run_pages(book, entry, entry.bundle, templates)
