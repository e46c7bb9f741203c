"""Runs: trials of which the agent, the task and the rounds are known; and those of them that count."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.tasks import TaskDefinition, Tasks
from sitegen.importers.harbor.trials import (
    BASELINES,
    CONFIG,
    RESULT,
    Author,
    Trial,
    author_of,
    completed,
)
from sitegen.importers.harbor.verdicts import Rubric, has_verdict
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import KNOWN, Entrant, Roster, check_asked_for, is_asked_for
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import ImportOptions, Pick
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.tree import digest_of
from sitegen.models.outcome import RoundResult, Start
from sitegen.problems import grouped

_LAST_EXPOSED = (0, 23, 0)
"""The last version of the runner in which an agent finds the checks of the rounds before."""

NEWEST_RUNNER = "0.26"
"""The newest version of the runner whose files were looked at."""

NEWEST_RESULT, NEWEST_TRIAL_LOCK, NEWEST_JOB_LOCK = 1, 2, 3
"""The newest versions of the formats of a trial's result, its lock and the lock of its job."""

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
        return Spot(
            self.entrant, self.task.task.id, words, "own" if self.sampled is None else "reference"
        )

    def reached(self, name: str) -> bool:
        """Whether anything tells of a round, by the step's name."""
        return name.casefold() in {*self.trial.steps, *self.trial.workplaces}

    @property
    def order(self) -> tuple[str, str, str, str]:
        """Its place among other runs, in the order of time."""
        return *self.trial.job_order, *self.trial.order


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


def without_copies(trials: Sequence[Trial], pick: Pick | None, report: Report) -> list[Trial]:
    """Return each trial once; a job may lie in a source twice, for instance in a backup.

    A copy that has ended counts before one that was made while the trial ran. Copies with different verdicts are no
    copies: it has to be said which one counts.
    """
    by_id: dict[object, list[Trial]] = {}
    for trial in trials:
        by_id.setdefault(trial.result.id or trial.path, []).append(trial)
    ended = {trial.place_in_job for trial in trials if trial.has_result and trial.place_in_job}
    kept = set[Path]()
    for same_id in by_id.values():
        for same in _copies(same_id):
            chosen = same[-1 if pick == "latest" else 0]
            if pick is None and any(trial.verdicts != chosen.verdicts for trial in same):
                names = ", ".join(report.name(trial.path) for trial in same)
                report.doubt(
                    rules.RUNS_SEVERAL,
                    chosen.path,
                    names,
                    "copies of one trial have different verdicts",
                )
            if chosen.has_result or chosen.place_in_job not in ended:
                kept.add(chosen.path)
    copies = [trial.path for trial in trials if trial.path not in kept]
    report.passed_over("a copy of a trial that is here already", copies)
    return [trial for trial in trials if trial.path in kept]


def _copies(trials: Sequence[Trial]) -> Iterator[list[Trial]]:
    """Yield trials of one id by what they are copies of.

    Their files are the same, or they have the same name, agent, task and beginning: whoever makes files by hand may
    give an id twice.
    """
    if len(trials) == 1:
        yield [*trials]
        return
    by_content = grouped((digest_of([trial.path / RESULT]), trial) for trial in trials)
    by_place: dict[object, list[Trial]] = {}
    for same in by_content.values():
        first = same[0]
        place = first.name, first.told_tasks, author_of(first).model, first.started
        by_place.setdefault(place, []).extend(same)
    yield from by_place.values()


def judged_again(trials: Sequence[Trial], pick: Pick | None, report: Report) -> list[Trial]:
    """Put trials that judge the work of another one again in its place: they are no attempts of their own.

    What is judged for a third time counts as a regrade of the first. A regrade whose source is not among the trials
    stands for itself: nothing else tells of that work.
    """
    regrades = _regrades(trials)
    for path, several in regrades.items():
        names = ", ".join(report.name(regrade.path) for regrade in several)
        place = report.name(path)
        if len(several) > 1 and pick is None:
            report.doubt(rules.RUNS_SEVERAL, path, place, f"judged again several times: {names}")
        else:
            counts = f", of which the {pick} counts" if len(several) > 1 else ""
            report.notes.append(f"judged again: {place} in {names}{counts}")
    moved = {regrade.path for several in regrades.values() for regrade in several}
    counting = []
    for trial in trials:
        if trial.path in regrades:
            chosen = regrades[trial.path][0 if pick == "first" else -1]
            counting.append(replace(chosen, job=trial.job, config=trial.config, judged_again=trial))
        elif trial.path not in moved:
            counting.append(trial)
    return counting


def _regrades(trials: Sequence[Trial]) -> dict[Path, list[Trial]]:
    """Return the trials that judge a trial's work again, in the order of time, by the path of that trial."""
    by_id = {trial.result.id: trial for trial in trials if trial.result.id}
    by_name = {trial.name: trial for trial in trials}
    sources: dict[Path, Trial] = {}
    for trial in trials:
        named = Path((trial.config.source_path or "").replace("\\", "/")).name
        source = by_id.get(trial.config.source_id or "") or by_name.get(named)
        if source is not None and source is not trial:
            sources[trial.path] = source
    regrades: dict[Path, list[Trial]] = {}
    for trial in sorted(trials, key=lambda trial: trial.order):
        first, seen = trial, {trial.path}
        while first.path in sources:
            first = sources[first.path]
            if first.path in seen:  # in a circle there is no work itself
                first = trial
                break
            seen.add(first.path)
        if first is not trial:
            regrades.setdefault(first.path, []).append(trial)
    return regrades


@dataclass(frozen=True, slots=True)
class Identification:
    """The trials of an import that are runs of an agent at a task."""

    runs: Sequence[Run]
    tasks: frozenset[str]
    """Ids of the tasks that somebody ran, or that a job was to run."""


def identified(
    trials: Sequence[Trial], tasks: Tasks, options: ImportOptions, report: Report
) -> Identification:
    """Return which agent made each trial, at which task; those that nothing can be made of are passed over.

    Raises:
        UsageError: The agent that is asked for is not here, or one name is given to several.
    """
    authors = completed({trial.path: author_of(trial) for trial in trials})
    wanted, others = _wanted(trials, authors, options, report)
    names = sorted({name for trial in wanted if (name := authors[trial.path].name)})
    check_asked_for(names, {author.name for author in authors.values() if author.name}, options)
    roster = Roster.chosen(names, options)
    runs: list[Run] = []
    nameless: list[Trial] = []
    taskless: list[Trial] = []
    for trial in wanted:
        author = authors[trial.path]
        task = tasks.find(trial.task_names)
        name = options.agent or (roster.one_name(author.name) if author.name else None)
        if task is None:
            taskless.append(trial)
        elif not name:
            nameless.append(trial)
        else:
            runs.append(Run(trial, author, author.entrant(name, options), task))
    _leave_out_taskless(taskless, options, report, has_others=bool(runs))
    _leave_out_nameless(nameless, report, has_others=bool(runs))
    ran = {task.task.id for trial in (*wanted, *others) if (task := tasks.find(trial.task_names))}
    return Identification(runs, frozenset(ran | _planned(wanted, tasks)))


def _wanted(
    trials: Sequence[Trial], authors: Mapping[Path, Author], options: ImportOptions, report: Report
) -> tuple[list[Trial], list[Trial]]:
    """Return the trials of agents that are asked for, and those of other agents; all others are passed over."""
    wanted: list[Trial] = []
    others: list[Trial] = []
    left: defaultdict[str, list[Path]] = defaultdict(list)
    for trial in trials:
        author = authors[trial.path]
        # A model may be named with or without its provider, and a baseline must be.
        names = [name for name in (author.name, author.model) if name]
        is_asked = not author.is_baseline
        if options.model is not None:
            is_asked = is_asked_for(names, options, KNOWN)
        if trial.has_left_nothing and not trial.told_tasks:
            left["the trial has not left anything yet"].append(trial.path)
        elif trial.config.install_only or trial.config.verifier.disable:
            left["it was run without being checked"].append(trial.path)
        elif is_asked:
            wanted.append(trial)
        elif author.is_baseline:
            left["a baseline: no agent ran"].append(trial.path)
        else:
            left["another model than the one asked for"].append(trial.path)
            others.append(trial)
    for why, paths in left.items():
        report.passed_over(why, paths)
    return wanted, others


def _leave_out_taskless(
    trials: Sequence[Trial], options: ImportOptions, report: Report, *, has_others: bool
) -> None:
    """Say of which trials the task is not known well enough to import them.

    One that says nothing of its task is left out beside others. Where the rounds of a named task are not known, it has
    to be said where the tasks are, or that these trials are to be left out.
    """
    rule = rules.TASK_LEFT_OUT if options.allow_missing else rules.TASK_UNKNOWN
    for trial in trials:
        place = report.name(trial.path)
        if trial.told_tasks:
            report.doubt(
                rule,
                trial.path,
                place,
                f"no task.toml is known for {one_line(trial.told_tasks[0])}",
            )
        elif has_others:
            what = "nothing tells which task was run"
            report.doubt(kit_rules.LEFT_OUT, trial.path, Spot(None, place, place), what)
        else:
            report.doubt(rule, trial.path, place, "nothing tells which task was run")


def _leave_out_nameless(trials: Sequence[Trial], report: Report, *, has_others: bool) -> None:
    """Say of which trials the agent is not known; they are left out beside others."""
    for trial in trials:
        place = report.name(trial.path)
        if has_others:
            what = "nothing tells which agent made it"
            report.doubt(kit_rules.LEFT_OUT, trial.path, Spot(None, place, place), what)
        else:
            report.doubt(rules.AGENT_UNKNOWN, trial.path, place)


def _planned(trials: Sequence[Trial], tasks: Tasks) -> set[str]:
    """Return the ids of the tasks that the jobs of some trials were to run with an agent."""
    planned = set[str]()
    for job in {trial.job.folder.path: trial.job for trial in trials}.values():
        for lock in job.lock.trials or ():
            task = tasks.find(lock.task.names) if lock.task else None
            if task is not None and lock.agent.name not in BASELINES:
                planned.add(task.task.id)
    return planned


def counting_runs(runs: Sequence[Run], options: ImportOptions, report: Report) -> list[AgentRuns]:
    """Return the runs that count by who made them, in the order of the agents' names. Nothing is chosen silently."""
    fitting = _fitting(runs, report)
    usable = [run for run in fitting if _is_usable(run, report)]
    agents = []
    for entrant, own in sorted(grouped((run.entrant, run) for run in usable).items()):
        attempts = [run for run in own if run.sampled is None]
        counting = dict(attempts_of(entrant, attempts, options, report))
        sampled = grouped(
            ((run.task.task.id, run.sampled), run) for run in own if run.sampled is not None
        )
        for (task, number), several in sorted(sampled.items()):
            what = f"round {number} of {task} from the reference state"
            ordered = sorted(several, key=lambda run: run.order)
            counting[task, number, "reference"] = _chosen(ordered, what, options.pick, report)
        agents.append(AgentRuns(entrant, counting))
    return agents


def attempts_of(
    entrant: Entrant, runs: Sequence[Run], options: ImportOptions, report: Report
) -> Iterator[tuple[Place, Run]]:
    """Yield an agent's runs from a task's beginning, by task and attempt.

    The trials of a job are attempts in the order of time; what several jobs with the same task are is the kit's to
    decide. It goes by which of them came to a verdict.
    """
    rubric = Rubric.of(options)
    jobs = [_job_run(entrant, job, rubric) for job in _jobs_in_order(runs)]
    times = Counter(task for job in jobs for task in {task for task, *_ in job.results})
    alone: list[AgentRun] = []
    shared: list[AgentRun] = []
    for job in jobs:
        repeats = any(times[task] > 1 for task, *_ in job.results)
        (shared if repeats else alone).append(job)
    by_path = {run.trial.path: run for run in runs}
    placed: dict[tuple[str, int, int], Path] = {}
    for job in (*alone, *join_runs(shared, options, report)):
        placed |= job.files
    report.passed_over(
        "another run of the task counts", [path for path in by_path if path not in placed.values()]
    )
    for (task, attempt, _), path in sorted(placed.items()):
        yield (task, attempt, "own"), by_path[path]


def _jobs_in_order(runs: Sequence[Run]) -> list[list[Run]]:
    """Return runs by their jobs, both in the order of time."""
    jobs = grouped((run.trial.job.folder.path, run) for run in runs)
    ordered = [sorted(job, key=lambda run: run.trial.order) for job in jobs.values()]
    return sorted(ordered, key=_job_time)


def _job_time(runs: Sequence[Run]) -> tuple[str, tuple[str, str]]:
    """Return when the first of a job's runs began; jobs that began at once are in the order of their names.

    The clock in the name of a job is that of its machine.
    """
    by_name = min(run.trial.job_order for run in runs)
    starts = [run.trial.started for run in runs if run.trial.started]
    return min(starts, default=by_name[0]), by_name


def _job_run(entrant: Entrant, runs: Sequence[Run], rubric: Rubric) -> AgentRun:
    """Return what an agent did in a job: whether each attempt came to a verdict, and the folder where it lies."""
    job = AgentRun(runs[0].trial.job.folder.path, entrant)
    numbers = Counter[str]()
    files: dict[tuple[str, int, int], Path] = {}
    for run in runs:
        task = run.task.task.id
        numbers[task] += 1
        is_judged = has_verdict(run.trial, run.task.steps, rubric)
        job.add(RoundResult(task, numbers[task], 1, "scored" if is_judged else "aborted", 0))
        files[task, numbers[task], 0] = run.trial.path
    job.files = files
    return job


def _fitting(runs: Sequence[Run], report: Report) -> list[Run]:
    """Return the runs that have no other rounds than their task.

    A run with others is left out beside runs that fit; where none fits, another version of the task was run.
    """
    strange_names = {run.trial.path: _strange_names(run) for run in runs}
    fitting = [run for run in runs if not strange_names[run.trial.path]]
    tasks = {run.task.task.id for run in fitting}
    for run in runs:
        strange = strange_names[run.trial.path]
        if strange:
            rule = kit_rules.LEFT_OUT if run.task.task.id in tasks else rules.STEPS_DIFFER
            what = f"the task has no {', '.join(strange)}"
            report.doubt(rule, run.trial.path, run.spot(report.name(run.trial.path)), what)
    return fitting


def _strange_names(run: Run) -> list[str]:
    """Return the names of a run's rounds that its task does not have."""
    if not run.task.is_chain:
        return []
    names = {name.casefold() for name in run.task.steps}
    steps = [step.step_name or "" for step in run.trial.steps.values()]
    present = dict.fromkeys([*run.trial.rounds, *steps])
    return [one_line(name) for name in present if name.casefold() not in names]


def _is_usable(run: Run, report: Report) -> bool:
    """Return whether a run went through the rounds of its task, all of them or the one that it was to sample."""
    trial = run.trial
    where = run.spot(report.name(trial.path))
    if run.sampled is None and run.end < len(run.task.task.rounds):
        report.doubt(rules.RUN_PARTIAL, trial.path, where, f"told to end after round {run.end}")
        return False
    names = [name.casefold() for name in run.task.steps]
    before = [trial.steps[name] for name in names[: run.start - 1] if name in trial.steps]
    is_carried = run.start <= len(names) and run.reached(names[run.start - 1])
    if run.sampled and (not is_carried or any(step.exception for step in before)):
        report.doubt(
            rules.REFERENCE_INVALID, trial.path, where, f"round {run.sampled} was not reached"
        )
        return False
    return True


def _chosen(runs: Sequence[Run], what: str, pick: Pick | None, report: Report) -> Run:
    """Return the run that counts of several in their order, and say which it is, or that it has to be said."""
    chosen = runs[0 if pick == "first" else -1]
    names = [report.name(run.trial.path) for run in runs]
    where = f"{chosen.entrant} ran {what} several times"
    if len(runs) > 1 and pick is None:
        report.doubt(rules.RUNS_SEVERAL, chosen.trial.path.parent, where, ", ".join(names))
    elif len(runs) > 1:
        picked = report.name(chosen.trial.path)
        others = ", ".join(name for name in names if name != picked)
        report.notes.append(f"{where}: {picked} counts as the {pick}, passed over: {others}")
    return chosen


def check_runs(runs: Sequence[Run], report: Report) -> None:
    """Say which runs may have gone on since, and in which an agent was told or could see more than others."""
    _check_jobs(runs, report)
    exposed = set[tuple[str, Entrant]]()
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
            what = f"rounds after {run.start} go on from the agent's own work and are not used"
            report.notes.append(f"{where}: {what}")
        match = _VERSION.match(version)
        if (
            run.task.is_chain
            and match
            and tuple(int(part or 0) for part in match.groups()) <= _LAST_EXPOSED
        ):
            exposed.add((version, run.entrant))
    for version, entrant in sorted(exposed):
        report.doubt(
            rules.VERIFIER_EXPOSED, report.root, Spot(entrant), f"run by harbor {one_line(version)}"
        )


def _check_jobs(runs: Sequence[Run], report: Report) -> None:
    """Say which jobs count more trials than are here."""
    for run in {(run.trial.job.folder.path, run.entrant): run for run in runs}.values():
        job = run.trial.job
        planned = job.result.n_total_trials or 0
        if planned > job.trials:
            where = Spot(run.entrant, report.name(job.folder.path))
            report.doubt(
                rules.TRIALS_MISSING,
                job.folder.path,
                where,
                f"{job.trials} of {planned} trials are here",
            )


def check_versions(agent: AgentRuns, report: Report) -> None:
    """Say which files of an agent's runs are of a newer version than is known here."""
    for run in agent.runs.values():
        trial = run.trial
        formats: dict[str, tuple[str | float | None, str | float]] = {
            "Harbor": (trial.version, NEWEST_RUNNER),
            "Harbor's format of results": (trial.result.schema_version, NEWEST_RESULT),
            "Harbor's format of trial locks": (trial.lock.schema_version, NEWEST_TRIAL_LOCK),
            "Harbor's format of job locks": (trial.job.lock.schema_version, NEWEST_JOB_LOCK),
        }
        for name, (version, newest) in formats.items():
            report.newer_version(name, version, newest, agent.entrant)
