"""Determine the agent of a record: the model, and settings that differ between its records."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from sitegen.importers.every_eval_ever.records import EvaluationRecord
from sitegen.importers.kit.agents import RankedAgent, clean_agent_name, model_owner
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.settings import differences

_EFFORT_DETAILS = (
    "reasoning_effort",
    "inference_effort",
    "effort",
    "thinking_effort",
    "reasoning",
)
_NO_EFFORT = frozenset({"", "none", "null", "unknown", "false"})

_GENERATION_ARGUMENTS = (
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "reasoning",
    "max_attempts",
    "prompt_template",
)

_SETTING_TERMS = (
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
"""Terms in names of details that affect scores; other details only describe how a model ran."""

_IGNORED_TERMS = ("model", "availability", "deployment")
"""Terms removed from a name before the search: they contain or accompany setting terms."""

_MAX_VALUE_LENGTH = 40


def parse_reasoning(record: EvaluationRecord) -> str:
    """Return the reasoning setting that a record states; empty if it does not state a setting."""
    tables = [record.aggregate.details]
    for result in record.results:
        tables.append(result.generation_details)
    for table in tables:
        for name in _EFFORT_DETAILS:
            effort = _parse_text(table.get(name))
            if effort.lower() not in _NO_EFFORT:
                return clean_agent_name(effort)
    return ""


def _parse_text(value: object) -> str:
    """Return a value as text, decoding JSON that converters wrote inside a text."""
    if isinstance(value, str):
        with suppress(ValueError):
            decoded = json.loads(value)
            return decoded if isinstance(decoded, str) else value
        return value.strip()
    if value is None or isinstance(value, dict | list):
        return ""
    return str(value)


def parse_settings(record: EvaluationRecord) -> dict[str, str]:
    """Return the settings of a record that affect its scores, by name."""
    values: dict[str, object] = {}
    for result in record.results[:1]:
        for name in _GENERATION_ARGUMENTS:
            values[name] = result.generation.get(name)
        values |= _select_settings(result.generation_details)
    values |= _select_settings(record.aggregate.details)
    providers = filter(None, (record.aggregate.platform, record.aggregate.engine))
    values["provider"] = ", ".join(providers)
    settings = {}
    for name, value in values.items():
        text = clean_agent_name(_parse_text(value))[:_MAX_VALUE_LENGTH]
        settings[name.replace("_", " ")] = text
    return {name: text for name, text in settings.items() if text not in {"", "unknown"}}


def _select_settings(details: Mapping[str, object]) -> dict[str, object]:
    """Return the details that affect scores."""
    return {name: value for name, value in details.items() if _is_setting(name)}


def _is_setting(name: str) -> bool:
    """Return whether a detail with this name distinguishes agents."""
    lower_name = name.lower()
    if lower_name in {"scaffold", *_EFFORT_DETAILS}:
        return False  # already fields of the agent
    for term in _IGNORED_TERMS:
        lower_name = lower_name.replace(term, "")
    for term in _SETTING_TERMS:
        if term in lower_name:
            return True
    return False


def name_agents(records: Sequence[EvaluationRecord], log: ImportLog) -> dict[int, RankedAgent]:
    """Return the agent of each record, keyed by `id(record)`.

    Records of one model on one part of the benchmark whose settings differ belong to different
    agents; the differences become the scaffold, or the provider if only the provider differs.
    Models with the same name are distinguished by their owners.
    """
    records_by_model: defaultdict[tuple[str, RankedAgent], list[EvaluationRecord]] = defaultdict(
        list
    )
    models_by_entrant: defaultdict[RankedAgent, set[str]] = defaultdict(set)
    for record in records:
        entrant = record.entrant
        if not entrant.reasoning:
            entrant = replace(entrant, reasoning=parse_reasoning(record))
        records_by_model[record.aggregate.model, entrant].append(record)
        models_by_entrant[entrant].add(record.aggregate.model)
    agents: dict[int, RankedAgent] = {}
    for (model, entrant), model_records in records_by_model.items():
        owner = ""
        if len(models_by_entrant[entrant]) > 1:
            owner = model_owner(model) or model
        settings, is_provider = _find_differences(model_records)
        for record, setting in zip(model_records, settings, strict=True):
            scaffold = entrant.scaffold
            provider = owner
            if is_provider:
                provider = _join(owner, setting)
            else:
                scaffold = _join(entrant.scaffold, setting)
            agents[id(record)] = replace(
                entrant,
                scaffold=clean_agent_name(scaffold),
                provider=clean_agent_name(provider),
            )
    _report_agents(agents.values(), records, log)
    return agents


def _join(*texts: str) -> str:
    """Return the non-empty texts, separated by commas."""
    return ", ".join(filter(None, texts))


def _report_agents(
    agents: Collection[RankedAgent], records: Sequence[EvaluationRecord], log: ImportLog
) -> None:
    """Report agents whose scaffold was derived from differing settings."""
    stated_scaffolds = {record.detail("scaffold") for record in records}
    for agent in sorted(set(agents)):
        if agent.scaffold and agent.scaffold not in stated_scaffolds:
            log.assume(f"{agent.name} with {agent.scaffold} is a separate agent", agent)


def _find_differences(records: Sequence[EvaluationRecord]) -> tuple[list[str], bool]:
    """Return a text with each record's differing settings, and whether only the providers differ.

    The texts are empty if no part of the benchmark was run with several settings.
    """
    settings = [parse_settings(record) for record in records]
    first_by_part: dict[tuple[str, str], Mapping[str, str]] = {}
    has_variants = False
    for record, values in zip(records, settings, strict=True):
        first = first_by_part.setdefault(record.benchmark_part, values)
        has_variants |= values != first
    if not has_variants:
        return [""] * len(records), False
    settings_apart = [{**values, "provider": ""} for values in settings]
    if settings_apart.count(settings_apart[0]) < len(settings):
        return differences(settings), False
    return [values.get("provider", "") for values in settings], True
