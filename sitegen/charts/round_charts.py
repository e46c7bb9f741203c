"""How rounds went: from round to round, phase to phase, and how work holds until it breaks down."""

from collections.abc import Sequence

from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.board.sureness import Sureness
from sitegen.charts.board_charts import MOST
from sitegen.charts.chart import Bar, Chart, Course, Courses, Ranking, Scale, Stop, Table, Words
from sitegen.metrics.diagnostics import Cell, Diagnostic, Share
from sitegen.metrics.diagnostics.outline import FEWEST
from sitegen.metrics.sureness import Rate

_FEWEST_STEPS = 3
"""Two steps are read off a table."""

_FEW = 5
"""A round over fewer tasks is told, and no sentence comes from it."""


def rounds_chart(board: Board) -> Chart | None:
    """Draw what the track's diagnostics tell of its rounds; None where they tell nothing."""
    found = {diagnostic.id: diagnostic for diagnostic in board.diagnosis.of_track}
    shown = (found.get("sr-mt") or found.get("by-round"), found.get("phases"), found.get("first-failure"))
    drawn = [(each, _courses(each)) for each in shown if each and len(each.curve or each.lines) >= _FEWEST_STEPS]
    if not drawn:
        return None
    panels = [panel for _, panel in drawn]
    told = [sentence for diagnostic, panel in drawn if (sentence := _sentence(panel, diagnostic.over))]
    stops = [stop for panel in panels for course in panel.courses for stop in course.stops]
    if any(stop and stop.is_thin for stop in stops):
        told.append(f"Pale marks are over fewer than {FEWEST} tasks, as the n below them says.")
    # Curves that do not go along the lines of their table below have their numbers here.
    beside = next((panel for each, panel in drawn if each.curve and each.curve != each.lines), None)
    told.append(f"The tables below {'are over all tasks' if beside else 'hold these numbers'}, as k of n.")
    return Chart(
        id="rounds",
        title=f"{board.track.title}: its {board.benchmark.round_name.lower()}s at a glance",
        sentence=" ".join(told),
        panels=panels,
        table=_table(beside) if beside else None,
    )


def _table(panel: Courses) -> Table:
    stops = zip(*(course.stops for course in panel.courses), strict=True)
    texts = [[stop.text if stop else GAP for stop in several] for several in stops]
    return Table([panel.word, *(course.name for course in panel.courses)], list(zip(panel.steps, texts, strict=True)))


def _courses(diagnostic: Diagnostic) -> Courses:
    """Draw the shares of a diagnostic, one course a column of shares."""
    lines = diagnostic.curve or diagnostic.lines
    tasks = [line.tasks or 0 for line in lines]
    is_plain = len(set(tasks)) == 1 and tasks[0] >= FEWEST
    stops = zip(*([_stop(cell, line.tasks or 0) for cell in line.cells] for line in lines), strict=True)
    return Courses(
        diagnostic.title,
        diagnostic.corner,
        [line.label.removesuffix(" fifth") for line in lines],
        [Course(name, each) for name, each in zip(diagnostic.columns, stops, strict=True) if any(each)],
        diagnostic.id == "first-failure",
        () if is_plain else tasks,
    )


def _stop(cell: Cell, tasks: int) -> Stop | None:
    if not isinstance(cell, Share) or not cell.n:
        return None
    percent = 100 * cell.k / cell.n
    return Stop(percent, f"{percent:.1f} %, {cell.k:,} of {cell.n:,}", is_thin=tasks < FEWEST)


def _sentence(panel: Courses, over: str) -> str:
    """Say where each course begins and where it ends, as far as there are enough tasks to tell; else nothing."""
    firm = [[stop if stop and not stop.is_thin else None for stop in course.stops] for course in panel.courses]
    steps = [step.lower() for step, *stops in zip(panel.steps, *firm, strict=True) if any(stops)]
    parts = []
    for course, stops in zip(panel.courses, firm, strict=True):
        known = [stop.value for stop in stops if stop]
        name = f"{course.name} " if len(panel.courses) > 1 else ""
        parts += [f"{name}{known[0]:.1f} % to {known[-1]:.1f} %"] if known else []
    over = f", over {over}" if over else ""
    return f"{panel.title}, {steps[0]} to {steps[-1]}: {', '.join(parts)}{over}." if len(steps) > 1 else ""


def sureness_charts(found: Sureness, words: Words) -> Sequence[Chart]:
    """Draw how work holds from round to round, as far as the board's protocol and rows tell."""
    return list(filter(None, (_keeping_chart(found, words), _breakdown_chart(found))))


def _keeping_chart(found: Sureness, words: Words) -> Chart | None:
    lines = [each for each in found.keeping if each.kept or each.recovered]
    if not lines:
        return None
    word, together = found.board.benchmark.round_name.lower(), lines[0]
    names = [words.names[each.entry.id] if each.entry else "All rows" for each in lines]
    said, panels = [], []
    columns = ([each.kept for each in lines], [each.recovered for each in lines])
    for what, whole, rates in zip(("passed", "failed"), (together.kept, together.recovered), columns, strict=True):
        said += [f"right after a {word} that {what}, {_percent(whole)} pass"] if whole else []
        bars = [_bar(name, rate) for name, rate in zip(names[:MOST], rates, strict=False) if rate]
        panels += [Ranking(Scale(f"Pass right after a {word} that {what} (%)", 100.0), bars)] if bars else []
    return Chart(
        id="keeping",
        title="Keeping, and recovering",
        sentence=f"Of all rows together: {'; '.join(said)}. Intervals are over tasks.",
        panels=panels,
        table=Table(
            ["Agent", "Pass after a pass", "k of n", "Pass after a fail", "k of n"],
            [(name, [*_cells(each.kept), *_cells(each.recovered)]) for name, each in zip(names, lines, strict=True)],
        ),
    )


def _breakdown_chart(found: Sureness) -> Chart | None:
    if not found.breakdowns:
        return None
    name = found.board.benchmark.round_name
    word = name.lower()
    drawn = [(number, rate) for number, tasks, rate in found.breakdowns if tasks >= _FEW]
    first = f" At {word} 1, {_percent(drawn[0][1])}." if drawn else ""
    is_whole = len(drawn) == len(found.breakdowns)
    thin = "" if is_whole else f"; over fewer than {_FEW} it says little, and is not drawn"
    bars = [_bar(f"{name} {number}", rate) for number, rate in drawn]
    return Chart(
        id="breakdown",
        title="Where work breaks down",
        sentence=f"Of the attempts that passed every {word} before, the share that fails at this one.{first} "
        f"Each {word} is over the tasks that some attempt reached whole{thin}.",
        panels=[Ranking(Scale("Fail here, of those that passed all before (%)", 100.0), bars)] if bars else [],
        table=Table(
            [name, "Fail here", "k of n", "Tasks"],
            [(str(number), [*_cells(rate), str(tasks)]) for number, tasks, rate in found.breakdowns],
        ),
    )


def _bar(name: str, rate: Rate) -> Bar:
    value, low, high = (100 * each for each in (rate.k / rate.n, rate.interval.low, rate.interval.high))
    return Bar(None, name, value, f"{value:.1f}", low, high)


def _cells(rate: Rate | None) -> Sequence[str]:
    return (_percent(rate), f"{rate.k:,} of {rate.n:,}") if rate else (GAP, GAP)


def _percent(rate: Rate) -> str:
    low, high = (100 * each for each in (rate.interval.low, rate.interval.high))
    return f"{100 * rate.k / rate.n:.1f} % ({low:.1f} to {high:.1f})"
