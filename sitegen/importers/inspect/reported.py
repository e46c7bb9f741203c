"""Build rows of a reported table from logs that were written without their samples."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sitegen.importers.inspect import rules
from sitegen.importers.inspect.agents import agent_facts, identify_agent
from sitegen.importers.inspect.checks import MEAN_REDUCERS, stated_metric
from sitegen.importers.inspect.logs import Log
from sitegen.importers.inspect.records import Headline, ScorerFigures
from sitegen.importers.inspect.scores import ScoreName
from sitegen.importers.inspect.times import likely_moment
from sitegen.importers.kit.claims import reported_table, with_stated_facts
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import check_direction, check_rewards
from sitegen.importers.kit.rounds import ImportSource
from sitegen.importers.kit.rules import RUN_TWICE, SCORE_AMBIGUOUS, SOURCE_UNUSABLE
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.problems import counted, grouped, listed

_MAX_NOTE_LENGTH = 1000
_RUN_AGAIN = (
    "run the task without `--no-log-samples` (in Python: `log_samples=True`), and import that log"
)


def is_without_samples(log: Log) -> bool:
    """Return whether a log has results but no samples."""
    return bool(log.header.results.figures) and not log.samples and not log.unusable


@dataclass(frozen=True, slots=True)
class _StatedScore:
    """The score that represents a log without samples."""

    log: Log
    name: ScoreName
    figures: ScorerFigures


def add_reported(
    logs: Sequence[Log],
    graded_names: Collection[ScoreName],
    options: ImportOptions,
    source: ImportSource,
) -> None:
    """Add a reported table with a row for each agent whose log has no samples.

    Args:
        logs: Logs without samples.
        graded_names: The scores used as the reward in logs with samples; a board can have only
            one reward.
        options: The options `--metric` and `--scale`, and the facts about the agent.
        source: Receives the table.
    """
    import_log = source.log
    stated_scores = []
    for log in _choose_last_logs(logs, import_log):
        stated = _find_stated_score(log, options, import_log)
        if stated is not None:
            metric = stated.name.component or stated.name.scorer
            is_requested = options.metric is not None
            check_direction(metric, log.path, import_log, is_requested=is_requested)
            stated_scores.append(stated)
    score_names = [*graded_names, *(stated.name for stated in stated_scores)]
    distinct_names = dict.fromkeys(map(str, score_names))
    if stated_scores and len(distinct_names) > 1:
        names = listed(distinct_names, separator="; ")
        message = f"logs without samples do not state the same score as the others: {names}"
        import_log.add(SCORE_AMBIGUOUS, stated_scores[0].log.path, message)
    rows: list[ReportedRow] = []
    for stated in stated_scores:
        value = _build_value(stated, options, import_log)
        if value is not None:
            path = stated.log.path
            import_log.add_doubt(
                rules.NO_SAMPLES, path, import_log.name(path), "its score is reported"
            )
            rows.append(_build_row(stated.log, value, options, rows))
    if rows:
        table = _build_table(stated_scores, rows, options)
        source.reported.append(("inspect", table))


def _choose_last_logs(logs: Sequence[Log], import_log: ImportLog) -> list[Log]:
    """Return the last log of each agent; several runs of one agent are an error."""
    last_logs = []
    for entrant, agent_logs in grouped((identify_agent(log), log) for log in logs).items():
        last = agent_logs[-1]
        if len({log.header.spec.task_id for log in agent_logs}) > 1:
            names = listed(import_log.name(log.path) for log in agent_logs)
            message = f"{entrant} has several logs without samples: {names}"
            import_log.add(RUN_TWICE, last.path, message)
        last_logs.append(last)
    return last_logs


def _build_table(
    stated_scores: Sequence[_StatedScore], rows: Sequence[ReportedRow], options: ImportOptions
) -> ReportedTable:
    """Return a table of rows, with the date of the latest log."""
    notes = []
    days = []
    for stated in stated_scores:
        notes.append(f"{identify_agent(stated.log)}: {_describe_run(stated.log)}")
        created = likely_moment(stated.log.header.spec.created, options.today)
        if created:
            days.append(created.date())
    day = options.date or max(days, default=options.today)
    source = "logs of Inspect, written without samples"
    table = reported_table("Inspect", source, day, rows, options.track)
    return table.model_copy(update={"note": one_line("; ".join(notes), _MAX_NOTE_LENGTH)})


def _build_row(
    log: Log, value: ReportedValue, options: ImportOptions, rows: Sequence[ReportedRow]
) -> ReportedRow:
    """Return the row of an agent, with an id that no existing row has."""
    used_ids = {row.id for row in rows}
    entrant = identify_agent(log)
    agent = with_stated_facts(entrant.agent(agent_facts(log)), options)
    row_id = slug_of(agent.name)
    if row_id in used_ids:
        settings = f"{entrant.scaffold} {entrant.reasoning} {entrant.provider}"
        row_id = slug_of(f"{agent.name} {settings} {len(used_ids)}")
    facts = agent.model_dump(exclude_none=True)
    return ReportedRow.model_validate({**facts, "id": row_id, "values": {MEAN_REWARD.id: value}})


def _describe_run(log: Log) -> str:
    """Return a text with facts about a run, other than its score, that readers need to know."""
    header = log.header
    facts = [f"task {one_line(header.spec.task)}"]
    if header.status != "success":
        facts.append(f"the run ended with the status {one_line(header.status)}")
    if header.spec.is_partial:
        facts.append("a part of the dataset")
    if header.spec.epochs > 1:
        facts.append(counted(header.spec.epochs, "epoch"))
    return ", ".join(facts)


def _build_value(
    stated: _StatedScore, options: ImportOptions, import_log: ImportLog
) -> ReportedValue | None:
    """Return the mean that a log states; report an error and return None if it states no mean."""
    log = stated.log
    figures = stated.figures
    metric_with_label = stated_metric(figures)
    if metric_with_label is None:
        metrics = listed(map(one_line, figures.metrics)) or "none"
        _refuse(log, f"none of its figures is a mean over samples: {metrics}", import_log)
        return None
    label, metric = metric_with_label
    if figures.reducer not in MEAN_REDUCERS and log.header.spec.epochs > 1:
        reducer = one_line(figures.reducer or "")
        reason = f"its {label} combines epochs by {reducer}, which is not a mean over attempts"
        _refuse(log, reason, import_log)
        return None
    share = float(metric.value or 0) / (options.scale or 1)
    score_name = f"the {label} of {import_log.name(log.path)}"
    if not check_rewards([share], log.path, import_log, options.scale, score_name):
        return None
    count = figures.scored_samples or log.header.spec.sample_count or 0
    return ReportedValue(value=Decimal(repr(share)), n=count if count > 0 else None)


def _refuse(log: Log, reason: str, import_log: ImportLog) -> None:
    """Report a log without samples whose score can't be imported, as an error."""
    message = f"{import_log.name(log.path)} has no samples, and {reason}"
    import_log.problems.append(SOURCE_UNUSABLE.broken(log.path, None, message, _RUN_AGAIN))


def _find_stated_score(
    log: Log, options: ImportOptions, import_log: ImportLog
) -> _StatedScore | None:
    """Return the score that represents a run; report an error and return None if it is unclear."""
    figures_by_name = _group_figures(log.header.results.figures)
    if options.metric:
        names = [name for name in figures_by_name if options.metric in name.spellings]
        requested = {name: figures_by_name[name] for name in names}
        figures_by_name = requested or figures_by_name
    headline = log.header.results.headline
    for name, variants in figures_by_name.items():
        if headline and _is_headline(name, headline):
            return _StatedScore(log, name, _pick_variant(variants, (headline.reducer,)))
    if len(figures_by_name) == 1:
        ((name, variants),) = figures_by_name.items()
        return _StatedScore(log, name, _pick_variant(variants, MEAN_REDUCERS))
    candidates = listed(map(str, figures_by_name), separator="; ")
    message = f"{import_log.name(log.path)} has several scores: {candidates}"
    import_log.add(SCORE_AMBIGUOUS, log.path, message)
    return None


def _is_headline(name: ScoreName, headline: Headline) -> bool:
    """Return whether a headline refers to a score."""
    return headline.scorer == name.scorer and headline.score in {name.component, name.scorer}


def _pick_variant(
    variants: Sequence[ScorerFigures], reducers: Collection[str | None]
) -> ScorerFigures:
    """Return the first figures with any of the given reducers, or else the first figures."""
    for figures in variants:
        if figures.reducer in reducers:
            return figures
    return variants[0]


def _group_figures(
    all_figures: Sequence[ScorerFigures],
) -> Mapping[ScoreName, list[ScorerFigures]]:
    """Return figures by score; each score has figures for each reducer."""
    pairs = []
    for figures in all_figures:
        scorer = figures.scorer or figures.name
        component = None if figures.name == scorer else figures.name
        pairs.append((ScoreName(scorer, component), figures))
    return grouped(pairs)
