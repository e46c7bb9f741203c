"""The headline score of a board on the kinds of tasks that an axis tells apart."""

from collections.abc import Iterator, Sequence
from math import fsum

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.board.splits import Group, Split
from sitegen.charts.chart import Chart, Table, Words
from sitegen.charts.panel import Strip, Strips, Tick
from sitegen.charts.scores import scale_of
from sitegen.problems import counted

FEWEST = 2
"""One kind of tasks compares with nothing, and so does one agent."""


def splits_chart(board: Board, words: Words) -> Chart | None:
    """Show the headline score by kinds of tasks; None where it is not split."""
    panels = _panels(board, words)
    if not panels:
        return None
    title = words.title(board.headline)
    decimals = board.headline.decimals
    sentence = f"{title} of each agent on each kind of tasks, with the mean over agents as a long mark."
    return Chart(
        id="splits",
        title=f"{title} by {_axes(panels)}",
        sentence=" ".join([sentence, *(_extremes(split, strips, decimals) for split, strips in panels)]),
        panels=[strips for _, strips in panels],
        table=_table(board, [split for split, _ in panels], words),
    )


def splits_panels(board: Board, words: Words) -> list[Strips]:
    """Give what `splits_chart` and `entry_splits_chart` draw."""
    return [strips for _, strips in _panels(board, words)]


def entry_splits_chart(board: Board, entry: Entry, words: Words) -> Chart | None:
    """Show one row's headline score by kinds of tasks among those of all others; None where it has none."""
    panels = _panels(board, words)
    strips = [strip for _, each in panels for strip in each.strips]
    place = _place(board, entry)
    if place is None or not any(strip.tick(place) for strip in strips):
        return None
    metric, name = board.headline, words.names[entry.id]
    lines = [(strip.title, _beside_others(strip, place, metric.decimals)) for strip in strips]
    return Chart(
        id="splits",
        title=f"{words.title(metric)} by {_axes(panels)}",
        sentence=f"{words.title(metric)} on each kind of tasks: {name} is the thick mark, the other agents of the "
        "board are the thin ones, and the mean over all is the long one.",
        panels=[each for _, each in panels],
        table=Table(["Tasks", f"{name}, {words.axis(metric)}", "Mean of all", "Lowest", "Highest"], lines),
    )


def _panels(board: Board, words: Words) -> list[tuple[Split, Strips]]:
    if not board.ranks:
        return []  # the scores do not compare
    scale = scale_of(board.headline, words)
    found = [(split, Strips(split.title.lower(), scale, list(_strips(board, split, words)))) for split in board.splits]
    return [(split, strips) for split, strips in found if len(strips.strips) >= FEWEST]


def _axes(panels: Sequence[tuple[Split, Strips]]) -> str:
    return " and ".join(split.title.lower() for split, _ in panels)


def _place(board: Board, entry: Entry) -> int | None:
    """Give a row's place on its board, from 0; None where the board does not rank it."""
    return next((place for place, other in enumerate(board.entries) if other is entry), None)


def _strips(board: Board, split: Split, words: Words) -> Iterator[Strip]:
    for group in split.groups:
        ticks = _ticks(board, group, words)
        if len(ticks) >= FEWEST:
            title = f"{group.value}, {counted(group.tasks, 'task')}" if group.tasks else group.value
            yield Strip(title, ticks, fsum(tick.value for tick in ticks) / len(ticks))


def _ticks(board: Board, group: Group, words: Words) -> list[Tick]:
    ticks = []
    for place, entry in enumerate(board.entries):
        score = group.scores.get(entry.id)
        if score and score.value is not None and not entry.is_incomplete:
            ticks.append(Tick(place, words.names[entry.id], score.value, score.text))
    return ticks


def _extremes(split: Split, strips: Strips, decimals: int) -> str:
    low, *_, high = sorted(strips.strips, key=lambda strip: strip.mean)
    least, most = (f"{strip.mean:.{decimals}f} ({strip.title})" for strip in (low, high))
    told = f"By {split.title.lower()} the mean goes from {least} to {most}."
    return " ".join(filter(None, (told, split.left_out)))


def _table(board: Board, splits: Sequence[Split], words: Words) -> Table:
    groups = [group for split in splits for group in split.groups]
    lines = []
    for entry in board.entries:
        scores = [group.scores.get(entry.id) for group in groups]
        if any(scores):
            lines.append((words.names[entry.id], [score.text if score else GAP for score in scores]))
    return Table(["Agent", *(group.value for group in groups)], lines)


def _beside_others(strip: Strip, place: int, decimals: int) -> list[str]:
    own = strip.tick(place)
    ordered = sorted(strip.ticks, key=lambda tick: tick.value)
    return [own.text if own else GAP, f"{strip.mean:.{decimals}f}", ordered[0].text, ordered[-1].text]
