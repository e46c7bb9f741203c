"""The page of a board."""

from collections.abc import Iterator, Sequence

from sitegen.board.board import Board
from sitegen.board.sureness import Sureness
from sitegen.models.release import Release
from sitegen.pages import addresses, labels
from sitegen.pages.charts import board_chart_views
from sitegen.pages.datasets import Shelf
from sitegen.pages.diagnostics import diagnostics_address
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.facts import facts
from sitegen.pages.findings import finding_views
from sitegen.pages.imprint import Imprint
from sitegen.pages.notices import source_notes, sureness
from sitegen.pages.standings import board_view
from sitegen.pages.takeaway import takeaway_of
from sitegen.pages.timeline import board_timeline
from sitegen.pages.tombstone import replacement_of
from sitegen.problems import errors_of


def board_page(board: Board, templates: Templates, releases: Sequence[Release] = ()) -> Page:
    """Show a board, with the way to what it was in the releases that have it; the oldest come first."""
    benchmark, track = board.benchmark, board.track
    address = addresses.board_address(benchmark.id, track.id)
    title = f"{benchmark.title}: {track.title}"
    values = {
        "title": track.title,
        "crumbs": benchmark_crumbs(board),
        "benchmark": benchmark,
        "track": track,
        "board": board_view(board),
        "charts": board_chart_views(board),
        "facts": facts(board),
        "sureness": sureness(board),
        "links": _links(board, templates.imprint),
        "releases": list(_snapshots(board, releases)),
        "timeline": board_timeline(board),
        "dataset": Shelf(address, templates, releases).board(board),
        "takeaway": takeaway_of(board, None, releases, templates.site),
        "sources": source_notes(board),
        "findings": finding_views(board),
        "title_of_headline": labels.title_of(board.headline, track, benchmark),
        "retired": [(entry, replacement_of(board, entry)) for entry in board.retired],
        "errors": errors_of(board.results.problems),
    }
    content = templates.fill("board.html.j2", address, values)
    return Page(address, title, f"{title}. {facts(board)}.", content, is_landing=True)


def benchmark_crumbs(board: Board) -> list[Crumb]:
    """Give the way down to a board's benchmark."""
    home = Crumb("Boards", addresses.HOME)
    return [home, Crumb(board.benchmark.title, addresses.benchmark_address(board.benchmark.id))]


def board_crumbs(board: Board) -> list[Crumb]:
    """Give the way down to a board."""
    address = addresses.board_address(board.benchmark.id, board.track.id)
    return [*benchmark_crumbs(board), Crumb(board.track.title, address)]


def _snapshots(board: Board, releases: Sequence[Release]) -> Iterator[tuple[str, Crumb]]:
    """Give the releases that have a board, the latest first: the day, and the board as it was."""
    for release in reversed(releases):
        if release.board(board.benchmark.id, board.track.id):
            address = addresses.snapshot_address(release.date, board.benchmark.id, board.track.id)
            yield str(release.date), Crumb(release.name, address)


def _links(board: Board, imprint: Imprint) -> list[Crumb]:
    links = []
    if any(entry.bundle for entry in board.all_entries):
        links.append(Crumb("Tasks", addresses.tasks_address(board.benchmark.id, board.track.id)))
    if len(board.ranks) > 1:
        links.append(Crumb("Compare rows", addresses.compare_address(board.benchmark.id, board.track.id)))
    if Sureness(board).is_told:
        links.append(Crumb("How sure", addresses.certainty_address(board.benchmark.id, board.track.id)))
    how = diagnostics_address(board)
    if how:
        links.append(Crumb(f"How the {labels.rounds_word(board.benchmark, 2)} went", how))
    links.append(Crumb("How scores are made", addresses.METHODS))
    files = imprint.scores_files(board.benchmark.id, board.track.id)
    links += (Crumb(f"Whole board as {file.kind.title}", file.address) for file in files)
    return links
