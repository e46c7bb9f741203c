"""Adding to a results folder what an importer or the simulator made."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sitegen.importers.kit.merge import merge
from sitegen.models.consistency import fraction_problems
from sitegen.models.incoming import Addition, Brought, Draft, Incoming
from sitegen.models.results import BenchmarkResults
from sitegen.pipeline.destination import benchmarks_in
from sitegen.pipeline.judging import collector_off
from sitegen.problems import Problem, ProblemsError, UsageError, errors_of
from sitegen.publish.arrival import arriving
from sitegen.publish.bundles import bundle_files, published
from sitegen.publish.definition import benchmark_files
from sitegen.store.folder import kind_of, read_benchmark_results
from sitegen.store.layout import ROUNDS, SUBMISSIONS


def bring_in(incoming: Incoming, into: Path, *, write: bool = True) -> Brought:
    """Add to a results folder what an importer or the simulator made: all of it, or nothing.

    Args:
        incoming: What was made.
        into: The results folder, made when absent.
        write: False to find out only what would be written.

    Raises:
        UsageError: The folder is no results folder.
        ProblemsError: What stands there contradicts the import, or can't be read; carries every error.
    """
    _require_results_folder(into)
    with collector_off():
        folder = into / incoming.benchmark.id
        standing = _standing(folder)
        addition, problems = merge(standing, incoming)
        unchanged, differing = published(addition.drafts, folder / SUBMISSIONS)
        if errors_of([*problems, *differing]):
            raise ProblemsError([*problems, *differing])
        created, changed = benchmark_files(addition, folder)
        new = [draft for draft in addition.drafts if draft.id not in unchanged]
        begun = tuple(_begun(folder, standing, addition))
        if write:
            _write(folder, created | changed, new)
    ids = tuple(draft.id for draft in new)
    warnings = (*incoming.problems, *problems, *_fractions(folder, new))
    return Brought(folder, ids, tuple(unchanged), tuple(created), tuple(changed), begun, warnings)


def _fractions(folder: Path, drafts: Sequence[Draft]) -> Iterator[Problem]:
    """Say of new bundles what checking them will say of their rewards: the source may have meant something by them."""
    for draft in drafts:
        path = folder / SUBMISSIONS / draft.id / ROUNDS
        yield from fraction_problems(path, enumerate(draft.rounds, start=1))


def _begun(folder: Path, standing: BenchmarkResults | None, addition: Addition) -> Iterator[str]:
    """Name what an import begins, beside others of its kind: a slip in a name does so, too."""
    tracks = [track.id for track in addition.benchmark.tracks]
    if standing is None:
        others = [name for name in benchmarks_in(folder.parent) if name != folder.name]
        named = f"track {tracks[0]}" if len(tracks) == 1 else f"tracks {', '.join(tracks)}"
        yield f"benchmark {folder.name}, with {named}{_beside(others)}"
        return
    known = [track.id for track in standing.benchmark.tracks]
    yield from (f"track {track}{_beside(known)}" for track in tracks if track not in known)


def _beside(others: Sequence[str]) -> str:
    return f", beside {', '.join(others)}" if others else ""


def _write(folder: Path, files: Mapping[str, bytes], drafts: Sequence[Draft]) -> None:
    """Write what is new of a benchmark, if anything is."""
    if not files and not drafts:
        return
    with arriving(folder.parent) as arrival:
        arrival.write(folder.name, files)
        for draft in drafts:
            arrival.write(f"{folder.name}/{SUBMISSIONS}/{draft.id}", bundle_files(draft))


def _require_results_folder(into: Path) -> None:
    if kind_of(into) in {"benchmark", "submissions", "bundle"} or (into.exists() and not into.is_dir()):
        raise UsageError(f"{into} is no results folder; name the folder that holds the benchmarks' folders")


def _standing(folder: Path) -> BenchmarkResults | None:
    """Read the benchmark that an import goes to; None where its folder is absent or empty.

    Raises:
        ProblemsError: Its definition, its task sets or its findings have errors.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return None
    results, problems = read_benchmark_results(folder)
    if results is None:
        raise ProblemsError(problems)
    places = {(folder, ".toml"), (folder / "tasks", ".jsonl")}  # what else lies there can't mislead an import
    broken = [each for each in errors_of(results.problems) if (each.path.parent, each.path.suffix) in places]
    if broken:
        raise ProblemsError(broken)
    return results
