"""Published values of the agents that are imported, so that the site can show them beside the recomputed ones."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import Roster
from sitegen.importers.kit.options import ImportOptions
from sitegen.metrics.catalogue import MEAN_REWARD
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.models.submission import Agent, Claims
from sitegen.problems import Problem
from sitegen.reading.json import read_json
from sitegen.reading.toml import read_toml

_AGENT = "agent"
_FACTS = ("organization", "model", "scaffold", "reasoning")
"""Columns that tell something about the agent itself."""

_MARKS = re.compile(r"[`*†‡§¹²³⁰⁴-⁹]")
"""Markdown and footnote marks around a printed value."""

_NUMBER = re.compile(r"(?P<value>[+-]?\d+(?:\.\d+)?) *(?:%|/ *\d+)?")
_OTHER = re.compile(r"[^a-z0-9@.-]+")
_GAPS = {"", "-", "\N{EN DASH}", "—"}


class _Printed(BaseModel):
    """A table as it was printed: cells by the heads of their columns."""

    model_config = ConfigDict(strict=True, extra="ignore")

    source: str = Field(min_length=1)
    rows: list[dict[str, str | int | Decimal | None]]


_Table = tuple[str, str | None, Sequence[tuple[Agent, Mapping[str, Decimal]]]]
"""The source of a published table, the track that it is about, if it says so, and each agent as it spells and describes
it, with its values by metric."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What was published about one of the imported agents."""

    agent: Agent
    """Under its one name, with what the table tells of it."""
    claims: Claims | None
    """Its values; None where the table has gaps only."""

    def fits(self, agent: Agent) -> bool:
        """Whether it is about no other scaffold or reasoning setting."""
        pairs = ((self.agent.scaffold, agent.scaffold), (self.agent.reasoning, agent.reasoning))
        return not any(said and ours and said != ours for said, ours in pairs)


def _read(path: Path) -> tuple[_Table | None, list[Problem]]:
    """Read a published table, in the shape of a reported table (TOML) or of printed rows (JSON)."""
    if path.suffix == ".toml":
        file = read_toml(path, ReportedTable)
        reported, problems = file.record, list(file.problems)
        if reported is None:
            return None, problems
        told = [
            (row.agent, {metric: each.value for metric, each in row.values.items()})
            for row in reported.rows
        ]
        return (reported.source, reported.track, told), problems
    if path.suffix != ".json":
        return None, [
            rules.CLAIM_FORMAT.broken(path, None, f"{path.name} is neither TOML nor JSON")
        ]
    printed, problems = read_json(path, _Printed, float_mode="decimal")
    if printed is None:
        return None, problems
    rows: list[tuple[Agent, Mapping[str, Decimal]]] = []
    for number, cells in enumerate(printed.rows, start=1):
        texts = {
            # The head of a column becomes a key: `Dataset score` is `dataset_score`.
            _OTHER.sub("_", head.lower()).strip("_"): text
            for head, cell in cells.items()
            if (text := "" if cell is None else _MARKS.sub("", str(cell)).strip()) not in _GAPS
        }
        if _AGENT not in texts:
            problems.append(rules.CLAIM_AGENT.broken(path, None, f"row {number} names no agent"))
            continue
        agent = Agent(name=texts[_AGENT], **{key: texts[key] for key in _FACTS if key in texts})
        found = {
            key: _NUMBER.fullmatch(text)
            for key, text in texts.items()
            if key not in {"", _AGENT, *_FACTS}
        }
        rows.append(
            (agent, {key: Decimal(match["value"]) for key, match in found.items() if match})
        )
        wrong = [f"`{key}` is `{texts[key]}`" for key, match in found.items() if not match]
        if wrong:
            problems.append(
                rules.CLAIM_VALUE.broken(path, None, f"{agent.name}: {', '.join(wrong)}")
            )
    return (printed.source, None, rows), problems


def published_about(
    agents: Sequence[Agent], options: ImportOptions, known: Mapping[str, str]
) -> tuple[dict[str, Stated], list[Problem]]:
    """Read what was published about some agents, if a file with it is named: statements by agent.

    What may be said of several bundles is said of none of them; `known` are spellings of the format.
    """
    path = options.claims
    table, problems = _read(path) if path else (None, [])
    if path is None or table is None:
        return {}, problems
    source, track, rows = table
    roster = Roster.of(dict.fromkeys(each.name for each in agents), known, options.aliases)
    stated: dict[str, Stated] = {}
    unmatched: list[str] = []
    if track not in {None, options.track}:
        what = f"the table is about track {track}, and the results go to {options.track}"
        problems.append(rules.CLAIM_TRACK.broken(path, None, what))
    for agent, values in rows:
        name = roster.find(agent.name)
        if name is None:
            unmatched += [agent.name] if options.model is None else []
        elif name in stated:
            problems.append(rules.CLAIM_TWICE.broken(path, None, f"{name} has several rows"))
        else:
            usable = {
                metric: value for metric, value in values.items() if metric in options.known_metrics
            }
            claims = Claims(source=source, **usable) if usable else None
            stated[name] = Stated(agent.model_copy(update={"name": name}), claims)
    metrics = dict.fromkeys(
        metric for _, values in rows for metric in values if metric not in options.known_metrics
    )
    for rule, kind, strange in (
        (rules.CLAIM_UNMATCHED, "agent of the source", unmatched),
        (rules.CLAIM_METRIC, "metric of the catalogue", list(metrics)),
    ):
        if strange:
            problems.append(rule.broken(path, None, f"no {kind} is called {', '.join(strange)}"))
    for name, told in list(stated.items()):
        if sum(each.name == name and told.fits(each) for each in agents) > 1:
            del stated[name]
            problems.append(
                rules.CLAIM_AMBIGUOUS.broken(path, None, f"{name} has several bundles here")
            )
    return stated, problems


def described(agent: Agent, published: Stated | None) -> Agent:
    """Add what a published table tells of an agent, where its results do not tell it."""
    if published is None:
        return agent
    facts = {
        name: value
        for name, value in published.agent
        if value is not None and getattr(agent, name) is None
    }
    return agent.model_copy(update=facts)


def as_said(agent: Agent, options: ImportOptions) -> Agent:
    """Describe an agent as the importing person does, where they do; its own name is then that of its model."""
    said = {
        "name": options.agent,
        "organization": options.organization,
        "reasoning": options.reasoning,
    }
    facts = {key: value for key, value in said.items() if value and value.strip()}
    if options.agent not in {None, agent.name}:
        facts["model"] = agent.model or agent.name
    named = Agent.model_validate(agent.model_dump() | facts)  # a copy would not be checked
    return named.model_copy(update={"model": None}) if named.model == named.name else named


def claims_of(value: float, source: str) -> Claims:
    """What a tool states as the mean of its rewards."""
    return Claims(source=source, **{MEAN_REWARD.id: Decimal(repr(value))})


def reported_table(
    title: str, source: str, day: Date, rows: Sequence[ReportedRow], track: str
) -> ReportedTable:
    """Figures of which the source has no tries."""
    return ReportedTable(
        schema_version=1, track=track, title=title, source=source, date=day, rows=tuple(rows)
    )
