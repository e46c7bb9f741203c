"""Start a new version of a track, and carry over the results of tasks that did not change.

Read `plan_version` first, which plans the new version; `begin_version` writes it.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import count
from pathlib import Path

from sitegen.board import Board, Entry
from sitegen.importers.kit.drafts import longer_id
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.incoming import Addition
from sitegen.models.record import is_slug
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Carried, Status, Submission
from sitegen.models.task import Task, TaskSet
from sitegen.pipeline.correcting import is_one_line
from sitegen.pipeline.evaluating import evaluate, move_problems, problem_key, score_benchmark
from sitegen.problems import ProblemsError, UsageError, counted, errors_of, listed, part_of
from sitegen.problems.commands import results_option
from sitegen.publish.machine.packing import CHECKSUMS, checksums, packed
from sitegen.publish.machine.transaction import snapshot_of, transaction
from sitegen.publish.results.benchmarks import benchmark_files, findings_limited
from sitegen.publish.results.records import toml
from sitegen.reading.files import unpacked
from sitegen.reading.json import LineKind, read_lines
from sitegen.reading.shape import suggestion
from sitegen.store.files.layout import (
    ARRIVALS_FILE,
    FINDINGS_FILE,
    MANIFEST_FILE,
    RELEASES_FOLDER,
    ROUNDS_FILE,
    SUBMISSIONS_FOLDER,
    TASKS_FOLDER,
)
from sitegen.store.files.raw_documents import parse_json_lines
from sitegen.store.readers.folder import read_benchmark_results

_TASKS = LineKind(Task)
_MAX_NAMED = 5
_VERSION_IN_ID = re.compile(r"(?:^|-)v?(\d+(?:-\d+)*)$")
"""Matches the version at the end of a track's id, such as in "v1-1" or "main-2"."""


@dataclass(frozen=True, slots=True)
class VersionRequest:
    """A request for a new version of a track."""

    benchmark: str
    track: str
    """The id of the new track."""
    earlier: str
    """The id of the track that the new track replaces."""
    changed: tuple[str, ...] = ()
    """The ids of the tasks that changed."""
    tasks_file: Path | None = None
    """A file with definitions of changed and new tasks, one per line; None if there are none."""
    has_carried: bool = False
    """Whether to carry over the results of unchanged tasks."""
    attempts: int | None = None
    """The number of attempts per task; None for that of the earlier track."""
    title: str = ""
    reason: str = ""
    """The reason why the earlier track is legacy, which is published."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A new version of a track, and the content to write for it."""

    track: Track
    earlier: Track
    """The earlier version, with its new status."""
    tasks: TaskSet
    bundles: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    """The files of the carried-over submissions, by submission and file name."""
    limited: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """The ids of the tracks that findings are limited to, by the finding's index in its file."""
    notes: Sequence[str] = ()
    """Notes for maintainers on results that are not carried over and findings that still apply."""


def begin_version(request: VersionRequest, folder: Path, today: date) -> NewVersion:
    """Write a new version of a track to a results folder, completely or not at all.

    Raises:
        ProblemsError: The benchmark has errors, or would have new ones.
        UsageError: The request does not fit the benchmark, or another command changed a file.
    """
    since = snapshot_of(folder)
    home = folder / request.benchmark
    if not home.is_dir():
        raise UsageError(f"there is no benchmark {request.benchmark} in {folder}")
    reading = read_benchmark_results(home)
    results = reading.record
    if results is None:
        raise ProblemsError(reading.problems)
    if errors_of(results.problems):
        raise ProblemsError(errors_of(results.problems))
    version = plan_version(request, results, today)
    addition = Addition(_definition_with(results.benchmark, version), (version.tasks,), (), (), ())
    created, changed = benchmark_files(addition, home)
    if version.limited:
        changed[FINDINGS_FILE] = findings_limited(home / FINDINGS_FILE, version.limited)
    known = {problem_key(error) for error in errors_of(evaluate(home, today).problems())}
    with transaction(folder, since) as changes:
        changes.write(request.benchmark, {**created, **changed})
        for name, files in version.bundles.items():
            changes.write(f"{request.benchmark}/{SUBMISSIONS_FOLDER}/{name}", files)
        rehearsal = changes.preview_copy((request.benchmark, RELEASES_FOLDER, ARRIVALS_FILE))
        evaluation = evaluate(rehearsal / request.benchmark, today)
        errors = move_problems(errors_of(evaluation.problems()), rehearsal, folder)
        new_errors = [error for error in errors if problem_key(error) not in known]
        if new_errors:
            raise ProblemsError(new_errors)
    return version


def plan_version(request: VersionRequest, results: BenchmarkResults, today: date) -> NewVersion:
    """Return a new version of a track with its tasks, and the results to carry over.

    Raises:
        ProblemsError: The file of tasks can't be read.
        UsageError: A track or a task does not exist, or the new track already exists.
    """
    earlier = _earlier_track(request, results.benchmark)
    old_tasks = results.tasks_of(earlier)
    new_definitions = _definitions_in(request.tasks_file)
    changed = _changed_tasks(request, old_tasks, new_definitions)
    tasks = _new_task_set(request, results, old_tasks, new_definitions)
    track = earlier.model_copy(
        update={
            "id": request.track,
            "title": request.title or version_title(earlier, request.track),
            "replaces": earlier.id,
            "attempts": request.attempts or earlier.attempts,
            "changed": tuple(changed),
            "deadline": None,
            "tasks": tasks.id,
        }
    )
    reason = request.reason or _usual_reason(track, changed, tasks, earlier.attempts)
    if not is_one_line(reason) or (request.title and not is_one_line(request.title)):
        raise UsageError("--reason and --title take one line of text each")
    retired = earlier.model_copy(
        update={"status": "legacy", "reason": reason, "superseded_by": track.id}
    )
    limited, notes = _limited_findings(results, changed)
    version = NewVersion(track, retired, tasks, limited=limited, notes=notes)
    if not request.has_carried:
        return version
    task_sets = {**results.task_sets, tasks.id: tasks}
    benchmark = _definition_with(results.benchmark, version)
    planned = replace(results, benchmark=benchmark, task_sets=task_sets)
    unchanged = planned.unchanged_tasks(track, retired)
    return _with_carried(version, results, unchanged, today)


def version_title(earlier: Track, track_id: str) -> str:
    """Return the default title of a new version of a track.

    A number at the end of an id is the version: "V1" with the id "v1-1" becomes "V1.1".
    """
    version_before = _VERSION_IN_ID.search(earlier.id)
    version = _VERSION_IN_ID.search(track_id)
    if version is None:
        return f"{earlier.title}, {track_id}"
    number = version[1].replace("-", ".")
    if version_before:
        number_before = version_before[1].replace("-", ".")
        if earlier.title.endswith(number_before):
            return f"{earlier.title.removesuffix(number_before)}{number}"
    return f"{earlier.title} {number}"


def _earlier_track(request: VersionRequest, benchmark: Benchmark) -> Track:
    """Return the track to replace; raise a UsageError if the request does not fit it."""
    tracks = {track.id: track for track in benchmark.tracks}
    earlier = tracks.get(request.earlier)
    if earlier is None:
        hint = suggestion(request.earlier, tracks) or f"its tracks are {', '.join(tracks)}"
        raise UsageError(f"{benchmark.id} has no track {request.earlier}; {hint}")
    if not is_slug(request.track):
        raise UsageError(
            f"`{request.track}` can't be a track's id: use lower-case letters, digits, - and _"
        )
    if request.track in tracks:
        raise UsageError(f"{benchmark.id} already has a track {request.track}; choose another id")
    if earlier.status == "withdrawn":
        raise UsageError(f"track {earlier.id} is withdrawn, so it can't have a new version")
    latest = benchmark.latest_version(earlier.id)
    if latest != earlier.id:
        raise UsageError(f"track {latest} already replaces {earlier.id}; pass --from {latest}")
    if request.has_carried and request.attempts and request.attempts < earlier.attempts:
        raise UsageError(
            f"--attempts {request.attempts} is fewer than the {earlier.attempts} of track "
            f"{earlier.id}, whose results can't be carried over then; leave out --carry"
        )
    if earlier.tasks is None:
        raise UsageError(f"track {earlier.id} has no tasks, so there is nothing to copy")
    return earlier


def _definitions_in(path: Path | None) -> dict[str, Task]:
    """Return the tasks that a file defines, by id; empty if no file is given."""
    if path is None:
        return {}
    if not path.is_file():
        raise UsageError(f"{path} is not a file; pass a file with one task per line")
    lines = read_lines(path, _TASKS)
    if errors_of(lines.problems):
        raise ProblemsError(lines.problems)
    return {task.id: task for task in lines.records}


def _changed_tasks(
    request: VersionRequest, old_tasks: TaskSet, new_definitions: Mapping[str, Task]
) -> list[str]:
    """Return the ids of changed tasks in the order of the task set, followed by new tasks."""
    known = old_tasks.by_id()
    for name in request.changed:
        if name not in known and name not in new_definitions:
            hint = suggestion(name, known) or "name a task of the track that is replaced"
            raise UsageError(f"track {request.earlier} has no task {name}; {hint}")
    changed = []
    for name, task in known.items():
        has_new_definition = name in new_definitions and new_definitions[name] != task
        if name in request.changed or has_new_definition:
            changed.append(name)
    changed += [name for name in new_definitions if name not in known]
    return changed


def _new_task_set(
    request: VersionRequest,
    results: BenchmarkResults,
    old_tasks: TaskSet,
    new_definitions: Mapping[str, Task],
) -> TaskSet:
    """Return the task set of the new version, with an unused name.

    A changed task without a new definition keeps its old definition, but not its checksum, which
    only describes the earlier version.
    """
    tasks = []
    for task in old_tasks.tasks:
        if task.id in new_definitions:
            tasks.append(new_definitions[task.id])
        elif task.id in request.changed:
            tasks.append(replace(task, digest=None))
        else:
            tasks.append(task)
    known = old_tasks.by_id()
    tasks += [task for name, task in new_definitions.items() if name not in known]
    name = request.track
    numbers = count(2)
    while name in results.task_sets or (results.path / TASKS_FOLDER / f"{name}.jsonl").exists():
        name = f"{request.track}-{next(numbers)}"
    return TaskSet(name, tuple(tasks))


def _usual_reason(
    track: Track, changed: Sequence[str], tasks: TaskSet, attempts_before: int
) -> str:
    """Return the default reason for making the earlier version legacy."""
    if not changed and attempts_before != track.attempts:
        attempts = counted(track.attempts, "attempt")
        return f"replaced by {track.title}, which has {attempts} per task"
    if not changed:
        return f"replaced by {track.title}"
    verb = "differs" if len(changed) == 1 else "differ"
    return (
        f"replaced by {track.title}, where {part_of(len(changed), len(tasks.tasks), 'task')} {verb}"
    )


def _definition_with(benchmark: Benchmark, version: NewVersion) -> Benchmark:
    """Return a benchmark with the earlier track as legacy, and the new track added at the end."""
    tracks = []
    for track in benchmark.tracks:
        tracks.append(version.earlier if track.id == version.earlier.id else track)
    return benchmark.model_copy(update={"tracks": (*tracks, version.track)})


def _limited_findings(
    results: BenchmarkResults, changed: Collection[str]
) -> tuple[dict[int, Sequence[str]], list[str]]:
    """Return findings to limit to the earlier tracks, because all of their tasks changed.

    A finding without `tracks` would otherwise also exclude the changed tasks on the new track.

    Returns:
        The ids of the earlier tracks, by the finding's index in its file; and notes on these
        findings and on those that still apply because some of their tasks did not change.
    """
    earlier_tracks = [track.id for track in results.benchmark.tracks]
    limited: dict[int, Sequence[str]] = {}
    notes = []
    for index, finding in enumerate(results.recorded_findings()):
        tasks = [task for task in finding.tasks if task in changed]
        is_general = not finding.tracks and not finding.submissions
        if not (finding.changes_results and tasks and is_general):
            continue
        if len(tasks) == len(finding.tasks):
            limited[index] = earlier_tracks
            notes.append(
                f"the finding “{finding.title}” is limited to {', '.join(earlier_tracks)}, because "
                f"the new track changes {listed(tasks, _MAX_NAMED)}"
            )
        else:
            notes.append(
                f"the finding “{finding.title}” names no track, and also names tasks that did not "
                "change, "
                f"so it still applies to {', '.join(tasks)} on the new track"
            )
    return limited, notes


def _with_carried(
    version: NewVersion, results: BenchmarkResults, unchanged: Collection[str], today: date
) -> NewVersion:
    """Return a new version with the results of unchanged tasks, and notes on all other results."""
    _, boards = score_benchmark(results, today)
    bundles: dict[str, Mapping[str, bytes]] = {}
    notes = list(version.notes)
    for board in boards:
        if board.track.id != version.earlier.id:
            continue
        for entry in (*board.entries, *board.apart):
            if entry.bundle is None:
                continue
            tasks = _carried_tasks(board, entry, unchanged)
            if not tasks:
                notes.append(
                    f"{entry.id} is not carried over: it has no results for unchanged tasks"
                )
                continue
            left = [task for task in unchanged if task not in tasks]
            if left:
                notes.append(
                    f"{entry.id} is carried over without {listed(left, _MAX_NAMED)}: it has no "
                    "results for them, or a finding changes them"
                )
            submission = _carried_submission(version, entry.bundle, tasks)
            name = _free_id(results.path, entry.id, version.track.id)
            bundles[name] = _carried_files(results, entry.id, submission, tasks)
    return replace(version, bundles=bundles, notes=notes)


def _carried_tasks(board: Board, entry: Entry, unchanged: Collection[str]) -> list[str]:
    """Return the tasks whose results are carried over to the new version.

    Results that a finding about this track or this submission changed are left out, because the
    finding would not apply to the new submission.
    """
    track = board.track.id
    affected: set[str] = set()
    for finding in board.results.findings:
        is_bound = bool(finding.tracks or finding.submissions)
        if finding.changes_results and is_bound and finding.concerns_row(track, entry.id):
            affected.update(finding.tasks or unchanged)
    sent = entry.sent
    if sent is None:
        return []
    measured = {result.task for result in sent.rounds}
    carried = []
    for task in board.tasks.tasks:
        if task.id in unchanged and task.id in measured and task.id not in affected:
            carried.append(task.id)
    return carried


def _carried_submission(version: NewVersion, bundle: Bundle, tasks: Sequence[str]) -> Submission:
    """Return the manifest for carried results; it names their source and the missing tasks.

    Claims and the checksum of the tasks describe the earlier version, and are left out.
    """
    missing = [task.id for task in version.tasks.tasks if task.id not in tasks]
    provenance = bundle.submission.provenance.model_copy(update={"task_digest": None})
    carried = Carried(track=version.earlier.id, submission=bundle.id, tasks=tuple(tasks))
    attempts = bundle.submission.attempts
    if version.track.attempts != version.earlier.attempts:
        attempts = attempts or version.earlier.attempts
    return bundle.submission.model_copy(
        update={
            "track": version.track.id,
            "attempts": attempts,
            "missing": tuple(missing),
            "carried": carried,
            "status": Status(),
            "provenance": provenance,
            "claims": None,
        }
    )


def _free_id(benchmark: Path, earlier: str, track: str) -> str:
    """Return an unused id for a carried submission."""
    numbers = count(2)
    name = longer_id(earlier, track)
    while (benchmark / SUBMISSIONS_FOLDER / name).exists():
        name = longer_id(earlier, f"{track} {next(numbers)}")
    return name


def _carried_files(
    results: BenchmarkResults, name: str, submission: Submission, tasks: Collection[str]
) -> dict[str, bytes]:
    """Return the files of carried results; records are copied from the source byte for byte."""
    files = {MANIFEST_FILE: toml(submission).encode()}
    for path in sorted((results.path / SUBMISSIONS_FOLDER / name).iterdir()):
        if ".jsonl" not in path.name:
            continue
        lines = []
        for _, line, record in parse_json_lines(unpacked(path, path.read_bytes())):
            if record.get("task") in tasks:
                lines.append(f"{line}\n")
        if lines or path.name == ROUNDS_FILE:
            content = "".join(lines).encode()
            files[path.name] = packed(content) if path.suffix == ".gz" else content
    files[CHECKSUMS] = checksums(files)
    return files


def describe_version(version: NewVersion, benchmark: str, results: Path) -> Iterator[str]:
    """Yield the lines that describe a new version."""
    track = version.track
    tasks = counted(len(version.tasks.tasks), "task")
    changed = f", {len(track.changed)} of them changed" if track.changed else ""
    attempts = ""
    if track.attempts != version.earlier.attempts:
        attempts = f", {counted(track.attempts, 'attempt')} per task"
    yield f"track {track.id} replaces {version.earlier.id}: {tasks}{changed}{attempts}"
    if not track.changed:
        yield (
            f"  assumed: no task changed since {version.earlier.id}; `--changed TASK` names a "
            "changed one, and `--tasks FILE` has the definitions of changed and new ones"
        )
    if track.changed:
        yield f"  changed: {listed(track.changed, _MAX_NAMED)}"
    yield f"  {version.earlier.id} is legacy: {version.earlier.reason}"
    for name in version.bundles:
        yield f"  {SUBMISSIONS_FOLDER}/{name} carried over"
    if version.bundles and track.changed:
        yield (
            "  once this is merged, teams run the changed tasks and add them with "
            f'`sitegen replace-rounds {benchmark}/{track.id}/SUBMISSION RUNS --reason "..."'
            f"{results_option(results)}`"
        )
