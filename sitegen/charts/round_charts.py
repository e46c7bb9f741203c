"""How work holds from round to round until it breaks down."""

from collections.abc import Sequence

from sitegen.board.score import GAP
from sitegen.board.sureness import Sureness
from sitegen.charts.board_charts import MOST
from sitegen.charts.chart import Bar, Chart, Ranking, Scale, Table, Words
from sitegen.metrics.sureness import Rate

_FEW = 5
"""A round over fewer tasks is told, and no sentence comes from it."""


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
