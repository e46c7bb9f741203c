"""Fits an import into a benchmark that may stand already: what stands there is added to, and never changed."""

from collections.abc import Iterator
from pathlib import Path

from sitegen.importers import merge_rules as rules
from sitegen.importers.absence import Absence
from sitegen.importers.joining import Joining, other_case_names
from sitegen.importers.neighbours import Neighbours
from sitegen.importers.repeats import repeated
from sitegen.importers.shelf import Shelf
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.incoming import Addition, Incoming
from sitegen.models.record import is_slug
from sitegen.models.results import BenchmarkResults
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
    neighbours = Neighbours(standing.path / "submissions", {bundle.id: bundle for bundle in standing.bundles})
    named, longer = neighbours.beside(incoming)
    addition, problems = _merged(standing, named)
    return addition, [*longer, *problems]


def _merged(standing: BenchmarkResults, incoming: Incoming) -> tuple[Addition, list[Problem]]:
    shelf = Shelf(standing.path / "tasks", standing.task_sets)
    joinings, problems = _joinings(standing, incoming, shelf)
    aliases, contradictions = _aliases(standing, incoming.benchmark)
    problems += [*contradictions, *_odd_names(standing, incoming), *_taken_names(standing, incoming)]
    tracks = {track.id: track for track in standing.benchmark.tracks}
    tracks |= {name: joining.track for name, joining in joinings.items()}
    definition = {"axes": _axes(standing.benchmark, incoming), "tracks": tuple(tracks.values()), "aliases": aliases}
    # Results that join what is there bring nothing but themselves: the rest is the maintainers' to say.
    begins = shelf.added or tuple(tracks.values()) != standing.benchmark.tracks
    findings = (each for each in incoming.findings if each not in standing.findings and (begins or each.submissions))
    addition = Addition(
        standing.benchmark.model_copy(update=definition) if begins else standing.benchmark,
        tuple(shelf.added.values()),
        tuple(joinings[draft.submission.track].fitted(draft) for draft in incoming.drafts),
        tuple(findings),
    )
    return addition, problems


def _joinings(standing: BenchmarkResults, incoming: Incoming, shelf: Shelf) -> tuple[dict[str, Joining], list[Problem]]:
    """Find each track of the import the track that its results join."""
    sets = {tasks.id: tasks for tasks in incoming.task_sets}
    joinings: dict[str, Joining] = {}
    problems: list[Problem] = []
    for offered in incoming.benchmark.tracks:
        joining, found = _joining(standing, offered, sets.get(offered.tasks or ""), shelf)
        drafts = [draft for draft in incoming.drafts if draft.submission.track == offered.id]
        problems += [*joining.problems(standing.path / DEFINITION, drafts), *found]
        joinings[offered.id] = joining
    return joinings, problems


def _joining(
    standing: BenchmarkResults, offered: Track, tasks: TaskSet | None, shelf: Shelf
) -> tuple[Joining, list[Problem]]:
    known = next((track for track in standing.benchmark.tracks if track.id == offered.id), None)
    if tasks is None:
        return Joining(offered, known or offered), []
    joined = shelf.standing.get(known.tasks or "") if known else None
    if joined:
        problems = shelf.hindrances(joined, tasks)
    else:
        names = (known.tasks,) if known and known.tasks else (tasks.id, offered.id)
        joined, problems = shelf.place(tasks, names)
    track = (known or offered).model_copy(update={"tasks": joined.id})
    absence = None if errors_of(problems) else Absence.of(track, joined, tasks, standing.findings)
    return Joining(offered, track, other_case_names(tasks, joined), absence), problems


def _axes(known: Benchmark, incoming: Incoming) -> dict[str, Axis]:
    """Add axes, and values to the axes that name theirs."""
    axes = dict(known.axes)
    for name, axis in incoming.benchmark.axes.items():
        ours = axes.setdefault(name, axis)
        offered = dict.fromkeys((*axis.values, *_labels(incoming, name)))
        new = tuple(value for value in offered if value not in ours.values)
        if ours.values and new:
            axes[name] = ours.model_copy(update={"values": ours.values + new})
    return axes


def _labels(incoming: Incoming, axis: str) -> Iterator[str]:
    """Give the labels that tasks have on an axis."""
    for tasks in incoming.task_sets:
        yield from (task.labels[axis] for task in tasks.tasks if axis in task.labels)


def _aliases(standing: BenchmarkResults, offered: Benchmark) -> tuple[dict[str, str], list[Problem]]:
    """Add spellings, each for the name that the agent goes by here."""
    known = standing.benchmark
    aliases = dict(known.aliases)
    contradictions = []
    for spelling, name in offered.aliases.items():
        meant = known.agent_name(name)
        stated = known.aliases.get(spelling)
        if stated is None and meant != spelling:
            aliases[spelling] = meant
        elif stated not in {None, name, meant}:
            contradictions.append(f"`{spelling}` stands for {stated} here, for {name} in the import")
    if not contradictions:
        return aliases, []
    return aliases, [rules.ALIAS_DIFFERS.broken(standing.path / DEFINITION, None, "; ".join(contradictions))]


def _odd_names(standing: BenchmarkResults, incoming: Incoming) -> Iterator[Problem]:
    """Say which folders and files can't be called as they would be."""
    sets, bundles = (tasks.id for tasks in incoming.task_sets), (draft.id for draft in incoming.drafts)
    odd = [repr(name) for name in (incoming.benchmark.id, *sets, *bundles) if not is_slug(name)]
    if odd:
        yield rules.NAME_INVALID.broken(standing.path, None, f"no names for files: {', '.join(odd)}")


def _taken_names(standing: BenchmarkResults, incoming: Incoming) -> Iterator[Problem]:
    """Say which names of bundles stand for something else already."""
    folder = standing.path / "submissions"
    names = [draft.id for draft in incoming.drafts]
    rows = {row.id for table in standing.reported for row in table.rows}
    for name in repeated(names):
        yield rules.NAME_TWICE.broken(folder / name, None, f"the import has two bundles called {name}")
    for name in sorted(rows.intersection(names)):
        yield rules.NAME_TWICE.broken(folder / name, None, f"{name} names a row of a reported table already")
