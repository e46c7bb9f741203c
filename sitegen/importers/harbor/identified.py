"""Finds out of each trial which agent made it, at which task; trials that nothing can be made of are passed over."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.authors import Author, author_of, settled
from sitegen.importers.harbor.book import Taskbook
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.harbor.wish import Wish
from sitegen.importers.kit.agents import KNOWN, Entrant, Roster
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, listed
from sitegen.problems import UsageError

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
    authors = dict(zip((each.path for each in trials), settled([author_of(each) for each in trials]), strict=True))
    played = _played(trials, report)
    wanted = _wanted(played, authors, Wish.of(options), report)
    identifier = _Identifier(book, _roster([authors[each.path] for each in wanted], options), options, report)
    runs = tuple(filter(None, (identifier.run(each, authors[each.path]) for each in wanted)))
    agents = [trial for trial in played if not authors[trial.path].is_baseline]
    return Identified(runs, identifier.roster, _ran([*agents, *wanted], book))


def _ran(trials: Iterable[Trial], book: Taskbook) -> frozenset[str]:
    """Give the ids of the tasks of some trials, as far as they are known."""
    found = (book.find(trial.task_names) for trial in trials)
    return frozenset(task.task.id for task in found if task)


def _played(trials: Sequence[Trial], report: Report) -> list[Trial]:
    """Leave out the trials that nothing is known of but that they were to be, and those that were not checked."""
    told = [trial for trial in trials if trial.is_told]
    report.passed_over("the trial has not left anything yet", _paths(trials, told))
    checked = [trial for trial in told if trial.config.is_verified]
    report.passed_over("it was run without being checked", _paths(told, checked))
    return checked


def _wanted(trials: Sequence[Trial], authors: Mapping[Path, Author], wish: Wish, report: Report) -> list[Trial]:
    """Leave out the baselines and the agents that are not asked for."""
    wanted = [trial for trial in trials if wish.means(authors[trial.path])]
    left = _paths(trials, wanted)
    report.passed_over("a baseline: no agent ran", [path for path in left if authors[path].is_baseline])
    others = [path for path in left if not authors[path].is_baseline]
    report.passed_over("another model than the one asked for", others)
    if not wanted:
        _require_none_asked_for(wish, authors)
    return wanted


def _require_none_asked_for(wish: Wish, authors: Mapping[Path, Author]) -> None:
    if wish.model:
        there = listed(_names(authors.values())) or "none"
        raise UsageError(f"the source has no runs of model {wish.model}; it has: {there}")


def _paths(trials: Iterable[Trial], kept: Iterable[Trial]) -> list[Path]:
    """Give the places of the trials that are not kept."""
    places = {trial.path for trial in kept}
    return [trial.path for trial in trials if trial.path not in places]


def _names(authors: Iterable[Author]) -> list[str]:
    return sorted({author.name for author in authors if author.name})


def _roster(authors: Iterable[Author], options: ImportOptions) -> Roster:
    found = _names(authors)
    if options.agent and len(found) > 1:
        several = listed(found)
        raise UsageError(f"--agent names one agent, and the source has several: choose one with --model: {several}")
    known = KNOWN if options.benchmark == _EVOCODE_BENCH else {}
    return Roster.of((options.agent,) if options.agent else found, known, options.aliases)


@dataclass(frozen=True, slots=True)
class _Identifier:
    """Makes runs of trials."""

    book: Taskbook
    roster: Roster
    options: ImportOptions
    report: Report

    def run(self, trial: Trial, author: Author) -> Run | None:
        """Make a run of a trial; None where its task or its agent is not known, which is told."""
        task, entrant = self.book.find(trial.task_names), self._entrant(author)
        if task is None:
            rule = rules.TASK_LEFT_OUT if self.options.allow_missing else rules.TASK_UNKNOWN
            told = next(iter(trial.told_tasks), None)
            what = f"no task.toml is known for {one_line(told)}" if told else "nothing tells which task was run"
            self.report.doubt(rule, trial.path, self.report.name(trial.path), what)
            return None
        if entrant is None:
            self.report.doubt(rules.AGENT_UNKNOWN, trial.path, self.report.name(trial.path))
            return None
        return Run(trial, author, entrant, task)

    def _entrant(self, author: Author) -> Entrant | None:
        name = self.options.agent or (self.roster.one_name(author.name) if author.name else None)
        reasoning = author.reasoning or self.options.reasoning or ""
        return Entrant(name, author.scaffold or "", reasoning) if name else None
