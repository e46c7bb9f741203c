"""The source that an import reads, and the benchmark and track that it adds results to."""

import csv
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sitegen.importers.formats import (
    FORMATS,
    benchmark_facts,
    load_format,
    recognise_formats,
    unusable_formats,
)
from sitegen.importers.kit.options import SHARED_OPTIONS, ExistingTrack, ImportOptions
from sitegen.importers.kit.rules import AGENT_UNKNOWN
from sitegen.metrics.catalogue import benchmark_metrics
from sitegen.models.addresses import AddressError, parse_places
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.incoming import Incoming
from sitegen.models.task import Task, TaskSet
from sitegen.problems import ProblemsError, UsageError, errors_of, listed
from sitegen.reading.lines import LONGEST
from sitegen.store.files.layout import DEFINITION_FILE, REPORTED_FOLDER
from sitegen.store.readers.benchmarks import definition_errors, read_benchmark, read_task_sets


@dataclass(frozen=True, slots=True)
class Destination:
    """The benchmark that an import adds results to, and the requested track."""

    benchmark: str
    """The id of the benchmark."""
    tracks: Mapping[str, Track]
    """The benchmark's tracks by id; empty if the benchmark is new or can't be read."""
    task_sets: Mapping[str, TaskSet]
    instructions: bool | None = None
    """Whether the licence of the tasks allows publishing their texts; None for a new benchmark."""
    requested_track: str | None = None
    new_track: bool = False
    """Whether the import should start the requested track."""
    metrics: Collection[str] = ()
    """The metrics for which claims may be made."""
    fresh_track: str | None = None
    """The only track of a benchmark without results and tasks, which any import may start."""
    modes: Collection[str] = ()
    """The failure modes that the benchmark declares."""
    axes: Collection[str] = ()
    """The names of the benchmark's axes."""

    @classmethod
    def of(
        cls, folder: Path, requested_track: str | None = None, *, new_track: bool = False
    ) -> "Destination":
        """Return the destination for a benchmark's folder, which may be absent.

        Raises:
            UsageError: The requested track does not exist and is not to be started, or the track to
                start has no name.
            ProblemsError: The benchmark's definition has errors.
        """
        if new_track and requested_track is None:
            raise UsageError("--new-track needs --track, the name of the new track")
        definition = None
        if folder.is_dir():
            reading = read_benchmark(folder)
            definition = reading.record
            errors = definition_errors(folder, reading.problems)
            if errors and (folder / DEFINITION_FILE).exists():
                raise ProblemsError(errors)
        if definition is None:
            return cls(
                folder.name,
                {},
                {},
                requested_track=requested_track,
                new_track=new_track,
                metrics=benchmark_metrics(None),
            )
        tracks = {track.id: track for track in definition.tracks}
        if requested_track and requested_track not in tracks and not new_track:
            no_track = _no_track_text(folder.name, requested_track, tracks)
            choice = "that one" if len(tracks) == 1 else "one of them"
            raise UsageError(
                f"{no_track}; name {choice}, or start {requested_track} with --new-track"
            )
        task_sets = read_task_sets(folder, definition).record
        fresh_track = _fresh_track(folder, definition, task_sets)
        return cls(
            folder.name,
            tracks,
            task_sets,
            instructions=definition.instructions,
            requested_track=requested_track,
            new_track=new_track,
            metrics=benchmark_metrics(definition),
            fresh_track=fresh_track,
            modes=definition.modes,
            axes=definition.axes.keys(),
        )

    def read(
        self, options: ImportOptions, reading: Callable[[ImportOptions], Incoming]
    ) -> Incoming:
        """Read an import for the track that its results belong to.

        Args:
            options: The options for reading. The track is the requested one or the format's
                default. If that track does not exist, the tasks determine the track, and the source
                is read again.
            reading: Reads the source.

        Raises:
            UsageError: Not exactly one existing track fits; a track would be started although it
                was not requested; or a single address is given for the transcripts of several
                agents.
        """
        options = replace(options, facts=benchmark_facts(self.benchmark), axes=self.axes)
        if self.instructions is not None:
            options = replace(options, instructions=self.instructions)
        incoming = reading(self._for_track(options, options.track))
        if self.tracks and self.requested_track is None and options.track not in self.tracks:
            incoming = reading(self._for_track(options, self._fitting_track(incoming)))
        self._require_expected_tracks(incoming, options.track)
        if options.trajectories:
            incoming = _with_trajectories(incoming, options.trajectories)
        return incoming

    def _require_expected_tracks(self, incoming: Incoming, track: str) -> None:
        """Raise a UsageError unless new tracks are requested and requested ones are new."""
        new_tracks = []
        for incoming_track in incoming.benchmark.tracks:
            if incoming_track.id not in self.tracks:
                new_tracks.append(incoming_track.id)
        if self.new_track and not new_tracks:
            raise UsageError(
                f"track {self.requested_track} of {self.benchmark} already exists; leave "
                "out --new-track"
            )
        if self.tracks and new_tracks and not self.new_track:
            no_track = _no_track_text(self.benchmark, ", ".join(new_tracks), self.tracks)
            raise UsageError(
                f"{no_track}, but these results need it in addition to {track}; start it "
                "with --track "
                f"{track} --new-track"
            )

    def _for_track(self, options: ImportOptions, track_id: str) -> ImportOptions:
        """Return the options for reading an import for a track."""
        track = self.tracks.get(track_id)
        if track is None:
            return replace(options, track=track_id, existing_track=None, known_metrics=self.metrics)
        lengths = {}
        titles = {}
        labels = {}
        for task_id, task in self._tasks_of(track).items():
            lengths[task_id] = len(task.rounds)
            labels[task_id] = task.labels
            titles[task.name] = task_id
        existing = ExistingTrack(track.protocol, lengths, titles, self.modes, labels)
        return replace(options, track=track_id, existing_track=existing, known_metrics=self.metrics)

    def _tasks_of(self, track: Track) -> Mapping[str, Task]:
        task_set = self.task_sets.get(track.tasks or "")
        if task_set is None:
            return {}
        return task_set.by_id()

    def _fitting_track(self, incoming: Incoming) -> str:
        """Return the only track with an import's protocol and all its tasks, or the fresh track.

        Raises:
            UsageError: No track fits, or several tracks fit.
        """
        offered = incoming.benchmark.tracks[0]
        tasks = incoming.task_sets[0].by_id().keys()
        fitting = []
        for track in self.tracks.values():
            is_alike = _is_alike(track, offered) and track.status != "withdrawn"
            if is_alike and tasks <= self._tasks_of(track).keys():
                fitting.append(track.id)
        if len(fitting) == 1:
            return fitting[0]
        if self.fresh_track:
            return self.fresh_track
        no_track = _no_track_text(self.benchmark, offered.id, self.tracks)
        if fitting:
            candidates = f"{' and '.join(fitting)} have all tasks of these results"
        else:
            candidates = "none has all their tasks"
        raise UsageError(
            f"{no_track}; {candidates}, with protocol {offered.protocol}: name a track with "
            "--track, or start one with --track NAME --new-track"
        )


def _fresh_track(
    folder: Path, definition: Benchmark, task_sets: Mapping[str, TaskSet]
) -> str | None:
    """Return a benchmark's only track if the benchmark has neither tasks nor reported tables."""
    has_tables = any((folder / REPORTED_FOLDER).glob("*.toml"))
    if task_sets or has_tables or len(definition.tracks) > 1:
        return None
    return definition.tracks[0].id


def _is_alike(track: Track, offered: Track) -> bool:
    """Return whether two tracks have the same protocol and the same kind of reference rounds."""
    has_same_protocol = track.protocol == offered.protocol
    return has_same_protocol and track.reference_rounds == offered.reference_rounds


def _with_trajectories(incoming: Incoming, pattern: str) -> Incoming:
    """Return an import of one agent with the address of its transcripts in the provenance.

    Raises:
        UsageError: There are several agents, or the pattern is not an address.
    """
    if len(incoming.drafts) > 1:
        raise UsageError(
            "--trajectories names the transcripts of one agent, but the runs are of "
            "several; choose "
            "one with --model"
        )
    try:
        parse_places(pattern)
    except AddressError as error:
        raise UsageError(f"the address of --trajectories, {pattern}, {error}") from None
    (draft,) = incoming.drafts
    return replace(incoming, drafts=(draft.with_trajectories(pattern),))


def _unknown_format_text(path: Path) -> str:
    """Return the error message for runs whose format is not recognised."""
    message = f"{path} is not in a format that Recount recognises. "
    columns = _columns_of(path)
    if columns:
        message += (
            f"As a table it lacks `task` or `reward`; its columns are {listed(columns)}. "
            "Name the columns with `--format table --column task=NAME --column reward=NAME`, "
            "or name another format with `--format`"
        )
    else:
        message += "Name the format with `--format`"
        if path.is_file():
            message += f", or the folder that the runner wrote, such as {path.parent.absolute()}"
    message += f". The formats are {', '.join(FORMATS)}"
    unusable = unusable_formats()
    return f"{message}; {unusable}" if unusable else message


def _columns_of(path: Path) -> list[str]:
    """Return the column names of a CSV, TSV or JSON Lines file; empty for other files."""
    separators = {".csv": ",", ".tsv": "\t"}
    if not path.is_file() or path.suffix not in {*separators, ".jsonl"}:
        return []
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        if path.suffix in separators:
            return next(csv.reader(file, delimiter=separators[path.suffix]), [])
        first_line = file.readline(LONGEST)
    try:
        record = json.loads(first_line)
    except (ValueError, RecursionError):
        return []
    return list(record) if isinstance(record, dict) else []


def _no_track_text(benchmark: str, track: str, tracks: Collection[str]) -> str:
    existing = "its only track is" if len(tracks) == 1 else "its tracks are"
    return f"{benchmark} has no track {track}; {existing} {', '.join(tracks)}"


@dataclass(frozen=True, slots=True)
class Runs:
    """A folder or file of runs, and its format."""

    path: Path
    form: str
    """The name of the format."""
    reason: str
    """The reason for choosing the format, as part of a sentence for the user."""

    @classmethod
    def of(cls, path: Path, form: str | None = None) -> "Runs":
        """Return runs with the given format, or else with the recognised format.

        Raises:
            UsageError: The path does not exist, or its format is not recognised.
        """
        if not path.exists():
            raise UsageError(
                f"{path} does not exist; pass the folder or file that the runner wrote"
            )
        if form:
            return cls(path, form, "as --format says")
        formats = recognise_formats(path)
        if not formats:
            raise UsageError(_unknown_format_text(path))
        reason = f"because it has {formats[0].reason}"
        alternatives = [alternative.form for alternative in formats[1:]]
        if alternatives:
            reason += f"; --format can read it as {', '.join(alternatives)}"
        return cls(path, formats[0].form, reason)

    def read(
        self,
        destination: Destination,
        options: ImportOptions,
        format_options: Mapping[str, object],
    ) -> Incoming:
        """Read the runs for the track that they belong to.

        Args:
            destination: The benchmark and track to read them for.
            options: The options that all formats have.
            format_options: The options that only some formats have, by name; options with empty
                values are ignored.

        Raises:
            UsageError: The format lacks an option, or `Destination.read` raises this error.
            ProblemsError: The importer of the format reports errors.
        """
        source_format = load_format(self.form)
        format_values = {name: value for name, value in format_options.items() if value}
        shared_names = [name for name in SHARED_OPTIONS if getattr(options, name) is not None]
        option_names = sorted((*shared_names, *format_values))
        require_format_options(self.form, option_names)
        read_source = partial(source_format.read, self.path, **format_values)
        return destination.read(options, read_source)

    def read_of_agent(
        self,
        destination: Destination,
        options: ImportOptions,
        format_options: Mapping[str, object],
        agent: str,
    ) -> Incoming:
        """Read the runs of an agent; the runs need not name it.

        Runs that name another agent keep that name.

        Args:
            destination: The benchmark and track to read them for.
            options: The options that all formats have.
            format_options: The options that only some formats have, by name; options with empty
                values are ignored.
            agent: The name of the agent.

        Raises:
            UsageError: As in `read`.
            ProblemsError: The importer of the format reports errors.
        """
        try:
            return self.read(destination, options, format_options)
        except ProblemsError as error:
            codes = {problem.code for problem in errors_of(error.problems)}
            if options.agent or codes != {AGENT_UNKNOWN.code}:
                raise
        return self.read(destination, replace(options, agent=agent), format_options)


def require_format_options(form: str, names: Iterable[str]) -> None:
    """Raise a UsageError if a format lacks one of the given format-specific options."""
    supported = load_format(form).extras
    unsupported = []
    for name in names:
        if name not in supported:
            option = name.replace("_", "-")
            unsupported.append(f"--{option}")
    if unsupported:
        raise UsageError(f"{', '.join(unsupported)} can't be used with {form}")
