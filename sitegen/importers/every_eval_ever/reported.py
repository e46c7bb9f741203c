"""Makes rows of a reported table out of records without samples."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from sitegen.importers.every_eval_ever.records import Record, Result
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.claims import as_said
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Spot
from sitegen.importers.kit.rounds import Source
from sitegen.metrics.catalogue import MEAN_REWARD, METRICS
from sitegen.models.declared import Declared, DeclaredUnit
from sitegen.models.record import LIMIT
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.problems import Rule, listed

RESULT_LEFT_OUT = Rule.warning(
    "EEE-RESULT-LEFT-OUT",
    "A result without samples is one of a metric that is known.",
    "declare a metric of its id with `reported = true`, remove the table that came in, and import again",
)

_UNITS: Mapping[tuple[float, float], DeclaredUnit] = {(0, 1): "share", (0, 100): "percent"}
"""Units, by the bounds that tell them."""

_OTHER = re.compile(r"[^a-z0-9]+")


class AgentRecords(NamedTuple):
    """The records of one agent without samples: one for each part of the benchmark."""

    entrant: Entrant
    records: Sequence[Record]


def reported_row(
    agent: AgentRecords, wanted: str | None, source: Source, options: ImportOptions
) -> ReportedRow | None:
    """Return a row with the results of an agent's records; None where none of them has a figure.

    The result that counts is the row's mean reward as well, if the agent has one record alone.
    """
    values: dict[str, ReportedValue] = {}
    left: list[str] = []
    for record in agent.records:
        for result in record.results:
            metric = _metric_of(result, source, options)
            if metric is None or result.score is None:
                left.append(one_line(result.id))
            else:
                values[metric] = _value(result.score, result)
        if len(agent.records) == 1:
            values |= _mean_reward(record, wanted, source, options)
    if left:
        spot = Spot(agent.entrant)
        source.report.doubt(
            RESULT_LEFT_OUT, agent.records[0].path, spot, listed(dict.fromkeys(left))
        )
    if not values:
        message = "no result has a figure that can be reported"
        source.report.doubt(rules.LEFT_OUT, agent.records[0].path, Spot(agent.entrant), message)
        return None
    described = as_said(agent.entrant.agent(agent.records[0].facts), options)
    words = filter(
        None, (described.name, described.scaffold, described.reasoning, agent.entrant.provider)
    )
    facts = described.model_dump(
        include={"name", "organization", "model", "scaffold", "reasoning"}, exclude_none=True
    )
    return ReportedRow(id=slug_of(" ".join(words)), values=values, **facts)


def _value(score: float, result: Result, width: float = 1) -> ReportedValue:
    """Return a figure with what the result says of its certainty, which is divided by a width."""
    sd = None
    if result.error is not None and 0 <= result.error / width <= LIMIT:
        sd = Decimal(repr(result.error / width))
    return ReportedValue(value=Decimal(repr(score)), sd=sd, n=result.number or None)


def _mean_reward(
    record: Record, wanted: str | None, source: Source, options: ImportOptions
) -> dict[str, ReportedValue]:
    """Return the result that counts as a mean of rewards; nothing where its scale is not known."""
    named = [result for result in record.results if wanted in result.names]
    for result in named or record.results:
        if result.is_dispersion or result.score is None:
            continue
        width = (
            result.bounds[1] - result.bounds[0]
            if result.bounds
            else 100.0
            if result.is_percent
            else 1.0
        )
        share = result.stated_share
        if options.scale is not None and result.bounds is None:
            share, width = result.score / options.scale, options.scale
        if share is None or not 0 <= share <= 1:
            return {}
        if result.bounds is None and options.scale is None:
            unit = "percent" if result.is_percent else "a share"
            source.report.notes.append(
                f"assumed: {one_line(result.id)} is {unit}, as no bounds are stated"
            )
        return {MEAN_REWARD.id: _value(share, result, width)}
    return {}


def _metric_of(result: Result, source: Source, options: ImportOptions) -> str | None:
    """Return the id of the metric that a result is of, which a new benchmark declares; None where it is unknown."""
    known = (result.metric_id or result.id).rpartition(".")[2]
    if known in METRICS:
        return known
    unit: DeclaredUnit = "percent" if result.is_percent else "number"
    declared = Declared(
        id=_OTHER.sub("_", result.id.lower()).strip("_")[:100] or "score",
        title=one_line(result.id),
        unit=_UNITS.get(result.bounds, unit) if result.bounds else unit,
        direction="lower" if result.is_lower_better else "higher",
        summary=one_line(result.description or ""),
        reported=True,
    )
    first = source.metrics.get(declared.id, declared)
    is_alike = (first.unit, first.direction) == (declared.unit, declared.direction)
    if not is_alike or (options.standing is not None and declared.id not in options.known_metrics):
        return None
    source.metrics[declared.id] = first
    return declared.id
