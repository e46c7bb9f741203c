"""Fit an import into a benchmark, which may already exist, without changing existing results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.cases import tries_of
from sitegen.importers.kit.drafts import longer_id
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.declared import Declared
from sitegen.models.finding import Finding
from sitegen.models.incoming import Addition, Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.record import is_slug
from sitegen.models.results import BenchmarkResults
from sitegen.models.shared_rules import ATTEMPTS_ABOVE_TRACK, NAME_TWICE
from sitegen.models.submission import Provenance, Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, counted, errors_of, listed

DEFINITION = "benchmark.toml"

_MAX_SHOWN_TASKS = 3
"""Maximum number of tasks whose differences are described; other tasks are only named."""

_NO_TASKS = TaskSet("", ())


def merge(existing: BenchmarkResults | None, incoming: Incoming) -> tuple[Addition, list[Problem]]:
    """Return an import's addition to a benchmark, and the problems that prevent adding it.

    Args:
        existing: The benchmark with its results; None if the import creates the benchmark.
        incoming: The import.
    """
    # A new benchmark is treated as one that agrees with the import but has no files yet.
    results = existing or BenchmarkResults(Path(incoming.benchmark.id), incoming.benchmark, {})
    incoming, problems = _with_free_names(results, incoming)
    task_sets = TaskSets(results.path / "tasks", results.task_sets)
    joinings, joining_problems = _join_tracks(results, incoming, task_sets)
    aliases, alias_problems = _merge_aliases(results, incoming.benchmark)
    problems += [*joining_problems, *alias_problems, *_check_names(results, incoming)]
    tracks = {track.id: track for track in results.benchmark.tracks}
    for joining in joinings.values():
        tracks[joining.offered.id] = joining.track
    # Results that join existing tracks do not change the definition, which maintainers edit.
    begins = bool(task_sets.added) or tuple(tracks.values()) != results.benchmark.tracks
    benchmark = results.benchmark
    if begins:
        all_task_sets = [*results.task_sets.values(), *task_sets.added.values()]
        axes, axis_problems = _with_cluster_axis(
            results, _merge_axes(results.benchmark, incoming), all_task_sets
        )
        problems += axis_problems
        definition = {
            "metrics": _merge_metrics(results.benchmark, incoming.benchmark),
            "axes": axes,
            "tracks": tuple(tracks.values()),
            "aliases": aliases,
        }
        benchmark = benchmark.model_copy(update=definition)
    drafts = [joinings[draft.submission.track].fit(draft) for draft in incoming.drafts]
    reported = [entry for entry in incoming.reported if entry[1] not in results.reported]
    addition = Addition(
        benchmark,
        tuple(task_sets.added.values()),
        tuple(drafts),
        _select_findings(results, incoming, begins=begins),
        tuple(reported),
    )
    return addition, problems


@dataclass(slots=True)
class TaskSets:
    """The task sets of a benchmark while an import adds to them."""

    folder: Path
    existing: Mapping[str, TaskSet]
    added: dict[str, TaskSet] = field(default_factory=dict)
    """The task sets that the import adds."""

    def find_or_add(self, tasks: TaskSet, names: Sequence[str]) -> tuple[TaskSet, list[Problem]]:
        """Return the task set of a new track: an existing set with the same tasks, or an added set.

        Args:
            tasks: The tasks of the import.
            names: The names that the task set may have, in order of preference.

        Returns:
            The task set and any warnings about it; if the task sets of all names differ, the
            import's tasks and their differences from the first of these task sets.
        """
        first_problems: list[Problem] = []
        for name in names:
            task_set = self.existing.get(name) or self.added.get(name)
            if task_set is None:
                self.added[name] = TaskSet(name, tasks.tasks)
                return self.added[name], []
            problems = self.compare(task_set, tasks, is_complete=True)
            if not errors_of(problems):
                return task_set, problems
            first_problems = first_problems or problems
        return tasks, first_problems

    def compare(self, existing: TaskSet, offered: TaskSet, *, is_complete: bool) -> list[Problem]:
        """Return the differences between an import's tasks and those of an existing task set.

        Args:
            existing: The existing task set.
            offered: The tasks of the import.
            is_complete: Whether the import must have all tasks of the set.
        """
        path = self.folder / f"{existing.id}.jsonl"
        offered_tasks = offered.by_id()
        problems = list(_check_task_list(path, existing, offered, is_complete=is_complete))
        differences = []
        changed_names = []
        for line, task in existing.numbered_tasks():
            offered_task = offered_tasks.get(task.id)
            if offered_task is None:
                continue
            difference = _compare_scoring(task, offered_task)
            if difference:
                differences.append((line, task.id, difference))
            digests = {task.digest, offered_task.digest}
            if None not in digests and len(digests) > 1:
                changed_names.append(task.id)
        for line, name, difference in differences[:_MAX_SHOWN_TASKS]:
            message = f"{name} differs from the import: {difference}"
            problems.append(rules.TASK_DIFFERS.broken(path, line, message))
        names = [name for _, name, _ in differences[_MAX_SHOWN_TASKS:]]
        if names:
            message = f"other tasks that differ from the import: {', '.join(names)}"
            problems.append(rules.TASK_DIFFERS.broken(path, None, message))
        if changed_names and not problems:
            message = f"the import states different checksums for {', '.join(changed_names)}"
            problems.append(rules.DIGEST_DIFFERS.broken(path, None, message))
        return problems


def _check_task_list(
    path: Path, existing: TaskSet, offered: TaskSet, *, is_complete: bool
) -> Iterator[Problem]:
    """Yield a problem if an import lacks tasks of a task set, or has additional tasks."""
    names = existing.by_id().keys()
    offered_names = offered.by_id().keys()
    lacking = names - offered_names
    extra = offered_names - names
    facts = []
    if is_complete and lacking:
        facts.append(f"it lacks {', '.join(sorted(lacking))}")
    if extra:
        facts.append(f"it adds {', '.join(sorted(extra))}")
    if not facts:
        return
    difference = f"the tasks of the import differ from those of {existing.id}: {'; '.join(facts)}"
    ours = f"{existing.id} has {len(names)}: {', '.join(sorted(names))}"
    theirs = f"the import has {len(offered_names)}: {', '.join(sorted(offered_names))}"
    yield rules.TASKS_DIFFER.broken(path, None, f"{difference}. {ours}; {theirs}")


def _compare_scoring(existing: Task, offered: Task) -> str:
    """Return a description of how an import changes the scoring of a task; empty if it does not."""
    if len(existing.rounds) != len(offered.rounds):
        return f"{len(existing.rounds)} rounds here, but {len(offered.rounds)} in the import"
    facts = []
    for ours, theirs in zip(existing.rounds, offered.rounds, strict=True):
        if ours.weight != theirs.weight:
            weights = f"{ours.weight:g} here, but {theirs.weight:g} in the import"
            facts.append(f"`weight` of round {ours.n} is {weights}")
    return "; ".join(facts)


def _join_tracks(
    results: BenchmarkResults, incoming: Incoming, task_sets: TaskSets
) -> tuple[dict[str, "Joining"], list[Problem]]:
    """Return a `Joining` for each track of an import, by the track's id, and the problems."""
    incoming_task_sets = {task_set.id: task_set for task_set in incoming.task_sets}
    joinings: dict[str, Joining] = {}
    problems: list[Problem] = []
    for default in incoming.benchmark.tracks:
        tasks = incoming_task_sets.get(default.tasks or "")
        offered = default
        if len(incoming.benchmark.tracks) == 1:
            offered = _with_usual_conditions(results.benchmark, default, tasks)
        joining, task_problems = _join_track(results, offered, tasks, task_sets)
        drafts = [draft for draft in incoming.drafts if draft.submission.track == offered.id]
        problems += [*joining.check(results, drafts), *task_problems]
        joinings[offered.id] = joining
    return joinings, problems


def _with_usual_conditions(benchmark: Benchmark, offered: Track, tasks: TaskSet | None) -> Track:
    """Return a track created by an import, with the metrics and the protocol of its benchmark.

    Metrics and protocol are taken from the first current track that, like the import, has or lacks
    rounds from the reference state. If there is no such track, the import keeps its own conditions.
    """
    alike = []
    for track in benchmark.tracks:
        if track.id == offered.id:
            return offered
        if track.status == "current" and track.reference_rounds == offered.reference_rounds:
            alike.append(track)
    if not alike:
        return offered
    usual = alike[0]
    declared = {metric.id: metric for metric in benchmark.metrics}
    columns = []
    for name in usual.shown:
        metric = declared.get(name)
        if metric is None or _is_possible(metric, offered, tasks):
            columns.append(name)
    if usual.headline not in columns:
        return offered
    return offered.model_copy(
        update={
            "protocol": usual.protocol,
            "headline": usual.headline,
            "columns": tuple(columns),
            "groupings": usual.groupings,
        }
    )


def _is_possible(metric: Declared, track: Track, tasks: TaskSet | None) -> bool:
    """Return whether a track has the attempts and the labels that a declared metric needs."""
    if metric.k is not None and metric.k > track.attempts:
        return False
    if metric.axis is None or tasks is None:
        return True
    return all(metric.axis in task.labels for task in tasks.tasks)


def _join_track(
    results: BenchmarkResults, offered: Track, tasks: TaskSet | None, task_sets: TaskSets
) -> tuple["Joining", list[Problem]]:
    """Return the track that the results of an import's track join, and the problems of its tasks.

    Args:
        results: The benchmark with its results.
        offered: The track as the import would create it.
        tasks: The tasks of the import; None if the track has no tasks.
        task_sets: The task sets of the benchmark; receives a new set if the track needs it.
    """
    tracks = {track.id: track for track in results.benchmark.tracks}
    existing = tracks.get(offered.id)
    if existing and not results.bundles_of(existing) and not results.reported_on(existing):
        existing = adopt_track(existing, offered, results.benchmark)
    track = existing or offered
    if tasks is None:
        return Joining(offered, track), []
    task_set_name = existing.tasks if existing else None
    task_set = results.task_sets.get(task_set_name or "")
    if task_set:
        # The results may cover fewer tasks than the track has.
        problems = task_sets.compare(task_set, tasks, is_complete=False)
    else:
        names = [task_set_name] if task_set_name else [tasks.id, offered.id]
        task_set, problems = task_sets.find_or_add(tasks, names)
    track = track.model_copy(update={"tasks": task_set.id})
    joining = Joining(offered, track, tasks, task_set)
    if errors_of(problems):
        return joining, problems
    missing, excluded = _find_absent_tasks(results, joining)
    return replace(joining, missing=missing, excluded=excluded), problems


def _find_absent_tasks(
    results: BenchmarkResults, joining: "Joining"
) -> tuple[tuple[str, ...], tuple[Task, ...]]:
    """Return the tasks of a track that an import lacks: missing tasks and excluded tasks."""
    offered_tasks = joining.offered_tasks.by_id()
    missing = []
    excluded = []
    for task in joining.tasks.tasks:
        if task.id in offered_tasks:
            continue
        if any(finding.takes_out(joining.track.id, task.id) for finding in results.findings):
            excluded.append(task)
        else:
            missing.append(task.id)
    return tuple(missing), tuple(excluded)


@dataclass(frozen=True, slots=True)
class Joining:
    """A track of an import, with the track that its results join."""

    offered: Track
    track: Track
    """The track that the results join, or the offered track if it is new."""
    offered_tasks: TaskSet = _NO_TASKS
    """The tasks of the import; empty if its track has no tasks."""
    tasks: TaskSet = _NO_TASKS
    """The tasks of the track that the results join."""
    missing: tuple[str, ...] = ()
    """Tasks without results in the import; its bundles list them as missing."""
    excluded: tuple[Task, ...] = ()
    """Tasks that a finding excludes for all agents: every bundle records them as excluded."""

    def check(self, results: BenchmarkResults, drafts: Sequence[Draft]) -> Iterator[Problem]:
        """Yield problems that prevent bundles from joining the track, and any missing tasks."""
        path = results.path / DEFINITION
        for key in ("protocol", "reference_rounds"):
            ours = _toml_value(getattr(self.track, key))
            theirs = _toml_value(getattr(self.offered, key))
            if ours != theirs:
                message = (
                    f"`{key}` of track {self.track.id} is {ours} here, but {theirs} in the import"
                )
                yield rules.TRACK_DIFFERS.broken(path, None, message)
        too_many = [draft for draft in drafts if self._attempts(draft) > self.track.attempts]
        if too_many:
            yield self._attempts_problem(results, too_many)
        if self.missing:
            lacking = f"{len(self.missing)} of the {len(self.tasks.tasks)} tasks of {self.tasks.id}"
            message = f"the import lacks {lacking}: {', '.join(self.missing)}"
            tasks_path = results.path / "tasks" / f"{self.tasks.id}.jsonl"
            yield rules.TASKS_MISSING.broken(tasks_path, None, message)

    def _attempts_problem(self, results: BenchmarkResults, drafts: Sequence[Draft]) -> Problem:
        """Return the problem that bundles have more attempts than the track allows."""
        attempts = max(map(self._attempts, drafts))
        bundle_names = ", ".join(draft.id for draft in drafts)
        allowed = counted(self.track.attempts, "attempt")
        message = (
            f"track {self.track.id} has {allowed}, but the import has {attempts}: {bundle_names}"
        )
        name = f"{self.track.id}-{attempts}-attempts"
        has_track = any(track.id == name for track in results.benchmark.tracks)
        option = "" if has_track else " --new-track"
        command = f"sitegen submit RUNS --to {results.benchmark.id}/{name}{option}"
        fix = f"`{command}`, with your other options, sends them to a track of {attempts} attempts"
        return ATTEMPTS_ABOVE_TRACK.broken(results.path / DEFINITION, None, message, fix)

    def fit(self, draft: Draft) -> Draft:
        """Return a bundle as the joined track stores it, with the import's defaults stated."""
        attempts = self._attempts(draft)
        stated: dict[str, object] = {}
        rounds: Sequence[RoundResult] = draft.rounds
        if self.offered.attempts != self.track.attempts:
            stated["attempts"] = attempts
        # Results name their cases if the track has different cases, or no cases, for the round.
        offered_names = self.offered_tasks.case_names().items()
        names = dict(offered_names - self.tasks.case_names().items())
        if names:
            rounds = tuple(_with_case_names(result, names) for result in rounds)
        if self.missing or self.excluded:
            stated["missing"] = self.missing
            stated["provenance"] = self._fit_provenance(draft.submission.provenance)
            rounds = self._in_track_order(rounds, attempts)
        submission = draft.submission.model_copy(update=stated)
        return replace(draft, submission=submission, rounds=rounds)

    def _fit_provenance(self, provenance: Provenance) -> Provenance:
        """Return a provenance with the digest of the track's tasks instead of the import's.

        The digest is replaced only if the import has the same tasks as the track.
        """
        tasks = self.tasks.by_id()
        for task in self.offered_tasks.tasks:
            if task.digest != tasks[task.id].digest:
                return provenance
        if provenance.task_digest != self.offered_tasks.digest:
            return provenance
        digest = self.tasks.digest or provenance.task_digest
        return provenance.model_copy(update={"task_digest": digest})

    def _in_track_order(
        self, rounds: Sequence[RoundResult], attempts: int
    ) -> Sequence[RoundResult]:
        """Return rounds in the order of the track's tasks, including the excluded tasks."""
        position = {task.id: index for index, task in enumerate(self.tasks.tasks)}
        positions = [position[task.id] for task in self.offered_tasks.tasks]
        if not self.excluded and positions == sorted(positions):
            return rounds
        tries = tries_of(attempts, has_reference=self.track.reference_rounds)
        all_rounds = list(rounds)
        for task in self.excluded:
            for attempt, start in tries:
                for task_round in task.rounds:
                    number = task_round.n
                    result = RoundResult(task.id, attempt, number, "excluded", 0, start=start)
                    all_rounds.append(result)
        return tuple(sorted(all_rounds, key=lambda result: position[result.task]))

    def _attempts(self, draft: Draft) -> int:
        """Return the number of attempts in a bundle; if not stated, its track's number."""
        return draft.submission.attempts or self.offered.attempts


def _toml_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def adopt_track(track: Track, offered: Track, benchmark: Benchmark) -> Track:
    """Return a track that has no results yet, with the conditions of its first import.

    The track gets the protocol of the import, and its number of attempts if that is larger. If the
    protocol changes, the track also gets the import's metrics, but keeps those that the benchmark
    declares.

    Args:
        track: The track as declared, without results.
        offered: The track as the import would create it.
        benchmark: The benchmark to which both belong.
    """
    conditions: dict[str, object] = {"attempts": max(track.attempts, offered.attempts)}
    if (track.protocol, track.reference_rounds) == (offered.protocol, offered.reference_rounds):
        return track.model_copy(update=conditions)
    declared = {metric.id for metric in benchmark.metrics}
    declared_columns = [metric for metric in track.columns if metric in declared]
    conditions |= {
        "protocol": offered.protocol,
        "reference_rounds": offered.reference_rounds,
        "headline": track.headline if track.headline in declared else offered.headline,
        "columns": tuple(dict.fromkeys((*declared_columns, *offered.columns))),
    }
    return track.model_copy(update=conditions)


def _with_case_names(
    result: RoundResult, names: Mapping[tuple[str, int], tuple[str, ...]]
) -> RoundResult:
    """Return a result with case names added if it has outcomes but no case names.

    Args:
        result: The result of a round.
        names: The names of cases by task and round.
    """
    case_ids = names.get((result.task, result.round))
    if case_ids and result.outcomes is not None and result.case_ids is None:
        return replace(result, case_ids=case_ids)
    return result


def _with_free_names(
    results: BenchmarkResults, incoming: Incoming
) -> tuple[Incoming, list[Problem]]:
    """Return an import whose bundle names differ from those of existing bundles of other agents.

    If a bundle on another track, or of the same model with another setting, already has the name,
    the difference is appended to the name. An agent can thus have results from one day on two
    tracks.
    """
    existing = {bundle.id: bundle.submission for bundle in results.bundles}
    names: dict[str, str] = {}
    problems = []
    for draft in incoming.drafts:
        name = _find_free_name(draft, existing)
        names[draft.id] = name
        if name != draft.id and name not in existing:
            track = existing[draft.id].track
            renamed = f"the bundle of this import is called {name}"
            message = f"{draft.id} is already a bundle of track {track}: {renamed}"
            path = results.path / "submissions" / name
            problems.append(rules.NAME_LONGER.broken(path, None, message))
    drafts = tuple(replace(draft, id=names[draft.id]) for draft in incoming.drafts)
    findings = tuple(_with_new_names(finding, names) for finding in incoming.findings)
    return replace(incoming, drafts=drafts, findings=findings), problems


def _find_free_name(draft: Draft, existing: Mapping[str, Submission]) -> str:
    """Return a bundle's name, extended until no bundle of another agent or track has it."""
    name = draft.id
    while name in existing:
        fact = _find_difference(draft.submission, existing[name])
        if fact is None:
            return name
        name = longer_id(name, fact)
    return name


def _with_new_names(finding: Finding, names: Mapping[str, str]) -> Finding:
    """Return a finding with the new names of its bundles."""
    if not finding.submissions:
        return finding
    submissions = tuple(names.get(name, name) for name in finding.submissions)
    return finding.model_copy(update={"submissions": submissions})


def _find_difference(incoming: Submission, existing: Submission) -> str | None:
    """Return the fact that distinguishes two submissions; None if their agents and tracks match.

    A fact that only one of the submissions states is not a difference: the other may be its
    correction.
    """
    if incoming.track != existing.track:
        return incoming.track
    for name in ("reasoning", "scaffold"):
        fact: str | None = getattr(incoming.agent, name)
        existing_fact = getattr(existing.agent, name)
        if fact and existing_fact and fact != existing_fact:
            return fact
    return None


def _merge_metrics(benchmark: Benchmark, offered: Benchmark) -> tuple[Declared, ...]:
    """Return the metrics of a benchmark and the additional metrics of an import."""
    ids = {metric.id for metric in benchmark.metrics}
    added = [metric for metric in offered.metrics if metric.id not in ids]
    return (*benchmark.metrics, *added)


def _merge_axes(benchmark: Benchmark, incoming: Incoming) -> dict[str, Axis]:
    """Return the axes of a benchmark and an import, adding new values to axes that list values."""
    axes = dict(benchmark.axes)
    for name, offered in incoming.benchmark.axes.items():
        axis = axes.setdefault(name, offered)
        values = dict.fromkeys(offered.values)
        for task_set in incoming.task_sets:
            labels = [task.labels[name] for task in task_set.tasks if name in task.labels]
            values.update(dict.fromkeys(labels))
        new_values = tuple(value for value in values if value not in axis.values)
        if axis.values and new_values:
            axes[name] = axis.model_copy(update={"values": axis.values + new_values})
    return axes


def _with_cluster_axis(
    results: BenchmarkResults, axes: Mapping[str, Axis], task_sets: Sequence[TaskSet]
) -> tuple[dict[str, Axis], list[Problem]]:
    """Return the axes, with `cluster = true` only if every task has a label, and the problems.

    An import never changes the intervals of a benchmark: a new axis keeps `cluster = true` only if
    the benchmark has no other cluster axis, and all of its tasks have a label on the new axis.

    Args:
        results: The benchmark into which results are imported.
        axes: The axes of the benchmark and of the import.
        task_sets: The task sets of the benchmark and of the import.
    """
    path = results.path / DEFINITION
    cluster_axis = results.benchmark.cluster_axis
    merged = dict(axes)
    problems = []
    for name, axis in axes.items():
        if not axis.cluster:
            continue
        unlabelled: list[str] = []
        for task_set in task_sets:
            unlabelled += [task.id for task in task_set.tasks if name not in task.labels]
        examples = listed(unlabelled, 3)
        if name == cluster_axis and unlabelled:
            tasks = counted(len(unlabelled), "task")
            message = f"the import has {tasks} without a label on axis `{name}`: {examples}"
            problems.append(rules.CLUSTER_UNKNOWN.broken(path, None, message))
        elif name != cluster_axis and (cluster_axis or unlabelled):
            merged[name] = axis.model_copy(update={"cluster": False})
            reason = f"no label on {examples}"
            if cluster_axis:
                reason = f"`{cluster_axis}` has `cluster = true`"
            message = f"axis `{name}` was added without `cluster = true`: {reason}"
            problems.append(rules.CLUSTER_LEFT.broken(path, None, message))
    return merged, problems


def _merge_aliases(
    results: BenchmarkResults, offered: Benchmark
) -> tuple[dict[str, str], list[Problem]]:
    """Return the spellings of a benchmark and of an import, and a problem if they conflict."""
    benchmark = results.benchmark
    aliases = dict(benchmark.aliases)
    contradictions = []
    for spelling, name in offered.aliases.items():
        agent_name = benchmark.agent_name(name)
        existing_name = benchmark.aliases.get(spelling)
        if existing_name is None and agent_name != spelling:
            aliases[spelling] = agent_name
        elif existing_name not in {None, name, agent_name}:
            names = f"{existing_name} here, but of {name} in the import"
            contradictions.append(f"`{spelling}` is an alias of {names}")
    if not contradictions:
        return aliases, []
    path = results.path / DEFINITION
    return aliases, [rules.ALIAS_DIFFERS.broken(path, None, "; ".join(contradictions))]


def _check_names(results: BenchmarkResults, incoming: Incoming) -> Iterator[Problem]:
    """Yield problems for names that folders and files can't have, or that are already in use."""
    bundle_names = [draft.id for draft in incoming.drafts]
    task_set_names = [task_set.id for task_set in incoming.task_sets]
    all_names = [incoming.benchmark.id, *task_set_names, *bundle_names]
    invalid_names = [repr(name) for name in all_names if not is_slug(name)]
    if invalid_names:
        message = f"not valid as names of files or folders: {', '.join(invalid_names)}"
        yield rules.NAME_INVALID.broken(results.path, None, message)
    folder = results.path / "submissions"
    for name in repeated(bundle_names):
        message = f"the import has two bundles called {name}"
        yield NAME_TWICE.broken(folder / name, None, message, rules.NAME_TWICE_FIX)
    reported_names: set[str] = set()
    for table in results.reported:
        reported_names.update(row.id for row in table.rows)
    for name in sorted(reported_names.intersection(bundle_names)):
        message = f"{name} is already the name of a row in a reported table"
        yield NAME_TWICE.broken(folder / name, None, message, rules.NAME_TWICE_FIX)


def _select_findings(
    results: BenchmarkResults, incoming: Incoming, *, begins: bool
) -> tuple[Finding, ...]:
    """Return the findings of an import that the benchmark does not contain.

    Findings about tasks are added only if the import creates a benchmark or a track.
    """
    findings = []
    for finding in incoming.findings:
        is_new = finding not in results.findings
        if is_new and (begins or finding.submissions):
            findings.append(finding)
    return tuple(findings)
