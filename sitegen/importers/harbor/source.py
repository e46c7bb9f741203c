"""Import Harbor's job and trial folders as bundles, with their tracks and the benchmark."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.authors import differing_settings, format_settings
from sitegen.importers.harbor.duplicates import apply_regrades, drop_copies
from sitegen.importers.harbor.rounds import RoundScorer, score_run
from sitegen.importers.harbor.runs import (
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
    benchmark_of,
    read_tasks,
)
from sitegen.importers.harbor.trajectory import trajectory_files
from sitegen.importers.harbor.trials import Trial, classify_folder, read_trials, survey_folders
from sitegen.importers.harbor.verdicts import Rubric
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import maker_of, only
from sitegen.importers.kit.cases import CaseLists, unreached
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import Run, Source
from sitegen.importers.kit.told import moment
from sitegen.importers.kit.tree import Tree
from sitegen.metrics.catalogue import COMP, columns_of
from sitegen.metrics.failstop import GAP, MT_AT_K, SR
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Incoming
from sitegen.models.outcome import Start
from sitegen.models.submission import Provenance
from sitegen.models.task import Task, TaskSet
from sitegen.problems import UsageError, counted, grouped, listed

_REFERENCE_SUFFIX = "-reference"
"""End of the name of a track for rounds from the reference state, if there is another track."""

_SUMMARIES: dict[Protocol, str] = {
    "chain": "Harbor's multi-step format: every round is run and scored.",
    "fail-stop": (
        "Harbor's multi-step format: a run ends with the first round that it does not pass."
    ),
    "once": "Harbor's single-step format: all targets are graded at the end.",
}
_REFERENCE_SUMMARY = (
    "Harbor's multi-step format: every round is also run once from the reference solution's state."
)
_REFERENCE_COLUMNS = (SR.id, MT_AT_K.id, GAP.id, COMP.id)

_VERIFIERS: Mapping[str, Literal["shared", "separate"]] = {
    "shared": "shared",
    "separate": "separate",
}

_NO_RUNS = "These tasks are defined, and the source has no runs of them"


def read_harbor(source: Path, options: ImportOptions, tasks: Path | None = None) -> Incoming:
    """Read a folder that holds jobs of the runner Harbor, or EvoCode-Bench's nesting of them.

    Every agent becomes one bundle. The trials of a job are attempts. The runner's own scores are
    not used: it leaves rounds without a verdict out of its means.

    Raises:
        UsageError: The agent, the task, the key or the folder that is asked for does not exist.
        ProblemsError: The runs can't be used; carries every problem, warnings included.
    """
    report = Report(source)
    trials, defined_tasks = _read_source(source, tasks, options, report)
    trials = apply_regrades(trials, options.pick, report)
    known_tasks = add_stated_tasks(defined_tasks, trials)
    if options.task_names:
        trials, known_tasks = _select_tasks(trials, known_tasks, options, report)

    identification = identify_runs(trials, known_tasks, options, report)
    submissions = select_runs(identification.runs, options, report)
    runs: list[HarborRun] = []
    for submission in submissions:
        runs += submission.runs.values()
    check_runs(runs, report)
    for submission in submissions:
        check_versions(submission, report)
    if not submissions:
        _stop_without_runs(report)
    wanted_ids = [name for name in defined_tasks.by_id if name in known_tasks.by_id]
    missing = [name for name in wanted_ids if name not in identification.tasks]
    _check_missing_tasks(missing, len(known_tasks.by_id), options, report)
    run_tasks = [known_tasks.by_id[name] for name in sorted(identification.tasks)]

    models = {run.trial.config.agent.model_name for run in identification.runs}
    pace = Pace(len(runs), options.watch)
    scorer = RoundScorer(report, pace, models, Rubric.from_options(options))
    scored = [(submission, _score_submission(submission, scorer)) for submission in submissions]
    report.notes += map(_describe_submission, submissions)
    report.notes.append(_describe_sources(scorer.source_counts))
    scorer.finish(run for _, run in scored)
    complete_tasks = _complete_tasks(run_tasks, runs, scorer.cases, report)
    for submission, scored_run in scored:
        _check_submission(submission, scored_run, complete_tasks, options, report)

    benchmark = benchmark_of(report, complete_tasks, options)
    incoming = _make_incoming(scored, benchmark, _protocol_of(run_tasks, report), options)
    task_count = len(missing) + len(run_tasks)
    findings = omission_notes(missing, task_count, _NO_RUNS, incoming.drafts)
    return replace(incoming, findings=findings)


def recognise(tree: Tree) -> str | None:
    """Return what shows that a source is Harbor's: a trial; None where there is none."""
    survey = survey_folders(tree, classify_folder)
    paths = [folder.path for folder in survey.run_folders]
    return tree.example("trials of Harbor", paths)


FORMAT = Format(
    read_harbor,
    "official",
    extras=frozenset({"tasks", "pick", "runs", "metric", "scale", "no_instructions"}),
    recognise=recognise,
)


def _read_source(
    source: Path, tasks: Path | None, options: ImportOptions, report: Report
) -> tuple[list[Trial], Tasks]:
    """Return the trials and the tasks of a source; what was skipped is reported."""
    tree = Tree(source)
    survey = survey_folders(tree, classify_folder)
    trials = read_trials(tree, survey.run_folders, report)
    trials = drop_copies(trials, options.pick, report)
    report.problems += tree.problems()
    has_requests = options.instructions is not False
    defined = report.take(read_tasks(survey.task_files, tasks, with_requests=has_requests))
    jobs = {trial.job.folder.path: trial.job for trial in trials}
    counts = f"found: {counted(len(trials), 'trial')} in {counted(len(jobs), 'job')}"
    report.notes.append(f"{counts}, and the definitions of {counted(len(defined.by_id), 'task')}")
    for reason, paths in survey.skipped.items():
        report.passed_over(reason, paths)
    for path, job in jobs.items():
        retries = job.result.n_retries
        if retries:
            message = f"{counted(retries, 'trial')} run again; the runner keeps the last try only"
            report.notes.append(f"job {report.name(path)}: {message}")
    return trials, defined


def _select_tasks(
    trials: Iterable[Trial], tasks: Tasks, options: ImportOptions, report: Report
) -> tuple[list[Trial], Tasks]:
    """Return the trials of the tasks that are asked for, by name, id or title, and these tasks.

    Raises:
        UsageError: There is no task of such a name.
    """
    asked_ids = set()
    for name in options.task_names:
        task = tasks.find([name]) or tasks.by_id.get(name) or tasks.find_title(name)
        if task is None:
            names = listed(tasks.by_id) or "none"
            raise UsageError(f"the source has no task {one_line(name)}; it has: {names}")
        asked_ids.add(task.task.id)
    selected: list[Trial] = []
    skipped: list[Path] = []
    for trial in trials:
        task = tasks.find(trial.task_names)
        if task is not None and task.task.id in asked_ids:
            selected.append(trial)
        else:
            skipped.append(trial.path)
    report.passed_over("another task than those asked for", skipped)
    definitions = [task for name, task in tasks.by_id.items() if name in asked_ids]
    return selected, Tasks.from_definitions(definitions)


def _stop_without_runs(report: Report) -> None:
    """Raise `ProblemsError` with the reason why no run of an agent can be imported."""
    report.stop_at_errors()
    message = "no finished trial of an agent was found"
    fix = None
    if any(doubt.rule is rules.TASK_LEFT_OUT for doubt in report.doubts):
        message = "every trial was left out, as the task.toml of its task is not known"
        fix = "name the folder of the tasks with `--tasks`"
    report.stop_at_nothing(rules.NOTHING_FOUND, message, fix)


def _check_missing_tasks(
    missing: Sequence[str], task_count: int, options: ImportOptions, report: Report
) -> None:
    """Report the defined tasks that no agent ran, unless the tasks of other runs are unknown."""
    if not missing or any(doubt.rule is rules.TASK_UNKNOWN for doubt in report.doubts):
        return
    message = f"{len(missing)} of {task_count} tasks have no run: {', '.join(missing)}"
    if options.allow_missing:
        report.add(kit_rules.TASKS_LEFT_OUT, report.root, message)
        return
    fix = "add the runs, or import with `--allow-missing` to leave these tasks out of the task set"
    report.problems.append(kit_rules.TASK_MISSING.broken(report.root, None, message, fix))


def _score_submission(submission: HarborSubmission, scorer: RoundScorer) -> Run:
    """Return the scored rounds of an agent's runs, with the paths of their transcripts."""
    scored = Run(scorer.report.root, submission.entrant, attempts=submission.attempts)
    files: dict[tuple[str, int, int], Path] = {}
    for (task, number, start), run in submission.runs.items():
        results, figures = score_run(run, number, scorer)
        for result in results:
            scored.results[result.task, result.attempt, result.round, result.start] = result
        scored.figures += figures
        if start == "own":
            for round_number, path in _transcripts_of(run).items():
                files[task, number, round_number] = path
        scorer.pace.step()
    return replace(scored, files=files, failures=scorer.failures[submission.entrant])


def _transcripts_of(run: HarborRun) -> dict[int, Path]:
    """Return the first transcript of each round; of a run of one round, under the number 0."""
    steps = run.task.steps
    workplaces = {0: run.trial.root_workplace}
    if len(steps) > 1:
        numbered = enumerate(steps, start=1)
        workplaces = {number: run.trial.find_round(name)[1] for number, name in numbered}
    transcripts = {}
    for number, workplace in workplaces.items():
        files = trajectory_files(workplace.agent)
        if files:
            transcripts[number] = files[0]
    return transcripts


def _describe_submission(submission: HarborSubmission) -> str:
    """Return a line about what an agent ran, and how."""
    facts = []
    attempts_by_task = submission.attempts_by_task
    if attempts_by_task:
        attempts = counted(submission.attempts, "attempt")
        facts.append(f"{attempts} at {counted(len(attempts_by_task), 'task')}")
    sampled_rounds = submission.sampled_rounds
    if sampled_rounds:
        facts.append(f"{counted(len(sampled_rounds), 'round')} from the reference state")
    trials = [run.trial for run in submission.runs.values()]
    jobs = {one_line(trial.job_id or "unknown") for trial in trials}
    versions = {one_line(trial.version or "of unknown version") for trial in trials}
    facts.append(f"job {listed(sorted(jobs))}")
    facts.append(f"harbor {listed(sorted(versions))}")
    return f"{submission.entrant}: {'; '.join(facts)}"


def _describe_sources(source_counts: Mapping[str, int]) -> str:
    """Return a line about where the rewards were read."""
    counts = [f"{number:,} from {name}" for name, number in sorted(source_counts.items())]
    return f"rewards: {', '.join(counts) or 'none'}"


def _complete_tasks(
    tasks: Iterable[TaskDefinition], runs: Iterable[HarborRun], cases: CaseLists, report: Report
) -> tuple[Task, ...]:
    """Return tasks with the cases that runs list, and the checksums that they were run with."""
    locks = [(run.task_id, run.trial.locked_task()) for run in runs]
    digests = grouped((name, lock.digest) for name, lock in locks if lock and lock.digest)
    complete = []
    for task in tasks:
        name = task.task.id
        task_digests = _distinct(digests[name])
        if len(task_digests) > 1:
            message = ", ".join(task_digests)
            report.doubt(rules.DIGEST_DIFFERS, task.path, Spot(None, name, name), message)
        complete.append(replace(cases.task(task.task), digest=only(task_digests)))
    return tuple(complete)


def _check_submission(
    submission: HarborSubmission,
    scored: Run,
    tasks: Iterable[Task],
    options: ImportOptions,
    report: Report,
) -> None:
    """Report the attempts and sampled rounds that an agent lacks.

    Where an agent only has sampled rounds, those before them are added as fast-forwarded.
    """
    attempts_by_task = submission.attempts_by_task
    sampled_rounds = submission.sampled_rounds
    samples = grouped((task, number) for task, number, _ in sampled_rounds)
    missing_rule = rules.REFERENCE_MISSING
    if options.allow_missing:
        missing_rule = rules.REFERENCE_LEFT_OUT
    for task in tasks:
        attempts = attempts_by_task[task.id]
        if attempts_by_task and attempts < submission.attempts:
            message = f"{attempts} of {submission.attempts} attempts" if attempts else "no run"
            spot = Spot(submission.entrant, task.id)
            report.doubt(rules.RUN_MISSING, report.root, spot, message)
        sampled = samples[task.id]
        missing = [task_round.n for task_round in task.rounds if task_round.n not in sampled]
        if sampled_rounds and missing:
            message = f"round {', '.join(map(str, missing))} of {len(task.rounds)}"
            spot = Spot(submission.entrant, task.id, start="reference")
            report.doubt(missing_rule, report.root, spot, message)
        if not attempts_by_task:
            for number in range(1, max(sampled, default=1)):
                scored.add(unreached(task.id, 1, number, "fast_forwarded"))


def _make_incoming(
    scored: Sequence[tuple[HarborSubmission, Run]],
    benchmark: Source,
    protocol: Protocol,
    options: ImportOptions,
) -> Incoming:
    """Return the bundles of agents on their tracks.

    Every agent of a track with rounds from the reference state has to have such rounds, and most
    agents have none. Those that do get a track of their own, with all of their runs. Its protocol
    is fail-stop, and without runs from the first round it has no columns that compare with them.
    """
    attempted = []
    for submission, run in scored:
        if submission.attempts_by_task:
            attempted.append(_make_bundle(submission, run, ("own",), benchmark))
    sampled = []
    has_both = False
    for submission, run in scored:
        if submission.sampled_rounds:
            sampled.append(_make_bundle(submission, run, ("own", "reference"), benchmark))
            has_both |= bool(submission.attempts_by_task)
    track = replace(
        benchmark,
        title="Official multi-step" if options.track == "official" else "",
        summary=_SUMMARIES[protocol],
        protocol=protocol,
        columns=columns_of(protocol, reference=False),
        has_picked_tasks=True,
        runs=attempted,
    )
    tracks = [track]
    if sampled:
        reference_track = replace(
            track,
            title="" if attempted else track.title,
            summary=_REFERENCE_SUMMARY,
            protocol="fail-stop",
            columns=_REFERENCE_COLUMNS if has_both else (SR.id,),
            apart=_REFERENCE_SUFFIX if attempted else "",
            runs=sampled,
        )
        tracks = [track, reference_track] if attempted else [reference_track]
    # The reasoning settings are part of the agents already.
    without_reasoning = replace(options, reasoning=None)
    return replace(tracks[0], beside=tracks[1:]).imported(without_reasoning)


def _make_bundle(
    submission: HarborSubmission, scored: Run, starts: Sequence[Start], benchmark: Source
) -> Run:
    """Return an agent's runs with some starts, as the bundle of one track.

    Conditions that differ between the runs and should not are reported.
    """
    runs = [run for (_, _, start), run in submission.runs.items() if start in starts]
    trials = [run.trial for run in runs]
    models = _models_of(runs, scored.entrant.name)
    scaffold_versions = _distinct(run.author.version for run in runs)
    conditions = {
        "models": models,
        "versions of the scaffold": scaffold_versions,
        "versions of the runner": _distinct(trial.version for trial in trials),
        "settings of the agent": _distinct_settings(runs),
    }
    report = benchmark.report
    for name, values in conditions.items():
        if len(values) > 1:
            message = f"{name} {listed(values)}"
            report.doubt(rules.CONDITIONS_DIFFER, report.root, Spot(submission.entrant), message)
    makers = {maker_of(model) for model in models}
    days = [trial.day for trial in trials if trial.day]
    return replace(
        scored,
        facts={
            "organization": only(makers),
            "model": only(models),
            "scaffold_version": ", ".join(scaffold_versions),
        },
        day=max(days, default=None),
        results={key: result for key, result in scored.results.items() if result.start in starts},
        failures=[failure for failure in scored.failures if failure.start in starts],
        parts=[trial.path for trial in trials],
        provenance=_provenance_of(submission, trials, benchmark),
    )


def _models_of(runs: Sequence[HarborRun], agent_name: str) -> tuple[str, ...]:
    """Return the names of the models that runs state, without the agent's own name.

    Runs state a model with and without its provider; only the longer name is kept.
    """
    names = {run.author.model or run.author.name or agent_name for run in runs}
    names.discard(agent_name)
    suffixes: set[str] = set()
    for name in names:
        parents = name.split("/")
        suffixes.update("/".join(parents[index:]) for index in range(1, len(parents)))
    return _distinct(names - suffixes)


def _distinct_settings(runs: Iterable[HarborRun]) -> tuple[str, ...]:
    """Return the distinct values of the settings that differ between runs."""
    authors = [run.author for run in runs if run.author.is_configured]
    differing = differing_settings(authors)
    if not differing:
        return ()
    labels = [", ".join(format_settings(author, differing)) for author in authors]
    return _distinct(label or "none" for label in labels)


def _provenance_of(
    submission: HarborSubmission, trials: Sequence[Trial], benchmark: Source
) -> Provenance:
    """Return how trials were run, as far as all of them state the same."""
    report = benchmark.report
    limits: set[tuple[str, float]] = set()
    for trial in trials:
        limits.update(trial.config.overrides())
    overrides: dict[str, str] = {}
    for name, values in grouped(sorted(limits)).items():
        overrides[name] = ", ".join(f"{value:g}" for value in values)
    if overrides:
        changes = [f"{name} {value}" for name, value in overrides.items()]
        spot = Spot(submission.entrant)
        report.doubt(rules.LIMITS_CHANGED, report.root, spot, listed(changes))
    versions = _distinct(trial.version for trial in trials)
    jobs = _distinct(trial.job_id for trial in trials)
    commits = _distinct(trial.commit for trial in trials)
    verifier = only(_distinct(trial.result.verifier_environment_mode for trial in trials))
    starts = [moment(trial.result.started_at) for trial in trials]
    ends = [moment(trial.result.finished_at) for trial in trials]
    return Provenance(
        harness="harbor",
        harness_version=", ".join(versions) or None,
        jobs=jobs or None,
        code_commit=only(commits),
        started=min(filter(None, starts), default=None),
        finished=max(filter(None, ends), default=None),
        overrides=overrides or None,
        verifier=_VERIFIERS.get(verifier or ""),
        task_digest=TaskSet("", tuple(benchmark.tasks.values())).digest,
    )


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    """Return the distinct non-empty values, sorted, each on one line."""
    present = {one_line(value) for value in values if value}
    return tuple(sorted(present))


def _protocol_of(tasks: Sequence[TaskDefinition], report: Report) -> Protocol:
    """Return how the rounds of a track's tasks follow each other.

    A task without steps is a chain of one round beside chains. Tasks with targets beside chains
    are an error.
    """
    chains = [task for task in tasks if task.is_chain]
    with_targets = [task for task in tasks if task.targets]
    if chains and with_targets:
        chain_id = chains[0].task.id
        message = f"{chain_id} is a chain of rounds, {with_targets[0].task.id} is graded once"
        report.add(rules.TASKS_MIXED, with_targets[0].path, message)
    if not chains:
        return "once"
    stops = {task.stops for task in chains if len(task.steps) > 1}
    return "fail-stop" if stops == {True} else "chain"
