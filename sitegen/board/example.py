"""A worked example of a metric: one score of the boards, taken apart into its tasks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import Score
from sitegen.metrics.metric import Metric
from sitegen.metrics.resampling import parts_of


@dataclass(frozen=True, slots=True)
class Part:
    """What one task contributes.

    Attributes:
        title: Name of the task.
        amount: Its score times its weight, in the metric's unit.
        weight: How much it weighs.
    """

    title: str
    amount: float
    weight: float


@dataclass(frozen=True, slots=True)
class Example:
    """A score, and what it is made of.

    Attributes:
        board: Where it stands.
        entry: Whose it is.
        score: The score.
        parts: What the tasks contribute; none for a score that a table reports.
        terms: The two scores that it is the difference of, the one that is taken off last.
    """

    board: Board
    entry: Entry
    score: Score
    parts: Sequence[Part] = ()
    terms: Sequence[Score] = ()

    @property
    def amount(self) -> float:
        """What the tasks contribute together."""
        return sum(part.amount for part in self.parts)

    @property
    def weight(self) -> float:
        """What the tasks weigh together."""
        return sum(part.weight for part in self.parts)

    @property
    def result(self) -> float | None:
        """Compute the score again from what is shown; None where a table reports nothing that it follows from."""
        if self.terms:
            minuend, subtrahend = (term.value or 0.0 for term in self.terms)
            return minuend - subtrahend
        if self.parts:
            return self.amount if self.score.metric.form == "sum" else self.amount / self.weight
        if self.score.counted is None:
            return None
        k, n = self.score.counted
        return float(k) if self.score.metric.unit == "tasks" else 100 * k / n


def example_of(metric: Metric, boards: Iterable[Board]) -> Example | None:
    """Choose a score of a metric and take it apart.

    A score that was recomputed goes before a simulated one, and both before one that a table reports; then one
    that its board shows goes before one that it does not. Of rows that are as good as each other it takes the one
    in the middle: the best has often passed everything, which shows little.

    Args:
        metric: The metric.
        boards: The boards to choose from.

    Returns:
        None where no standing row has a value.
    """
    rows = [(board, entry) for board in boards for entry in board.entries if entry.value(metric.id) is not None]
    least = min((_preference(metric, *row) for row in rows), default=None)
    equals = [row for row in rows if _preference(metric, *row) == least]
    return _taken_apart(metric, *equals[len(equals) // 2]) if equals else None


def _preference(metric: Metric, board: Board, entry: Entry) -> tuple[bool, bool, bool, bool, bool]:
    """Give what speaks against an example, the weightiest first."""
    follows = entry.sheet is not None or bool(_terms(metric, entry)) or entry.scores[metric.id].counted is not None
    shown = metric in board.columns
    return entry.sheet is None, board.benchmark.simulated, not shown, board.track.status != "current", not follows


def _taken_apart(metric: Metric, board: Board, entry: Entry) -> Example:
    terms = _terms(metric, entry)
    return Example(board, entry, entry.scores[metric.id], () if terms else _parts(metric, board, entry), terms)


def _terms(metric: Metric, entry: Entry) -> Sequence[Score]:
    names = [term.id for term in metric.terms or ()]
    return [entry.scores[name] for name in names] if all(entry.value(name) is not None for name in names) else ()


def _parts(metric: Metric, board: Board, entry: Entry) -> Sequence[Part]:
    if entry.sheet is None or metric.form is None:
        return ()
    names = {task.id: task.name for task in board.tasks.tasks}
    parts = parts_of(metric, [entry.sheet], list(names))
    amounts, weights = parts.numerators[0].tolist(), parts.denominators[0].tolist()
    found = zip(names.values(), amounts, weights, strict=True)
    return [Part(name, amount, weight) for name, amount, weight in found if weight]
