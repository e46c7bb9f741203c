"""Build rows of a reported table from results without documents."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from statistics import fmean
from typing import NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import model_owner
from sitegen.importers.kit.claims import reported_table, with_stated_facts
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import UNKNOWN
from sitegen.importers.lm_eval.agents import AgentTasks
from sitegen.importers.lm_eval.scores import RepeatedTask, ScoreChoice, stated_value, why_unusable
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.models.submission import Agent
from sitegen.problems import counted, listed

NO_DOCUMENTS = rules.FIGURES_ONLY.specific(
    "run with `--log_samples`: figures without documents can't be recomputed",
)

_AGENT_FIELDS = {"name", "organization", "model", "scaffold", "reasoning"}
_MAX_REASON_LENGTH = 300
_MAX_NOTE_LENGTH = 400
_MAX_SHOWN_SCORES = 5
_MAX_SHOWN_BASES = 3


class TaskFigure(NamedTuple):
    """The figure that results state for a task without documents."""

    key: str
    """The key of the score, such as "acc,none"."""
    value: float
    """A share from 0 to 1."""
    documents: int | None
    """The number of documents over which the figure was computed; None if not stated."""


class AgentRow(NamedTuple):
    """A row of the reported table."""

    row: ReportedRow
    basis: str
    """A description of the values whose mean is the row's figure."""


def build_row(
    agent: AgentTasks, choices: Mapping[str, ScoreChoice], options: ImportOptions, log: ImportLog
) -> AgentRow | None:
    """Return the row of an agent without documents; None if no task has a usable figure."""
    figures = []
    for task, attempts in agent.attempts.items():
        figure = _read_figure(attempts[-1], choices[task], options.scale)
        if isinstance(figure, str):
            reason = one_line(figure, _MAX_REASON_LENGTH)
            spot = SourceLocation(agent.agent, one_line(task))
            log.add_doubt(rules.LEFT_OUT, attempts[-1].output.path, spot, reason)
        else:
            figures.append(figure)
    if not figures:
        return None
    path = agent.outputs[0].path
    log.add_doubt(
        NO_DOCUMENTS, path, SourceLocation(agent.agent), "its figures are imported as reported"
    )
    value, population = _average_figures(figures)
    if not agent.agent.name and not options.agent:
        log.add_doubt(rules.AGENT_UNKNOWN, path, log.name(path))
    described = _describe_agent(agent, options)
    names = (described.name, described.scaffold, described.reasoning, agent.agent.provider)
    row = ReportedRow(
        id=slug_of(" ".join(filter(None, names))),
        values={MEAN_REWARD.id: value},
        **described.model_dump(include=_AGENT_FIELDS, exclude_none=True),
    )
    keys = dict.fromkeys(figure.key for figure in figures)
    return AgentRow(row, f"{listed(keys, _MAX_SHOWN_SCORES)} {population}")


def _describe_agent(agent: AgentTasks, options: ImportOptions) -> Agent:
    """Return the description of an agent, with the facts stated by the import's options."""
    entrant = agent.agent
    if not entrant.name:
        entrant = replace(entrant, name=options.agent or UNKNOWN)
    return with_stated_facts(entrant.agent({"organization": model_owner(agent.model)}), options)


def _average_figures(figures: Sequence[TaskFigure]) -> tuple[ReportedValue, str]:
    """Return the mean of figures, and a description of the documents or tasks that it covers.

    Figures are weighted by their number of documents if it is stated for all of them.
    """
    counts = [figure.documents for figure in figures if figure.documents]
    if len(counts) < len(figures):
        mean = fmean(figure.value for figure in figures)
        count = counted(len(figures), "task")
        population = f"over {count}, as the number of documents is not stated"
        return ReportedValue(value=Decimal(repr(mean))), population
    total = sum(counts)
    weighted = [figure.value * (figure.documents or 0) for figure in figures]
    mean = sum(weighted) / total
    return ReportedValue(value=Decimal(repr(mean)), n=total), "over all documents"


def _read_figure(
    attempt: RepeatedTask, choice: ScoreChoice, scale: float | None
) -> TaskFigure | str:
    """Return the figure of a task, or the reason why it can't be the reward."""
    if choice.score is None:
        return choice.shown_reasons or "no figure is stated"
    fault = why_unusable(attempt, choice.score, scale, is_requested=choice.is_requested)
    if fault:
        return fault
    value = stated_value(attempt.output, choice.score)
    if value is None:
        return "no figure is stated"
    documents = attempt.output.file.document_count(attempt.output.task, "effective")
    return TaskFigure(choice.score.key, value / (scale or 1), documents)


def build_table(rows: Sequence[AgentRow], day: Date, options: ImportOptions) -> ReportedTable:
    """Return the reported table of agents without documents."""
    source = "results of the lm-evaluation-harness, without documents"
    reported_rows = [row.row for row in rows]
    table = reported_table("lm-evaluation-harness", source, day, reported_rows, options.track)
    bases = listed(dict.fromkeys(row.basis for row in rows), _MAX_SHOWN_BASES, separator="; ")
    note = one_line(f"Mean reward is the mean of {bases}.", _MAX_NOTE_LENGTH)
    return table.model_copy(update={"note": note})
