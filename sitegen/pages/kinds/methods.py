"""What is generated of the methods pages: every metric in short, and with its formula and a worked example."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.explanation import Example, example_of
from sitegen.board.score import Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, board_link, entry_link
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


class ExampleView(NamedTuple):
    """A worked example, in the words of the page.

    Attributes:
        example: What is taken apart.
        agent: Whose score it is, and where to look at it.
        board: The board that it stands on.
        heads: What the columns of the table hold, the task's first.
        lines: The first tasks with their numbers.
        more: How many more there are; empty where all are shown.
        sums: The sums over all tasks, a number for each column after the first.
        arithmetic: How the result comes about, in one line; empty where nothing here shows it.
        text: The score as boards show it.
    """

    example: Example
    agent: Link
    board: Link
    heads: Sequence[str]
    lines: Sequence[tuple[str, Sequence[str]]]
    more: str
    sums: Sequence[str]
    arithmetic: str
    text: str


class MethodView(NamedTuple):
    """A metric, as the page tells it.

    Attributes:
        metric: The metric.
        formula: How it is computed.
        letters: What stands in the formula, each with its meaning.
        used: The boards that show it.
        versions: Versions of its definition that values on this site were measured by.
        example: One of its scores, taken apart; None where nothing here measures it.
    """

    metric: Metric
    formula: Sequence[Piece]
    letters: Sequence[tuple[Sequence[Piece], str]]
    used: Sequence[Link]
    versions: Sequence[str]
    example: ExampleView | None


@authored_parts
def methods_part(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Show every metric of the catalogue, the boards that use it, and one of its scores taken apart."""
    scores = [score for board in whole.boards for entry in board.all_entries for score in entry.scores.values()]
    versions = {(score.metric.id, score.version) for score in scores if score.version}
    methods = []
    for metric in METRICS.values():
        letters = [(_pieces(name), meaning) for name, meaning in metric.letters.items()]
        used = [board_link(board) for board in whole.boards if metric in board.columns]
        known = sorted(version for name, version in versions if name == metric.id)
        methods.append(
            MethodView(metric, _pieces(metric.formula), letters, used, known, _example(metric, whole.boards))
        )
    for address, template in ((addresses.METHODS, "metrics.html.j2"), (addresses.FORMULAS, "methods.html.j2")):
        yield Fragment(address, "metrics", templates.fill(template, address, {"methods": methods}))


def _pieces(formula: str) -> Sequence[Piece]:
    """Part a formula at its indices, which one letter after a low line is."""
    texts = [*re.split(r"_(\w)", formula), ""]
    return list(zip(texts[::2], texts[1::2], strict=True))


def _example(metric: Metric, boards: Sequence[Board]) -> ExampleView | None:
    example = example_of(metric, boards)
    if example is None:
        return None
    table, score = _Numbers(example), example.score
    shown = example.parts if len(example.parts) <= SHOWN + 1 else example.parts[:SHOWN]
    hidden = len(example.parts) - len(shown)
    spread = f" ± {score.spread}" if score.spread else ""
    return ExampleView(
        example,
        entry_link(example.board, example.entry),
        board_link(example.board),
        ("Task", *table.heads),
        [(part.title, table.numbers(part.amount, part.weight)) for part in shown],
        counted(hidden, "more task") if hidden else "",
        table.numbers(example.amount, example.weight),
        table.arithmetic,
        f"{labels.score_text(score)}{spread} {_UNITS.get(metric.unit, metric.unit)}".rstrip(),
    )


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers of an example: of tasks that weigh the same, or of what is pooled over tasks of their own weights."""

    example: Example

    @property
    def metric(self) -> Metric:
        return self.example.score.metric

    @property
    def is_pooled(self) -> bool:
        return self.metric.weigh is not None

    @property
    def heads(self) -> Sequence[str]:
        """What the numbers are."""
        if not self.is_pooled:
            return (self.metric.unit,)
        return ("passed", "of") if self.metric.unit == "percent" else (self.metric.unit, "checkpoints")

    def numbers(self, amount: float, weight: float) -> Sequence[str]:
        """Write what a task, or all of them, contribute."""
        return (self.amount(amount), f"{weight:,.0f}") if self.is_pooled else (self.number(amount),)

    def amount(self, amount: float) -> str:
        """Write an amount; of a share that is pooled, as how many passed."""
        return f"{amount / 100:,.10g}" if self.is_pooled and self.metric.unit == "percent" else self.number(amount)

    def number(self, value: float, more: int = _MORE_DIGITS) -> str:
        """Write a number in the metric's unit, with some digits more than boards show."""
        digits = 0 if self.metric.unit == "tasks" else self.metric.decimals + more
        return f"{value:,.{digits}f}"

    @property
    def arithmetic(self) -> str:
        """How the result comes about, from the sums that are shown; empty where nothing here shows it."""
        result = self.example.result
        return "" if result is None else f"{self._terms} = {self.number(result, _MORE_DIGITS - 1)}"

    @property
    def _terms(self) -> str:
        example, metric = self.example, self.metric

        def named(score: Score) -> str:
            return f"{labels.title_on(example.board, score.metric)} {self.number(score.value or 0.0)}"

        hundred = "100 × " if metric.unit == "percent" else ""
        if example.terms:
            return " − ".join(map(named, example.terms))
        if not example.parts:
            k, n = example.score.counted or (0, 0)
            return f"{hundred}{k} / {n}" if hundred else f"{k} of {n}"
        tasks = counted(len(example.parts), "task")
        if metric.form == "sum":
            return f"Sum over {tasks}"
        amount = self.amount(example.amount)
        return f"{hundred}{amount} / {example.weight:,.0f}" if self.is_pooled else f"{amount} / {tasks}"
