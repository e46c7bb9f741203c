"""Reads logs that were written without their samples: what they state becomes rows of a reported table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sitegen.importers.inspect import rules
from sitegen.importers.inspect.agents import entrant_of, facts_of
from sitegen.importers.inspect.checks import stated_metric
from sitegen.importers.inspect.logs import Log
from sitegen.importers.inspect.records import Figure
from sitegen.importers.inspect.scores import ScoreName
from sitegen.importers.inspect.times import likely_moment
from sitegen.importers.kit.claims import as_said, reported_table
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rewards import check_rewards
from sitegen.importers.kit.rounds import Source
from sitegen.importers.kit.rules import RUN_TWICE, SCORE_AMBIGUOUS, SOURCE_UNUSABLE
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.problems import counted, grouped, listed

_MAX_NOTE_LENGTH = 1000
_RUN_AGAIN = (
    "run the task without `--no-log-samples` (in Python: `log_samples=True`), and import that log"
)


def is_without_samples(log: Log) -> bool:
    """Return whether a log has results and no samples."""
    return bool(log.header.results.figures) and not log.samples and not log.unusable


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a log without samples states."""

    log: Log
    name: ScoreName
    figure: Figure


def add_reported(
    logs: Sequence[Log], graded_names: Collection[ScoreName], options: ImportOptions, source: Source
) -> None:
    """Add a reported table with a row for each agent whose log has no samples.

    Args:
        logs: Logs without samples.
        graded_names: The scores that are the reward in logs with samples: a board has one.
        options: Holds `--metric`, `--scale` and who the agent is.
        source: Takes the table.
    """
    report = source.report
    rows: list[ReportedRow] = []
    stated_figures = [
        stated for log in _last_tries(logs, report) if (stated := _stated(log, options, report))
    ]
    names = dict.fromkeys(map(str, [*graded_names, *(stated.name for stated in stated_figures)]))
    if stated_figures and len(names) > 1:
        message = f"logs without samples do not state the score of the others: {listed(names, separator='; ')}"
        report.add(SCORE_AMBIGUOUS, stated_figures[0].log.path, message)
    for stated in stated_figures:
        value = _reported_value(stated, options, report)
        if value is not None:
            report.doubt(
                rules.NO_SAMPLES,
                stated.log.path,
                report.name(stated.log.path),
                "its score is reported",
            )
            rows.append(_row(stated.log, value, options, rows))
    if rows:
        source.reported.append(("inspect", _table(stated_figures, rows, options)))


def _last_tries(logs: Sequence[Log], report: Report) -> list[Log]:
    """Return the last try of each agent; several runs of one agent are an error."""
    last_tries = []
    by_agent = grouped((entrant_of(log), log) for log in logs)
    for entrant, agent_logs in by_agent.items():
        if len({log.header.spec.task_id for log in agent_logs}) > 1:
            names = listed(report.name(log.path) for log in agent_logs)
            report.add(
                RUN_TWICE,
                agent_logs[-1].path,
                f"{entrant} has several logs without samples: {names}",
            )
        last_tries.append(agent_logs[-1])
    return last_tries


def _table(
    stated_figures: Sequence[_Stated], rows: Sequence[ReportedRow], options: ImportOptions
) -> ReportedTable:
    """Return a table of rows, dated as the last of their logs."""
    notes = []
    days = []
    for stated in stated_figures:
        notes.append(f"{entrant_of(stated.log)}: {_note(stated.log)}")
        created = likely_moment(stated.log.header.spec.created, options.today)
        if created:
            days.append(created.date())
    day = options.date or max(days, default=options.today)
    table = reported_table(
        "Inspect", "logs of Inspect, written without samples", day, rows, options.track
    )
    return table.model_copy(update={"note": one_line("; ".join(notes), _MAX_NOTE_LENGTH)})


def _row(
    log: Log, value: ReportedValue, options: ImportOptions, others: Sequence[ReportedRow]
) -> ReportedRow:
    """Return the row of an agent, with an id that no other row has."""
    entrant = entrant_of(log)
    agent = as_said(entrant.agent(facts_of(log)), options)
    taken = {row.id for row in others}
    row_id = slug_of(agent.name)
    if row_id in taken:
        row_id = slug_of(
            f"{agent.name} {entrant.scaffold} {entrant.reasoning} {entrant.provider} {len(taken)}"
        )
    facts = agent.model_dump(exclude_none=True)
    return ReportedRow.model_validate({**facts, "id": row_id, "values": {MEAN_REWARD.id: value}})


def _note(log: Log) -> str:
    """Return what readers have to know of a run beside its score."""
    header, spec = log.header, log.header.spec
    facts = [f"task {one_line(spec.task)}"]
    if header.status != "success":
        facts.append(f"the run ended as {one_line(header.status)}")
    if spec.limit is not None or spec.chosen is not None:
        facts.append("a part of the dataset")
    if spec.epochs > 1:
        facts.append(counted(spec.epochs, "epoch"))
    return ", ".join(facts)


def _reported_value(
    stated: _Stated, options: ImportOptions, report: Report
) -> ReportedValue | None:
    """Return the mean that a log states; None where it states none that can be one, which is reported as an error."""
    log, figure = stated.log, stated.figure
    metric = stated_metric(figure)
    is_mean_of_attempts = figure.reducer in {None, "mean"} or log.header.spec.epochs == 1
    if metric is None or not is_mean_of_attempts:
        if metric is None:
            reason = f"none of its figures is a mean over samples: {listed(map(one_line, figure.metrics)) or 'none'}"
        else:
            reason = f"its {metric[0]} joins epochs by {one_line(figure.reducer or '')}, which is no mean over attempts"
        message = f"{report.name(log.path)} has no samples, and {reason}"
        report.problems.append(SOURCE_UNUSABLE.broken(log.path, None, message, _RUN_AGAIN))
        return None
    label = f"the {metric[0]} of {report.name(log.path)}"
    share = float(metric[1].value or 0) / (options.scale or 1)
    if not check_rewards([share], log.path, report, options.scale, label):
        return None
    count = figure.scored_samples or log.header.spec.sample_count or 0
    return ReportedValue(value=Decimal(repr(share)), n=count if count > 0 else None)


def _stated(log: Log, options: ImportOptions, report: Report) -> _Stated | None:
    """Return the figure that stands for a run without samples; where several may, an error asks for `--metric`."""
    results = log.header.results
    figures = _figures_by_name(results.figures)
    if options.metric:
        wanted = {
            name: views for name, views in figures.items() if _is_asked_for(name, options.metric)
        }
        figures = wanted or figures
    headline = results.headline
    for name, views in figures.items():
        if (
            headline
            and headline.scorer == name.scorer
            and headline.score in {name.part, name.scorer}
        ):
            of_reducer = [figure for figure in views if figure.reducer == headline.reducer]
            return _Stated(log, name, (of_reducer or views)[0])
    if len(figures) == 1:
        ((name, views),) = figures.items()
        means = [figure for figure in views if figure.reducer in {None, "mean"}]
        return _Stated(log, name, (means or views)[0])
    message = (
        f"{report.name(log.path)} has several scores: {listed(map(str, figures), separator='; ')}"
    )
    report.add(SCORE_AMBIGUOUS, log.path, message)
    return None


def _is_asked_for(name: ScoreName, metric: str) -> bool:
    return metric in {str(name), name.scorer, name.part}


def _figures_by_name(figures: Sequence[Figure]) -> Mapping[ScoreName, list[Figure]]:
    """Return figures by the score that they are of, one for each reducer."""
    pairs = []
    for figure in figures:
        scorer = figure.scorer or figure.name
        part = None if figure.name == scorer else figure.name
        pairs.append((ScoreName(scorer, part), figure))
    return grouped(pairs)
