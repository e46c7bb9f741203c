"""Imports the result files that EvoCode-Bench publishes with its site."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import Index, Snapshot, read_snapshot
from sitegen.importers.evocodebench.runs import Run, review_together, runs_of
from sitegen.importers.evocodebench.sweep import read_sweep
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import KNOWN, Entrant, Roster, check_asked_for, repeated
from sitegen.importers.kit.drafts import day_of, omission_notes
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.requests import titles_of
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.rounds import Source
from sitegen.importers.kit.tree import Tree
from sitegen.metrics.catalogue import columns_of
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.task import Task, TaskRound
from sitegen.problems import counted
from sitegen.reading.json import read_json

_ABOUT = {
    "title": "EvoCode-Bench",
    "summary": "Whether coding agents can keep a project working while its requirements change from round to round.",
    "homepage": "https://unipat.ai/benchmarks/EvoCode-Bench",
    "paper": "https://arxiv.org/abs/2605.24110",
    "license": "CC-BY-NC-4.0 (tasks and their instructions), MIT (code)",
    "issues": "https://github.com/UniPat-AI/EvoCodeBench/issues",
}
"""What its files and its paper say of the benchmark."""

_LEFT_OUT = "The source lists these tasks and has no results for them"


def read_published(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder with `index.json`, `tasks/*.json` and perhaps a table of sweeps.

    Every agent becomes one bundle with one attempt at each task. A round of which the files say nothing was
    aborted or never reached; which of the two can't be told, and a warning says so.
    """
    report = Report(source)
    everything = read_snapshot(source, report)
    everyone = Roster.of(everything.index.models, KNOWN, options.aliases)
    day = day_of(report, options, "the folder's name", source.resolve().name)
    sweep = report.take(read_sweep(everything, everyone))
    snapshot, roster = _chosen(everything, everyone, options)
    runs = list(runs_of(snapshot, roster, sweep))
    index = source / "index.json"
    if snapshot.missing:
        rule = kit_rules.TASKS_LEFT_OUT if options.allow_missing and snapshot.files else kit_rules.TASK_MISSING
        what = f"{len(snapshot.missing)} of {len(snapshot.index.tasks)} tasks have no file"
        report.add(rule, source / "tasks", f"{what}: {', '.join(snapshot.missing)}")
    if twice := repeated(roster.names):
        report.add(rules.AGENT_TWICE, index, f"listed several times under different spellings: {', '.join(twice)}")
    names = list(dict.fromkeys(roster.names))
    for run in runs:
        run.review(report)
    review_together(runs, index, report)
    apart = [f"{run.agent} at {run.task}: {run.other_count}" for run in runs if run.other_count]
    if apart:
        report.add(rules.SWEEP_DIFFERS, sweep.path, f"other rounds are counted for {'; '.join(apart)}")
    report.stop_at_errors()
    found = Source(
        report,
        "Harbor's official multi-step format: one attempt a task, every round is run and scored.",
        protocol="chain",
        columns=columns_of("chain"),
        gaps=None,
        title="Official multi-step" if options.track == "official" else "",
        about={**_ABOUT, "instructions": options.instructions is not False},
        axes=("difficulty", "category"),
        tasks={task.id: task for task in _tasks(snapshot, with_requests=options.instructions is not False)},
        twice=rules.AGENT_TWICE,
        spellings=KNOWN,
    )
    for name in names:
        own = [run for run in runs if run.agent.name == name]
        agent = AgentRun(source, Entrant(name), day=day)
        for result in (result for run in own for result in run.results()):
            agent.add(result)
        agent.figures += sweep.figures(name, [run.task for run in own])
        agent.failures += (failure for run in own for failure in run.failures())
        found.runs.append(agent)
    incoming = found.imported(options)
    drafts = dict(zip(names, incoming.drafts, strict=True))
    left_out = omission_notes(snapshot.missing, len(snapshot.index.tasks), _LEFT_OUT, incoming.drafts)
    return replace(incoming, findings=(*left_out, *_exclusions(drafts, runs)))


def recognise(tree: Tree) -> str | None:
    """What tells of a publication: its index."""
    index, _ = read_json(tree.root / "index.json", Index)
    return (
        f"an index.json of {counted(len(index.tasks), 'task')} and {counted(len(index.models), 'agent')}"
        if index
        else None
    )


FORMAT = Format(read_published, "official", "evocode-bench", recognise=recognise)


def _chosen(snapshot: Snapshot, everyone: Roster, options: ImportOptions) -> tuple[Snapshot, Roster]:
    """Keep the agent that is asked for, by any of its spellings; all where none is."""
    wanted = everyone.one_name(options.model or "").casefold()
    spelled = zip(snapshot.index.models, everyone.names, strict=True)
    models = tuple(each for each, name in spelled if not wanted or wanted == name.casefold())
    roster = Roster.of(models, KNOWN, options.aliases)
    check_asked_for(set(roster.names), everyone.names, options)
    return replace(snapshot, index=replace(snapshot.index, models=models)), roster


def _exclusions(drafts: Mapping[str, Draft], runs: Sequence[Run]) -> Iterator[Finding]:
    """Record which runs do not count, so that it is not silent; the drafts are those of agents by name."""
    for agent in dict.fromkeys(run.agent for run in runs if run.excluded):
        draft = drafts[agent.name]
        tasks = tuple(run.task for run in runs if run.agent == agent and run.excluded)
        yield Finding(
            date=draft.submission.date,
            kind="note",
            title=f"{len(tasks)} runs of {draft.submission.agent.name} do not count",
            reason="The source leaves these runs out of the agent's scores and does not say why.",
            effect="exclude",
            tracks=(draft.submission.track,),
            submissions=(draft.id,),
            tasks=tasks,
        )


def _tasks(snapshot: Snapshot, *, with_requests: bool) -> Iterator[Task]:
    """The tasks that have a file."""
    for each in snapshot.tasks:
        asked = {heading.n: heading for heading in snapshot.files[each.task].rounds}
        titles = dict(zip(asked, titles_of([heading.md or heading.title for heading in asked.values()]), strict=True))
        requests = {number: redacted(heading.md) for number, heading in asked.items() if heading.md and with_requests}
        rounds = tuple(
            TaskRound(number, titles.get(number, ""), instruction=requests.get(number))
            for number in range(1, each.n_rounds + 1)
        )
        labels = {"difficulty": each.difficulty, "category": each.category}
        told = {axis: value for axis, value in labels.items() if value}
        yield Task(each.task, rounds, title=each.name, labels=told)
