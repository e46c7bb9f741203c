"""How work holds from round to round: a pass kept, a failure mended, and where it breaks down."""

from collections.abc import Iterator, Sequence

from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.board.sureness import Sureness
from sitegen.charts.chart import Chart, Table, Words
from sitegen.charts.panel import Bar, Ranking, Scale
from sitegen.charts.scores import MOST
from sitegen.metrics.sureness import Rate

_FEW = 5
"""A round over fewer tasks is told, and no sentence comes from it."""


def sureness_charts(found: Sureness, words: Words) -> Sequence[Chart]:
    """Draw how work holds, as far as the board's protocol and rows tell."""
    return [*_keeping(found, words), *_breakdowns(found)]


def _keeping(found: Sureness, words: Words) -> Iterator[Chart]:
    lines = [each for each in found.keeping if each.kept or each.recovered]
    if not lines:
        return
    word, together = _round(found.board), lines[0]
    kinds = ("passed", "failed")
    said = [
        f"right after a {word} that {what}, {_percent(rate)} pass"
        for what, rate in zip(kinds, (together.kept, together.recovered), strict=True)
        if rate
    ]
    names = [words.names[each.entry.id] if each.entry else "All rows" for each in lines]
    bars = [
        [_bar(name, rate) for name, rate in zip(names[:MOST], rates, strict=False) if rate]
        for rates in zip(*((each.kept, each.recovered) for each in lines), strict=True)
    ]
    titles = [f"Pass right after a {word} that {what} (%)" for what in kinds]
    yield Chart(
        id="keeping",
        title="Keeping, and recovering",
        sentence=f"Of all rows together: {'; '.join(said)}. Intervals are over tasks.",
        panels=[Ranking(Scale(title, 100.0), each) for title, each in zip(titles, bars, strict=True) if each],
        table=Table(
            ["Agent", "Pass after a pass", "k of n", "Pass after a fail", "k of n"],
            [(name, [*_cells(each.kept), *_cells(each.recovered)]) for name, each in zip(names, lines, strict=True)],
        ),
    )


def _breakdowns(found: Sureness) -> Iterator[Chart]:
    if not found.breakdowns:
        return
    word = _round(found.board)
    told = [rate for _, tasks, rate in found.breakdowns if tasks >= _FEW]
    first = f" At {word} 1, {_percent(told[0])}." if told else ""
    thin = "" if len(told) == len(found.breakdowns) else f"; over fewer than {_FEW} it says little, and is not drawn"
    name = found.board.benchmark.round_name
    bars = [_bar(f"{name} {number}", rate) for number, tasks, rate in found.breakdowns if tasks >= _FEW]
    yield Chart(
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


def _round(board: Board) -> str:
    return board.benchmark.round_name.lower()


def _bar(name: str, rate: Rate) -> Bar:
    value, low, high = (100 * each for each in (rate.k / rate.n, rate.interval.low, rate.interval.high))
    return Bar(None, name, value, f"{value:.1f}", low, high)


def _cells(rate: Rate | None) -> Sequence[str]:
    return (_percent(rate), f"{rate.k:,} of {rate.n:,}") if rate else (GAP, GAP)


def _percent(rate: Rate) -> str:
    low, high = (100 * each for each in (rate.interval.low, rate.interval.high))
    return f"{100 * rate.k / rate.n:.1f} % ({low:.1f} to {high:.1f})"
