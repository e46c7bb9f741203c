"""Figures that a track's sources publish and that are not scores of agents."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from sitegen.board import GAP, Board
from sitegen.charts.analyses.points import length_of
from sitegen.charts.chart import AxisScale, Bar, BarList, Chart, ChartLabels, Curve, Curves, Table
from sitegen.models.benchmark import Track
from sitegen.models.outcome import RoundResult
from sitegen.models.reported import Exhibit
from sitegen.problems import agreeing, counted

PRINTED = "printed-"
"""Prefix of the ids of these charts."""

_DIGIT = re.compile(r"\d")

_Cell = Decimal | str


def printed_charts(board: Board, _: ChartLabels) -> list[Chart]:
    """Return charts of the exhibits of a track's published tables, which are not recomputed."""
    charts = []
    for table in board.results.reported_on(board.track):
        for exhibit in table.exhibits:
            charts.append(_exhibit_chart(board, exhibit))
    return charts


def _exhibit_chart(board: Board, exhibit: Exhibit) -> Chart:
    """Return the chart of an exhibit, with additional figures of this site if requested."""
    heads = list(exhibit.columns)
    lines = []
    for row in exhibit.rows:
        texts = [_cell_text(exhibit, row, column) for column in range(1, len(heads))]
        lines.append((_text(row[0]), texts))
    sentences = [f"As published in {exhibit.where}; not recomputed here."]
    if exhibit.note:
        sentences.append(exhibit.note)
    if exhibit.slips:
        cells = counted(len(exhibit.slips), "cell")
        verb = agreeing(len(exhibit.slips), "is", "are")
        sentences.append(f"{cells} {verb} known to be wrong; brackets show a value that would fit.")
    if exhibit.beside:
        track = next(track for track in board.benchmark.tracks if track.id == exhibit.beside)
        heads += [f"Tasks, {track.title}", f"Passed, {track.title} (%)"]
        recomputed = _pass_rates(board, track)
        for name, texts in lines:
            texts.extend(recomputed.get(name, (GAP, GAP)))
        sentences.append(
            "The last two columns are from this site. They cover different runs under a different "
            f"protocol ({track.title})."
        )
    panels = []
    if exhibit.draw:
        panels.append(_panel(exhibit, exhibit.draw))
    sentence = " ".join(sentences)
    table = Table(heads, lines)
    return Chart(PRINTED + exhibit.id, exhibit.title, sentence, panels, table)


def _panel(exhibit: Exhibit, column: str) -> BarList | Curves:
    """Return a column of an exhibit as a drawing, excluding cells that are not numbers.

    A column by round is a line. Counts of kinds that have no order are sorted.
    """
    index = exhibit.columns.index(column)
    bars = []
    for row in exhibit.rows:
        cell = row[index]
        if isinstance(cell, Decimal):
            name = _text(row[0])
            bars.append(Bar(None, name, float(cell), str(cell)))
    names = [bar.name for bar in bars]
    if _are_consecutive(names):
        values = [bar.value for bar in bars]
        return Curves(column, exhibit.columns[0], names, [Curve("", values, "first")])
    has_order = any(_DIGIT.search(name) for name in names)
    are_counts = all(bar.text.isdigit() for bar in bars)
    if are_counts and not has_order:
        bars.sort(key=lambda bar: -bar.value)
    return BarList(AxisScale(column), bars)


_MIN_STEPS = 3
"""Minimum number of steps of a line; fewer steps are drawn as bars."""


def _are_consecutive(names: Sequence[str]) -> bool:
    """Return whether names are consecutive whole numbers, as the names of rounds are."""
    if len(names) < _MIN_STEPS or not all(name.isdecimal() for name in names):
        return False
    numbers = [int(name) for name in names]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _text(cell: _Cell) -> str:
    if isinstance(cell, Decimal):
        return str(cell).replace("-", "−")
    return cell or GAP


def _cell_text(exhibit: Exhibit, row: Sequence[_Cell], column: int) -> str:
    """Return the text of a cell, with the likely value if the cell is known to be wrong."""
    cell_key = (str(row[0]), exhibit.columns[column])
    text = _text(row[column])
    for slip in exhibit.slips:
        if (slip.row, slip.column) == cell_key:
            text += f" ({slip.should} would fit)"
    return text


def _pass_rates(board: Board, track: Track) -> dict[str, tuple[str, str]]:
    """Return the number of tasks with a round and its pass rate in percent, by round number."""
    lengths = [length_of(task) for task in board.results.tasks_of(track).tasks]
    passed: dict[int, list[bool]] = defaultdict(list)
    for result in _counting_results(board, track):
        passed[result.round].append(result.solved)
    longest = max(lengths, default=0)
    rates = {}
    for number in range(1, longest + 1):
        tasks = sum(length >= number for length in lengths)
        verdicts = passed[number]
        rate = GAP
        if verdicts:
            rate = f"{100 * sum(verdicts) / len(verdicts):.1f}"
        rates[str(number)] = (str(tasks), rate)
    return rates


def _counting_results(board: Board, track: Track) -> Iterator[RoundResult]:
    """Yield the counted rounds of published submissions to a track that start from own work."""
    for bundle in board.results.bundles_of(track):
        if bundle.submission.status.state == "published":
            for result in bundle.rounds:
                if result.start == "own" and result.state != "excluded":
                    yield result
