"""Fits an import into a benchmark that may stand already: what stands there is added to, and never changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.cases import tries_of
from sitegen.importers.kit.drafts import longer_id
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.incoming import Addition, Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.record import is_slug
from sitegen.models.results import BenchmarkResults
from sitegen.models.submission import Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, counted, errors_of, listed

DEFINITION = "benchmark.toml"

_SHOWN = 3
"""Tasks whose differences are told in full; the others are named."""

_NONE = TaskSet("", ())


@dataclass(slots=True)
class TaskSets:
    """The task sets of a benchmark while an import adds to them."""

    folder: Path
    standing: Mapping[str, TaskSet]
    added: dict[str, TaskSet] = field(default_factory=dict)
    """Those that get one."""

    def place(self, tasks: TaskSet, names: Sequence[str]) -> tuple[TaskSet, list[Problem]]:
        """Find the task set of a new track its place: a set with the same tasks that stands, or a free name of some.

        What hinders is told where other tasks stand under every name.
        """
        hindrances: list[Problem] = []
        for name in names:
            known = self.standing.get(name) or self.added.get(name)
            if known is None:
                self.added[name] = TaskSet(name, tasks.tasks)
                return self.added[name], []
            found = self.differences(known, tasks, is_whole=True)
            if not errors_of(found):
                return known, found
            hindrances = hindrances or found
        return tasks, hindrances

    def differences(self, known: TaskSet, offered: TaskSet, *, is_whole: bool) -> list[Problem]:
        """How the tasks of an import differ from those of a set, of which it need not have all."""
        path, ours, theirs = self.folder / f"{known.id}.jsonl", known.by_id(), offered.by_id()
        problems = []
        lacking, extra = (
            ours.keys() - theirs.keys() if is_whole else (),
            theirs.keys() - ours.keys(),
        )
        strange = [
            f"it {verb} {_named(tasks)}"
            for verb, tasks in (("lacks", lacking), ("adds", extra))
            if tasks
        ]
        if strange:
            lists = f"{known.id} has {len(ours)}: {_named(ours)}; the import has {len(theirs)}: {_named(theirs)}"
            what = f"the import has other tasks than {known.id}: {'; '.join(strange)}. {lists}"
            problems.append(rules.TASKS_DIFFER.broken(path, None, what))
        both = [
            (line, task, theirs[task.id])
            for line, task in enumerate(known.tasks, start=1)
            if task.id in theirs
        ]
        apart = [
            (line, ours.id, "; ".join(facts))
            for line, ours, other in both
            if (facts := _differ(ours, other))
        ]
        for line, name, difference in apart[:_SHOWN]:
            problems.append(
                rules.TASK_DIFFERS.broken(
                    path, line, f"{name} differs from the import: {difference}"
                )
            )
        if apart[_SHOWN:]:
            names = ", ".join(name for _, name, _ in apart[_SHOWN:])
            problems.append(
                rules.TASK_DIFFERS.broken(path, None, f"more tasks differ from the import: {names}")
            )
        changed = [
            here.id
            for _, here, there in both
            if here.digest and there.digest and here.digest != there.digest
        ]
        if changed and not problems:
            what = f"the import states other checksums for {', '.join(changed)}"
            problems.append(rules.DIGEST_DIFFERS.broken(path, None, what))
        return problems


def _named(tasks: Iterable[str]) -> str:
    return ", ".join(sorted(tasks))


def _differ(known: Task, offered: Task) -> list[str]:
    """In what a task of an import contradicts the one that stands: in what is scored, not in how it is shown."""
    if len(known.rounds) != len(offered.rounds):
        return [f"{len(known.rounds)} rounds here, {len(offered.rounds)} in the import"]
    return [
        f"`weight` of round {ours.n} is {ours.weight:g} here, {theirs.weight:g} in the import"
        for ours, theirs in zip(known.rounds, offered.rounds, strict=True)
        if ours.weight != theirs.weight
    ]


@dataclass(frozen=True, slots=True)
class Joining:
    """A track of an import beside the track that its results join."""

    offered: Track
    track: Track
    """The track that the results join; the offered one where it is new."""
    own: TaskSet = _NONE
    """The tasks of the import; none where its track is about none."""
    tasks: TaskSet = _NONE
    """The tasks of the track that the results join."""
    missing: tuple[str, ...] = ()
    """Tasks that the import has no results of, and that its bundles say they miss."""
    excluded: tuple[Task, ...] = ()
    """Those that a finding takes out for everybody: nobody misses them, and every bundle has records that say so."""

    @classmethod
    def of(
        cls, standing: BenchmarkResults, offered: Track, tasks: TaskSet | None, task_sets: TaskSets
    ) -> tuple["Joining", list[Problem]]:
        """Find a track of the import the track that its results join, and compare the tasks."""
        known = next((track for track in standing.benchmark.tracks if track.id == offered.id), None)
        if known and not standing.bundles_of(known) and not standing.reported_on(known):
            known = adopted(known, offered, standing.benchmark)
        if tasks is None:
            return cls(offered, known or offered), []
        joined = standing.task_sets.get(known.tasks or "") if known else None
        if joined:
            # The results may have fewer tasks than the track.
            problems = task_sets.differences(joined, tasks, is_whole=False)
        else:
            names = (known.tasks,) if known and known.tasks else (tasks.id, offered.id)
            joined, problems = task_sets.place(tasks, names)
        track = (known or offered).model_copy(update={"tasks": joined.id})
        if errors_of(problems):
            return cls(offered, track, tasks, joined), problems
        here = tasks.by_id()
        absent = [task for task in joined.tasks if task.id not in here]
        out = {
            task.id
            for task in absent
            for each in standing.findings
            if each.takes_out(track.id, task.id)
        }
        missing = tuple(task.id for task in absent if task.id not in out)
        return cls(
            offered, track, tasks, joined, missing, tuple(task for task in absent if task.id in out)
        ), problems

    def problems(self, standing: BenchmarkResults, drafts: Sequence[Draft]) -> Iterator[Problem]:
        """Why bundles can't join a benchmark."""
        path = standing.path / DEFINITION
        for key in ("protocol", "reference_rounds"):
            values = (getattr(each, key) for each in (self.track, self.offered))
            here, there = (
                str(each).lower() if isinstance(each, bool) else repr(each) for each in values
            )
            if here != there:
                what = f"`{key}` of track {self.track.id} is {here} here, {there} in the import"
                yield rules.TRACK_DIFFERS.broken(path, None, what)
        many = [draft for draft in drafts if self._attempts(draft) > self.track.attempts]
        if many:
            most = max(map(self._attempts, many))
            named = ", ".join(draft.id for draft in many)
            asked = counted(self.track.attempts, "attempt")
            what = f"track {self.track.id} has {asked}, but the import has {most}: {named}"
            name = f"{self.track.id}-{most}-attempts"
            begins = (
                ""
                if any(track.id == name for track in standing.benchmark.tracks)
                else " --new-track"
            )
            command = f"sitegen submit RUNS --to {standing.benchmark.id}/{name}{begins}"
            fix = f"`{command}`, with your other options, sends them to a track of {most} attempts"
            yield rules.ATTEMPTS_ABOVE.broken(path, None, what, fix)
        if self.missing:
            of_all = f"{len(self.missing)} of the {len(self.tasks.tasks)} tasks of {self.tasks.id}"
            what = f"the import lacks {of_all}: {', '.join(self.missing)}"
            yield rules.TASKS_MISSING.broken(
                path.parent / "tasks" / f"{self.tasks.id}.jsonl", None, what
            )

    def fitted(self, draft: Draft) -> Draft:
        """A bundle as it stands on the joined track, with what the import took for granted said aloud."""
        attempts, stated = self._attempts(draft), dict[str, object]()
        rounds: Sequence[RoundResult] = draft.rounds
        if self.offered.attempts != self.track.attempts:
            stated["attempts"] = attempts
        # Cases are named where they stand otherwise in the track's task set, or not at all.
        names = dict(self.own.case_names().items() - self.tasks.case_names().items())
        if names:
            rounds = [_with_case_names(each, names.get((each.task, each.round))) for each in rounds]
        if self.missing or self.excluded:
            provenance, theirs = draft.submission.provenance, self.tasks.by_id()
            same = all(task.digest == theirs[task.id].digest for task in self.own.tasks)
            if same and provenance.task_digest == self.own.digest:
                # What stands for the tasks of the import stands for those of the track.
                digest = self.tasks.digest or provenance.task_digest
                provenance = provenance.model_copy(update={"task_digest": digest})
            stated |= {"missing": self.missing, "provenance": provenance}
            rounds = self._in_track_order(rounds, attempts)
        if isinstance(rounds, list):
            rounds = tuple(rounds)
        return replace(draft, submission=draft.submission.model_copy(update=stated), rounds=rounds)

    def _in_track_order(
        self, rounds: Sequence[RoundResult], attempts: int
    ) -> Sequence[RoundResult]:
        """Return rounds in the order of the track, with those of tasks that a finding takes out for everybody."""
        order = {task.id: place for place, task in enumerate(self.tasks.tasks)}
        own_order = [order[task.id] for task in self.own.tasks]
        if not self.excluded and own_order == sorted(own_order):
            return rounds
        tries = tries_of(attempts, has_reference=self.track.reference_rounds)
        all_rounds = list(rounds)
        for task in self.excluded:
            for attempt, start in tries:
                left_out = (
                    RoundResult(task.id, attempt, each.n, "excluded", 0, start=start)
                    for each in task.rounds
                )
                all_rounds.extend(left_out)
        return sorted(all_rounds, key=lambda each: order[each.task])

    def _attempts(self, draft: Draft) -> int:
        return draft.submission.attempts or self.offered.attempts


def adopted(track: Track, offered: Track, benchmark: Benchmark) -> Track:
    """Return a track without results under the conditions of its first import.

    It takes the protocol of the import, and its attempts where they are more. If the protocol changes, it also takes
    the import's metrics, but keeps those that the benchmark declares itself.

    Args:
        track: The track as it is declared; nobody has results on it.
        offered: The track as the import would begin it.
        benchmark: The benchmark that both belong to.
    """
    conditions: dict[str, object] = {"attempts": max(track.attempts, offered.attempts)}
    if (track.protocol, track.reference_rounds) == (offered.protocol, offered.reference_rounds):
        return track.model_copy(update=conditions)
    declared = {metric.id for metric in benchmark.metrics}
    kept = [metric for metric in track.columns if metric in declared]
    headline = track.headline if track.headline in declared else offered.headline
    conditions |= {
        "protocol": offered.protocol,
        "reference_rounds": offered.reference_rounds,
        "headline": headline,
        "columns": tuple(dict.fromkeys((*kept, *offered.columns))),
    }
    return track.model_copy(update=conditions)


def _with_case_names(result: RoundResult, names: tuple[str, ...] | None) -> RoundResult:
    """Return a result with the names of its cases, where it has outcomes and does not name them itself."""
    if names and result.outcomes is not None and result.case_ids is None:
        return replace(result, case_ids=names)
    return result


def merge(existing: BenchmarkResults | None, incoming: Incoming) -> tuple[Addition, list[Problem]]:
    """Fit an import into a benchmark, if one stands there."""
    # A new benchmark is one that agrees with the import and has no files yet.
    standing = existing or BenchmarkResults(Path(incoming.benchmark.id), incoming.benchmark, {})
    incoming, problems = _beside(standing, incoming)
    task_sets = TaskSets(standing.path / "tasks", standing.task_sets)
    own_sets = {tasks.id: tasks for tasks in incoming.task_sets}
    joinings: dict[str, Joining] = {}
    for offered in incoming.benchmark.tracks:
        joining, found = Joining.of(standing, offered, own_sets.get(offered.tasks or ""), task_sets)
        drafts = [draft for draft in incoming.drafts if draft.submission.track == offered.id]
        problems += [*joining.problems(standing, drafts), *found]
        joinings[offered.id] = joining
    aliases, contradictions = _aliases(standing.benchmark, incoming.benchmark)
    if contradictions:
        what = "; ".join(contradictions)
        problems.append(rules.ALIAS_DIFFERS.broken(standing.path / DEFINITION, None, what))
    problems += _name_problems(standing, incoming)
    tracks = {track.id: track for track in standing.benchmark.tracks}
    tracks |= {name: joining.track for name, joining in joinings.items()}
    own = [each.id for each in standing.benchmark.metrics]
    metrics = (
        *standing.benchmark.metrics,
        *(each for each in incoming.benchmark.metrics if each.id not in own),
    )
    axes = _axes(standing.benchmark, incoming)
    task_lists = [*standing.task_sets.values(), *task_sets.added.values()]
    axes, cluster_problems = _with_cluster_axis(standing, axes, task_lists)
    definition = {
        "metrics": metrics,
        "axes": axes,
        "tracks": tuple(tracks.values()),
        "aliases": aliases,
    }
    # Results that join what is there bring nothing but themselves: the rest is the maintainers' to say.
    begins = task_sets.added or tuple(tracks.values()) != standing.benchmark.tracks
    problems += cluster_problems if begins else []
    findings = (
        each
        for each in incoming.findings
        if each not in standing.findings and (begins or each.submissions)
    )
    addition = Addition(
        standing.benchmark.model_copy(update=definition) if begins else standing.benchmark,
        tuple(task_sets.added.values()),
        tuple(joinings[draft.submission.track].fitted(draft) for draft in incoming.drafts),
        tuple(findings),
        tuple((name, table) for name, table in incoming.reported if table not in standing.reported),
    )
    return addition, problems


def _beside(standing: BenchmarkResults, incoming: Incoming) -> tuple[Incoming, list[Problem]]:
    """An import whose bundles are not called like others that stand: one name is one agent's on one track.

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
            problems.append(
                rules.NAME_LONGER.broken(standing.path / "submissions" / name, None, what)
            )
        names[draft.id] = name
    drafts = tuple(replace(draft, id=names[draft.id]) for draft in incoming.drafts)
    findings = tuple(
        each.model_copy(
            update={"submissions": tuple(names.get(name, name) for name in each.submissions)}
        )
        if each.submissions
        else each
        for each in incoming.findings
    )
    return replace(incoming, drafts=drafts, findings=findings), problems


def _difference(ours: Submission, theirs: Submission) -> str | None:
    """What tells a submission from another one; None where both are of one agent on one track.

    What only one of them states is no difference: it may be a correction of the other.
    """
    if ours.track != theirs.track:
        return ours.track
    for here, there in (
        (ours.agent.reasoning, theirs.agent.reasoning),
        (ours.agent.scaffold, theirs.agent.scaffold),
    ):
        if here and there and here != there:
            return here
    return None


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


def _with_cluster_axis(
    standing: BenchmarkResults, axes: Mapping[str, Axis], task_sets: Sequence[TaskSet]
) -> tuple[dict[str, Axis], list[Problem]]:
    """Return the axes such that every task has a label on the one with `cluster = true`, and the problems.

    An import never changes how sure the ranks of a benchmark are: an axis that comes with `cluster = true` keeps it
    only where the benchmark has no other such axis, and all of its tasks have a label there.

    Args:
        standing: The benchmark that the import goes to.
        axes: Its axes, with those of the import.
        task_sets: Its task sets, with those of the import.
    """
    path = standing.path / DEFINITION
    known = standing.benchmark.cluster_axis
    merged = dict(axes)
    problems = []
    for name, axis in axes.items():
        if not axis.cluster:
            continue
        tasks = [task for task_set in task_sets for task in task_set.tasks]
        bare = [task.id for task in tasks if name not in task.labels]
        if name == known and bare:
            what = f"the import has {counted(len(bare), 'task')} without a label on axis `{name}`: {listed(bare, 3)}"
            problems.append(rules.CLUSTER_UNKNOWN.broken(path, None, what))
        elif name != known and (known or bare):
            merged[name] = axis.model_copy(update={"cluster": False})
            reason = (
                f"`{known}` has `cluster = true`" if known else f"no label on {listed(bare, 3)}"
            )
            what = f"axis `{name}` was added without `cluster = true`: {reason}"
            problems.append(rules.CLUSTER_LEFT.broken(path, None, what))
    return merged, problems


def _aliases(known: Benchmark, offered: Benchmark) -> tuple[dict[str, str], list[str]]:
    """Add spellings, each for the name that the agent goes by here; and say which contradict those that stand."""
    aliases = dict(known.aliases)
    contradictions = []
    for spelling, name in offered.aliases.items():
        meant, stated = known.agent_name(name), known.aliases.get(spelling)
        if stated is None and meant != spelling:
            aliases[spelling] = meant
        elif stated not in {None, name, meant}:
            contradictions.append(
                f"`{spelling}` stands for {stated} here, for {name} in the import"
            )
    return aliases, contradictions


def _name_problems(standing: BenchmarkResults, incoming: Incoming) -> Iterator[Problem]:
    """Which folders and files can't be called as they would be, and which names stand for something else."""
    bundles = [draft.id for draft in incoming.drafts]
    sets = [tasks.id for tasks in incoming.task_sets]
    odd = [repr(name) for name in (incoming.benchmark.id, *sets, *bundles) if not is_slug(name)]
    if odd:
        yield rules.NAME_INVALID.broken(
            standing.path, None, f"no names for files: {', '.join(odd)}"
        )
    folder = standing.path / "submissions"
    for name in repeated(bundles):
        yield rules.NAME_TWICE.broken(
            folder / name, None, f"the import has two bundles called {name}"
        )
    for name in sorted(
        {row.id for table in standing.reported for row in table.rows}.intersection(bundles)
    ):
        yield rules.NAME_TWICE.broken(
            folder / name, None, f"{name} names a row of a reported table already"
        )
