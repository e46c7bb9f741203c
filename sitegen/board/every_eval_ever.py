"""Rows in the format of Every Eval Ever: an aggregate per row, and a JSON line per round.

Source: the schemas of evaleval/every_eval_ever, version 0.3.0.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Literal
from uuid import UUID

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import Json, fields_json, status_notes
from sitegen.board.score import Score
from sitegen.board.waivers import waived_words
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.metrics.failstop import SR
from sitegen.metrics.intervals import APPROXIMATE, CONFIDENCE_LEVEL, RESAMPLES
from sitegen.metrics.metric import Metric
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.site import Site
from sitegen.models.submission import Agent, Submission
from sitegen.models.task import Task, TaskRound

VERSION = "0.3.0"
_UNKNOWN, _INFINITE = "unknown", "Infinity"
_METHODS = {
    "bootstrap": "bayesian bootstrap over tasks",
    "binomial": "exact binomial",
    "effective": "exact binomial on the effective number of tasks",
    "order": "order statistics of the tasks",
    "t": "t over tasks",
    "log-t": "t over tasks, on a log scale",
    "plain-t": "t over tasks",
}
_WEIGHTS = {True: "open_weights", False: "closed_weights", None: _UNKNOWN}
_AGENT_FIELDS = (
    "model",
    "scaffold",
    "scaffold_version",
    "reasoning",
    "url",
    "model_license",
    "model_released",
    "parameters_b",
    "free",
)
_NOT_IN_FOLDERS = re.compile(r'[<>:"\\|?*/\x00-\x1f]')


def page_address(board: Board, entry: Entry, site: Site) -> str:
    """Return the address of a row's page; the benchmark's homepage if the site has no address.

    The address is empty if the benchmark has no homepage either.
    """
    path = f"{board.benchmark.id}/{board.track.id}/{entry.id}/"
    if site.address:
        return f"{site.address}{path}"
    return str(board.benchmark.homepage or "")


def record_files(board: Board, entry: Entry, site: Site) -> dict[str, bytes]:
    """Return a row's files by path: the aggregate and, if there are results, the samples.

    Equal rows produce identical bytes.
    """
    row = _ExportedRow(board, entry, site)
    names = (board.benchmark.id, *row.model.split("/", 1))
    path = "/".join(["data", *(_folder_name(name) for name in names), str(row.uuid)])
    document = row.aggregate()
    lines = []
    for line in row.lines():
        lines.append(f"{_json(line)}\n")
    if not lines:
        return {f"{path}.json": _json_file(document)}
    samples_path = str(PurePosixPath(f"{path}_samples.jsonl"))
    samples = "".join(lines).encode()
    document["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": samples_path,
        "hash_algorithm": "sha256",
        "checksum": sha256(samples).hexdigest(),
        "total_rows": len(lines),
    }
    return {f"{path}.json": _json_file(document), samples_path: samples}


def _folder_name(name: str) -> str:
    """Return a name that is valid as a folder name on every system."""
    return _NOT_IN_FOLDERS.sub("_", name).rstrip(". ") or "_"


def aggregate_record(board: Board, entry: Entry, site: Site) -> Json:
    """Return the aggregate of a row, without its samples."""
    return _ExportedRow(board, entry, site).aggregate()


def _json(document: Json, indent: int | None = None) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)


def _json_file(document: Json) -> bytes:
    return f"{_json(document, indent=1)}\n".encode()


@dataclass(frozen=True, slots=True)
class _ExportedRow:
    """A row to export, with its board and the site that publishes it."""

    board: Board
    entry: Entry
    site: Site

    @property
    def name(self) -> str:
        """The ids of benchmark and track."""
        return f"{self.board.benchmark.id}.{self.board.track.id}"

    @property
    def id(self) -> str:
        """The evaluation's id, the same in every export."""
        return f"{self.name}/{self.entry.id}"

    @property
    def uuid(self) -> UUID:
        """The unique part of the file names, the same in every export."""
        return UUID(bytes=sha256(self.id.encode()).digest()[:16], version=4)

    @property
    def model(self) -> str:
        """The agent as "developer/model"."""
        agent = self.entry.agent
        developer = agent.organization or _UNKNOWN
        return f"{developer.replace('/', '_')}/{agent.name.replace('/', '_')}"

    @property
    def _timestamp(self) -> str:
        """Midnight UTC of the row's date, in seconds since 1970."""
        return str(int(datetime.combine(self.entry.date, time(), UTC).timestamp()))

    def aggregate(self) -> Json:
        """Return the aggregate of the row: everything except its samples."""
        timestamp = self._timestamp
        results = []
        for score in self.entry.scores.values():
            if score.value is not None:
                results.append(self._result(score, timestamp))
        return {
            "schema_version": VERSION,
            "evaluation_id": self.id,
            "evaluation_timestamp": timestamp,
            "retrieved_timestamp": timestamp,
            "source_metadata": self._source(),
            "eval_library": self._library(),
            "model_info": self._model_info(),
            "evaluation_results": results,
        }

    def _library(self) -> Json:
        """Return the name and version of the harness that made the runs."""
        submission = self.entry.submission
        if submission is None:
            return {"name": _UNKNOWN, "version": _UNKNOWN}
        provenance = submission.provenance
        return {
            "name": provenance.harness or _UNKNOWN,
            "version": provenance.harness_version or _UNKNOWN,
        }

    def _model_info(self) -> Json:
        """Return the details of the agent."""
        agent = self.entry.agent
        availability = {
            "deployment_type": _UNKNOWN,
            "model_availability": _WEIGHTS[agent.open_weights],
        }
        return {
            "name": agent.name,
            "id": self.model,
            "developer": agent.organization or _UNKNOWN,
            "additional_details": availability | _texts(fields_json(agent, _AGENT_FIELDS)),
        }

    def _source(self) -> Json:
        """Return who publishes the row, and who evaluated it."""
        site = self.site
        submission = self.entry.submission
        source_name = site.name
        if self.entry.table_line:
            source_name = self.entry.table_line.table.title
        source: Json = {
            "source_name": source_name,
            "source_type": "evaluation_run" if submission else "documentation",
            "source_organization_name": site.owner or site.name,
            "evaluator_relationship": evaluator_relationship(self.entry.agent, submission),
            "additional_details": _texts(self._source_details()),
        }
        if site.address:
            source["source_organization_url"] = site.address
        return source

    def _source_details(self) -> Json:
        """Return details of the row for which the format has no keys."""
        board = self.board
        entry = self.entry
        waived = []
        for _, waiver in board.waivers.numbered:
            if entry.id in waiver.submissions:
                waived.append(f"{waiver.code} {waived_words(waiver)}")
        excluded_rounds = []
        for result in entry.results:
            if result.state == "excluded":
                excluded_rounds.append(f"{result.task}/round-{result.round}")
        missing_tasks: Sequence[str] = ()
        if entry.coverage:
            missing_tasks = entry.coverage.missing
        caveats: Sequence[str] = ()
        if entry.submission:
            caveats = entry.submission.caveats
        source = None
        if entry.table_line:
            source = entry.table_line.table.source
        return {
            "submission": f"{board.benchmark.id}/{board.track.id}/{entry.id}",
            "evidence": entry.evidence,
            "status": "; ".join(status_notes(board, entry)),
            "attempts": entry.attempts_words,
            "missing_tasks": " ".join(missing_tasks),
            "page": page_address(board, entry, self.site),
            "source": source,
            "license": board.benchmark.license,
            "caveats": " ".join(caveats),
            "waived": "; ".join(waived),
            "excluded": " ".join(dict.fromkeys(excluded_rounds)),
        }

    def _result(self, score: Score, timestamp: str) -> Json:
        """Return one score of the row, with its metric and its uncertainty."""
        board = self.board
        metric = score.metric
        benchmark = board.benchmark
        lowest, highest = self._bounds(score)
        source: Json = {"dataset_name": benchmark.id, "source_type": "other"}
        if benchmark.homepage:
            source |= {"source_type": "url", "url": [benchmark.homepage]}
        metric_details = {
            "protocol": board.track.protocol,
            "version": score.version,
            "headline": metric is board.headline or None,
        }
        details: Json = {"missing": self.entry.missing_note(metric.id)}
        for claim in score.claims:
            details[f"claimed by {claim.source or 'the submitter'}"] = claim.value
        score_details: Json = {"score": score.value}
        if texts := _texts(details):
            score_details["details"] = texts
        score_details["uncertainty"] = self._uncertainty(score)
        return {
            "evaluation_result_id": f"{self.name}.{metric.id}",
            "evaluation_name": self.name,
            "source_data": source,
            "evaluation_timestamp": timestamp,
            "metric_config": {
                "evaluation_description": metric.definition.sentence,
                "metric_id": f"{benchmark.id}.{metric.id}",
                "metric_name": metric.title_on(board.track, benchmark),
                "metric_unit": metric.unit,
                "lower_is_better": metric.direction == "lower",
                "score_type": "continuous",
                "min_score": lowest,
                "max_score": highest,
                "additional_details": _texts(metric_details),
            },
            "score_details": score_details,
        }

    def _bounds(self, score: Score) -> tuple[float | str, float | str]:
        """Return the lowest and the highest possible score, in the metric's unit."""
        metric = score.metric
        if metric.unit == "points":
            return -100.0, 100.0
        # Only the unit "number" allows negative values, since its meaning is not known.
        lowest: float | str = 0.0
        if metric.unit == "number":
            lowest = f"-{_INFINITE}"
        if metric.highest is not None:
            return lowest, metric.highest
        tasks = self.board.tasks.tasks
        is_bounded = metric.unit == "tasks" and bool(tasks)
        if is_bounded:
            return lowest, float(len(tasks))
        return lowest, _INFINITE

    def _uncertainty(self, score: Score) -> Json:
        """Return a score's interval, its standard deviation, and its number of samples."""
        interval = self.board.inference.interval(self.entry, score.metric.id)
        uncertainty: Json = {}
        if interval:
            bounds: Json = {
                "lower": interval.low,
                "upper": interval.high,
                "method": _METHODS[interval.kind],
            }
            if interval.kind not in APPROXIMATE:
                bounds["confidence_level"] = CONFIDENCE_LEVEL
            uncertainty["confidence_interval"] = bounds
            if interval.kind == "bootstrap":
                uncertainty["num_bootstrap_samples"] = RESAMPLES
        if score.deviation is not None:
            uncertainty["standard_deviation"] = score.deviation
        if score.extent:
            counts_all = score.metric.counts_missing_as_zero
            if counts_all:
                uncertainty["num_samples"] = score.extent.expected
            else:
                uncertainty["num_samples"] = score.extent.covered
        return uncertainty

    def lines(self) -> Iterator[Json]:
        """Yield a line for each round that counts.

        A round that started from the reference state is graded by the metric for such rounds, and
        skipped if the row has no score for that metric.
        """
        bundle = self.entry.bundle
        if bundle is None:
            return
        tasks = self.board.tasks.by_id()
        rounds_by_key = {}
        for task in tasks.values():
            for task_round in task.rounds:
                rounds_by_key[task.id, task_round.n] = task_round
        headline = self.board.headline
        graded = MEAN_REWARD
        if headline.unit in {"percent", "share"}:
            graded = headline
        has_reference_score = self.entry.value(SR.id) is not None
        runs = {}
        for run in bundle.runs:
            runs[run.task, run.attempt] = run
        for result in bundle.rounds:
            is_reference = result.start == "reference"
            if result.state == "excluded" or (is_reference and not has_reference_score):
                continue
            metric = graded
            run_figures = None
            if is_reference:
                metric = SR
            else:
                run_figures = runs.pop((result.task, result.attempt), None)
            task_round = rounds_by_key[result.task, result.round]
            yield self._line(result, tasks[result.task], task_round, metric, run_figures)

    def _line(
        self,
        result: RoundResult,
        task: Task,
        task_round: TaskRound,
        graded: Metric,
        run: RunFigures | None,
    ) -> Json:
        """Return the line of a round, with its reward on the scale of a metric.

        Args:
            result: The round's record.
            task: Its task.
            task_round: The round as its task defines it.
            graded: The metric that the line belongs to.
            run: The figures of its run, for the first round of each run.
        """
        suffix = ""
        if result.start == "reference":
            suffix = "-from-reference"
        token_usage = _token_usage(result)
        metadata = _round_details(result, task_round.weight)
        if run:
            metadata |= _run_details(run)
        if token_usage is None:
            metadata |= fields_json(result, ("input_tokens", "output_tokens"))
        prompt = task_round.title or task.url or task.name
        if task.private:
            prompt = task.id
        error = None
        if result.state == "aborted":
            error = "aborted"
            if result.cause and not task.private:
                error = result.cause
        return {
            "schema_version": VERSION,
            "evaluation_id": self.id,
            "model_id": self.model,
            "evaluation_name": self.name,
            "evaluation_result_id": f"{self.name}.{graded.id}",
            "sample_id": f"{result.task}/round-{result.round}{suffix}",
            "interaction_type": "agentic",
            "input": {
                "raw": prompt,
                "reference": [],
            },
            "output": None,
            "messages": [],
            "answer_attribution": [],
            "evaluation": _evaluation(result, graded),
            "token_usage": token_usage,
            "error": error,
            "metadata": _texts(metadata),
        }


def _evaluation(result: RoundResult, graded: Metric) -> Json:
    """Return a round's verdict, its reward on the scale of a metric, and its turns if known."""
    turns = result.interactions
    if result.interactions is None:
        turns = result.turns
    evaluation: Json = {
        "score": result.reward * (graded.highest or 1.0),
        "is_correct": result.solved,
    }
    if turns is not None and turns >= 1:
        evaluation["num_turns"] = int(turns)
    return evaluation


def _token_usage(result: RoundResult) -> dict[str, int] | None:
    """Return the token counts of a round; None unless both input and output are known."""
    if result.input_tokens is None or result.output_tokens is None:
        return None
    input_tokens = int(result.input_tokens)
    output_tokens = int(result.output_tokens)
    return {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
    }


def _round_details(result: RoundResult, weight: float) -> Json:
    """Return details of a round for which the format has no keys."""
    start = None
    if result.start == "reference":
        start = result.start
    stated_weight = None
    if weight != 1:
        stated_weight = weight
    by_category = None
    if result.by_category:
        by_category = _json(dict(result.by_category))
    measures = None
    if result.measures:
        measures = _json(dict(result.measures))
    return {
        "task": result.task,
        "round": result.round,
        "epoch": result.attempt,
        "state": result.state,
        "start": start,
        "weight": stated_weight,
        "cause": result.cause,
        "cases_passed": result.passed,
        "cases_total": result.total,
        "cases_skipped": result.skipped,
        "interactions": result.interactions,
        "turns": result.turns,
        "cost_usd": result.cost_usd,
        "agent_seconds": result.agent_seconds,
        "by_category": by_category,
        "measures": measures,
    }


def _run_details(run: RunFigures) -> Json:
    """Return the figures of a run by name, each name prefixed with "run_"."""
    figures = asdict(run)
    del figures["task"], figures["attempt"]
    run_figures = {}
    for name, value in figures.items():
        run_figures[f"run_{name}"] = value
    return run_figures


Relationship = Literal["first_party", "third_party", "other"]
"""The relation between evaluator and model developer; "other" if not known."""

_NOT_IN_NAMES = re.compile(r"[^\w]+")


def evaluator_relationship(agent: Agent, submission: Submission | None) -> Relationship:
    """Return the relationship between the submitter and the agent's organization.

    A submitter from another organization is a third party. The relationship is "other" for a
    reported table, if either organization is not stated, and if one name begins with the other,
    such as "Acme" and "Acme Research".
    """
    submitter = None
    if submission:
        submitter = submission.submitter
    agent_words = _words_of(agent.organization)
    if submitter is None or not agent_words:
        return "other"
    submitter_words = _words_of(submitter.organization)
    if agent_words in (submitter_words, _words_of(submitter.name)):
        return "first_party"
    if not submitter_words:
        return "other"
    shared = min(len(agent_words), len(submitter_words))
    begin_alike = agent_words[:shared] == submitter_words[:shared]
    if begin_alike:
        return "other"
    return "third_party"


def _words_of(name: str | None) -> list[str]:
    """Return the words of an organization's name in lower case, without punctuation."""
    return _NOT_IN_NAMES.sub(" ", (name or "").casefold()).split()


def _texts(details: Mapping[str, object]) -> dict[str, str]:
    """Return the known details as text; None and empty values are dropped."""
    return {key: str(value) for key, value in details.items() if value not in {None, ""}}
