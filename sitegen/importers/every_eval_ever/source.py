"""Imports records of Every Eval Ever: those with samples become bundles, the others rows of a reported table."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.every_eval_ever.exported import read_exported
from sitegen.importers.every_eval_ever.records import (
    NEWEST,
    Record,
    Result,
    find_records,
    is_record,
)
from sitegen.importers.every_eval_ever.reported import AgentRecords, reported_row
from sitegen.importers.every_eval_ever.runs import (
    ScoredRecord,
    add_record,
    claimed_share,
    transcripts,
)
from sitegen.importers.every_eval_ever.samples import Samples, read_samples
from sitegen.importers.every_eval_ever.scales import Scale, choose_scale
from sitegen.importers.every_eval_ever.settings import agents_of
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant, chosen
from sitegen.importers.kit.claims import claims_of, reported_table
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import GRADED, Run, Source
from sitegen.importers.kit.tree import Tree
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Claims
from sitegen.problems import Rule, UsageError, grouped, listed

BENCHMARKS = Rule.error(
    "EEE-BENCHMARKS",
    "The records of an import are of one benchmark.",
    "choose one with `--task`, and import the others into benchmarks of their own; several that are named, each with "
    "`--task`, become the parts of one benchmark",
)
RETRIEVED = Rule.warning(
    "EEE-DATE",
    "A record tells when its evaluation was run.",
    "remove what came in, and import again with `--date`",
    "The source does not tell the day of the run: the one on which it was retrieved stands for it.",
)
SAMPLES_DIFFER = Rule.error(
    "EEE-SAMPLES-DIFFER",
    "The samples of a record are the ones that its aggregate describes.",
    "put the file of samples there that the aggregate describes; if the samples were changed on purpose, write the "
    "aggregate's `checksum` and `total_rows` again",
)


class Counting(NamedTuple):
    """A record that counts, with its agent and its place among the attempts at its part."""

    record: Record
    agent: Entrant
    part: str
    """The part of the benchmark, where the import has several; else empty."""


def read_every_eval_ever(
    source: Path, options: ImportOptions, result: str | None = None
) -> Incoming:
    """Return what a folder of records holds: those of one benchmark, or of those that are named.

    Args:
        source: The folder.
        options: `task_names` are benchmarks, their parts, or samples.
        result: The result that counts; else the first one with samples that can be a reward.

    Raises:
        UsageError: A benchmark, model or result that is asked for is not there.
        ProblemsError: The folder holds nothing that can be used.
    """
    report, tree = Report(source), Tree(source)
    records = find_records(tree, report)
    report.problems += tree.problems()
    records, sample_names = _pick_benchmarks(records, options, report)
    report.stop_at_errors()
    if records and all(record.exported for record in records):
        wanted = chosen((record.aggregate.model for record in records), options)
        return read_exported(
            [record for record in records if record.aggregate.model in wanted], options, report
        )
    wanted_result = result or options.metric
    _check_result(records, wanted_result)
    wanted_models = set(chosen((record.aggregate.model for record in records), options))
    records = [record for record in records if record.aggregate.model in wanted_models]
    counting = _counting(records, options, report)
    report.stop_at_errors()
    results = Source(report, "Samples of Every Eval Ever, each graded once.", columns=GRADED)
    scored = _scored(counting, wanted_result, options, report)
    for agent, several in grouped(scored).items():
        results.runs.append(_run(agent, several, results, options))
    _add_reported(counting, wanted_result, results, options)
    if counting and not results.runs and not results.reported:
        report.stop_at_nothing(rules.NOTHING_FOUND, "no record has anything that can be imported")
    if sample_names:
        options = _with_samples(options, sample_names, scored)
    else:
        results.has_picked_tasks = True
    return results.imported(options)


def recognise(tree: Tree) -> str | None:
    """Return what tells of the schemas: an aggregate."""
    return tree.example("records of Every Eval Ever", filter(is_record, tree.paths()))


FORMAT = Format(
    read_every_eval_ever,
    "main",
    extras=frozenset({"result", "metric", "scale", "runs", "pick"}),
    recognise=recognise,
)


def _pick_benchmarks(
    records: list[Record], options: ImportOptions, report: Report
) -> tuple[list[Record], tuple[str, ...]]:
    """Return the records of the benchmarks that are asked for, and the names that are of single samples.

    Raises:
        UsageError: A name can't be a sample's, as there are several benchmarks.
    """
    benchmarks = sorted({record.benchmark for record in records})
    parts = {record.unit for record in records}
    asked = options.task_names
    known = [name for name in asked if name in benchmarks or name in parts]
    others = tuple(name for name in asked if name not in known)
    if others and len(benchmarks) > 1:
        there = listed(sorted({*benchmarks, *filter(None, parts)}), 30)
        raise UsageError(f"no record is of {', '.join(others)}; there are: {there}")
    if len(benchmarks) > 1 and not asked:
        report.add(BENCHMARKS, report.root, f"there are records of {listed(benchmarks, 30)}")
    if known and not others:
        records = [
            record for record in records if record.benchmark in known or record.unit in known
        ]
    return records, others


def _check_result(records: Sequence[Record], wanted: str | None) -> None:
    """Refuse a result that no record has.

    Raises:
        UsageError: There is none of this name; the message lists those that there are.
    """
    names: set[str] = set()
    for record in records:
        for result in record.results:
            names |= result.names
    if wanted and records and wanted not in names:
        raise UsageError(
            f"no record has a result {wanted}; there are: {listed(sorted(map(one_line, names)), 30)}"
        )


def _counting(records: Sequence[Record], options: ImportOptions, report: Report) -> list[Counting]:
    """Return the records that count, each with its agent, in order of time.

    Of several records of one agent on one part of a benchmark the last one counts, unless an option says otherwise;
    those with samples go before those without.
    """
    agents = agents_of(records, report)
    parts = {(record.benchmark, record.unit) for record in records}
    names = _part_names(parts)
    by_place = grouped(
        ((agents[id(record)], record.benchmark, record.unit), record) for record in records
    )
    counting: list[Counting] = []
    for (agent, benchmark, unit), several in by_place.items():
        for version in dict.fromkeys(record.aggregate.schema_version for record in several):
            report.newer_version("Every Eval Ever's schema", version, NEWEST, agent)
        part = names[benchmark, unit]
        counting += [
            Counting(record, agent, part) for record in _one_run(several, agent, options, report)
        ]
    return counting


def _part_names(parts: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return what the parts of an import are called: by as little as tells them apart, and nothing for a single one."""
    if len(parts) == 1:
        return dict.fromkeys(parts, "")
    for place in (1, 0):
        names = {part: part[place] for part in parts}
        if len(set(names.values())) == len(parts) and all(names.values()):
            return names
    return {part: " ".join(filter(None, part)) for part in parts}


def _one_run(
    records: Sequence[Record], agent: Entrant, options: ImportOptions, report: Report
) -> list[Record]:
    """Return the records of one agent on one part that count, in order of time."""
    runs: list[Record] = []
    digests: set[str] = set()
    for record in sorted(records, key=lambda record: (str(record.moment or ""), str(record.path))):
        if record.digest in digests:
            report.notes.append(f"{report.name(record.path)}: a copy of another record, left out")
        else:
            runs.append(record)
            digests.add(record.digest)
    usable = [record for record in runs if record.samples] or runs
    for record in runs:
        if record not in usable:
            message = f"{report.name(record.path)}, which has no samples"
            report.doubt(rules.LEFT_OUT, record.path, Spot(agent), message)
    if options.runs == "attempts" or len(usable) == 1:
        return usable
    counts = usable[0 if options.pick == "first" else -1]
    if len({record.moment for record in usable}) < len(usable):
        names = listed(report.name(record.path) for record in usable)
        report.add(
            rules.RUN_TWICE,
            counts.path,
            f"{agent}: nothing tells which of these is the last: {names}",
        )
    for record in usable:
        if record is not counts:
            by_option = f", as `--pick {options.pick}` says" if options.pick else ""
            message = f"{report.name(record.path)}; {report.name(counts.path)} counts{by_option}"
            report.doubt(rules.RUN_REPLACED, record.path, Spot(agent), message)
    return [counts]


def _scored(
    counting: Sequence[Counting], wanted: str | None, options: ImportOptions, report: Report
) -> list[tuple[Entrant, ScoredRecord]]:
    """Return the records with samples and the result of each that is its reward.

    A record of which no result can be a reward, or whose samples are not its own, is left out by name where others
    remain, and refused where it is the only one.
    """
    scored: list[tuple[Entrant, ScoredRecord]] = []
    faults: list[tuple[Rule, Counting, str]] = []
    for counted in counting:
        if counted.record.samples is None:
            continue
        samples = read_samples(counted.record, counted.record.samples, report)
        if samples.fault:
            faults.append((SAMPLES_DIFFER, counted, samples.fault))
            continue
        choice = _choose_result(counted, samples, wanted, options, report)
        if choice is None:
            continue
        result, scale, why = choice
        if result is None or scale is None:
            faults.append((rules.SOURCE_UNUSABLE, counted, why))
            continue
        names = frozenset(_line_names(counted.record, result, samples))
        scored.append(
            (
                counted.agent,
                ScoredRecord(counted.record, samples, result, scale, names, counted.part),
            )
        )
    for rule, counted, why in faults:
        if scored:
            report.doubt(
                rules.LEFT_OUT,
                counted.record.path,
                Spot(counted.agent, report.name(counted.record.path)),
                why,
            )
        else:
            report.add(rule, counted.record.samples or counted.record.path, one_line(why, 400))
    report.stop_at_errors()
    return scored


def _line_names(record: Record, result: Result, samples: Samples) -> set[str]:
    """Return what the lines of a result are called by.

    Lines that name no result of the aggregate are all of one result: before version 0.2.2 converters named the
    dataset.
    """
    known: set[str] = set()
    for known_result in record.results:
        known |= known_result.names
    stated = {line.result for line in samples.lines}
    if known.isdisjoint(stated) and len(stated) == 1:
        return stated
    return result.names


def _choose_result(
    counted: Counting, samples: Samples, wanted: str | None, options: ImportOptions, report: Report
) -> tuple[Result | None, Scale | None, str] | None:
    """Return the result of a record that is the reward, its scale, and why others can't be.

    None where somebody has to state the scale: the report has an error then.
    """
    record = counted.record
    stated = {line.result for line in samples.lines}
    asked = [result for result in record.results if wanted in {None, *result.names}]
    usable: list[tuple[Result, Scale]] = []
    reasons: list[str] = []
    mismatches: list[str] = []
    for result in asked:
        names = _line_names(record, result, samples)
        if names.isdisjoint(stated):
            reasons.append(f"{one_line(result.id)}: no line is of it")
            continue
        scores = _scores(result, names, samples)
        if scores is None:
            reasons.append(
                f"{one_line(result.id)}: its lines name no result, and all of them state 0"
            )
            continue
        choice = choose_scale(result, scores, options.scale)
        if choice.scale:
            usable.append((result, choice.scale))
        elif choice.mismatch and not usable:
            mismatches.append(f"{one_line(result.id)}: {choice.mismatch}")
        elif choice.why_no_reward:
            reasons.append(f"{one_line(result.id)}: {choice.why_no_reward}")
    if mismatches and (not usable or wanted):
        fix = (
            "state the largest score that a sample can have: `--scale 1` if samples are scored from 0 to 1 in "
            "whatever unit the aggregate is, `--scale 100` if they are scored in percent"
        )
        message = f"{report.name(record.path)}: {listed(mismatches, 3, separator='; ')}"
        report.problems.append(
            rules.SCALE_UNSTATED.broken(record.samples or record.path, None, message, fix)
        )
        return None
    if not usable:
        there = listed(sorted(map(one_line, stated)))
        why = listed(reasons, 3, separator="; ") or "the record has no results"
        return None, None, f"{why}; its lines are of {there or 'nothing'}"
    chosen_result, scale = usable[0]
    others = [
        one_line(name)
        for name in sorted(stated)
        if name not in _line_names(record, chosen_result, samples)
    ]
    if others and wanted is None:
        report.assume(
            f"{one_line(chosen_result.id)} is the reward, and {listed(others, 5)} a measure",
            counted.agent,
        )
    return chosen_result, scale, ""


def _scores(result: Result, names: Collection[str], samples: Samples) -> list[float] | None:
    """Return the scores of a result's lines that came to a verdict.

    Converters write lines that name no result and state 0 for what they could not read. None where all lines are
    such lines, although the aggregate has another figure.
    """
    lines = [line for line in samples.lines if line.result in names and not line.error]
    with_id = [line for line in lines if line.has_result_id]
    scores = [line.score for line in with_id or lines if line.score is not None]
    is_filled = bool(scores) and not any(scores) and not with_id
    if is_filled and result.evaluation_result_id and result.score not in {0, None}:
        return None
    return scores


def _run(
    agent: Entrant, several: Sequence[ScoredRecord], source: Source, options: ImportOptions
) -> Run:
    """Return the run of an agent, made of its records."""
    last = max(several, key=lambda scored: str(scored.record.moment or ""))
    record = last.record
    day = _day(record, agent, source.report) if options.date is None else options.date
    run = Run(record.path, agent, record.facts, day, provenance=record.provenance)
    if len(several) > 1:
        run.parts = [scored.record.path for scored in several]
    attempts: defaultdict[str, int] = defaultdict(int)
    for scored in several:
        scored.attempt = attempts[scored.prefix]
        before = run.attempts
        run.attempts = 1
        add_record(scored, run, source)
        attempts[scored.prefix] = max(attempts[scored.prefix], run.attempts)
        run.attempts = max(before, run.attempts)
    run.claims = _claims(several)
    run.transcripts = partial(transcripts, several)
    return run


def _claims(several: Sequence[ScoredRecord]) -> Claims | None:
    """Return what the aggregates of an agent state, pooled over its tries."""
    total = 0.0
    tries = 0
    for scored in several:
        stated = claimed_share(scored)
        if stated is None:
            return None
        total += stated * len(scored.rewards)
        tries += len(scored.rewards)
    if not tries:
        return None
    first = several[0]
    names = dict.fromkeys(one_line(scored.result.id) for scored in several)
    return claims_of(total / tries, f"{one_line(first.record.source)}: {listed(names, 3)}")


def _day(record: Record, agent: Entrant, report: Report) -> Date | None:
    """Return the day of an evaluation, else the one on which somebody fetched it."""
    if record.moment:
        return record.moment.date()
    if record.retrieved:
        report.doubt(RETRIEVED, record.path, Spot(agent))
    return record.retrieved


def _add_reported(
    counting: Sequence[Counting], wanted: str | None, source: Source, options: ImportOptions
) -> None:
    """Add the records without samples to a source, a table for each place that they come from."""
    report = source.report
    agents = {run.entrant for run in source.runs}
    by_source: defaultdict[str, defaultdict[Entrant, list[Record]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for record, agent, _ in counting:
        if record.samples is not None:
            continue
        if record.aggregate.samples:
            name = Path(record.aggregate.samples).name
            message = f"its samples {name} are not beside it, so its figures are only reported"
            report.doubt(rules.LEFT_OUT, record.path, report.name(record.path), one_line(message))
        if agent in agents:
            message = f"{report.name(record.path)}, which has no samples"
            report.doubt(rules.LEFT_OUT, record.path, Spot(agent), message)
        else:
            by_source[record.source][agent].append(record)
    for origin, own in by_source.items():
        rows = [
            reported_row(AgentRecords(agent, records), wanted, source, options)
            for agent, records in own.items()
        ]
        present = [row for row in rows if row]
        dates: list[Date] = []
        for agent, records in own.items():
            for record in records:
                day = options.date or _day(record, agent, report)
                dates += [day] if day else []
        first = next(iter(own.values()))[0]
        if not dates:
            report.doubt(rules.DATE_MISSING, first.path, one_line(origin), "no time is stated")
        if present:
            day = max(dates, default=options.today)
            table = reported_table("Every Eval Ever", one_line(origin), day, present, options.track)
            source.reported.append(("every-eval-ever", table))


def _with_samples(
    options: ImportOptions,
    sample_names: Sequence[str],
    scored: Sequence[tuple[Entrant, ScoredRecord]],
) -> ImportOptions:
    """Return options that name every sample that is asked for, by itself or by its part."""
    names = list(sample_names)
    for _, record in scored:
        if {record.record.benchmark, record.record.unit} & set(options.task_names):
            names += [record.task(line.sample) for line in record.lines]
    return replace(options, task_names=tuple(dict.fromkeys(names)))
