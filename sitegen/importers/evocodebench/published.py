"""Imports the result files that EvoCode-Bench publishes with its site."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - the option is called date
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.definition import benchmark_of, task_set_of
from sitegen.importers.evocodebench.drafts import Scene, drafts_of, findings_of
from sitegen.importers.evocodebench.listings import excess_problems, reason_problems
from sitegen.importers.evocodebench.rounds import run_problems, silence_problems
from sitegen.importers.evocodebench.runs import exclusion_problems, runs_of, share_problems
from sitegen.importers.evocodebench.snapshot import Snapshot, read_snapshot
from sitegen.importers.evocodebench.sweep import read_sweep, sweep_problems
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import KNOWN, Roster, repeated
from sitegen.importers.kit.claims import Stated, read_claims, statements
from sitegen.importers.kit.drafts import bundle_id
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.incoming import Incoming
from sitegen.problems import Problem, ProblemsError, UsageError

_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")


def read_published(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder with `index.json`, `tasks/*.json` and perhaps a table of sweeps.

    Every agent becomes one bundle with one attempt at each task. A round of which the files say nothing was
    aborted or never reached; which of the two can't be told, and a warning says so.

    Args:
        source: The folder.
        options: Where the results go, which agent is meant, and which gaps.

    Raises:
        UsageError: The agent that is asked for is not here, or one name is given to several.
        ProblemsError: The files can't be used as they stand; carries every problem, warnings included.
    """
    everything, problems = read_snapshot(source)
    everyone = Roster.of(everything.index.models, KNOWN, options.aliases)
    date, undated = _date(source, options)
    sweep, sweep_faults = read_sweep(everything, everyone)
    stated, claim_faults = _stated(options, everyone)
    snapshot, roster = _chosen(everything, everyone, options)
    runs = runs_of(snapshot, roster, sweep)
    index = source / "index.json"
    problems += [*_missing(snapshot, options), *undated, *_namesakes(index, roster, date)]
    problems += [problem for run in runs for problem in run_problems(run)]
    problems += [*silence_problems(runs), *excess_problems(runs), *reason_problems(runs)]
    problems += [*exclusion_problems(index, runs), *share_problems(index, runs)]
    problems += [*sweep_faults, *sweep_problems(sweep, runs), *claim_faults]
    if any(problem.is_error for problem in problems):
        raise ProblemsError(problems)
    scene = Scene(options, date, runs, sweep, [(kit_rules.DATE_ASSUMED, "")] if undated else ())
    return Incoming(
        benchmark_of(snapshot.tasks, roster, options),
        (task_set_of(snapshot, options),),
        drafts_of(scene, roster, stated),
        findings_of(scene, snapshot),
        tuple(problems),
    )


def _chosen(snapshot: Snapshot, everyone: Roster, options: ImportOptions) -> tuple[Snapshot, Roster]:
    """Keep the agent that is asked for, by any of its spellings; all where none is."""
    wanted = everyone.one_name(options.model or "").casefold()
    spelled = zip(snapshot.index.models, everyone.names, strict=True)
    models = tuple(each for each, name in spelled if not wanted or wanted == name.casefold())
    roster = Roster.of(models, KNOWN, options.aliases)
    if not models:
        raise UsageError(f"the index has no agent {options.model}; it has: {', '.join(everyone.names)}")
    if options.agent and len(set(roster.names)) > 1:
        several = ", ".join(roster.names)
        raise UsageError(f"--agent names one agent, and the index has several: choose one with --model: {several}")
    return replace(snapshot, index=replace(snapshot.index, models=models)), roster


def _date(source: Path, options: ImportOptions) -> tuple[Date, list[Problem]]:
    """Find the day the results were published: as stated, as the folder's name has it, or today."""
    if options.date:
        return options.date, []
    named = _DATED.match(source.resolve().name)
    try:
        return Date.fromisoformat(named[0] if named else ""), []
    except ValueError:
        what = f"neither `--date` nor the folder's name tells the date of the results: taken as {options.today}"
        return options.today, [kit_rules.DATE_ASSUMED.broken(source, None, what)]


def _missing(snapshot: Snapshot, options: ImportOptions) -> Iterator[Problem]:
    """Say once which tasks have no file."""
    if snapshot.missing:
        rule = kit_rules.TASKS_LEFT_OUT if options.allow_missing and snapshot.files else kit_rules.TASK_MISSING
        count = f"{len(snapshot.missing)} of {len(snapshot.index.tasks)} tasks have no file"
        yield rule.broken(snapshot.source / "tasks", None, f"{count}: {', '.join(snapshot.missing)}")


def _namesakes(index: Path, roster: Roster, date: Date) -> Iterator[Problem]:
    """Say which agents can't be told apart, by name or by the name of their bundles."""
    twice = repeated(roster.names)
    if twice:
        what = f"listed several times under different spellings: {', '.join(twice)}"
        yield rules.AGENT_TWICE.broken(index, None, what)
    bundles: dict[str, list[str]] = {}
    for name in dict.fromkeys(roster.names):
        bundles.setdefault(bundle_id(date, name), []).append(name)
    for bundle, names in bundles.items():
        if len(names) > 1:
            what = f"{' and '.join(names)} would both be bundle {bundle}"
            yield rules.AGENT_TWICE.broken(index, None, what)


def _stated(options: ImportOptions, roster: Roster) -> tuple[dict[str, Stated], list[Problem]]:
    """Read what was published about the agents, if a file with it is named."""
    if options.claims is None:
        return {}, []
    table, problems = read_claims(options.claims)
    if table is None:
        return {}, problems
    stated, found = statements(table, roster, options.known_metrics, options.track)
    return stated, [*problems, *found]
