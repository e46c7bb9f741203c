"""Determine the agent of a results file: the model, and settings that differ between its runs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sitegen.importers.kit.agents import RankedAgent, clean_agent_name, short_model_name
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.settings import differences
from sitegen.importers.lm_eval.files import (
    ResultsFile,
    TaskOutput,
    as_table,
    as_text,
    parse_arguments,
)
from sitegen.problems import grouped

_EFFORT_ARGUMENTS = ("reasoning_effort", "effort", "thinking_effort")
_THINKING_ARGUMENTS = ("enable_thinking", "thinking")
_THINKING_OFF = frozenset({"false", "0", "off", "disabled"})

_MODEL_ARGUMENTS = (
    "revision",
    "subfolder",
    "peft",
    "delta",
    "dtype",
    "quantization",
    "load_in_8bit",
    "load_in_4bit",
    "gptq",
    "gptqmodel",
    "autogptq",
    "gguf_file",
    "steer_path",
)
"""Arguments that change the model. Others, such as the batch size, only affect how it is run."""

_IGNORED_GENERATION_ARGUMENTS = frozenset(
    {"until", "seed", *_EFFORT_ARGUMENTS, *_THINKING_ARGUMENTS}
)
"""Generation arguments that are not settings, or belong to the reasoning setting."""

_SHA_SETTINGS = {
    "system_instruction_sha": "system instruction",
    "chat_template_sha": "chat template",
}
"""Checksums in a results file, with the name of the setting that each represents."""

_SHA_DIGITS = 8


class _Variant(NamedTuple):
    """The settings that distinguish a results file from others that ran the same task."""

    differences: str
    """The settings that differ, in words; empty if none do."""
    is_backend: bool = False
    """Whether only the backend differs."""


def parse_reasoning(file: ResultsFile) -> str:
    """Return the reasoning setting of a run, such as `no thinking`; empty if not stated."""
    arguments = _collect_arguments(file)
    for name in _EFFORT_ARGUMENTS:
        if arguments.get(name):
            return clean_agent_name(arguments[name])
    for name in _THINKING_ARGUMENTS:
        if arguments.get(name):
            is_off = arguments[name].lower() in _THINKING_OFF
            return "no thinking" if is_off else "thinking"
    return ""


def _collect_arguments(file: ResultsFile) -> dict[str, str]:
    """Return the arguments of the model and of the generation, including nested tables."""
    arguments: dict[str, str] = {}
    for option in (file.config.get("model_args"), file.config.get("gen_kwargs")):
        arguments |= parse_arguments(option)
        for value in as_table(option).values():
            arguments |= parse_arguments(as_table(value))
    return arguments


def parse_settings(file: ResultsFile) -> dict[str, str]:
    """Return the settings of a run that affect its scores, by name; empty settings are left out."""
    arguments = file.model_arguments
    settings = {name: arguments[name] for name in _MODEL_ARGUMENTS if arguments.get(name)}
    backend = as_text(file.config.get("model"))
    settings["backend"] = backend or as_text(file.content.get("model_source"))
    generation = parse_arguments(file.config.get("gen_kwargs"))
    for name in _IGNORED_GENERATION_ARGUMENTS.intersection(generation):
        del generation[name]
    settings |= generation
    for key, name in _SHA_SETTINGS.items():
        settings[name] = as_text(file.content.get(key))[:_SHA_DIGITS]
    return {name: value for name, value in settings.items() if value}


def name_agents(
    outputs: Sequence[TaskOutput], model: str, log: ImportLog
) -> dict[int, RankedAgent]:
    """Return the agent of each results file of one model, keyed by the file's `id()`.

    Runs with different reasoning settings are different agents. So are runs of the same task whose
    other settings differ: these settings become the scaffold, or the provider if only the backend
    differs.
    """
    files = {id(output.file): output.file for output in outputs}
    files_by_reasoning = grouped((parse_reasoning(file), file) for file in files.values())
    agents: dict[int, RankedAgent] = {}
    for reasoning, reasoning_files in files_by_reasoning.items():
        for file_id, variant in _find_variants(reasoning_files).items():
            setting = clean_agent_name(variant.differences)
            scaffold = "" if variant.is_backend else setting
            provider = setting if variant.is_backend else ""
            agents[file_id] = RankedAgent(short_model_name(model), scaffold, reasoning, provider)
    distinct_agents = sorted(set(agents.values()))
    if len(distinct_agents) > 1:
        for agent in distinct_agents:
            if agent.scaffold:
                log.assume(f"{agent.name} with {agent.scaffold} is a separate agent", agent)
    return agents


def _find_variants(files: Sequence[ResultsFile]) -> dict[int, _Variant]:
    """Return the settings that distinguish files with the same task, keyed by the file's `id()`."""
    settings = [parse_settings(file) for file in files]
    if len({file.version for file in files}) > 1:
        for values in settings:
            # Older versions name a chat template that they did not use.
            values.pop("chat template", None)
    if not _has_several_settings(files, settings):
        return {id(file): _Variant("") for file in files}
    is_backend = _differs_only_in("backend", settings)
    texts = differences(settings)
    variants = {}
    for file, values, text in zip(files, settings, texts, strict=True):
        variants[id(file)] = _Variant(values.get("backend", "") if is_backend else text, is_backend)
    return variants


def _has_several_settings(
    files: Sequence[ResultsFile], settings: Sequence[Mapping[str, str]]
) -> bool:
    """Return whether any task was run with several settings."""
    first_by_task: dict[str, Mapping[str, str]] = {}
    for file, values in zip(files, settings, strict=True):
        for task in file.tasks:
            if first_by_task.setdefault(task, values) != values:
                return True
    return False


def _differs_only_in(name: str, settings: Sequence[dict[str, str]]) -> bool:
    """Return whether settings are all equal when the named setting is ignored."""
    values_apart = [{**values, name: ""} for values in settings]
    return all(values == values_apart[0] for values in values_apart)
