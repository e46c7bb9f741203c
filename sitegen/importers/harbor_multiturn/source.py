"""Import the run folders of Harbor's multi-turn fork as bundles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.importers.harbor.rounds import RoundScorer
from sitegen.importers.harbor.tasks import make_import_source, read_tasks
from sitegen.importers.harbor.trials import survey_folders
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.kinds import (
    KINDS,
    Kind,
    Lineage,
    classify_folder,
    classify_run,
)
from sitegen.importers.harbor_multiturn.recorder import Recorder
from sitegen.importers.harbor_multiturn.runs import ForkRun, read_run
from sitegen.importers.harbor_multiturn.selection import (
    RunFilter,
    assign_tasks,
    drop_copies,
    group_by_entrant,
    select_model,
    select_tasks,
)
from sitegen.importers.harbor_multiturn.submissions import MultiturnSubmission, build_submission
from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import Format, ImportOptions, Progress
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.metrics.catalogue import default_columns
from sitegen.models.finding import Finding
from sitegen.models.incoming import Incoming
from sitegen.models.task import Task
from sitegen.problems import Rule, counted, grouped

_SUMMARY = (
    "Harbor's multi-turn fork: one session per run, which ends with the first round that it does "
    "not pass."
)


def read_harbor_multiturn(
    source: Path, options: ImportOptions, tasks: Path | None = None
) -> Incoming:
    """Import the runs in a folder, each according to its kind.

    Each agent gets one bundle. Its attempts are numbered in the order of their jobs and names;
    the attempts of a fan-out count as attempts of one job. Rounds that were run from the reference
    state are recorded separately.

    Raises:
        ProblemsError: The runs can't be used; carries all problems, including warnings.
        UsageError: The requested agent has no runs, or the tasks' folder does not exist.
    """
    log = ImportLog(source)
    tree = SourceTree(source)
    submissions, run_tasks = _read_submissions(tree, tasks, options, log)
    log.stop_at_errors()
    if not submissions:
        log.stop_at_nothing(rules.NOTHING_FOUND, log.notes[0])
    has_samples = any(submission.sample_count for submission in submissions)
    for submission in submissions:
        _check_attempts(submission, list(run_tasks), log)
        if has_samples:
            _check_samples(submission, run_tasks.values(), log)
    _check_topologies(submissions, log)

    runs: dict[Path, ForkRun] = {}
    for submission in submissions:
        runs |= {run.path: run for run in submission.runs}
    models = {run.identity.model for run in runs.values()}
    scorer = RoundScorer(log, Progress(len(runs), options.watch), models)
    recorder = Recorder(tree, scorer)
    recorded = [recorder.record(submission, run_tasks.values()) for submission in submissions]
    log.stop_at_errors()
    scorer.finish(recorded)
    complete_tasks = [scorer.cases.task(task) for task in run_tasks.values()]
    track = replace(
        make_import_source(log, complete_tasks, options),
        summary=_SUMMARY,
        protocol="fail-stop",
        columns=default_columns("fail-stop", has_reference=has_samples),
        has_picked_tasks=True,
        runs=recorded,
    )
    # The agents' settings already include the reasoning setting.
    incoming = track.imported(replace(options, reasoning=None))
    findings: list[Finding] = []
    notes = list(incoming.notes)
    for submission, draft in zip(submissions, incoming.drafts, strict=True):
        findings += submission.findings(draft, run_tasks)
        notes += submission.notes(draft.id, log)
    return replace(incoming, findings=tuple(findings), notes=tuple(notes))


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a run of the fork in a source; None if there is no run."""
    survey = survey_folders(tree, classify_folder)
    paths = (folder.path for folder in survey.run_folders)
    return tree.example("runs of Harbor's multi-turn fork", paths)


FORMAT = Format(
    read_harbor_multiturn,
    "fail-stop",
    extras=frozenset({"tasks", "scale", "no_instructions"}),
    recognise=recognise,
)


def _read_submissions(
    tree: SourceTree, tasks: Path | None, options: ImportOptions, log: ImportLog
) -> tuple[list[MultiturnSubmission], dict[str, Task]]:
    """Return the submissions of the requested agents, and the tasks that were run.

    Submissions are in the order of their agents' names, tasks in the order of their ids.
    """
    survey = survey_folders(tree, classify_folder)
    all_runs = [_read_run(folder, tree, log) for folder in survey.run_folders]
    runs = drop_copies(all_runs, log)
    log.problems += tree.problems()
    lineage = Lineage.from_runs(runs)
    kinds = {run.path: classify_run(run, lineage) for run in runs}
    _report_kinds(runs, kinds, log)
    for reason, paths in survey.skipped.items():
        log.note_passed_over(reason, paths)
    counting = [run for run in runs if not KINDS[kinds[run.path]].skip_reason]
    has_instructions = options.instructions is not False
    defined = log.collect(read_tasks(survey.task_files, tasks, with_instructions=has_instructions))
    assignment = assign_tasks(counting, defined, log)
    if options.task_names:
        counting, assignment = select_tasks(counting, assignment, options, log)
    by_entrant = group_by_entrant(select_model(counting, options, log), options)
    has_names = any(entrant.name for entrant in by_entrant)
    run_filter = RunFilter(assignment, options, log, has_names)
    submissions = []
    for entrant, agent_runs in by_entrant.items():
        runs_by_task = run_filter.select_runs(entrant, agent_runs, kinds)
        submission = build_submission(entrant, runs_by_task, lineage)
        if submission.runs:
            submissions.append(submission)
    run_filter.finish()
    run_task_ids = set(assignment.task_ids.values())
    idle_rule = rules.TASKS_LEFT_OUT if options.allow_missing else rules.TASK_NOT_RUN
    run_tasks = {}
    for name, task in assignment.tasks.items():
        if name in run_task_ids:
            run_tasks[name] = task
        elif submissions:
            log.add_doubt(idle_rule, log.root, name)
    return submissions, run_tasks


def _read_run(folder: Folder, tree: SourceTree, log: ImportLog) -> ForkRun:
    """Return the run in a folder, and report the problems of its files."""
    run, problems = read_run(folder, tree)
    name = log.name(folder.path)
    for problem in problems:
        if rules.FILE_SHAPE.is_broken_by(problem):
            log.add_doubt(
                rules.FILE_SHAPE, problem.path, SourceLocation(None, name, name), problem.what
            )
        else:
            log.problems.append(problem)
    return run


def _report_kinds(runs: Sequence[ForkRun], kinds: Mapping[Path, Kind], log: ImportLog) -> None:
    """Report the number of runs of each kind, and the runs that do not count."""
    by_kind = grouped((kinds[run.path], run) for run in runs)
    counts = [counted(len(by_kind[kind]), KINDS[kind].noun) for kind in KINDS if by_kind[kind]]
    kinds_found = ", ".join(counts) or "none that counts"
    log.notes.append(f"found {counted(len(runs), 'run')}: {kinds_found}")
    for kind, info in KINDS.items():
        if info.skip_reason:
            paths = [run.path for run in by_kind[kind]]
            log.note_passed_over(info.skip_reason, paths)
        if info.rule:
            _doubt_runs(info.rule, by_kind[kind], log)


def _doubt_runs(
    rule: Rule, runs: Iterable[ForkRun], log: ImportLog, entrant: RankedAgent | None = None
) -> None:
    """Report runs that break a rule, to the readers of the agent's bundle if an agent is given."""
    for run in runs:
        name = log.name(run.path)
        log.add_doubt(rule, run.path, SourceLocation(entrant, words=name) if entrant else name)


def _check_attempts(submission: MultiturnSubmission, tasks: Sequence[str], log: ImportLog) -> None:
    """Report an agent's missing and surplus attempts, and its runs that do not count."""
    entrant = submission.entrant
    if submission.attempts:
        surplus = {task: len(attempts) for task, attempts in submission.surplus.items()}
        missing = submission.missing_attempts(tasks)
        usual = counted(submission.attempt_count, "attempt")
        for task, number in surplus.items():
            message = f"{number} more than the usual {usual}"
            log.add_doubt(rules.ATTEMPTS_ABOVE, log.root, SourceLocation(entrant, task), message)
        for task, number in missing.items():
            message = f"{number} fewer than the usual {usual}"
            log.add_doubt(rules.ATTEMPTS_BELOW, log.root, SourceLocation(entrant, task), message)
    else:
        log.add_doubt(rules.ATTEMPTS_NONE, log.root, SourceLocation(entrant))
    for rule, runs in submission.doubtful_runs.items():
        _doubt_runs(rule, runs, log, entrant)
    for task, fan_outs in submission.fan_outs.items():
        for fan_out in fan_outs:
            widths = {number: len(runs) for number, runs in fan_out.runs_by_round.items()}
            if len(set(widths.values())) > 1:
                counts = [f"{width} in round {number}" for number, width in widths.items()]
                message = f"runs: {', '.join(counts)}"
                log.add_doubt(
                    rules.FAN_OUT_UNEVEN, log.root, SourceLocation(entrant, task), message
                )


def _check_samples(submission: MultiturnSubmission, tasks: Iterable[Task], log: ImportLog) -> None:
    """Report the rounds that an agent did not run from the reference state."""
    for task in tasks:
        samples = submission.samples.get(task.id, {})
        missing = [str(task_round.n) for task_round in task.rounds if task_round.n not in samples]
        if missing:
            spot = SourceLocation(submission.entrant, task.id)
            message = f"round {', '.join(missing)}"
            log.add_doubt(rules.SAMPLE_MISSING, log.root, spot, message)


def _check_topologies(submissions: Sequence[MultiturnSubmission], log: ImportLog) -> None:
    """Report fan-outs if any agent has plain attempts: the two are not comparable."""
    if not any(submission.has_plain_attempts for submission in submissions):
        return
    for submission in submissions:
        if submission.fan_outs:
            spot = SourceLocation(submission.entrant)
            log.add_doubt(rules.TOPOLOGIES, log.root, spot, "branches of fan-outs")
