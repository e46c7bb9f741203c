"""A results folder, scored a second time in plain Python that shares no code with the program.

`read_boards(folder)` yields the boards of a folder. Scores come from `exact_scores`, `exact_extents` and
`exact_declared`, as exact fractions; this module computes ranks, and whether a board has intervals.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from kit import exact_declared
from kit.exact_extents import extent, told
from kit.exact_scores import Exact

TODAY = date(2026, 7, 1)
"""The day on which boards are evaluated."""

Row = dict[str, Any]
Value = Fraction | None

COMMON = ("mean_reward", "perfect_tasks", "avg_turns", "output_tokens_k", "net_cost")
BY_ROUND = ("avg_rounds", "cost_per_round", "minutes_per_round", "erosion", "verbosity")
CHECKPOINTS = ("strict", "iso", "core", "partial", "solved", "dataset_score", "case_score")
CATALOGUE: Mapping[str, Sequence[str]] = {
    "chain": (*COMMON, *BY_ROUND, *CHECKPOINTS),
    "fail-stop": (*COMMON, *BY_ROUND, "mt_at_k", "sr", "gap", "comp"),
    "once": (*COMMON, "resolved", "completion"),
}
"""The metrics that are defined for each protocol."""
MEANS_OVER_TASKS = (
    "dataset_score",
    "case_score",
    "mean_reward",
    "mt_at_k",
    "comp",
    "resolved",
    "completion",
    "partial",
    "solved",
)
"""Metrics that are the unweighted mean over tasks of one value per task."""
LOWER_IS_BETTER = (
    "avg_rounds",
    "avg_turns",
    "output_tokens_k",
    "gap",
    "net_cost",
    "cost_per_round",
    "minutes_per_round",
    "erosion",
    "verbosity",
)
DECIMALS: Mapping[str, int] = {
    "perfect_tasks": 0,
    "mean_reward": 3,
    "completion": 3,
    "net_cost": 2,
    "cost_per_round": 2,
    "erosion": 2,
    "verbosity": 2,
}
"""Decimal places on pages, for metrics whose number of decimals is not 1."""
DECIMALS_OF_UNIT = {
    "percent": 1,
    "share": 3,
    "count": 0,
    "number": 2,
    "usd": 2,
    "seconds": 1,
    "tokens": 0,
}
HIGHEST: Mapping[str, int] = {
    **dict.fromkeys(("mean_reward", "completion", "erosion", "verbosity"), 1),
    **dict.fromkeys(("dataset_score", "case_score", "mt_at_k", "sr", "comp", "resolved"), 100),
    **dict.fromkeys(("strict", "iso", "core", "partial", "solved"), 100),
}
"""The highest possible score of each catalogue metric that has one."""
SAME = Fraction(1, 10**9)
"""Scores that differ by less than this are equal."""


def json_rows(path: Path) -> list[Row]:
    """Read a file of JSON lines; return an empty list if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def toml_of(path: Path) -> Row:
    """Read a TOML file, with floats as exact decimals; return an empty table if there is no file."""
    if not path.exists():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


@dataclass
class Submission:
    """A bundle with the effects of findings, and the conditions of its track."""

    id: str
    manifest: Row
    track: Row
    tasks: Sequence[Row]
    rounds: list[Row]
    runs: Sequence[Row]
    state: str
    """"published", "superseded" or "withdrawn", including the effects of findings."""

    @property
    def records(self) -> list[Row]:
        """The records, excluding those added for excluded rounds without a record."""
        return [row for row in self.rounds if "absent" not in row]

    @property
    def asked(self) -> int:
        """The number of attempts that the track requires."""
        return int(self.track.get("attempts", 1))

    @property
    def made(self) -> int:
        """The number of attempts in the manifest, or else on the track."""
        return min(int(self.manifest.get("attempts", self.asked)), self.asked)

    @property
    def is_fail_stop(self) -> bool:
        """Whether no round counts after the first failure."""
        return self.track.get("protocol") == "fail-stop"

    @property
    def excluded(self) -> frozenset[tuple[str, int]]:
        """Always empty: the records of excluded rounds state the exclusion."""
        return frozenset()

    @property
    def is_free(self) -> bool:
        """Whether a cost of 0 is real; otherwise it means unknown."""
        return self.manifest["agent"].get("free") is True

    @cached_property
    def exact(self) -> Exact:
        """Its scores by the metrics of the catalogue."""
        return Exact(self)

    @property
    def counted_tasks(self) -> list[str]:
        """Ids of the tasks that count for the submission."""
        return list(self.exact.tasks)

    @property
    def missing(self) -> list[str]:
        """The ids of the tasks that count but have no results from the submission."""
        recorded_tasks = {row["task"] for row in self.rounds if row["state"] != "excluded"}
        return [task for task in self.counted_tasks if task not in recorded_tasks]


@dataclass
class BoardRow:
    """A row of a board: a submission, or a row of a published table."""

    id: str
    name: str
    state: str
    scores: dict[str, Value]
    """Scores by metric id; None for a gap."""
    submission: Submission | None = None
    printed: Row = field(default_factory=dict)
    """Figures of a published table, by metric id."""
    scaffold: str = ""
    apart: str = ""
    """"baseline" or "late" if the row is published but neither ranked nor counted; otherwise empty."""

    @property
    def is_complete(self) -> bool:
        """Whether the row has results for every task that counts, or comes from a published table."""
        return self.submission is None or not self.submission.missing


@dataclass
class BoardFiles:
    """One track of a benchmark, with its rows."""

    benchmark: Row
    track: Row
    tasks: Sequence[Row]
    rows: list[BoardRow]
    findings: Sequence[Row] = ()
    """The findings about the track that have an effect."""

    @property
    def headline(self) -> str:
        """Id of the metric by which rows are ranked."""
        return str(self.track["headline"])

    @property
    def own_metrics(self) -> dict[str, Row]:
        """The metrics that the benchmark declares, by id."""
        return {metric["id"]: metric for metric in self.benchmark.get("metrics", ())}

    @property
    def is_higher_better(self) -> bool:
        """Whether higher scores of the headline are better."""
        if self.headline in self.own_metrics:
            return bool(self.own_metrics[self.headline].get("direction", "higher") == "higher")
        return self.headline not in LOWER_IS_BETTER

    def decimals(self, metric: str) -> int:
        """Return the number of decimal places that pages show for a metric."""
        if metric in self.own_metrics:
            declared = self.own_metrics[metric]
            return int(declared.get("decimals", DECIMALS_OF_UNIT[declared["unit"]]))
        return DECIMALS.get(metric, 1)

    def highest(self, metric: str) -> int | None:
        """Return the highest possible score of a metric; None if it has none or counts tasks."""
        if metric in self.own_metrics:
            return {"percent": 100, "share": 1}.get(self.own_metrics[metric]["unit"])
        return HIGHEST.get(metric)

    @cached_property
    def published(self) -> list[BoardRow]:
        """The rows that are not withdrawn, superseded or listed apart."""
        return [row for row in self.rows if row.state == "published" and not row.apart]

    @cached_property
    def has_results(self) -> bool:
        """Whether any published row has results; if so, rows of published tables have no rank."""
        return any(row.submission for row in self.published)

    @cached_property
    def ranked(self) -> list[BoardRow]:
        """The rows with a rank, best first; rows with equal scores are sorted by id."""
        rows = [row for row in self.published if row.is_complete and row.scores.get(self.headline) is not None]
        if self.has_results:
            rows = [row for row in rows if row.submission]
        versions = {version for row in rows for version in measured_versions(row, self.measurement)}
        if len(versions) > 1:
            return []
        return sorted(rows, key=lambda row: (self.falling(row), row.id))

    @property
    def measurement(self) -> str:
        """The name of the measurement that the headline averages; empty if there is none."""
        if self.headline in {"erosion", "verbosity"}:
            return self.headline
        of = self.own_metrics.get(self.headline, {}).get("of", "")
        return of[8:] if of.startswith("measure:") else ""

    def falling(self, row: BoardRow) -> Fraction:
        """Return a sort key that is smaller for better rows, and equal for rows with equal scores."""
        value = row.scores[self.headline] or Fraction()
        rounded = round(value, 9)
        return -rounded if self.is_higher_better else rounded

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The rank of each ranked row, by row id; rows with equal scores share the better rank."""
        order = [self.falling(row) for row in self.ranked]
        return {row.id: 1 + order.index(self.falling(row)) for row in self.ranked}

    @cached_property
    def counted_tasks(self) -> list[str]:
        """The ids of the tasks that count for any submission, in task set order."""
        counted = {task for row in self.rows if row.submission for task in row.submission.counted_tasks}
        return [task["id"] for task in self.tasks if task["id"] in counted]

    @property
    def counting_tasks(self) -> list[str]:
        """The ids of the tasks that findings do not exclude for all submissions, in task set order."""
        acting = [finding for finding in self.findings if "submissions" not in finding]
        remaining_tasks = []
        for task in self.tasks:
            rows = [
                {"task": task["id"], "round": defined_round["n"], "state": "unreached", "reward": 0}
                for defined_round in task["rounds"]
            ]
            judged = with_effects(rows, self.tasks, acting)
            states = [row["state"] for row in judged if row["task"] == task["id"]]
            remaining_tasks += [] if set(states) == {"excluded"} else [str(task["id"])]
        return remaining_tasks

    @cached_property
    def clusters(self) -> dict[str, list[str]]:
        """The counted tasks in each cluster; empty if tasks are independent."""
        axes = self.benchmark.get("axes", {})
        axis = next((name for name, facts in axes.items() if facts.get("cluster")), None)
        if axis is None:
            return {}
        labels = {task["id"]: task["labels"][axis] for task in self.tasks}
        tasks_by_cluster: dict[str, list[str]] = {}
        for task in self.counted_tasks:
            tasks_by_cluster.setdefault(labels[task], []).append(task)
        return tasks_by_cluster

    @property
    def has_intervals(self) -> bool:
        """Whether there are at least two tasks and, if tasks form clusters, at least six clusters."""
        few_clusters = bool(self.clusters) and len(self.clusters) < 6
        return len(self.counted_tasks) > 1 and not few_clusters


def measured_versions(row: BoardRow, measurement: str) -> set[str]:
    """Return the keys in a row's records for a measurement, each with a version of its definition."""
    if not measurement or row.submission is None:
        return set()
    worked = [round_result for round_result in row.submission.rounds if round_result["state"] in exact_declared.REACHED]
    keys = {key for worked_round in worked for key in worked_round.get("measures", {})}
    return {key for key in keys if key.split("@")[0] == measurement}


def read_boards(results: Path, *, has_findings: bool = True) -> Iterator[BoardFiles]:
    """Yield every board of a results folder, with or without the effects of its findings."""
    for path in sorted(results.glob("*/benchmark.toml")):
        folder, benchmark = path.parent, toml_of(path)
        recorded = toml_of(folder / "findings.toml").get("findings", [])
        sealed = embargoed_in(folder)
        findings = [finding for finding in recorded if has_findings and set(finding.get("submissions", [""])) - sealed]
        tables = [toml_of(table_path) for table_path in sorted((folder / "reported").glob("*.toml"))]
        arrivals = arrival_days(results, folder.name)
        for track in benchmark["tracks"]:
            tasks = json_rows(folder / "tasks" / f"{track.get('tasks')}.jsonl")
            submissions = list(read_submissions(folder, track, tasks, findings))
            rows = [submission_row(benchmark, submission) for submission in submissions]
            for row in rows:
                row.apart = why_apart(row, track, arrivals)
            on_track = [table for table in tables if table["track"] == track["id"]]
            rows += printed_rows(on_track, submissions, track["headline"])
            without_mixed_versions(benchmark, rows)
            acting = [track_finding for track_finding in findings if concerns(track_finding, track["id"], None)]
            yield BoardFiles(benchmark, track, tasks, rows, acting)


def embargoed_in(folder: Path) -> set[str]:
    """Return the ids of the submissions under embargo."""
    manifests = folder.glob("submissions/*/submission.toml")
    return {path.parent.name for path in manifests if toml_of(path).get("embargo", TODAY) > TODAY}


def arrival_days(results: Path, benchmark: str) -> dict[str, date]:
    """Return the day on which each submission of a benchmark was first seen, by id; unrecorded ones are left out."""
    days = {}
    for line in json_rows(results / "arrivals.jsonl"):
        of, _, name = line["bundle"].rpartition("/")
        if of.rpartition("/")[2] == benchmark:
            days[name] = date.fromisoformat(line["seen"])
    return days


def why_apart(row: BoardRow, track: Row, arrivals: Mapping[str, date]) -> str:
    """Return why a published submission is listed apart ("baseline" or "late"), or an empty text."""
    if row.submission is None or row.state != "published":
        return ""
    if row.submission.manifest.get("baseline"):
        return "baseline"
    day = arrivals.get(row.id, row.submission.manifest["date"])
    return "late" if day > track.get("deadline", day) else ""


def read_submissions(folder: Path, track: Row, tasks: Sequence[Row], findings: Sequence[Row]) -> Iterator[Submission]:
    """Yield the submissions to a track, with the effects of findings."""
    embargoed = embargoed_in(folder)
    for path in sorted(folder.glob("submissions/*/submission.toml")):
        manifest = toml_of(path)
        if manifest["track"] != track["id"] or path.parent.name in embargoed:
            continue
        name, rounds = path.parent.name, json_rows(path.with_name("rounds.jsonl"))
        runs = json_rows(path.with_name("runs.jsonl"))
        status = manifest.get("status", {})
        state = "published" if status.get("by") in embargoed else status.get("state", "published")
        acting = [finding for finding in findings if concerns(finding, track["id"], name)]
        is_redacted = not path.with_name("rounds.jsonl").exists()
        if is_redacted or any(acting_finding["effect"] == "withdraw" for acting_finding in acting):
            state = "withdrawn"
        rounds = with_effects(without_untried(rounds), tasks, acting)
        yield Submission(name, manifest, track, tasks, rounds, runs, state)


def without_untried(rounds: list[Row]) -> list[Row]:
    """Return the records, without own attempts if only rounds from the reference state were tried."""
    is_tried = {"own": False, "reference": False}
    for row in rounds:
        is_tried[row.get("start", "own")] |= row["state"] in exact_declared.REACHED
    if is_tried["reference"] and not is_tried["own"]:
        return [row for row in rounds if row.get("start") == "reference"]
    return rounds


def concerns(finding: Row, track: str, submission: str | None) -> bool:
    """Return whether a finding affects a track and, if one is given, a submission."""
    is_idle = finding.get("effect", "note") == "note" or finding["kind"] in {
        "waiver",
        "reproduction",
        "redaction",
    }
    is_on_track = track in finding.get("tracks", [track])
    is_about = submission is None or submission in finding.get("submissions", [submission])
    return not is_idle and is_on_track and is_about


def with_effects(rounds: Sequence[Row], tasks: Sequence[Row], findings: Sequence[Row]) -> list[Row]:
    """Return the records after findings; an excluded round without a record gets one marked as absent."""
    changed = [dict(row) for row in rounds]
    recorded = {(row["task"], row["round"]) for row in rounds}
    for finding in findings:
        if finding["effect"] == "exclude" and "submissions" not in finding:
            changed += [
                {
                    "task": task["id"],
                    "attempt": 1,
                    "round": defined_round["n"],
                    "state": "excluded",
                    "reward": 0,
                    "absent": True,
                }
                for task in tasks
                for defined_round in task["rounds"]
                if (task["id"], defined_round["n"]) not in recorded
                and is_under(finding, task["id"], defined_round["n"])
                and ("cases" not in finding or not cases_left(defined_round, findings, task["id"]))
            ]
    defined = {(task["id"], task_round["n"]): task_round for task in tasks for task_round in task["rounds"]}
    for row in changed:
        under = [round_finding for round_finding in findings if is_under(round_finding, row["task"], row["round"])]
        apply_to_round(row, defined[row["task"], row["round"]], under)
    return changed


def apply_to_round(row: Row, defined: Row, findings: Sequence[Row]) -> None:
    """Apply the findings about a round to its record; a round with no remaining cases is excluded."""
    excluding = [finding for finding in findings if finding["effect"] == "exclude"]
    is_whole = any("cases" not in excluding_finding for excluding_finding in excluding)
    if is_whole or (excluding and not cases_left(defined, excluding, row["task"])):
        row["state"] = "excluded"
        return
    if excluding:
        leave_out_cases(row, defined, cases_left(defined, excluding, row["task"]))
    if any(round_finding["effect"] == "zero" for round_finding in findings) and row["state"] == "scored":
        row["reward"] = 0
        if "passed" in row:
            row["passed"] = 0
        if "by_category" in row:
            row["by_category"] = {name: [0, of] for name, (_, of) in row["by_category"].items()}


def cases_left(defined: Row, findings: Sequence[Row], task: str) -> list[str]:
    """Return the ids of a round's listed cases that no finding excludes."""
    under = [
        finding for finding in findings if is_under(finding, task, defined["n"]) and finding["effect"] == "exclude"
    ]
    gone = {case for covering_finding in under for case in covering_finding.get("cases", ())}
    return [case["id"] for case in defined.get("cases", ()) if case["id"] not in gone]


def is_under(finding: Row, task: str, number: int) -> bool:
    """Return whether a finding covers a round."""
    return task in finding.get("tasks", [task]) and number in finding.get("rounds", [number])


def leave_out_cases(row: Row, defined: Row, case_ids: Sequence[str]) -> None:
    """Score a round again by its remaining cases."""
    if row["state"] != "scored" or "outcomes" not in row:
        return
    cases = list(zip(defined["cases"], row["outcomes"], strict=True))
    remaining_cases = [(case, letter) for case, letter in cases if case["id"] in case_ids]
    passed = [letter for _, letter in remaining_cases].count("p")
    row["passed"], row["total"] = passed, len(remaining_cases)
    if passed == len(remaining_cases):
        row["reward"] = max(row["reward"], 1)
    if "by_category" in row:
        counts: dict[str, list[int]] = {case["category"]: [0, 0] for case, _ in cases}
        for case, letter in remaining_cases:
            counts[case["category"]][0] += letter == "p"
            counts[case["category"]][1] += 1
        row["by_category"] = counts


def submission_row(benchmark: Row, submission: Submission) -> BoardRow:
    """Return the row of a submission, with its score by every metric shown."""
    declared_metrics = {metric["id"]: metric for metric in benchmark.get("metrics", ())}
    values: dict[str, Value] = {}
    shown = {submission.track["headline"], *submission.track["columns"]}
    for name in CATALOGUE[submission.track.get("protocol", "once")]:
        if name not in declared_metrics and (not declared_metrics or name in shown):
            values[name] = told(submission.exact, name) if submission.exact.tasks else None
    for name, metric in declared_metrics.items():
        values[name] = declared_value(benchmark, submission, metric)
    return BoardRow(submission.id, submission.manifest["agent"]["name"], submission.state, values, submission)


def part_value(board: BoardFiles, submission: Submission, tasks: Sequence[Row]) -> Value:
    """Return a submission's score on some of the tasks by the headline metric."""
    names = {task["id"] for task in tasks}
    rounds = [row for row in submission.rounds if row["task"] in names]
    runs = [row for row in submission.runs if row["task"] in names]
    alone = replace(submission, tasks=tasks, rounds=rounds, runs=runs)
    if not alone.exact.tasks:
        return None
    if board.headline in board.own_metrics:
        return declared_value(board.benchmark, alone, board.own_metrics[board.headline])
    return told(alone.exact, board.headline)


def declared_board(benchmark: Row, submission: Submission) -> exact_declared.Board:
    """Return a submission's records in the form that the second computation of declared metrics takes."""
    rounds = [row for row in submission.rounds if row.get("start", "own") == "own"]
    made, track, is_free = submission.made, submission.track, submission.is_free
    return exact_declared.Board(benchmark, submission.tasks, rounds, submission.runs, made, track, is_free=is_free)


def declared_value(benchmark: Row, submission: Submission, metric: Row) -> Value:
    """Return a submission's score by a declared metric."""
    board = declared_board(benchmark, submission)
    return board.score(metric) if board.tasks else None


def measurement_of(benchmark: Row, metric: Row) -> str:
    """Return the measurement used by a declared metric or by a part of its ratio; empty if there is none."""
    metrics = [metric]
    if "numerator" in metric:
        metrics = [
            declared_metric
            for declared_metric in benchmark["metrics"]
            if declared_metric["id"] in {metric["numerator"], metric["denominator"]}
        ]
    names = [
        part_metric["of"].partition(":")[2]
        for part_metric in metrics
        if part_metric.get("of", "").startswith("measure:")
    ]
    return names[0] if names else ""


def without_mixed_versions(benchmark: Row, rows: Sequence[BoardRow]) -> None:
    """Replace scores by a declared measurement with gaps if published rows use several versions of its definition."""
    for metric in benchmark.get("metrics", ()):
        name = measurement_of(benchmark, metric)
        scored = [row for row in rows if row.submission and row.state == "published" and not row.apart]
        known_rows = [row for row in scored if row.scores.get(metric["id"]) is not None]
        if len({version for row in known_rows for version in measured_versions(row, name)}) > 1:
            for row in scored:
                row.scores[metric["id"]] = None


def is_same_agent(agent: Row, other_agent: Row) -> bool:
    """Return whether two agents are the same: equal names, and no conflicting scaffold or reasoning."""
    pairs = [(agent.get(key, ""), other_agent.get(key, "")) for key in ("scaffold", "reasoning")]
    return agent["name"] == other_agent["name"] and all(not a or not b or a == b for a, b in pairs)


def printed_rows(tables: Sequence[Row], submissions: Sequence[Submission], headline: str) -> Iterator[BoardRow]:
    """Yield rows for table agents without results; rows with the headline, then later tables, take precedence."""
    latest = sorted(tables, key=lambda table: table["date"], reverse=True)
    lines = [(row, table_index) for table_index, table in enumerate(latest) for row in table["rows"]]
    chosen: list[tuple[Row, int]] = []
    for row, table_number in sorted(lines, key=lambda line: headline not in line[0].get("values", {})):
        if any(is_same_agent(submission.manifest["agent"], row) for submission in submissions):
            continue
        if any(
            chosen_number != table_number and is_same_agent(chosen_row, row) for chosen_row, chosen_number in chosen
        ):
            continue
        chosen.append((row, table_number))
        figures = row.get("values", {})
        values: dict[str, Value] = {name: figure_of(figure) for name, figure in figures.items()}
        scaffold = row.get("scaffold", "")
        yield BoardRow(row["id"], row["name"], "published", values, printed=figures, scaffold=scaffold)


def figure_of(figure: Any) -> Fraction:  # noqa: ANN401 - a number, or a table around it
    """Return the value of a published figure."""
    return Fraction(str(figure["value"] if isinstance(figure, dict) else figure))


def extent_of(submission: Submission, metric: str) -> tuple[int, int]:
    """Return the number of items that a catalogue score covers, and the number that it is defined over."""
    return extent(submission.exact, metric)
