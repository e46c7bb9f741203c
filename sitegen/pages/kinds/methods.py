"""What is generated of the methods pages: every metric in short, and with its formula and a worked example."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sitegen.board.board import Board
from sitegen.board.explanation import Example, example_of
from sitegen.metrics.catalogue import METRICS, metrics_of
from sitegen.metrics.metric import Metric
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import board_link, entry_link
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.site import Whole, authored_parts
from sitegen.problems import counted

SHOWN = 5
"""So many tasks of an example are shown, or one more where that shows all."""
_MORE_DIGITS = 2
"""Digits beyond those of boards: a reader who adds up the lines comes out at the result, which has one digit less."""

_UNITS = {"percent": "%", "share": ""}
"""How a unit stands behind a number, where it does not stand there by its name."""

Piece = tuple[str, str]
"""A piece of a formula, and the index that follows it; empty where none does."""


@authored_parts
def methods_part(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show the metrics of benchmarks and of the catalogue: the boards that use each, and one score taken apart."""
    scores = [
        score
        for board in whole.boards
        for entry in board.all_entries
        for score in entry.scores.values()
    ]
    versions = {(score.metric.id, score.version) for score in scores if score.version}
    own = {board.benchmark.id: board.benchmark for board in whole.boards if board.benchmark.metrics}
    declared = [
        (metric, each)
        for each in own.values()
        for metric in metrics_of(each).values()
        if metric.is_own
    ]
    methods = [
        {
            "metric": metric,
            "anchor": labels.method_anchor(metric, benchmark),
            "benchmark": benchmark,
            "formula": _pieces(metric.told.formula),
            "letters": [(_pieces(name), meaning) for name, meaning in metric.told.letters.items()],
            "used": [board_link(board) for board in whole.boards if metric in board.columns],
            "versions": sorted(version for name, version in versions if name == metric.id),
            "example": _example(metric, whole.boards),
        }
        for metric, benchmark in (*declared, *((metric, None) for metric in METRICS.values()))
    ]
    for address, template in (
        (addresses.METHODS, "metrics.html.j2"),
        (addresses.FORMULAS, "methods.html.j2"),
    ):
        yield Fragment(address, "metrics", templates.fill(template, address, {"methods": methods}))


def _pieces(formula: str) -> Sequence[Piece]:
    """Part a formula at its indices, which one letter after a low line is."""
    texts = [*re.split(r"_(\w)", formula), ""]
    return list(zip(texts[::2], texts[1::2], strict=True))


def _example(metric: Metric, boards: Sequence[Board]) -> Mapping[str, object] | None:
    """Take one of a metric's scores apart, in the words of the page; None where nothing here measures it."""
    example = example_of(metric, boards)
    if example is None:
        return None
    score, is_pooled = example.score, metric.weigh is not None
    shown = example.parts if len(example.parts) <= SHOWN + 1 else example.parts[:SHOWN]
    hidden = len(example.parts) - len(shown)
    heads: list[str] = [metric.unit]
    if is_pooled:
        heads = (
            ["passed", "of"]
            if _is_count(metric)
            else [metric.unit, "weight" if metric.weigh == "own" else "rounds"]
        )

    def numbers(amount: float, weight: float) -> Sequence[str]:
        """Write what a task, or all of them, contribute."""
        return [_amount(metric, amount), *([f"{weight:,.4g}"] if is_pooled else [])]

    unit = _UNITS.get(metric.unit, metric.unit)
    if metric.unit == "tasks" and score.counted and score.counted[1] == 1:
        unit = "task"
    return {
        "example": example,
        "agent": entry_link(example.board, example.entry),
        "board": board_link(example.board),
        "heads": ["Task", *heads],
        "lines": [(part.title, numbers(part.amount, part.weight)) for part in shown],
        "more": counted(hidden, "more task") if hidden else "",
        "sums": numbers(example.amount, example.weight),
        "arithmetic": _arithmetic(example),
        "text": f"{labels.score_text(score)}{f' ± {score.spread}' if score.spread else ''} {unit}".rstrip(),
    }


def _number(metric: Metric, value: float, more: int = _MORE_DIGITS) -> str:
    """Write a number in the metric's unit, with some digits more than boards show."""
    return f"{value:,.{0 if metric.unit == 'tasks' else metric.decimals + more}f}"


def _amount(metric: Metric, amount: float) -> str:
    """Write an amount; of a share that is pooled over tasks, as how many passed."""
    return f"{amount / 100:,.10g}" if _is_count(metric) else _number(metric, amount)


def _is_count(metric: Metric) -> bool:
    """Whether it is a share of what is pooled over tasks."""
    return metric.weigh in {"n", "of"} and metric.unit == "percent"


def _arithmetic(example: Example) -> str:
    """Say in a line how the result comes about, from the sums that are shown; empty where nothing here shows it."""
    metric, hundred = (
        example.score.metric,
        "100 × " if example.score.metric.unit == "percent" else "",
    )
    tasks, amount = counted(len(example.parts), "task"), _amount(metric, example.amount)
    if example.result is None:
        return ""
    if example.terms:
        terms = " − ".join(
            f"{labels.title_on(example.board, each.metric)} {_number(each.metric, each.value or 0.0)}"
            for each in example.terms
        )
    elif not example.parts:
        k, n = example.score.counted or (0, 0)
        terms = f"{hundred}{k} / {n}" if hundred else f"{k} of {n}"
    elif metric.form == "sum":
        terms = f"Sum over {tasks}"
    else:
        is_whole, weight = _is_count(metric), f"{example.weight:,.4g}"
        terms = (
            f"{hundred * is_whole}{amount} / {weight}" if metric.weigh else f"{amount} / {tasks}"
        )
    return f"{terms} = {_number(metric, example.result, _MORE_DIGITS - 1)}"
