"""The arithmetic of scores: of a row down to its rounds, and of one score as a worked example of its metric."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import Score
from sitegen.metrics.metric import Metric
from sitegen.metrics.resampling import parts_of
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.problems import counted, grouped


def explanation(
    board: Board, entry: Entry, bundle: Bundle, only: str | None = None
) -> Iterator[str]:
    """Say line by line what a row's scores are made of, or how it went with a single task."""
    yield f"{entry.agent.name} ({entry.id}) on {board.benchmark.id}, track {board.track.id}"
    for task in board.tasks.tasks:
        if only in {None, task.id}:
            yield from ("", f"{task.id}: {counted(len(task.rounds), 'round')}")
            for each in board.marks.on_task(entry.id, task.id):
                yield f"  finding {each.id} ({each.finding.effect}): {each.remarked_title}"
            yield from _runs([result for result in bundle.rounds if result.task == task.id])
    if only is None:
        yield ""
        for score in entry.scores.values():
            yield f"{score.metric.title} ({score.metric.id}), {score.metric.unit}: {_value(score)}"
            if score.before and score.before.value != score.value:
                yield f"  Without the effects of findings: {_value(score.before)}"
            yield f"  {score.metric.told.sentence}"
            yield f"  Averaged over {score.metric.mean}{f': {score.extent.words}' if score.extent else ''}."
            for claim in score.claims:
                word = score.standing(claim)
                yield f"  Claimed by {claim.source or 'the submitter'}: {claim.value}{f' ({word})' if word else ''}"


def _runs(results: Sequence[RoundResult]) -> Iterator[str]:
    """Say how the rounds of each run at a task went, then what they add up to."""
    runs = grouped(((result.start, result.attempt), result) for result in results)
    for (start, attempt), found in sorted(runs.items(), key=itemgetter(0)):
        name = "from the reference state" if start == "reference" else f"attempt {attempt}"
        rounds = sorted(found, key=attrgetter("round"))
        for result in rounds:
            how = f"{result.state}, reward {result.reward:g}{f' ({result.cause})' if result.cause else ''}"
            if result.total and result.state != "excluded":
                how = (
                    f"{result.passed} of {counted(result.total, 'case')}, reward {result.reward:g}"
                )
            yield f"  {name}, round {result.round}: {how}"
        scored = [result for result in rounds if result.state != "excluded"]
        if scored:
            passed = sum(result.solved for result in scored)
            shares = sum(
                result.passed / result.total
                for result in scored
                if result.state == "scored" and result.passed and result.total
            )
            yield f"  {name}: {passed} / {counted(len(scored), 'round')} passed = {passed / len(scored):.6f}"
            yield f"  {name}: case shares add up to {shares:.6f}, / {len(scored)} = {shares / len(scored):.6f}"


def _value(score: Score) -> str:
    return repr(score.value) if score.value is not None else f"not measured: {score.gap}"


@dataclass(frozen=True, slots=True)
class Part:
    """What one task contributes to a score."""

    title: str
    """Name of the task."""
    amount: float
    """Its score times its weight, in the metric's unit."""
    weight: float


@dataclass(frozen=True, slots=True)
class Example:
    """A score of a board's row, and what it is made of."""

    board: Board
    entry: Entry
    score: Score
    parts: Sequence[Part] = ()
    """What the tasks contribute; none for a score that a table reports."""
    terms: Sequence[Score] = ()
    """The two scores that it is the difference of, the one that is taken off last."""

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
        return k / n * self.score.metric.full(n)


def example_of(metric: Metric, boards: Iterable[Board]) -> Example | None:
    """Choose a score of a metric and take it apart; None where no standing row has a value.

    A score that was recomputed goes before a simulated one, and both before one that a table reports; then one
    that its board shows goes before one that it does not. Of rows that are as good as each other it takes the one
    in the middle: the best has often passed everything, which shows little.
    """
    known = (board for board in boards if board.metrics.get(metric.id) is metric)
    rows = [
        (board, entry)
        for board in known
        for entry in board.entries
        if entry.value(metric.id) is not None
    ]
    against = [_against(metric, *row) for row in rows]
    least = min(against, default=None)
    equals = [row for row, reasons in zip(rows, against, strict=True) if reasons == least]
    if not equals:
        return None
    board, entry = equals[len(equals) // 2]
    terms = _terms(metric, entry)
    return Example(
        board, entry, entry.scores[metric.id], () if terms else _parts(metric, board, entry), terms
    )


def _parts(metric: Metric, board: Board, entry: Entry) -> Sequence[Part]:
    if entry.sheet is None or metric.form is None:
        return ()
    names = {task.id: task.name for task in board.tasks.tasks}
    parts = parts_of(metric, [entry.sheet], list(names))
    amounts, weights = parts.numerators[0].tolist(), parts.denominators[0].tolist()
    found = zip(names.values(), amounts, weights, strict=True)
    return [Part(name, amount, weight) for name, amount, weight in found if weight]


def _against(metric: Metric, board: Board, entry: Entry) -> tuple[bool, bool, bool, bool, bool]:
    """What speaks against an example, the weightiest first."""
    follows = (
        entry.sheet is not None
        or bool(_terms(metric, entry))
        or entry.scores[metric.id].counted is not None
    )
    shown = metric in board.columns
    return (
        entry.sheet is None,
        board.benchmark.simulated,
        not shown,
        board.track.status != "current",
        not follows,
    )


def _terms(metric: Metric, entry: Entry) -> Sequence[Score]:
    names = [term.id for term in metric.terms or ()]
    return (
        [entry.scores[name] for name in names]
        if all(entry.value(name) is not None for name in names)
        else ()
    )
