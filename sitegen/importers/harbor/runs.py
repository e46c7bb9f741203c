"""Runs: trials of which the agent, the task and the rounds are known; and those of them that count."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.tasks import TaskDefinition, Tasks
from sitegen.importers.harbor.trials import CONFIG, Author, Trial, author_of, completed
from sitegen.importers.kit.agents import KNOWN, Entrant, Roster, check_asked_for, is_asked_for, repeated
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.outcome import Start
from sitegen.problems import grouped

Pick: TypeAlias = Literal["latest", "first"] | None
"""Which of several jobs counts in which an agent ran the same task; None where that is an error."""

_LAST_EXPOSED = (0, 23, 0)
"""The last version of the runner in which an agent finds the checks of the rounds before."""

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class Run:
    """A trial of which the agent, the task and the rounds are known."""

    trial: Trial
    author: Author
    entrant: Entrant
    task: TaskDefinition

    @property
    def start(self) -> int:
        """The first round that the agent worked on; the reference solution did those before it."""
        if stated := self.trial.config.multi_step_start_step:
            return stated
        for number, name in enumerate(self.task.steps, start=1):
            _, place = self.trial.of_round(name)
            # The reference solution's output is kept in files of such names.
            forwarded = any(each.endswith("-fast-forward.txt") for each in place.agent.files)
            if not forwarded or place.verifier.files:
                return number
        return len(self.task.steps) + 1

    @property
    def end(self) -> int:
        """The last round that it was to run."""
        rounds = len(self.task.task.rounds)
        return min(self.trial.config.multi_step_end_step or rounds, rounds)

    @property
    def sampled(self) -> int | None:
        """The round that it ran from the reference state; None for a run from a task's beginning.

        The state that the first round begins from is the task's own, whatever the run: where a run was to end
        with it, it was made to sample it.
        """
        single = self.start > 1 or (self.end == 1 and len(self.task.task.rounds) > 1)
        return self.start if single and self.task.is_chain else None

    def spot(self, place: str) -> Spot:
        """Its name for messages, by where it lies, and for readers, by its task."""
        words = f"{self.entrant} at {self.task.task.id}, {place}"
        return Spot(self.entrant, self.task.task.id, words, "own" if self.sampled is None else "reference")

    def reached(self, name: str) -> bool:
        """Whether anything tells of a round, by the step's name."""
        return name.casefold() in {*self.trial.steps, *self.trial.workplaces}


Place = tuple[str, int, Start]
"""A task; the number of an attempt, or of the one round that was run; and the state that the run began from."""


@dataclass(frozen=True, slots=True)
class AgentRuns:
    """The runs of one agent that count."""

    entrant: Entrant
    runs: Mapping[Place, Run]
    """Those from a task's beginning come first, by task and attempt."""

    @property
    def made(self) -> Counter[str]:
        """Attempts by task."""
        return Counter(task for task, _, start in self.runs if start == "own")

    @property
    def sampled(self) -> list[Place]:
        """The rounds that were run from the reference state."""
        return [place for place in self.runs if place[2] == "reference"]

    @property
    def attempts(self) -> int:
        """Tries at each task that its bundle has."""
        return max(self.made.values(), default=1)


def judged_again(trials: Sequence[Trial], pick: Pick, report: Report) -> list[Trial]:
    """Put trials that judge the work of another one again in its place: they are no attempts of their own.

    What is judged for a third time counts as a regrade of the first. A regrade whose source is not among the trials
    stands for itself: nothing else tells of that work.
    """
    by_id = {trial.result.id: trial for trial in trials if trial.result.id}
    by_name = {trial.name: trial for trial in trials}
    sources: dict[Path, Trial] = {}
    for trial in trials:
        named = Path((trial.config.source_path or "").replace("\\", "/")).name
        source = by_id.get(trial.config.source_id or "") or by_name.get(named)
        if source is not None and source is not trial:
            sources[trial.path] = source
    regrades: dict[Path, list[Trial]] = {}
    for trial in sorted(trials, key=lambda each: each.order):
        first, seen = trial, {trial.path}
        while first.path in sources:
            first = sources[first.path]
            if first.path in seen:  # in a circle there is no work itself
                first = trial
                break
            seen.add(first.path)
        if first is not trial:
            regrades.setdefault(first.path, []).append(trial)
    for path, several in regrades.items():
        named, where = ", ".join(report.name(each.path) for each in several), report.name(path)
        if len(several) > 1 and pick is None:
            report.doubt(rules.RUNS_SEVERAL, path, where, f"judged again several times: {named}")
        else:
            counts = f", of which the {pick} counts" if len(several) > 1 else ""
            report.notes.append(f"judged again: {where} in {named}{counts}")
    moved = {regrade.path for several in regrades.values() for regrade in several}
    found = []
    for trial in trials:
        if trial.path in regrades:
            chosen = regrades[trial.path][0 if pick == "first" else -1]
            found.append(replace(chosen, job=trial.job, config=trial.config, judged_again=trial))
        elif trial.path not in moved:
            found.append(trial)
    return found


def identified(
    trials: Sequence[Trial], tasks: Tasks, options: ImportOptions, report: Report
) -> tuple[list[Run], frozenset[str]]:
    """Find out which agent made each trial, at which task; those that nothing can be made of are passed over.

    Raises:
        UsageError: The agent that is asked for is not here, or one name is given to several.
    """
    authors = completed({trial.path: author_of(trial) for trial in trials})
    wanted: list[Trial] = []
    others: list[Trial] = []
    left: defaultdict[str, list[Path]] = defaultdict(list)
    for trial in trials:
        author = authors[trial.path]
        # A model may be named with or without its provider, and a baseline must be.
        names = [each for each in (author.name, author.model) if each]
        if not (trial.has_result or trial.rounds or not trial.loose.is_empty):
            left["the trial has not left anything yet"].append(trial.path)
        elif trial.config.install_only or trial.config.verifier.disable:
            left["it was run without being checked"].append(trial.path)
        elif is_asked_for(names, options, KNOWN) if options.model is not None else not author.is_baseline:
            wanted.append(trial)
        elif author.is_baseline:
            left["a baseline: no agent ran"].append(trial.path)
        else:
            left["another model than the one asked for"].append(trial.path)
            others.append(trial)
    for why, paths in left.items():
        report.passed_over(why, paths)
    found = sorted({name for trial in wanted if (name := authors[trial.path].name)})
    check_asked_for(found, {each.name for each in authors.values() if each.name}, options)
    roster = Roster.chosen(found, options)
    runs = []
    for trial in wanted:
        author, task, where = authors[trial.path], tasks.find(trial.task_names), report.name(trial.path)
        name = options.agent or (roster.one_name(author.name) if author.name else None)
        if task is None:
            rule = rules.TASK_LEFT_OUT if options.allow_missing else rules.TASK_UNKNOWN
            called = f"no task.toml is known for {one_line(trial.told_tasks[0])}" if trial.told_tasks else ""
            report.doubt(rule, trial.path, where, called or "nothing tells which task was run")
        elif not name:
            report.doubt(rules.AGENT_UNKNOWN, trial.path, where)
        else:
            runs.append(Run(trial, author, author.entrant(name, options), task))
    ran = (tasks.find(trial.task_names) for trial in (*wanted, *others))
    return runs, frozenset(task.task.id for task in ran if task)


def counting_runs(runs: Sequence[Run], pick: Pick, report: Report) -> list[AgentRuns]:
    """Sort the runs that count by who made them, in the order of the agents' names. Nothing is chosen silently."""
    found = []
    usable = [run for run in runs if _is_usable(run, report)]
    for entrant, own in sorted(grouped((run.entrant, run) for run in usable).items()):
        counting: dict[Place, Run] = {}
        for task, several in sorted(grouped((run.task.task.id, run) for run in own if run.sampled is None).items()):
            # The trials of a job are attempts, another job is another run.
            jobs = grouped((run.trial.job.folder.path, run) for run in several).values()
            ordered = sorted(jobs, key=lambda job: min(run.trial.job_order for run in job))
            job = _chosen(ordered, lambda run: run.trial.job.folder.path, task, pick, report)
            if twice := repeated(run.trial.result.id for run in job if run.trial.result.id):
                copies = ", ".join(report.name(run.trial.path) for run in job if run.trial.result.id in twice)
                where = f"{entrant} ran {task} in a trial that is here twice"
                report.doubt(rules.RUNS_SEVERAL, job[0].trial.path.parent, where, copies)
            for attempt, run in enumerate(sorted(job, key=lambda run: run.trial.order), start=1):
                counting[task, attempt, "own"] = run
        sampled = grouped(((run.task.task.id, run.sampled), run) for run in own if run.sampled is not None)
        for (task, number), several in sorted(sampled.items()):
            alone = [[run] for run in sorted(several, key=lambda run: (run.trial.job_order, run.trial.order))]
            what = f"round {number} of {task} from the reference state"
            counting[task, number, "reference"] = _chosen(alone, lambda run: run.trial.path, what, pick, report)[0]
        found.append(AgentRuns(entrant, counting))
    return found


def _is_usable(run: Run, report: Report) -> bool:
    """Whether a run has the rounds of its task, all of them or the one that it was to sample."""
    where, trial, names = run.spot(report.name(run.trial.path)), run.trial, [each.casefold() for each in run.task.steps]
    told = dict.fromkeys([*trial.rounds, *(each.step_name or "" for each in trial.steps.values())])
    strange = [name for name in told if name.casefold() not in names] if run.task.is_chain else []
    before = (trial.steps[name] for name in names[: run.start - 1] if name in trial.steps)
    is_carried = run.start <= len(names) and run.reached(names[run.start - 1])
    if strange:
        report.doubt(rules.STEPS_DIFFER, trial.path, where, f"the task has no {', '.join(strange)}")
    elif run.sampled is None and run.end < len(run.task.task.rounds):
        report.doubt(rules.RUN_PARTIAL, trial.path, where, f"told to end after round {run.end}")
    elif run.sampled and (not is_carried or any(each.exception for each in before)):
        report.doubt(rules.REFERENCE_INVALID, trial.path, where, f"round {run.sampled} was not reached")
    else:
        return True
    return False


def _chosen(
    choices: Sequence[Sequence[Run]], place: Callable[[Run], Path], what: str, pick: Pick, report: Report
) -> Sequence[Run]:
    """Choose among several jobs or runs in their order, and say which counts, or that it has to be said."""
    chosen = choices[0 if pick == "first" else -1]
    names = [report.name(place(runs[0])) for runs in choices]
    where = f"{chosen[0].entrant} ran {what} several times"
    if len(choices) > 1 and pick is None:
        report.doubt(rules.RUNS_SEVERAL, chosen[0].trial.path.parent, where, ", ".join(names))
    elif len(choices) > 1:
        picked = names[choices.index(chosen)]
        others = ", ".join(name for name in names if name != picked)
        report.notes.append(f"{where}: {picked} counts as the {pick}, passed over: {others}")
    return chosen


def check_runs(runs: Sequence[Run], report: Report) -> None:
    """Say which runs may have gone on since, and in which an agent was told or could see more than others."""
    exposed = set[tuple[str, Entrant]]()
    for run in {(run.trial.job.folder.path, run.entrant): run for run in runs}.values():
        job, told = run.trial.job, run.trial.job.result.n_total_trials or 0
        if told > job.trials:
            where, what = Spot(run.entrant, report.name(job.folder.path)), f"{job.trials} of {told} trials are here"
            report.doubt(rules.TRIALS_MISSING, job.folder.path, where, what)
    for run in runs:
        config, version = run.trial.config, run.trial.version or ""
        where = run.spot(report.name(run.trial.path))
        if not run.trial.has_result and CONFIG in run.trial.folder.files:
            report.doubt(rules.RUN_UNFINISHED, run.trial.path, where)
        if config.extra_instructions or config.extra_instruction_paths:
            report.doubt(rules.EXTRA_INSTRUCTIONS, run.trial.path, where)
        if config.agent.resume_trajectory and len(run.task.steps) > 1:
            report.doubt(rules.SESSION_RESUMED, run.trial.path, where)
        if run.sampled is not None and run.start < run.end:
            report.notes.append(f"{where}: rounds after {run.start} go on from the agent's own work and are not used")
        match = _VERSION.match(version)
        if run.task.is_chain and match and tuple(int(part or 0) for part in match.groups()) <= _LAST_EXPOSED:
            exposed.add((version, run.entrant))
    for version, entrant in sorted(exposed):
        report.doubt(rules.VERIFIER_EXPOSED, report.root, Spot(entrant), f"run by harbor {one_line(version)}")
