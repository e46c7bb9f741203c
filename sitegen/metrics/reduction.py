"""The computation of declared metrics: values of rounds are reduced to one score.

A declaration states which quantity of a round is used, and how it is reduced: first over the rounds
of an attempt, then over the attempts at a task, then over the tasks. Read `Reduction.compute`
first; `metric_builder` builds a `Metric` around it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, assert_never

import numpy as np
import scipy  # loads its submodules on first use
from numpy.typing import NDArray

from sitegen.metrics.arrays import FloatArray
from sitegen.metrics.contributions import Aggregation, TaskFractions
from sitegen.metrics.metric import Extent, ExtentChoice, Extents, MetricError, task_extent
from sitegen.metrics.results import ResultsBatch, SubmissionResults, measurement_versions
from sitegen.metrics.tolerances import SCORE_TOLERANCE
from sitegen.models.declared import (
    MEASURE,
    VERDICTS,
    Declared,
    OverAttempts,
    OverRounds,
    OverTasks,
)
from sitegen.problems import counted

_NOUNS = {"cost_usd": "cost", "agent_seconds": "time"}
"""Nouns in messages for quantities that have a different name in declarations."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """The reduction of values of rounds to a score: over rounds, over attempts, and over tasks."""

    quantity: str
    """Declared name of the quantity of a round: a verdict, an amount or a measurement."""
    rounds: OverRounds = "mean"
    attempts: OverAttempts = "mean"
    tasks: OverTasks = "mean"
    k: int = 0
    """Number of attempts for which a chance (pass@k or pass^k) is defined."""
    axis: str = ""
    """The axis whose values group the tasks of a macro mean."""
    is_higher_better: bool = True
    """Whether more is better; this determines the best attempt."""
    weights: Mapping[str, float] | None = None
    """Weight of each value of the axis; unlisted values have weight 1."""
    needs_all: bool = False
    """Whether the score requires exactly as many attempts as the track asks for."""

    @classmethod
    def from_declared(
        cls,
        metric: Declared,
        weights: Mapping[str, float] | None = None,
        *,
        needs_all: bool = False,
    ) -> "Reduction":
        """Return the reduction that a declaration describes, unless the metric is `reported`."""
        return cls(
            quantity=metric.of or "",
            rounds=metric.rounds or "mean",
            attempts=metric.attempts or "mean",
            tasks=metric.tasks or "mean",
            k=metric.k or 0,
            axis=metric.axis or "",
            is_higher_better=metric.direction == "higher",
            weights=weights,
            needs_all=needs_all,
        )

    @property
    def is_verdict(self) -> bool:
        """Whether the quantity is a verdict; a missing verdict counts as 0 and is never unknown."""
        return self.quantity in VERDICTS

    @property
    def aggregation(self) -> Aggregation:
        """How the scores of individual tasks are combined into the score."""
        match self.tasks:
            case "mean" | "pooled" | "macro" | "weighted":
                return "mean"
            case "sum" | "count":
                return "sum"
            case "median":
                return "median"
            case _:
                assert_never(self.tasks)

    @property
    def is_sum(self) -> bool:
        """Whether the scores of tasks are added up."""
        return self.aggregation == "sum"

    @property
    def is_chance(self) -> bool:
        """Whether the score is a chance, pass@k or pass^k."""
        return self.attempts in {"pass_at_k", "pass_hat_k"}

    @property
    def is_best(self) -> bool:
        """Whether the score uses the best attempt at each task."""
        return self.attempts == "best"

    @property
    def measurement(self) -> str | None:
        """The measurement that the score averages; None if the quantity is not a measurement."""
        if not self.quantity.startswith(MEASURE):
            return None
        return self.quantity.removeprefix(MEASURE)

    @property
    def noun(self) -> str:
        """The quantity of a round, as a noun for messages."""
        if self.measurement:
            return self.measurement
        return _NOUNS.get(self.quantity, self.quantity.replace("_", " "))

    # Over rounds, attempts, tasks

    def reduce_rounds(self, batch: ResultsBatch) -> FloatArray:
        """Return one number for each attempt, shape (tasks, attempts); NaN if it is unknown."""
        if not self.is_verdict:
            return self._reduce_amounts(batch)
        values = batch.values(self.quantity)
        match self.rounds:
            case "mean":
                reduced: FloatArray = values.mean(axis=2)
            case "sum":
                reduced = values.sum(axis=2)
            case "all":
                reduced = (values == 1).all(axis=2).astype(np.float64)
            case "weighted":
                reduced = (values * batch.round_weights).sum(axis=2)
            case "last":
                reduced = values[:, :, -1]
            case _:
                assert_never(self.rounds)
        return reduced

    def _reduce_amounts(self, batch: ResultsBatch) -> FloatArray:
        """Return the amount of each attempt, from its rounds or else from its run's figures."""
        values = batch.values(self.quantity)
        run_amounts = batch.run_amounts(self.quantity)
        reached_rounds = batch.is_reached.sum(axis=2)
        is_known = ~np.isnan(values)
        amounts = np.nan_to_num(values)
        known_rounds = is_known.sum(axis=2)
        match self.rounds:
            case "mean":
                from_rounds = _ratio(amounts.sum(axis=2), known_rounds)
                from_runs = _ratio(run_amounts, reached_rounds)
                reduced = np.where(np.isnan(run_amounts), from_rounds, from_runs)
            case "sum":
                is_complete = (known_rounds == reached_rounds) & (reached_rounds > 0)
                reduced = np.where(is_complete, amounts.sum(axis=2), run_amounts)
            case "weighted":
                weights = batch.round_weights
                known_weights = (is_known * weights).sum(axis=2)
                reduced = _ratio((amounts * weights).sum(axis=2), known_weights)
            case "last" | "all":  # validation refuses `all` for an amount
                reduced = values[:, :, -1]
            case _:
                assert_never(self.rounds)
        return reduced

    def reduce_attempts(self, batch: ResultsBatch) -> FloatArray:
        """Return one number for each task, shape (tasks,); NaN if it is unknown."""
        if self.is_verdict and self.rounds == self.attempts == "mean":
            means: FloatArray = batch.values(self.quantity).mean(axis=(1, 2))
            return means
        values = self.reduce_rounds(batch)
        match self.attempts:
            case "best":
                return self._extreme(values, is_highest=self.is_higher_better)
            case "worst":
                return self._extreme(values, is_highest=not self.is_higher_better)
            case "first":
                return values[:, 0]
            case "mean":
                is_unknown = np.isnan(values) & (not self.is_verdict)
                sums = np.where(is_unknown, 0.0, values).sum(axis=1)
                return _ratio(sums, (~is_unknown).sum(axis=1))
            case "median":
                return self._median(values)
            case "pass_at_k" | "pass_hat_k":
                return self._chances(values, batch.is_made)
            case _:
                assert_never(self.attempts)

    def _extreme(self, values: FloatArray, *, is_highest: bool) -> FloatArray:
        """Return the value of the highest or the lowest attempt at each task.

        If a verdict has no case counts, its task is unknown; an unknown amount is left out.
        """
        extreme = np.fmax if is_highest else np.fmin
        extremes: FloatArray = extreme.reduce(values, axis=1)
        if self.is_verdict:
            extremes = np.where(np.isnan(values).any(axis=1), np.nan, extremes)
        return extremes

    def _median(self, values: FloatArray) -> FloatArray:
        """Return the value of the median attempt at each task, or the mean of the middle two.

        If a verdict has no case counts, its task is unknown; an unknown amount is left out.
        """
        is_unknown = np.isnan(values)
        is_left_out = is_unknown.all(axis=1)
        if self.is_verdict:
            is_left_out = is_unknown.any(axis=1)
        medians = np.full(len(values), np.nan)
        medians[~is_left_out] = np.nanmedian(values[~is_left_out], axis=1)
        return medians

    def _chances(self, passes: FloatArray, made: NDArray[np.bool_]) -> FloatArray:
        """Return the chances that at least one, or all, of k attempts pass, for the attempts made.

        Source:
            M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv:2107.03374,
            section 2.1, for pass@k; S. Yao et al., tau-bench, arXiv:2406.12045, section 3, for
            pass^k.
        """
        n = made.sum(axis=1)
        c = (passes * made).sum(axis=1)
        ways = scipy.special.comb(n, self.k)
        if self.attempts == "pass_hat_k":
            chances = _ratio(scipy.special.comb(c, self.k), ways)
        else:
            chances = 1 - _ratio(scipy.special.comb(n - c, self.k), ways)
        return np.where(n < self.k, np.nan, chances)

    def split_batch(self, batch: ResultsBatch) -> tuple[FloatArray, FloatArray]:
        """Return each task's numerator and denominator in the score, both of shape (tasks,).

        A numerator of NaN means that a verdict cannot be counted; a denominator of 0 means that an
        amount is unknown.
        """
        if self.tasks == "pooled":
            return self._split_pooled_batch(batch)
        values = self.reduce_attempts(batch)
        if self.tasks == "count":
            is_one = np.abs(values - 1) < SCORE_TOLERANCE
            values = np.where(np.isnan(values), np.nan, is_one)
        weights = np.ones(len(values))
        if self.tasks == "weighted":
            weights = batch.task_weights
        if self.is_verdict:
            return values * weights, weights
        known_weights = weights * ~np.isnan(values)
        return np.nan_to_num(values) * weights, known_weights

    def _split_pooled_batch(self, batch: ResultsBatch) -> tuple[FloatArray, FloatArray]:
        """Return the sum over all rounds of each task, and the number of these rounds."""
        values = batch.values(self.quantity)
        if self.is_verdict:
            rounds = np.full(len(values), float(values[0].size))
            return values.sum(axis=(1, 2)), rounds
        run_amounts = batch.run_amounts(self.quantity)
        amounts_of_rounds = np.nan_to_num(values).sum(axis=(1, 2))
        amounts_of_runs = np.nan_to_num(run_amounts).sum(axis=1)
        known_rounds = (~np.isnan(values)).sum(axis=(1, 2))
        rounds_of_runs = ~np.isnan(run_amounts) * batch.is_reached.sum(axis=2)
        rounds = known_rounds + rounds_of_runs.sum(axis=1)
        return amounts_of_rounds + amounts_of_runs, rounds.astype(np.float64)

    # The score

    def split_scores(
        self, batches: Sequence[ResultsBatch], shape: tuple[int, int]
    ) -> TaskFractions:
        """Return the scores of submissions split by task, shape (submissions, tasks)."""
        numerators = np.zeros(shape)
        denominators = np.zeros(shape)
        for batch in batches:
            batch_numerators, batch_denominators = self.split_batch(batch)
            numerators[batch.rows, batch.columns] = batch_numerators
            denominators[batch.rows, batch.columns] = batch_denominators
        is_weighted = self.tasks == "weighted"
        fractions = TaskFractions(
            numerators, denominators, self.aggregation, has_declared_weights=is_weighted
        )
        return fractions.weighted_by_group(self._groups(batches))

    def _groups(self, batches: Sequence[ResultsBatch]) -> list[tuple[list[int], float]]:
        """Return the columns and weight of each group of a macro mean; empty for other means."""
        if self.tasks != "macro":
            return []
        columns_by_value: dict[str, set[int]] = {}
        for batch in batches:
            for column, task_results in zip(batch.columns, batch.task_results, strict=True):
                value = task_results.task.labels.get(self.axis, "")
                columns_by_value.setdefault(value, set()).add(column)
        weights = self.weights or {}
        groups = []
        for value, columns in sorted(columns_by_value.items()):
            weight = weights.get(value, 1.0)
            groups.append((sorted(columns), weight))
        return groups

    def compute(self, submission: SubmissionResults) -> float:
        """Return a submission's score.

        Raises:
            MetricError: There are no tasks, or the results do not allow a score.
        """
        if not submission.tasks:
            raise MetricError("there are no tasks to score")
        self._require_inputs(submission)
        fractions = self.split_scores(submission.batches, (1, len(submission.tasks)))
        if np.isnan(fractions.numerators).any():
            raise MetricError("a verdict comes without case counts")
        numerators = fractions.numerators[0].tolist()
        denominators = fractions.denominators[0].tolist()
        tasks_with_score = sum(weight > 0 for weight in denominators)
        if not tasks_with_score:
            raise MetricError(f"no {self.noun} known")
        if self.is_sum and tasks_with_score < len(denominators):
            tasks = counted(len(denominators), "task")
            raise MetricError(f"known for only {tasks_with_score} of {tasks}, so there is no total")
        match self.tasks:
            case "mean" | "pooled" | "macro" | "weighted":
                return fsum(numerators) / fsum(denominators)
            case "sum":
                return fsum(numerators)
            case "count":
                return round(fsum(numerators))
            case "median":
                return float(fractions.scores[0])
            case _:
                assert_never(self.tasks)

    def _require_inputs(self, submission: SubmissionResults) -> None:
        """Raise a MetricError if attempts or labels are missing, or definitions differ."""
        self._require_attempts(submission)
        if self.tasks == "macro":
            for task_results in submission.tasks:
                if self.axis not in task_results.task.labels:
                    raise MetricError(f"{task_results.task.id} has no value on axis {self.axis}")
        if self.measurement:
            versions = measurement_versions(submission, self.measurement)
            if not versions:
                raise MetricError(f"{self.measurement} was not measured")
            if len(versions) > 1:
                definitions = ", ".join(versions)
                raise MetricError(
                    f"{self.measurement} was measured by different definitions: {definitions}"
                )

    def _require_attempts(self, submission: SubmissionResults) -> None:
        """Raise a MetricError if a task has too few attempts, or not the exact number asked for."""
        attempts_made = [
            len(task_results.results) - len(task_results.unmade_attempts)
            for task_results in submission.tasks
        ]
        fewest = min(attempts_made)
        if self.is_chance and fewest < self.k:
            needed = counted(self.k, "attempt")
            raise MetricError(f"every task needs {needed}, but one task has {fewest}")
        for number in attempts_made:
            differs = self.needs_all and number != submission.attempts_asked
            # More attempts make a better best attempt, so submissions with fewer are not
            # comparable.
            is_short = self.is_best and 0 < number < submission.attempts_asked
            if differs or is_short:
                needed = counted(submission.attempts_asked, "attempt")
                raise MetricError(f"every task needs {needed}, but one task has {number}")
        if self.is_verdict and not any(attempts_made):
            raise MetricError("no attempt was made at any task")

    # Extents of scores

    def extent(self, submission: SubmissionResults) -> Extent:
        """Return how much of its expected results a score covers."""
        if self.is_verdict:
            if self.tasks != "pooled":
                return task_extent(submission)
            expected_records = len(submission.results)
            missing_records = submission.results.count(None)
            return Extent(expected_records - missing_records, expected_records, submission.word)
        if self.tasks == "pooled":
            return self._pooled_extent(submission)
        return self.extents_of_attempts(submission).deciding

    def _pooled_extent(self, submission: SubmissionResults) -> Extent:
        """Return the number of reached rounds with a known amount, from rounds or complete runs."""
        known_rounds = 0
        reached_rounds = 0
        for batch in submission.batches:
            is_known = ~np.isnan(batch.values(self.quantity))
            is_known_by_run = ~np.isnan(batch.run_amounts(self.quantity))
            rounds_of_runs = is_known_by_run * batch.is_reached.sum(axis=2)
            known_rounds += int(is_known.sum())
            known_rounds += int(rounds_of_runs.sum())
            reached_rounds += int(batch.is_reached.sum())
        return Extent(known_rounds, reached_rounds, submission.word)

    @property
    def has_extents_of_attempts(self) -> bool:
        """Whether `extents_of_attempts` determines what a score covers."""
        return not self.is_verdict and self.tasks != "pooled"

    def extents_of_attempts(self, submission: SubmissionResults) -> Extents:
        """Return for how many rounds, and for how many attempts, an amount is known.

        The extent of attempts decides if amounts are reported for complete runs. Only attempts that
        the metric uses and on which an agent worked are counted.
        """
        rounds = np.zeros(2, dtype=np.int64)
        attempts = np.zeros(2, dtype=np.int64)
        choice: ExtentChoice = "first"
        for batch in submission.batches:
            is_worked_on = batch.is_reached.any(axis=2)
            is_taken = np.ones_like(is_worked_on)
            if self.attempts == "first":
                is_taken[:, 1:] = False
            is_expected = is_taken & is_worked_on
            is_known = ~np.isnan(self.reduce_rounds(batch)) & is_expected
            known_and_expected = is_known.sum(), is_expected.sum()
            is_known_by_run = ~np.isnan(batch.run_amounts(self.quantity)) & is_taken
            if is_known_by_run.any():
                choice = "second"
            attempts += known_and_expected
            if self.rounds == "last":
                rounds += known_and_expected
                continue
            is_known_round = ~np.isnan(batch.values(self.quantity))
            if self.rounds == "sum":
                is_known_round = batch.is_reached
            is_counted_round = is_known_round & is_known[:, :, np.newaxis]
            is_expected_round = batch.is_reached & is_taken[:, :, np.newaxis]
            rounds += is_counted_round.sum(), is_expected_round.sum()
        known_attempts, expected_attempts = attempts.tolist()
        known_rounds, expected_rounds = rounds.tolist()
        return Extents(
            Extent(known_rounds, expected_rounds, submission.word),
            Extent(known_attempts, expected_attempts, "attempt"),
            choice,
        )

    def observations(self, submission: SubmissionResults) -> Sequence[float]:
        """Return the values behind a pooled mean of amounts.

        The result is empty if some amounts are known only for complete runs.
        """
        values: list[float] = []
        for batch in submission.batches:
            if not np.isnan(batch.run_amounts(self.quantity)).all():
                return ()
            for amounts in batch.values(self.quantity):
                values += amounts[~np.isnan(amounts)].tolist()
        return values


def _ratio(numerators: FloatArray, denominators: NDArray[Any]) -> FloatArray:
    """Return ratios; NaN if the denominator is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios: FloatArray = np.divide(numerators, denominators)
    return ratios
