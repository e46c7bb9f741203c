"""Select the runs that count: runs of the requested tasks and model with known rounds."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor.identities import complete_identities
from sitegen.importers.harbor.reward_log import assume_scale, check_range
from sitegen.importers.harbor.runs import leave_out
from sitegen.importers.harbor.tasks import Tasks, make_task_id
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.kinds import Kind
from sitegen.importers.harbor_multiturn.rounds import add_rounds
from sitegen.importers.harbor_multiturn.runs import ROWS, ForkRun
from sitegen.importers.harbor_multiturn.submissions import RunsByKind
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import (
    AgentNames,
    RankedAgent,
    check_asked_for,
    clean_agent_name,
    is_asked_for,
)
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.tree import digest_of
from sitegen.models.task import Task, TaskRound
from sitegen.problems import UsageError, counted, grouped, listed


def drop_copies(runs: Sequence[ForkRun], log: ImportLog) -> list[ForkRun]:
    """Return each run once: a source may contain a job twice, for example in a backup."""
    name_counts = Counter((run.path.name, run.job[-1:]) for run in runs)
    identities: set[object] = set()
    distinct: list[ForkRun] = []
    copies: list[Path] = []
    for run in runs:
        is_unique = name_counts[run.path.name, run.job[-1:]] == 1
        identity = run.path if is_unique else _identify(run)
        if identity in identities:
            copies.append(run.path)
        else:
            identities.add(identity)
            distinct.append(run)
    log.note_passed_over("a copy of a run that was already read", copies)
    return distinct


def _identify(run: ForkRun) -> object:
    """Return a value that is equal only for copies of a run."""
    files = (run.folder.file("result.json"), run.verifier.file(ROWS))
    content = digest_of(filter(None, files))
    if content is None:
        return run.path
    return content, run.identity.name, run.task_names, run.job[-1:], run.path.name


@dataclass(frozen=True, slots=True)
class TaskAssignment:
    """The tasks of an import, and the task of each run."""

    task_ids: Mapping[Path, str]
    """The id of each run's task, keyed by the run's folder."""
    tasks: Mapping[str, Task]
    """All tasks with known rounds, keyed by id, including tasks without a definition."""


def assign_tasks(runs: Sequence[ForkRun], defined: Tasks, log: ImportLog) -> TaskAssignment:
    """Return the task of each run, and the tasks.

    Tasks are not looked up by the name of the run's folder, which is truncated.

    If a task is not defined, its number of rounds is the last round on which complete runs were
    scored, according to their results.
    """
    task_ids: dict[Path, str] = {}
    last_rounds: dict[str, int] = {}
    for run in runs:
        definition = defined.find([*run.task_names, *reversed(run.job)])
        if definition is not None:
            name = definition.id
        elif run.task_names:
            name = make_task_id(run.task_names[0])
        else:
            continue
        task_ids[run.path] = name
        last_rounds[name] = max(last_rounds.get(name, 0), run.window_end or 0)
    tasks = {name: chain.task for name, chain in defined.by_id.items() if chain.is_chain}
    for name in sorted(last_rounds.keys() - tasks.keys()):
        round_count = last_rounds[name]
        if round_count:
            rounds = tuple(TaskRound(number) for number in range(1, round_count + 1))
            tasks[name] = Task(name, rounds)
            spot = SourceLocation(None, name, name)
            log.add_doubt(rules.ROUNDS_ASSUMED, log.root, spot, counted(round_count, "round"))
    return TaskAssignment(task_ids, dict(sorted(tasks.items())))


def select_tasks(
    runs: Sequence[ForkRun], assignment: TaskAssignment, options: ImportOptions, log: ImportLog
) -> tuple[list[ForkRun], TaskAssignment]:
    """Return the runs of the requested tasks, given by id or title, and these tasks.

    Raises:
        UsageError: There is no task with a requested name.
    """
    all_ids = [*assignment.tasks, *assignment.task_ids.values()]
    ids = {task.title: name for name, task in assignment.tasks.items() if task.title}
    ids |= dict(zip(all_ids, all_ids, strict=True))
    for name in options.task_names:
        if name not in ids:
            names = listed(sorted(set(ids.values()))) or "none"
            raise UsageError(f"the source has no task {one_line(name)}; it has: {names}")
    asked_ids = {ids[name] for name in options.task_names}
    selected = [run for run in runs if assignment.task_ids.get(run.path) in asked_ids]
    _report_skipped(runs, selected, "its task was not selected", log)
    task_ids = {path: name for path, name in assignment.task_ids.items() if name in asked_ids}
    tasks = {name: task for name, task in assignment.tasks.items() if name in asked_ids}
    return selected, TaskAssignment(task_ids, tasks)


def select_model(runs: Sequence[ForkRun], options: ImportOptions, log: ImportLog) -> list[ForkRun]:
    """Return the runs of the requested model.

    Raises:
        UsageError: There are no such runs, or one name is given to several agents.
    """
    selected = [run for run in runs if is_asked_for(run.models, options)]
    if runs:
        check_asked_for(_author_names(selected), _author_names(runs), options)
    _report_skipped(runs, selected, "its model was not selected", log)
    return selected


def _report_skipped(
    runs: Iterable[ForkRun], selected: Iterable[ForkRun], reason: str, log: ImportLog
) -> None:
    """Report the runs that were not selected."""
    selected_paths = {run.path for run in selected}
    skipped = [run.path for run in runs if run.path not in selected_paths]
    log.note_passed_over(reason, skipped)


def _author_names(runs: Iterable[ForkRun]) -> list[str]:
    """Return the distinct names of the models of runs, sorted."""
    names = {clean_agent_name(run.identity.name) for run in runs}
    return sorted(names)


def group_by_entrant(
    runs: Sequence[ForkRun], options: ImportOptions
) -> dict[RankedAgent, list[ForkRun]]:
    """Return the runs of each agent, in the order of the agents' names."""
    roster = AgentNames.chosen(_author_names(runs), options)
    names = {}
    identities = {}
    for run in runs:
        name = options.agent or roster.one_name(clean_agent_name(run.identity.name))
        names[run.path] = name
        identities[run.path] = replace(run.identity, name=name)
    complete = complete_identities(identities)
    by_entrant: defaultdict[RankedAgent, list[ForkRun]] = defaultdict(list)
    for run in runs:
        entrant = complete[run.path].entrant(names[run.path], options)
        by_entrant[entrant].append(run)
    return dict(sorted(by_entrant.items()))


@dataclass(slots=True)
class RunFilter:
    """Selects the runs whose task and rounds are known, and reports the others."""

    assignment: TaskAssignment
    options: ImportOptions
    log: ImportLog
    has_names: bool
    """Whether any agent has a name; if so, a run without an agent's name is left out."""
    rewards: list[tuple[float, Path]] = field(default_factory=list)
    unfitting: list[tuple[str, ForkRun, str]] = field(default_factory=list)
    """Runs with rounds that their task does not have: the task, the run, and a message."""
    fitting_tasks: set[str] = field(default_factory=set)
    """Tasks whose rounds match some run."""

    def select_runs(
        self, entrant: RankedAgent, runs: Iterable[ForkRun], kinds: Mapping[Path, Kind]
    ) -> dict[str, RunsByKind]:
        """Return the runs of an agent that count, with their rounds, by task and kind."""
        runs_by_task: defaultdict[str, list[tuple[Kind, ForkRun]]] = defaultdict(list)
        for run in runs:
            kind = kinds[run.path]
            complete = self._complete_run(run, kind, entrant)
            if complete is not None:
                runs_by_task[self.assignment.task_ids[run.path]].append((kind, complete))
        return {task: grouped(task_runs) for task, task_runs in sorted(runs_by_task.items())}

    def finish(self) -> None:
        """Report runs with unknown rounds, and rewards outside 0 to 1."""
        for task, run, message in self.unfitting:
            rule = kit_rules.LEFT_OUT if task in self.fitting_tasks else rules.ROUND_UNKNOWN
            name = self.log.name(run.path)
            self.log.add_doubt(rule, run.path, SourceLocation(None, name, name), message)
        check_range(self.rewards, self.log, self.options.scale, "a round")
        if self.options.scale is not None:
            assume_scale(self.options.scale, self.log)

    def _complete_run(self, run: ForkRun, kind: Kind, entrant: RankedAgent) -> ForkRun | None:
        """Return a run with its rounds; None if it does not count."""
        task = self._find_task(run, entrant)
        if task is None:
            return None
        name = self.log.name(run.path)
        spot = SourceLocation(entrant, task.id, name)
        complete = add_rounds(run, spot, self.log, self.options.scale)
        round_count = len(task.rounds)
        farthest = max((row.round for row in run.listed_rounds), default=0)
        if farthest > round_count:
            rounds = f"{task.id} has {counted(round_count, 'round')}"
            message = f"the run has a round {farthest}, but {rounds}"
            self.unfitting.append((task.id, run, message))
            return None
        self.fitting_tasks.add(task.id)
        if kind != "sample" and not complete.executed_rounds:
            self.log.add_doubt(rules.UNFINISHED, run.path, name)
            return None
        last_round = run.last_round or round_count
        if kind in {"attempt", "resume"} and last_round < round_count:
            message = f"configured to end after round {last_round} of {round_count}"
            self.log.add_doubt(rules.CAPPED, run.path, name, message)
            return None
        verdicts = [row.verdict for row in complete.rounds.values()]
        self.rewards += [(verdict, run.path) for verdict in verdicts if verdict is not None]
        return complete

    def _find_task(self, run: ForkRun, entrant: RankedAgent) -> Task | None:
        """Return the task of a run; None if its agent or its task is unknown."""
        name = self.log.name(run.path)
        if not entrant.name and self.has_names:
            leave_out(run.path, "no file says which agent made it", self.log)
            return None
        if not entrant.name:
            self.log.add_doubt(rules.AGENT_UNKNOWN, run.path, name)
        task_name = self.assignment.task_ids.get(run.path, "")
        if not task_name and self.assignment.tasks:
            leave_out(run.path, "no file says which task was run", self.log)
            return None
        task = self.assignment.tasks.get(task_name)
        if task is None:
            self.log.add_doubt(rules.TASK_UNKNOWN, run.path, name, task_name)
        return task
