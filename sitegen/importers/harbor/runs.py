"""Decide which trials are runs of an agent at a task, and which of these runs count.

A run is an attempt if the agent began with the task's first round. The runner can also begin with a
later round: then the reference solution solves the earlier rounds, and the agent starts from the
reference state. Such a run is a sample of that one round.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.identities import (
    BASELINES,
    AgentIdentity,
    complete_identities,
    identify_agent,
)
from sitegen.importers.harbor.rewards import Rubric, can_be_scored
from sitegen.importers.harbor.tasks import TaskDefinition, Tasks
from sitegen.importers.harbor.trials import CONFIG, RoundFiles, Trial
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import (
    AgentNames,
    RankedAgent,
    check_asked_for,
    is_asked_for,
)
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.joining import AttemptOutcome, RunToJoin, choose_attempts
from sitegen.importers.kit.options import ImportOptions, Pick
from sitegen.importers.kit.redaction import one_line
from sitegen.models.outcome import Start
from sitegen.problems import Rule, grouped

NEWEST_RUNNER = "0.26"
"""The newest version of the runner whose files the import was tested with."""

NEWEST_RESULT = 1
"""The newest known format version of a trial's result."""

NEWEST_TRIAL_LOCK = 2
NEWEST_JOB_LOCK = 3

_LAST_EXPOSED = (0, 23, 0)
"""The last version of the runner in which an agent can see the checks of earlier rounds."""

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")

_BASELINE = "a baseline: no agent ran"
_OTHER_MODEL = "its model was not selected"

WHOLE_RUN = 0
"""The round number of a file that belongs to a complete attempt, as in `Draft.transcripts`."""

AttemptKey = tuple[str, int]
"""The id of a task, and the number of an attempt at it."""

SampleKey = tuple[str, int]
"""The id of a task, and the number of the round that was run from the reference state."""


@dataclass(frozen=True)  # no slots: cached properties need a dict
class HarborRun:
    """A trial whose agent, task and rounds are known."""

    trial: Trial
    identity: AgentIdentity
    entrant: RankedAgent
    task: TaskDefinition

    @property
    def path(self) -> Path:
        """The folder of the trial."""
        return self.trial.path

    @property
    def task_id(self) -> str:
        """The id of the task."""
        return self.task.id

    @property
    def round_count(self) -> int:
        """The number of the task's rounds."""
        return len(self.task.task.rounds)

    @cached_property
    def first_round(self) -> int:
        """The agent's first round; earlier rounds were solved by the reference solution."""
        stated_start = self.trial.config.multi_step_start_step
        if stated_start:
            return stated_start
        for number, name in enumerate(self.task.round_names, start=1):
            if not _is_fast_forwarded(self.trial.find_round(name)):
                return number
        return len(self.task.round_names) + 1

    @property
    def last_round(self) -> int:
        """The last round that the run was configured to include."""
        stated_end = self.trial.config.multi_step_end_step or self.round_count
        return min(stated_end, self.round_count)

    @property
    def sampled_round(self) -> int | None:
        """The round that a sample ran from the reference state; None for an attempt.

        The first round has no separate reference state: it begins with the task's initial state. A
        run that was to end with the first round is a sample of that round.
        """
        if not self.task.is_chain:
            return None
        is_first_only = self.last_round == 1 and self.round_count > 1
        if self.first_round > 1 or is_first_only:
            return self.first_round
        return None

    def spot(self, name: str) -> SourceLocation:
        """Return the run's location, with names for messages (folder) and for readers (task)."""
        message_name = f"{self.entrant} at {self.task_id}, {name}"
        start: Start = "own" if self.sampled_round is None else "reference"
        return SourceLocation(self.entrant, self.task_id, message_name, start)

    def has_round(self, name: str) -> bool:
        """Return whether the trial has a result or a folder for a step with the given name."""
        key = name.casefold()
        return key in self.trial.results_by_round or key in self.trial.folders_by_round

    @property
    def order(self) -> tuple[str, str, str, str]:
        """Sort key that puts runs in chronological order."""
        return self.trial.job_order + self.trial.order


def _is_fast_forwarded(files: RoundFiles) -> bool:
    """Return whether the reference solution solved a round that no verifier checked."""
    # The runner keeps the reference solution's output in files with such names.
    names = files.folders.agent.files
    has_outputs = any(name.endswith("-fast-forward.txt") for name in names)
    return has_outputs and not files.folders.verifier.files


@dataclass(frozen=True, slots=True)
class HarborSubmission:
    """The runs of one agent that count."""

    entrant: RankedAgent
    attempts: Mapping[AttemptKey, HarborRun]
    """Runs from the first round, in the order of tasks and attempts."""
    samples: Mapping[SampleKey, HarborRun]
    """Runs of one round from the reference state, in the order of tasks and rounds."""

    @property
    def runs(self) -> list[HarborRun]:
        """All runs; those from the first round come first."""
        return [*self.attempts.values(), *self.samples.values()]

    @property
    def attempts_by_task(self) -> Counter[str]:
        """The number of attempts at each task."""
        return Counter(task_id for task_id, _ in self.attempts)

    @property
    def sampled_rounds_by_task(self) -> dict[str, list[int]]:
        """The numbers of the rounds that were run from the reference state, by task."""
        return grouped(self.samples)

    @property
    def attempt_count(self) -> int:
        """The number of attempts at each task in the agent's bundle."""
        return max(self.attempts_by_task.values(), default=1)


@dataclass(frozen=True, slots=True)
class Identification:
    """The trials of an import that are runs of an agent at a task."""

    runs: Sequence[HarborRun]
    task_ids: frozenset[str]
    """Ids of the tasks that any agent ran, or that a job was to run."""


def identify_runs(
    trials: Sequence[Trial], tasks: Tasks, options: ImportOptions, log: ImportLog
) -> Identification:
    """Return the runs of the selected agents; other trials are reported.

    Raises:
        UsageError: The selected agent has no trials, or one name is given to several agents.
    """
    stated_identities = {trial.path: identify_agent(trial) for trial in trials}
    identities = complete_identities(stated_identities)
    wanted, other_trials = _select_trials(trials, identities, options, log)
    wanted_names = {identities[trial.path].name for trial in wanted}
    all_names = {identity.name for identity in identities.values()}
    names = sorted(filter(None, wanted_names))
    check_asked_for(names, filter(None, all_names), options)
    roster = AgentNames.chosen(names, options)
    runs: list[HarborRun] = []
    nameless: list[Trial] = []
    taskless: list[Trial] = []
    for trial in wanted:
        identity = identities[trial.path]
        task = tasks.find(trial.task_names)
        name = options.agent
        if not name and identity.name:
            name = roster.one_name(identity.name)
        if task is None:
            taskless.append(trial)
        elif not name:
            nameless.append(trial)
        else:
            runs.append(HarborRun(trial, identity, identity.entrant(name, options), task))
    _report_taskless(taskless, options, log, has_runs=bool(runs))
    _report_nameless(nameless, log, has_runs=bool(runs))
    task_ids = _find_planned_tasks(wanted, tasks)
    for trial in (*wanted, *other_trials):
        task = tasks.find(trial.task_names)
        if task:
            task_ids.add(task.id)
    return Identification(runs, frozenset(task_ids))


def _select_trials(
    trials: Sequence[Trial],
    identities: Mapping[Path, AgentIdentity],
    options: ImportOptions,
    log: ImportLog,
) -> tuple[list[Trial], list[Trial]]:
    """Return the trials of the selected agents, and the trials of models that were not selected."""
    wanted: list[Trial] = []
    skipped_by_reason: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        reason = _find_skip_reason(trial, identities[trial.path], options)
        if reason is None:
            wanted.append(trial)
        else:
            skipped_by_reason[reason].append(trial)
    for reason, skipped in skipped_by_reason.items():
        paths = [trial.path for trial in skipped]
        log.note_passed_over(reason, paths)
    return wanted, skipped_by_reason[_OTHER_MODEL]


def _find_skip_reason(trial: Trial, identity: AgentIdentity, options: ImportOptions) -> str | None:
    """Return why a trial is not imported; None if it is imported."""
    if trial.has_left_nothing and not trial.stated_task_names:
        return "the trial has not written anything yet"
    if trial.config.install_only or trial.config.verifier.disable:
        return "it was run without verification"
    names = [name for name in (identity.name, identity.model) if name]
    if options.model is not None and is_asked_for(names, options):
        return None
    if identity.is_baseline:
        return _BASELINE
    return None if options.model is None else _OTHER_MODEL


def _report_taskless(
    trials: Iterable[Trial], options: ImportOptions, log: ImportLog, *, has_runs: bool
) -> None:
    """Report trials whose task is unknown, or whose task has unknown rounds.

    A trial that names no task is left out if there are other runs. If the rounds of a named task
    are unknown, the user must name the tasks' folder, or allow missing tasks.
    """
    rule = rules.TASK_LEFT_OUT if options.allow_missing else rules.TASK_UNKNOWN
    for trial in trials:
        name = log.name(trial.path)
        message = "no file says which task was run"
        if trial.stated_task_names:
            message = f"no task.toml is known for {one_line(trial.stated_task_names[0])}"
        elif has_runs:
            leave_out(trial.path, message, log)
            continue
        log.add_doubt(rule, trial.path, name, message)


def _report_nameless(trials: Iterable[Trial], log: ImportLog, *, has_runs: bool) -> None:
    """Report trials whose agent is unknown; they are left out if there are other runs."""
    for trial in trials:
        if has_runs:
            leave_out(trial.path, "no file says which agent made it", log)
        else:
            log.add_doubt(rules.AGENT_UNKNOWN, trial.path, log.name(trial.path))


def leave_out(path: Path, reason: str, log: ImportLog) -> None:
    """Record for the readers of every bundle of the import that a run is left out."""
    name = log.name(path)
    log.add_doubt(kit_rules.LEFT_OUT, path, SourceLocation(None, name, name), reason)


def _find_planned_tasks(trials: Iterable[Trial], tasks: Tasks) -> set[str]:
    """Return the ids of the tasks that the jobs of the trials were to run with an agent."""
    jobs = {trial.job.folder.path: trial.job for trial in trials}
    task_ids: set[str] = set()
    for job in jobs.values():
        for lock in job.lock.trials:
            if lock.task is None or lock.agent.name in BASELINES:
                continue
            task = tasks.find(lock.task.names)
            if task:
                task_ids.add(task.id)
    return task_ids


def select_runs(
    runs: Sequence[HarborRun], options: ImportOptions, log: ImportLog
) -> list[HarborSubmission]:
    """Return the runs that count, as one submission per agent, in the order of agents' names.

    Every run that does not count is reported.
    """
    usable = _select_usable(_select_fitting(runs, log), log)
    submissions = []
    for entrant, agent_runs in sorted(grouped((run.entrant, run) for run in usable).items()):
        attempts: list[HarborRun] = []
        sample_runs: defaultdict[SampleKey, list[HarborRun]] = defaultdict(list)
        for run in agent_runs:
            if run.sampled_round is None:
                attempts.append(run)
            else:
                sample_runs[run.task_id, run.sampled_round].append(run)
        numbered = _number_attempts(entrant, attempts, options, log)
        samples: dict[SampleKey, HarborRun] = {}
        for (task_id, round_number), round_runs in sorted(sample_runs.items()):
            round_name = f"round {round_number} of {task_id} from the reference state"
            chosen = _choose_run(round_runs, round_name, options.pick, log)
            samples[task_id, round_number] = chosen
        submissions.append(HarborSubmission(entrant, numbered, samples))
    return submissions


def _number_attempts(
    entrant: RankedAgent, runs: Sequence[HarborRun], options: ImportOptions, log: ImportLog
) -> dict[AttemptKey, HarborRun]:
    """Return an agent's runs from the first round that count, by task and attempt.

    The trials of a job are attempts in chronological order. If several jobs have the same task,
    `choose_attempts` chooses among their trials, based on which can be scored.
    """
    jobs = [_group_by_task(job) for job in _sort_jobs(runs)]
    job_counts: Counter[str] = Counter()
    for job in jobs:
        job_counts.update(job.keys())
    numbered: dict[AttemptKey, HarborRun] = {}
    repeated: list[_RunsByTask] = []
    for job in jobs:
        if all(job_counts[task_id] == 1 for task_id in job):
            numbered |= _number_runs(job)
        else:
            repeated.append(job)
    if repeated:
        numbered |= _join_jobs(entrant, repeated, options, log)
    used_paths = {run.path for run in numbered.values()}
    unused = [run.path for run in runs if run.path not in used_paths]
    log.note_passed_over("another run of the task counts", unused)
    return dict(sorted(numbered.items(), key=itemgetter(0)))


_RunsByTask: TypeAlias = Mapping[str, Sequence[HarborRun]]
"""An agent's runs in one job, keyed by task id; the tasks and the runs of a task are in order."""


def _group_by_task(job: Iterable[HarborRun]) -> _RunsByTask:
    runs_by_task = grouped((run.task_id, run) for run in job)
    return dict(sorted(runs_by_task.items()))


def _number_runs(job: _RunsByTask) -> dict[AttemptKey, HarborRun]:
    """Return the runs of a job by task and attempt."""
    numbered = {}
    for task_id, runs in job.items():
        for attempt, run in enumerate(runs, start=1):
            numbered[task_id, attempt] = run
    return numbered


def _join_jobs(
    entrant: RankedAgent,
    jobs: Sequence[_RunsByTask],
    options: ImportOptions,
    log: ImportLog,
) -> dict[AttemptKey, HarborRun]:
    """Return the runs of several jobs that count, by task and attempt.

    If the user must decide, the runs of the last job are returned, and the log has an error.
    """
    rubric = Rubric.from_options(options)
    runs_to_join = []
    for index, job in enumerate(jobs):
        outcomes: dict[str, list[AttemptOutcome]] = {}
        for (task_id, attempt), run in _number_runs(job).items():
            is_scored = can_be_scored(run.trial, run.task.round_names, rubric)
            outcomes.setdefault(task_id, []).append(AttemptOutcome(index, attempt, is_scored))
        first_run = next(iter(job.values()))[0]
        runs_to_join.append(RunToJoin(first_run.trial.job.folder.path, outcomes))
    plan = choose_attempts(entrant, runs_to_join, options, log)
    if plan is None:
        return _number_runs(jobs[-1])
    numbered = {}
    for task_id, attempt, outcome in plan.items():
        numbered[task_id, attempt] = jobs[outcome.run_index][task_id][outcome.number - 1]
    return numbered


def _sort_jobs(runs: Iterable[HarborRun]) -> list[list[HarborRun]]:
    """Return runs by job; jobs, and the runs of a job, are in chronological order."""
    jobs = grouped((run.trial.job.folder.path, run) for run in runs)
    ordered = [sorted(job, key=lambda run: run.trial.order) for job in jobs.values()]
    return sorted(ordered, key=_find_job_start)


def _find_job_start(runs: Sequence[HarborRun]) -> tuple[str, tuple[str, str]]:
    """Return the start of a job's first run, and the sort key of the job's name.

    If no run states a time, the time in the job's name is used, which is in local time.
    """
    by_name = min(run.trial.job_order for run in runs)
    starts = [run.trial.started for run in runs if run.trial.started]
    return min(starts, default=by_name[0]), by_name


def _select_fitting(runs: Sequence[HarborRun], log: ImportLog) -> list[HarborRun]:
    """Return the runs whose rounds are all rounds of their task.

    A run with other rounds is left out if another run of the task fits. If none fits, the tasks in
    the source are a different version from the tasks that were run.
    """
    unknown_rounds = {run.path: _find_unknown_rounds(run) for run in runs}
    fitting = [run for run in runs if not unknown_rounds[run.path]]
    fitting_tasks = {run.task_id for run in fitting}
    for run in runs:
        names = unknown_rounds[run.path]
        if names:
            has_fitting = run.task_id in fitting_tasks
            rule = kit_rules.LEFT_OUT if has_fitting else rules.STEPS_DIFFER
            message = f"the task has no {', '.join(names)}"
            log.add_doubt(rule, run.path, run.spot(log.name(run.path)), message)
    return fitting


def _find_unknown_rounds(run: HarborRun) -> list[str]:
    """Return the names of a run's rounds that its task does not have."""
    if not run.task.is_chain:
        return []
    known_names = {name.casefold() for name in run.task.round_names}
    step_names = [step.step_name or "" for step in run.trial.results_by_round.values()]
    names = dict.fromkeys([*run.trial.round_folders, *step_names])
    return [one_line(name) for name in names if name.casefold() not in known_names]


def _select_usable(runs: Iterable[HarborRun], log: ImportLog) -> list[HarborRun]:
    """Return the runs that can be scored; other runs are reported."""
    usable = []
    for run in runs:
        fault = _find_fault(run)
        if fault is None:
            usable.append(run)
            continue
        rule, message = fault
        log.add_doubt(rule, run.path, run.spot(log.name(run.path)), message)
    return usable


def _find_fault(run: HarborRun) -> tuple[Rule, str] | None:
    """Return why a run can't be scored: it was to end early, or never reached its sampled round."""
    if run.sampled_round is None:
        if run.last_round < run.round_count:
            return rules.RUN_PARTIAL, f"configured to end after round {run.last_round}"
    elif not _has_reached_start(run):
        return rules.REFERENCE_INVALID, f"round {run.sampled_round} was not reached"
    return None


def _has_reached_start(run: HarborRun) -> bool:
    """Return whether the reference solution reached the round at which the run was to start."""
    steps = run.task.round_names
    if run.first_round > len(steps) or not run.has_round(steps[run.first_round - 1]):
        return False
    for name in steps[: run.first_round - 1]:
        if run.trial.find_round(name).result.exception:
            return False
    return True


def _choose_run(
    runs: Iterable[HarborRun], round_name: str, pick: Pick | None, log: ImportLog
) -> HarborRun:
    """Return the run of a sampled round that counts; `pick` must choose if there are several."""
    ordered = sorted(runs, key=lambda run: run.order)
    chosen = ordered[0 if pick == "first" else -1]
    if len(ordered) == 1:
        return chosen
    names = [log.name(run.path) for run in ordered]
    message = f"{chosen.entrant} ran {round_name} several times"
    if pick is None:
        log.add_doubt(rules.RUNS_SEVERAL, chosen.path.parent, message, ", ".join(names))
        return chosen
    picked = log.name(chosen.path)
    passed_over = ", ".join(name for name in names if name != picked)
    log.notes.append(f"{message}: {picked} counts as the {pick}; skipped: {passed_over}")
    return chosen


def check_runs(runs: Sequence[HarborRun], log: ImportLog) -> None:
    """Report runs that may not have ended, and runs under unusual conditions."""
    _check_trial_counts(runs, log)
    exposed: set[tuple[str, RankedAgent]] = set()
    for run in runs:
        _check_run(run, log)
        version = run.trial.version or ""
        if run.task.is_chain and _is_exposed(version):
            exposed.add((version, run.entrant))
    for version, entrant in sorted(exposed):
        message = f"run by harbor {one_line(version)}"
        log.add_doubt(rules.VERIFIER_EXPOSED, log.root, SourceLocation(entrant), message)


def _check_run(run: HarborRun, log: ImportLog) -> None:
    """Report an unfinished run, or an agent with extra instructions or resumed sessions."""
    trial = run.trial
    config = trial.config
    spot = run.spot(log.name(trial.path))
    if not trial.has_result and CONFIG in trial.folder.files:
        log.add_doubt(rules.RUN_UNFINISHED, trial.path, spot)
    if config.extra_instructions or config.extra_instruction_paths:
        log.add_doubt(rules.EXTRA_INSTRUCTIONS, trial.path, spot)
    if config.agent.resume_trajectory and len(run.task.round_names) > 1:
        log.add_doubt(rules.SESSION_RESUMED, trial.path, spot)
    if run.sampled_round is not None and run.first_round < run.last_round:
        message = f"rounds after {run.first_round} go on from the agent's own work and are not used"
        log.notes.append(f"{spot}: {message}")


def _is_exposed(version: str) -> bool:
    """Return whether agents can see earlier checks in a version of the runner."""
    match = _VERSION.match(version)
    if match is None:
        return False
    return tuple(map(int, match.groups(default="0"))) <= _LAST_EXPOSED


def _check_trial_counts(runs: Iterable[HarborRun], log: ImportLog) -> None:
    """Report jobs that were to run more trials than the source contains."""
    agent_jobs = {(run.trial.job.folder.path, run.entrant): run.trial.job for run in runs}
    for (path, entrant), job in agent_jobs.items():
        planned = job.result.n_total_trials or 0
        if planned > job.trial_count:
            message = f"{job.trial_count} of {planned} trials found"
            log.add_doubt(
                rules.TRIALS_MISSING, path, SourceLocation(entrant, log.name(path)), message
            )


def check_versions(submission: HarborSubmission, log: ImportLog) -> None:
    """Report files of an agent's runs whose version is newer than the newest tested version."""
    for run in submission.runs:
        trial = run.trial
        job_lock = trial.job.lock
        formats: list[tuple[str, str | float | None, str | float]] = [
            ("Harbor", trial.version, NEWEST_RUNNER),
            ("Harbor's format of results", trial.result.schema_version, NEWEST_RESULT),
            ("Harbor's format of trial locks", trial.lock.schema_version, NEWEST_TRIAL_LOCK),
            ("Harbor's format of job locks", job_lock.schema_version, NEWEST_JOB_LOCK),
        ]
        for name, version, newest in formats:
            log.warn_if_newer(name, version, newest, submission.entrant)
