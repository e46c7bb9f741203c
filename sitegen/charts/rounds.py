"""How the rounds of a track went, over all submissions: from round to round, phase to phase, and where work broke."""

from collections.abc import Iterator

from sitegen.board.board import Board
from sitegen.charts.chart import Chart
from sitegen.charts.panel import Course, Courses, Stop
from sitegen.metrics.diagnostics.diagnostic import Cell, Diagnostic, Share

_FEWEST = 3
"""Two steps are read off a table."""


def rounds_chart(board: Board) -> Chart | None:
    """Draw what the track's diagnostics tell of its rounds; None where they tell nothing."""
    found = {diagnostic.id: diagnostic for diagnostic in board.diagnosis.of_track}
    shown = (found.get("sr-mt") or found.get("by-round"), found.get("phases"), found.get("first-failure"))
    panels = [_courses(diagnostic) for diagnostic in shown if diagnostic and len(diagnostic.lines) >= _FEWEST]
    if not panels:
        return None
    word = board.benchmark.round_name.lower()
    return Chart(
        id="rounds",
        title=f"{board.track.title}: its {word}s at a glance",
        sentence=" ".join([*map(_told, panels), "The tables below hold these numbers, as k of n."]),
        panels=panels,
    )


def _courses(diagnostic: Diagnostic) -> Courses:
    """Draw the shares of a diagnostic, one course a column of shares."""
    steps = [line.label.removesuffix(" fifth") for line in diagnostic.lines]
    is_whole = diagnostic.id == "first-failure"
    return Courses(diagnostic.title, diagnostic.corner, steps, list(_columns(diagnostic)), is_whole)


def _columns(diagnostic: Diagnostic) -> Iterator[Course]:
    columns = zip(*(line.cells for line in diagnostic.lines), strict=True)
    for name, cells in zip(diagnostic.columns, columns, strict=True):
        stops = [_stop(cell) for cell in cells]
        if any(stops):
            yield Course(name, stops)


def _stop(cell: Cell) -> Stop | None:
    if not isinstance(cell, Share) or not cell.n:
        return None
    percent = 100 * cell.k / cell.n
    return Stop(percent, f"{percent:.1f} %, {cell.k:,} of {cell.n:,}")


def _told(panel: Courses) -> str:
    """Say where each course begins and where it ends."""
    parts = []
    for course in panel.courses:
        known = [stop.value for stop in course.stops if stop]
        name = f"{course.name} " if len(panel.courses) > 1 else ""
        parts.append(f"{name}{known[0]:.1f} % to {known[-1]:.1f} %")
    return f"{panel.title}, {panel.steps[0].lower()} to {panel.steps[-1].lower()}: {', '.join(parts)}."
