"""The generated part of the methods page: every metric with its definition and a worked example."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sitegen.board.board import Board
from sitegen.board.explanation import Example, example_of
from sitegen.board.score import Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Crumb, Fragment, Templates
from sitegen.pages.figures import score_text
from sitegen.pages.overview import board_link
from sitegen.problems import counted

SHOWN = 5
"""So many tasks of an example are shown, or one more where that shows all."""
_MORE_DIGITS = 2
"""Digits beyond those of boards: a reader who adds up the lines comes out at the result, which has one digit less."""


_UNITS = {"percent": "%", "share": ""}
"""How a unit stands behind a number, where it does not stand there by its name."""

Piece = tuple[str, str]
"""A piece of a formula, and the index that follows it; empty where none does."""


@dataclass(frozen=True, slots=True)
class ExampleView:
    """A worked example, in the words of the page.

    Attributes:
        agent: Whose score it is, and where to look at it.
        board: The board that it stands on.
        simulated: Whether a program made the results up.
        source: Where the score was printed; empty where it was recomputed.
        heads: What the columns of the table hold, the task's first.
        lines: The first tasks with their numbers.
        more: How many more there are; empty where all are shown.
        sums: The sums over all tasks, a number for each column after the first.
        arithmetic: How the result comes about, in one line; empty where nothing here shows it.
        text: The score as boards show it.
    """

    agent: Crumb
    board: Crumb
    simulated: bool
    source: str
    heads: Sequence[str]
    lines: Sequence[tuple[str, Sequence[str]]]
    more: str
    sums: Sequence[str]
    arithmetic: str
    text: str


@dataclass(frozen=True, slots=True)
class MethodView:
    """A metric, as the page tells it."""

    metric: Metric
    formula: Sequence[Piece]
    letters: Sequence[tuple[Sequence[Piece], str]]
    """What stands in the formula, each with its meaning."""
    used: Sequence[Crumb]
    """The boards that show it."""
    versions: Sequence[str]
    """Versions of its definition that values on this site were measured by."""
    example: ExampleView | None


def methods_fragment(benchmarks: Sequence[Sequence[Board]], templates: Templates) -> Fragment:
    """Show every metric of the catalogue, the boards that use it, and one of its scores taken apart."""
    boards = list(chain.from_iterable(benchmarks))
    used, versions = _used(boards), _versions(boards)
    views = [_method(each, used[each.id], versions[each.id], _example(each, boards)) for each in METRICS.values()]
    text = templates.fill("methods.html.j2", addresses.METHODS, {"methods": views})
    return Fragment(addresses.METHODS, "metrics", text)


def _method(metric: Metric, used: Sequence[Crumb], versions: Sequence[str], example: ExampleView | None) -> MethodView:
    letters = [(_pieces(name), meaning) for name, meaning in metric.letters.items()]
    return MethodView(metric, _pieces(metric.formula), letters, used, versions, example)


def _pieces(formula: str) -> Sequence[Piece]:
    """Part a formula at its indices, which one letter after a low line is."""
    texts = [*re.split(r"_(\w)", formula), ""]
    return list(zip(texts[::2], texts[1::2], strict=True))


def _used(boards: Sequence[Board]) -> Mapping[str, list[Crumb]]:
    used: dict[str, list[Crumb]] = defaultdict(list)
    for board in boards:
        for metric in board.columns:
            used[metric.id].append(board_link(board))
    return used


def _versions(boards: Sequence[Board]) -> Mapping[str, list[str]]:
    scores = [score for board in boards for entry in board.all_entries for score in entry.scores.values()]
    found: dict[str, set[str]] = defaultdict(set)
    for score in scores:
        if score.version:
            found[score.metric.id].add(score.version)
    return defaultdict(list, {metric: sorted(versions) for metric, versions in found.items()})


def _example(metric: Metric, boards: Sequence[Board]) -> ExampleView | None:
    example = example_of(metric, boards)
    if example is None:
        return None
    board, entry = example.board, example.entry
    table = _Table(example)
    shown = example.parts if len(example.parts) <= SHOWN + 1 else example.parts[:SHOWN]
    hidden = len(example.parts) - len(shown)
    return ExampleView(
        Crumb(entry.agent.name, addresses.entry_address(board.benchmark.id, board.track.id, entry.id)),
        board_link(board),
        board.benchmark.simulated,
        entry.table.source if entry.table else "",
        ("Task", *table.heads),
        [(part.title, table.numbers(part.amount, part.weight)) for part in shown],
        counted(hidden, "more task") if hidden else "",
        table.numbers(example.amount, example.weight),
        _arithmetic(example, table),
        _shown(example.score),
    )


def _shown(score: Score) -> str:
    spread = f" ± {score.spread}" if score.spread else ""
    return f"{score_text(score)}{spread} {_UNITS.get(score.metric.unit, score.metric.unit)}".rstrip()


@dataclass(frozen=True, slots=True)
class _Table:
    """The numbers of an example: of tasks that weigh the same, or of what is pooled over tasks."""

    example: Example

    @property
    def metric(self) -> Metric:
        """The metric that the example is of."""
        return self.example.score.metric

    @property
    def is_pooled(self) -> bool:
        """Whether tasks have weights of their own."""
        return self.metric.weigh is not None

    @property
    def heads(self) -> Sequence[str]:
        """What the numbers are."""
        if not self.is_pooled:
            return (self.metric.unit,)
        return ("passed", "of") if self.metric.unit == "percent" else (self.metric.unit, "checkpoints")

    def numbers(self, amount: float, weight: float) -> Sequence[str]:
        """Write what a task, or all of them, contribute."""
        if not self.is_pooled:
            return (self.number(amount),)
        return self.amount(amount), f"{weight:,.0f}"

    def amount(self, amount: float) -> str:
        """Write an amount; of a share that is pooled, as how many passed."""
        return f"{amount / 100:,.10g}" if self.is_pooled and self.metric.unit == "percent" else self.number(amount)

    def named(self, score: Score) -> str:
        """Write a score with the name that its board has for it."""
        title = labels.title_of(score.metric, self.example.board.track, self.example.board.benchmark)
        return f"{title} {self.number(score.value or 0.0)}"

    def number(self, value: float, more: int = _MORE_DIGITS) -> str:
        """Write a number in the metric's unit, with some digits more than boards show."""
        digits = 0 if self.metric.unit == "tasks" else self.metric.decimals + more
        return f"{value:,.{digits}f}"


def _arithmetic(example: Example, table: _Table) -> str:
    """Write how the result comes about, from the sums that are shown."""
    result = example.result
    if result is None:
        return ""
    return f"{_terms(example, table)} = {table.number(result, _MORE_DIGITS - 1)}"


def _terms(example: Example, table: _Table) -> str:
    if example.terms:
        return " − ".join(table.named(term) for term in example.terms)
    hundred = "100 × " if example.score.metric.unit == "percent" else ""
    if example.parts:
        return _of_parts(example, table, hundred)
    k, n = example.score.counted or (0, 0)
    return f"{hundred}{k} / {n}" if hundred else f"{k} of {n}"


def _of_parts(example: Example, table: _Table, hundred: str) -> str:
    amount = table.amount(example.amount)
    if example.score.metric.form == "sum":
        return f"Sum over {counted(len(example.parts), 'task')}"
    if table.is_pooled:
        return f"{hundred}{amount} / {example.weight:,.0f}"
    return f"{amount} / {counted(len(example.parts), 'task')}"
