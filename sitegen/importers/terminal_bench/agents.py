"""Identify the agent of each run: the model, and the program that drove it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sitegen.importers.kit.agents import (
    RankedAgent,
    check_asked_for,
    clean_agent_name,
    is_asked_for,
    only,
    short_model_name,
)
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import AGENT_UNKNOWN
from sitegen.importers.terminal_bench.rules import MODELS_UNSTATED
from sitegen.importers.terminal_bench.runs import BenchRun
from sitegen.problems import grouped, listed

BASELINES = frozenset({"oracle", "nop"})
"""Agents without a model: the reference solution, and an agent that does nothing."""

_DATE = re.compile(r"(?<=.)(?:-\d{8}|-\d{4}-\d{2}-\d{2})\Z")
_VERSION = re.compile(rf"(?<=.)(?:-latest|-0)\Z|{_DATE.pattern}")
"""A model's version at the end of its name: a date, or a suffix for the newest version."""


def choose_runs(runs: list[BenchRun], options: ImportOptions, log: ImportLog) -> list[BenchRun]:
    """Return the runs of the requested model, or else all runs except runs of baselines.

    Raises:
        UsageError: The source has no runs of the requested model.
    """
    if options.model is not None:
        asked = [run for run in runs if is_asked_for(_names(run), options)]
        stated = {run.model or run.agent_name for run in runs} - {""}
        check_asked_for([options.model] if asked else [], stated, options)
        return asked
    agents = [run for run in runs if run.agent_name not in BASELINES]
    if not agents:
        return runs
    baselines = [run.path for run in runs if run.agent_name in BASELINES]
    log.note_passed_over("a baseline, not an agent; import it with `--model`", baselines)
    return agents


def _names(run: BenchRun) -> list[str]:
    """Return the names by which a run may be requested, the longest name first."""
    names = (run.model, short_model_name(run.model), run.agent_name)
    return [name for name in names if name]


def name_agents(
    runs: Sequence[BenchRun], options: ImportOptions, log: ImportLog
) -> list[RankedAgent]:
    """Return the agent of each run; unclear agents are reported.

    Raises:
        UsageError: `--agent` names one agent, but the runs state several.
    """
    stated_models = {run.model for run in runs if run.model}
    models = one_spelling(stated_models, log)
    entrants = []
    for run in runs:
        entrant = _make_entrant(run, models, options)
        entrants.append(entrant)
        if run.leaderboard.name and not run.stated_model:
            name = one_line(run.leaderboard.name)
            log.assume(f"the model is {one_line(run.model)}, as the folder {name} says", entrant)
    if options.agent is not None:
        return _name_unstated(entrants, options.agent, options, log)
    _check_agents(runs, log)
    _check_models(runs, log)
    return entrants


def _name_unstated(
    entrants: Sequence[RankedAgent], agent: str, options: ImportOptions, log: ImportLog
) -> list[RankedAgent]:
    """Return the agent of each run, with unstated agents filled in.

    An unstated agent is the only agent that any run states, or else the agent of `--agent`.
    """
    stated = {entrant for entrant in entrants if entrant.name}
    names = {entrant.name for entrant in stated}
    check_asked_for(names, names, options)
    has_unstated = len(stated) < len(set(entrants))
    usual = only(stated) or RankedAgent(agent)
    if len(stated) == 1 and has_unstated:
        log.assume(f"runs that state no agent are attributed to {usual}")
    return [entrant if entrant.name else usual for entrant in entrants]


def _make_entrant(run: BenchRun, models: Mapping[str, str], options: ImportOptions) -> RankedAgent:
    """Return the agent of a run; its name is empty if no file states it.

    A program without a stated model is a separate agent, or the scaffold of the agent that
    `--agent` names.
    """
    program = clean_agent_name(run.agent_name)
    if run.model:
        model = models[run.model]
        provider = model.rpartition("/")[0]
        return RankedAgent(
            short_model_name(model),
            program,
            clean_agent_name(run.lock.reasoning),
            clean_agent_name(provider),
        )
    if program and options.agent:
        return RankedAgent(options.agent, program)
    return RankedAgent(program)


def one_spelling(models: Iterable[str], log: ImportLog) -> dict[str, str]:
    """Return the canonical spelling of each model.

    A name without a date, or with the ending `-0` or `-latest`, is replaced by the dated name that
    is otherwise equal, if there is only one.
    """
    by_stem: defaultdict[str, list[str]] = defaultdict(list)
    for model in sorted(models):
        stem = _VERSION.sub("", model)
        by_stem[stem].append(model)
    spellings: dict[str, str] = {}
    for variants in by_stem.values():
        dated = list(filter(_DATE.search, variants))
        if len(dated) > 1:
            spellings |= dict(zip(variants, variants, strict=True))
            continue
        chosen = next(iter(dated or variants))
        spellings |= dict.fromkeys(variants, chosen)
        variants.remove(chosen)
        if variants:
            names = listed(map(one_line, variants))
            log.assume(f"{names} and {one_line(chosen)} are one model")
    return spellings


def _check_agents(runs: Sequence[BenchRun], log: ImportLog) -> None:
    """Report runs that state neither a model nor an agent."""
    unstated = [run for run in runs if not _names(run)]
    if not unstated:
        return
    names = listed(log.name(run.path) for run in unstated)
    fix = None
    if len(unstated) < len(runs):
        fix = "import each agent's folder separately, with `--agent` if no file states the agent"
    message = f"no file names the agent of {names}"
    log.problems.append(AGENT_UNKNOWN.broken(unstated[0].path, None, message, fix))


def _check_models(runs: Iterable[BenchRun], log: ImportLog) -> None:
    """Report runs of a program that state no model and may be of several models.

    Runs in one folder are assumed to be of one model, unless one of them has several attempts.
    """
    unstated = [run for run in runs if run.agent_name and not run.model]
    for agent, agent_runs in grouped((run.agent_name, run) for run in unstated).items():
        folders = {run.path.parent for run in agent_runs}
        max_attempts = max(run.attempts for run in agent_runs)
        has_one_model = len(folders) == 1 and max_attempts == 1
        if len(agent_runs) == 1 or has_one_model:
            continue
        names = listed(log.name(run.path) for run in agent_runs)
        message = f"runs of {one_line(agent)} state no model and may be of several models: {names}"
        log.add(MODELS_UNSTATED, agent_runs[0].path, message)
