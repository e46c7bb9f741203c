"""Import the result files that EvoCode-Bench publishes with its site."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from decimal import Decimal
from pathlib import Path
from statistics import mean

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.agents import (
    PublishedAgent,
    RunFinder,
    choose_agents,
    find_agents,
)
from sitegen.importers.evocodebench.benchmark import FACTS
from sitegen.importers.evocodebench.files import (
    INDEX,
    Publication,
    parse_index,
    read_publication,
    review_files,
)
from sitegen.importers.evocodebench.runs import TaskAttempt
from sitegen.importers.evocodebench.sweep import Sweep, read_sweep, run_figures
from sitegen.importers.evocodebench.task_kinds import DOMAIN, SUMMARIES, WORKFLOW, kinds_of
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.documents import read_document
from sitegen.importers.kit.drafts import day_of, omission_notes
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line, redact_text
from sitegen.importers.kit.requests import titles_of
from sitegen.importers.kit.rewards import check_rewards
from sitegen.importers.kit.rounds import AgentResults, ImportSource
from sitegen.importers.kit.tree import SourceTree
from sitegen.metrics.catalogue import DATASET_SCORE, default_columns
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.submission import Claims
from sitegen.models.task import Task, TaskRound
from sitegen.problems import counted, grouped

_SUMMARY = (
    "Harbor's official multi-step format: one attempt per task; every round is run and scored."
)

_ABOUT = {
    "title": FACTS.title,
    "summary": (
        "Whether coding agents can keep a project working while its requirements change from round "
        "to round."
    ),
    "homepage": "https://unipat.ai/benchmarks/EvoCode-Bench",
    "paper": "https://arxiv.org/abs/2605.24110",
    "license": "CC-BY-NC-4.0 (tasks and their instructions), MIT (code)",
    "issues": "https://github.com/UniPat-AI/EvoCodeBench/issues",
}
"""The benchmark's description, as published in its files and its paper."""

_NO_RESULTS = "The source lists these tasks but has no results for them"
_NOT_USABLE = "The source's results for these tasks can't be used"


def read_published(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder with `index.json`, `tasks/*.json` and optionally a table of sweeps.

    Every agent becomes one bundle with one attempt at each task. A round that the files do not
    mention was either aborted or never reached; the files do not say which, so a warning lists
    these rounds.
    """
    log = ImportLog(source)
    publication = read_publication(source, options, log)
    _check_tasks(publication, options, log)
    review_files(publication, log)
    day = day_of(log, options, "the folder's name", source.resolve().name)
    # The files spell names in several ways, even if they are imported under another benchmark id.
    naming_options = replace(options, facts=FACTS)
    all_agents, roster = find_agents(publication, naming_options)
    sweep = read_sweep(publication, roster, log)
    chosen = choose_agents(all_agents, publication, naming_options, log)
    finder = RunFinder(publication, roster, sweep, log)
    for agent in chosen:
        finder.find(agent)
    agents = [agent for agent in chosen if agent.runs]
    runs = _runs_by_task(agents, publication)
    _check_verdicts(runs, publication, options, log)
    _review_runs(runs, publication, sweep, log)
    log.stop_at_errors()
    has_requests = options.instructions is not False
    imported = ImportSource(
        log,
        _SUMMARY,
        protocol="chain",
        columns=default_columns("chain"),
        gaps=None,
        title=FACTS.track_titles.get(options.track, ""),
        about={**_ABOUT, "instructions": has_requests},
        axes=("difficulty", "category", DOMAIN, WORKFLOW),
        axis_summaries=SUMMARIES,
        tasks=dict(_tasks(publication, has_requests=has_requests)),
        twice=kit_rules.AGENT_TWICE,
        has_picked_tasks=True,
    )
    imported.runs = [_make_run(agent, day, publication) for agent in agents]
    incoming = imported.imported(options)
    names = [agent.name for agent in agents]
    drafts = dict(zip(names, incoming.drafts, strict=True))
    findings = (*_omissions(publication, incoming.drafts), *_exclusions(drafts, runs))
    return replace(incoming, findings=findings)


def _make_run(agent: PublishedAgent, day: Date | None, publication: Publication) -> AgentResults:
    """Return the results, figures and failed cases of an agent."""
    run = AgentResults(publication.source, agent.entrant, day=day, missing=agent.missing)
    run.claims = _stated_score(agent, publication)
    for attempt in agent.runs:
        for result in attempt.results():
            run.add(result)
        run.figures += run_figures(attempt.task, attempt.swept)
        run.failures += attempt.failures()
    return run


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that describes a folder's index; None if the folder has no index."""
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


def _check_tasks(publication: Publication, options: ImportOptions, log: ImportLog) -> None:
    """Report tasks without a file, and stop if there is no file or a file is truncated."""
    folder = publication.source / "tasks"
    if publication.missing:
        is_meant = options.allow_missing and publication.files
        rule = kit_rules.TASKS_LEFT_OUT if is_meant else kit_rules.TASK_MISSING
        number = f"{len(publication.missing)} of {len(publication.ids)} tasks have no file"
        names = ", ".join(map(one_line, publication.missing))
        log.add(rule, folder, f"{number}: {names}")
    elif not publication.files:
        reasons = "; ".join(dict.fromkeys(map(one_line, publication.left_out.values())))
        message = f"no file of a task can be used: {reasons}".removesuffix(": ")
        log.add(kit_rules.NOTHING_FOUND, folder, message)
    if not publication.files:
        log.stop_at_errors()


def _runs_by_task(agents: Sequence[PublishedAgent], publication: Publication) -> list[TaskAttempt]:
    """Return the runs of all agents, sorted by task in the order of the index, then by agent."""
    order = {task_id: index for index, task_id in enumerate(publication.ids.values())}
    runs: list[TaskAttempt] = []
    for agent in agents:
        runs += agent.runs
    return sorted(runs, key=lambda run: order[run.task])


def _check_verdicts(
    runs: Sequence[TaskAttempt], publication: Publication, options: ImportOptions, log: ImportLog
) -> None:
    """Report if nothing was scored, or if rewards are not on the scale from 0 to 1."""
    rewards: list[tuple[float, TaskAttempt, int]] = []
    for run in runs:
        for number, cell in run.known_cells:
            if cell.reward is not None:
                rewards.append((cell.reward, run, number))
    if all(run.is_excluded for _, run, _ in rewards):
        message = "no round of any agent has a reward"
        log.add(kit_rules.NOTHING_SCORED, publication.source / "tasks", message)
    outside = [entry for entry in rewards if not 0 <= entry[0] <= 1]
    if outside:
        _, run, number = outside[0]
        round_name = f"round {number} of {run.task}, {one_line(run.spelling)}"
        values = [reward for reward, _, _ in rewards]
        check_rewards(values, run.path, log, options.scale, f"the source (see {round_name})")


def _review_runs(
    runs: Sequence[TaskAttempt], publication: Publication, sweep: Sweep, log: ImportLog
) -> None:
    """Report doubtful results, in caveats about each run and in warnings about all runs."""
    for run in runs:
        run.review(log)
    folder = publication.source / "tasks"
    _review_silent_rounds(runs, folder, log)
    _review_listings(runs, folder, log)
    excluded = [f"{one_line(run.spelling)} at {run.task}" for run in runs if run.is_excluded]
    if excluded:
        message = f"left out of the scores: {'; '.join(excluded)}"
        log.add(rules.EXCLUDED, publication.index_path, message)
    with_shares = [run for run in runs if run.share_difference]
    if with_shares:
        shares = [f"{one_line(run.spelling)} at {run.share_difference}" for run in with_shares]
        message = f"`score` does not follow from the rounds of {'; '.join(shares)}"
        log.add(kit_rules.SCORE_DIFFERS, publication.index_path, message)
    with_sweeps = [run for run in runs if run.sweep_difference]
    if with_sweeps:
        sweeps = [f"{run.agent} at {run.task}: {run.sweep_difference}" for run in with_sweeps]
        message = f"other rounds are counted for {'; '.join(sweeps)}"
        log.add(rules.SWEEP_DIFFERS, sweep.path, message)


def _review_silent_rounds(runs: Sequence[TaskAttempt], folder: Path, log: ImportLog) -> None:
    """Report the rounds at the ends of runs that the source does not mention."""
    silent_runs = [run for run in runs if run.silent_rounds]
    if not silent_runs:
        return
    silent_rounds: Counter[str] = Counter()
    for run in silent_runs:
        silent_rounds[one_line(run.spelling)] += run.silent_rounds
    agents = ", ".join(f"{agent} ({rounds})" for agent, rounds in silent_rounds.items())
    rounds = f"rounds without a verdict at a run's end: {silent_rounds.total()}"
    message = f"{rounds}, in {len(silent_runs)} of the runs: {agents}"
    log.add(rules.VERDICT_MISSING, folder, message)


def _review_listings(runs: Sequence[TaskAttempt], folder: Path, log: ImportLog) -> None:
    """Report rounds that list more failures than they count, and reasons that are not kept."""
    excess: defaultdict[tuple[Path, int], list[str]] = defaultdict(list)
    lost = []
    for run in runs:
        name = one_line(run.spelling)
        for number, cell in run.known_cells:
            if cell.has_excess:
                counts = f"{name} {cell.stated_failures} against {cell.failed or 0}"
                excess[run.path, number].append(counts)
            round_name = f"in round {number} of {run.task}, {name}"
            lost += [f"{requirement.name} {round_name}" for requirement in cell.unexplained()]
    for (path, number), counts_of_agents in excess.items():
        message = f"round {number} lists more failures than it counts"
        log.add(rules.LISTED_EXCESS, path, f"{message}: {'; '.join(counts_of_agents)}")
    if lost:
        number_lost = (
            f"{len(lost)} failed requirements have a reason that their first listed case lacks"
        )
        message = f"{number_lost}; the first is {one_line(lost[0])}"
        log.add(rules.REASON_LOST, folder, message)


def _stated_score(agent: PublishedAgent, publication: Publication) -> Claims | None:
    """Return the score that the index states for an agent; None if it follows from the rounds.

    Also returns None if the index has no share for some of the tasks.
    """
    if not any(run.share_difference for run in agent.runs):
        return None
    if len(agent.runs) != len(publication.files):
        return None
    shares = [run.stated_share for run in agent.runs if not run.is_excluded]
    stated = [share for share in shares if share is not None]
    if len(stated) != len(agent.runs):
        return None
    score = Decimal(f"{100 * mean(stated):.1f}")
    return Claims(source=f"{INDEX}: mean of `score`", **{DATASET_SCORE.id: score})


def _omissions(publication: Publication, drafts: Sequence[Draft]) -> list[Finding]:
    """Return the findings about tasks without results, and about tasks with unusable results."""
    task_count = len(publication.ids)
    left_out = list(publication.left_out)
    return [
        *omission_notes(publication.missing, task_count, _NO_RESULTS, drafts),
        *omission_notes(left_out, task_count, _NOT_USABLE, drafts),
    ]


def _exclusions(drafts: Mapping[str, Draft], runs: Sequence[TaskAttempt]) -> Iterator[Finding]:
    """Yield a finding for each agent with runs that do not count, to make this visible.

    Args:
        drafts: The bundles, by the agent's name.
        runs: The runs of all agents.
    """
    excluded = grouped((run.agent.name, run.task) for run in runs if run.is_excluded)
    for name, tasks in excluded.items():
        draft = drafts[name]
        yield Finding(
            date=draft.submission.date,
            kind="note",
            title=f"{len(tasks)} runs of {draft.submission.agent.name} do not count",
            reason="The source leaves these runs out of the agent's scores but does not say why.",
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
                request = redact_text(heading.request)
            rounds.append(TaskRound(number, titles.get(number, ""), instruction=request))
        task_id = publication.ids[task.name]
        title = task.title
        if not title and task.name != task_id:
            title = one_line(task.name)
        labels = {**kinds_of(task_id), **task.labels}
        yield task_id, Task(task_id, tuple(rounds), title=title, labels=labels)
