"""The pages of a benchmark and of its boards."""

from collections.abc import Iterator, Mapping

from sitegen.board.answers.order import board_answer
from sitegen.board.board import Board
from sitegen.board.sureness import Sureness
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.charts import board_chart_views, rounds_chart_views
from sitegen.pages.descriptions import Datasets, computing_of, scores_files
from sitegen.pages.diagnostics import diagnostics_address, track_section
from sitegen.pages.environment import Site, Templates
from sitegen.pages.findings import finding_views
from sitegen.pages.kinds.row import replacement_of
from sitegen.pages.notices import source_notes, sureness
from sitegen.pages.records import BenchmarkBoards, BoardRecords
from sitegen.pages.sharing import citation_of
from sitegen.pages.site import View, page_kind
from sitegen.pages.standings import standings_of
from sitegen.pages.timeline import board_timeline
from sitegen.problems import errors_of


@page_kind(BenchmarkBoards, "benchmark.html.j2", is_landing=True)
def benchmark_page(about: BenchmarkBoards, templates: Templates) -> Iterator[View]:
    """Show a benchmark: its headline board, and the way to every track."""
    boards, benchmark = about.boards, about.boards[0].benchmark
    address = addresses.benchmark_address(benchmark.id)
    values = {
        "title": benchmark.title,
        "standings": standings_of(about.headline),
        "boards": boards,
        "errors": errors_of(boards[0].results.problems),
        "dataset": Datasets(address, templates.site, about.releases).benchmark(boards),
        "charts": rounds_chart_views(boards),
        "diagnosed": [section for board in boards if (section := track_section(board))],
    }
    yield View(address, benchmark.title, board_answer(about.headline), values)


@page_kind(BoardRecords, "board.html.j2", is_landing=True)
def board_page(records: BoardRecords, templates: Templates) -> Iterator[View]:
    """Show a board, with the way to what it was in the releases that have it."""
    board, where, releases, site = records.board, records.where, records.releases, templates.site
    title = f"{board.benchmark.title}: {board.track.title}"
    values: Mapping[str, object] = {
        "title": board.track.title,
        "crumbs": records.crumbs[:-1],
        "standings": standings_of(board),
        "charts": board_chart_views(board),
        "facts": labels.facts(board),
        "sureness": sureness(board),
        "links": list(_links(board, site)),
        "releases": [each for each in reversed(releases) if each.board(*where)],
        "timeline": board_timeline(board),
        "dataset": Datasets(where.board, site, releases).board(board),
        "citation": citation_of(board, None, releases, site.address),
        "computing": computing_of(board, site),
        "sources": source_notes(board),
        "findings": finding_views(board),
        "retired": [(entry, replacement_of(board, entry)) for entry in board.retired],
        "errors": errors_of(board.results.problems),
    }
    yield View(where.board, title, board_answer(board), values)


def _links(board: Board, site: Site) -> Iterator[Link]:
    where = addresses.of(board)
    if any(entry.bundle for entry in board.all_entries):
        yield Link("Tasks", where.tasks)
    if len(board.ranks) > 1:
        yield Link("Compare rows", where.compare)
    if Sureness(board).is_told:
        yield Link("How sure", where.certainty)
    how = diagnostics_address(board)
    if how:
        yield Link(f"How the {labels.rounds_word(board.benchmark, 2)} went", how)
    yield Link("How scores are made", addresses.METHODS)
    yield from (Link(f"Whole board as {kind.title}", address) for kind, address in scores_files(board, site))
