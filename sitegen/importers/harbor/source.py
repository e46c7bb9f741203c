"""Import Harbor's job and trial folders as bundles, with their tracks and the benchmark."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.bundles import (
    ScoredSubmission,
    distinct_values,
    find_protocol,
    make_incoming,
)
from sitegen.importers.harbor.duplicates import apply_regrades, drop_copies
from sitegen.importers.harbor.rewards import Rubric
from sitegen.importers.harbor.rounds import RoundScorer, score_run
from sitegen.importers.harbor.runs import (
    WHOLE_RUN,
    HarborRun,
    HarborSubmission,
    check_runs,
    check_versions,
    identify_runs,
    select_runs,
)
from sitegen.importers.harbor.tasks import (
    TaskDefinition,
    Tasks,
    add_stated_tasks,
    make_import_source,
    read_tasks,
)
from sitegen.importers.harbor.transcript import find_transcript_files
from sitegen.importers.harbor.trials import Trial, classify_folder, read_trials, survey_folders
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import only
from sitegen.importers.kit.cases import CaseLists, blank_round
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import Format, ImportOptions, Progress
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults
from sitegen.importers.kit.tree import SourceTree
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.task import Task
from sitegen.problems import UsageError, counted, grouped, listed

_NO_RUNS = "These tasks are defined, but the source has no runs of them"


def read_harbor(source: Path, options: ImportOptions, tasks: Path | None = None) -> Incoming:
    """Import a folder of jobs that Harbor wrote, plain or in EvoCode-Bench's nested layout.

    Each agent gets one bundle per track. The trials of a job are attempts. The runner's own scores
    are not used: its means leave out rounds without a verdict.

    Raises:
        UsageError: The requested agent, task, key or folder does not exist.
        ProblemsError: The runs can't be used; carries all problems, including warnings.
    """
    log = ImportLog(source)
    selection = _select_submissions(source, tasks, options, log)
    scored_submissions, complete_tasks = _score_submissions(selection, options, log)
    import_source = make_import_source(log, complete_tasks, options)
    protocol = find_protocol(selection.tasks, log)
    incoming = make_incoming(scored_submissions, import_source, protocol, options)
    # Tasks that only skipped trials name are not counted: without a definition, they can't be
    # missing from the task set.
    missing_ids = selection.missing_ids
    task_count = len(missing_ids) + len(selection.tasks)
    findings = omission_notes(missing_ids, task_count, _NO_RUNS, incoming.drafts)
    return replace(incoming, findings=findings)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a trial of Harbor in a source; None if there is no trial."""
    survey = survey_folders(tree, classify_folder)
    paths = [folder.path for folder in survey.run_folders]
    return tree.example("trials of Harbor", paths)


FORMAT = Format(
    read_harbor,
    "official",
    extras=frozenset({"tasks", "pick", "runs", "metric", "scale", "no_instructions"}),
    recognise=recognise,
)


class _Selection(NamedTuple):
    """The runs of an import that count, and their tasks."""

    submissions: Sequence[HarborSubmission]
    tasks: Sequence[TaskDefinition]
    """The tasks that any agent ran, or that a job was to run, sorted by id."""
    missing_ids: Sequence[str]
    """The ids of the defined tasks that no agent ran."""
    models: Collection[str | None]
    """Every model that a run of the import states, including runs that do not count."""

    @property
    def runs(self) -> list[HarborRun]:
        """The runs of all submissions."""
        runs: list[HarborRun] = []
        for submission in self.submissions:
            runs += submission.runs
        return runs


def _select_submissions(
    source: Path, tasks_folder: Path | None, options: ImportOptions, log: ImportLog
) -> _Selection:
    """Return the runs that count, and their tasks; all other trials are reported."""
    trials, defined_tasks = _read_source(source, tasks_folder, options, log)
    trials = apply_regrades(trials, options.pick, log)
    known_tasks = add_stated_tasks(defined_tasks, trials)
    if options.task_names:
        trials, known_tasks = _select_tasks(trials, known_tasks, options, log)

    identification = identify_runs(trials, known_tasks, options, log)
    submissions = select_runs(identification.runs, options, log)
    wanted_ids = [task_id for task_id in defined_tasks.by_id if task_id in known_tasks.by_id]
    missing_ids = [task_id for task_id in wanted_ids if task_id not in identification.task_ids]
    run_tasks = [known_tasks.by_id[task_id] for task_id in sorted(identification.task_ids)]
    models = {run.trial.config.agent.model_name for run in identification.runs}
    selection = _Selection(submissions, run_tasks, missing_ids, models)

    check_runs(selection.runs, log)
    for submission in submissions:
        check_versions(submission, log)
    if not submissions:
        _stop_without_runs(log)
    _check_missing_tasks(missing_ids, len(known_tasks.by_id), options, log)
    return selection


def _score_submissions(
    selection: _Selection, options: ImportOptions, log: ImportLog
) -> tuple[list[ScoredSubmission], tuple[Task, ...]]:
    """Return the scored runs of each agent, and the tasks with the cases that the runs list."""
    pace = Progress(len(selection.runs), options.watch)
    scorer = RoundScorer(log, pace, selection.models, Rubric.from_options(options))
    scored_submissions = []
    for submission in selection.submissions:
        results = _score_submission(submission, scorer)
        scored_submissions.append(ScoredSubmission(submission, results))
    log.notes += map(_describe_submission, selection.submissions)
    log.notes.append(_describe_sources(scorer.reward_log.source_counts))
    scorer.finish(scored.results for scored in scored_submissions)
    complete_tasks = _complete_tasks(selection.tasks, selection.runs, scorer.cases, log)
    for scored in scored_submissions:
        _check_submission(scored.submission, complete_tasks, options, log)
        if not scored.submission.attempts:
            _add_earlier_rounds(scored.results, scored.submission, complete_tasks)
    return scored_submissions, complete_tasks


def _read_source(
    source: Path, tasks: Path | None, options: ImportOptions, log: ImportLog
) -> tuple[list[Trial], Tasks]:
    """Return the trials and the tasks of a source; skipped folders are reported."""
    tree = SourceTree(source)
    survey = survey_folders(tree, classify_folder)
    trials = read_trials(tree, survey.run_folders, log)
    trials = drop_copies(trials, options.pick, log)
    log.problems += tree.problems()
    has_instructions = options.instructions is not False
    defined = log.collect(read_tasks(survey.task_files, tasks, with_instructions=has_instructions))
    jobs = {trial.job.folder.path: trial.job for trial in trials}
    counts = f"found: {counted(len(trials), 'trial')} in {counted(len(jobs), 'job')}"
    log.notes.append(f"{counts}, and the definitions of {counted(len(defined.by_id), 'task')}")
    for reason, paths in survey.skipped.items():
        log.note_passed_over(reason, paths)
    for path, job in jobs.items():
        retries = job.result.n_retries
        if retries:
            message = f"{counted(retries, 'trial')} run again; the runner keeps only the last run"
            log.notes.append(f"job {log.name(path)}: {message}")
    return trials, defined


def _select_tasks(
    trials: Iterable[Trial], tasks: Tasks, options: ImportOptions, log: ImportLog
) -> tuple[list[Trial], Tasks]:
    """Return the trials of the requested tasks, given by name, id or title, and these tasks.

    Raises:
        UsageError: There is no task with a requested name.
    """
    asked_ids = set()
    for name in options.task_names:
        task = tasks.find([name]) or tasks.by_id.get(name) or tasks.find_title(name)
        if task is None:
            names = listed(tasks.by_id) or "none"
            raise UsageError(f"the source has no task {one_line(name)}; it has: {names}")
        asked_ids.add(task.id)
    selected: list[Trial] = []
    skipped: list[Path] = []
    for trial in trials:
        task = tasks.find(trial.task_names)
        if task is not None and task.id in asked_ids:
            selected.append(trial)
        else:
            skipped.append(trial.path)
    log.note_passed_over("its task was not selected", skipped)
    definitions = [task for task_id, task in tasks.by_id.items() if task_id in asked_ids]
    return selected, Tasks.from_definitions(definitions)


def _stop_without_runs(log: ImportLog) -> None:
    """Raise `ProblemsError` with the reason why no run of an agent can be imported."""
    log.stop_at_errors()
    message = "no finished trial of an agent was found"
    fix = None
    if any(doubt.rule is rules.TASK_LEFT_OUT for doubt in log.doubts):
        message = "every trial was left out, as the task.toml of its task is not known"
        fix = "name the folder of the tasks with `--tasks`"
    log.stop_at_nothing(rules.NOTHING_FOUND, message, fix)


def _check_missing_tasks(
    missing_ids: Sequence[str], task_count: int, options: ImportOptions, log: ImportLog
) -> None:
    """Report the defined tasks that no agent ran, unless the tasks of some runs are unknown.

    Args:
        missing_ids: The ids of these tasks.
        task_count: The number of tasks that are defined, or that any trial names.
        options: Whether tasks may be missing.
        log: Collects the problem.
    """
    if not missing_ids or any(doubt.rule is rules.TASK_UNKNOWN for doubt in log.doubts):
        return
    message = f"{len(missing_ids)} of {task_count} tasks have no run: {', '.join(missing_ids)}"
    if options.allow_missing:
        log.add(kit_rules.TASKS_LEFT_OUT, log.root, message)
        return
    fix = "add the runs, or import with `--allow-missing` to leave these tasks out of the task set"
    log.problems.append(kit_rules.TASK_MISSING.broken(log.root, None, message, fix))


def _score_submission(submission: HarborSubmission, scorer: RoundScorer) -> AgentResults:
    """Return the scored rounds of an agent's runs, with the paths of their transcripts."""
    entrant = submission.entrant
    agent_results = AgentResults(scorer.log.root, entrant, attempts=submission.attempt_count)
    files: dict[tuple[str, int, int], Path] = {}
    for (task_id, attempt), run in submission.attempts.items():
        _add_run(agent_results, score_run(run, attempt, scorer))
        for round_number, path in _find_transcripts(run).items():
            files[task_id, attempt, round_number] = path
        scorer.pace.step()
    for run in submission.samples.values():
        _add_run(agent_results, score_run(run, 1, scorer))
        scorer.pace.step()
    return replace(agent_results, files=files, failures=scorer.failures[entrant])


def _add_run(
    agent_results: AgentResults, scored_run: tuple[list[RoundResult], list[RunFigures]]
) -> None:
    """Add the rounds and the figures of a scored run to its agent's results."""
    results, figures = scored_run
    for result in results:
        key = (result.task, result.attempt, result.round, result.start)
        agent_results.results[key] = result
    agent_results.figures += figures


def _find_transcripts(run: HarborRun) -> dict[int, Path]:
    """Return the path of the first transcript of each round, keyed by round number.

    A run of a task with one round has one transcript, under the key `WHOLE_RUN`.
    """
    agent_folders = {WHOLE_RUN: run.trial.root_folders.agent}
    if len(run.task.round_names) > 1:
        numbered = enumerate(run.trial.rounds(run.task.round_names), start=1)
        agent_folders = {number: files.folders.agent for number, files in numbered}
    transcripts = {}
    for number, folder in agent_folders.items():
        files = find_transcript_files(folder)
        if files:
            transcripts[number] = files[0]
    return transcripts


def _describe_submission(submission: HarborSubmission) -> str:
    """Return a line that describes an agent's attempts, samples, jobs and runner versions."""
    facts = []
    attempts_by_task = submission.attempts_by_task
    if attempts_by_task:
        attempts = counted(submission.attempt_count, "attempt")
        facts.append(f"{attempts} at {counted(len(attempts_by_task), 'task')}")
    if submission.samples:
        facts.append(f"{counted(len(submission.samples), 'round')} from the reference state")
    trials = [run.trial for run in submission.runs]
    jobs = {one_line(trial.job_id or "unknown") for trial in trials}
    versions = {one_line(trial.version or "of unknown version") for trial in trials}
    facts.append(f"job {listed(sorted(jobs))}")
    facts.append(f"harbor {listed(sorted(versions))}")
    return f"{submission.entrant}: {'; '.join(facts)}"


def _describe_sources(source_counts: Mapping[str, int]) -> str:
    """Return a line that counts rewards by source."""
    counts = [f"{number:,} from {name}" for name, number in sorted(source_counts.items())]
    return f"rewards: {', '.join(counts) or 'none'}"


def _complete_tasks(
    tasks: Iterable[TaskDefinition], runs: Iterable[HarborRun], cases: CaseLists, log: ImportLog
) -> tuple[Task, ...]:
    """Return tasks with the cases that runs list, and the checksums that they were run with."""
    locks = [(run.task_id, run.trial.locked_task()) for run in runs]
    digests = grouped((task_id, lock.digest) for task_id, lock in locks if lock and lock.digest)
    complete = []
    for task in tasks:
        task_digests = distinct_values(digests[task.id])
        if len(task_digests) > 1:
            message = ", ".join(task_digests)
            spot = SourceLocation(None, task.id, task.id)
            log.add_doubt(rules.DIGEST_DIFFERS, task.path, spot, message)
        complete.append(replace(cases.task(task.task), digest=only(task_digests)))
    return tuple(complete)


def _check_submission(
    submission: HarborSubmission,
    tasks: Iterable[Task],
    options: ImportOptions,
    log: ImportLog,
) -> None:
    """Report the attempts and the sampled rounds that an agent lacks."""
    attempts_by_task = submission.attempts_by_task
    sampled_rounds = submission.sampled_rounds_by_task
    missing_rule = rules.REFERENCE_MISSING
    if options.allow_missing:
        missing_rule = rules.REFERENCE_LEFT_OUT
    for task in tasks:
        attempts = attempts_by_task[task.id]
        if attempts_by_task and attempts < submission.attempt_count:
            message = "no run"
            if attempts:
                message = f"{attempts} of {submission.attempt_count} attempts"
            spot = SourceLocation(submission.entrant, task.id)
            log.add_doubt(rules.RUN_MISSING, log.root, spot, message)
        sampled = sampled_rounds.get(task.id, [])
        missing = [task_round.n for task_round in task.rounds if task_round.n not in sampled]
        if submission.samples and missing:
            message = f"round {', '.join(map(str, missing))} of {len(task.rounds)}"
            spot = SourceLocation(submission.entrant, task.id, start="reference")
            log.add_doubt(missing_rule, log.root, spot, message)


def _add_earlier_rounds(
    agent_results: AgentResults, submission: HarborSubmission, tasks: Iterable[Task]
) -> None:
    """Add the rounds before the last sampled round of each task as fast-forwarded."""
    sampled_rounds = submission.sampled_rounds_by_task
    for task in tasks:
        last_round = max(sampled_rounds.get(task.id, []), default=1)
        for number in range(1, last_round):
            agent_results.add(blank_round(task.id, 1, number, state="fast_forwarded"))
