"""Declared metrics computed a second time, with exact fractions and from records alone, without shared code."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Row = dict[str, Any]
Value = Fraction | None
REACHED = {"scored", "no_cases", "aborted"}
MISSING = {"state": "missing", "reward": 0}
"""The record that replaces a missing record: no verdict and no figures."""


def exact(number: float) -> Fraction:
    return Fraction(str(number))


def median(values: Sequence[Fraction]) -> Fraction:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def mean(values: Sequence[Fraction]) -> Value:
    return sum(values, Fraction()) / len(values) if values else None


class Board:
    """A submission's records on a track, with the values of declared metrics."""

    def __init__(  # noqa: PLR0913, PLR0917 - the inputs of a score
        self,
        benchmark: Row,
        tasks: Sequence[Row],
        rounds: Sequence[Row],
        runs: Sequence[Row],
        made: int,
        track: Row | None = None,
        *,
        is_free: bool = False,
    ) -> None:
        self.is_free = is_free
        self.benchmark, self.track = benchmark, track or benchmark["tracks"][0]
        self.made = made
        self.lines = {(row["task"], row["attempt"], row["round"]): row for row in rounds}
        gone = {(row["task"], row["round"]) for row in rounds if row["state"] == "excluded"}
        self.numbers = {
            task["id"]: [
                round_result["n"] for round_result in task["rounds"] if (task["id"], round_result["n"]) not in gone
            ]
            for task in tasks
        }
        self.tasks = [task for task in tasks if self.numbers[task["id"]]]
        self.runs = {(row["task"], row["attempt"]): row for row in runs}

    def rows(self, task: str, attempt: int) -> list[Row]:
        return [self.lines.get((task, attempt, n), {**MISSING, "round": n}) for n in self.numbers[task]]

    def attempts_made(self, task: str) -> int:
        """Return the number of attempts at a task that have a record."""
        attempts = range(1, self.made + 1)
        return sum(any((task, attempt, n) in self.lines for n in self.numbers[task]) for attempt in attempts)

    def verdict(self, row: Row, of: str) -> Value:
        if row["state"] != "scored":
            return Fraction()
        if of == "cases":
            return Fraction(row["passed"], row["total"]) if row.get("total") else None
        return exact(row["reward"]) if of == "reward" else Fraction(exact(row["reward"]) >= Fraction("0.999"))

    def amount(self, row: Row, of: str) -> Value:
        if of.startswith("measure:"):
            amounts = [value for key, value in row.get("measures", {}).items() if key.split("@")[0] == of[8:]]
            return exact(amounts[0]) if amounts else None
        value = row.get(of)
        if of == "cost_usd" and not value and not self.is_free:
            return None
        return None if value is None else exact(value)

    def verdicts(self, task: str, attempt: int, of: str) -> list[Value]:
        verdicts: list[Value] = []
        goes_on = True
        for row in self.rows(task, attempt):
            verdicts.append(self.verdict(row, of) if goes_on else Fraction())
            goes_on = goes_on and (self.track.get("protocol") != "fail-stop" or self.verdict(row, "pass") == 1)
        return verdicts

    def told_by_run(self, task: str, attempt: int, of: str) -> Value:
        """Return the value of a complete run if its rounds have no values."""
        rows, run = self.worked(task, attempt), self.runs.get((task, attempt))
        if (
            not rows
            or run is None
            or of.startswith("measure:")
            or any(self.amount(row, of) is not None for row in rows)
        ):
            return None
        if of == "interactions":
            mean_of_run = run.get("interactions_per_round")
            return None if mean_of_run is None else exact(mean_of_run) * len(rows)
        return self.amount(run, of)

    def worked(self, task: str, attempt: int) -> list[Row]:
        return [row for row in self.rows(task, attempt) if row["state"] in REACHED]

    def by_attempt(self, metric: Row, task: Row, attempt: int) -> Value:
        of, reduction = metric["of"], metric.get("rounds", "mean")
        weights = {round_result["n"]: exact(round_result.get("weight", 1)) for round_result in task["rounds"]}
        rows = self.rows(task["id"], attempt)
        if of in {"pass", "reward", "cases"}:
            values = self.verdicts(task["id"], attempt, of)
        else:
            run = self.told_by_run(task["id"], attempt, of)
            if run is not None:
                return {"sum": run, "mean": run / len(self.worked(task["id"], attempt))}.get(reduction)
            values = [self.amount(row, of) if row["state"] in REACHED else None for row in rows]
            if reduction == "sum":
                reached = [value for row, value in zip(rows, values, strict=True) if row["state"] in REACHED]
                known_values = [value for value in reached if value is not None]
                return sum(known_values, Fraction()) if reached and len(known_values) == len(reached) else None
        if reduction == "last":
            return values[-1]
        weighted_values = [
            (value, weights[row["round"]]) for value, row in zip(values, rows, strict=True) if value is not None
        ]
        if not weighted_values:
            return None
        total = sum((value for value, _ in weighted_values), Fraction())
        if reduction == "sum":
            return total
        if reduction == "all":
            return Fraction(all(value == 1 for value, _ in weighted_values))
        if reduction == "weighted":
            return sum((value * weight for value, weight in weighted_values), Fraction()) / sum(
                weight for _, weight in weighted_values
            )
        return total / len(weighted_values)

    def by_task(self, metric: Row, task: Row) -> Value:
        values = [self.by_attempt(metric, task, attempt) for attempt in range(1, self.made + 1)]
        known_values, reduction = [value for value in values if value is not None], metric.get("attempts", "mean")
        if reduction == "first":
            return values[0]
        if not known_values:
            return None
        if reduction in {"best", "worst"}:
            return (max if (reduction == "best") == (metric.get("direction") != "lower") else min)(known_values)
        if reduction == "median":
            return median(known_values)
        if reduction in {"pass_at_k", "pass_hat_k"}:
            if self.attempts_made(task["id"]) < metric["k"]:
                return None
            known_values = known_values[: self.attempts_made(task["id"])]
            chosen = [
                any(combination) if reduction == "pass_at_k" else all(combination)
                for combination in combinations(known_values, metric["k"])
            ]
            return Fraction(sum(chosen), len(chosen))
        return mean(known_values)

    def is_enough(self, metric: Row) -> bool:
        """Return whether at least four fifths of the possible values are known."""
        of, reduction = metric["of"], metric.get("rounds", "mean")
        known_count = total_count = known_attempts = attempts = 0
        by_run = False
        for task in self.tasks:
            for attempt in range(1, 2 if metric.get("attempts") == "first" else self.made + 1):
                rows, value = (
                    self.worked(task["id"], attempt),
                    self.by_attempt({**metric, "rounds": reduction}, task, attempt),
                )
                run = self.told_by_run(task["id"], attempt, of)
                if not rows:
                    continue
                attempts += 1
                known_attempts += value is not None
                by_run = by_run or run is not None
                measured_rows = sum(self.amount(row, of) is not None for row in rows)
                if metric.get("tasks") == "pooled":
                    known_count, total_count = (
                        known_count + (len(rows) if run is not None else measured_rows),
                        total_count + len(rows),
                    )
                elif reduction == "last":
                    known_count, total_count = known_count + (value is not None), total_count + 1
                else:
                    known_count, total_count = (
                        known_count + (measured_rows if value is not None else 0),
                        total_count + len(rows),
                    )
        n, total = (
            (known_attempts, attempts) if by_run and metric.get("tasks") != "pooled" else (known_count, total_count)
        )
        return 5 * n >= 4 * total

    def has_equal_exposure(self, metric: Row) -> bool:
        """Return whether every best attempt is the best of all attempts that the track requires."""
        if metric.get("attempts") != "best":
            return True
        made = [self.attempts_made(task["id"]) for task in self.tasks]
        return all(number in {0, self.track.get("attempts", 1)} for number in made)

    def has_enough_records(self, metric: Row) -> bool:
        """Return whether four fifths of the tasks, or of the pooled rounds, have records."""
        if metric.get("tasks") == "pooled":
            rows = [row for task in self.tasks for a in range(1, self.made + 1) for row in self.rows(task["id"], a)]
            has_record = [row["state"] != "missing" for row in rows]
        else:
            has_record = [self.attempts_made(task["id"]) > 0 for task in self.tasks]
        return any(has_record) and 5 * sum(has_record) >= 4 * len(has_record)

    def score(self, metric: Row) -> Value:
        """Return a metric's value in its unit; None for a gap."""
        if "numerator" in metric:
            return self.ratio(metric)
        factor, reduction = (100 if metric["unit"] == "percent" else 1), metric.get("tasks", "mean")
        is_verdict = metric["of"] in {"pass", "reward", "cases"}
        versions = {
            key
            for row in self.lines.values()
            for key in row.get("measures", {})
            if row["state"] in REACHED and metric["of"] == f"measure:{key.split('@')[0]}"
        }
        if not self.has_equal_exposure(metric):
            return None
        is_enough = self.has_enough_records(metric) if is_verdict else self.is_enough(metric)
        if len(versions) > 1 or not is_enough:
            return None
        value = self.pooled(metric) if reduction == "pooled" else self.over_tasks(metric, is_verdict=is_verdict)
        return None if value is None else factor * value

    def ratio(self, metric: Row) -> Value:
        """Return the ratio of two declared metrics; percentages are used as shares."""
        operands = []
        for key in ("numerator", "denominator"):
            (operand_metric,) = [
                declared_metric for declared_metric in self.benchmark["metrics"] if declared_metric["id"] == metric[key]
            ]
            value = self.score(operand_metric)
            if value is None:
                return None
            operands.append(value / (100 if operand_metric["unit"] == "percent" else 1))
        dividend, divisor = operands
        return (100 if metric["unit"] == "percent" else 1) * dividend / divisor if divisor else None

    def over_tasks(self, metric: Row, *, is_verdict: bool) -> Value:
        values = [(task, self.by_task(metric, task)) for task in self.tasks]
        reduction = metric.get("tasks", "mean")
        known_values = [(task, value) for task, value in values if value is not None]
        if not known_values or (len(known_values) < len(values) and (is_verdict or reduction in {"sum", "count"})):
            return None
        if is_verdict and any(self.unknown(metric, task) for task in self.tasks):
            return None
        plain = [value for _, value in known_values]
        if reduction == "sum":
            return sum(plain, Fraction())
        if reduction == "median":
            return median(plain)
        if reduction == "count":
            return Fraction(sum(value == 1 for value in plain))
        if reduction == "weighted":
            weights = [exact(task.get("weight", 1)) for task, _ in known_values]
            return sum((w * v for w, v in zip(weights, plain, strict=True)), Fraction()) / sum(weights)
        if reduction == "macro":
            return self.macro(metric["axis"], known_values)
        return mean(plain)

    def unknown(self, metric: Row, task: Row) -> bool:
        attempts = range(1, 2 if metric.get("attempts") == "first" else self.made + 1)
        values = [self.verdicts(task["id"], attempt, metric["of"]) for attempt in attempts]
        if metric.get("rounds") == "last":
            values = [value[-1:] for value in values]
        return any(None in value for value in values)

    def macro(self, axis: str, task_values: Sequence[tuple[Row, Fraction]]) -> Value:
        groups: dict[str, list[Fraction]] = {}
        for task, value in task_values:
            groups.setdefault(task["labels"][axis], []).append(value)
        weights = self.benchmark["axes"][axis].get("weights", {})
        weighted_means = [(exact(weights.get(name, 1)), mean(values) or Fraction()) for name, values in groups.items()]
        return sum((weight * value for weight, value in weighted_means), Fraction()) / sum(
            weight for weight, _ in weighted_means
        )

    def pooled(self, metric: Row) -> Value:
        total, number = Fraction(), 0
        for task in self.tasks:
            for attempt in range(1, self.made + 1):
                if metric["of"] in {"pass", "reward", "cases"}:
                    values = self.verdicts(task["id"], attempt, metric["of"])
                    if None in values:
                        return None
                    total, number = total + sum(filter(None, values), Fraction()), number + len(values)
                    continue
                run, rows = self.told_by_run(task["id"], attempt, metric["of"]), self.worked(task["id"], attempt)
                amounts = [value for row in rows if (value := self.amount(row, metric["of"])) is not None]
                total += sum(amounts, Fraction()) + (run or 0)
                number += len(amounts) if run is None else len(rows)
        return total / number if number else None
