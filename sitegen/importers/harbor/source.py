"""Imports the job and trial folders that Harbor writes: as bundles, the tracks these stand on, and the benchmark."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.rounds import Scorer, outcome_of
from sitegen.importers.harbor.runs import (
    AgentRuns,
    Run,
    check_runs,
    check_versions,
    counting_runs,
    identified,
    judged_again,
    without_copies,
)
from sitegen.importers.harbor.tasks import (
    TaskDefinition,
    Tasks,
    benchmark_of,
    read_tasks,
    with_told_tasks,
)
from sitegen.importers.harbor.trajectory import trajectory_files
from sitegen.importers.harbor.trials import (
    Trial,
    differing_settings,
    kind_of,
    read_trials,
    shown_settings,
    survey_of,
)
from sitegen.importers.harbor.verdicts import Rubric
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import maker_of, only
from sitegen.importers.kit.cases import CaseLists, unreached
from sitegen.importers.kit.drafts import omission_notes
from sitegen.importers.kit.options import Format, ImportOptions, Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.rounds import Source
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

_APART = "-reference"
"""What the name of a track for rounds from the reference state ends with where another stands beside it."""

_SUMMARIES: dict[Protocol, str] = {
    "chain": "Harbor's multi-step format: every round is run and scored.",
    "fail-stop": "Harbor's multi-step format: a run ends with the first round that it does not pass.",
    "once": "Harbor's single-step format: all targets are graded at the end.",
}
_WITH_REFERENCE = tuple(metric.id for metric in (SR, MT_AT_K, GAP, COMP))

_VERIFIERS: Mapping[str, Literal["shared", "separate"]] = {
    "shared": "shared",
    "separate": "separate",
}


def read_harbor(source: Path, options: ImportOptions, tasks: Path | None = None) -> Incoming:
    """Read a folder that holds jobs of the runner Harbor, be it one job or EvoCode-Bench's nesting of them.

    Every agent becomes one bundle. The trials of a job are attempts. Scores are not taken from the runner: it
    leaves rounds without a verdict out of its means.

    Raises:
        UsageError: The agent, the task, the key or the folder that is asked for is not there.
        ProblemsError: The runs can't be used as they stand; carries every problem, warnings included.
    """
    report = Report(source)
    trials, defined = _read(source, tasks, options, report)
    trials = judged_again(trials, options.pick, report)
    known = with_told_tasks(defined, trials)
    if options.task_names:
        trials, known = _asked_for(trials, known, options, report)

    # The runs that count, by agent.
    identification = identified(trials, known, options, report)
    agents = counting_runs(identification.runs, options, report)
    runs = [run for agent in agents for run in agent.runs.values()]
    check_runs(runs, report)
    for agent in agents:
        check_versions(agent, report)
    if not agents:
        _stop_at_nothing(report)
    missing = [
        name for name in defined.by_id if name in known.by_id and name not in identification.tasks
    ]
    _check_idle(missing, len(known.by_id), options, report)
    ran = [known.by_id[name] for name in sorted(identification.tasks)]

    # What they came to.
    models = {run.trial.config.agent.model_name for run in identification.runs}
    scorer = Scorer(report, Pace(len(runs), options.watch), models, Rubric.of(options))
    scored = [(agent, _scored(agent, scorer)) for agent in agents]
    report.notes += map(_note, agents)
    sources = ", ".join(
        f"{number:,} from {place}" for place, number in sorted(scorer.sources.items())
    )
    report.notes.append(f"rewards: {sources or 'none'}")
    scorer.settle(whole for _, whole in scored)
    done = tasks_of(ran, runs, scorer.cases, report)
    for agent, whole in scored:
        _check_missing(agent, whole, done, options, report)

    incoming = _on_tracks(
        scored, benchmark_of(report, done, options), protocol_of(ran, report), options
    )
    why = "These tasks are defined, and the source has no runs of them"
    return replace(
        incoming, findings=omission_notes(missing, len(missing) + len(ran), why, incoming.drafts)
    )


def _stop_at_nothing(report: Report) -> None:
    """Say why no run of an agent can be imported, and go no further."""
    report.stop_at_errors()
    what, fix = "no finished trial of an agent was found", None
    if any(doubt.rule is rules.TASK_LEFT_OUT for doubt in report.doubts):
        what = "every trial was left out, as the task.toml of its task is not known"
        fix = "name the folder of the tasks with `--tasks`"
    report.stop_at_nothing(rules.NOTHING_FOUND, what, fix)


def _check_idle(
    missing: Sequence[str], defined: int, options: ImportOptions, report: Report
) -> None:
    """Say which of the defined tasks nobody ran."""
    if not missing or any(doubt.rule is rules.TASK_UNKNOWN for doubt in report.doubts):
        return
    what = f"{len(missing)} of {defined} tasks have no run: {', '.join(missing)}"
    if options.allow_missing:
        report.add(kit_rules.TASKS_LEFT_OUT, report.root, what)
        return
    fix = "add the runs, or import with `--allow-missing` to leave these tasks out of the task set"
    report.problems.append(kit_rules.TASK_MISSING.broken(report.root, None, what, fix))


def _asked_for(
    trials: Sequence[Trial], tasks: Tasks, options: ImportOptions, report: Report
) -> tuple[list[Trial], Tasks]:
    """Return the tasks that are asked for, by their names, ids or titles, and their trials.

    Raises:
        UsageError: There is no task of such a name.
    """
    wanted = []
    for name in options.task_names:
        task = tasks.find([name]) or tasks.by_id.get(name) or tasks.of_title(name)
        if task is None:
            raise UsageError(
                f"the source has no task {one_line(name)}; it has: {listed(tasks.by_id) or 'none'}"
            )
        wanted.append(task)
    asked = {task.task.id for task in wanted}
    kept: list[Trial] = []
    left: list[Path] = []
    for trial in trials:
        task = tasks.find(trial.task_names)
        if task is not None and task.task.id in asked:
            kept.append(trial)
        else:
            left.append(trial.path)
    report.passed_over("another task than those asked for", left)
    return kept, Tasks.of(task for name, task in tasks.by_id.items() if name in asked)


def recognise(tree: Tree) -> str | None:
    """What tells of the runner: a trial."""
    return tree.example("trials of Harbor", (each.path for each in survey_of(tree, kind_of)[0]))


FORMAT = Format(
    read_harbor,
    "official",
    extras=frozenset({"tasks", "pick", "runs", "metric", "scale", "no_instructions"}),
    recognise=recognise,
)


def _read(
    source: Path, tasks: Path | None, options: ImportOptions, report: Report
) -> tuple[list[Trial], Tasks]:
    """The trials and the tasks of a source, and what was passed over."""
    tree = Tree(source)
    folders, definitions, skipped = survey_of(tree, kind_of)
    trials = without_copies(read_trials(tree, folders, report), options.pick, report)
    report.problems += tree.problems()
    defined = report.take(
        read_tasks(definitions, tasks, with_requests=options.instructions is not False)
    )
    jobs = {trial.job.folder.path: trial.job for trial in trials}
    found = f"found: {counted(len(trials), 'trial')} in {counted(len(jobs), 'job')}"
    report.notes.append(f"{found}, and the definitions of {counted(len(defined.by_id), 'task')}")
    for why, paths in skipped.items():
        report.passed_over(why, paths)
    for path, job in jobs.items():
        if retries := job.result.n_retries:
            again = f"{counted(retries, 'trial')} run again; the runner keeps the last try only"
            report.notes.append(f"job {report.name(path)}: {again}")
    return trials, defined


def _scored(agent: AgentRuns, scorer: Scorer) -> AgentRun:
    """What an agent's runs came to, with their transcripts: of each round, or of a whole attempt."""
    whole = AgentRun(scorer.report.root, agent.entrant, attempts=agent.attempts)
    files: dict[tuple[str, int, int], Path] = {}
    for (task, number, start), run in agent.runs.items():
        results, figures = outcome_of(run, number, scorer)
        whole.results |= {
            (each.task, each.attempt, each.round, each.start): each for each in results
        }
        whole.figures += figures
        places = [
            (place, run.trial.of_round(name)[1])
            for place, name in enumerate(run.task.steps, start=1)
        ]
        for place, work in places if len(places) > 1 else [(0, run.trial.loose)]:
            for path in trajectory_files(work.agent)[:1] if start == "own" else ():
                files[task, number, place] = path
        scorer.pace.step()
    return replace(whole, files=files, failures=scorer.failures[agent.entrant])


def _note(agent: AgentRuns) -> str:
    """What an agent ran, and how it was run, in a line."""
    trials, facts, made = [run.trial for run in agent.runs.values()], [], agent.made
    if made:
        facts.append(f"{counted(agent.attempts, 'attempt')} at {counted(len(made), 'task')}")
    if agent.sampled:
        facts.append(f"{counted(len(agent.sampled), 'round')} from the reference state")
    jobs = {one_line(each.job_id or "unknown") for each in trials}
    runners = {one_line(each.version or "of unknown version") for each in trials}
    return f"{agent.entrant}: {'; '.join(facts)}; job {listed(sorted(jobs))}; harbor {listed(sorted(runners))}"


def _check_missing(
    agent: AgentRuns,
    whole: AgentRun,
    tasks: tuple[Task, ...],
    options: ImportOptions,
    report: Report,
) -> None:
    made, entrant = agent.made, agent.entrant
    for task in tasks:
        if made and made[task.id] < agent.attempts:
            what = f"{made[task.id]} of {agent.attempts} attempts" if made[task.id] else "no run"
            report.doubt(rules.RUN_MISSING, report.root, Spot(entrant, task.id), what)
        sampled = [number for name, number, _ in agent.sampled if name == task.id]
        missing = (
            [str(each.n) for each in task.rounds if each.n not in sampled] if agent.sampled else []
        )
        if missing:
            rule = rules.REFERENCE_LEFT_OUT if options.allow_missing else rules.REFERENCE_MISSING
            what = f"round {', '.join(missing)} of {len(task.rounds)}"
            report.doubt(rule, report.root, Spot(entrant, task.id, start="reference"), what)
        # Where no run was made from a beginning and rounds were sampled, the reference solution did those before.
        for number in range(1, 1 if made else max(sampled, default=1)):
            whole.add(unreached(task.id, 1, number, "fast_forwarded"))


def _on_tracks(
    scored: Sequence[tuple[AgentRuns, AgentRun]],
    benchmark: Source,
    protocol: Protocol,
    options: ImportOptions,
) -> Incoming:
    """Make the bundles of agents, and the tracks that they stand on.

    A track that has rounds from the reference state has them of each of its agents, and most agents have none: those
    that do stand on a track of their own, with all of their runs. Beside such rounds nothing counts after a failure;
    and without runs from a task's beginning there is nothing to set them against.
    """
    title = "Official multi-step" if options.track == "official" else ""
    own = [_bundle(agent, whole, ("own",), benchmark) for agent, whole in scored if agent.made]
    sampled = [
        _bundle(agent, whole, ("own", "reference"), benchmark)
        for agent, whole in scored
        if agent.sampled
    ]
    track = replace(
        benchmark,
        title=title,
        summary=_SUMMARIES[protocol],
        protocol=protocol,
        columns=columns_of(protocol, reference=False),
        has_picked_tasks=True,
        runs=own,
    )
    tracks = [track]
    if sampled:
        has_both = any(agent.made for agent, _ in scored if agent.sampled)
        reference = replace(
            benchmark,
            title="" if own else title,
            summary="Harbor's multi-step format: every round is also run once from the reference solution's state.",
            protocol="fail-stop",
            columns=_WITH_REFERENCE if has_both else _WITH_REFERENCE[:1],
            apart=_APART if own else "",
            has_picked_tasks=True,
            runs=sampled,
        )
        tracks = [track, reference] if own else [reference]
    return replace(tracks[0], beside=tracks[1:]).imported(replace(options, reasoning=None))


def _bundle(
    agent: AgentRuns, whole: AgentRun, starts: Sequence[Start], benchmark: Source
) -> AgentRun:
    """Return what goes to a track of an agent's runs, those from some states.

    Conditions that differ between them but should be the same are reported.
    """
    report = benchmark.report
    runs = [run for (_, _, start), run in agent.runs.items() if start in starts]
    trials = [run.trial for run in runs]
    models = _models(runs, whole.entrant.name)
    versions = _distinct(run.author.version for run in runs)
    runners = _distinct(trial.version for trial in trials)
    authors = [run.author for run in runs if run.author.is_configured]
    differing = set(differing_settings(authors))
    settings = _distinct(
        ", ".join(shown_settings(author, differing)) or "none" for author in authors
    )
    facts = {
        "models": models,
        "versions of the scaffold": versions,
        "versions of the runner": runners,
        "settings of the agent": settings if differing else (),
    }
    for what, several in facts.items():
        if len(several) > 1:
            report.doubt(
                rules.CONDITIONS_DIFFER,
                report.root,
                Spot(agent.entrant),
                f"{what} {listed(several)}",
            )
    return replace(
        whole,
        facts={
            "organization": only({maker_of(model) for model in models}),
            "model": only(models),
            "scaffold_version": ", ".join(versions),
        },
        day=max((trial.day for trial in trials if trial.day), default=None),
        results={key: result for key, result in whole.results.items() if result.start in starts},
        failures=[failure for failure in whole.failures if failure.start in starts],
        parts=[trial.path for trial in trials],
        provenance=_provenance(agent, trials, benchmark),
    )


def _models(runs: Sequence[Run], agent_name: str) -> tuple[str, ...]:
    """Return the names of the models that runs state, without the agent's own name.

    Runs state a model with and without its provider; only the longer spelling is kept.
    """
    names = {run.author.model or run.author.name or agent_name for run in runs}
    names.discard(agent_name)
    shorter = {name for name in names if any(other.endswith(f"/{name}") for other in names)}
    return _distinct(names - shorter)


def _provenance(agent: AgentRuns, trials: Sequence[Trial], benchmark: Source) -> Provenance:
    """Return how trials were run, as far as all of them say the same."""
    report = benchmark.report
    limits = grouped(sorted({limit for trial in trials for limit in trial.config.overrides()}))
    overrides = {
        name: ", ".join(f"{value:g}" for value in values) for name, values in limits.items()
    }
    if overrides:
        named = listed([f"{name} {value}" for name, value in overrides.items()])
        report.doubt(rules.LIMITS_CHANGED, report.root, Spot(agent.entrant), named)
    verifier = only(_distinct(trial.result.verifier_environment_mode for trial in trials))
    began = [time for trial in trials if (time := moment(trial.result.started_at))]
    ended = [time for trial in trials if (time := moment(trial.result.finished_at))]
    return Provenance(
        harness="harbor",
        harness_version=", ".join(_distinct(trial.version for trial in trials)) or None,
        jobs=_distinct(trial.job_id for trial in trials) or None,
        code_commit=only(_distinct(trial.commit for trial in trials)),
        started=min(began, default=None),
        finished=max(ended, default=None),
        overrides=overrides or None,
        verifier=_VERIFIERS.get(verifier or ""),
        task_digest=TaskSet("", tuple(benchmark.tasks.values())).digest,
    )


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    """Return the distinct non-empty values, sorted, each as it can be shown."""
    present = {one_line(value) for value in values if value}
    return tuple(sorted(present))


def protocol_of(tasks: Sequence[TaskDefinition], report: Report) -> Protocol:
    """Return how the rounds of a track's tasks follow each other.

    A task without steps is a chain of one round where others are chains; targets do not go with chains.
    """
    chains = [task for task in tasks if task.is_chain]
    with_targets = [task for task in tasks if task.targets]
    if chains and with_targets:
        what = f"{chains[0].task.id} is a chain of rounds, {with_targets[0].task.id} is graded once"
        report.add(rules.TASKS_MIXED, with_targets[0].path, what)
    if not chains:
        return "once"
    stops = {task.stops for task in chains if len(task.steps) > 1}
    return "fail-stop" if stops == {True} else "chain"


def tasks_of(
    tasks: Sequence[TaskDefinition], runs: Sequence[Run], cases: CaseLists, report: Report
) -> tuple[Task, ...]:
    """Put the tasks together, with the cases that runs list and the checksums that they were run with."""
    locks = ((run.task.task.id, run.trial.locked_task()) for run in runs)
    digests = grouped((name, one_line(lock.digest)) for name, lock in locks if lock and lock.digest)
    found = []
    for task in tasks:
        told = sorted({*digests[task.task.id]})
        if len(told) > 1:
            report.doubt(
                rules.DIGEST_DIFFERS,
                task.path,
                Spot(None, task.task.id, task.task.id),
                ", ".join(told),
            )
        found.append(replace(cases.task(task.task), digest=only(told)))
    return tuple(found)
