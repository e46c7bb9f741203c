"""Which agent a results file is about: a model, and what of its settings tells it from other runs of the same model."""

from collections import defaultdict
from collections.abc import Sequence

from sitegen.importers.kit.agents import Entrant, named, short
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.settings import differences
from sitegen.importers.lm_eval.files import ResultsFile, TaskRun, arguments_of, table_of, text_of

_EFFORTS = ("reasoning_effort", "effort", "thinking_effort")
_THINKING = ("enable_thinking", "thinking")

_TELLING_ARGUMENTS = (
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
"""Arguments of a model that make it another one. Others, such as a batch size, only say how it was run."""

_QUIET_GENERATION = frozenset({"until", "seed", *_EFFORTS, *_THINKING})
"""Generation arguments that are no setting of their own."""


def reasoning_of(file: ResultsFile) -> str:
    """Return the reasoning setting that a run states: an effort, or whether the model was to think."""
    stated = _all_arguments(file)
    for name in _EFFORTS:
        if stated.get(name):
            return named(stated[name])
    for name in _THINKING:
        if stated.get(name):
            return (
                "no thinking"
                if stated[name].lower() in {"false", "0", "off", "disabled"}
                else "thinking"
            )
    return ""


def _all_arguments(file: ResultsFile) -> dict[str, str]:
    """Return the arguments of the model and of the generation; those in a table count as arguments of their own."""
    arguments: dict[str, str] = {}
    for source in (file.config.get("model_args"), file.config.get("gen_kwargs")):
        arguments |= arguments_of(source)
        for value in table_of(source).values():
            arguments |= arguments_of(value) if isinstance(value, dict) else {}
    return arguments


def settings_of(file: ResultsFile) -> dict[str, str]:
    """Return the settings of a run that make its scores another agent's than those of the same model."""
    arguments = file.model_arguments
    settings = {name: arguments[name] for name in _TELLING_ARGUMENTS if arguments.get(name)}
    settings["backend"] = text_of(file.config.get("model")) or text_of(
        file.content.get("model_source")
    )
    generation = arguments_of(file.config.get("gen_kwargs"))
    settings |= {name: value for name, value in generation.items() if name not in _QUIET_GENERATION}
    for name, words in (
        ("system_instruction", "system instruction"),
        ("chat_template", "chat template"),
    ):
        digest = text_of(file.content.get(f"{name}_sha"))
        if digest:
            settings[words] = digest[:8]
    return settings


def agents_of(task_runs: Sequence[TaskRun], model: str, report: Report) -> dict[int, Entrant]:
    """Return the agent of each results file of one model, by the file's identity.

    Runs with several reasoning settings are several agents. So are runs of the same task with other settings that
    differ; these differences become the scaffold, or the provider where only the backend differs.
    """
    files = {id(task_run.file): task_run.file for task_run in task_runs}
    by_reasoning: defaultdict[str, list[ResultsFile]] = defaultdict(list)
    for file in files.values():
        by_reasoning[reasoning_of(file)].append(file)
    agents: dict[int, Entrant] = {}
    for reasoning, own_files in by_reasoning.items():
        variants = _variants(own_files)
        for file in own_files:
            words, is_backend = variants[id(file)]
            scaffold = "" if is_backend else named(words)
            provider = named(words) if is_backend else ""
            agents[id(file)] = Entrant(short(model), scaffold, reasoning, provider)
    distinct = set(agents.values())
    if len(distinct) > 1:
        for agent in sorted(distinct):
            if agent.scaffold:
                report.assume(f"{agent.name} with {agent.scaffold} is an agent of its own", agent)
    return agents


def _variants(files: Sequence[ResultsFile]) -> dict[int, tuple[str, bool]]:
    """Return what tells each file from the others that ran the same task, and whether that is only the backend."""
    versions = {file.version for file in files}
    settings = []
    for file in files:
        values = settings_of(file)
        if len(versions) > 1:
            values.pop("chat template", None)  # older versions name one that they did not use
        settings.append(values)
    seen: defaultdict[str, set[tuple[tuple[str, str], ...]]] = defaultdict(set)
    for file, values in zip(files, settings, strict=True):
        for task in file.tasks:
            seen[task].add(tuple(sorted(values.items())))
    if all(len(several) == 1 for several in seen.values()):
        return {id(file): ("", False) for file in files}
    differing = {name for values in settings for name in values}
    differing = {
        name for name in differing if len({values.get(name, "") for values in settings}) > 1
    }
    is_backend = differing == {"backend"}
    texts = differences(settings)
    if is_backend:
        texts = [values.get("backend", "") for values in settings]
    return {id(file): (text, is_backend) for file, text in zip(files, texts, strict=True)}
