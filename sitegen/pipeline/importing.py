"""Add the output of an importer or of the simulator to a results folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sitegen.importers.kit.merge import merge
from sitegen.models.consistency import fraction_problems
from sitegen.models.incoming import Addition, Brought, Draft, Incoming
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Status
from sitegen.pipeline.addressing import benchmarks_in
from sitegen.pipeline.correcting import replaced_submissions
from sitegen.pipeline.evaluating import collector_off
from sitegen.problems import Problem, ProblemsError, UsageError, agreeing, errors_of
from sitegen.publish.machine.transaction import Snapshot, snapshot_of, transaction
from sitegen.publish.results.benchmarks import (
    benchmark_files,
    bundle_files,
    compare_with_published,
    files_changed_by_status,
)
from sitegen.reading.files import unpacked
from sitegen.reading.privacy import secret_problems
from sitegen.store.files.layout import ROUNDS_FILE, SUBMISSIONS_FOLDER
from sitegen.store.readers.folder import path_kind, read_benchmark_results


@dataclass(frozen=True, slots=True)
class _ImportPlan:
    """The changes that an import makes to a benchmark's folder."""

    folder: Path
    created: Mapping[str, bytes]
    """The contents of new files outside the bundles, by name."""
    changed: Mapping[str, bytes]
    """The contents of changed files outside the bundles, by name."""
    new_bundles: Sequence[Draft]
    replaced: Sequence[tuple[Bundle, Status]]
    """The published submissions that are superseded, each with its new status."""

    @property
    def is_empty(self) -> bool:
        return not (self.created or self.changed or self.new_bundles or self.replaced)


def apply_import(
    incoming: Incoming, into: Path, *, write: bool = True, supersedes: date | None = None
) -> Brought:
    """Add the output of an importer or the simulator to a results folder, completely or not at all.

    Args:
        incoming: The output to add.
        into: The results folder, created if absent.
        write: False to return what would be written, without writing it.
        supersedes: The day on which earlier submissions of the same agents become superseded; None
            to leave them published.

    Raises:
        UsageError: The folder is not a results folder, or another command changed a file in the
            meantime.
        ProblemsError: The results contradict the import or can't be read. The error lists all
            problems.
    """
    _require_results_folder(into)
    folder = into / incoming.benchmark.id
    since = snapshot_of(folder)
    with collector_off():
        existing = _read_existing(folder)
        addition, problems = merge(existing, incoming)
        unchanged, contradictions = compare_with_published(
            addition.drafts, folder / SUBMISSIONS_FOLDER
        )
        if errors_of([*problems, *contradictions]):
            raise ProblemsError([*problems, *contradictions])
        created, changed = benchmark_files(addition, folder)
        new_bundles = [draft for draft in addition.drafts if draft.id not in unchanged]
        begun = _describe_begun(folder, existing, addition)
        replaced: list[tuple[Bundle, Status]] = []
        if existing and supersedes:
            replaced += replaced_submissions(existing, addition.drafts, supersedes)
        plan = _ImportPlan(folder, created, changed, new_bundles, replaced)
        if write and not plan.is_empty:
            _write_import(plan, into, since)
    warnings = [*incoming.problems, *problems]
    for draft in new_bundles:
        # Validation gives the same warnings, but users should learn of misread rewards at once.
        rounds_path = folder / SUBMISSIONS_FOLDER / draft.id / ROUNDS_FILE
        warnings += fraction_problems(rounds_path, enumerate(draft.rounds, start=1))
    new_ids = [draft.id for draft in new_bundles]
    superseded = [(bundle.id, str(status.by)) for bundle, status in replaced]
    return Brought(
        folder,
        new=tuple(new_ids),
        unchanged=tuple(unchanged),
        created=tuple(created),
        changed=tuple(changed),
        begun=tuple(begun),
        problems=tuple(warnings),
        superseded=tuple(superseded),
    )


def _write_import(plan: _ImportPlan, into: Path, since: Snapshot) -> None:
    """Write the planned files to a results folder.

    Raises:
        ProblemsError: A file would contain a secret.
    """
    benchmark = plan.folder.name
    benchmark_changes = {**plan.created, **plan.changed}
    with transaction(into, since) as changes:
        _require_no_secrets(plan.folder, benchmark_changes)
        changes.write(benchmark, benchmark_changes)
        for bundle, status in plan.replaced:
            files = files_changed_by_status(bundle.path, status)
            changes.write(f"{benchmark}/{SUBMISSIONS_FOLDER}/{bundle.id}", files)
        for draft in plan.new_bundles:
            files = bundle_files(draft)
            _require_no_secrets(plan.folder / SUBMISSIONS_FOLDER / draft.id, files)
            changes.write(f"{benchmark}/{SUBMISSIONS_FOLDER}/{draft.id}", files)


def _require_results_folder(folder: Path) -> None:
    """Raise a UsageError if a path is a file, or a folder inside a results folder."""
    is_inside_results = path_kind(folder) in {"benchmark", "submissions", "bundle"}
    if is_inside_results or (folder.exists() and not folder.is_dir()):
        raise UsageError(
            f"{folder} is not a results folder; name the folder that has the benchmarks' folders"
        )


def _require_no_secrets(folder: Path, files: Mapping[str, bytes]) -> None:
    """Raise a ProblemsError if a file to be written contains a secret.

    Importers remove secrets from texts; this check finds secrets in content that they copy
    unchanged.
    """
    problems: list[Problem] = []
    for name, content in files.items():
        path = folder / name
        problems += secret_problems(path, unpacked(path, content))
    if problems:
        raise ProblemsError(problems)


def _read_existing(folder: Path) -> BenchmarkResults | None:
    """Return the benchmark that an import adds to; None if its folder is absent or empty.

    Raises:
        ProblemsError: The definition, the task sets or the findings have errors.
    """
    is_empty = folder.is_dir() and not any(folder.iterdir())
    if is_empty or not folder.exists():
        return None
    reading = read_benchmark_results(folder)
    results = reading.record
    if results is None:
        raise ProblemsError(reading.problems)
    # Errors in other files do not affect an import.
    relevant_files = {(folder, ".toml"), (folder / "tasks", ".jsonl")}
    errors = []
    for error in errors_of(results.problems):
        if (error.path.parent, error.path.suffix) in relevant_files:
            errors.append(error)
    if errors:
        raise ProblemsError(errors)
    return results


def _describe_begun(
    folder: Path, existing: BenchmarkResults | None, addition: Addition
) -> list[str]:
    """Return a description of each benchmark or track that an import starts.

    A misspelt id also starts a benchmark or track, so the existing ones are named too.
    """
    tracks = [track.id for track in addition.benchmark.tracks]
    if existing is None:
        other_benchmarks = [name for name in benchmarks_in(folder.parent) if name != folder.name]
        noun = agreeing(len(tracks), "track", "tracks")
        existing_text = _beside_text(other_benchmarks)
        return [f"benchmark {folder.name}, with {noun} {', '.join(tracks)}{existing_text}"]
    existing_tracks = [track.id for track in existing.benchmark.tracks]
    existing_text = _beside_text(existing_tracks)
    return [f"track {track}{existing_text}" for track in tracks if track not in existing_tracks]


def _beside_text(names: Sequence[str]) -> str:
    if not names:
        return ""
    return f", beside {', '.join(names)}"
