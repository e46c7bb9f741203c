"""Makes rows of a reported table out of results without documents."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from statistics import fmean
from typing import NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import owner_of
from sitegen.importers.kit.claims import as_said, reported_table
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import UNKNOWN
from sitegen.importers.lm_eval.agents import AgentTasks
from sitegen.importers.lm_eval.scores import Choice, stated_value, why_unusable
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.problems import Rule, counted, listed

NO_DOCUMENTS = Rule.warning(
    "LM-EVAL-NO-DOCUMENTS",
    "Beside results there is a file of documents.",
    "run with `--log_samples`: figures without documents can't be recomputed",
)


class StatedFigure(NamedTuple):
    """What results state of a task without documents."""

    key: str
    """The score: "acc,none"."""
    value: float
    """A share from 0 to 1."""
    documents: int | None
    """How many documents it is over, if that is stated."""


class Row(NamedTuple):
    """A row of the reported table."""

    row: ReportedRow
    basis: str
    """What its figure is the mean of, in words."""


def reported_row(
    agent: AgentTasks, choices: Mapping[str, Choice], options: ImportOptions, report: Report
) -> Row | None:
    """Return the row of an agent without documents; None where no task has a figure that can be a reward."""
    figures = _stated_figures(agent, choices, options, report)
    if not figures:
        return None
    report.doubt(
        NO_DOCUMENTS,
        agent.candidates[0].task_run.path,
        Spot(agent.agent),
        "its figures are reported",
    )
    numbers = [figure.documents for figure in figures if figure.documents]
    if len(numbers) == len(figures):
        weighted = [figure.value * (figure.documents or 0) for figure in figures]
        value = ReportedValue(value=Decimal(repr(sum(weighted) / sum(numbers))), n=sum(numbers))
        how = "over all documents"
    else:
        mean = fmean(figure.value for figure in figures)
        value = ReportedValue(value=Decimal(repr(mean)))
        how = f"over {counted(len(figures), 'task')}, as the number of documents is not stated"
    entrant = agent.agent
    if not entrant.name:
        entrant = replace(entrant, name=options.agent or UNKNOWN)
        if not options.agent:
            path = agent.candidates[0].task_run.path
            report.doubt(rules.AGENT_UNKNOWN, path, report.name(path))
    described = as_said(entrant.agent({"organization": owner_of(agent.model)}), options)
    facts = described.model_dump(
        include={"name", "organization", "model", "scaffold", "reasoning"}, exclude_none=True
    )
    words = " ".join(
        filter(
            None, (described.name, described.scaffold, described.reasoning, agent.agent.provider)
        )
    )
    row = ReportedRow(id=slug_of(words), values={MEAN_REWARD.id: value}, **facts)
    keys = dict.fromkeys(figure.key for figure in figures)
    return Row(row, f"{listed(keys, 5)} {how}")


def _stated_figures(
    agent: AgentTasks, choices: Mapping[str, Choice], options: ImportOptions, report: Report
) -> list[StatedFigure]:
    """Return what is stated of each task of an agent; tasks without a figure that can be a reward are reported."""
    figures: list[StatedFigure] = []
    for task, candidates in agent.attempts.items():
        candidate = candidates[-1]
        choice = choices[task]
        reason = choice.shown_reasons
        value: float | None = None
        if choice.score:
            reason = why_unusable(
                candidate, choice.score, options.scale, is_asked_for=choice.is_asked_for
            )
            value = stated_value(candidate.task_run, choice.score)
        if choice.score is None or value is None or reason:
            why = one_line(reason or "no figure is stated", 300)
            report.doubt(
                rules.LEFT_OUT, candidate.task_run.path, Spot(agent.agent, one_line(task)), why
            )
            continue
        number = candidate.task_run.file.number(task, "effective")
        figures.append(StatedFigure(choice.score.key, value / (options.scale or 1), number))
    return figures


def reported_rows(rows: Sequence[Row], day: Date, options: ImportOptions) -> ReportedTable:
    """Return the reported table of agents without documents."""
    source = "results of the lm-evaluation-harness, without documents"
    table = reported_table(
        "lm-evaluation-harness", source, day, [row.row for row in rows], options.track
    )
    facts = dict.fromkeys(row.basis for row in rows)
    note = f"Mean reward is the mean of {listed(facts, 3, separator='; ')}."
    return table.model_copy(update={"note": one_line(note, 400)})
