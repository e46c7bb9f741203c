"""Finds out of each trial which agent made it, at which task; trials that nothing can be made of are passed over."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import UsageError
from sitegen.importers.evocodebench.spellings import KNOWN
from sitegen.importers.harbor import rules
from sitegen.importers.harbor.authors import Author, author_of, settled
from sitegen.importers.harbor.book import Taskbook
from sitegen.importers.harbor.redaction import one_line
from sitegen.importers.harbor.report import Report, listed
from sitegen.importers.harbor.runs import Entrant, Run
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.options import ImportOptions
from sitegen.importers.roster import Roster

_EVOCODE_BENCH = "evocode-bench"
"""The benchmark whose agents' spellings are known."""


@dataclass(frozen=True, slots=True)
class Identified:
    """Trials with their agents and tasks."""

    runs: tuple[Run, ...]
    """Those of the agents that are asked for."""
    roster: Roster
    """The agents of these runs."""
    tasks: frozenset[str]
    """Ids of the tasks that anybody ran."""


def identified(trials: Sequence[Trial], book: Taskbook, options: ImportOptions, report: Report) -> Identified:
    """Find out which agent made each trial, at which task.

    Args:
        trials: The trials of a source.
        book: The tasks.
        options: Which agents are meant, and how they are called.
        report: Takes what can't be used.

    Raises:
        UsageError: The agent that is asked for is not here, or one name is given to several.
    """
    by_path = dict(zip((each.path for each in trials), settled([author_of(each) for each in trials]), strict=True))
    left = list(_with_traces(trials, report))
    tasks = {trial.path: book.find(trial.task_names) for trial in left}
    ran = (tasks[trial.path] for trial in left if not by_path[trial.path].is_baseline)
    wanted = _wanted(left, by_path, options, report)
    found = dict.fromkeys(author.name for author in (by_path[each.path] for each in wanted) if author.name)
    _require_one(found, options)
    known = KNOWN if options.benchmark == _EVOCODE_BENCH else {}
    roster = Roster.of((options.agent,) if options.agent else found, known, options.aliases)
    runs = []
    for trial in wanted:
        task, author = tasks[trial.path], by_path[trial.path]
        entrant = _entrant(author, roster, options)
        if task is None:
            rule = rules.TASK_LEFT_OUT if options.allow_missing else rules.TASK_UNKNOWN
            told = next(iter(trial.told_tasks), None)
            what = f"no task.toml is known for {one_line(told)}" if told else "nothing tells which task was run"
            report.doubt(rule, trial.path, report.name(trial.path), what)
        elif entrant is None:
            report.doubt(rules.AGENT_UNKNOWN, trial.path, report.name(trial.path))
        else:
            runs.append(Run(trial, author, entrant, task))
    anybody = {task.task.id for task in ran if task} | {run.task.task.id for run in runs}
    return Identified(tuple(runs), roster, frozenset(anybody))


def _with_traces(trials: Sequence[Trial], report: Report) -> Iterator[Trial]:
    """Leave out the trials that nothing is known of but that they were to be, and those that were not checked."""
    untold = [trial.path for trial in trials if not trial.is_told]
    unverified = [trial.path for trial in trials if trial.is_told and not trial.config.is_verified]
    report.passed_over("the trial has not left anything yet", untold)
    report.passed_over("it was run without being checked", unverified)
    yield from (trial for trial in trials if trial.is_told and trial.config.is_verified)


def _wanted(
    trials: Sequence[Trial], authors: Mapping[Path, Author], options: ImportOptions, report: Report
) -> list[Trial]:
    """Leave out the baselines and the agents that are not asked for."""
    asked = options.model
    spelling = Roster.of((), KNOWN, options.aliases)
    meant = {asked.casefold(), spelling.one_name(asked).casefold()} if asked else set()
    wanted: list[Trial] = []
    others: list[Path] = []
    baselines: list[Path] = []
    for trial in trials:
        author = authors[trial.path]
        names = {each.casefold() for each in (author.name, author.model, spelling.one_name(author.name or "")) if each}
        if meant & names or (not asked and not author.is_baseline):
            wanted.append(trial)
        else:
            (baselines if author.is_baseline else others).append(trial.path)
    report.passed_over("a baseline: no agent ran", baselines)
    report.passed_over("another model than the one asked for", others)
    if asked and not wanted:
        there = listed(sorted({author.name for author in authors.values() if author.name})) or "none"
        raise UsageError(f"the source has no runs of model {asked}; it has: {there}")
    return wanted


def _require_one(found: Iterable[str], options: ImportOptions) -> None:
    names = sorted(found)
    if options.agent and len(names) > 1:
        raise UsageError(
            f"--agent names one agent, and the source has several: choose one with --model: {listed(names)}"
        )


def _entrant(author: Author, roster: Roster, options: ImportOptions) -> Entrant | None:
    name = options.agent or (roster.one_name(author.name) if author.name else None)
    if name is None:
        return None
    return Entrant(name, author.scaffold or "", author.reasoning or options.reasoning or "")
