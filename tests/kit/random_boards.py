"""Results folders drawn from one seed: boards that combine the features of real boards.

`write_random_board(folder, seed)` writes a folder that `sitegen validate` accepts. The features are drawn
independently, so that any two of them occur together on some board.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import tomlkit

from kit.results_folders import json_lines, write_benchmark

Facts: TypeAlias = dict[str, Any]

FIRST_DAY = date(2026, 1, 5)
LAST_DAY = date(2026, 6, 25)
MOST_RECORDS = 2_500
"""Maximum number of records on a track over all submissions; a large board may have eight times as many."""
LARGE_EVERY = 25
"""One seed in 25 draws a large board with up to 40 agents or up to 500 tasks."""

CATALOGUE: Mapping[str, Sequence[str]] = {
    "chain": (
        "dataset_score",
        "case_score",
        "mean_reward",
        "perfect_tasks",
        "strict",
        "iso",
        "core",
        "partial",
        "solved",
        "net_cost",
        "cost_per_round",
        "minutes_per_round",
        "erosion",
        "verbosity",
        "avg_rounds",
        "avg_turns",
        "output_tokens_k",
    ),
    "fail-stop": (
        "mt_at_k",
        "comp",
        "mean_reward",
        "perfect_tasks",
        "net_cost",
        "cost_per_round",
        "minutes_per_round",
        "avg_rounds",
        "avg_turns",
        "output_tokens_k",
    ),
    "once": (
        "resolved",
        "completion",
        "mean_reward",
        "perfect_tasks",
        "net_cost",
        "avg_turns",
        "output_tokens_k",
    ),
}
"""The metrics that a track of each protocol can show; the usual headline comes first."""
FROM_REFERENCE = ("sr", "gap")
"""Metrics that need rounds from the reference state."""

VERDICTS = ("pass", "reward", "cases")
AMOUNTS = ("cost_usd", "turns", "interactions", "input_tokens", "output_tokens", "agent_seconds")
CATEGORIES = ("core", "functionality", "error", "regression")
ROUND_NAMES: Sequence[Any] = (
    None,
    None,
    None,
    "checkpoint",
    "Target",
    {"one": "Episode", "many": "Episodes"},
)


@dataclass
class DrawnSubmission:
    """A bundle before it is written."""

    manifest: Facts
    rounds: list[Facts]
    runs: list[Facts] = field(default_factory=list)


@dataclass
class DrawnBenchmark:
    """A benchmark's folder before it is written."""

    definition: Facts
    task_sets: dict[str, list[Facts]] = field(default_factory=dict)
    submissions: dict[str, DrawnSubmission] = field(default_factory=dict)
    tables: dict[str, Facts] = field(default_factory=dict)
    findings: list[Facts] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The benchmark's id and the name of its folder."""
        return str(self.definition["id"])

    def write(self, results: Path) -> None:
        """Write the benchmark's folder below a results folder."""
        folder = results / self.id
        files = {"benchmark.toml": to_toml(self.definition)}
        for name, tasks in self.task_sets.items():
            files[f"tasks/{name}.jsonl"] = json_lines(*tasks)
        for name, table in self.tables.items():
            files[f"reported/{name}.toml"] = to_toml(table)
        for name, submission in self.submissions.items():
            files[f"submissions/{name}/submission.toml"] = to_toml(submission.manifest)
            files[f"submissions/{name}/rounds.jsonl"] = json_lines(*submission.rounds)
            if submission.runs:
                files[f"submissions/{name}/runs.jsonl"] = json_lines(*submission.runs)
        if self.findings:
            files["findings.toml"] = to_toml({"schema": 1, "findings": self.findings})
        write_benchmark(folder, files)


def to_toml(document: Mapping[str, Any]) -> str:
    """Return a document as TOML, without keys whose value is None or empty."""
    return tomlkit.dumps({key: value for key, value in document.items() if value not in ([], {}, None)})


def write_random_board(results: Path, seed: int) -> DrawnBenchmark:
    """Write a results folder with one benchmark drawn from a seed; return the benchmark."""
    benchmark = BoardDraw(seed).benchmark()
    benchmark.write(results)
    return benchmark


class BoardDraw:
    """A generator of one benchmark; each method draws one part of it with the same random generator."""

    def __init__(self, seed: int) -> None:
        """Seed the generator."""
        self.dice = random.Random(seed)  # noqa: S311 - a draw that anyone may repeat
        self.is_large = seed % LARGE_EVERY == LARGE_EVERY - 1
        self.made = DrawnBenchmark({"schema": 1, "id": f"board-{seed}", "title": f"Board {seed}"})

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.dice.random() < probability

    def day(self, earliest: date = FIRST_DAY) -> date:
        """Draw a day between `earliest` and the last day of the benchmark's period."""
        return earliest + timedelta(days=self.dice.randint(0, (LAST_DAY - earliest).days))

    def benchmark(self) -> DrawnBenchmark:
        """Draw the benchmark."""
        definition = self.made.definition
        round_name = self.dice.choice(ROUND_NAMES)
        definition |= {"round_name": round_name} if round_name else {}
        definition |= {"ordered": False} if self.chance(0.15) else {}
        definition |= {"issues": "https://example.org/issues"} if self.chance(0.3) else {}
        definition["axes"] = self.axes()
        self.has_cases_listed = self.chance(0.4)
        self.has_categories = self.chance(0.5)
        self.has_private_tasks = self.chance(0.3)
        self.is_of_one_round = self.chance(0.25)
        self.made.task_sets["all"] = self.tasks("all")
        if self.chance(0.15):
            self.made.task_sets["other"] = self.tasks("other")
        tracks = [self.track(number) for number in range(self.dice.choice((1, 1, 1, 1, 2, 2, 3)))]
        definition["tracks"] = tracks
        definition["metrics"] = self.declared_metrics(tracks)
        for track in tracks:
            self.choose_columns(track)
        for track in tracks:
            self.add_submissions(track)
            self.add_tables(track)
        self.retire_tracks(tracks)
        self.add_findings(tracks)
        self.add_waiver_for_gaps()
        self.set_apart(tracks)
        return self.made

    # Axes and tasks

    def axes(self) -> Facts:
        """Draw up to three axes, one of which may define the clusters of tasks."""
        axes: Facts = {}
        if self.chance(0.6):
            values = [f"domain {letter}" for letter in "abcdefgh"[: self.dice.randint(1, 8)]]
            axes["domain"] = {"title": "Domain", "values": values}
            if self.chance(0.3):
                axes["domain"]["weights"] = {value: self.dice.choice((0.5, 1, 2, 3)) for value in values}
        if self.chance(0.3):
            axes["repository"] = {"title": "Repository", "cluster": True}
        if self.chance(0.2):
            axes["level"] = {"title": "Level", "values": ["easy", "hard"]}
        return axes

    def number_of_tasks(self) -> int:
        """Draw the number of tasks in a set."""
        if self.is_large and self.chance(0.5):
            return self.dice.randint(60, 500)
        low, high = self.dice.choices([(1, 1), (2, 5), (6, 20), (21, 40)], [1, 4, 9, 2])[0]
        return self.dice.randint(low, high)

    def tasks(self, name: str) -> list[Facts]:
        """Draw a task set with the given name."""
        number = self.number_of_tasks()
        clusters = self.dice.choice((2, 5, 6, 8, 12))
        has_weights = self.chance(0.3)
        tasks = []
        for index in range(number):
            task: Facts = {"id": f"{name}-{index:03d}", "rounds": self.rounds_of_task(number)}
            if self.chance(0.5):
                task["title"] = f"Task {index} of {name}"
            if has_weights:
                task["weight"] = self.dice.choice((0.5, 1, 1, 2, 5))
            if self.has_private_tasks and self.chance(0.3):
                task["private"] = self.dice.choice((True, "2026-03-01", "2099-01-01"))
            task["labels"] = self.labels(index, clusters)
            tasks.append({key: value for key, value in task.items() if value != {}})
        return tasks

    def labels(self, index: int, clusters: int) -> Facts:
        """Draw a task's labels, one per axis."""
        labels = {}
        for axis, facts in self.made.definition["axes"].items():
            values = facts.get("values") or [f"repo-{number}" for number in range(clusters)]
            labels[axis] = values[index % len(values)] if self.chance(0.5) else self.dice.choice(values)
        return labels

    def rounds_of_task(self, tasks: int) -> list[Facts]:
        """Draw a task's rounds; tasks in a set of more than 40 have one round each."""
        number = 1 if self.is_of_one_round or tasks > 40 else self.dice.choice((1, 2, 3, 3, 4, 5, 8))
        rounds = []
        for n in range(1, number + 1):
            defined: Facts = {"n": n}
            if self.chance(0.2):
                defined["weight"] = self.dice.choice((0.25, 0.5, 3))
            if self.has_cases_listed:
                defined["cases"] = self.cases()
            rounds.append(defined)
        return rounds

    def cases(self) -> list[Facts]:
        """Draw the cases of a round."""
        cases = []
        for number in range(self.dice.randint(1, 4)):
            case = {"id": f"case-{number}"}
            if self.has_categories:
                case["category"] = self.dice.choice(CATEGORIES)
            cases.append(case)
        return cases

    # Tracks and metrics

    def track(self, number: int) -> Facts:
        """Draw the conditions of a track."""
        protocol = self.dice.choice(("chain", "chain", "fail-stop", "once"))
        track: Facts = {
            "id": f"track-{number}",
            "title": f"Track {number}",
            "protocol": protocol,
            "attempts": self.dice.choice((1, 1, 1, 2, 3, 4, 5)),
            "tasks": self.dice.choice(list(self.made.task_sets)),
        }
        if protocol == "fail-stop" and self.chance(0.5):
            track["reference_rounds"] = True
        axes = list(self.made.definition["axes"])
        if axes and self.chance(0.6):
            track["groupings"] = self.dice.sample(axes, self.dice.randint(1, len(axes)))
        if self.chance(0.1):
            track["hide"] = self.dice.sample(["coverage", "evidence", "date"], self.dice.randint(1, 3))
        return track

    def declared_metrics(self, tracks: Sequence[Facts]) -> list[Facts]:
        """Draw metrics declared by the benchmark."""
        if self.chance(0.5):
            return []
        metrics = [self.declared_metric(number, tracks) for number in range(self.dice.randint(1, 5))]
        ratio_candidates = [metric["id"] for metric in metrics if metric["tasks"] != "median"]
        if len(ratio_candidates) > 1 and self.chance(0.5):
            numerator, denominator = self.dice.sample(ratio_candidates, 2)
            ratio: Facts = {"id": "own_ratio", "title": "Own ratio", "unit": "number", "direction": "lower"}
            metrics.append({**ratio, "numerator": numerator, "denominator": denominator})
        return metrics

    def declared_metric(self, number: int, tracks: Sequence[Facts]) -> Facts:
        """Draw a consistent declaration of a metric that suits the tracks and tasks."""
        of = self.dice.choice((*VERDICTS, *VERDICTS, *AMOUNTS, "measure:erosion"))
        metric: Facts = {"id": f"own_{number}", "title": f"Own {number}", "of": of}
        if of in VERDICTS:
            metric["unit"] = self.dice.choice(("percent", "percent", "share"))
        else:
            metric["unit"] = {"cost_usd": "usd", "agent_seconds": "seconds"}.get(of, "number")
            metric["direction"] = "lower"
        metric["tasks"] = self.dice.choice(("mean", "mean", "median", "macro", "weighted", "pooled", "sum", "count"))
        axes = list(self.made.definition["axes"])
        if metric["tasks"] == "macro":
            if axes:
                metric["axis"] = self.dice.choice(axes)
            else:
                metric["tasks"] = "mean"
        if metric["tasks"] in {"sum", "count"}:
            metric["unit"] = "count" if of in VERDICTS else metric["unit"]
        if metric["tasks"] != "pooled":
            self.reduce_rounds_and_attempts(metric, tracks)
        if self.chance(0.3):
            metric["decimals"] = self.dice.randint(0, 4)
        if self.chance(0.3):
            metric["summary"] = "A metric that was drawn."
        return metric

    def reduce_rounds_and_attempts(self, metric: Facts, tracks: Sequence[Facts]) -> None:
        """Draw a metric's reductions of rounds and attempts."""
        is_pass = metric["of"] == "pass"
        rounds = ["mean", "sum", "last", "weighted", *(["all"] if is_pass else [])]
        if metric["unit"] in {"percent", "share"}:
            rounds.remove("sum")
        metric["rounds"] = self.dice.choice(rounds)
        metric["attempts"] = self.dice.choice(("mean", "mean", "median", "best", "worst", "first"))
        if is_pass and self.chance(0.3):
            metric["rounds"] = self.dice.choice(("all", "last"))
            metric["attempts"] = self.dice.choice(("pass_at_k", "pass_hat_k"))
            metric["k"] = self.dice.randint(1, min(track["attempts"] for track in tracks))

    def choose_columns(self, track: Facts) -> None:
        """Draw the headline and the columns of a track."""
        usual = list(CATALOGUE[track["protocol"]])
        possible = usual + (list(FROM_REFERENCE) if track.get("reference_rounds") else [])
        declared_ids = [metric["id"] for metric in self.made.definition["metrics"]]
        if self.chance(0.45):
            track["headline"] = usual[0]
        else:
            track["headline"] = self.dice.choice([*possible, *declared_ids, *declared_ids])
        other_columns = self.dice.sample(possible, self.dice.randint(0, 4))
        track["columns"] = list(dict.fromkeys([track["headline"], *other_columns, *declared_ids]))

    # Submissions

    def number_of_agents(self, track: Facts) -> int:
        """Draw the number of agents on a track, which is large only if each agent has few records."""
        low, high = self.dice.choices([(0, 0), (1, 1), (2, 6), (7, 14), (15, 40)], [1, 2, 12, 6, 1])[0]
        tasks = self.made.task_sets[track["tasks"]]
        attempts: int = track["attempts"]
        records = attempts * sum(len(task["rounds"]) for task in tasks)
        record_limit = MOST_RECORDS * (8 if self.is_large else 1)
        number = self.dice.randint(low, high)
        return min(number, max(1, record_limit // records))

    def add_submissions(self, track: Facts) -> None:
        """Draw the submissions of a track; some are retired afterwards."""
        agents = self.number_of_agents(track)
        self.spread = self.dice.choice((0.0, 0.1, 0.3, 0.5))
        self.figures_known = self.dice.choice((0, 0.5, 0.85, 0.97, 1, 1))
        self.is_counted = self.has_cases_listed or self.has_categories or self.chance(0.7)
        difficulty = {}
        for task in self.made.task_sets[track["tasks"]]:
            difficulty[task["id"]] = self.dice.uniform(-0.3, 0.3)
        names = []
        for number in range(agents):
            name = f"{track['id']}-agent-{number}"
            self.made.submissions[name] = self.submission(track, number, difficulty)
            names.append(name)
        for name in names:
            if self.chance(0.06):
                self.retire(name, names)

    def agent(self, number: int) -> Facts:
        """Draw an agent; a number stands for the same agent on all tracks."""
        agent: Facts = {"name": f"Agent {number}"}
        if number % 3 == 0:
            agent |= {"organization": f"Lab {number % 4}", "open_weights": number % 2 == 0}
        if number % 5 == 1:
            agent |= {"scaffold": "Scaffold One", "reasoning": "high"}
        return agent

    def submission(self, track: Facts, number: int, difficulty: Mapping[str, float]) -> DrawnSubmission:
        """Draw a submission: a copy of an earlier one, an extreme one, or one with a random ability."""
        tasks = self.made.task_sets[track["tasks"]]
        manifest: Facts = {"schema": 1, "track": track["id"], "date": self.day()}
        made = track["attempts"]
        if made > 1 and self.chance(0.15):
            made = self.dice.randint(1, made)
            manifest["attempts"] = made
        missing: set[str] = set()
        if len(tasks) > 1 and self.chance(0.12):
            number_missing = self.dice.randint(1, max(1, min(len(tasks) - 1, len(tasks) // 3)))
            missing = {task["id"] for task in self.dice.sample(tasks, number_missing)}
            manifest["missing"] = sorted(missing)
        manifest["agent"] = self.agent(number)
        is_free = self.chance(0.1)
        if is_free and self.chance(0.5):
            manifest["agent"]["free"] = True
        submitted_tasks = [task for task in tasks if task["id"] not in missing]
        twin = self.made.submissions.get(f"{track['id']}-agent-{number - 1}")
        same_records = twin is not None and twin.manifest.get("attempts") == manifest.get("attempts")
        same_records = same_records and twin is not None and twin.manifest.get("missing") == manifest.get("missing")
        if twin and same_records and self.chance(0.12):
            rounds, runs = [dict(row) for row in twin.rounds], [dict(row) for row in twin.runs]
        else:
            rounds, runs = self.records(track, submitted_tasks, made, difficulty, is_free=is_free)
        if self.chance(0.25):
            manifest["provenance"] = {"harness": "drawn-harness", "harness_version": "1.2"}
        if self.chance(0.1):
            manifest["caveats"] = ["A caveat that was drawn."]
        return DrawnSubmission(manifest, rounds, runs)

    def records(
        self,
        track: Facts,
        tasks: Sequence[Facts],
        made: int,
        difficulty: Mapping[str, float],
        *,
        is_free: bool,
    ) -> tuple[list[Facts], list[Facts]]:
        """Draw the records of all attempts and the figures of their runs."""
        kind = self.dice.choices(["usual", "zero", "perfect", "gaps"], [20, 1, 1, 1])[0]
        ability = 0.5 + self.dice.uniform(-self.spread, self.spread)
        known_share = 0 if kind == "gaps" else self.figures_known
        goes_on = self.chance(0.1)
        starts: list[Facts] = [{"attempt": attempt} for attempt in range(1, made + 1)]
        if track.get("reference_rounds"):
            starts.append({"attempt": 1, "start": "reference"})
        rounds = []
        for task, start in product(tasks, starts):
            chance = {"zero": 0.0, "perfect": 1.0}.get(kind, ability + difficulty[task["id"]])
            has_stopped = False
            for defined in task["rounds"]:
                row: Facts = {"task": task["id"], "round": defined["n"], **start}
                if has_stopped:
                    row |= {"state": "unreached", "reward": 0, "passed": 0, "total": 0}
                else:
                    row |= self.verdict(defined, chance, is_perfect=kind == "perfect")
                    row |= self.figures(known_share, is_free=is_free, state=row["state"])
                has_failed = row["reward"] < 0.999
                is_over = row["state"] == "unreached" or (has_failed and track["protocol"] == "fail-stop")
                has_stopped = has_stopped or (is_over and "start" not in start and not goes_on)
                rounds.append(row)
        runs = list(self.runs(tasks, made)) if self.chance(0.3) and known_share else []
        return rounds, runs

    def verdict(self, defined: Facts, chance: float, *, is_perfect: bool) -> Facts:
        """Draw the verdict of a round."""
        state = (
            "scored"
            if is_perfect
            else self.dice.choices(["scored", "no_cases", "aborted", "unreached"], [40, 1, 2, 1])[0]
        )
        if state != "scored":
            return {"state": state, "reward": 0, "passed": 0, "total": 0, "cause": "drawn"}
        is_passed = self.chance(chance)
        if not self.is_counted:
            return {
                "state": state,
                "reward": 1 if is_passed else self.dice.choice((0, 0, 0.5, 0.998)),
            }
        if "cases" in defined:
            return self.verdict_of_cases(defined["cases"], is_passed=is_passed)
        if self.has_categories:
            return self.verdict_of_categories(is_passed=is_passed)
        total = self.dice.randint(1, 6)
        passed = total if is_passed else self.dice.randint(0, total - 1)
        return {"state": state, "reward": int(is_passed), "passed": passed, "total": total}

    def verdict_of_cases(self, cases: Sequence[Facts], *, is_passed: bool) -> Facts:
        """Draw the outcome of each listed case."""
        letters = ["p"] * len(cases)
        if not is_passed:
            for index in self.dice.sample(range(len(cases)), self.dice.randint(1, len(cases))):
                letters[index] = self.dice.choice("ffe")
        passed = letters.count("p")
        verdict: Facts = {
            "state": "scored",
            "reward": int(is_passed),
            "passed": passed,
            "total": len(cases),
        }
        verdict["outcomes"] = "".join(letters)
        if self.has_categories:
            counts: dict[str, list[int]] = {}
            for case, letter in zip(cases, letters, strict=True):
                count = counts.setdefault(case["category"], [0, 0])
                count[0] += letter == "p"
                count[1] += 1
            verdict["by_category"] = counts
        return verdict

    def verdict_of_categories(self, *, is_passed: bool) -> Facts:
        """Draw the number of passed cases in each category; a failed round has at least one failed case."""
        names = self.dice.sample(CATEGORIES, self.dice.randint(1, len(CATEGORIES)))
        totals = {name: self.dice.randint(1, 3) for name in names}
        counts = {name: [total, total] for name, total in totals.items()}
        for name in [] if is_passed else self.dice.sample(names, self.dice.randint(1, len(names))):
            counts[name][0] -= self.dice.randint(1, totals[name])
        passed = sum(count[0] for count in counts.values())
        verdict: Facts = {"state": "scored", "reward": int(is_passed), "passed": passed}
        return {**verdict, "total": sum(totals.values()), "by_category": counts}

    def figures(self, known_share: float, *, is_free: bool, state: str) -> Facts:
        """Draw the figures of a round, a share of which is known; a free agent states a cost of 0."""
        if state == "unreached":
            return {}
        cost = 0 if is_free or self.chance(0.03) else round(self.dice.lognormvariate(0, 1), 3)
        tokens = 0 if not cost and self.chance(0.3) else self.dice.randint(1, 9999)
        figures: Facts = {
            "interactions": self.dice.randint(1, 90),
            "turns": self.dice.randint(1, 60),
            "input_tokens": tokens * 3,
            "output_tokens": tokens,
            "cost_usd": cost,
            "agent_seconds": round(self.dice.uniform(1, 999), 1),
            "measures": {
                "erosion@1": round(self.dice.random(), 4),
                "verbosity@1": round(self.dice.random(), 4),
            },
        }
        if self.chance(0.001):
            figures["measures"] = {"erosion@2": 0.5}
        return {name: value for name, value in figures.items() if self.chance(known_share)}

    def runs(self, tasks: Sequence[Facts], made: int) -> Iterator[Facts]:
        """Draw the figures that are known only for complete runs."""
        for task, attempt in product(tasks, range(1, made + 1)):
            figures: Facts = {
                "interactions_per_round": round(self.dice.uniform(1, 90), 2),
                "turns": self.dice.randint(1, 500),
                "output_tokens": self.dice.randint(1, 99999),
                "cost_usd": round(self.dice.uniform(0, 20), 2),
                "agent_seconds": self.dice.randint(1, 9999),
            }
            known_figures = {name: value for name, value in figures.items() if self.chance(0.7)}
            if known_figures and self.chance(0.9):
                yield {"task": task["id"], "attempt": attempt, **known_figures}

    def retire(self, name: str, names: Sequence[str]) -> None:
        """Withdraw a submission, or mark it as superseded by another one."""
        manifest = self.made.submissions[name].manifest
        day = self.day(manifest["date"])
        other_names = [
            other_name
            for other_name in names
            if other_name != name and "status" not in self.made.submissions[other_name].manifest
        ]
        if other_names and self.chance(0.4):
            manifest["status"] = {
                "state": "superseded",
                "by": self.dice.choice(other_names),
                "date": day,
            }
        else:
            reason = "The wrong model was run."
            manifest["status"] = {
                "state": "withdrawn",
                "by": "The submitter",
                "reason": reason,
                "date": day,
            }

    # Published tables

    def add_tables(self, track: Facts) -> None:
        """Draw published tables in addition to the results, or instead of them."""
        entered = [name for name in self.made.submissions if name.startswith(f"{track['id']}-")]
        if entered and not self.chance(0.35):
            return
        if not entered and self.chance(0.5):
            for key in ("tasks", "protocol", "reference_rounds"):
                track.pop(key, None)
        for number in range(self.dice.choice((1, 1, 1, 2))):
            name = f"{track['id']}-table-{number}"
            self.made.tables[name] = self.table(track, name, len(entered))

    def table(self, track: Facts, name: str, entered: int) -> Facts:
        """Draw a published table of new agents, sometimes with a few agents that also have results."""
        numbers = self.dice.sample(range(50, 90), self.dice.randint(1, 8))
        if entered and self.chance(0.4):
            numbers += self.dice.sample(range(entered), min(entered, 2))
        metrics = [metric for metric in track["columns"] if metric == track["headline"] or self.chance(0.5)]
        rows = []
        for number in numbers:
            values = {metric: self.printed(metric) for metric in metrics if self.chance(0.9)}
            rows.append({"id": f"{name}-{number}", **self.agent(number), "values": values})
        table: Facts = {
            "schema": 1,
            "track": track["id"],
            "title": f"Table {name}",
            "source": f"A paper, {name}",
            "date": self.day(),
            "rows": rows,
        }
        if self.chance(0.3):
            erratum = {
                "about": "Table 1",
                "note": "A value is misprinted.",
                "rows": [rows[0]["id"]],
            }
            table["errata"] = [erratum]
        return table

    def printed(self, metric: str) -> Any:  # noqa: ANN401 - a number, or a table around it
        """Draw a published figure, sometimes with the number of items that it was computed over."""
        declared_units = {metric["id"]: metric["unit"] for metric in self.made.definition["metrics"]}
        unit = declared_units.get(metric, "")
        if metric in {"completion", "mean_reward", "erosion", "verbosity"} or unit == "share":
            return round(self.dice.random(), 3)
        if metric == "perfect_tasks" or unit == "count":
            return self.dice.randint(0, 20)
        if metric in {"resolved", "solved", "partial"} and self.chance(0.5):
            n = self.dice.choice((5, 20, 115))
            return {"value": round(100 * self.dice.randint(0, n) / n, 1), "n": n}
        return round(self.dice.uniform(0, 100), 1)

    # Findings and retired tracks

    def retire_tracks(self, tracks: Sequence[Facts]) -> None:
        """Withdraw some tracks, or mark them as legacy."""
        for index, track in enumerate(tracks):
            if not self.chance(0.12):
                continue
            track |= {
                "status": self.dice.choice(("withdrawn", "legacy")),
                "reason": "The grader was wrong.",
            }
            if index + 1 < len(tracks):
                track["superseded_by"] = tracks[index + 1]["id"]

    def add_findings(self, tracks: Sequence[Facts]) -> None:
        """Draw findings: notes, corrections, and findings that exclude, zero or withdraw results."""
        if self.chance(0.4):
            return
        for number in range(self.dice.randint(1, 4)):
            finding = self.finding(number, tracks)
            if finding:
                self.made.findings.append(finding)

    def finding(self, number: int, tracks: Sequence[Facts]) -> Facts | None:
        """Draw one finding."""
        track = self.dice.choice(tracks)
        tasks = self.made.task_sets.get(track.get("tasks", ""), [])
        entered = [
            name for name, submission in self.made.submissions.items() if submission.manifest["track"] == track["id"]
        ]
        kind = self.dice.choice(("note", "correction", "task", "round", "case", "zero", "withdraw"))
        finding: Facts = {
            "id": f"finding-{number}",
            "date": self.day(),
            "kind": "defect",
            "title": f"Finding {number}",
            "tracks": [track["id"]],
        }
        finding |= {"reason": "It was drawn.", "by": "The maintainers"}
        if kind == "correction" and self.made.findings:
            wrong = self.dice.choice(self.made.findings)
            finding |= {"kind": "note", "title": f"Correction {number}", "corrects": wrong["id"]}
            finding |= {"date": self.day(wrong["date"]), "tracks": wrong["tracks"]}
            return finding
        if kind in {"note", "correction"} or not tasks or not entered:
            return {**finding, "kind": "note", "title": f"Note {number}"}
        task = self.dice.choice(tasks)
        match kind:
            case "task":
                chosen = self.dice.sample(tasks, self.dice.randint(1, min(3, len(tasks))))
                finding |= {"effect": "exclude", "tasks": [chosen_task["id"] for chosen_task in chosen]}
            case "round":
                finding |= {"effect": "exclude", "tasks": [task["id"]]}
                finding["rounds"] = [self.dice.choice(task["rounds"])["n"]]
            case "case":
                defined = self.dice.choice(task["rounds"])
                if "cases" not in defined:
                    return None
                finding |= {"effect": "exclude", "tasks": [task["id"]], "rounds": [defined["n"]]}
                finding["cases"] = [self.dice.choice(defined["cases"])["id"]]
            case "zero":
                finding |= {"kind": "leak", "effect": "zero", "tasks": [task["id"]]}
                finding["submissions"] = [self.dice.choice(entered)]
            case "withdraw":
                finding |= {
                    "kind": "leak",
                    "effect": "withdraw",
                    "submissions": [self.dice.choice(entered)],
                }
        if kind in {"task", "round"} and self.chance(0.2):
            finding["submissions"] = [self.dice.choice(entered)]
        return finding

    def set_apart(self, tracks: Sequence[Facts]) -> None:
        """Draw baselines, deadlines, embargoes and track versions with a separate random generator."""
        self.dice = random.Random(f"apart {self.made.id}")  # noqa: S311 - a draw that anyone may repeat
        has_baselines, has_embargoes = self.chance(0.35), self.chance(0.3)
        for submission in self.made.submissions.values():
            if has_baselines and self.chance(0.25):
                submission.manifest["baseline"] = True
            if has_embargoes and self.chance(0.3):
                submission.manifest["embargo"] = self.dice.choice((date(2026, 3, 1), date(2099, 1, 1)))
        for index, track in enumerate(tracks):
            if self.chance(0.25):
                track["deadline"] = self.day()
            following = tracks[index + 1] if index + 1 < len(tracks) else None
            if following and track.get("status") != "withdrawn" and self.chance(0.5):
                track |= {"status": "legacy", "reason": "Two tasks changed.", "superseded_by": following["id"]}
                following["replaces"] = track["id"]
                if track.get("tasks", "") == following.get("tasks") and self.chance(0.5):
                    following["changed"] = [self.made.task_sets[track["tasks"]][0]["id"]]

    def add_waiver_for_gaps(self) -> None:
        """Remove records of one submission, and waive the rule that requires them."""
        if not self.made.submissions or not self.chance(0.1):
            return
        name = self.dice.choice(list(self.made.submissions))
        submission = self.made.submissions[name]
        last = max(row["attempt"] for row in submission.rounds)
        if last > 1 and self.chance(0.5):
            remaining_rounds = [row for row in submission.rounds if row["attempt"] != last or "start" in row]
        else:
            remaining_rounds = [row for row in submission.rounds if self.chance(0.9)]
        if not remaining_rounds or len(remaining_rounds) == len(submission.rounds):
            return
        submission.rounds = remaining_rounds
        waiver = {
            "date": self.day(),
            "kind": "waiver",
            "title": "Records are lost",
            "code": "ROUND-MISSING",
        }
        waiver |= {"by": "The maintainers", "reason": "A disk failed.", "submissions": [name]}
        self.made.findings.append(waiver)
