"""Import logs of Inspect: one bundle per agent, one task per sample, epochs as attempts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from sitegen.importers.inspect.agents import agent_facts, identify_agent, plan_solver
from sitegen.importers.inspect.checks import add_claim, check_log
from sitegen.importers.inspect.grading import (
    GradedLog,
    collect_rewards,
    first_line,
    grade_samples,
    parse_labels,
)
from sitegen.importers.inspect.logs import Log, SampleKey, is_log, read_log, read_transcripts
from sitegen.importers.inspect.merging import merge_copies, merge_retries
from sitegen.importers.inspect.records import LogSample
from sitegen.importers.inspect.reported import add_reported, is_without_samples
from sitegen.importers.inspect.rules import EPOCHS, TASKS
from sitegen.importers.inspect.scores import ScoreName, check_metric, choose_score, list_scores
from sitegen.importers.inspect.times import likely_moment
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import RankedAgent, chosen, short_model_name
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Progress
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import check_direction
from sitegen.importers.kit.rounds import GRADED, AgentResults, ImportSource
from sitegen.importers.kit.tree import SourceTree
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Provenance
from sitegen.problems import ProblemsError, UsageError, counted, grouped, listed

NEWEST_VERSION = 3
"""The newest version of the log format with which this importer was checked."""

_RUN_TO_END = "run the task to its end, and import again"
_RUN_INVALIDATED = "run the samples again, and import the new log"
_RETRY = "remove the cause of the errors, run `inspect eval-retry` on the log, and import again"


def read_inspect(source: Path, options: ImportOptions) -> Incoming:
    """Return the import of a folder of logs, or of a single log.

    The logs are for one task, or for the tasks that `--task` names. The reward is the score that
    `--metric` names, or the headline of the logs.
    """
    import_log = ImportLog(source)
    tree = SourceTree(source)
    logs = _read_logs(tree, options, import_log)
    import_log.problems += tree.problems()
    import_log.stop_at_errors()
    logs = _pick_tasks(logs, options, import_log)
    import_log.stop_at_errors()
    models = chosen((log.header.spec.model for log in logs), options)
    logs = [log for log in logs if log.header.spec.model in models]
    check_metric(logs, options)
    logs = merge_copies(logs, import_log)
    import_log.stop_at_errors()
    logs = _unify_agents(logs, import_log)
    imported = ImportSource(import_log, columns=GRADED, has_picked_tasks=True)
    if logs:
        titles = dict.fromkeys(one_line(log.header.spec.task) for log in logs)
        imported.summary = f"{listed(titles)}, run and graded by Inspect."
    _import_tasks(logs, options, imported)
    return imported.imported(options)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a log of Inspect in the source; None if there is no log."""
    return tree.example("logs of Inspect", filter(is_log, tree.paths()))


FORMAT = Format(
    read_inspect,
    "main",
    extras=frozenset({"metric", "scale", "runs", "pick"}),
    takes_files=True,
    recognise=recognise,
)


def _read_logs(tree: SourceTree, options: ImportOptions, import_log: ImportLog) -> list[Log]:
    """Return the logs of a tree, in chronological order, and report unreadable logs."""
    paths = [path for path in tree.paths() if is_log(path)]
    pace = Progress(len(paths), options.watch)
    logs = []
    for path in paths:
        try:
            logs.append(read_log(path))
        except ProblemsError as error:
            import_log.problems += error.problems
        pace.step()
    return sorted(logs, key=lambda log: log.order)


def _pick_tasks(logs: Sequence[Log], options: ImportOptions, import_log: ImportLog) -> list[Log]:
    """Return the logs of the requested tasks, and report an error if the tasks are unclear.

    Raises:
        UsageError: No log is for a requested task; the message lists the tasks.
    """
    tasks = dict.fromkeys(log.task for log in logs)
    if not options.task_names or not logs:
        if len(tasks) > 1:
            names = listed(map(one_line, sorted(tasks)))
            import_log.add(TASKS, import_log.root, f"there are logs of {names}")
        return list(logs)
    picked_tasks: set[str] = set()
    for name in options.task_names:
        matches = {log.task for log in logs if name in log.task_spellings}
        if not matches:
            available = listed(map(one_line, sorted(tasks)))
            raise UsageError(f"no log is about task {name}; the tasks are: {available}")
        if len(matches) > 1:
            message = f"{one_line(name)} may be {listed(map(one_line, sorted(matches)))}"
            import_log.add(TASKS, import_log.root, message)
        picked_tasks |= matches
    return [log for log in logs if log.task in picked_tasks]


def _unify_agents(logs: Sequence[Log], import_log: ImportLog) -> list[Log]:
    """Return logs whose agents are the same over several tasks.

    Each task has a plan with its own solvers. Over several tasks, an agent is identified only by
    the facts that its logs share: the model, and the solver given by `--solver`. Solvers of plans
    distinguish agents only if the same task was run with several solvers.
    """
    solver_by_task: dict[str, str] = {}
    for log in logs:
        solver = plan_solver(log)
        if solver_by_task.setdefault(log.task, solver) != solver:
            return list(logs)
    solvers = sorted(set(solver_by_task.values()))
    if len(solvers) <= 1:
        return list(logs)
    names = listed(filter(None, solvers))
    import_log.assume(f"the solvers of the tasks' plans are not part of the agents: {names}")
    return [replace(log, is_plan_of_agent=False) for log in logs]


def _choose_prefixes(tasks: Sequence[str]) -> dict[str, str]:
    """Return the shortest unique prefix for the names of each task's samples.

    A single task does not need a prefix.
    """
    if len(tasks) == 1:
        return {tasks[0]: ""}
    names = [task.rpartition("@")[0] for task in tasks]
    prefixes = list(tasks)
    for candidates in (list(map(short_model_name, names)), names):
        if len(set(candidates)) == len(tasks):
            prefixes = candidates
            break
    return {task: f"{prefix}/" for task, prefix in zip(tasks, prefixes, strict=True)}


@dataclass(slots=True)
class _SortedLogs:
    """The logs of an import, grouped by how they can be imported."""

    graded: list[GradedLog] = field(default_factory=list)
    unscored: list[tuple[Log, ScoreName | None]] = field(default_factory=list)
    """Logs without a verdict, each with the score used as the reward of its task."""
    without_samples: list[Log] = field(default_factory=list)


def _import_tasks(logs: Sequence[Log], options: ImportOptions, source: ImportSource) -> None:
    """Add the runs and the reported table of all tasks to a source."""
    import_log = source.log
    logs_by_task = grouped((log.task, log) for log in logs)
    sorted_logs = _sort_logs(logs_by_task, options, import_log)
    import_log.stop_at_errors()
    without_samples = sorted_logs.without_samples
    if without_samples and len(logs_by_task) > 1:
        path = without_samples[0].path
        message = (
            f"{import_log.name(path)} has no samples: its score can't be joined with other tasks"
        )
        fix = "choose one task with `--task`"
        import_log.problems.append(TASKS.broken(path, None, message, fix))
    graded_names = {graded.name for graded in sorted_logs.graded}
    add_reported(without_samples, graded_names, options, source)
    has_others = bool(sorted_logs.graded or source.reported)
    _report_unscored(sorted_logs.unscored, import_log, has_others=has_others)
    import_log.stop_at_errors()
    graded_logs = sorted(sorted_logs.graded, key=lambda graded: graded.log.order)
    runs = [_build_run(graded, options, source) for graded in graded_logs]
    import_log.stop_at_errors()
    source.runs += join_runs(runs, options, import_log)


def _sort_logs(
    logs_by_task: Mapping[str, Sequence[Log]], options: ImportOptions, import_log: ImportLog
) -> _SortedLogs:
    """Choose the reward of each task, and return the logs, grouped by how they can be imported."""
    sorted_logs = _SortedLogs()
    prefixes = _choose_prefixes(list(logs_by_task))
    for task, logs in logs_by_task.items():
        _report_arguments(logs, import_log)
        with_samples = []
        for log in logs:
            if is_without_samples(log):
                sorted_logs.without_samples.append(log)
            else:
                with_samples.append(log)
        latest = _choose_latest_tries(with_samples)
        name = choose_score(latest, options, import_log)
        if name is None and list_scores(latest):
            continue  # the error already asks which score counts
        for log in latest:
            if name is None or not _has_verdict(log, name):
                sorted_logs.unscored.append((log, name))
            else:
                graded = GradedLog(log, name, options.scale, prefixes[task])
                sorted_logs.graded.append(graded)
        if name is not None:
            _report_choice(name, latest, options, import_log)
            metric = name.component or name.scorer
            is_requested = options.metric is not None
            check_direction(metric, latest[0].path, import_log, is_requested=is_requested)
    _check_epochs(sorted_logs.graded, import_log)
    return sorted_logs


def _check_epochs(graded_logs: Sequence[GradedLog], import_log: ImportLog) -> None:
    """Report an agent whose tasks have different numbers of epochs.

    Attempts that were never planned for a task would otherwise count as failures.
    """
    epochs_by_agent: defaultdict[RankedAgent, dict[str, int]] = defaultdict(dict)
    for graded in graded_logs:
        log = graded.log
        epochs = epochs_by_agent[identify_agent(log)]
        epochs[log.task] = max(log.epochs, epochs.get(log.task, 1))
    for epochs in epochs_by_agent.values():
        if len(set(epochs.values())) > 1:
            counts = [f"{one_line(task)}: {number}" for task, number in epochs.items()]
            message = f"the tasks of one board differ in their number of epochs ({listed(counts)})"
            import_log.problems.append(EPOCHS.broken(import_log.root, None, message))
            return


def _choose_latest_tries(logs: Sequence[Log]) -> list[Log]:
    """Return the last try of each run."""
    latest = []
    for agent_logs in grouped((identify_agent(log), log) for log in logs).values():
        latest += merge_retries(agent_logs)
    return latest


def _report_arguments(logs: Sequence[Log], import_log: ImportLog) -> None:
    """Report arguments that differ between runs of one task, as they may affect its difficulty."""
    values_by_argument: defaultdict[str, set[str]] = defaultdict(set)
    for log in logs:
        for argument, value in log.header.spec.task_args.items():
            values_by_argument[argument].add(repr(value))
    differing = []
    for argument, values in sorted(values_by_argument.items()):
        if len(values) > 1:
            differing.append(one_line(argument))
    if differing:
        task = one_line(logs[0].header.spec.task)
        fact = (
            f"runs of {task} are treated as comparable, although their task arguments differ: "
            f"{listed(differing)}"
        )
        import_log.assume(fact)


def _has_verdict(log: Log, name: ScoreName) -> bool:
    """Return whether any sample has the score and was not invalidated."""
    rewards = collect_rewards(log, name, None)
    return any(not log.samples[key].invalidation for key in rewards)


def _build_run(graded: GradedLog, options: ImportOptions, source: ImportSource) -> AgentResults:
    """Return the run of a log, with a round for each sample."""
    import_log = source.log
    log = graded.log
    prefix = graded.prefix
    run = AgentResults(log.path, identify_agent(log), agent_facts(log))
    run.attempts = log.epochs
    run.planned = [prefix + sample_id for sample_id in log.planned]
    created = likely_moment(log.header.spec.created, options.today)
    run.day = created.date() if created else None
    run.provenance = _build_provenance(log, options)
    run.transcripts = partial(_read_run_transcripts, log, prefix)
    check_log(graded, run, import_log)
    grade_samples(graded, run, import_log)
    add_claim(graded, run, import_log)
    for (sample_id, _), sample in log.samples.items():
        source.labels[prefix + sample_id] |= parse_labels(sample.metadata)
    _report_run(log, run, import_log)
    return run


def _report_run(log: Log, run: AgentResults, import_log: ImportLog) -> None:
    """Report how a run ended, whether it was partial, and which logs it replaced."""
    header = log.header
    spec = header.spec
    if header.status != "success":
        fact = f"it ended with the status {one_line(header.status)}"
        if header.error and header.error.message:
            fact += f", {first_line(header.error)}"
        import_log.add_doubt(rules.RUN_UNFINISHED, log.path, run.spot(), fact)
    if spec.is_partial:
        option = "sample_id" if spec.limit is None else "limit"
        import_log.add_doubt(rules.PART_OF_TASKS, log.path, run.spot(), f"`{option}` is set")
    for earlier in log.earlier:
        fact = import_log.name(earlier.path)
        if earlier.samples:
            count = counted(len(earlier.samples), "sample")
            fact += f", except for {count} that only this log has"
        import_log.add_doubt(rules.RUN_REPLACED, earlier.path, run.spot(), fact)
    import_log.warn_if_newer("Inspect's log format", header.version, NEWEST_VERSION, run.entrant)
    _note_retries(log, import_log)
    _note_models(log, import_log)


def _build_provenance(log: Log, options: ImportOptions) -> Provenance:
    """Return the provenance of a run; impossible times are left out."""
    header = log.header
    spec = header.spec
    started = likely_moment(header.started_at, options.today)
    finished = likely_moment(header.completed_at, options.today)
    if started and finished and finished < started:
        started = None
        finished = None
    return Provenance(
        harness="inspect_ai",
        harness_version=one_line(spec.version) if spec.version else None,
        code_commit=one_line(spec.commit) if spec.commit else None,
        dirty=spec.dirty,
        started=started,
        finished=finished,
    )


def _read_run_transcripts(log: Log, prefix: str) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield the transcripts of a run by task and attempt, beginning with those of earlier tries."""
    remaining = set(log.samples)
    tries: list[tuple[Path, set[SampleKey]]] = []
    for earlier in log.earlier:
        tries.append((earlier.path, set(earlier.samples)))
        remaining -= earlier.samples.keys()
    tries.append((log.path, remaining))
    for path, keys in tries:
        for (sample_id, epoch), transcript in read_transcripts(path, log.header.spec.model, keys):
            yield (prefix + sample_id, epoch), transcript


def _note_retries(log: Log, import_log: ImportLog) -> None:
    """Note the number of samples that Inspect reran automatically."""
    retried = sum(bool(sample.error_retries) for sample in log.samples.values())
    if retried:
        count = counted(retried, "sample")
        import_log.notes.append(f"{import_log.name(log.path)}: {count} run again after an error")


def _note_models(log: Log, import_log: ImportLog) -> None:
    """Note the models whose tokens are counted together, such as the agent and a grader."""
    models: set[str] = set()
    for sample in log.samples.values():
        models |= sample.model_usage.keys()
    if len(models) > 1:
        names = listed(map(one_line, sorted(models)))
        import_log.notes.append(f"{import_log.name(log.path)}: tokens and cost include {names}")


def _report_choice(
    name: ScoreName, logs: Sequence[Log], options: ImportOptions, import_log: ImportLog
) -> None:
    """Report which of several scores is the reward in the logs of a task, and why."""
    measures = [str(measure) for measure in list_scores(logs) if measure != name]
    if not measures:
        return
    shown_measures = listed([f"`{measure}`" for measure in measures])
    for log in logs:
        entrant = identify_agent(log)
        if options.metric:
            fact = f"`{name}` counts, not {shown_measures}"
            import_log.add_doubt(rules.SCORE_CHOSEN, log.path, SourceLocation(entrant), fact)
        else:
            headline = f"the score `{name}`, which is the log's headline metric"
            fact = f"the reward is {headline}, not {shown_measures}"
            import_log.assume(fact, entrant)


def _report_unscored(
    unscored: Sequence[tuple[Log, ScoreName | None]], import_log: ImportLog, *, has_others: bool
) -> None:
    """Report logs without a verdict as left out, or as an error if there are no other logs."""
    for log, name in unscored:
        reason, fix = _explain_unscored(log, name)
        if has_others:
            import_log.add_doubt(rules.LEFT_OUT, log.path, import_log.name(log.path), reason)
        else:
            message = f"nothing was scored in {import_log.name(log.path)}: {reason}"
            import_log.problems.append(rules.NOTHING_SCORED.broken(log.path, None, message, fix))


def _explain_unscored(log: Log, name: ScoreName | None) -> tuple[str, str]:
    """Return the reason why a log has no verdict, and a fix."""
    score_log = f"score it with `inspect score {one_line(log.path.name)}`, and import again"
    samples = list(log.samples.values())
    count = counted(len(samples), "sample")
    if not samples:
        return "it has neither samples nor results", _RUN_TO_END
    if all(sample.invalidation for sample in samples):
        return f"all of its {count} were invalidated", _RUN_INVALIDATED
    scored = [sample for sample in samples if sample.scores]
    if not scored:
        errors = [sample.error for sample in samples if sample.error]
        if len(errors) == len(samples):
            example = first_line(errors[0]) or "an error without a message"
            return f"all of its {count} ended with an error, for example: {example}", _RETRY
        return f"none of its {count} has a score", score_log
    if name is not None and not any(name.scorer in sample.scores for sample in scored):
        available = listed(map(str, list_scores([log])), separator="; ")
        available = available or "none that is a number"
        return f"none of its {count} has the score {name}; it has: {available}", score_log
    value = _first_value(scored, name)
    if value is not None:
        example = one_line(str(value))
        reason = f"its scores are neither numbers nor Inspect's letters, for example {example}"
        return reason, f"choose another score with `--metric`, or {score_log}"
    return f"the scorer gave no verdict on any of its {count}", f"find out why, and {score_log}"


def _first_value(samples: Sequence[LogSample], name: ScoreName | None) -> object:
    """Return the first value of a score, or of any score if no name is given."""
    for sample in samples:
        values = [score.value for score in sample.scores.values()]
        if name is not None:
            values = [name.find_value(sample.scores)]
        for value in values:
            if value is not None:
                return value
    return None
