"""Runs: trials of which the agent, the task and the rounds are known; and those of them that count."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.evidence import KEY, read_rewards
from sitegen.importers.harbor.tasks import TaskDefinition, Tasks
from sitegen.importers.harbor.trials import CONFIG, Author, Trial, Workplace, authors_of
from sitegen.importers.kit.agents import KNOWN, Entrant, Roster, check_asked_for, is_asked_for
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.problems import Rule

K = TypeVar("K", bound=Hashable)

Pick: TypeAlias = Literal["latest", "first"] | None
"""Which of several jobs counts in which an agent ran the same task; None where that is an error."""

_LAST_EXPOSED = (0, 23, 0)
"""The last version of the runner in which an agent finds the checks of the rounds before."""

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")

_FORWARD = "-fast-forward.txt"
"""How files end in which the reference solution's output is kept."""


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
            place = self.workplace(name)
            forwarded = place and place.agent and any(each.endswith(_FORWARD) for each in place.agent.files)
            if not forwarded or (place and place.verifier and place.verifier.files):
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

    @property
    def is_carried(self) -> bool:
        """Whether the reference solution brought it to its first round."""
        names = [name.casefold() for name in self.task.steps]
        before = (self.trial.steps[name] for name in names[: self.start - 1] if name in self.trial.steps)
        reached = self.start <= len(names) and self.reached(names[self.start - 1])
        return reached and not any(each.exception_info.exception_type for each in before)

    def reached(self, name: str) -> bool:
        """Whether anything tells of a round, by the step's name."""
        return name.casefold() in self.trial.steps or self.workplace(name) is not None

    def workplace(self, name: str) -> Workplace | None:
        """The folder of a round by the step's name; None where there is none."""
        return self.trial.workplaces.get(name.casefold())

    def strange_steps(self) -> list[str]:
        """The rounds that the trial has and its task has not."""
        known = {name.casefold() for name in self.task.steps}
        told = dict.fromkeys([*self.trial.place.rounds, *(each.step_name or "" for each in self.trial.steps.values())])
        return [name for name in told if name.casefold() not in known] if self.task.is_chain else []


@dataclass(frozen=True, slots=True)
class AgentRuns:
    """The runs of one agent that count."""

    entrant: Entrant
    attempts: Mapping[str, Sequence[Run]]
    """Runs from a task's beginning, by task, in the order of the attempts."""
    samples: Mapping[tuple[str, int], Run]
    """Runs of single rounds from the reference state, by task and round."""

    @property
    def runs(self) -> Iterator[Run]:
        """Every run that counts."""
        for each in self.attempts.values():
            yield from each
        yield from self.samples.values()

    @property
    def most(self) -> int:
        """Attempts at the task that has most of them."""
        return max(map(len, self.attempts.values()), default=0)


def judged_again(trials: Sequence[Trial], pick: Pick, report: Report) -> list[Trial]:
    """Put trials that judge the work of another one again in its place: they are no attempts of their own."""
    regrades = _regrades_of(trials)
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


def _regrades_of(trials: Sequence[Trial]) -> dict[Path, list[Trial]]:
    """The trials that judge the work of each trial again, by its path, in their order.

    What is judged for a third time counts as a regrade of the first. A regrade whose source is not among the trials
    stands for itself: nothing else tells of that work.
    """
    by_id = {trial.result.id: trial for trial in trials if trial.result.id}
    by_name = {trial.name: trial for trial in trials}
    sources: dict[Path, Trial] = {}
    for trial in trials:
        if told := trial.config.source_trial:
            named = Path(told.path.replace("\\", "/")).name if told.path else ""
            source = by_id.get(told.trial_id or "") or by_name.get(named)
            if source is not None and source is not trial:
                sources[trial.path] = source
    found: dict[Path, list[Trial]] = {}
    for trial in sorted(trials, key=lambda each: each.order):
        first, seen = trial, {trial.path}
        while first.path in sources:
            first = sources[first.path]
            if first.path in seen:  # in a circle there is no work itself
                first = trial
                break
            seen.add(first.path)
        if first is not trial:
            found.setdefault(first.path, []).append(trial)
    return found


def identified(
    trials: Sequence[Trial], tasks: Tasks, options: ImportOptions, report: Report
) -> tuple[list[Run], Roster, frozenset[str]]:
    """Find out which agent made each trial, at which task; those that nothing can be made of are passed over.

    Raises:
        UsageError: The agent that is asked for is not here, or one name is given to several.
    """
    authors = authors_of(trials)
    report.passed_over("the trial has not left anything yet", [each.path for each in trials if not each.is_told])
    told = [trial for trial in trials if trial.is_told]
    report.passed_over("it was run without being checked", [each.path for each in told if not each.is_verified])
    checked = [trial for trial in told if trial.is_verified]
    agents = [trial for trial in checked if not authors[trial.path].is_baseline]
    # A model may be named with or without its provider, and a baseline must be.
    named = {path: [each for each in (author.name, author.model) if each] for path, author in authors.items()}
    wanted = agents
    if options.model is not None:
        wanted = [trial for trial in checked if is_asked_for(named[trial.path], options, KNOWN)]
    paths = {trial.path for trial in wanted}
    left = [trial.path for trial in checked if trial.path not in paths]
    report.passed_over("a baseline: no agent ran", [path for path in left if authors[path].is_baseline])
    others = [path for path in left if not authors[path].is_baseline]
    report.passed_over("another model than the one asked for", others)
    names = sorted({name for path in paths if (name := authors[path].name)})
    check_asked_for(names, {each.name for each in authors.values() if each.name}, options)
    roster = Roster.chosen(names, options)
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
            entrant = Entrant(name, author.scaffold or "", author.reasoning or options.reasoning or "")
            runs.append(Run(trial, author, entrant, task))
    ran = (tasks.find(trial.task_names) for trial in (*agents, *wanted))
    return _with_told_targets(runs, report), roster, frozenset(task.task.id for task in ran if task)


def _with_told_targets(runs: Sequence[Run], report: Report) -> list[Run]:
    """Give tasks that do not name their targets those that the verdicts of any run name, all of the same weight."""
    named: dict[str, dict[str, None]] = {}
    for run in runs:
        if not run.task.is_chain and not run.task.targets:
            rewards, _ = read_rewards(run.trial.result.verifier_result, run.trial.place.loose)
            keys = named.setdefault(run.task.task.id, {})
            keys.update(dict.fromkeys(sorted(set(rewards.by_key) - {KEY})))
    tasks: dict[str, TaskDefinition] = {}
    for run in runs:
        name = run.task.task.id
        targets = tuple(named.get(name, ()))
        if targets and name not in tasks:
            tasks[name] = run.task.with_targets(targets)
            report.doubt(rules.TARGETS_ASSUMED, run.task.path, Spot(None, name, name), ", ".join(targets))
    return [replace(run, task=tasks.get(run.task.task.id, run.task)) for run in runs]


def counting_runs(runs: Sequence[Run], pick: Pick, report: Report) -> list[AgentRuns]:
    """Sort the runs that count by who made them, in the order of the agents' names. Nothing is chosen silently."""
    found = []
    usable = [run for run in runs if _is_usable(run, report)]
    for entrant, own in sorted(_grouped((run.entrant, run) for run in usable).items()):
        attempts: dict[str, Sequence[Run]] = {}
        for task, several in sorted(_grouped((run.task.task.id, run) for run in own if run.sampled is None).items()):
            # The trials of a job are attempts, another job is another run.
            jobs = _grouped((run.trial.job.folder.path, run) for run in several).values()
            ordered = sorted(jobs, key=lambda job: min(run.trial.job_order for run in job))
            job = _chosen(ordered, lambda run: run.trial.job.folder.path, task, pick, report)
            attempts[task] = sorted(job, key=lambda run: run.trial.order)
        samples: dict[tuple[str, int], Run] = {}
        sampled = _grouped(((run.task.task.id, run.sampled), run) for run in own if run.sampled is not None)
        for (task, number), several in sorted(sampled.items()):
            alone = [[run] for run in sorted(several, key=lambda run: (run.trial.job_order, run.trial.order))]
            what = f"round {number} of {task} from the reference state"
            samples[task, number] = _chosen(alone, lambda run: run.trial.path, what, pick, report)[0]
        found.append(AgentRuns(entrant, attempts, samples))
    return found


def _is_usable(run: Run, report: Report) -> bool:
    where = run.spot(report.name(run.trial.path))
    if strange := run.strange_steps():
        report.doubt(rules.STEPS_DIFFER, run.trial.path, where, f"the task has no {', '.join(strange)}")
    elif run.sampled is None and run.end < len(run.task.task.rounds):
        report.doubt(rules.RUN_PARTIAL, run.trial.path, where, f"told to end after round {run.end}")
    elif run.sampled and not run.is_carried:
        report.doubt(rules.REFERENCE_INVALID, run.trial.path, where, f"round {run.sampled} was not reached")
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


def _grouped(pairs: Iterable[tuple[K, Run]]) -> dict[K, list[Run]]:
    found: defaultdict[K, list[Run]] = defaultdict(list)
    for key, run in pairs:
        found[key].append(run)
    return dict(found)


def check_runs(runs: Sequence[Run], report: Report) -> None:
    """Say which runs may have gone on since, and in which an agent was told or could see more than others."""
    exposed: dict[tuple[str, str], Run] = {}
    for run in runs:
        config, version = run.trial.config, run.trial.version or ""
        where = run.spot(report.name(run.trial.path))
        broken: list[tuple[bool, Rule]] = [
            (not run.trial.has_result and CONFIG in run.trial.place.folder.files, rules.RUN_UNFINISHED),
            (bool(config.extra_instructions or config.extra_instruction_paths), rules.EXTRA_INSTRUCTIONS),
            (bool(config.agent.resume_trajectory) and len(run.task.steps) > 1, rules.SESSION_RESUMED),
        ]
        for is_broken, rule in broken:
            if is_broken:
                report.doubt(rule, run.trial.path, where)
        if run.sampled is not None and run.start < run.end:
            report.notes.append(f"{where}: rounds after {run.start} go on from the agent's own work and are not used")
        match = _VERSION.match(version)
        if run.task.is_chain and match and tuple(int(part or 0) for part in match.groups()) <= _LAST_EXPOSED:
            exposed[version, str(run.entrant)] = run
    for (version, _), run in sorted(exposed.items(), key=lambda each: each[0]):
        report.doubt(rules.VERIFIER_EXPOSED, report.root, Spot(run.entrant), f"run by harbor {one_line(version)}")
