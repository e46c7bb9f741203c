"""Imports records of Every Eval Ever: those with samples become bundles, the others rows of a reported table."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from sitegen.importers.every_eval_ever.exported import read_exported
from sitegen.importers.every_eval_ever.records import Record, Result, is_record, records_in
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import chosen
from sitegen.importers.kit.claims import claims_of, reported_table
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import GRADED, Key, Run, Source
from sitegen.importers.kit.told import number_of, objects
from sitegen.importers.kit.transcripts import transcript_of
from sitegen.importers.kit.tree import Tree
from sitegen.metrics.catalogue import MEAN_REWARD, METRICS
from sitegen.models.declared import Declared, DeclaredUnit
from sitegen.models.incoming import Incoming
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.problems import Rule, UsageError, grouped, listed

BENCHMARKS = Rule.error(
    "EEE-BENCHMARKS",
    "The records of an import are of one benchmark.",
    "choose one with `--task`, and import the others into benchmarks of their own",
)
EPOCHS_COUNTED = Rule.warning(
    "EEE-EPOCHS",
    "A line says which attempt it is of.",
    "write `metadata.epoch`, if the order of the lines is not that of the attempts",
    "The source does not number attempts: they are counted in the order of its lines.",
)
RETRIEVED = Rule.warning(
    "EEE-DATE",
    "A record tells when its evaluation was run.",
    "remove what came in, and import again with `--date`",
    "The source does not tell the day of the run: the one on which it was retrieved stands for it.",
)
LEFT_OUT = Rule.warning(
    "EEE-RESULT-LEFT-OUT",
    "A result without samples is one of a metric that is known.",
    "declare a metric of its id with `reported = true`, remove the table that came in, and import again",
)
SCALE = Rule.warning(
    "EEE-SCALE",
    "Samples that are correct have the best score of the scale, and others the worst, where there are two scores.",
    "look whether `lower_is_better`, `min_score` and `max_score` are those of the metric",
    "The scale does not fit the samples: {}.",
)

_UNITS: Mapping[tuple[float, float], DeclaredUnit] = {(0, 1): "share", (0, 100): "percent"}
"""Units, by the bounds that tell them."""

_OTHER = re.compile(r"[^a-z0-9]+")

_NO_LABELS = frozenset({"epoch", "state", "round", "task"})


def read_every_eval_ever(source: Path, options: ImportOptions, result: str | None = None) -> Incoming:
    """Read a folder of records: those of one benchmark, by the result that is named or the first with samples."""
    report, tree = Report(source), Tree(source)
    records = list(records_in(tree, report))
    there = sorted({record.benchmark for record in records})
    asked = options.task_names
    if asked and records and set(asked).isdisjoint(there):
        raise UsageError(f"no record is of {', '.join(asked)}; there are: {listed(there)}")
    if len(there) > 1 and len(asked) != 1:
        report.add(BENCHMARKS, report.root, f"there are records of {listed(there)}")
    records = [record for record in records if not asked or record.benchmark in asked]
    report.problems += tree.problems()
    report.stop_at_errors()
    if records and all(record.exported for record in records):
        wanted = chosen((record.told.model for record in records), options)
        return read_exported([each for each in records if each.told.model in wanted], options, report)
    results = {each.id for record in records for each in record.told.evaluation_results}
    if result and records and result not in results:
        raise UsageError(f"no record has a result {result}; there are: {listed(sorted(results))}")
    wanted = chosen((record.told.model for record in records), options)
    records = _counting([record for record in records if record.told.model in wanted], report)
    found = Source(report, "Samples of Every Eval Ever, each graded once.", columns=GRADED, has_picked_tasks=True)
    reported: defaultdict[str, list[tuple[Record, ReportedRow]]] = defaultdict(list)
    for record in records:
        if record.samples:
            found.runs.append(_run(record, result, found))
        else:
            reported[record.source].append((record, _row(record, result, found, options)))
    for told, rows in reported.items():
        days = [day for record, _ in rows if (day := options.date or _day(record, report))]
        if not days:
            report.doubt(rules.DATE_MISSING, rows[0][0].path, one_line(told), "no time is told")
        day = max(days, default=options.today)
        table = reported_table("Every Eval Ever", told, day, [row for _, row in rows], options.track)
        found.reported.append(("every-eval-ever", table))
    return found.imported(options)


def recognise(tree: Tree) -> str | None:
    """What tells of the schemas: an aggregate."""
    return tree.example("records of Every Eval Ever", filter(is_record, tree.paths()))


FORMAT = Format(read_every_eval_ever, "main", extras=frozenset({"result"}), recognise=recognise)


def _counting(records: Sequence[Record], report: Report) -> list[Record]:
    """One record of each agent: the one of its last evaluation."""
    by_agent = grouped(((record.told.model, record.entrant), record) for record in records)
    counting = []
    for (model, entrant), own in by_agent.items():
        own.sort(key=lambda record: (str(record.moment or ""), str(record.path)))
        if len(own) > 1 and len({record.moment for record in own}) < len(own):
            told = listed(report.name(record.path) for record in own)
            report.add(rules.RUN_TWICE, own[0].path, f"{one_line(model)}: {told}")
        for record in own[:-1]:
            report.doubt(rules.RUN_REPLACED, record.path, Spot(entrant), report.name(record.path))
        counting.append(own[-1])
    return counting


def _day(record: Record, report: Report) -> Date | None:
    """The day of an evaluation, else the one on which somebody fetched it."""
    if record.moment:
        return record.moment.date()
    report.doubt(RETRIEVED, record.path, Spot(record.entrant))
    return record.retrieved


def _row(record: Record, wanted: str | None, source: Source, options: ImportOptions) -> ReportedRow:
    """A record without samples as a row: the score that counts as the mean of rewards, and every result as reported."""
    results, values, left = record.told.evaluation_results, dict[str, ReportedValue](), []
    main = next((each for each in results if each.id == wanted), results[0])
    for each in results:
        sd = None if each.error is None else Decimal(repr(each.error))
        reported = ReportedValue(value=Decimal(repr(each.score)), sd=sd, n=each.number or None)
        known = (each.metric_id or each.id).rpartition(".")[2]
        if known in METRICS:
            values[known] = reported
            continue
        unit: DeclaredUnit = "percent" if "percent" in (each.unit or "") else "number"
        declared = Declared(
            id=_OTHER.sub("_", each.id.lower()).strip("_")[:100] or "score",
            title=one_line(each.id),
            unit=_UNITS.get(each.bounds, unit) if each.bounds else unit,
            direction="lower" if each.is_lower_better else "higher",
            summary=one_line(each.description or ""),
            reported=True,
        )
        first = source.metrics.get(declared.id, declared)
        is_alike = (first.unit, first.direction) == (declared.unit, declared.direction)
        if is_alike and (declared.id in options.known_metrics or options.standing is None):
            source.metrics[declared.id] = first
            values[declared.id] = reported
        else:
            left.append(each.id)
        if each is main and each.bounds and (share := each.reward(each.score)) is not None:
            width = each.bounds[1] - each.bounds[0]
            sd = None if each.error is None else Decimal(repr(each.error / width))
            values[MEAN_REWARD.id] = ReportedValue(value=Decimal(repr(share)), sd=sd, n=each.number or None)
    if left:
        source.report.doubt(LEFT_OUT, record.path, Spot(record.entrant), listed(map(one_line, left)))
    agent = record.entrant.agent(record.facts)
    return ReportedRow(id=slug_of(agent.name), name=agent.name, organization=agent.organization, values=values)


def _run(record: Record, wanted: str | None, source: Source) -> Run:
    """What a record with samples comes to: the lines of one result, each a try."""
    report, told = source.report, record.told
    run = Run(record.path, record.entrant, record.facts, _day(record, report), provenance=record.provenance)
    lines = list(record.lines(report))
    counts = Counter(_result_of(line) for _, line in lines)
    asked = [each for each in told.evaluation_results if wanted in {None, each.id}]
    result = next((each for each in asked if each.names & counts.keys()), None)
    if result is None:
        what = f"no line is of {wanted or 'a result that the aggregate has'}; there are: {listed(sorted(counts))}"
        report.add(rules.SOURCE_BROKEN, record.samples or record.path, what)
        return run
    if others := [each for each in counts if each not in result.names]:
        what = f"{one_line(result.id)} counts, beside {listed(map(one_line, others))}"
        report.doubt(rules.SCORE_CHOSEN, record.path, run.spot(), what)
    _take(record, result, lines, run, source)
    # Where two scores tell correct samples from others, they are the ends of the metric's scale.
    own = [line for _, line in lines if _result_of(line) in result.names and not line.get("error")]
    judged = [each["evaluation"] for each in own if isinstance(each.get("evaluation"), dict)]
    right, wrong = (
        {number_of(each.get("score")) for each in judged if each.get("is_correct") is ok} for ok in (True, False)
    )
    if len(right) == len(wrong) == 1 and (one := right.pop()) is not None and (other := wrong.pop()) is not None:
        rewards = result.reward(one), result.reward(other)
        if None not in rewards and rewards != (1, 0):
            way = "lower" if result.is_lower_better else "higher"
            what = f"correct samples have {one:g}, others {other:g}, {result.scale}, and {way} is better"
            report.doubt(SCALE, record.path, run.spot(), what)
    stated = result.reward(result.score)
    if stated is not None:
        run.claims = claims_of(stated, f"{one_line(record.source)}: {one_line(result.id)}")
    return run


def _result_of(line: Mapping[str, Any]) -> str:
    return str(line.get("evaluation_result_id") or line.get("evaluation_name"))


def _take(
    record: Record, result: Result, lines: Sequence[tuple[int, dict[str, Any]]], run: Run, source: Source
) -> None:
    """Take the tries of a result, and the scores of other results beside them."""
    report, path = source.report, record.samples or record.path
    others: defaultdict[Key, dict[str, float]] = defaultdict(dict)
    labels: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    seen: Counter[tuple[str, str]] = Counter()
    is_counted, tries = False, dict[int, tuple[str, int]]()
    run.transcripts = partial(_said, path, tries, record.told.model)
    for number, line in lines:
        name, task, evaluation = _result_of(line), line.get("sample_id"), line.get("evaluation")
        score = number_of(evaluation.get("score")) if isinstance(evaluation, dict) else None
        if not isinstance(task, str) or not isinstance(evaluation, dict) or score is None:
            report.add(rules.SOURCE_BROKEN, path, "the line has no sample, or no score", number)
            return
        metadata = line.get("metadata") if isinstance(line.get("metadata"), dict) else {}
        told = {key: value for key, value in (metadata or {}).items() if isinstance(value, str)}
        seen[name, task] += 1
        epoch = told.get("epoch", "")
        attempt = int(epoch) if epoch.isascii() and epoch.isdigit() and 0 < int(epoch[:5]) <= 10_000 else 0  # noqa: PLR2004
        is_counted |= not attempt and seen[name, task] > 1
        key: Key = task, attempt or seen[name, task], 1, "own"
        if name not in result.names:
            others[key][f"{one_line(name)}@every-eval-ever"] = score
            continue
        if key in run.results:
            what = f"{task}, attempt {key[1]}, stands a second time"
            report.add(rules.SOURCE_BROKEN, path, one_line(what), number)
            return
        labels[task].append(told)
        tries[number] = key[:2]
        run.attempts = max(run.attempts, key[1])
        if told.get("state") != "unreached":
            _grade(key, line, result.reward(score), run, report)
        else:
            run.planned = [*run.planned, task]
    if is_counted:
        report.doubt(EPOCHS_COUNTED, path, run.spot())
    for key, found in run.results.items():
        if found.state == "scored" and key in others:
            run.results[key] = replace(found, measures=others[key])
    for task, several in labels.items():
        shared = dict(set.intersection(*(set(each.items()) for each in several)))
        source.labels[task] |= {
            key: value
            for key, value in sorted(shared.items())
            if value and key not in _NO_LABELS and not key.startswith(("cases_", "tests_"))
        }


def _said(path: Path, tries: Mapping[int, tuple[str, int]], model: str) -> Iterator[tuple[tuple[str, int], bytes]]:
    """What the model and its tools said in the lines that are tries."""
    for number, line in objects(path, Report(path)):
        told, asked, given = line.get("messages"), line.get("input"), line.get("output")
        answers = given.get("raw") if isinstance(given, dict) else None
        question = asked.get("raw") if isinstance(asked, dict) else None
        spoken = [("user", question), *(("assistant", each) for each in (answers if isinstance(answers, list) else ()))]
        messages = told if isinstance(told, list) else [{"role": role, "content": words} for role, words in spoken]
        if number in tries:
            yield tries[number], transcript_of(messages, model)


def _grade(key: Key, line: Mapping[str, Any], reward: float | None, run: Run, report: Report) -> None:
    task, attempt, *_ = key
    spot = run.spot(task, attempt)
    error = line.get("error")
    cause = one_line(str(error).strip().partition("\n")[0]) or "an error" if error else None
    if cause:
        report.doubt(rules.TRIES_FAILED, run.path, spot, cause)
    elif reward is None:
        what = "the score is on no scale from a least to a largest value; choose another with `--result`"
        report.doubt(rules.SOURCE_UNUSABLE, run.path, spot, what)
    messages = line.get("messages")  # where there are any, they tell how often the model replied
    roles = [each.get("role") for each in messages if isinstance(each, dict)] if isinstance(messages, list) else []
    milliseconds = _amount(line, "performance", "latency_ms") or _amount(line, "performance", "generation_time_ms")
    run.grade(
        task,
        attempt,
        0.0 if cause else reward or 0.0,
        cause,
        turns=roles.count("assistant") if roles else _amount(line, "evaluation", "num_turns"),
        input_tokens=_amount(line, "token_usage", "input_tokens"),
        cached_tokens=_amount(line, "token_usage", "input_tokens_cache_read"),
        output_tokens=_amount(line, "token_usage", "output_tokens"),
        agent_seconds=milliseconds / 1000 if milliseconds else None,
    )


def _amount(line: Mapping[str, Any], table: str, key: str) -> float | None:
    """A figure that is told in a table of a line."""
    told = line.get(table)
    value = number_of(told.get(key)) if isinstance(told, dict) else None
    return value if value is not None and value >= 0 else None
