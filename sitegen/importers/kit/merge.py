"""Fits an import into a benchmark that may stand already: what stands there is added to, and never changed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.drafts import longer_id
from sitegen.importers.kit.joining import Joining, TaskSets
from sitegen.models.addition import Addition
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.incoming import Incoming
from sitegen.models.record import is_slug
from sitegen.models.results import BenchmarkResults
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, errors_of

DEFINITION = "benchmark.toml"


def merge(existing: BenchmarkResults | None, incoming: Incoming) -> tuple[Addition, list[Problem]]:
    """Fit an import into a benchmark.

    Args:
        existing: What stands there; None where the benchmark is new.
        incoming: What an importer made.

    Returns:
        What is to be added; and the problems. An error forbids it.
    """
    # A new benchmark is one that agrees with the import and has no files yet.
    standing = existing or BenchmarkResults(Path(incoming.benchmark.id), incoming.benchmark, {})
    incoming, problems = _beside(standing, incoming)
    task_sets = TaskSets(standing.path / "tasks", standing.task_sets)
    own_sets = {tasks.id: tasks for tasks in incoming.task_sets}
    joinings: dict[str, Joining] = {}
    for offered in incoming.benchmark.tracks:
        joining, found = _joining(standing, offered, own_sets.get(offered.tasks or ""), task_sets)
        drafts = [draft for draft in incoming.drafts if draft.submission.track == offered.id]
        problems += [*joining.problems(standing.path / DEFINITION, drafts), *found]
        joinings[offered.id] = joining
    aliases, contradictions = _aliases(standing.benchmark, incoming.benchmark)
    if contradictions:
        what = "; ".join(contradictions)
        problems.append(rules.ALIAS_DIFFERS.broken(standing.path / DEFINITION, None, what))
    problems += _name_problems(standing, incoming)
    tracks = {track.id: track for track in standing.benchmark.tracks}
    tracks |= {name: joining.track for name, joining in joinings.items()}
    definition = {"axes": _axes(standing.benchmark, incoming), "tracks": tuple(tracks.values()), "aliases": aliases}
    # Results that join what is there bring nothing but themselves: the rest is the maintainers' to say.
    begins = task_sets.added or tuple(tracks.values()) != standing.benchmark.tracks
    findings = (each for each in incoming.findings if each not in standing.findings and (begins or each.submissions))
    addition = Addition(
        standing.benchmark.model_copy(update=definition) if begins else standing.benchmark,
        tuple(task_sets.added.values()),
        tuple(joinings[draft.submission.track].fitted(draft) for draft in incoming.drafts),
        tuple(findings),
    )
    return addition, problems


def _beside(standing: BenchmarkResults, incoming: Incoming) -> tuple[Incoming, list[Problem]]:
    """Give an import whose bundles are not called like others that stand: one name is one agent's on one track.

    Where a bundle of another track, or of the same model with another setting, has the name already, what it
    differs in is added: so an agent can have results of one day on two tracks.
    """
    bundles = {bundle.id: bundle.submission for bundle in standing.bundles}
    names: dict[str, str] = {}
    problems = []
    for draft in incoming.drafts:
        name = draft.id
        while name in bundles and (fact := _difference(draft.submission, bundles[name])):
            name = longer_id(name, fact)
        if name != draft.id and name not in bundles:
            track = bundles[draft.id].track
            what = f"{draft.id} is a bundle of track {track} already: the one of this import is called {name}"
            problems.append(rules.NAME_LONGER.broken(standing.path / "submissions" / name, None, what))
        names[draft.id] = name
    drafts = tuple(replace(draft, id=names[draft.id]) for draft in incoming.drafts)
    findings = tuple(
        each.model_copy(update={"submissions": tuple(names.get(name, name) for name in each.submissions)})
        if each.submissions
        else each
        for each in incoming.findings
    )
    return replace(incoming, drafts=drafts, findings=findings), problems


def _difference(ours: Submission, theirs: Submission) -> str | None:
    """Give what tells a submission from another one; None where both are of one agent on one track.

    What only one of them states is no difference: it may be a correction of the other.
    """
    if ours.track != theirs.track:
        return ours.track
    for here, there in ((ours.agent.reasoning, theirs.agent.reasoning), (ours.agent.scaffold, theirs.agent.scaffold)):
        if here and there and here != there:
            return here
    return None


def _joining(
    standing: BenchmarkResults, offered: Track, tasks: TaskSet | None, task_sets: TaskSets
) -> tuple[Joining, list[Problem]]:
    """Find a track of the import the track that its results join."""
    known = next((track for track in standing.benchmark.tracks if track.id == offered.id), None)
    if tasks is None:
        return Joining(offered, known or offered), []
    joined = standing.task_sets.get(known.tasks or "") if known else None
    if joined:
        # The results may have fewer tasks than the track.
        problems = task_sets.differences(joined, tasks, is_whole=False)
    else:
        names = (known.tasks,) if known and known.tasks else (tasks.id, offered.id)
        joined, problems = task_sets.place(tasks, names)
    track = (known or offered).model_copy(update={"tasks": joined.id})
    joining = Joining(offered, track, tasks, joined)
    return joining if errors_of(problems) else joining.beside(standing.findings), problems


def _axes(known: Benchmark, incoming: Incoming) -> dict[str, Axis]:
    """Add axes, and values to the axes that name theirs."""
    axes = dict(known.axes)
    labels = [task.labels for tasks in incoming.task_sets for task in tasks.tasks]
    for name, axis in incoming.benchmark.axes.items():
        ours = axes.setdefault(name, axis)
        offered = dict.fromkeys((*axis.values, *(each[name] for each in labels if name in each)))
        new = tuple(value for value in offered if value not in ours.values)
        if ours.values and new:
            axes[name] = ours.model_copy(update={"values": ours.values + new})
    return axes


def _aliases(known: Benchmark, offered: Benchmark) -> tuple[dict[str, str], list[str]]:
    """Add spellings, each for the name that the agent goes by here; and say which contradict those that stand."""
    aliases = dict(known.aliases)
    contradictions = []
    for spelling, name in offered.aliases.items():
        meant, stated = known.agent_name(name), known.aliases.get(spelling)
        if stated is None and meant != spelling:
            aliases[spelling] = meant
        elif stated not in {None, name, meant}:
            contradictions.append(f"`{spelling}` stands for {stated} here, for {name} in the import")
    return aliases, contradictions


def _name_problems(standing: BenchmarkResults, incoming: Incoming) -> Iterator[Problem]:
    """Say which folders and files can't be called as they would be, and which names stand for something else."""
    bundles = [draft.id for draft in incoming.drafts]
    sets = [tasks.id for tasks in incoming.task_sets]
    odd = [repr(name) for name in (incoming.benchmark.id, *sets, *bundles) if not is_slug(name)]
    if odd:
        yield rules.NAME_INVALID.broken(standing.path, None, f"no names for files: {', '.join(odd)}")
    folder = standing.path / "submissions"
    for name in repeated(bundles):
        yield rules.NAME_TWICE.broken(folder / name, None, f"the import has two bundles called {name}")
    for name in sorted({row.id for table in standing.reported for row in table.rows}.intersection(bundles)):
        yield rules.NAME_TWICE.broken(folder / name, None, f"{name} names a row of a reported table already")
