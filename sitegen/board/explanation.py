"""The arithmetic of a row's scores down to its rounds, and a worked example of one score."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from statistics import median
from typing import assert_never

from sitegen.board.board import Board, BoardEntry
from sitegen.board.entry import Entry
from sitegen.board.score import Score
from sitegen.metrics.metric import Metric
from sitegen.metrics.resampling import split_scores
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import Task
from sitegen.problems import counted, grouped


def explanation(
    board: Board, entry: Entry, bundle: Bundle, only: str | None = None
) -> Iterator[str]:
    """Yield lines of text that show how a row's scores are computed, or how one task went.

    Args:
        board: The row's board.
        entry: The row.
        bundle: Its results.
        only: Id of the only task to explain; None for all tasks and the scores.
    """
    yield f"{entry.agent.name} ({entry.id}) on {board.benchmark.id}, track {board.track.id}"
    for task in board.tasks.tasks:
        if only in {None, task.id}:
            yield from _task_lines(board, entry, bundle, task)
    if only is None:
        yield ""
        for score in entry.scores.values():
            yield from _score_lines(score, _terms(score.metric, entry))


def _task_lines(board: Board, entry: Entry, bundle: Bundle, task: Task) -> Iterator[str]:
    """Yield lines with the findings and the rounds of a task."""
    yield ""
    yield f"{task.id}: {counted(len(task.rounds), 'round')}"
    for mark in board.findings.on_task(entry.id, task.id):
        yield f"  finding {mark.id} ({mark.finding.effect}): {mark.remarked_title}"
    results = [result for result in bundle.rounds if result.task == task.id]
    runs = grouped(((result.start, result.attempt), result) for result in results)
    for (start, attempt), run_results in sorted(runs.items(), key=itemgetter(0)):
        name = f"attempt {attempt}"
        if start == "reference":
            name = "from the reference state"
        yield from _run_lines(name, sorted(run_results, key=attrgetter("round")))


def _run_lines(name: str, results: Sequence[RoundResult]) -> Iterator[str]:
    """Yield one line per round of a run, then the totals of the run."""
    for result in results:
        yield f"  {name}, round {result.round}: {_result_words(result)}"
    counting = []
    for result in results:
        if result.state != "excluded":
            counting.append(result)
    if not counting:
        return
    passed = 0
    for result in counting:
        if result.solved:
            passed += 1
    rounds = len(counting)
    yield f"  {name}: {passed} / {counted(rounds, 'round')} passed = {passed / rounds:.6f}"
    if any(result.total is not None for result in counting):
        shares = sum(_case_share(result) for result in counting)
        yield f"  {name}: case shares add up to {shares:.6f}, / {rounds} = {shares / rounds:.6f}"


def _result_words(result: RoundResult) -> str:
    """Return the passed cases of a round, or else its state, and its reward, as text."""
    if result.passed is not None and result.total and result.state != "excluded":
        cases = counted(result.total, "case")
        return f"{result.passed} of {cases}, reward {result.reward:g}"
    cause = ""
    if result.cause:
        cause = f" ({result.cause})"
    return f"{result.state}, reward {result.reward:g}{cause}"


def _case_share(result: RoundResult) -> float:
    """Return the share of its cases that a round passed; 0 if its cases are not known."""
    if result.state != "scored" or not result.passed or not result.total:
        return 0
    return result.passed / result.total


def _score_lines(score: Score, terms: Sequence[Score]) -> Iterator[str]:
    """Yield lines with a score, the averaging behind it, and the claims about it.

    Args:
        score: The score.
        terms: The two scores of a metric that is a difference or a ratio; else empty.
    """
    metric = score.metric
    unit = "USD" if metric.unit == "usd" else metric.unit
    yield f"{metric.title} ({metric.id}), {unit}: {_value(score)}"
    if score.without_findings and score.without_findings.value != score.value:
        yield f"  Without the effects of findings: {_value(score.without_findings)}"
    yield f"  {metric.definition.sentence}"
    extent = ""
    if score.extent:
        extent = f": {score.extent.words}"
    yield f"  Averaged over {metric.averaging_words}{extent}."
    if metric.ratio_of and terms:
        numerator, denominator = terms
        dividend = f"{numerator.metric.title} {_share(numerator)!r}"
        yield f"  {dividend} / {denominator.metric.title} {_share(denominator)!r}"
    for claim in score.claims:
        outcome = score.claim_outcome(claim)
        remark = ""
        if outcome:
            remark = f" ({outcome})"
        yield f"  Claimed by {claim.source or 'the submitter'}: {claim.value}{remark}"


def _share(score: Score) -> float:
    """Return a score as ratios use it: a percentage becomes a share."""
    return (score.value or 0.0) / score.metric.factor


def _value(score: Score) -> str:
    if score.value is None:
        return f"not measured: {score.gap}"
    return repr(score.value)


@dataclass(frozen=True, slots=True)
class TaskFraction:
    """The numerator and the denominator of one task in a score."""

    title: str
    """The name of the task."""
    amount: float
    """The task's score times its weight, in the metric's unit."""
    weight: float
    """The task's weight in the score."""


@dataclass(frozen=True, slots=True)
class Example:
    """A score of a row, with the values it is computed from."""

    board: Board
    entry: Entry
    score: Score
    fractions: Sequence[TaskFraction] = ()
    """The fractions of the tasks; empty for a reported score."""
    terms: Sequence[Score] = ()
    """The two scores of a difference or a ratio, in the order of the formula; else empty."""

    @property
    def amount(self) -> float:
        """The sum of the numerators."""
        return sum(fraction.amount for fraction in self.fractions)

    @property
    def weight(self) -> float:
        """The sum of the denominators."""
        return sum(fraction.weight for fraction in self.fractions)

    @property
    def result(self) -> float | None:
        """The score recomputed from the values shown; None if they do not determine it."""
        if self.terms and self.score.metric.ratio_of:
            numerator, denominator = self.terms
            return self.score.metric.factor * _share(numerator) / _share(denominator)
        if self.terms:
            minuend, subtrahend = self.terms
            return (minuend.value or 0.0) - (subtrahend.value or 0.0)
        if self.fractions:
            return self._aggregated
        if self.score.counted is None:
            return None
        k, n = self.score.counted
        return k / n * self.score.metric.full_value(n)

    @property
    def _aggregated(self) -> float:
        """The score aggregated from the fractions of the tasks."""
        match self.score.metric.aggregation:
            case "mean" | None:
                return self.amount / self.weight
            case "sum":
                return self.amount
            case "median":
                return median(fraction.amount for fraction in self.fractions)
            case _ as unknown:
                assert_never(unknown)


def find_example(metric: Metric, boards: Iterable[Board]) -> Example | None:
    """Choose a score of a metric as an example, with its parts; None if no row has a value.

    Recomputed scores are preferred to reported scores, then scores on real benchmarks to scores on
    simulated benchmarks, and scores that their board shows to other scores. Among equally good
    rows, the row in the middle is chosen: the best agent has often passed every round and is a
    poor example.
    """
    rows = []
    for board in boards:
        if board.metrics.get(metric.id) is metric:
            for entry in board.entries:
                if entry.value(metric.id) is not None:
                    rows.append(BoardEntry(board, entry))
    drawbacks = [_drawbacks(metric, board, entry) for board, entry in rows]
    least = min(drawbacks, default=None)
    best = []
    for row, drawback in zip(rows, drawbacks, strict=True):
        if drawback == least:
            best.append(row)
    if not best:
        return None
    board, entry = best[len(best) // 2]
    score = entry.scores[metric.id]
    terms = _terms(metric, entry)
    if terms:
        return Example(board, entry, score, terms=terms)
    return Example(board, entry, score, _task_fractions(metric, board, entry))


def _task_fractions(metric: Metric, board: Board, entry: Entry) -> Sequence[TaskFraction]:
    """Return the fractions of the tasks that have weight in a recomputed score."""
    if entry.submission_results is None or metric.aggregation is None:
        return ()
    tasks = board.tasks.by_id()
    split = split_scores(metric, [entry.submission_results], list(tasks))
    amounts = split.numerators[0].tolist()
    weights = split.denominators[0].tolist()
    fractions = []
    for task, amount, weight in zip(tasks.values(), amounts, weights, strict=True):
        if weight:
            fractions.append(TaskFraction(task.name, amount, weight))
    return fractions


def _drawbacks(metric: Metric, board: Board, entry: Entry) -> tuple[bool, ...]:
    """Return whether a row has each drawback as an example, the most important drawback first."""
    is_counted = entry.scores[metric.id].counted is not None
    is_explained = entry.submission_results is not None or is_counted or bool(_terms(metric, entry))
    return (
        entry.submission_results is None,
        board.benchmark.simulated,
        metric not in board.columns,
        board.track.status != "current",
        not is_explained,
    )


def _terms(metric: Metric, entry: Entry) -> Sequence[Score]:
    """Return the two scores of a metric that is a difference or a ratio.

    Empty for any other metric, if either score has no value, or if the denominator is 0.
    """
    metric_ids = [term.id for term in metric.difference_of or metric.ratio_of or ()]
    if any(entry.value(metric_id) is None for metric_id in metric_ids):
        return ()
    terms = [entry.scores[metric_id] for metric_id in metric_ids]
    if metric.ratio_of and not terms[-1].value:
        return ()
    return terms
