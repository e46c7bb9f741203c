"""Records that `sitegen export` wrote: their lines are rounds of tasks, and bring the same scores back."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter

from sitegen.importers.every_eval_ever.records import Record, Result
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import named
from sitegen.importers.kit.cases import unreached
from sitegen.importers.kit.claims import as_said
from sitegen.importers.kit.drafts import bundle_names, finished, longer_id, title_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, listed
from sitegen.importers.kit.samples import reported_table
from sitegen.importers.kit.told import number_of
from sitegen.metrics.catalogue import METRICS, columns_of
from sitegen.models.benchmark import Benchmark, Protocol, Track
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.record import is_slug
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.models.submission import Agent, Claims, Provenance, Submission
from sitegen.models.task import Task, TaskRound, TaskSet
from sitegen.problems import UsageError

_OWN = ("model", "scaffold", "scaffold_version", "reasoning", "url", "model_license")
_FIGURES = ("interactions", "turns", "cost_usd", "agent_seconds", "input_tokens", "output_tokens")
_WHOLE = {f"cases_{key}": key for key in ("passed", "total", "skipped")} | {"epoch": "attempt", "round": "round"}
"""Whole numbers of a line, as it has them and as a round does."""

_AWAY = "/round-"
_ROUND, _RUN = TypeAdapter(RoundResult), TypeAdapter(RunFigures)

Round = tuple[str, int]
"""A task's id, and the number of the round."""

Key = tuple[str, Start, int, int]
"""What a record is about: task, start, attempt, round."""


@dataclass(slots=True)
class _Row:
    """A record, taken apart."""

    record: Record
    day: Date
    agent: Agent
    values: Mapping[str, Decimal]
    """Its scores, by metrics of the catalogue."""
    rounds: dict[Key, RoundResult] = field(default_factory=dict)
    weights: dict[Round, float] = field(default_factory=dict)
    """Of rounds that do not weigh 1."""
    runs: list[RunFigures] = field(default_factory=list)
    excluded: Sequence[Round] = ()

    @property
    def attempts(self) -> int:
        """How many it has at each task."""
        return max((attempt for _, start, attempt, _ in self.rounds if start == "own"), default=1)


def read_exported(records: Sequence[Record], options: ImportOptions, report: Report) -> Incoming:
    """Read records of one track: those with lines as bundles, the others as rows of a reported table.

    Raises:
        UsageError: They are of several tracks, and none is named.
        ProblemsError: A line can't be read.
    """
    tracks = {record.exported["submission"].split("/")[1] for record in records}
    wanted = options.track if options.track in tracks else next(iter(tracks))
    if len(tracks) > 1 and wanted != options.track:
        raise UsageError(f"the records are of several tracks; name one with --track: {listed(sorted(tracks))}")
    rows = [
        _row(record, options, report) for record in records if record.exported["submission"].split("/")[1] == wanted
    ]
    report.stop_at_errors()
    track, tasks = _track(rows, options), _tasks(rows)
    benchmark = Benchmark(schema_version=1, id=options.benchmark, title=title_of(options.benchmark), tracks=(track,))
    sent = [row for row in rows if row.rounds]
    names = bundle_names([(row.day, row.agent) for row in sent])
    drafts = [_draft(row, name, tasks, track) for row, name in zip(sent, names, strict=True)]
    report.notes += [f"{draft.id}: {len(draft.rounds)} rounds" for draft in drafts]
    reported = [("every-eval-ever", table) for table in _tables([row for row in rows if not row.rounds], track)]
    sets = (TaskSet(options.track, tasks),) if tasks else ()
    told = report.all_problems(), tuple(report.notes), tuple(reported)
    return Incoming(benchmark, sets, tuple(drafts), tuple(_findings(sent, track)), *told)


def _row(record: Record, options: ImportOptions, report: Report) -> _Row:
    told, details = record.told.model_info, record.told.model_info.additional_details or {}
    weights = {"open_weights": True, "closed_weights": False}.get(details.get("model_availability", ""))
    organization = None if told.developer in {None, "unknown"} else told.developer
    facts = {key: named(details[key]) for key in _OWN if details.get(key)}
    agent = Agent(name=named(told.name), organization=organization, open_weights=weights, **facts)
    values = {
        name: Decimal(repr(each.score_details.score))
        for each in record.told.evaluation_results
        if (name := each.id.rpartition(".")[2]) in METRICS
    }
    day = options.date or (record.moment.date() if record.moment else record.retrieved) or options.today
    row = _Row(record, day, as_said(agent, options), values)
    row.excluded = [_round_of(each) for each in record.exported.get("excluded", "").split()]
    results = {each.id: each for each in record.told.evaluation_results}
    for number, line in record.lines(report):
        found = _line(line, results)
        if found is None or (key := (found.task, found.start, found.attempt, found.round)) in row.rounds:
            what = "the line is no round of a task, or stands a second time"
            report.problems.append(rules.SOURCE_BROKEN.broken(record.samples or record.path, number, what))
            break
        row.rounds[key] = found
        told = line["metadata"]
        figures = {name[4:]: float(value) for name, value in told.items() if name.startswith("run_")}
        if figures:
            row.runs.append(_RUN.validate_json(json.dumps({**figures, "task": found.task, "attempt": found.attempt})))
        if "weight" in told:
            row.weights[found.task, found.round] = float(told["weight"])
    return row


def _line(line: Mapping[str, Any], results: Mapping[str, Result]) -> RoundResult | None:
    """The round that a line is; None where it is none."""
    told, result = line.get("metadata"), results.get(str(line.get("evaluation_result_id")))
    evaluation, tokens = line.get("evaluation"), line.get("token_usage") or {}
    score = number_of(evaluation.get("score")) if isinstance(evaluation, dict) else None
    reward = result.reward(score) if result and score is not None else None
    if not (isinstance(told, dict) and isinstance(tokens, dict)):
        return None
    try:
        facts: dict[str, Any] = {key: int(told[name]) for name, key in _WHOLE.items() if name in told}
        facts |= {key: float(told[key]) for key in _FIGURES if key in told}
        facts |= {key: tokens[key] for key in ("input_tokens", "output_tokens") if key in tokens}
        facts |= {"task": told.get("task"), "state": told.get("state"), "reward": reward}
        facts |= {key: json.loads(told[key]) for key in ("by_category", "measures") if key in told}
        facts |= {"start": told.get("start", "own"), "cause": one_line(told["cause"]) if "cause" in told else None}
        found = _ROUND.validate_json(json.dumps(facts))
    except (TypeError, ValueError):
        return None
    return found if is_slug(found.task) else None


def _round_of(place: str) -> Round:
    task, _, number = place.rpartition(_AWAY)
    return task, int(number) if number.isascii() and number.isdigit() else 1


def _tasks(rows: Sequence[_Row]) -> tuple[Task, ...]:
    """Every task, as long as its last round that any record has or takes out."""
    lengths: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        for task, number in (*((key[0], key[-1]) for key in row.rounds), *row.excluded):
            lengths[task] = max(lengths[task], number)
    weights = {place: weight for row in rows for place, weight in row.weights.items()}
    return tuple(
        Task(task, tuple(TaskRound(n, weight=weights.get((task, n), 1.0)) for n in range(1, last + 1)))
        for task, last in lengths.items()
    )


def _track(rows: Sequence[_Row], options: ImportOptions) -> Track:
    """The track, under the protocol that records tell, with their metrics as its columns."""
    results = [each for row in rows for each in row.record.told.evaluation_results]
    details = [(each, each.metric_config.additional_details or {}) for each in results]
    stated = {each.get("protocol") for _, each in details}
    protocol: Protocol = "fail-stop" if "fail-stop" in stated else "once" if "once" in stated else "chain"
    told = [each.id.rpartition(".")[2] for each, facts in details if "headline" in facts]
    columns = [name for row in rows for name in row.values if protocol in METRICS[name].protocols]
    usual = [name for name in columns_of(protocol, reference=False) if name in columns]
    ordered = tuple(dict.fromkeys([name for name in told if name in columns] + usual + columns[:1]))
    return Track(
        id=options.track,
        title=title_of(options.track),
        protocol=protocol,
        attempts=max(row.attempts for row in rows),
        reference_rounds=any(key[1] == "reference" for row in rows for key in row.rounds),
        tasks=options.track if any(row.rounds for row in rows) else None,
        headline=ordered[0],
        columns=ordered,
    )


def _draft(row: _Row, name: str, tasks: Sequence[Task], track: Track) -> Draft:
    """A bundle: every round of the tasks that it has lines of."""
    out = {*row.excluded}
    had = {key[0] for key in row.rounds} | {task for task, _ in out}
    starts: list[tuple[Start, int]] = [("own", attempt) for attempt in range(1, row.attempts + 1)]
    starts += [("reference", 1)] if track.reference_rounds else []
    rounds = [
        row.rounds.get((task.id, start, attempt, each.n))
        or unreached(task.id, attempt, each.n, "excluded" if (task.id, each.n) in out else "unreached", start)
        for task in tasks
        if task.id in had
        for start, attempt in starts
        for each in task.rounds
    ]
    library, there = row.record.told.eval_library, {each.task for each in rounds}
    known = library if library and library.name != "unknown" else None
    version = known.version if known and known.version != "unknown" else None
    submission = Submission(
        schema_version=1,
        track=track.id,
        date=row.day,
        attempts=row.attempts if row.attempts != track.attempts else None,
        missing=tuple(task.id for task in tasks if task.id not in there),
        agent=row.agent,
        provenance=Provenance(harness=named(known.name) if known else None, harness_version=version),
    )
    draft = finished(Draft(name, submission, tuple(rounds)), None)
    claims = Claims(source=f"{one_line(row.record.source)}: {row.record.exported['submission']}", **row.values)
    return Draft(name, draft.submission.model_copy(update={"claims": claims}), draft.rounds, tuple(row.runs))


def _tables(rows: Sequence[_Row], track: Track) -> list[ReportedTable]:
    """The rows without lines, by their source."""
    by_source: defaultdict[tuple[str, Date], list[ReportedRow]] = defaultdict(list)
    for row in rows:
        values = {name: ReportedValue(value=value) for name, value in row.values.items()}
        told = row.agent.model_dump(include={"name", "organization", "model", "scaffold", "reasoning", "url"})
        name = row.record.exported["submission"].rpartition("/")[2]
        used = {each.id for found in by_source.values() for each in found}
        name = name if name not in used else longer_id(name, row.agent.scaffold or "again")
        by_source[row.record.source, row.day].append(ReportedRow(id=name, values=values, **told))
    return [
        reported_table("Every Eval Ever", source, day, found, track.id) for (source, day), found in by_source.items()
    ]


def _findings(rows: Sequence[_Row], track: Track) -> list[Finding]:
    """What takes out rounds that have no line: a finding for each task."""
    by_task: defaultdict[str, set[int]] = defaultdict(set)
    for row in rows:
        for task, number in row.excluded:
            by_task[task].add(number)
    day = min((row.day for row in rows), default=None)
    return [
        Finding(
            date=day,
            kind="defect",
            effect="exclude",
            title=f"Taken out of {task} where the results come from",
            reason="The exported records leave these rounds out.",
            tracks=(track.id,),
            tasks=(task,),
            rounds=tuple(sorted(numbers)),
        )
        for task, numbers in by_task.items()
        if day
    ]
