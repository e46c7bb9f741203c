"""How the rounds of a track went, over all submissions: from round to round, phase to phase, and where work broke."""

from collections.abc import Iterator, Sequence

from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.charts.chart import Chart, Table
from sitegen.charts.panel import Course, Courses, Stop
from sitegen.metrics.diagnostics import Cell, Diagnostic, Line, Share
from sitegen.metrics.diagnostics.outline import FEWEST

_FEWEST_STEPS = 3
"""Two steps are read off a table."""

_BELOW = "The tables below hold these numbers, as k of n."
_BELOW_ALL = "The tables below are over all tasks, as k of n."


def rounds_chart(board: Board) -> Chart | None:
    """Draw what the track's diagnostics tell of its rounds; None where they tell nothing."""
    found = {diagnostic.id: diagnostic for diagnostic in board.diagnosis.of_track}
    shown = (found.get("sr-mt") or found.get("by-round"), found.get("phases"), found.get("first-failure"))
    drawn = [(each, _courses(each)) for each in shown if each and len(_steps(each)) >= _FEWEST_STEPS]
    if not drawn:
        return None
    word = board.benchmark.round_name.lower()
    panels = [panel for _, panel in drawn]
    thin = any(stop.is_thin for panel in panels for course in panel.courses for stop in course.stops if stop)
    muted = [f"Pale marks are over fewer than {FEWEST} tasks, as the n below them says."] if thin else []
    told = [sentence for diagnostic, panel in drawn for sentence in _told(panel, diagnostic.over)]
    table = next((_table(panel) for each, panel in drawn if each.curve and each.curve != each.lines), None)
    return Chart(
        id="rounds",
        title=f"{board.track.title}: its {word}s at a glance",
        sentence=" ".join([*told, *muted, _BELOW if table is None else _BELOW_ALL]),
        panels=panels,
        table=table,
    )


def _table(panel: Courses) -> Table:
    """Tell the numbers of curves that do not go along the lines of their table below."""
    stops = zip(*(course.stops for course in panel.courses), strict=True)
    texts = [[stop.text if stop else GAP for stop in several] for several in stops]
    return Table([panel.word, *(course.name for course in panel.courses)], list(zip(panel.steps, texts, strict=True)))


def _steps(diagnostic: Diagnostic) -> Sequence[Line]:
    return diagnostic.curve or diagnostic.lines


def _courses(diagnostic: Diagnostic) -> Courses:
    """Draw the shares of a diagnostic, one course a column of shares."""
    lines = _steps(diagnostic)
    steps = [line.label.removesuffix(" fifth") for line in lines]
    tasks = [line.tasks or 0 for line in lines]
    is_plain = len(set(tasks)) == 1 and tasks[0] >= FEWEST
    is_whole = diagnostic.id == "first-failure"
    courses = list(_columns(diagnostic))
    return Courses(diagnostic.title, diagnostic.corner, steps, courses, is_whole, () if is_plain else tasks)


def _columns(diagnostic: Diagnostic) -> Iterator[Course]:
    for place, name in enumerate(diagnostic.columns):
        stops = [_stop(line.cells[place], line.tasks or 0) for line in _steps(diagnostic)]
        if any(stops):
            yield Course(name, stops)


def _stop(cell: Cell, tasks: int) -> Stop | None:
    if not isinstance(cell, Share) or not cell.n:
        return None
    percent = 100 * cell.k / cell.n
    return Stop(percent, f"{percent:.1f} %, {cell.k:,} of {cell.n:,}", is_thin=tasks < FEWEST)


def _told(panel: Courses, over: str) -> Iterator[str]:
    """Say where each course begins and where it ends, as far as there are enough tasks to tell."""
    steps = zip(panel.steps, zip(*(course.stops for course in panel.courses), strict=True), strict=True)
    firm = [step.lower() for step, stops in steps if any(map(_is_firm, stops))]
    parts = []
    for course in panel.courses:
        known = [stop.value for stop in course.stops if stop and _is_firm(stop)]
        name = f"{course.name} " if len(panel.courses) > 1 else ""
        parts += [f"{name}{known[0]:.1f} % to {known[-1]:.1f} %"] if known else []
    if len(firm) > 1:
        yield f"{panel.title}, {firm[0]} to {firm[-1]}: {', '.join(parts)}{f', over {over}' if over else ''}."


def _is_firm(stop: Stop | None) -> bool:
    return stop is not None and not stop.is_thin
