"""Build rows of a reported table from records without samples."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from sitegen.importers.every_eval_ever.records import AggregateResult, EvaluationRecord
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.claims import with_stated_facts
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.import_log import SourceLocation
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import ImportSource
from sitegen.metrics.catalogue import MEAN_REWARD, METRICS
from sitegen.models.declared import Declared, DeclaredUnit
from sitegen.models.record import LIMIT
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.problems import listed

RESULT_LEFT_OUT = rules.METRIC_UNKNOWN.specific(
    "declare a metric with this id and `reported = true`, remove the imported table, and "
    "import again",
)

_UNITS_BY_BOUNDS: Mapping[tuple[float, float], DeclaredUnit] = {
    (0, 1): "share",
    (0, 100): "percent",
}

_NO_ID_CHARACTERS = re.compile(r"[^a-z0-9]+")
_MAX_ID_LENGTH = 100
_AGENT_FIELDS = {"name", "organization", "model", "scaffold", "reasoning"}


class AgentRecords(NamedTuple):
    """An agent's records without samples, one for each part of the benchmark."""

    entrant: RankedAgent
    records: Sequence[EvaluationRecord]


def build_row(
    agent: AgentRecords, result_name: str | None, source: ImportSource, options: ImportOptions
) -> ReportedRow | None:
    """Return a row with the results of an agent's records; None if no result has a figure.

    If the agent has only one record, the result that counts also becomes the row's mean reward.
    """
    values: dict[str, ReportedValue] = {}
    left_out: dict[str, None] = {}
    for record in agent.records:
        for result in record.results:
            metric = _declare_metric(result, source, options)
            if metric is None or result.score is None:
                left_out[one_line(result.id)] = None
            else:
                values[metric] = _build_value(result.score, result)
        if len(agent.records) == 1:
            values |= _mean_reward(record, result_name, source, options)
    path = agent.records[0].path
    spot = SourceLocation(agent.entrant)
    if left_out:
        source.log.add_doubt(RESULT_LEFT_OUT, path, spot, listed(left_out))
    if not values:
        message = "no result has a figure that can be reported"
        source.log.add_doubt(rules.LEFT_OUT, path, spot, message)
        return None
    described = with_stated_facts(agent.entrant.agent(agent.records[0].facts), options)
    names = (described.name, described.scaffold, described.reasoning, agent.entrant.provider)
    row_id = slug_of(" ".join(filter(None, names)))
    facts = described.model_dump(include=_AGENT_FIELDS, exclude_none=True)
    return ReportedRow(id=row_id, values=values, **facts)


def _build_value(score: float, result: AggregateResult, width: float = 1) -> ReportedValue:
    """Return a figure with its standard error divided by the width of the scale."""
    standard_error = None
    if result.standard_error is not None and 0 <= result.standard_error / width <= LIMIT:
        standard_error = Decimal(repr(result.standard_error / width))
    value = Decimal(repr(score))
    return ReportedValue(value=value, sd=standard_error, n=result.sample_count or None)


def _mean_reward(
    record: EvaluationRecord, result_name: str | None, source: ImportSource, options: ImportOptions
) -> dict[str, ReportedValue]:
    """Return the result that counts as a mean reward, keyed by the id of that metric.

    The dict is empty if the scale of the result is unknown, or if the results are on several
    datasets and `--result` names none of them.
    """
    named_results = [result for result in record.results if result_name in result.names]
    datasets = {result.dataset for result in record.results if not result.is_dispersion}
    if len(datasets) > 1 and not named_results:
        name = source.log.name(record.path)
        reason = f"the results of {name} are on {len(datasets)} datasets"
        option = f"`--result {one_line(record.results[0].id)}`"
        source.log.notes.append(f"no result is the mean reward: {reason}; {option} names one")
        return {}
    for result in named_results or record.results:
        if result.is_dispersion or result.score is None:
            continue
        share = result.stated_share
        width = 100.0 if result.is_percent else 1.0
        if result.bounds is not None:
            lowest, highest = result.bounds
            width = highest - lowest
        elif options.scale is not None:
            share = result.score / options.scale
            width = options.scale
        if share is None or not 0 <= share <= 1:
            return {}
        if result.bounds is None and options.scale is None:
            unit = "percent" if result.is_percent else "a share"
            note = f"assumed: {one_line(result.id)} is {unit}, as no bounds are stated"
            source.log.notes.append(note)
        return {MEAN_REWARD.id: _build_value(share, result, width)}
    return {}


def _declare_metric(
    result: AggregateResult, source: ImportSource, options: ImportOptions
) -> str | None:
    """Return the id of a result's metric, and declare the metric if the benchmark is new.

    Returns None if an existing benchmark does not declare the metric, or if another result with the
    same id has another unit or direction.
    """
    catalogue_id = (result.metric_id or result.id).rpartition(".")[2]
    if catalogue_id in METRICS:
        return catalogue_id
    slug = _NO_ID_CHARACTERS.sub("_", result.id.lower()).strip("_")
    metric_id = slug[:_MAX_ID_LENGTH] or "score"
    title = one_line(result.id)
    summary = one_line(result.description or "")
    declared = Declared(
        id=metric_id,
        title=title,
        unit=_find_unit(result),
        direction="lower" if result.is_lower_better else "higher",
        summary=summary,
        reported=True,
    )
    first = source.metrics.get(metric_id, declared)
    if (first.unit, first.direction) != (declared.unit, declared.direction):
        return None
    if options.existing_track is not None and metric_id not in options.known_metrics:
        return None
    source.metrics[metric_id] = first
    return metric_id


def _find_unit(result: AggregateResult) -> DeclaredUnit:
    """Return the unit of a result, from its bounds or else from its stated unit."""
    unit: DeclaredUnit = "percent" if result.is_percent else "number"
    if result.bounds is None:
        return unit
    return _UNITS_BY_BOUNDS.get(result.bounds, unit)
