"""Imports: which track of a benchmark one goes to, and adding what an importer or the simulator made to a folder."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path

from sitegen.importers.formats import FORMATS, format_of, recognised
from sitegen.importers.kit.merge import merge
from sitegen.importers.kit.options import SHARED_OPTIONS, ImportOptions, Standing
from sitegen.metrics.catalogue import metrics_of
from sitegen.models.addresses import AddressError, parse_places
from sitegen.models.benchmark import Track
from sitegen.models.consistency import fraction_problems
from sitegen.models.incoming import Addition, Brought, Incoming
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import Task, TaskSet
from sitegen.pipeline.correcting import replaced_rows
from sitegen.pipeline.judging import collector_off
from sitegen.problems import Problem, ProblemsError, UsageError, errors_of
from sitegen.publish.benchmarks import benchmark_files, bundle_files, published, restated
from sitegen.publish.transaction import snapshot_of, transaction
from sitegen.reading.files import unpacked
from sitegen.reading.privacy import secret_problems
from sitegen.store.benchmarks import read_benchmark, read_task_sets
from sitegen.store.folder import kind_of, read_benchmark_results
from sitegen.store.layout import DEFINITION, REPORTED, ROUNDS, SUBMISSIONS


def benchmarks_in(results: Path) -> list[str]:
    """Name the benchmarks that stand in a results folder."""
    return sorted(path.parent.name for path in results.glob(f"*/{DEFINITION}"))


@dataclass(frozen=True, slots=True)
class Destination:
    """A benchmark that an import goes to, as far as it stands, with the track there."""

    benchmark: str
    tracks: Mapping[str, Track]
    """By id; none where the import begins the benchmark, or it can't be read."""
    sets: Mapping[str, TaskSet]
    instructions: bool | None = None
    """Whether its tasks' licence lets their requests be shown; None where the import begins the benchmark."""
    asked: str | None = None
    """The track that the importing person names."""
    new_track: bool = False
    metrics: Collection[str] = ()
    """The metrics that a claim may name."""
    fresh_track: str | None = None
    """The benchmark's only track, if it has neither results nor tasks: any import may begin it."""
    modes: Collection[str] = ()
    """Ways to fail that the benchmark declares."""

    @classmethod
    def of(
        cls, folder: Path, asked: str | None = None, *, new_track: bool = False
    ) -> "Destination":
        """Read what stands of a benchmark.

        Raises:
            UsageError: The track is not there, and it is not said that it is to begin; or no track is named to begin.
        """
        definition, _ = read_benchmark(folder) if folder.is_dir() else (None, [])
        tracks = {track.id: track for track in definition.tracks} if definition else {}
        if new_track and asked is None:
            raise UsageError("--new-track begins the track that --track names, and none is named")
        if asked and tracks and asked not in tracks and not new_track:
            raise UsageError(
                f"{_none_of(folder.name, asked, tracks)}; name one of them, or begin it with --new-track"
            )
        sets = read_task_sets(folder, definition)[0] if definition else {}
        instructions = definition.instructions if definition else None
        fresh_track = None
        if len(tracks) == 1 and not sets and not any((folder / REPORTED).glob("*.toml")):
            (fresh_track,) = tracks
        modes = definition.modes if definition else ()
        metrics = metrics_of(definition)
        return cls(
            folder.name, tracks, sets, instructions, asked, new_track, metrics, fresh_track, modes
        )

    def read(
        self, options: ImportOptions, reading: Callable[[ImportOptions], Incoming]
    ) -> Incoming:
        """Read an import for the track that it goes to.

        Args:
            options: How to read it; the track is the one that is asked for, or else the format's own. Where none is
                asked for and that one is not there, the tasks tell which it is, and the source is read once more.
            reading: Reads the source.

        Raises:
            UsageError: No track that stands is meant without doubt, or one would begin that nobody asked for;
                one place is named of several agents' transcripts.
        """
        if self.instructions is not None:
            options = replace(options, instructions=self.instructions)
        incoming = reading(self._onto(options, options.track))
        if self.tracks and self.asked is None and options.track not in self.tracks:
            incoming = reading(self._onto(options, self._meant(incoming)))
        begun = [track.id for track in incoming.benchmark.tracks if track.id not in self.tracks]
        if self.new_track and not begun:
            raise UsageError(
                f"track {self.asked} of {self.benchmark} stands already: leave out --new-track"
            )
        if self.tracks and begun and not self.new_track:
            what = f"{_none_of(self.benchmark, ', '.join(begun), self.tracks)}, and these results need it beside"
            raise UsageError(
                f"{what} {options.track}; begin it with --track {options.track} --new-track"
            )
        if options.trajectories and len(incoming.drafts) > 1:
            raise UsageError(
                "--trajectories names one agent's transcripts, and there are several: choose with --model"
            )
        if options.trajectories:
            _require_places(options.trajectories)
            (draft,) = incoming.drafts
            incoming = replace(incoming, drafts=(draft.with_trajectories(options.trajectories),))
        return incoming

    def _onto(self, options: ImportOptions, track: str) -> ImportOptions:
        """Say which track results go to, and how it stands."""
        known = self.tracks.get(track)
        if known is None:
            return replace(options, track=track, standing=None, known_metrics=self.metrics)
        tasks = self._tasks_of(known)
        lengths = {name: len(task.rounds) for name, task in tasks.items()}
        titles = {task.name: name for name, task in tasks.items()}
        standing = Standing(known.protocol, lengths, titles, self.modes)
        return replace(options, track=track, standing=standing, known_metrics=self.metrics)

    def _tasks_of(self, track: Track) -> Mapping[str, Task]:
        tasks = self.sets.get(track.tasks or "")
        return tasks.by_id() if tasks else {}

    def _meant(self, incoming: Incoming) -> str:
        """Find the one track that an import can join."""
        offered, tasks = incoming.benchmark.tracks[0], incoming.task_sets[0].by_id().keys()
        fitting = [
            track.id
            for track in self.tracks.values()
            if (track.protocol, track.reference_rounds)
            == (offered.protocol, offered.reference_rounds)
            and track.status != "withdrawn"
            and tasks <= self._tasks_of(track).keys()
        ]
        if len(fitting) == 1:
            return fitting[0]
        if self.fresh_track:
            return self.fresh_track
        found = (
            f"{' and '.join(fitting)} have all tasks of these results"
            if fitting
            else "none has all their tasks"
        )
        what = f"{_none_of(self.benchmark, offered.id, self.tracks)}; {found}, with protocol {offered.protocol}"
        raise UsageError(
            f"{what}: name one with --track, or begin one with --track NAME --new-track"
        )


@dataclass(frozen=True, slots=True)
class Runs:
    """A folder or file of runs, with the foreign format that it is of."""

    path: Path
    form: str
    reason: str
    """How that is known, for whoever named it."""

    @classmethod
    def of(cls, path: Path, form: str | None = None) -> "Runs":
        """Recognise the format, unless it is named.

        Raises:
            UsageError: There is nothing, or nothing that is known.
        """
        if not path.exists():
            raise UsageError(
                f"{path} does not exist; name the folder or file that the runner wrote"
            )
        if form:
            return cls(path, form, "you say so")
        found = recognised(path)
        if not found:
            names = ", ".join(FORMATS)
            folder = f"; of most formats, name the folder, {path.parent}" if path.is_file() else ""
            raise UsageError(
                f"{path} looks like the runs of no format that is known; name it with --format: {names}{folder}"
            )
        others = ", ".join(each.form for each in found[1:])
        more = f"; --format reads it as {others}" if others else ""
        return cls(path, found[0].form, f"it has {found[0].reason}{more}")

    def read(
        self, destination: Destination, options: ImportOptions, own: Mapping[str, object]
    ) -> Incoming:
        """Read them for the track that they go to; raises what `Destination.read` and their importer do.

        Raises:
            UsageError: The format has no such option.
        """
        known_format = format_of(self.form)
        given = {name: value for name, value in own.items() if value}
        shared = [name for name in SHARED_OPTIONS if getattr(options, name) is not None]
        foreign = [
            f"--{name}" for name in sorted((*shared, *given)) if name not in known_format.extras
        ]
        if foreign:
            raise UsageError(f"{', '.join(foreign)} can't be used with {self.form}")
        return destination.read(
            options, lambda placed: known_format.read(self.path, placed, **given)
        )


def _none_of(benchmark: str, name: str, tracks: Mapping[str, Track]) -> str:
    return f"{benchmark} has no track {name}; it has: {', '.join(tracks)}"


def bring_in(
    incoming: Incoming, into: Path, *, write: bool = True, supersedes: Date | None = None
) -> Brought:
    """Add to a results folder what an importer or the simulator made: all of it, or nothing.

    Args:
        incoming: What was made.
        into: The results folder, made when absent.
        write: False to find out only what would be written.
        supersedes: The day from which earlier submissions of the same agents no longer stand; None where they do.

    Raises:
        UsageError: The folder is no results folder, or another command changed a file meanwhile.
        ProblemsError: What stands there contradicts the import, or can't be read; carries every error.
    """
    if kind_of(into) in {"benchmark", "submissions", "bundle"} or (
        into.exists() and not into.is_dir()
    ):
        raise UsageError(
            f"{into} is no results folder; name the folder that holds the benchmarks' folders"
        )
    folder = into / incoming.benchmark.id
    since = snapshot_of(folder)
    with collector_off():
        standing = _standing(folder)
        addition, problems = merge(standing, incoming)
        unchanged, differing = published(addition.drafts, folder / SUBMISSIONS)
        if errors_of([*problems, *differing]):
            raise ProblemsError([*problems, *differing])
        created, changed = benchmark_files(addition, folder)
        new = [draft for draft in addition.drafts if draft.id not in unchanged]
        begun = tuple(_begun(folder, standing, addition))
        replaced = (
            list(replaced_rows(standing, addition.drafts, supersedes))
            if standing and supersedes
            else []
        )
        if write and (created or changed or new or replaced):
            with transaction(into, since) as changes:
                _refuse_secrets(folder, created | changed)
                changes.write(folder.name, created | changed)
                for old, status in replaced:
                    changes.write(
                        f"{folder.name}/{SUBMISSIONS}/{old.id}", restated(old.path, status)
                    )
                for draft in new:
                    files = bundle_files(draft)
                    _refuse_secrets(folder / SUBMISSIONS / draft.id, files)
                    changes.write(f"{folder.name}/{SUBMISSIONS}/{draft.id}", files)
    warnings = [*incoming.problems, *problems]
    for (
        draft
    ) in new:  # as checking will say of their rewards: the source may have meant something by them
        path = folder / SUBMISSIONS / draft.id / ROUNDS
        warnings += fraction_problems(path, enumerate(draft.rounds, start=1))
    ids = tuple(draft.id for draft in new)
    over = tuple((old.id, str(status.by)) for old, status in replaced)
    return Brought(
        folder, ids, tuple(unchanged), tuple(created), tuple(changed), begun, tuple(warnings), over
    )


def _require_places(places: str) -> None:
    try:
        parse_places(places)
    except AddressError as error:
        raise UsageError(f"--trajectories is {places}, an address that {error}") from None


def _refuse_secrets(folder: Path, files: Mapping[str, bytes]) -> None:
    """Raise a ProblemsError where a file that an import would write holds a secret.

    Importers take secrets out of texts; this holds where one leaves a text as it is.
    """
    problems: list[Problem] = []
    for name, data in files.items():
        path = folder / name
        problems += secret_problems(path, unpacked(path, data))
    if problems:
        raise ProblemsError(problems)


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
    places = {
        (folder, ".toml"),
        (folder / "tasks", ".jsonl"),
    }  # what else lies there can't mislead an import
    broken = [
        each
        for each in errors_of(results.problems)
        if (each.path.parent, each.path.suffix) in places
    ]
    if broken:
        raise ProblemsError(broken)
    return results


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
