"""Read the published scores of imported agents, for comparison with the recomputed scores."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - as in the models
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import AgentNames
from sitegen.importers.kit.options import ImportOptions
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.models.submission import Agent, Claims
from sitegen.problems import Problem
from sitegen.reading.json import read_json
from sitegen.reading.toml import read_toml

_AGENT = "agent"
_FACTS = ("organization", "model", "scaffold", "reasoning")
"""Columns that describe the agent, not a score."""

_NO_METRICS = frozenset({"", _AGENT, *_FACTS})

_MARKS = re.compile(r"[`*†‡§¹²³⁰⁴-⁹]")
"""Markdown and footnote marks around a published value."""

_NUMBER = re.compile(r"(?P<value>[+-]?\d+(?:\.\d+)?) *(?:%|/ *\d+)?")
_NOT_IN_KEY = re.compile(r"[^a-z0-9@.-]+")
_EMPTY_CELLS = {"", "-", "\N{EN DASH}", "—"}


class _Printed(BaseModel):
    """A JSON file with a published table: its rows, as cells keyed by column header."""

    model_config = ConfigDict(strict=True, extra="ignore")

    source: str = Field(min_length=1)
    rows: list[dict[str, str | int | Decimal | None]]


class _PublishedRow(NamedTuple):
    """An agent as spelled and described in a published table, with its values by metric."""

    agent: Agent
    values: Mapping[str, Decimal]


class _PublishedTable(NamedTuple):
    """A published table of scores, with its source."""

    source: str
    track: str | None
    """The table's track; None if the table does not state it."""
    rows: Sequence[_PublishedRow]


@dataclass(frozen=True, slots=True)
class PublishedClaims:
    """Published facts and scores of an imported agent."""

    agent: Agent
    """The agent under its chosen name, with the facts of the table."""
    claims: Claims | None
    """The published values; None if the table has no usable values."""

    def fits(self, agent: Agent) -> bool:
        """Return whether the published scaffold and reasoning are compatible with an agent's."""
        for name in ("scaffold", "reasoning"):
            published = getattr(self.agent, name)
            imported = getattr(agent, name)
            if published and imported and published != imported:
                return False
        return True


def _read(path: Path) -> tuple[_PublishedTable | None, list[Problem]]:
    """Return the published table in a file, and its problems; TOML and JSON are supported."""
    match path.suffix:
        case ".toml":
            return _read_reported(path)
        case ".json":
            return _read_printed(path)
    message = f"{path.name} is neither TOML nor JSON"
    return None, [rules.CLAIM_FORMAT.broken(path, None, message)]


def _read_reported(path: Path) -> tuple[_PublishedTable | None, list[Problem]]:
    """Return the table in a TOML file that has the format of the files in `reported/`."""
    file = read_toml(path, ReportedTable)
    problems = list(file.problems)
    if file.record is None:
        return None, problems
    rows = []
    for row in file.record.rows:
        values = {metric: reported.value for metric, reported in row.values.items()}
        rows.append(_PublishedRow(row.agent, values))
    return _PublishedTable(file.record.source, file.record.track, rows), problems


def _read_printed(path: Path) -> tuple[_PublishedTable | None, list[Problem]]:
    """Return the table in a JSON file; skip rows without an agent and cells without a number."""
    printed, problems = read_json(path, _Printed, float_mode="decimal")
    if printed is None:
        return None, problems
    rows = []
    for number, cells in enumerate(printed.rows, start=1):
        texts = _read_cells(cells)
        if _AGENT not in texts:
            problems.append(rules.CLAIM_AGENT.broken(path, None, f"row {number} names no agent"))
            continue
        facts = {key: texts[key] for key in _FACTS if key in texts}
        agent = Agent(name=texts[_AGENT], **facts)
        values, faults = _parse_values(texts)
        rows.append(_PublishedRow(agent, values))
        if faults:
            message = f"{agent.name}: {', '.join(faults)}"
            problems.append(rules.CLAIM_VALUE.broken(path, None, message))
    return _PublishedTable(printed.source, None, rows), problems


def _read_cells(cells: Mapping[str, object]) -> dict[str, str]:
    """Return the non-empty cells of a row; the key of `Dataset score` is `dataset_score`."""
    texts = {}
    for head, cell in cells.items():
        text = "" if cell is None else _MARKS.sub("", str(cell)).strip()
        if text not in _EMPTY_CELLS:
            key = _NOT_IN_KEY.sub("_", head.lower()).strip("_")
            texts[key] = text
    return texts


def _parse_values(texts: Mapping[str, str]) -> tuple[dict[str, Decimal], list[str]]:
    """Return the numbers in a published row by metric, and a description of each other cell."""
    values = {}
    faults = []
    for key, text in texts.items():
        if key in _NO_METRICS:
            continue
        number = _NUMBER.fullmatch(text)
        if number:
            values[key] = Decimal(number["value"])
        else:
            faults.append(f"`{key}` is `{text}`")
    return values, faults


def published_about(
    agents: Sequence[Agent], options: ImportOptions, spellings: Mapping[str, str]
) -> tuple[dict[str, PublishedClaims], list[Problem]]:
    """Return published facts and scores by agent name, and the problems of the `--claims` table.

    A row that matches several bundles is not used.

    Args:
        agents: The agents of the import, one for each bundle.
        options: The path of the table, and the metrics that a claim may have.
        spellings: Other spellings of agents' names, mapped to the chosen names.
    """
    path = options.claims
    if path is None:
        return {}, []
    table, problems = _read(path)
    if table is None:
        return {}, problems
    if table.track not in {None, options.track}:
        message = (
            f"the table is about track {table.track}, but the results go to track {options.track}"
        )
        problems.append(rules.CLAIM_TRACK.broken(path, None, message))
    agent_names = dict.fromkeys(agent.name for agent in agents)
    roster = AgentNames.of(agent_names, spellings, options.aliases)
    stated: dict[str, PublishedClaims] = {}
    unmatched: list[str] = []
    for row in table.rows:
        name = roster.find(row.agent.name)
        if name is None:
            unmatched.append(row.agent.name)
        elif name in stated:
            problems.append(rules.CLAIM_TWICE.broken(path, None, f"{name} has several rows"))
        else:
            agent = row.agent.model_copy(update={"name": name})
            claims = _select_claims(table.source, row.values, options.known_metrics)
            stated[name] = PublishedClaims(agent, claims)
    # With `--model` only some agents are imported: rows for other agents are expected.
    if unmatched and options.model is None:
        message = f"no agent of the source is called {', '.join(unmatched)}"
        problems.append(rules.CLAIM_UNMATCHED.broken(path, None, message))
    unknown_metrics = _find_unknown_metrics(table.rows, options.known_metrics)
    if unknown_metrics:
        message = f"no metric of the catalogue is called {', '.join(unknown_metrics)}"
        problems.append(rules.CLAIM_METRIC.broken(path, None, message))
    for name in _find_ambiguous_names(stated, agents):
        del stated[name]
        message = f"{name} has several bundles here"
        problems.append(rules.CLAIM_AMBIGUOUS.broken(path, None, message))
    return stated, problems


def _select_claims(
    source: str, values: Mapping[str, Decimal], known_metrics: Collection[str]
) -> Claims | None:
    """Return the values of known metrics as claims; None if no value is of a known metric."""
    usable = {metric: value for metric, value in values.items() if metric in known_metrics}
    return Claims(source=source, **usable) if usable else None


def _find_unknown_metrics(
    rows: Iterable[_PublishedRow], known_metrics: Collection[str]
) -> list[str]:
    """Return the distinct metrics of a table that the catalogue does not contain."""
    metrics: dict[str, None] = {}
    for row in rows:
        metrics.update(dict.fromkeys(row.values))
    return [metric for metric in metrics if metric not in known_metrics]


def _find_ambiguous_names(
    stated: Mapping[str, PublishedClaims], agents: Sequence[Agent]
) -> list[str]:
    """Return the names whose published row fits several agents of the import."""
    names = []
    for name, published in stated.items():
        fitting = [agent for agent in agents if agent.name == name and published.fits(agent)]
        if len(fitting) > 1:
            names.append(name)
    return names


def described(agent: Agent, published: PublishedClaims | None) -> Agent:
    """Return an agent whose missing facts are filled in from a published table."""
    if published is None:
        return agent
    missing = {name for name, value in agent if value is None}
    stated_facts = [(name, value) for name, value in published.agent if value is not None]
    facts = {name: value for name, value in stated_facts if name in missing}
    return agent.model_copy(update=facts)


def with_stated_facts(agent: Agent, options: ImportOptions) -> Agent:
    """Return an agent with the facts that the user states in options.

    If `--agent` renames an agent, its name in the source becomes the name of its model.
    """
    stated = {
        "name": options.agent,
        "organization": options.organization,
        "reasoning": options.reasoning,
    }
    facts = {key: value for key, value in stated.items() if value and value.strip()}
    if options.agent not in {None, agent.name}:
        facts["model"] = agent.model or agent.name
    # Validate again, since `model_copy` does not check the user's values.
    renamed = Agent.model_validate(agent.model_dump() | facts)
    if renamed.model == renamed.name:
        return renamed.model_copy(update={"model": None})
    return renamed


def mean_reward_claim(value: float, source: str) -> Claims:
    """Return the mean reward that a tool states, as a claim."""
    return Claims(source=source, **{MEAN_REWARD.id: Decimal(repr(value))})


def reported_table(
    title: str, source: str, day: Date, rows: Sequence[ReportedRow], track: str
) -> ReportedTable:
    """Return a table of scores that a source publishes without attempts."""
    return ReportedTable(
        schema_version=1, track=track, title=title, source=source, date=day, rows=tuple(rows)
    )
