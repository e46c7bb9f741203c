"""The engine of declared metrics: what is taken of each round, made one number over rounds, attempts and tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
import scipy  # its parts load where they are first used
from numpy.typing import NDArray

from sitegen.metrics.grids import Floats, Sheet, Stack, versions_of
from sitegen.metrics.metric import Extent, MetricError, known_tasks
from sitegen.metrics.uncertainty import TaskParts
from sitegen.models.declared import MEASURE, VERDICTS, Declared
from sitegen.problems import counted

_ONE = 1e-9
"""A value is 1 where it differs from that by rounding only."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a declared metric is computed."""

    of: str
    """What is taken of a round."""
    rounds: str = "mean"
    attempts: str = "mean"
    tasks: str = "mean"
    """What is made of rounds, attempts and tasks, in the words of a declaration."""
    k: int = 0
    axis: str = ""
    upwards: bool = True
    """Whether more is better, which tells the best attempt."""
    weights: Mapping[str, float] | None = None
    """How much values of the axis weigh; 1 where it is not said."""
    needs_all: bool = False
    """Whether it takes exactly the attempts that the track asks for."""

    @classmethod
    def from_declared(
        cls,
        metric: Declared,
        weights: Mapping[str, float] | None = None,
        *,
        needs_all: bool = False,
    ) -> "Recipe":
        """Read it off a declaration that is computed."""
        over = metric.rounds or "mean", metric.attempts or "mean", metric.tasks or "mean"
        upwards = metric.direction == "higher"
        return cls(
            metric.of or "", *over, metric.k or 0, metric.axis or "", upwards, weights, needs_all
        )

    @property
    def is_verdict(self) -> bool:
        """Whether it takes something of verdicts, which is 0 where there is none and never unknown."""
        return self.of in VERDICTS

    @property
    def is_sum(self) -> bool:
        """Whether the tasks are added up."""
        return self.tasks in {"sum", "count"}

    @property
    def is_chance(self) -> bool:
        """Whether it is a chance of k attempts."""
        return self.attempts in {"pass_at_k", "pass_hat_k"}

    @property
    def is_best(self) -> bool:
        """Whether it takes the best attempt at a task."""
        return self.attempts == "best"

    @property
    def measurement(self) -> str | None:
        """The measurement that it takes."""
        return self.of.removeprefix(MEASURE) if self.of.startswith(MEASURE) else None

    @property
    def noun(self) -> str:
        """What is taken of a round, in a word."""
        return self.measurement or self.of.replace("_usd", "").replace(
            "agent_seconds", "time"
        ).replace("_", " ")

    def by_attempt(self, stack: Stack) -> Floats:
        """One number for each attempt, shape (grids, attempts); NaN where it is not known."""
        values, found = stack.values(self.of), stack.values(self.of)[:, :, -1]
        if not self.is_verdict:
            return self._amounts_by_attempt(stack)
        match self.rounds:
            case "mean":
                found = values.mean(axis=2)
            case "sum":
                found = values.sum(axis=2)
            case "all":
                found = (values == 1).all(axis=2).astype(np.float64)
            case "weighted":
                found = (values * stack.round_weights).sum(axis=2)
        return found

    def _amounts_by_attempt(self, stack: Stack) -> Floats:
        values, runs, reached = (
            stack.values(self.of),
            stack.runs(self.of),
            stack.reached.sum(axis=2),
        )
        known, filled, found = ~np.isnan(values), np.nan_to_num(values), values[:, :, -1]
        number = known.sum(axis=2)
        match self.rounds:
            case "mean":
                found = np.where(
                    np.isnan(runs), _ratio(filled.sum(axis=2), number), _ratio(runs, reached)
                )
            case "sum":
                is_whole = (number == reached) & (reached > 0)
                found = np.where(is_whole, filled.sum(axis=2), runs)
            case "weighted":
                weights = stack.round_weights
                found = _ratio((filled * weights).sum(axis=2), (known * weights).sum(axis=2))
        return found

    def by_task(self, stack: Stack) -> Floats:
        """One number for each grid, shape (grids,); NaN where it is not known."""
        if self.is_verdict and self.rounds == self.attempts == "mean":
            found: Floats = stack.values(self.of).mean(axis=(1, 2))
            return found
        values = self.by_attempt(stack)
        match self.attempts:
            case "best" | "worst":
                is_most = (self.attempts == "best") == self.upwards
                found = (np.fmax if is_most else np.fmin).reduce(values, axis=1)
                if self.is_verdict:  # a verdict without a count of cases leaves the task unknown
                    found = np.where(np.isnan(values).any(axis=1), np.nan, found)
            case "first":
                found = values[:, 0]
            case "mean":
                left_out = np.isnan(values) & (not self.is_verdict)
                found = _ratio(np.where(left_out, 0.0, values).sum(axis=1), (~left_out).sum(axis=1))
            case _:
                found = self._chances(values, stack.made)
        return found

    def _chances(self, passes: Floats, made: NDArray[np.bool_]) -> Floats:
        """How likely some of k attempts passes, or each of them does, of those that were made.

        Source:
            M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv:2107.03374, section 2.1, for some;
            S. Yao et al., tau-bench, arXiv:2406.12045, section 3, for each.
        """
        n, c = made.sum(axis=1), (passes * made).sum(axis=1)
        chosen = c if self.attempts == "pass_hat_k" else n - c
        share = _ratio(scipy.special.comb(chosen, self.k), scipy.special.comb(n, self.k))
        return np.where(n < self.k, np.nan, share if self.attempts == "pass_hat_k" else 1 - share)

    def parts(self, stack: Stack) -> tuple[Floats, Floats]:
        """What each grid adds to a score, and how much it weighs there."""
        if self.tasks == "pooled":
            values = stack.values(self.of)
            if self.is_verdict:
                return values.sum(axis=(1, 2)), np.full(len(values), float(values[0].size))
            known, runs = ~np.isnan(values), stack.runs(self.of)
            told = ~np.isnan(runs)
            amount = np.nan_to_num(values).sum(axis=(1, 2)) + np.nan_to_num(runs).sum(axis=1)
            return amount, (
                known.sum(axis=(1, 2)) + (told * stack.reached.sum(axis=2)).sum(axis=1)
            ).astype(np.float64)
        found = self.by_task(stack)
        if self.tasks == "count":
            found = np.where(np.isnan(found), np.nan, np.abs(found - 1) < _ONE)
        weights = stack.task_weights if self.tasks == "weighted" else np.ones(len(found))
        if self.is_verdict:
            return found * weights, weights
        return np.nan_to_num(found) * weights, weights * ~np.isnan(found)

    def table(self, stacks: Sequence[Stack], shape: tuple[int, int]) -> TaskParts:
        """Score each task of each submission, shape (submissions, tasks)."""
        numerators, denominators = np.zeros(shape), np.zeros(shape)
        values: dict[str, list[int]] = {}
        for stack in stacks:
            numerators[stack.rows, stack.columns], denominators[stack.rows, stack.columns] = (
                self.parts(stack)
            )
            for column, grid in (
                zip(stack.columns, stack.grids, strict=True) if self.tasks == "macro" else ()
            ):
                values.setdefault(grid.task.labels.get(self.axis, ""), []).append(column)
        groups = {value: sorted(set(columns)) for value, columns in sorted(values.items())}
        made = TaskParts(
            numerators, denominators, self.is_sum, has_own_weights=self.tasks == "weighted"
        )
        return made.grouped(
            [(columns, (self.weights or {}).get(value, 1.0)) for value, columns in groups.items()]
        )

    def compute(self, sheet: Sheet) -> float:
        """The score of a submission; raises MetricError where there is none."""
        if not sheet.tasks:
            raise MetricError("there is no task to score")
        self._require(sheet)
        parts = self.table(sheet.stacks, (1, len(sheet.tasks)))
        numerators, denominators = parts.numerators[0].tolist(), parts.denominators[0].tolist()
        if np.isnan(parts.numerators).any():
            raise MetricError("a round has a verdict but no count of cases")
        known = sum(weight > 0 for weight in denominators)
        if not known:
            raise MetricError(f"no {self.noun} known")
        if self.is_sum and known < len(denominators):
            raise MetricError(
                f"known for {known} of {counted(len(denominators), 'task')}: a total with unknown parts is none"
            )
        if self.tasks == "count":
            return round(fsum(numerators))
        return fsum(numerators) if self.is_sum else fsum(numerators) / fsum(denominators)

    def _require(self, sheet: Sheet) -> None:
        """Raise a MetricError where attempts, labels or one definition are lacking."""
        made = [len(grid.results) - len(grid.unmade) for grid in sheet.tasks]
        if self.is_chance and min(made) < self.k:
            raise MetricError(
                f"every task needs {counted(self.k, 'attempt')}, here is one with {min(made)}"
            )
        short = [number for number in made if number != sheet.attempts] if self.needs_all else []
        if self.is_best:  # more attempts make a better best: rows with fewer do not compare
            short += [number for number in made if 0 < number < sheet.attempts]
        if short:
            raise MetricError(
                f"every task needs {counted(sheet.attempts, 'attempt')}, here is one with {short[0]}"
            )
        if self.is_verdict and not any(made):
            raise MetricError("no attempt was made at any task")
        if self.tasks == "macro":
            bare = next(
                (grid.task.id for grid in sheet.tasks if self.axis not in grid.task.labels), None
            )
            if bare:
                raise MetricError(f"{bare} has no value on axis {self.axis}")
        if self.measurement:
            found = versions_of(sheet, self.measurement)
            if len(found) > 1:
                raise MetricError(
                    f"{self.measurement} was measured by several definitions: {', '.join(found)}"
                )
            if not found:
                raise MetricError(f"{self.measurement} was not measured")

    def extent(self, sheet: Sheet) -> Extent:
        """What a score is over, of what it is defined over."""
        if self.is_verdict:
            records = sheet.results
            pooled = self.tasks == "pooled"
            return (
                Extent(len(records) - records.count(None), len(records), sheet.word)
                if pooled
                else known_tasks(sheet)
            )
        known = np.zeros(2, dtype=np.int64)
        attempts = np.zeros(2, dtype=np.int64)
        told = False
        for stack in sheet.stacks:
            values, runs, reached = stack.values(self.of), stack.runs(self.of), stack.reached
            by_run, worked = ~np.isnan(runs), reached.any(axis=2)
            if self.tasks == "pooled":
                known += (
                    (~np.isnan(values)).sum() + (by_run * reached.sum(axis=2)).sum(),
                    reached.sum(),
                )
                continue
            chosen = np.zeros_like(worked)
            chosen[:, : 1 if self.attempts == "first" else None] = True
            told = told or bool((by_run & chosen).any())
            is_known = ~np.isnan(self.by_attempt(stack)) & chosen & worked
            attempts += is_known.sum(), (chosen & worked).sum()
            if self.rounds == "last":
                known += is_known.sum(), (chosen & worked).sum()
            else:
                rounds = reached if self.rounds == "sum" else ~np.isnan(values)
                known += (
                    (rounds & is_known[:, :, np.newaxis]).sum(),
                    (reached & chosen[:, :, np.newaxis]).sum(),
                )
        n, of = (attempts if told else known).tolist()
        return Extent(n, of, "attempt" if told else sheet.word)

    def observations(self, sheet: Sheet) -> Sequence[float]:
        """What a pooled mean of amounts is over; none where some are known of whole runs alone."""
        if any(not np.isnan(stack.runs(self.of)).all() for stack in sheet.stacks):
            return ()
        values = [stack.values(self.of) for stack in sheet.stacks]
        return [value for each in values for value in each[~np.isnan(each)].tolist()]


def _ratio(top: Floats, bottom: NDArray[Any]) -> Floats:
    """A ratio, NaN where nothing is below."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.divide(top, bottom)
    return found
