"""Which agent a record is about: a model, and what of its settings tells it from other records of the same model."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sitegen.importers.every_eval_ever.records import Record
from sitegen.importers.kit.agents import Entrant, named, owner_of
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.settings import differences

_EFFORTS = ("reasoning_effort", "inference_effort", "effort", "thinking_effort", "reasoning")
_ARGUMENTS = (
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "reasoning",
    "max_attempts",
    "prompt_template",
)
_TELLING_WORDS = (
    "agent",
    "dtype",
    "harness",
    "mode",
    "precision",
    "prompt",
    "quantization",
    "revision",
    "scaffold",
    "shot",
    "thinking",
    "tools",
    "variant",
)
"""What the name of a detail holds that makes the model another agent; others only say how it was run."""

_NO_WORDS = ("model", "availability", "deployment")
"""Words in whose company `mode` is only a part of another word."""

_LONGEST = 40


def reasoning_of(record: Record) -> str:
    """Return the reasoning setting that a record states."""
    tables: list[Mapping[str, Any] | None] = [record.aggregate.details]
    tables += [result.generation_details for result in record.results]
    for table in tables:
        for name in _EFFORTS:
            value = _plain((table or {}).get(name))
            if value and value.lower() not in {"none", "null", "unknown", "false"}:
                return named(value)
    return ""


def _plain(value: object) -> str:
    """Return a value as text; converters write some as JSON inside a text."""
    if isinstance(value, str):
        with suppress(ValueError):
            decoded = json.loads(value)
            return decoded if isinstance(decoded, str) else value
        return value.strip()
    return "" if value is None or isinstance(value, dict | list) else str(value)


def settings_of(record: Record) -> dict[str, str]:
    """Return the settings of a record that make its scores another agent's than those of the same model."""
    settings: dict[str, str] = {}
    for result in record.results[:1]:
        arguments = result.generation or {}
        settings |= {name: _plain(arguments.get(name)) for name in _ARGUMENTS}
        for name, value in (result.generation_details or {}).items():
            if _is_telling(name):
                settings[name] = _plain(value)
    for name, value in (record.aggregate.details or {}).items():
        if _is_telling(name):
            settings[name] = _plain(value)
    settings["provider"] = ", ".join(
        filter(None, (record.aggregate.platform, record.aggregate.engine))
    )
    shortened = {
        name.replace("_", " "): named(value)[:_LONGEST] for name, value in settings.items()
    }
    return {name: value for name, value in shortened.items() if value and value != "unknown"}


def _is_telling(name: str) -> bool:
    """Return whether a detail of this name makes a model another agent."""
    words = name.lower()
    if words in {"scaffold", *_EFFORTS}:
        return False  # these are parts of an agent's name already
    for other in _NO_WORDS:
        words = words.replace(other, "")
    return any(word in words for word in _TELLING_WORDS)


def agents_of(records: Sequence[Record], report: Report) -> dict[int, Entrant]:
    """Return the agent of each record, by the record's identity.

    Records of one model and one part of the benchmark whose settings differ are several agents; the differences
    become the scaffold, or the provider where only that differs. Models of one name by several owners are told apart
    by their owners.
    """
    agents: dict[int, Entrant] = {}
    by_model: defaultdict[tuple[str, Entrant], list[Record]] = defaultdict(list)
    owners: defaultdict[Entrant, set[str]] = defaultdict(set)
    for record in records:
        entrant = replace(
            record.entrant, reasoning=record.entrant.reasoning or reasoning_of(record)
        )
        by_model[record.aggregate.model, entrant].append(record)
        owners[entrant].add(record.aggregate.model)
    for (model, entrant), own in by_model.items():
        settings = [settings_of(record) for record in own]
        labels, is_provider = _labels(own, settings)
        owner = (owner_of(model) or model) if len(owners[entrant]) > 1 else ""
        for record, label in zip(own, labels, strict=True):
            provider = ", ".join(filter(None, (owner, label if is_provider else "")))
            scaffold = ", ".join(filter(None, (entrant.scaffold, "" if is_provider else label)))
            agents[id(record)] = replace(
                entrant, scaffold=named(scaffold), provider=named(provider)
            )
    for agent in sorted(set(agents.values())):
        if agent.scaffold and all(
            agent.scaffold != record.detail("scaffold") for record in records
        ):
            report.assume(f"{agent.name} with {agent.scaffold} is an agent of its own", agent)
    return agents


def _labels(
    records: Sequence[Record], settings: Sequence[Mapping[str, str]]
) -> tuple[list[str], bool]:
    """Return what tells each record from the others of the same part, and whether that is only the provider."""
    seen: defaultdict[tuple[str, str], set[tuple[tuple[str, str], ...]]] = defaultdict(set)
    for record, values in zip(records, settings, strict=True):
        seen[record.benchmark, record.unit].add(tuple(sorted(values.items())))
    if all(len(several) == 1 for several in seen.values()):
        return [""] * len(records), False
    names = {name for values in settings for name in values}
    differing = {name for name in names if len({values.get(name, "") for values in settings}) > 1}
    if differing == {"provider"}:
        return [values.get("provider", "") for values in settings], True
    return differences(settings), False
