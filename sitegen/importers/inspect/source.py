"""Imports logs of Inspect: every model becomes a bundle, every sample a task, every epoch an attempt."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sitegen.importers.inspect.agents import entrant_of, facts_of, plan_solver
from sitegen.importers.inspect.checks import add_claim, check_log
from sitegen.importers.inspect.grading import (
    GradedLog,
    first_line_of,
    grade_samples,
    labels_of,
    rewards_of,
)
from sitegen.importers.inspect.logs import Log, SampleKey, is_log, read_log, read_transcripts
from sitegen.importers.inspect.merging import merge_copies, merge_retries
from sitegen.importers.inspect.records import Sample
from sitegen.importers.inspect.reported import add_reported, is_without_samples
from sitegen.importers.inspect.rules import TASKS
from sitegen.importers.inspect.scores import ScoreName, check_metric, choose_score, names_in
from sitegen.importers.inspect.times import likely_moment
from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import chosen, short
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import GRADED, Run, Source
from sitegen.importers.kit.tree import Tree
from sitegen.models.incoming import Incoming
from sitegen.models.submission import Provenance
from sitegen.problems import ProblemsError, UsageError, counted, grouped, listed

NEWEST_VERSION = 3
"""The newest version of the log format that this importer was checked with."""


def read_inspect(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder of logs.

    The logs are of one task, or of those that `--task` names. The reward is the score that `--metric` names, or the
    headline of the logs.
    """
    report, tree = Report(source), Tree(source)
    logs = _read_logs(tree, options, report)
    report.problems += tree.problems()
    report.stop_at_errors()
    logs = _of_tasks(logs, options, report)
    report.stop_at_errors()
    models = chosen((log.header.spec.model for log in logs), options)
    logs = [log for log in logs if log.header.spec.model in models]
    check_metric(logs, options)
    logs = merge_copies(logs, report)
    report.stop_at_errors()
    logs = _with_agents(logs, report)
    result = Source(report, columns=GRADED, has_picked_tasks=True)
    by_task = grouped((log.task, log) for log in logs)
    result.summary = f"{listed(_titles(logs))}, run and graded by Inspect." if logs else ""
    _import_tasks(by_task, options, result)
    return result.imported(options)


def recognise(tree: Tree) -> str | None:
    """Return what a tree holds that is of Inspect: a log."""
    return tree.example("logs of Inspect", filter(is_log, tree.paths()))


FORMAT = Format(
    read_inspect, "main", extras=frozenset({"metric", "scale", "runs", "pick"}), recognise=recognise
)


def _read_logs(tree: Tree, options: ImportOptions, report: Report) -> list[Log]:
    """Return the logs of a tree, in the order of time; what is wrong with one is added to the report."""
    paths = [path for path in tree.paths() if is_log(path)]
    pace = Pace(len(paths), options.watch)
    logs = []
    for path in paths:
        try:
            logs.append(read_log(path))
        except ProblemsError as error:
            report.problems += error.problems
        pace.step()
    return sorted(logs, key=lambda log: log.order)


def _of_tasks(logs: Sequence[Log], options: ImportOptions, report: Report) -> list[Log]:
    """Return the logs of the tasks that are asked for; an error says what to choose from."""
    tasks = dict.fromkeys(log.task for log in logs)
    wanted = set(tasks)
    if options.task_names and logs:
        wanted = set()
        for name in options.task_names:
            matches = {log.task for log in logs if name in log.task_spellings}
            if not matches:
                raise UsageError(
                    f"no log is of task {name}; there are: {listed(map(one_line, sorted(tasks)))}"
                )
            if len(matches) > 1:
                message = f"{one_line(name)} may be {listed(map(one_line, sorted(matches)))}"
                report.add(TASKS, report.root, message)
            wanted |= matches
    elif len(tasks) > 1:
        report.add(TASKS, report.root, f"there are logs of {listed(map(one_line, sorted(tasks)))}")
    return [log for log in logs if log.task in wanted]


def _with_agents(logs: Sequence[Log], report: Report) -> list[Log]:
    """Return logs whose solvers are the agent's only where that is so.

    A task has a plan of its own. Over several tasks, agents are what they have in common: the model, and the solver
    that `--solver` gave.
    """
    solver_of_task: dict[str, str] = {}
    for log in logs:
        solver = plan_solver(log)
        if solver_of_task.setdefault(log.task, solver) != solver:  # which tells agents apart
            return list(logs)
    solvers = sorted(set(solver_of_task.values()))
    if len(solvers) <= 1:
        return list(logs)
    named_solvers = [solver for solver in solvers if solver]
    report.assume(
        f"the solvers of the tasks' plans are no part of the agents: {listed(named_solvers)}"
    )
    return [replace(log, is_plan_of_agent=False) for log in logs]


def _titles(logs: Sequence[Log]) -> list[str]:
    return list(dict.fromkeys(one_line(log.header.spec.task) for log in logs))


def _prefixes(tasks: Sequence[str]) -> dict[str, str]:
    """Return what the names of each task's samples begin with: nothing where there is one task."""
    if len(tasks) == 1:
        return {tasks[0]: ""}
    names = [task.rpartition("@")[0] for task in tasks]
    for spellings in ([short(name) for name in names], names, list(tasks)):
        if len(set(spellings)) == len(tasks):
            break
    return {task: f"{spelling}/" for task, spelling in zip(tasks, spellings, strict=True)}


def _import_tasks(
    by_task: Mapping[str, Sequence[Log]], options: ImportOptions, source: Source
) -> None:
    """Add the runs and the reported rows of every task to a source."""
    report = source.report
    prefixes = _prefixes(list(by_task))
    without_samples: list[Log] = []
    unscored: list[tuple[Log, ScoreName | None]] = []
    graded: list[GradedLog] = []
    for task, logs in by_task.items():
        _assume_equal_arguments(logs, report)
        without_samples += [log for log in logs if is_without_samples(log)]
        latest = _latest_tries([log for log in logs if not is_without_samples(log)])
        name = choose_score(latest, options, report)
        if name is None and names_in(latest):
            continue  # the error asks which of the scores counts
        for log in latest:
            if name is None or not _has_verdict(log, name):
                unscored.append((log, name))
            else:
                graded.append(GradedLog(log, name, options.scale, prefixes[task]))
        if name is not None:
            _tell_choice(name, latest, options, report)
    report.stop_at_errors()
    if without_samples and len(by_task) > 1:
        message = f"{report.name(without_samples[0].path)} has no samples: its score can't be joined with other tasks"
        report.problems.append(
            TASKS.broken(without_samples[0].path, None, message, "choose one task with `--task`")
        )
    add_reported(without_samples, {graded_log.name for graded_log in graded}, options, source)
    _report_unscored(unscored, report, has_others=bool(graded or source.reported))
    report.stop_at_errors()
    graded.sort(key=lambda graded_log: graded_log.log.order)
    runs = [_run_of(graded_log, options, source) for graded_log in graded]
    report.stop_at_errors()
    source.runs += join_runs(runs, options, report)


def _latest_tries(logs: Sequence[Log]) -> list[Log]:
    """Return the last try of each run."""
    by_agent = grouped((entrant_of(log), log) for log in logs)
    latest = []
    for agent_logs in by_agent.values():
        latest += merge_retries(agent_logs)
    return latest


def _assume_equal_arguments(logs: Sequence[Log], report: Report) -> None:
    """Say where runs of one task had different arguments: they may be of different difficulty."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for log in logs:
        for key, value in log.header.spec.task_args.items():
            values[key].add(repr(value))
    differing = sorted(key for key, different_values in values.items() if len(different_values) > 1)
    if differing:
        task = one_line(logs[0].header.spec.task)
        report.assume(
            f"runs of {task} compare although their task arguments differ: {listed(map(one_line, differing))}"
        )


def _has_verdict(log: Log, name: ScoreName) -> bool:
    """Return whether some sample has the score, and nobody invalidated it."""
    return any(not log.samples[key].invalidation for key in rewards_of(log, name, None))


def _run_of(graded: GradedLog, options: ImportOptions, source: Source) -> Run:
    """Return the run that a log is of, with a round for each sample."""
    report, log, prefix = source.report, graded.log, graded.prefix
    spec = log.header.spec
    run = Run(log.path, entrant_of(log), facts_of(log))
    run.attempts = log.epochs
    run.planned = [prefix + sample_id for sample_id in log.planned]
    created = likely_moment(spec.created, options.today)
    run.day = created.date() if created else None
    run.provenance = _provenance(log, options)
    run.transcripts = partial(_transcripts, log, prefix)
    check_log(graded, run, report)
    grade_samples(graded, run, report)
    add_claim(graded, run, report)
    for (sample_id, _), sample in log.samples.items():
        source.labels[prefix + sample_id] |= labels_of(sample.metadata)
    _tell_state(log, run, report)
    return run


def _tell_state(log: Log, run: Run, report: Report) -> None:
    """Report what is particular about a run: how it ended, what it was over, what it replaced."""
    header, spec = log.header, log.header.spec
    if header.status != "success":
        message = (
            f", {first_line_of(header.error)}" if header.error and header.error.message else ""
        )
        report.doubt(
            rules.RUN_UNFINISHED,
            log.path,
            run.spot(),
            f"it ended as {one_line(header.status)}{message}",
        )
    if spec.limit is not None or spec.chosen is not None:
        option = "limit" if spec.limit is not None else "sample_id"
        report.doubt(rules.PART_OF_TASKS, log.path, run.spot(), f"`{option}` is set")
    for earlier in log.earlier:
        kept = (
            f", but for {counted(len(earlier.samples), 'sample')} that only it has"
            if earlier.samples
            else ""
        )
        report.doubt(rules.RUN_REPLACED, earlier.path, run.spot(), report.name(earlier.path) + kept)
    report.newer_version("Inspect's log format", header.version, NEWEST_VERSION, run.entrant)
    _note_retries_and_judges(log, report)


def _provenance(log: Log, options: ImportOptions) -> Provenance:
    """Return how a run was made, as its log has it."""
    header, spec = log.header, log.header.spec
    started = likely_moment(header.started_at, options.today)
    finished = likely_moment(header.completed_at, options.today)
    if started and finished and finished < started:
        started = finished = None
    return Provenance(
        harness="inspect_ai",
        harness_version=one_line(spec.version) if spec.version else None,
        code_commit=one_line(spec.commit) if spec.commit else None,
        dirty=spec.dirty,
        started=started,
        finished=finished,
    )


def _transcripts(log: Log, prefix: str) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield what the model and its tools said in the samples of a run, by task and attempt."""
    model = log.header.spec.model
    from_earlier: set[SampleKey] = set()
    for earlier in log.earlier:
        from_earlier |= earlier.samples.keys()
        for (sample_id, epoch), data in read_transcripts(
            earlier.path, model, earlier.samples.keys()
        ):
            yield (prefix + sample_id, epoch), data
    for (sample_id, epoch), data in read_transcripts(
        log.path, model, log.samples.keys() - from_earlier
    ):
        yield (prefix + sample_id, epoch), data


def _note_retries_and_judges(log: Log, report: Report) -> None:
    """Note samples that Inspect ran again by itself, and models whose tokens are counted together."""
    retried = sum(bool(sample.error_retries) for sample in log.samples.values())
    models = {model for sample in log.samples.values() for model in sample.model_usage}
    if retried:
        report.notes.append(
            f"{report.name(log.path)}: {counted(retried, 'sample')} run again after an error"
        )
    if len(models) > 1:
        names = listed(map(one_line, sorted(models)))
        report.notes.append(f"{report.name(log.path)}: tokens and cost are of {names} together")


def _tell_choice(
    name: ScoreName, logs: Sequence[Log], options: ImportOptions, report: Report
) -> None:
    """Say which of several scores is the reward in the logs of a task, and why."""
    others = [str(score_name) for score_name in names_in(logs) if score_name != name]
    if not others:
        return
    shown = listed(others, separator="; ")
    for log in logs:
        entrant = entrant_of(log)
        if options.metric:
            report.doubt(
                rules.SCORE_CHOSEN, log.path, Spot(entrant), f"{name} counts, beside {shown}"
            )
        else:
            report.assume(
                f"the score {name} is the reward, as the headline of the log says, and not {shown}",
                entrant,
            )


def _report_unscored(
    unscored: Sequence[tuple[Log, ScoreName | None]], report: Report, *, has_others: bool
) -> None:
    """Report logs without a verdict: they are left out where there are others, else nothing can be imported."""
    for log, name in unscored:
        reason, fix = _why_unscored(log, name)
        if has_others:
            report.doubt(rules.LEFT_OUT, log.path, report.name(log.path), reason)
        else:
            message = f"nothing was scored in {report.name(log.path)}: {reason}"
            report.problems.append(rules.NOTHING_SCORED.broken(log.path, None, message, fix))


def _why_unscored(log: Log, name: ScoreName | None) -> tuple[str, str]:
    """Return why a log has no verdict, and what to do about it."""
    score_it = f"score it with `inspect score {one_line(log.path.name)}`, and import again"
    samples = list(log.samples.values())
    count = counted(len(samples), "sample")
    if not samples:
        return "it has neither samples nor results", "run the task to its end, and import again"
    if all(sample.invalidation for sample in samples):
        return (
            f"all of its {count} were invalidated",
            "run the samples again, and import the new log",
        )
    errors = [sample.error for sample in samples if sample.error]
    scored = [sample for sample in samples if sample.scores]
    if not scored and len(errors) == len(samples):
        example = first_line_of(errors[0]) or "one without words"
        reason = f"all of its {count} ended with an error, for example: {example}"
        return (
            reason,
            "remove the cause of the errors, run `inspect eval-retry` on the log, and import again",
        )
    if not scored:
        return f"none of its {count} has a score", score_it
    if name is not None and not any(name.scorer in sample.scores for sample in scored):
        there = listed(map(str, names_in([log])), separator="; ") or "none that is a number"
        return f"none of its {count} has the score {name}; it has: {there}", score_it
    text = _first_text(scored, name)
    if text is not None:
        reason = f"its scores are no numbers and no letters of Inspect's, for example {one_line(str(text))}"
        return reason, f"choose another score with `--metric`, or {score_it}"
    return f"the scorer gave no verdict on any of its {count}", f"look why, and {score_it}"


def _first_text(samples: Sequence[Sample], name: ScoreName | None) -> object:
    """Return the first value of a score, or of any score where none is named; None where there is none."""
    for sample in samples:
        scores = sample.scores
        values = [name.of(scores)] if name else [score.value for score in scores.values()]
        for value in values:
            if value is not None:
                return value
    return None
