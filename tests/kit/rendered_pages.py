"""Rendered pages and generated parts of pages, for boards in memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.history.ledger import Ledger
from sitegen.models.release import Release
from sitegen.models.site import Page
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.kinds import (
    analysis,
    brief_run,
    certainty,
    compare,
    integrity,
    methods,
    reference,
    round,  # noqa: A004 - pages
    row,
    run,
    tasks,
    transcripts,
)
from sitegen.pages.kinds import board as boards
from sitegen.pages.records import BenchmarkBoards, BoardRecords, BoardRow, TaskCases, TaskRun
from sitegen.pages.site import PageKind, SiteContent, page_jobs
from sitegen.problems import Rule

TEMPLATES = Templates(Path(__file__).parents[2] / "templates" / "pages")


def _only(pages: Iterable[Page]) -> Page | None:
    """Return the page of a kind that yields at most one page; None if it yields none."""
    rendered_pages = list(pages)
    assert len(rendered_pages) <= 1
    return rendered_pages[0] if rendered_pages else None


def _one(kind: PageKind[Any], subject: Any, templates: Templates) -> Page:  # noqa: ANN401 - whatever the kind is about
    page = _only(kind.pages(subject, templates))
    assert page
    return page


def all_pages(
    boards: Sequence[Board], templates: Templates = TEMPLATES, releases: Sequence[Release] = ()
) -> Iterator[Page]:
    for batch in page_jobs(boards, templates, releases):
        for portion in batch():
            yield from portion.pages()


def benchmark_page(made: Sequence[Board], templates: Templates = TEMPLATES, releases: Sequence[Release] = ()) -> Page:
    return _one(boards.benchmark_page, BenchmarkBoards(made, releases), templates)


def board_page(made: Board, templates: Templates = TEMPLATES, releases: Sequence[Release] = ()) -> Page:
    return _one(boards.board_page, BoardRecords(made, releases), templates)


def compare_page(made: Board, templates: Templates = TEMPLATES) -> Page:
    return _one(compare.compare_page, BoardRecords(made), templates)


def certainty_page(made: Board, templates: Templates = TEMPLATES) -> Page | None:
    return _only(certainty.certainty_page.pages(BoardRecords(made), templates))


def analysis_page(made: Board, templates: Templates = TEMPLATES) -> Page | None:
    return _only(analysis.analysis_page.pages(BoardRecords(made), templates))


def integrity_page(made: Sequence[Board], templates: Templates = TEMPLATES) -> Page | None:
    return _only(integrity.integrity_page.pages(BenchmarkBoards(made), templates))


def tasks_page(records: BoardRecords, templates: Templates = TEMPLATES) -> Page:
    return _one(tasks.tasks_page, records, templates)


def task_page(cases: TaskCases, templates: Templates = TEMPLATES) -> Page:
    return _one(tasks.task_page, cases, templates)


def round_pages(cases: TaskCases, templates: Templates = TEMPLATES) -> list[Page]:
    return list(round.round_pages.pages(cases, templates))


def run_pages(cases: TaskCases, entry: Entry, templates: Templates = TEMPLATES) -> list[Page]:
    """Render the page of a run, followed by the pages of rounds that are too large for it."""
    about = TaskRun(cases, entry)
    kinds = (run.run_page, brief_run.brief_run_page, run.run_part_pages)
    return [page for kind in kinds for page in kind.pages(about, templates)]


def submission_page(records: BoardRecords, entry: Entry, templates: Templates = TEMPLATES) -> Page:
    return _one(row.submission_page, BoardRow(records, entry), templates)


def trajectory_page(records: BoardRecords, entry: Entry, templates: Templates = TEMPLATES) -> Page | None:
    return _only(transcripts.trajectory_page.pages(BoardRow(records, entry), templates))


def methods_fragment(benchmarks: Sequence[Sequence[Board]], templates: Templates = TEMPLATES) -> Fragment:
    _, fragment = methods.methods_part(SiteContent(Ledger((), None, benchmarks), {}, ()), templates)
    return fragment


def evidence_fragment(templates: Templates = TEMPLATES) -> Fragment:
    (fragment,) = row.evidence_part(SiteContent(Ledger((), None, ()), {}, ()), templates)
    return fragment


def rules_fragments(rules: Mapping[str, Sequence[Rule]], templates: Templates = TEMPLATES) -> list[Fragment]:
    return list(reference.rules_fragments(rules, templates))
