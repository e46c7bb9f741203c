"""Panels as Altair charts."""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, zip_longest

import altair as alt

from sitegen.charts.layout import Plot, downwards, in_steps, onwards, upwards
from sitegen.charts.naming import LETTER, Field, Point, Spot
from sitegen.charts.palette import INK, MARK, PAPER, QUIET, RULE, STRONG_RULE, of_agent
from sitegen.charts.panel import Bar, Cloud, Courses, Dot, Panel, Ranking, Scale, Stop, Strips
from sitegen.charts.ruler import Ruler, fitting, from_zero

_ROW, _STRIP, _HEIGHT = 16, 36, 200
_NAMES, _NUMBERS = 194, 44
"""What names take at most to the left of a ranking, and numbers to its right."""

_NOTES, _LINE = 14, 12.0
"""Height of a row of notes below the names of steps, and of a line of text."""

_WHOLE = 100.0
_ABOUT = alt.Description("about:N")
_TEXT = alt.Text("text:N")
_COLOUR = alt.Color("colour:N", scale=None)
"""Colours are those that the data names."""


def plot_of(panel: Panel) -> Plot:
    """Lay a panel out."""
    match panel:
        case Ranking():
            return _ranking(panel)
        case Cloud():
            return _cloud(panel)
        case Strips():
            return _strips(panel)
        case Courses():
            return _courses(panel)


def _ranking(panel: Ranking) -> Plot:
    bars = panel.bars
    longest = round(LETTER * max(len(bar.name) for bar in bars)) + 10
    plot = Plot(_ROW * len(bars), left=min(longest, _NAMES), right=_NUMBERS, top=2)
    ruler = from_zero(panel.scale, list(chain.from_iterable(bar.ends for bar in bars)))
    rows = [_row(row, bar) for row, bar in enumerate(bars)]
    names = [{"row": row, "x": ruler.low, "text": _short(bar.name)} for row, bar in enumerate(bars)]
    numbers = [{"row": row, "x": ruler.high, "text": bar.text} for row, bar in enumerate(bars)]
    y, x = downwards("row", len(bars)), onwards("x", ruler)
    sure, dots = plot.of([row for row in rows if "low" in row]), plot.of(rows)
    plot.draw(
        sure.mark_rule(aria=False, color=INK).encode(y=y, x=onwards("low", ruler), x2=alt.X2("high")),
        dots.mark_point(filled=True, size=36, opacity=1).encode(y=y, x=x, color=_COLOUR, description=_ABOUT),
        plot.of(names).mark_text(aria=False, align="right", dx=-8, dy=4, color=INK).encode(y=y, x=x, text=_TEXT),
        plot.of(numbers)
        .mark_text(aria=False, align="right", dx=_NUMBERS - 4, dy=4, color=INK)
        .encode(y=y, x=x, text=_TEXT),
    )
    return plot


def _row(row: int, bar: Bar) -> dict[str, object]:
    made = {"row": row, "x": bar.value, "colour": of_agent(bar.agent), "about": f"{bar.name}: {bar.text}"}
    return made if bar.low is None else {**made, "low": bar.low, "high": bar.high}


def _short(name: str) -> str:
    """Cut a name that would reach out of the drawing."""
    letters = int((_NAMES - 10) / LETTER)
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _cloud(panel: Cloud) -> Plot:
    plot = Plot(_HEIGHT, left=34, right=16, top=24)
    across, up = _rulers(panel)
    x, y = onwards("x", across), upwards("y", up)
    line = _diagonal(across, up) if panel.diagonal else _front(panel)
    plot.draw(*(layer.encode(x=x, y=y) for layer in _line(panel.diagonal, line, plot)))
    dots = plot.of([_dot(dot, is_full=dot.is_front or panel.diagonal is not None) for dot in panel.dots])
    fill, stroke = alt.Fill("fill:N", scale=None), alt.Stroke("stroke:N", scale=None)
    plot.draw(
        dots.mark_point(size=36, opacity=1, strokeWidth=1.5).encode(
            x=x, y=y, fill=fill, stroke=stroke, description=_ABOUT
        ),
        _named(panel, line, plot, (across, up)).encode(x=x, y=y, text=_TEXT),
    )
    return plot


def _rulers(panel: Cloud) -> tuple[Ruler, Ruler]:
    """Give both axes of a cloud, which are the same one where it has a diagonal."""
    x, y = [dot.x for dot in panel.dots], [dot.y for dot in panel.dots]
    if panel.diagonal:
        return from_zero(panel.x, [*x, *y]), from_zero(panel.y, [*x, *y])
    return fitting(panel.x, x), from_zero(panel.y, y)


def _dot(dot: Dot, *, is_full: bool) -> dict[str, object]:
    colour = of_agent(dot.agent)
    fill = colour if is_full else PAPER
    return {"x": dot.x, "y": dot.y, "stroke": colour, "fill": fill, "about": f"{dot.name}: {dot.text}"}


def _front(panel: Cloud) -> list[Point]:
    """Give the front as steps: up to the next dot, nothing better can be had for less."""
    on = sorted((dot.x, dot.y) for dot in panel.dots if dot.is_front)
    corners = [(to_x, y) for (_, y), (to_x, _) in pairwise(on)]
    return [point for pair in zip_longest(on, corners) for point in pair if point]


def _diagonal(across: Ruler, up: Ruler) -> list[Point]:
    return [(end, end) for end in (max(across.low, up.low), min(across.high, up.high))]


def _line(diagonal: str | None, points: Sequence[Point], plot: Plot) -> Iterator[alt.Chart]:
    layer = plot.of([{"x": x, "y": y, "order": order} for order, (x, y) in enumerate(points)])
    if diagonal is None:
        yield layer.mark_line(aria=False, stroke=STRONG_RULE, strokeWidth=1.5).encode(order=alt.Order("order:Q"))
        return
    yield layer.mark_line(aria=False, stroke=STRONG_RULE, strokeWidth=1, strokeDash=[4, 3])
    (first, _), (last, _) = points
    middle = plot.of([{"x": (first + last) / 2, "y": (first + last) / 2, "text": diagonal}])
    yield middle.mark_text(aria=False, align="left", dx=8, dy=10, color=QUIET).encode(text=_TEXT)


def _named(panel: Cloud, line: Sequence[Point], plot: Plot, rulers: tuple[Ruler, Ruler]) -> alt.Chart:
    """Name the dots that there is room to name, those on the front before others."""
    across, up = rulers

    def placed(x: float, y: float) -> Point:
        return across.place(x, plot.width), plot.height - up.place(y, plot.height)

    dots = sorted(panel.dots, key=lambda dot: not dot.is_front)
    field = Field(plot.width, plot.height, [placed(*point) for point in line])
    values = [
        {
            "x": dots[label.spot].x,
            "y": dots[label.spot].y,
            "text": dots[label.spot].name,
            "right": label.right,
            "down": label.down,
            "align": label.align,
        }
        for label in field.labels([Spot(*placed(dot.x, dot.y), dot.name) for dot in dots])
    ]
    right, down, align = (alt.ExprRef(f"datum.{name}") for name in ("right", "down", "align"))
    named: alt.Chart = plot.of(values).mark_text(aria=False, color=INK, align=align, dx=right, dy=down)
    return named


def _strips(panel: Strips) -> Plot:
    strips = panel.strips
    plot = Plot(_STRIP * len(strips), left=12, right=16, top=2)
    ruler = from_zero(panel.scale, [tick.value for strip in strips for tick in strip.ticks])
    lines = [
        {"row": row, "text": strip.title, "mean": strip.mean, "x": ruler.low, "end": ruler.high}
        for row, strip in enumerate(strips)
    ]
    values = [
        {"row": row, "x": tick.value, "colour": of_agent(tick.agent), "about": f"{tick.name}: {tick.text}"}
        for row, strip in enumerate(strips)
        for tick in strip.ticks
    ]
    y, x, each, ticks = downwards("row", len(strips), middle=0.62), onwards("x", ruler), plot.of(lines), plot.of(values)
    plot.draw(
        each.mark_rule(aria=False, color=RULE).encode(y=y, x=x, x2=alt.X2("end")),
        each.mark_tick(aria=False, thickness=2, size=18, opacity=1, color=INK).encode(y=y, x=onwards("mean", ruler)),
        ticks.mark_tick(thickness=2, size=9, opacity=1).encode(y=y, x=x, color=_COLOUR, description=_ABOUT),
        each.mark_text(aria=False, align="left", dy=-11, color=INK).encode(y=y, x=x, text=_TEXT),
    )
    return plot


def _courses(panel: Courses) -> Plot:
    names = [course.name for course in panel.courses] if len(panel.courses) > 1 else []
    room = _NOTES if panel.tasks else 0
    plot = Plot(_HEIGHT, left=34, right=16 + round(LETTER * max(map(len, names), default=0)), top=24, below=room)
    stops = list(_stops(panel))
    values = [_at(panel, step, name, stop) for step, name, stop in stops]
    ruler = from_zero(Scale(f"{panel.title} (%)", _WHOLE), [stop.value for _, _, stop in stops])
    x, y = in_steps("step", panel.word, panel.steps, room), upwards("value", ruler)
    marks = plot.of(values)
    noted = _noted(panel, plot, ruler).encode(x=x, y=y, text=_TEXT)
    if panel.is_whole:
        column = marks.mark_bar(width=0.6 * plot.width / len(panel.steps), opacity=1)
        plot.draw(column.encode(x=x, y=y, color=_COLOUR, description=_ABOUT), noted)
        return plot
    for colour in (STRONG_RULE, MARK):  # the pale line goes on where the other ends
        along = plot.of([value for value in values if colour in {STRONG_RULE, value["colour"]}])
        line = along.mark_line(aria=False, color=colour, strokeWidth=1.5)
        plot.draw(line.encode(x=x, y=y, detail=alt.Detail("text:N")))
    dot = marks.mark_point(filled=True, size=24, opacity=1)
    plot.draw(dot.encode(x=x, y=y, color=_COLOUR, description=_ABOUT), noted)
    if names:
        ends = plot.of(_ends(stops, ruler))
        down = alt.ExprRef("datum.down")
        plot.draw(ends.mark_text(aria=False, align="left", dx=8, dy=down, color=INK).encode(x=x, y=y, text=_TEXT))
    return plot


def _ends(stops: Sequence[tuple[int, str, Stop]], ruler: Ruler) -> list[dict[str, object]]:
    """Name the courses where they end, the highest first, none over another."""
    last = {name: (step, name, stop.value) for step, name, stop in stops}
    ends: list[dict[str, object]] = []
    taken = -_LINE
    for step, name, value in sorted(last.values(), key=lambda end: -end[2]):
        place = _HEIGHT - ruler.place(value, _HEIGHT)
        taken = max(place, taken + _LINE)
        ends.append({"step": step, "value": value, "text": name, "down": 4 + taken - place})
    return ends


def _noted(panel: Courses, plot: Plot, ruler: Ruler) -> alt.Chart:
    """Write how many tasks each step is over, in a row below the names of the steps."""
    row = [(-0.5, "n =", "right"), *((step, str(many), "center") for step, many in enumerate(panel.tasks))]
    values = [{"step": step, "value": ruler.low, "text": text, "align": align} for step, text, align in row]
    notes = plot.of(values if panel.tasks else [])
    noted: alt.Chart = notes.mark_text(aria=False, align=alt.ExprRef("datum.align"), dy=_NOTES + 15, color=QUIET)
    return noted


def _at(panel: Courses, step: int, name: str, stop: Stop) -> dict[str, object]:
    over = f", n = {panel.tasks[step]}" if panel.tasks else ""
    about = f"{panel.steps[step]}: {stop.text}{over}"
    return {"step": step, "value": stop.value, "text": name, "about": about, "colour": _colour(stop)}


def _colour(stop: Stop) -> str:
    return STRONG_RULE if stop.is_thin else MARK


def _stops(panel: Courses) -> Iterator[tuple[int, str, Stop]]:
    """Give the stops that are there: the number of the step, the name of the course, and the stop."""
    for course in panel.courses:
        yield from ((step, course.name, stop) for step, stop in enumerate(course.stops) if stop)
