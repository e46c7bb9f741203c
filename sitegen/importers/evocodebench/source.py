"""Imports the result files that EvoCode-Bench publishes with its site."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from statistics import mean

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.agents import AgentRuns, RunFinder, agents_of, choose_agents
from sitegen.importers.evocodebench.files import (
    INDEX,
    Publication,
    parse_index,
    read_publication,
    review_files,
)
from sitegen.importers.evocodebench.runs import TaskRun
from sitegen.importers.evocodebench.sweep import Sweep, read_sweep, run_figures
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.documents import read_document
from sitegen.importers.kit.drafts import day_of, omission_notes
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.requests import titles_of
from sitegen.importers.kit.rewards import check_rewards
from sitegen.importers.kit.rounds import Run, Source
from sitegen.importers.kit.tree import Tree
from sitegen.metrics.catalogue import DATASET_SCORE, columns_of
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.submission import Claims
from sitegen.models.task import Task, TaskRound
from sitegen.problems import counted

_SUMMARY = "Harbor's official multi-step format: one attempt a task, every round is run and scored."

_ABOUT = {
    "title": "EvoCode-Bench",
    "summary": "Whether coding agents can keep a project working while its requirements change from round to round.",
    "homepage": "https://unipat.ai/benchmarks/EvoCode-Bench",
    "paper": "https://arxiv.org/abs/2605.24110",
    "license": "CC-BY-NC-4.0 (tasks and their instructions), MIT (code)",
    "issues": "https://github.com/UniPat-AI/EvoCodeBench/issues",
}
"""What its files and its paper say of the benchmark."""

_NO_RESULTS = "The source lists these tasks and has no results for them"
_NOT_USABLE = "The source's results for these tasks can't be used"


def read_published(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder with `index.json`, `tasks/*.json` and perhaps a table of sweeps.

    Every agent becomes one bundle with one attempt at each task. A round of which the files say
    nothing was aborted or never reached; they do not say which, and a warning names these rounds.
    """
    report = Report(source)
    publication = read_publication(source, options, report)
    _check_tasks(publication, options, report)
    review_files(publication, report)
    day = day_of(report, options, "the folder's name", source.resolve().name)
    everyone, roster = agents_of(publication, options)
    sweep = read_sweep(publication, roster, report)
    agents = choose_agents(everyone, publication, options, report)
    finder = RunFinder(publication, roster, sweep, report)
    for agent in agents:
        finder.find(agent)
    agents = [agent for agent in agents if agent.runs]
    runs = _runs_by_task(agents, publication)
    _check_verdicts(runs, publication, options, report)
    _review_runs(runs, publication, sweep, report)
    report.stop_at_errors()
    has_requests = options.instructions is not False
    imported = Source(
        report,
        _SUMMARY,
        protocol="chain",
        columns=columns_of("chain"),
        gaps=None,
        title="Official multi-step" if options.track == "official" else "",
        about={**_ABOUT, "instructions": has_requests},
        axes=("difficulty", "category"),
        tasks=dict(_tasks(publication, has_requests=has_requests)),
        twice=rules.AGENT_TWICE,
        has_picked_tasks=True,
    )
    for agent in agents:
        run = Run(source, agent.entrant, day=day, missing=agent.missing)
        run.claims = _stated_score(agent, publication)
        for task_run in agent.runs:
            for result in task_run.results():
                run.add(result)
            figures = run_figures(task_run.task, task_run.swept)
            if figures:
                run.figures.append(figures)
            run.failures.extend(task_run.failures())
        imported.runs.append(run)
    incoming = imported.imported(options)
    drafts = {}
    for agent, draft in zip(agents, incoming.drafts, strict=True):
        drafts[agent.name] = draft
    defined = len(publication.ids)
    findings = (
        *omission_notes(publication.missing, defined, _NO_RESULTS, incoming.drafts),
        *omission_notes(list(publication.left_out), defined, _NOT_USABLE, incoming.drafts),
        *_exclusions(drafts, runs),
    )
    return replace(incoming, findings=findings)


def recognise(tree: Tree) -> str | None:
    """Return what shows that a folder is a publication: its index; None if it has none."""
    value, _ = read_document(tree.root / INDEX)
    index = parse_index(value)
    if index is None:
        return None
    tasks = counted(len(index.tasks), "task")
    agents = counted(len(index.agents), "agent")
    return f"an {INDEX} of {tasks} and {agents}"


FORMAT = Format(
    read_published, "official", "evocode-bench", frozenset({"scale"}), recognise=recognise
)


def _check_tasks(publication: Publication, options: ImportOptions, report: Report) -> None:
    """Report tasks without a file, and stop if there is no file or one is cut off."""
    folder = publication.source / "tasks"
    if publication.missing:
        is_meant = options.allow_missing and publication.files
        rule = kit_rules.TASKS_LEFT_OUT if is_meant else kit_rules.TASK_MISSING
        number = f"{len(publication.missing)} of {len(publication.ids)} tasks have no file"
        names = ", ".join(map(one_line, publication.missing))
        report.add(rule, folder, f"{number}: {names}")
    elif not publication.files:
        reasons = "; ".join(dict.fromkeys(map(one_line, publication.left_out.values())))
        what = "no file of a task can be used" + (f": {reasons}" if reasons else "")
        report.add(kit_rules.NOTHING_FOUND, folder, what)
    if not publication.files:
        report.stop_at_errors()


def _runs_by_task(agents: Sequence[AgentRuns], publication: Publication) -> list[TaskRun]:
    """Return the runs of all agents, by task in the order of the index, and then by agent."""
    runs_of_tasks: dict[str, list[TaskRun]] = {task_id: [] for task_id in publication.ids.values()}
    for agent in agents:
        for run in agent.runs:
            runs_of_tasks[run.task].append(run)
    runs = []
    for task_runs in runs_of_tasks.values():
        runs += task_runs
    return runs


def _check_verdicts(
    runs: Sequence[TaskRun], publication: Publication, options: ImportOptions, report: Report
) -> None:
    """Report that nothing was scored, or that rewards are on another scale than 0 to 1."""
    rewards = []
    scored = 0
    for run in runs:
        for number, cell in run.known_cells:
            if cell.reward is None:
                continue
            rewards.append((cell.reward, run, number))
            scored += not run.excluded
    if not scored:
        what = "no round of any agent has a reward"
        report.add(kit_rules.NOTHING_SCORED, publication.source / "tasks", what)
    outside = [entry for entry in rewards if not 0 <= entry[0] <= 1]
    if outside:
        _, run, number = outside[0]
        where = f"the source (see round {number} of {run.task}, {one_line(run.spelling)})"
        values = [reward for reward, _, _ in rewards]
        check_rewards(values, run.path, report, options.scale, where)


def _review_runs(
    runs: Sequence[TaskRun], publication: Publication, sweep: Sweep, report: Report
) -> None:
    """Report what is doubtful about runs: to the readers of each, and about all of them at once."""
    for run in runs:
        run.review(report)
    folder = publication.source / "tasks"
    silent_rounds: Counter[str] = Counter()
    for run in runs:
        if run.silent_rounds:
            silent_rounds[one_line(run.spelling)] += run.silent_rounds
    if silent_rounds:
        silent_runs = sum(run.silent_rounds > 0 for run in runs)
        agents = ", ".join(f"{agent} ({rounds})" for agent, rounds in silent_rounds.items())
        rounds = f"rounds without a verdict at a run's end: {silent_rounds.total()}"
        what = f"{rounds}, in {silent_runs} of the runs: {agents}"
        report.add(rules.VERDICT_MISSING, folder, what)
    _review_listings(runs, folder, report)
    excluded = [f"{one_line(run.spelling)} at {run.task}" for run in runs if run.excluded]
    if excluded:
        what = f"left out of the scores: {'; '.join(excluded)}"
        report.add(rules.EXCLUDED, publication.index_path, what)
    shares = []
    sweeps = []
    for run in runs:
        if run.share_difference:
            shares.append(f"{one_line(run.spelling)} at {run.share_difference}")
        if run.sweep_difference:
            sweeps.append(f"{run.agent} at {run.task}: {run.sweep_difference}")
    if shares:
        what = f"`score` does not follow from the rounds of {'; '.join(shares)}"
        report.add(kit_rules.SCORE_DIFFERS, publication.index_path, what)
    if sweeps:
        what = f"other rounds are counted for {'; '.join(sweeps)}"
        report.add(rules.SWEEP_DIFFERS, sweep.path, what)


def _review_listings(runs: Sequence[TaskRun], folder: Path, report: Report) -> None:
    """Report rounds that list more failures than they count, and reasons that get lost."""
    excess: dict[tuple[Path, int], list[str]] = {}
    lost = []
    for run in runs:
        name = one_line(run.spelling)
        for number, cell in run.known_cells:
            if cell.has_excess:
                counts = f"{name} {cell.stated_failures} against {cell.failed or 0}"
                excess.setdefault((run.path, number), []).append(counts)
            where = f"in round {number} of {run.task}, {name}"
            lost += [f"{requirement.name} {where}" for requirement in cell.unexplained()]
    for (path, number), counts_of_agents in excess.items():
        what = f"round {number} tells of more failures than it counts"
        report.add(rules.LISTED_EXCESS, path, f"{what}: {'; '.join(counts_of_agents)}")
    if lost:
        number_lost = f"{len(lost)} failed requirements say what their first listed case does not"
        report.add(rules.REASON_LOST, folder, f"{number_lost}; the first is {one_line(lost[0])}")


def _stated_score(agent: AgentRuns, publication: Publication) -> Claims | None:
    """Return the score that the index gives an agent, if it does not follow from the rounds.

    None as well if the index has no share for some of the tasks.
    """
    if not any(run.share_difference for run in agent.runs):
        return None
    if len(agent.runs) != len(publication.files):
        return None
    shares = [run.stated_share for run in agent.runs if not run.excluded]
    known = [share for share in shares if share is not None]
    if len(known) != len(agent.runs):
        return None
    score = Decimal(f"{100 * mean(known):.1f}")
    return Claims(source=f"{INDEX}: mean of `score`", **{DATASET_SCORE.id: score})


def _exclusions(drafts: Mapping[str, Draft], runs: Sequence[TaskRun]) -> Iterator[Finding]:
    """Yield a finding for each agent with runs that do not count, so that this is not silent.

    Args:
        drafts: The bundles, by the agent's name.
        runs: The runs of all agents.
    """
    tasks_of_agents: dict[str, list[str]] = {}
    for run in runs:
        if run.excluded:
            tasks_of_agents.setdefault(run.agent.name, []).append(run.task)
    for name, tasks in tasks_of_agents.items():
        draft = drafts[name]
        yield Finding(
            date=draft.submission.date,
            kind="note",
            title=f"{len(tasks)} runs of {draft.submission.agent.name} do not count",
            reason="The source leaves these runs out of the agent's scores and does not say why.",
            effect="exclude",
            tracks=(draft.submission.track,),
            submissions=(draft.id,),
            tasks=tuple(tasks),
        )


def _tasks(publication: Publication, *, has_requests: bool) -> Iterator[tuple[str, Task]]:
    """Yield the tasks with a file, each with its id."""
    for task in publication.tasks:
        file = publication.files[task.name]
        texts = [heading.request or heading.title for heading in file.headings.values()]
        titles = dict(zip(file.headings, titles_of(texts), strict=True))
        rounds = []
        for number in range(1, file.rounds + 1):
            heading = file.headings.get(number)
            request = None
            if has_requests and heading and heading.request:
                request = redacted(heading.request)
            rounds.append(TaskRound(number, titles.get(number, ""), instruction=request))
        task_id = publication.ids[task.name]
        title = task.title
        if not title and task.name != task_id:
            title = one_line(task.name)
        yield task_id, Task(task_id, tuple(rounds), title=title, labels=dict(task.labels))
