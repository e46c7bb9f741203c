"""Scores computed a second time, with exact fractions and from a bundle's records alone, without shared code."""

import math
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

Row = dict[str, Any]
Value = Fraction | None


class Lines(Protocol):
    """The content of a bundle, and the requirements of its track."""

    @property
    def tasks(self) -> Sequence[Row]: ...

    @property
    def rounds(self) -> Sequence[Row]: ...

    @property
    def runs(self) -> Sequence[Row]: ...

    @property
    def made(self) -> int:
        """The number of attempts in the manifest, or else on the track."""
        ...

    @property
    def asked(self) -> int:
        """The number of attempts that the track requires."""
        ...

    @property
    def is_fail_stop(self) -> bool:
        """Whether rounds after the first failure do not count."""
        ...

    @property
    def is_free(self) -> bool:
        """Whether a cost of 0 is real; otherwise it is unknown."""
        ...

    @property
    def excluded(self) -> AbstractSet[tuple[str, int]]:
        """The rounds that findings exclude for all submissions, with or without a record."""
        ...


def mean(values: Sequence[Fraction]) -> Value:
    return sum(values, Fraction()) / len(values) if values else None


def exact(number: float) -> Fraction:
    """Return a number as an exact fraction of its written form."""
    return Fraction(str(number))


@dataclass
class Exact:
    """A bundle's scores, computed only from its records."""

    bundle: Lines
    lines: dict[tuple[str, int, int, str], Row] = field(init=False)
    tasks: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        rows = self.bundle.rounds
        self.lines = {(row["task"], row["attempt"], row["round"], row.get("start", "own")): row for row in rows}
        self.tasks = dict(counted_tasks(self.bundle))

    @property
    def attempts(self) -> range:
        return range(1, self.bundle.made + 1)

    def run(self, task: str, attempt: int) -> list[Row | None]:
        return [self.lines.get((task, attempt, n, "own")) for n in self.tasks[task]]

    def runs(self) -> Iterator[tuple[str, int, list[Row | None]]]:
        for task in self.tasks:
            for attempt in self.attempts:
                yield task, attempt, self.run(task, attempt)

    def cells(self) -> list[Row | None]:
        return [row for _, _, run in self.runs() for row in run]

    def verdicts(self, task: str, attempt: int) -> list[int]:
        return [passes(row) for row in self.run(task, attempt)]

    def over_tasks(self, score: Any) -> Value:  # noqa: ANN401 - a function of the verdicts of one attempt
        """Return 100 times the mean over tasks of the mean over attempts."""
        by_task = [mean([Fraction(score(self.verdicts(task, a))) for a in self.attempts]) for task in self.tasks]
        mean_score = mean([task_score for task_score in by_task if task_score is not None])
        return None if mean_score is None else 100 * mean_score

    def dataset_score(self) -> Value:
        return self.over_tasks(lambda verdicts: Fraction(sum(verdicts), len(verdicts)))

    def case_score(self) -> Value:
        if any("total" not in row for row in scored(self.cells())):
            return None
        by_task: dict[str, list[Fraction]] = {task: [] for task in self.tasks}
        for task, _, run in self.runs():
            shares = [Fraction(row["passed"], row["total"]) for row in scored(run)]
            by_task[task].append(sum(shares, Fraction()) / len(run))
        return (
            100
            * sum((sum(task_shares, Fraction()) / len(task_shares) for task_shares in by_task.values()), Fraction())
            / len(by_task)
        )

    def mean_reward(self) -> Value:
        by_task = []
        for task in self.tasks:
            counts = []
            for attempt in self.attempts:
                rows, goes_on = self.run(task, attempt), True
                for row in rows:
                    counts.append(exact(row["reward"]) if goes_on and scored([row]) and row else Fraction())
                    goes_on = goes_on and (not self.bundle.is_fail_stop or bool(passes(row)))
            by_task.append(sum(counts, Fraction()) / len(counts))
        return mean(by_task)

    def perfect_tasks(self) -> Value:
        for task in self.tasks:
            made = [a for a in self.attempts if any(self.run(task, a))]
            if 0 < len(made) < self.bundle.asked:
                return None
        return Fraction(sum(any(all(self.verdicts(task, a)) for a in self.attempts) for task in self.tasks))

    def solved(self) -> Value:
        return self.over_tasks(lambda verdicts: int(all(verdicts)))

    resolved = solved

    def partial(self) -> Value:
        return self.over_tasks(lambda verdicts: int(any(verdicts)))

    def completion(self) -> Value:
        weights = {
            task["id"]: {round_result["n"]: exact(round_result.get("weight", 1)) for round_result in task["rounds"]}
            for task in self.bundle.tasks
        }
        total = Fraction()
        for task, numbers in self.tasks.items():
            total_weight = sum((weights[task][n] for n in numbers), Fraction())
            for attempt in self.attempts:
                earned = zip(numbers, self.verdicts(task, attempt), strict=True)
                total += (
                    sum((weights[task][n] for n, passed in earned if passed), Fraction())
                    / total_weight
                    / self.bundle.made
                )
        return total / len(self.tasks)

    def kept(self, task: str) -> list[list[int]] | None:
        """Return for each attempt which rounds it kept intact; None if an attempt is missing."""
        made = [a for a in self.attempts if any(self.run(task, a))]
        if len(made) != self.bundle.asked:
            return None
        return [[int(all(self.verdicts(task, a)[: i + 1])) for i in range(len(self.tasks[task]))] for a in made]

    def mt_at_k(self) -> Value:
        by_task = [self.kept(task) for task in self.tasks]
        if None in by_task:
            return None
        best = [
            [max(column) for column in zip(*task_attempts, strict=True)] for task_attempts in by_task if task_attempts
        ]
        return 100 * sum((Fraction(sum(best_rounds), len(best_rounds)) for best_rounds in best), Fraction()) / len(best)

    def comp(self) -> Value:
        by_task = [self.kept(task) for task in self.tasks]
        if None in by_task:
            return None
        return 100 * Fraction(
            sum(max(attempt[-1] for attempt in task_attempts) for task_attempts in by_task if task_attempts),
            len(by_task),
        )

    def sr(self) -> Value:
        rows = [self.lines.get((task, 1, n, "reference")) for task, numbers in self.tasks.items() for n in numbers]
        is_tried = any("start" in row and row["state"] != "unreached" for row in self.bundle.rounds)
        return 100 * Fraction(sum(map(passes, rows)), len(rows)) if is_tried and any(rows) else None

    def gap(self) -> Value:
        first, second = self.sr(), self.mt_at_k()
        return None if first is None or second is None else first - second

    def strict(self) -> Value:
        return 100 * Fraction(sum(map(passes, self.cells())), len(self.cells()))

    def iso(self) -> Value:
        return self.share_of({"core", "functionality", "error"})

    def core(self) -> Value:
        return self.share_of({"core"})

    def share_of(self, wanted: set[str]) -> Value:
        """Return 100 times the share of rounds that pass all cases of some categories, among rounds with such cases."""
        cells = self.cells()
        rows = scored(cells)
        if any("by_category" not in row for row in rows):
            return None
        cases = list(filter(None, (cases_in(row, wanted) for row in rows)))
        number = len(cells) - len(rows) + len(cases)
        passed = sum(all(passed_count == total for passed_count, total in counts) for counts in cases)
        return 100 * Fraction(passed, number) if number else None

    def avg_rounds(self) -> Value:
        by_task: dict[str, list[Fraction]] = {}
        for task, attempt, run in self.runs():
            interactions = self.interactions(task, attempt, run)
            if interactions is not None:
                by_task.setdefault(task, []).append(interactions)
        return mean([sum(task_values, Fraction()) / len(task_values) for task_values in by_task.values()])

    def interactions(self, task: str, attempt: int, run: Sequence[Row | None]) -> Value:
        """Return the mean interactions per round, or the run's own figure; None if no round was worked on."""
        round_interactions = [exact(row["interactions"]) for row in worked(run) if "interactions" in row]
        run_interactions = self.figure(task, attempt, "interactions_per_round") if worked(run) else None
        return mean(round_interactions) if round_interactions else run_interactions

    def per_task(self, name: str) -> Value:
        by_task: dict[str, list[Fraction]] = {}
        for task, attempt, run in self.runs():
            effort = self.run_total(task, attempt, name)
            if effort is not None:
                by_task.setdefault(task, []).append(effort * len(run))
        return mean([sum(task_values, Fraction()) / len(task_values) for task_values in by_task.values()])

    def run_total(self, task: str, attempt: int, name: str) -> Value:
        """Return the mean effort per round, over the rounds for which it is known."""
        rows = worked(self.run(task, attempt))
        round_values, run_value = [exact(row[name]) for row in rows if name in row], self.figure(task, attempt, name)
        if round_values:
            return sum(round_values, Fraction()) / len(round_values)
        return None if run_value is None or not rows else run_value / len(rows)

    def avg_turns(self) -> Value:
        return self.per_task("turns")

    def output_tokens_k(self) -> Value:
        tokens = self.per_task("output_tokens")
        return None if tokens is None else tokens / 1000

    def figure(self, task: str, attempt: int, name: str) -> Value:
        rows = [row for row in self.bundle.runs if (row["task"], row["attempt"]) == (task, attempt) and name in row]
        return exact(rows[0][name]) if rows else None

    def taken(self, name: str) -> tuple[list[Fraction], list[Fraction], int]:
        """Return the values of rounds, values of runs without round values, and the number of rounds in such runs."""
        round_values: list[Fraction] = []
        run_values: list[Fraction] = []
        produced = 0
        for task, attempt, run in self.runs():
            known_values = [
                exact(row[name]) for row in worked(run) if name in row and (row[name] or self.is_known_zero(name))
            ]
            run_value = self.figure(task, attempt, name)
            round_values += known_values
            if not known_values and run_value is not None and worked(run):
                run_values.append(run_value)
                produced += len(worked(run))
        return round_values, run_values, produced

    def is_known_zero(self, name: str) -> bool:
        return name != "cost_usd" or self.bundle.is_free

    def net_cost(self) -> Value:
        round_costs, run_costs, _ = self.taken("cost_usd")
        return sum(round_costs + run_costs, Fraction()) if round_costs or run_costs else None

    def per_checkpoint(self, name: str) -> Value:
        round_values, run_values, produced = self.taken(name)
        return (
            sum(round_values + run_values, Fraction()) / (len(round_values) + produced)
            if round_values or run_values
            else None
        )

    def cost_per_round(self) -> Value:
        return self.per_checkpoint("cost_usd")

    def minutes_per_round(self) -> Value:
        seconds = self.per_checkpoint("agent_seconds")
        return None if seconds is None else seconds / 60

    def measured(self, name: str) -> list[Fraction]:
        values_by_key: dict[str, list[Fraction]] = {}
        for row in worked(self.cells()):
            for key, value in row.get("measures", {}).items():
                if key.split("@")[0] == name:
                    values_by_key.setdefault(key, []).append(exact(value))
        return next(iter(values_by_key.values())) if len(values_by_key) == 1 else []

    def erosion(self) -> Value:
        return mean(self.measured("erosion"))

    def verbosity(self) -> Value:
        return mean(self.measured("verbosity"))

    def meant(self, name: str) -> list[Fraction]:
        """Return the values that a mean is taken over; empty if some values are known only for complete runs."""
        if name in {"erosion", "verbosity"}:
            return self.measured(name)
        source, unit = ("cost_usd", 1) if name == "cost_per_round" else ("agent_seconds", 60)
        round_values, run_values, _ = self.taken(source)
        return [] if run_values else [value / unit for value in round_values]

    def deviation(self, name: str) -> float | None:
        """Return the sample standard deviation of the values that a mean is taken over."""
        values = self.meant(name)
        middle = mean(values)
        if middle is None or len(values) < 2:
            return None
        return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))


def counted_tasks(bundle: Lines) -> Iterator[tuple[str, list[int]]]:
    """Yield each task with its rounds that are not excluded; tasks without any are left out."""
    gone = {(row["task"], row["round"]) for row in bundle.rounds if row["state"] == "excluded"} | bundle.excluded
    for task in bundle.tasks:
        numbers = [round_result["n"] for round_result in task["rounds"] if (task["id"], round_result["n"]) not in gone]
        if numbers:
            yield task["id"], numbers


def cases_in(row: Row, wanted: set[str]) -> list[Sequence[int]]:
    """Return the passed and total cases of each wanted category that has cases."""
    return [count for name, count in row["by_category"].items() if name in wanted and count[1]]


def scored(rows: Sequence[Row | None]) -> list[Row]:
    return [row for row in rows if row and row["state"] == "scored"]


def passes(row: Row | None) -> int:
    return int(row is not None and row["state"] == "scored" and exact(row["reward"]) >= Fraction("0.999"))


def worked(rows: Sequence[Row | None]) -> list[Row]:
    return [row for row in rows if row and row["state"] in {"scored", "no_cases", "aborted"}]
