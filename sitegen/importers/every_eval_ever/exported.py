"""Read records that `sitegen export` wrote; their lines are rounds with the original results."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter

from sitegen.importers.every_eval_ever.records import AggregateResult, EvaluationRecord
from sitegen.importers.every_eval_ever.samples import read_samples
from sitegen.importers.kit import rules
from sitegen.importers.kit.cases import Place, blank_round, tries_of
from sitegen.importers.kit.claims import reported_table, with_stated_facts
from sitegen.importers.kit.drafts import longer_id
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults, ImportSource
from sitegen.importers.kit.values import score_of
from sitegen.metrics.catalogue import METRICS, default_columns
from sitegen.models.benchmark import Protocol
from sitegen.models.finding import Finding
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.record import is_slug
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.models.submission import Claims
from sitegen.problems import UsageError, grouped, listed

_INTEGER_FIELDS = ("cases_passed", "cases_total", "cases_skipped", "epoch", "round")
_NUMBER_FIELDS = (
    "interactions",
    "turns",
    "cost_usd",
    "agent_seconds",
    "input_tokens",
    "output_tokens",
)
_JSON_FIELDS = ("by_category", "measures")

_METADATA_PARSERS: Mapping[str, Callable[[Any], object]] = {
    **dict.fromkeys(_INTEGER_FIELDS, int),
    **dict.fromkeys(_NUMBER_FIELDS, float),
    **dict.fromkeys(_JSON_FIELDS, json.loads),
    "cause": one_line,
}
"""Parsers for the fields of a line's metadata, whose values are strings."""

_ROUND_FIELDS = {
    "cases_passed": "passed",
    "cases_total": "total",
    "cases_skipped": "skipped",
    "epoch": "attempt",
}
"""Fields of metadata that have another name in `RoundResult`."""

_TOKEN_FIELDS = ("input_tokens", "output_tokens")
_AGENT_FIELDS = {"name", "organization", "model", "scaffold", "reasoning", "url"}

_ROUND_SEPARATOR = "/round-"
"""The separator between a task and a round in the list of excluded rounds."""

_RUN_PREFIX = "run_"
"""Prefix of figures in a line's metadata that describe its run."""

_ROUND_ADAPTER = TypeAdapter(RoundResult)
_RUN_ADAPTER = TypeAdapter(RunFigures)


def read_exported(
    records: Sequence[EvaluationRecord], options: ImportOptions, log: ImportLog
) -> Incoming:
    """Return one track's records as bundles; records without rounds become reported tables."""
    track = _choose_track(records, options)
    records = [record for record in records if record.submission_ids.track == track]
    protocol = _find_protocol(records)
    columns = _order_columns(records, protocol)
    source = ImportSource(
        log,
        protocol=protocol,
        columns=columns,
        has_ids=True,
        gaps=None,
        has_picked_tasks=True,
    )
    excluded_by_run: list[list[Place]] = []
    records_without_rounds: list[EvaluationRecord] = []
    for record in records:
        run = _read_run(record, source, options)
        if run.results:
            source.runs.append(run)
            excluded_by_run.append(_parse_excluded(record))
        else:
            records_without_rounds.append(record)
    for table in _build_tables(records_without_rounds, options):
        source.reported.append(("every-eval-ever", table))
    has_reference = source.has_reference
    for run, excluded in zip(source.runs, excluded_by_run, strict=True):
        for task, round_number in excluded:
            for attempt, start in tries_of(run.attempts, has_reference=has_reference):
                run.add(blank_round(task, attempt, round_number, state="excluded", start=start))
    tasks = source.ids(options)
    for run in source.runs:
        run.missing = tasks.keys() - run.task_lengths().keys()
    incoming = source.imported(options)
    return replace(incoming, findings=_build_findings(excluded_by_run, incoming))


def _choose_track(records: Sequence[EvaluationRecord], options: ImportOptions) -> str:
    """Return the track to import.

    Raises:
        UsageError: The records are from several tracks, none of which is requested.
    """
    tracks = sorted({record.submission_ids.track for record in records})
    if options.track in tracks:
        return options.track
    if len(tracks) > 1:
        message = f"the records are from several tracks; choose one with --track: {listed(tracks)}"
        raise UsageError(message)
    return tracks[0]


def _find_protocol(records: Sequence[EvaluationRecord]) -> Protocol:
    """Return the protocol that the records state; `chain` if they do not state a protocol."""
    stated = []
    for record in records:
        for result in record.results:
            stated.append(result.details.get("protocol"))
    if "fail-stop" in stated:
        return "fail-stop"
    if "once" in stated:
        return "once"
    return "chain"


def _parse_excluded(record: EvaluationRecord) -> list[Place]:
    """Return the task and number of each round that was excluded when a record was exported."""
    excluded = []
    for text in record.exported.get("excluded", "").split():
        task, _, digits = text.rpartition(_ROUND_SEPARATOR)
        number = int(digits) if digits.isdecimal() else 1
        excluded.append((task, number))
    return excluded


def _build_findings(
    excluded_by_run: Iterable[Sequence[Place]], incoming: Incoming
) -> tuple[Finding, ...]:
    """Return a finding for each task with rounds that were excluded before the export."""
    rounds_by_task: defaultdict[str, set[int]] = defaultdict(set)
    for excluded in excluded_by_run:
        for task, round_number in excluded:
            rounds_by_task[task].add(round_number)
    if not rounds_by_task:
        return ()
    first_day = min(draft.submission.date for draft in incoming.drafts)
    track = incoming.benchmark.tracks[0].id
    findings: list[Finding] = []
    for task, rounds in rounds_by_task.items():
        finding = Finding(
            date=first_day,
            kind="defect",
            effect="exclude",
            title=f"Rounds of {task} excluded before the export",
            reason="The exported records leave these rounds out.",
            tracks=(track,),
            tasks=(task,),
            rounds=tuple(sorted(rounds)),
        )
        findings.append(finding)
    return tuple(findings)


def _read_run(
    record: EvaluationRecord, source: ImportSource, options: ImportOptions
) -> AgentResults:
    """Return the run of a record, without rounds if the record has no usable samples."""
    day = _find_day(record, options)
    run = AgentResults(record.path, record.entrant, record.facts, day, provenance=record.provenance)
    claim_source = f"{one_line(record.source)}: {record.exported['submission']}"
    run.claims = Claims(source=claim_source, **_read_values(record))
    path = record.samples
    if path is None:
        return run
    fault = read_samples(record, path, source.log).fault
    if fault:
        source.log.add(rules.SOURCE_BROKEN, path, fault)
        return run
    results = {result.id: result for result in record.results}
    for line in read_objects(path):
        if not _add_line(line.value or {}, results, run, source):
            message = "the line is not a round of a task, or occurs twice"
            source.log.add(rules.SOURCE_BROKEN, path, message, line.number)
            break
    return run


def _add_line(
    line: Mapping[str, Any],
    results: Mapping[str, AggregateResult],
    run: AgentResults,
    source: ImportSource,
) -> bool:
    """Add the round, the figures and the weight of a line; return whether it is a new round."""
    round_result = _parse_round(line, results)
    if round_result is None or not run.add(round_result):
        return False
    metadata = line["metadata"]
    figures: dict[str, Any] = {}
    try:
        for name, value in metadata.items():
            if name.startswith(_RUN_PREFIX):
                figures[name.removeprefix(_RUN_PREFIX)] = float(value)
        if figures:
            figures |= {"task": round_result.task, "attempt": round_result.attempt}
            run_figures = _RUN_ADAPTER.validate_json(json.dumps(figures))
            run.figures.append(run_figures)
        if "weight" in metadata:
            source.weights[round_result.task, round_result.round] = float(metadata["weight"])
    except (TypeError, ValueError):
        return False
    return True


def _find_day(record: EvaluationRecord, options: ImportOptions) -> Date:
    """Return the requested day, or else the record's day of evaluation, retrieval or import."""
    if options.date:
        return options.date
    moment = record.moment
    if moment:
        return moment.date()
    return record.retrieved or options.today


def _read_values(record: EvaluationRecord) -> dict[str, Decimal]:
    """Return the scores of a record that are metrics of the catalogue, by metric."""
    values = {}
    for result in record.results:
        if result.metric_name in METRICS:
            values[result.metric_name] = Decimal(repr(result.score))
    return values


def _parse_round(
    line: Mapping[str, Any], results: Mapping[str, AggregateResult]
) -> RoundResult | None:
    """Return the round in a line; None if the line does not contain a valid round."""
    metadata = line.get("metadata")
    tokens = line.get("token_usage") or {}
    if not isinstance(metadata, dict) or not isinstance(tokens, dict):
        return None
    facts: dict[str, Any] = {
        "task": metadata.get("task"),
        "state": metadata.get("state"),
        "start": metadata.get("start", "own"),
        "reward": _parse_reward(line, results),
    }
    try:
        for key, parse in _METADATA_PARSERS.items():
            if key in metadata:
                field = _ROUND_FIELDS.get(key, key)
                facts[field] = parse(metadata[key])
        for key in _TOKEN_FIELDS:
            if key in tokens:
                facts[key] = tokens[key]
        round_result = _ROUND_ADAPTER.validate_json(json.dumps(facts))
    except (TypeError, ValueError):
        return None
    if not is_slug(round_result.task):
        return None
    return round_result


def _parse_reward(line: Mapping[str, Any], results: Mapping[str, AggregateResult]) -> float | None:
    """Return the reward of a line; None if it has no score, or its result has no scale."""
    result = results.get(str(line.get("evaluation_result_id")))
    evaluation = line.get("evaluation")
    if result is None or not isinstance(evaluation, dict):
        return None
    score = score_of(evaluation.get("score"))
    if score is None:
        return None
    return result.reward(score)


def _order_columns(records: Sequence[EvaluationRecord], protocol: Protocol) -> tuple[str, ...]:
    """Return the track's columns: the headline metric, and the usual metrics in the records."""
    headlines: list[str] = []
    metrics: list[str] = []
    for record in records:
        metrics += _read_values(record)
        for result in record.results:
            if "headline" in result.details:
                headlines.append(result.metric_name)
    columns = [metric for metric in metrics if protocol in METRICS[metric].protocols]
    usual_columns = default_columns(protocol, has_reference=False)
    ordered = dict.fromkeys((*headlines, *usual_columns, *columns[:1]))
    present = [metric for metric in ordered if metric in columns]
    return tuple(present)


def _build_tables(
    records: Sequence[EvaluationRecord], options: ImportOptions
) -> list[ReportedTable]:
    """Return reported tables of the records without rounds, one for each source and day."""
    rows: list[tuple[tuple[str, Date], ReportedRow]] = []
    used_ids: set[str] = set()
    for record in records:
        agent = with_stated_facts(record.entrant.agent(record.facts), options)
        row_id = record.submission_ids.submission
        if row_id in used_ids:
            row_id = longer_id(row_id, agent.scaffold or "again")
        used_ids.add(row_id)
        values = {}
        for metric, value in _read_values(record).items():
            values[metric] = ReportedValue(value=value)
        facts = agent.model_dump(include=_AGENT_FIELDS)
        row = ReportedRow(id=row_id, values=values, **facts)
        table_key = (record.source, _find_day(record, options))
        rows.append((table_key, row))
    tables = []
    for (source, day), table_rows in grouped(rows).items():
        tables.append(reported_table("Every Eval Ever", source, day, table_rows, options.track))
    return tables
