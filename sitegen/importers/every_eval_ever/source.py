"""Import records of Every Eval Ever: as bundles, or as a reported table if samples are missing."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.every_eval_ever.exported import read_exported
from sitegen.importers.every_eval_ever.records import (
    NEWEST,
    AggregateResult,
    EvaluationRecord,
    find_records,
    is_record,
)
from sitegen.importers.every_eval_ever.reported import AgentRecords, build_row
from sitegen.importers.every_eval_ever.runs import (
    ScoredRecord,
    add_record,
    read_transcripts,
    stated_share,
)
from sitegen.importers.every_eval_ever.samples import Samples, read_samples
from sitegen.importers.every_eval_ever.scales import ScaleChoice, ScoreScale, choose_scale
from sitegen.importers.every_eval_ever.settings import name_agents
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import RankedAgent, chosen
from sitegen.importers.kit.claims import mean_reward_claim, reported_table
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import GRADED, AgentResults, ImportSource
from sitegen.importers.kit.tree import SourceTree
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Claims
from sitegen.problems import Rule, UsageError, agreeing, grouped, listed

BENCHMARKS = rules.DATASETS_MIXED.specific(
    "choose one with `--task`, and import the others into separate benchmarks; repeat "
    "`--task` to import several of them as parts of one benchmark",
)
RETRIEVED = rules.DATE_ASSUMED.specific(
    "remove the imported bundles, and import again with `--date`",
    "The source does not give the date of the run; the date of retrieval is used instead.",
    order="EEE-DATE",
)
SAMPLES_DIFFER = rules.CONTRADICTION.specific(
    "replace the file of samples with the one that the aggregate describes; if the samples "
    "were changed on purpose, update the aggregate's `checksum` and `total_rows`",
)

_SUMMARY = "Samples of Every Eval Ever, each graded once."
_NOTHING = "no record has anything that can be imported"
_SCALE_FIX = (
    "state the largest score that a sample can have: `--scale 1` if samples are scored from 0 to 1 "
    "in whatever unit the aggregate is, `--scale 100` if they are scored in percent"
)

_MAX_SHOWN_NAMES = 30
_MAX_SHOWN_MEASURES = 5
_MAX_SHOWN_REASONS = 3
_MAX_REASON_LENGTH = 400


class CountedRecord(NamedTuple):
    """A record that is imported, with its agent."""

    record: EvaluationRecord
    agent: RankedAgent
    part_name: str
    """The part of the benchmark that was run; empty if the import has only one part."""


class Reward(NamedTuple):
    """The result of a record that is the reward, and its scale."""

    result: AggregateResult
    scale: ScoreScale


def read_every_eval_ever(
    source: Path, options: ImportOptions, result: str | None = None
) -> Incoming:
    """Return the import of a folder of records on one benchmark, or on the requested benchmarks.

    Args:
        source: The folder.
        options: `task_names` are benchmarks, their parts, or samples.
        result: The result that counts; by default, the first result with samples that can be a
            reward.

    Raises:
        UsageError: A requested benchmark, model or result does not exist.
        ProblemsError: The folder contains nothing usable.
    """
    log = ImportLog(source)
    tree = SourceTree(source)
    records = find_records(tree, log)
    log.problems += tree.problems()
    records, sample_names = _pick_benchmarks(records, options, log)
    log.stop_at_errors()
    is_exported = _are_exported(records)
    result_name = result or options.metric
    if not is_exported:
        _check_result(records, result_name)
    models = [record.aggregate.model for record in records]
    chosen_models = set(chosen(models, options))
    records = [record for record in records if record.aggregate.model in chosen_models]
    if is_exported:
        return read_exported(records, options, log)
    counted_records = _choose_records(records, options, log)
    log.stop_at_errors()
    imported = ImportSource(log, _SUMMARY, columns=GRADED)
    scored_records = _score_records(counted_records, result_name, options, log)
    for agent, agent_records in grouped(scored_records).items():
        imported.runs.append(_build_run(agent, agent_records, imported, options))
    _add_reported(counted_records, result_name, imported, options)
    if counted_records and not imported.runs and not imported.reported:
        log.stop_at_nothing(rules.NOTHING_FOUND, _NOTHING)
    if sample_names:
        names = _complete_task_names(sample_names, options, scored_records)
        options = replace(options, task_names=names)
    else:
        imported.has_picked_tasks = True
    return imported.imported(options)


def _are_exported(records: Sequence[EvaluationRecord]) -> bool:
    """Return whether there are records and `sitegen export` wrote all of them."""
    for record in records:
        if not record.exported:
            return False
    return bool(records)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a file of records in the source; None if there is no record."""
    paths = filter(is_record, tree.paths())
    return tree.example("records of Every Eval Ever", paths)


FORMAT = Format(
    read_every_eval_ever,
    "main",
    extras=frozenset({"result", "metric", "scale", "runs", "pick"}),
    takes_files=True,
    recognise=recognise,
)


def _pick_benchmarks(
    records: list[EvaluationRecord], options: ImportOptions, log: ImportLog
) -> tuple[list[EvaluationRecord], tuple[str, ...]]:
    """Return the records of the requested benchmarks, and the requested names of samples.

    Raises:
        UsageError: A name is unknown, and can't name a sample because there are several benchmarks.
    """
    benchmarks = {record.benchmark for record in records}
    units = {record.unit for record in records}
    names = benchmarks | units
    picked_names = names.intersection(options.task_names)
    sample_names = tuple(name for name in options.task_names if name not in names)
    if len(benchmarks) > 1:
        if sample_names:
            available = listed(sorted(filter(None, names)), _MAX_SHOWN_NAMES)
            message = (
                f"no record is about {', '.join(sample_names)}; there are records about {available}"
            )
            raise UsageError(message)
        if not options.task_names:
            available = listed(sorted(benchmarks), _MAX_SHOWN_NAMES)
            log.add(BENCHMARKS, log.root, f"there are records about {available}")
    if not picked_names or sample_names:
        return records, sample_names
    picked_records = []
    for record in records:
        if record.benchmark in picked_names or record.unit in picked_names:
            picked_records.append(record)
    return picked_records, sample_names


def _check_result(records: Sequence[EvaluationRecord], result_name: str | None) -> None:
    """Check that at least one record has the requested result.

    Raises:
        UsageError: No record has the result; the message lists the results.
    """
    names: set[str] = set()
    for record in records:
        for result in record.results:
            names |= result.names
    if result_name and records and result_name not in names:
        shown_names = sorted(map(one_line, names))
        available = listed(shown_names, _MAX_SHOWN_NAMES)
        raise UsageError(f"no record has a result {result_name}; the results are: {available}")


def _choose_records(
    records: Sequence[EvaluationRecord], options: ImportOptions, log: ImportLog
) -> list[CountedRecord]:
    """Return the records that count, each with its agent, in chronological order.

    If an agent has several records on one part of a benchmark, the last record counts unless an
    option says otherwise. Records with samples take precedence over records without samples.
    """
    agents = name_agents(records, log)
    groups: defaultdict[tuple[RankedAgent, tuple[str, str]], list[EvaluationRecord]]
    groups = defaultdict(list)
    for record in records:
        agent = agents[id(record)]
        groups[agent, record.benchmark_part].append(record)
    part_names = _name_parts({record.benchmark_part for record in records})
    counted_records: list[CountedRecord] = []
    for (agent, benchmark_part), group in groups.items():
        versions = dict.fromkeys(record.aggregate.schema_version for record in group)
        for version in versions:
            log.warn_if_newer("Every Eval Ever's schema", version, NEWEST, agent)
        part_name = part_names[benchmark_part]
        for record in _choose_runs(group, agent, options, log):
            counted_records.append(CountedRecord(record, agent, part_name))
    return counted_records


def _name_parts(
    benchmark_parts: Collection[tuple[str, str]],
) -> dict[tuple[str, str], str]:
    """Return a short name for each part of an import; empty for a single part.

    The name is the unit if units are unique, or else the benchmark if benchmarks are unique, or
    else both.

    Args:
        benchmark_parts: The benchmark and the unit of each part.
    """
    if len(benchmark_parts) <= 1:
        return dict.fromkeys(benchmark_parts, "")
    benchmarks, units = zip(*benchmark_parts, strict=True)
    for names in (units, benchmarks):
        if len(set(names)) == len(names) and all(names):
            return dict(zip(benchmark_parts, names, strict=True))
    return {names: " ".join(filter(None, names)) for names in benchmark_parts}


def _choose_runs(
    records: Sequence[EvaluationRecord],
    agent: RankedAgent,
    options: ImportOptions,
    log: ImportLog,
) -> list[EvaluationRecord]:
    """Return those records of an agent on one part that count, in chronological order."""
    runs = _drop_copies(records, log)
    usable = [record for record in runs if record.samples] or runs
    for record in runs:
        if record not in usable:
            message = f"{log.name(record.path)}, which has no samples"
            log.add_doubt(rules.LEFT_OUT, record.path, SourceLocation(agent), message)
    if options.runs == "attempts" or len(usable) == 1:
        return usable
    counted = usable[0] if options.pick == "first" else usable[-1]
    moments = {record.moment for record in usable}
    if len(moments) < len(usable):
        names = listed(log.name(record.path) for record in usable)
        message = f"{agent}: no file says which of these is the latest: {names}"
        log.add(rules.RUN_TWICE, counted.path, message)
    clause = f"{log.name(counted.path)} counts"
    if options.pick:
        clause += f", as `--pick {options.pick}` says"
    for record in usable:
        if record is not counted:
            message = f"{log.name(record.path)}; {clause}"
            log.add_doubt(rules.RUN_REPLACED, record.path, SourceLocation(agent), message)
    return [counted]


def _drop_copies(records: Sequence[EvaluationRecord], log: ImportLog) -> list[EvaluationRecord]:
    """Return records in chronological order, without copies."""
    distinct: dict[str, EvaluationRecord] = {}
    for record in sorted(records, key=_order_in_time):
        if record.digest in distinct:
            log.notes.append(f"{log.name(record.path)}: a copy of another record, left out")
        else:
            distinct[record.digest] = record
    return list(distinct.values())


def _order_in_time(record: EvaluationRecord) -> tuple[str, str]:
    """Return a sort key by time; records without a time come first."""
    return str(record.moment or ""), str(record.path)


def _score_records(
    counted_records: Sequence[CountedRecord],
    result_name: str | None,
    options: ImportOptions,
    log: ImportLog,
) -> list[tuple[RankedAgent, ScoredRecord]]:
    """Return the records with samples, each with the result that is its reward.

    A record without such a result, or with samples of another record, is left out and reported if
    other records remain; otherwise it is an error.
    """
    scored_records: list[tuple[RankedAgent, ScoredRecord]] = []
    faults: list[tuple[Rule, CountedRecord, str]] = []
    for counted in counted_records:
        record = counted.record
        if record.samples is None:
            continue
        samples = read_samples(record, record.samples, log)
        if samples.fault:
            faults.append((SAMPLES_DIFFER, counted, samples.fault))
            continue
        reward = _choose_reward(counted, samples, result_name, options, log)
        if isinstance(reward, str):
            faults.append((rules.SOURCE_UNUSABLE, counted, reward))
        elif reward is not None:
            names = frozenset(_find_line_names(record, reward.result, samples))
            scored = ScoredRecord(record, samples, *reward, names, counted.part_name)
            scored_records.append((counted.agent, scored))
    for rule, counted, reason in faults:
        record = counted.record
        if scored_records:
            spot = SourceLocation(counted.agent, log.name(record.path))
            log.add_doubt(rules.LEFT_OUT, record.path, spot, reason)
        else:
            message = one_line(reason, _MAX_REASON_LENGTH)
            log.add(rule, record.samples or record.path, message)
    log.stop_at_errors()
    return scored_records


def _find_line_names(
    record: EvaluationRecord, result: AggregateResult, samples: Samples
) -> set[str]:
    """Return the names by which lines refer to a result.

    If all lines name one result that is not in the aggregate, this name is returned, because
    converters wrote the name of the dataset before version 0.2.2.
    """
    names: set[str] = set()
    for record_result in record.results:
        names |= record_result.names
    line_names = samples.result_names
    if names.isdisjoint(line_names) and len(line_names) == 1:
        return line_names
    return result.names


def _choose_reward(
    counted: CountedRecord,
    samples: Samples,
    result_name: str | None,
    options: ImportOptions,
    log: ImportLog,
) -> Reward | str | None:
    """Return the result of a record that is the reward, or a text that says why it has no reward.

    Returns None if the user must state the scale; the log then contains an error.
    """
    record = counted.record
    usable: list[Reward] = []
    reasons: list[str] = []
    mismatches: list[str] = []
    for result in record.results:
        if result_name is not None and result_name not in result.names:
            continue
        choice = _try_result(record, result, samples, options.scale)
        if choice.scale:
            usable.append(Reward(result, choice.scale))
        elif choice.mismatch and not usable:
            mismatches.append(f"{one_line(result.id)}: {choice.mismatch}")
        elif choice.why_no_reward:
            reasons.append(f"{one_line(result.id)}: {choice.why_no_reward}")
    if mismatches and (not usable or result_name):
        mismatch = listed(mismatches, _MAX_SHOWN_REASONS, separator="; ")
        message = f"{log.name(record.path)}: {mismatch}"
        path = record.samples or record.path
        log.problems.append(rules.SCALE_UNSTATED.broken(path, None, message, _SCALE_FIX))
        return None
    line_names = samples.result_names
    if not usable:
        reason = listed(reasons, _MAX_SHOWN_REASONS, separator="; ")
        available = listed(sorted(map(one_line, line_names))) or "nothing"
        return f"{reason or 'the record has no results'}; its lines belong to {available}"
    reward = usable[0]
    measures = sorted(line_names - _find_line_names(record, reward.result, samples))
    if measures and result_name is None:
        shown_measures = listed(map(one_line, measures), _MAX_SHOWN_MEASURES)
        verb = agreeing(len(measures), "is a measure", "are measures")
        fact = f"{one_line(reward.result.id)} is the reward, and {shown_measures} {verb}"
        log.assume(fact, counted.agent)
    return reward


def _try_result(
    record: EvaluationRecord, result: AggregateResult, samples: Samples, scale: float | None
) -> ScaleChoice:
    """Return the scale of a result, or the reason why it can't be the reward."""
    names = _find_line_names(record, result, samples)
    if names.isdisjoint(samples.result_names):
        return ScaleChoice(why_no_reward="no line belongs to it")
    scores = _collect_scores(result, names, samples)
    if scores is None:
        reason = "its lines name no result, and all of them state 0"
        return ScaleChoice(why_no_reward=reason)
    return choose_scale(result, scores, scale)


def _collect_scores(
    result: AggregateResult, names: Collection[str], samples: Samples
) -> list[float] | None:
    """Return the scores of a result's lines that have a verdict.

    Converters write lines without a result id, and with a score of 0, for values that they could
    not read. Returns None if all lines are of this kind although the aggregate has another figure.
    """
    lines = [line for line in samples.lines if line.result in names and not line.error]
    lines_with_id = [line for line in lines if line.has_result_id]
    scores = [line.score for line in lines_with_id or lines if line.score is not None]
    if lines_with_id or not scores or any(scores):
        return scores
    if result.evaluation_result_id and result.score not in {0, None}:
        return None
    return scores


def _build_run(
    agent: RankedAgent,
    scored_records: Sequence[ScoredRecord],
    source: ImportSource,
    options: ImportOptions,
) -> AgentResults:
    """Return the run of an agent, built from its records."""
    last = max(scored_records, key=lambda scored: str(scored.record.moment or ""))
    record = last.record
    day = options.date or _find_day(record, agent, source.log)
    run = AgentResults(record.path, agent, record.facts, day, provenance=record.provenance)
    if len(scored_records) > 1:
        run.parts = [scored.record.path for scored in scored_records]
    attempts_by_part: defaultdict[str, int] = defaultdict(int)
    for scored in scored_records:
        scored.attempt_offset = attempts_by_part[scored.prefix]
        # `add_record` raises the number of attempts to that of this record.
        previous_attempts = run.attempts
        run.attempts = 1
        add_record(scored, run, source)
        attempts_by_part[scored.prefix] = max(scored.attempt_offset, run.attempts)
        run.attempts = max(previous_attempts, run.attempts)
    run.claims = _pool_claims(scored_records)
    run.transcripts = partial(read_transcripts, scored_records)
    return run


def _pool_claims(scored_records: Sequence[ScoredRecord]) -> Claims | None:
    """Return the mean of an agent's aggregates, weighted by attempts; None if one is unknown."""
    total = 0.0
    tries = 0
    for scored in scored_records:
        stated = stated_share(scored)
        if stated is None:
            return None
        total += stated * len(scored.rewards)
        tries += len(scored.rewards)
    if not tries:
        return None
    source = one_line(scored_records[0].record.source)
    names = dict.fromkeys(one_line(scored.result.id) for scored in scored_records)
    shown_names = listed(names, _MAX_SHOWN_REASONS)
    return mean_reward_claim(total / tries, f"{source}: {shown_names}")


def _find_day(record: EvaluationRecord, agent: RankedAgent, log: ImportLog) -> Date | None:
    """Return the day of an evaluation or, if unknown, the day on which the record was retrieved."""
    if record.moment:
        return record.moment.date()
    if record.retrieved:
        log.add_doubt(RETRIEVED, record.path, SourceLocation(agent))
    return record.retrieved


def _add_reported(
    counted_records: Sequence[CountedRecord],
    result_name: str | None,
    source: ImportSource,
    options: ImportOptions,
) -> None:
    """Add reported tables of the records without samples, one for each origin."""
    log = source.log
    agents_with_samples = {run.entrant for run in source.runs}
    records_by_origin: defaultdict[str, list[tuple[RankedAgent, EvaluationRecord]]]
    records_by_origin = defaultdict(list)
    for record, agent, _ in counted_records:
        if record.samples is not None:
            continue
        record_name = log.name(record.path)
        if record.aggregate.samples:
            name = Path(record.aggregate.samples).name
            message = f"its samples {name} are not next to it, so its figures are only reported"
            log.add_doubt(rules.LEFT_OUT, record.path, record_name, one_line(message))
        if agent in agents_with_samples:
            message = f"{record_name}, which has no samples"
            log.add_doubt(rules.LEFT_OUT, record.path, SourceLocation(agent), message)
        else:
            records_by_origin[record.source].append((agent, record))
    for origin, pairs in records_by_origin.items():
        records_by_agent = grouped(pairs)
        _add_table(one_line(origin), records_by_agent, result_name, source, options)


def _add_table(
    origin: str,
    records_by_agent: Mapping[RankedAgent, Sequence[EvaluationRecord]],
    result_name: str | None,
    source: ImportSource,
    options: ImportOptions,
) -> None:
    """Add a reported table with a row for each agent that has a figure."""
    rows = []
    days = []
    for agent, records in records_by_agent.items():
        row = build_row(AgentRecords(agent, records), result_name, source, options)
        if row is not None:
            rows.append(row)
    for agent, records in records_by_agent.items():
        for record in records:
            day = options.date or _find_day(record, agent, source.log)
            if day is not None:
                days.append(day)
    if not days:
        first = next(iter(records_by_agent.values()))[0]
        source.log.add_doubt(rules.DATE_MISSING, first.path, origin, "no time is stated")
    if rows:
        day = max(days, default=options.today)
        table = reported_table("Every Eval Ever", origin, day, rows, options.track)
        source.reported.append(("every-eval-ever", table))


def _complete_task_names(
    sample_names: Sequence[str],
    options: ImportOptions,
    scored_records: Sequence[tuple[RankedAgent, ScoredRecord]],
) -> tuple[str, ...]:
    """Return the names of all requested samples, including those of requested parts."""
    names = list(sample_names)
    for _, scored in scored_records:
        record = scored.record
        if record.benchmark not in options.task_names and record.unit not in options.task_names:
            continue
        for line in scored.lines:
            names.append(scored.name_task(line.sample))
    return tuple(dict.fromkeys(names))
