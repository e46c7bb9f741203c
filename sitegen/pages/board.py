"""The page of a board."""

from collections import Counter

from sitegen.board.board import Board
from sitegen.errors import counted, errors_of
from sitegen.pages import addresses, labels
from sitegen.pages.charts import board_chart_views
from sitegen.pages.diagnostics import diagnostics_address
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.notices import source_notes, sureness
from sitegen.pages.standings import board_view


def board_page(board: Board, templates: Templates) -> Page:
    """Show a board."""
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
        "links": _links(board),
        "sources": source_notes(board),
        "findings": [each for each in board.results.findings if not each.tracks or track.id in each.tracks],
        "retired": board.retired,
        "errors": errors_of(board.results.problems),
    }
    return Page(address, title, f"{title}. {facts(board)}.", templates.fill("board.html.j2", address, values))


def benchmark_crumbs(board: Board) -> list[Crumb]:
    """Give the way down to a board's benchmark."""
    home = Crumb("Boards", addresses.HOME)
    return [home, Crumb(board.benchmark.title, addresses.benchmark_address(board.benchmark.id))]


def board_crumbs(board: Board) -> list[Crumb]:
    """Give the way down to a board."""
    address = addresses.board_address(board.benchmark.id, board.track.id)
    return [*benchmark_crumbs(board), Crumb(board.track.title, address)]


def facts(board: Board) -> str:
    """Say in a line what a board holds."""
    evidence = Counter(entry.evidence for entry in board.entries)
    parts = [counted(len(board.entries), "agent")]
    if board.tasks.tasks:
        word = labels.rounds_word(board.benchmark)
        parts += [counted(len(board.tasks.tasks), "task"), counted(board.tasks.rounds, word)]
    parts.append(counted(board.track.attempts, "attempt") + " per task")
    parts += [f"{number} {word}" for word, number in evidence.items()]
    if board.entries:
        parts.append(f"latest {max(entry.date for entry in board.entries)}")
    return " · ".join(parts)


def _links(board: Board) -> list[Crumb]:
    links = []
    if any(entry.bundle for entry in board.all_entries):
        links.append(Crumb("Tasks", addresses.tasks_address(board.benchmark.id, board.track.id)))
    if len(board.ranks) > 1:
        links.append(Crumb("Compare rows", addresses.compare_address(board.benchmark.id, board.track.id)))
    how = diagnostics_address(board)
    if how:
        links.append(Crumb(f"How the {labels.rounds_word(board.benchmark, 2)} went", how))
    links.append(Crumb("How scores are made", addresses.METHODS))
    as_json, as_csv = addresses.board_scores(board.benchmark.id, board.track.id)
    links += [Crumb("Whole board as CSV", as_csv), Crumb("Whole board as JSON", as_json)]
    return links
