"""Records that `sitegen export` wrote: their lines are rounds of tasks, and bring the same scores back."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter

from sitegen.importers.every_eval_ever.records import Record, Result
from sitegen.importers.every_eval_ever.samples import read_samples
from sitegen.importers.kit import rules
from sitegen.importers.kit.cases import Place, tries_of, unreached
from sitegen.importers.kit.claims import as_said, reported_table
from sitegen.importers.kit.drafts import longer_id
from sitegen.importers.kit.lines import read_objects
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Run, Source
from sitegen.importers.kit.told import number_of
from sitegen.metrics.catalogue import METRICS, columns_of
from sitegen.models.benchmark import Protocol
from sitegen.models.finding import Finding
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.record import is_slug
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.models.submission import Claims
from sitegen.problems import UsageError, grouped, listed

_FIGURES = ("interactions", "turns", "cost_usd", "agent_seconds", "input_tokens", "output_tokens")
_WHOLE = {f"cases_{key}": key for key in ("passed", "total", "skipped")} | {
    "epoch": "attempt",
    "round": "round",
}
"""Whole numbers of a line, as it has them and as a round does."""

_AWAY = "/round-"
_ROUND, _RUN = TypeAdapter(RoundResult), TypeAdapter(RunFigures)


def read_exported(records: Sequence[Record], options: ImportOptions, report: Report) -> Incoming:
    """Read records of one track: those with lines as bundles, the others as rows of a reported table."""
    tracks = sorted({record.ids[1] for record in records})
    wanted = options.track if options.track in tracks else tracks[0]
    if len(tracks) > 1 and wanted != options.track:
        raise UsageError(
            f"the records are of several tracks; name one with --track: {listed(tracks)}"
        )
    records = [record for record in records if record.ids[1] == wanted]
    results = [each for record in records for each in record.results]
    stated = {(each.details or {}).get("protocol") for each in results}
    protocol: Protocol = (
        "fail-stop" if "fail-stop" in stated else "once" if "once" in stated else "chain"
    )
    source = Source(
        report,
        "",
        protocol,
        _columns(records, protocol),
        has_ids=True,
        gaps=None,
        has_picked_tasks=True,
    )
    out: dict[int, list[Place]] = {}
    for record in records:
        run = _run(record, source, options)
        if run.results:
            places = (
                each.rpartition(_AWAY) for each in record.exported.get("excluded", "").split()
            )
            out[len(source.runs)] = [
                (task, int(number) if number.isdecimal() else 1) for task, _, number in places
            ]
            source.runs.append(run)
    bare = [each for each in records if each.path not in {run.path for run in source.runs}]
    source.reported += [("every-eval-ever", table) for table in _tables(bare, options)]
    has_reference = source.has_reference
    for number, run in enumerate(source.runs):
        for task, place in out[number]:
            for attempt, start in tries_of(run.attempts, has_reference=has_reference):
                run.add(unreached(task, attempt, place, "excluded", start))
    tasks = source.ids(options)
    for run in source.runs:
        run.missing = tasks.keys() - {task for task, *_ in run.results}
    incoming = source.imported(options)
    return replace(incoming, findings=_exclusions(out, incoming))


def _exclusions(out: Mapping[int, Sequence[Place]], incoming: Incoming) -> tuple[Finding, ...]:
    """Return a finding for each task of which rounds have no line, as they are taken out where they come from."""
    by_task = grouped(place for places in out.values() for place in places)
    findings: list[Finding] = []
    for task, numbers in by_task.items():
        finding = Finding(
            date=min(draft.submission.date for draft in incoming.drafts),
            kind="defect",
            effect="exclude",
            title=f"Taken out of {task} where the results come from",
            reason="The exported records leave these rounds out.",
            tracks=(incoming.benchmark.tracks[0].id,),
            tasks=(task,),
            rounds=tuple(sorted(set(numbers))),
        )
        findings.append(finding)
    return tuple(findings)


def _run(record: Record, source: Source, options: ImportOptions) -> Run:
    run = Run(
        record.path,
        record.entrant,
        record.facts,
        _day(record, options),
        provenance=record.provenance,
    )
    source_named = f"{one_line(record.source)}: {record.exported['submission']}"
    run.claims = Claims(source=source_named, **_values(record))
    results = {each.id: each for each in record.results}
    path = record.samples
    if path is None:
        return run
    fault = read_samples(record, path, source.report).fault
    if fault:
        source.report.add(rules.SOURCE_BROKEN, path, fault)
        return run
    for line in read_objects(path):
        found = _line(line.value or {}, results)
        if (
            found is None
            or not run.add(found)
            or not _add_figures(line.value or {}, found, run, source)
        ):
            what = "the line is no round of a task, or stands a second time"
            source.report.add(rules.SOURCE_BROKEN, path, what, line.number)
            break
    return run


def _add_figures(line: Mapping[str, Any], found: RoundResult, run: Run, source: Source) -> bool:
    """Add what a line says of its run and of its round's weight; return whether these are figures."""
    told = line["metadata"]
    try:
        figures = {
            name[4:]: float(value) for name, value in told.items() if name.startswith("run_")
        }
        if figures:
            told_of = {**figures, "task": found.task, "attempt": found.attempt}
            run.figures.append(_RUN.validate_json(json.dumps(told_of)))
        if "weight" in told:
            source.weights[found.task, found.round] = float(told["weight"])
    except (TypeError, ValueError):
        return False
    return True


def _day(record: Record, options: ImportOptions) -> Date:
    return (
        options.date
        or (record.moment.date() if record.moment else record.retrieved)
        or options.today
    )


def _values(record: Record) -> dict[str, Decimal]:
    """Its scores, by metrics of the catalogue."""
    return {
        name: Decimal(repr(each.score))
        for each in record.results
        if (name := each.id.rpartition(".")[2]) in METRICS
    }


def _line(line: Mapping[str, Any], results: Mapping[str, Result]) -> RoundResult | None:
    """The round that a line is; None where it is none."""
    told, result = line.get("metadata"), results.get(str(line.get("evaluation_result_id")))
    evaluation, tokens = line.get("evaluation"), line.get("token_usage") or {}
    score = number_of(evaluation.get("score")) if isinstance(evaluation, dict) else None
    reward = result.reward(score) if result and score is not None else None
    if not (isinstance(told, dict) and isinstance(tokens, dict)):
        return None
    try:
        facts: dict[str, Any] = {
            key: int(told[name]) for name, key in _WHOLE.items() if name in told
        }
        facts |= {key: float(told[key]) for key in _FIGURES if key in told}
        facts |= {key: tokens[key] for key in ("input_tokens", "output_tokens") if key in tokens}
        facts |= {"task": told.get("task"), "state": told.get("state"), "reward": reward}
        facts |= {key: json.loads(told[key]) for key in ("by_category", "measures") if key in told}
        facts |= {
            "start": told.get("start", "own"),
            "cause": one_line(told["cause"]) if "cause" in told else None,
        }
        found = _ROUND.validate_json(json.dumps(facts))
    except (TypeError, ValueError):
        return None
    return found if is_slug(found.task) else None


def _columns(records: Sequence[Record], protocol: Protocol) -> tuple[str, ...]:
    """The metrics of the records, the headline first, if one of them is."""
    results = [each for record in records for each in record.results]
    told = [each.id.rpartition(".")[2] for each in results if "headline" in (each.details or {})]
    columns = [
        name
        for record in records
        for name in _values(record)
        if protocol in METRICS[name].protocols
    ]
    usual = [name for name in columns_of(protocol, reference=False) if name in columns]
    return tuple(dict.fromkeys([name for name in told if name in columns] + usual + columns[:1]))


def _tables(records: Sequence[Record], options: ImportOptions) -> list[ReportedTable]:
    """The records without lines, by their source."""
    by_source: defaultdict[tuple[str, Date], list[ReportedRow]] = defaultdict(list)
    used: set[str] = set()
    for record in records:
        agent = as_said(record.entrant.agent(record.facts), options)
        told = agent.model_dump(
            include={"name", "organization", "model", "scaffold", "reasoning", "url"}
        )
        name = (
            record.ids[2]
            if record.ids[2] not in used
            else longer_id(record.ids[2], agent.scaffold or "again")
        )
        used.add(name)
        values = {metric: ReportedValue(value=value) for metric, value in _values(record).items()}
        by_source[record.source, _day(record, options)].append(
            ReportedRow(id=name, values=values, **told)
        )
    return [
        reported_table("Every Eval Ever", source, day, rows, options.track)
        for (source, day), rows in by_source.items()
    ]
