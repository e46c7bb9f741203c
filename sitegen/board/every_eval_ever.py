"""Rows as Every Eval Ever has them: an aggregate for each row, and beside it a line for each round of its results.

Facts: the schemas of evaleval/every_eval_ever, version 0.3.0.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, time
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Literal
from uuid import UUID

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import Json, status_notes
from sitegen.board.score import Score
from sitegen.board.waivers import waived_words
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.metrics.failstop import SR
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import APPROXIMATE, CONFIDENCE_LEVEL, RESAMPLES
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.site import Site
from sitegen.models.submission import Agent, Submission
from sitegen.models.task import Task

VERSION = "0.3.0"
_UNKNOWN, _INFINITE = "unknown", "Infinity"
_METHODS = {
    "bootstrap": "bayesian bootstrap over tasks",
    "binomial": "exact binomial",
    "effective": "exact binomial on the effective number of tasks",
    "t": "t over tasks",
    "log-t": "t over tasks, on a log scale",
    "plain-t": "t over tasks",
}
_NO_FOLDER = re.compile(r'[<>:"\\|?*/\x00-\x1f]')


def page_of(board: Board, entry: Entry, site: Site) -> str:
    """The address of a row's page; the benchmark's own where the site has none."""
    path = f"{board.benchmark.id}/{board.track.id}/{entry.id}/"
    return f"{site.address}{path}" if site.address else str(board.benchmark.homepage or "")


def files_of(board: Board, entry: Entry, site: Site) -> dict[str, bytes]:
    """A row's files by their names: the aggregate and, where there are results, its samples.

    Equal rows give equal bytes.
    """
    row = _Row(board, entry, site)
    parts = (board.benchmark.id, *row.model.split("/", 1))
    home = "/".join(["data", *(_NO_FOLDER.sub("_", part).rstrip(". ") or "_" for part in parts)])
    name = f"{home}/{row.uuid}"
    lines = list(row.lines())
    document = row.aggregate()
    files: dict[str, bytes] = {}
    if lines:
        samples = PurePosixPath(f"{name}_samples.jsonl")
        files[str(samples)] = "".join(f"{_json(line)}\n" for line in lines).encode()
        document["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": str(samples),
            "hash_algorithm": "sha256",
            "checksum": sha256(files[str(samples)]).hexdigest(),
            "total_rows": len(lines),
        }
    return {f"{name}.json": f"{_json(document, indent=1)}\n".encode()} | files


def aggregate_of(board: Board, entry: Entry, site: Site) -> Json:
    """What is known of a row as a whole, without its samples."""
    return _Row(board, entry, site).aggregate()


def _json(document: Json, indent: int | None = None) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row on its way out."""

    board: Board
    entry: Entry
    site: Site

    @property
    def name(self) -> str:
        """Benchmark and track."""
        return f"{self.board.benchmark.id}.{self.board.track.id}"

    @property
    def id(self) -> str:
        """Which evaluation it is, whenever it is exported."""
        return f"{self.name}/{self.entry.id}"

    @property
    def uuid(self) -> UUID:
        """A name for its files that is the same in each export."""
        return UUID(bytes=sha256(self.id.encode()).digest()[:16], version=4)

    @property
    def model(self) -> str:
        """The agent as "developer/model"."""
        agent = self.entry.agent
        return "/".join(
            each.replace("/", "_") for each in (agent.organization or _UNKNOWN, agent.name)
        )

    def aggregate(self) -> Json:
        """What is known of the row as a whole."""
        entry, site = self.entry, self.site
        submission = entry.bundle.submission if entry.bundle else None
        ran = submission.provenance if submission else None
        waived = (each for _, each in self.board.waivers.numbered if entry.id in each.submissions)
        excluded = (
            each
            for each in (entry.bundle.rounds if entry.bundle else ())
            if each.state == "excluded"
        )
        day = str(int(datetime.combine(entry.date, time(), UTC).timestamp()))
        source: Json = {
            "source_name": site.name if submission or entry.table is None else entry.table.title,
            "source_type": "evaluation_run" if submission else "documentation",
            "source_organization_name": site.owner or site.name,
            "evaluator_relationship": evaluator_relationship(entry.agent, submission),
            "additional_details": _texts(
                {
                    "submission": f"{self.board.benchmark.id}/{self.board.track.id}/{entry.id}",
                    "evidence": entry.evidence,
                    "status": "; ".join(status_notes(self.board, entry)),
                    "attempts": entry.attempts_words,
                    "missing_tasks": " ".join(entry.coverage.missing) if entry.coverage else None,
                    "page": page_of(self.board, entry, site),
                    "source": entry.table.source if entry.table else None,
                    "license": self.board.benchmark.license,
                    "caveats": " ".join(submission.caveats) if submission else None,
                    "waived": "; ".join(f"{each.code} {waived_words(each)}" for each in waived),
                    "excluded": " ".join(
                        dict.fromkeys(f"{each.task}/round-{each.round}" for each in excluded)
                    ),
                }
            ),
        }
        if site.address:
            source["source_organization_url"] = site.address
        agent = self.entry.agent
        weights = {True: "open_weights", False: "closed_weights", None: _UNKNOWN}[
            agent.open_weights
        ]
        facts = (
            *("model", "scaffold", "scaffold_version", "reasoning", "url", "model_license"),
            *("model_released", "free"),
        )
        details = {"deployment_type": _UNKNOWN, "model_availability": weights}
        return {
            "schema_version": VERSION,
            "evaluation_id": self.id,
            "evaluation_timestamp": day,
            "retrieved_timestamp": day,
            "source_metadata": source,
            "eval_library": {
                "name": (ran and ran.harness) or _UNKNOWN,
                "version": (ran and ran.harness_version) or _UNKNOWN,
            },
            "model_info": {
                "name": agent.name,
                "id": self.model,
                "developer": agent.organization or _UNKNOWN,
                "additional_details": details | _texts({key: getattr(agent, key) for key in facts}),
            },
            "evaluation_results": [
                self._result(score, day)
                for score in entry.scores.values()
                if score.value is not None
            ],
        }

    def _result(self, score: Score, day: str) -> Json:
        board, metric = self.board, score.metric
        bench = board.benchmark
        about: Json = {"dataset_name": bench.id, "source_type": "other"}
        if bench.homepage:
            about |= {"source_type": "url", "url": [bench.homepage]}
        lowest, highest = self._bounds(score)
        facts = {
            "protocol": board.track.protocol,
            "version": score.version,
            "headline": metric is board.headline or None,
        }
        details: dict[str, object] = {"missing": self.entry.missing_note(metric.id)}
        for claim in score.claims:
            details[f"claimed by {claim.source or 'the submitter'}"] = claim.value
        told = _texts(details)
        return {
            "evaluation_result_id": f"{self.name}.{metric.id}",
            "evaluation_name": self.name,
            "source_data": about,
            "evaluation_timestamp": day,
            "metric_config": {
                "evaluation_description": metric.told.sentence,
                "metric_id": f"{bench.id}.{metric.id}",
                "metric_name": metric.title_on(board.track, bench),
                "metric_unit": metric.unit,
                "lower_is_better": metric.direction == "lower",
                "score_type": "continuous",
                "min_score": lowest,
                "max_score": highest,
                "additional_details": _texts(facts),
            },
            "score_details": {"score": score.value}
            | ({"details": told} if told else {})
            | {"uncertainty": self._uncertainty(score)},
        }

    def _bounds(self, score: Score) -> tuple[float | str, float | str]:
        """The lowest and the highest score that there can be, in its unit."""
        unit = score.metric.unit
        if unit == "points":
            return -100.0, 100.0
        counted = (
            float(len(self.board.tasks.tasks))
            if unit == "tasks" and self.board.tasks.tasks
            else _INFINITE
        )
        lowest = (
            f"-{_INFINITE}" if unit == "number" else 0.0
        )  # of which nobody knows that it can't be negative
        return lowest, counted if score.metric.highest is None else score.metric.highest

    def _uncertainty(self, score: Score) -> Json:
        interval = self.board.certainty.interval(self.entry, score.metric.id)
        told: Json = {}
        if interval:
            bounds: Json = {
                "lower": interval.low,
                "upper": interval.high,
                "method": _METHODS[interval.kind],
            }
            if interval.kind not in APPROXIMATE:
                bounds["confidence_level"] = CONFIDENCE_LEVEL
            told["confidence_interval"] = bounds
        if interval and interval.kind == "bootstrap":
            told["num_bootstrap_samples"] = RESAMPLES
        if score.deviation is not None:
            told["standard_deviation"] = score.deviation
        if score.extent:
            counts_all = score.metric.counts_missing_as_zero
            told["num_samples"] = score.extent.of if counts_all else score.extent.n
        return told

    def lines(self) -> Iterator[Json]:
        """A line for each round that counts; those from the reference state belong to the metric that is about them."""
        tasks, headline = self.board.tasks.by_id(), self.board.headline
        graded = headline if headline.unit in {"percent", "share"} else MEAN_REWARD
        bundle = self.entry.bundle
        figures = {(run.task, run.attempt): run for run in bundle.runs} if bundle else {}
        for each in bundle.rounds if bundle else ():
            if each.state == "excluded" or (
                each.start == "reference" and self.entry.value(SR.id) is None
            ):
                continue
            run = figures.pop((each.task, each.attempt), None)
            yield self._line(each, tasks[each.task], graded if each.start == "own" else SR, run)

    def _line(self, each: RoundResult, task: Task, graded: Metric, run: RunFigures | None) -> Json:
        """A round, its reward on the scale of the metric that its lines belong to; with a run's figures, if any."""
        turns, asked = (
            each.turns if each.interactions is None else each.interactions,
            task.rounds[each.round - 1],
        )
        facts = {
            "task": each.task,
            "round": each.round,
            "epoch": each.attempt,
            "state": each.state,
            "start": each.start if each.start == "reference" else None,
            "weight": asked.weight if asked.weight != 1 else None,
            "cause": each.cause,
            **{f"cases_{name}": getattr(each, name) for name in ("passed", "total", "skipped")},
            **{
                name: getattr(each, name)
                for name in ("interactions", "turns", "cost_usd", "agent_seconds")
            },
            "by_category": _json(dict(each.by_category)) if each.by_category else None,
            "measures": _json(dict(each.measures)) if each.measures else None,
        }
        if run:
            facts |= {
                f"run_{one.name}": getattr(run, one.name) for one in fields(run)[2:]
            }  # behind task and attempt
        tokens = None
        if each.input_tokens is not None and each.output_tokens is not None:
            kinds = {
                "input_tokens": int(each.input_tokens),
                "output_tokens": int(each.output_tokens),
            }
            tokens = {**kinds, "total_tokens": sum(kinds.values())}
        else:
            facts |= {"input_tokens": each.input_tokens, "output_tokens": each.output_tokens}
        return {
            "schema_version": VERSION,
            "evaluation_id": self.id,
            "model_id": self.model,
            "evaluation_name": self.name,
            "evaluation_result_id": f"{self.name}.{graded.id}",
            "sample_id": f"{each.task}/round-{each.round}{'-from-reference' * (each.start == 'reference')}",
            "interaction_type": "agentic",
            "input": {
                "raw": task.id if task.private else asked.title or task.url or task.name,
                "reference": [],
            },
            "output": None,
            "messages": [],
            "answer_attribution": [],
            "evaluation": {
                "score": each.reward * (graded.highest or 1.0),
                "is_correct": each.solved,
            }
            | ({"num_turns": int(turns)} if turns is not None and turns >= 1 else {}),
            "token_usage": tokens,
            "error": ((not task.private and each.cause) or "aborted")
            if each.state == "aborted"
            else None,
            "metadata": _texts(facts),
        }


Relationship = Literal["first_party", "third_party", "other"]
"""Between who ran an evaluation and who made the model; "other" where it is not known."""

_NOT_IN_NAMES = re.compile(r"[^\w]+")


def evaluator_relationship(agent: Agent, submission: Submission | None) -> Relationship:
    """Return whether the submitter is the agent's own organization.

    A submitter of another organization is a third party. The answer is "other" for a published
    table, where either of the two is not stated, and where one name begins like the other, as
    "Acme" and "Acme Research" do.
    """
    submitter = submission.submitter if submission else None
    own = _words_of(agent.organization)
    if submitter is None or not own:
        return "other"
    organization = _words_of(submitter.organization)
    if own in (organization, _words_of(submitter.name)):
        return "first_party"
    if not organization:
        return "other"
    shared = min(len(own), len(organization))
    return "other" if own[:shared] == organization[:shared] else "third_party"


def _words_of(name: str | None) -> list[str]:
    """Return the words of an organization's name in lower case, without punctuation."""
    return _NOT_IN_NAMES.sub(" ", (name or "").casefold()).split()


def _texts(facts: Mapping[str, object]) -> dict[str, str]:
    """What is known of some facts, each as a text."""
    return {key: str(value) for key, value in facts.items() if value not in {None, ""}}
