"""Where in a results folder an import goes: to a track that is asked for by name, or that its tasks belong to."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.kit.options import ImportOptions, Standing
from sitegen.models.benchmark import Track
from sitegen.models.incoming import Incoming
from sitegen.models.task import Task, TaskSet
from sitegen.problems import UsageError
from sitegen.store.benchmarks import read_benchmark, read_task_sets
from sitegen.store.layout import DEFINITION


def benchmarks_in(results: Path) -> list[str]:
    """Name the benchmarks that stand in a results folder."""
    return sorted(path.parent.name for path in results.glob(f"*/{DEFINITION}"))


@dataclass(frozen=True, slots=True)
class Destination:
    """A benchmark that an import goes to, as far as it stands.

    Attributes:
        benchmark: Its id.
        tracks: Its tracks, by id; none where the import begins the benchmark, or it can't be read.
        sets: Its task sets, by name.
        asked: The track that the importing person names.
        new_track: Whether a track is to begin.
    """

    benchmark: str
    tracks: Mapping[str, Track]
    sets: Mapping[str, TaskSet]
    asked: str | None = None
    new_track: bool = False

    @classmethod
    def of(cls, folder: Path, asked: str | None = None, *, new_track: bool = False) -> "Destination":
        """Read what stands of a benchmark.

        Args:
            folder: Its folder, which need not be there.
            asked: The track that the importing person names.
            new_track: Whether a track is to begin.

        Raises:
            UsageError: The track is not there, and it is not said that it is to begin; or no track is named to begin.
        """
        definition, _ = read_benchmark(folder) if folder.is_dir() else (None, [])
        tracks = {track.id: track for track in definition.tracks} if definition else {}
        if new_track and asked is None:
            raise UsageError("--new-track begins the track that --track names, and none is named")
        if asked and tracks and asked not in tracks and not new_track:
            raise UsageError(f"{_none_of(folder.name, asked, tracks)}; name one of them, or begin it with --new-track")
        sets = read_task_sets(folder, definition)[0] if definition else {}
        return cls(folder.name, tracks, sets, asked, new_track)

    def read(self, options: ImportOptions, reading: Callable[[ImportOptions], Incoming]) -> Incoming:
        """Read an import for the track that it goes to.

        Args:
            options: How to read it; the track is the one that is asked for, or else the format's own. Where none is
                asked for and that one is not there, the tasks tell which it is, and the source is read once more.
            reading: Reads the source.

        Raises:
            UsageError: No track that stands is meant without doubt, or one would begin that nobody asked for.
        """
        incoming = reading(self._onto(options, options.track))
        if self.tracks and self.asked is None and options.track not in self.tracks:
            incoming = reading(self._onto(options, self._meant(incoming)))
        begun = [track.id for track in incoming.benchmark.tracks if track.id not in self.tracks]
        if self.new_track and not begun:
            raise UsageError(f"track {self.asked} of {self.benchmark} stands already: leave out --new-track")
        if self.tracks and begun and not self.new_track:
            what = f"{_none_of(self.benchmark, ', '.join(begun), self.tracks)}, and these results need it beside"
            raise UsageError(f"{what} {options.track}; begin it with --track {options.track} --new-track")
        return incoming

    def _onto(self, options: ImportOptions, track: str) -> ImportOptions:
        """Say which track results go to, and how it stands."""
        known = self.tracks.get(track)
        if known is None:
            return replace(options, track=track, standing=None)
        lengths = {name: len(task.rounds) for name, task in self._tasks_of(known).items()}
        return replace(options, track=track, standing=Standing(known.protocol, lengths))

    def _tasks_of(self, track: Track) -> Mapping[str, Task]:
        tasks = self.sets.get(track.tasks or "")
        return tasks.by_id() if tasks else {}

    def _meant(self, incoming: Incoming) -> str:
        """Find the one track that an import can join."""
        offered, tasks = incoming.benchmark.tracks[0], incoming.task_sets[0].by_id().keys()
        fitting = [track.id for track in self.tracks.values() if self._fits(track, offered, tasks)]
        if len(fitting) == 1:
            return fitting[0]
        found = f"{' and '.join(fitting)} have all tasks of these results" if fitting else "none has all their tasks"
        what = f"{_none_of(self.benchmark, offered.id, self.tracks)}; {found}, with protocol {offered.protocol}"
        raise UsageError(f"{what}: name one with --track, or begin one with --track NAME --new-track")

    def _fits(self, track: Track, offered: Track, tasks: AbstractSet[str]) -> bool:
        same = (track.protocol, track.reference_rounds) == (offered.protocol, offered.reference_rounds)
        return same and track.status != "withdrawn" and tasks <= self._tasks_of(track).keys()


def _none_of(benchmark: str, name: str, tracks: Mapping[str, Track]) -> str:
    return f"{benchmark} has no track {name}; it has: {', '.join(tracks)}"
