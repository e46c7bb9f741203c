"""Facts about two states of a benchmark's folder, from which changes and their owners follow."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sitegen.models.agents import AgentDirectory
from sitegen.reading.shape import Location
from sitegen.store.compare.authors import NOBODY, RequestAuthor
from sitegen.store.compare.matching import EarlierSubmission, Matches
from sitegen.store.files.layout import DEFINITION_FILE, MANIFEST_FILE, REPORTED_FOLDER
from sitegen.store.files.raw_documents import (
    RawTable,
    format_value,
    get_table,
    list_tables,
    list_texts,
    read_document,
)
from sitegen.store.readers.agents import agents_of

_UNSCORED_DEFINITION_KEYS = frozenset(
    {"title", "summary", "homepage", "paper", "license", "group", "issues"}
)
"""Keys of a definition that do not affect results."""


@dataclass(frozen=True)  # no slots: cached properties need a dict
class BenchmarkStates:
    """An earlier and a later state of a benchmark's folder; one of them may be missing.

    The later state cannot excuse itself: agents' names and published results are read from the
    earlier state.
    """

    before: Path
    after: Path
    matches: Matches
    author: RequestAuthor = NOBODY
    """The author of the request."""

    @cached_property
    def earlier_submissions(self) -> list[EarlierSubmission]:
        """The submissions of the earlier state."""
        return self.matches.earlier_in(self.before.name)

    @cached_property
    def new_folders(self) -> list[Path]:
        """The folders of the submissions that exist only in the later state."""
        return self.matches.new_in(self.after.name)

    @cached_property
    def new_names(self) -> list[str]:
        """The names of the submissions that exist only in the later state."""
        return [folder.name for folder in self.new_folders]

    @cached_property
    def is_new_benchmark(self) -> bool:
        """Whether the benchmark is new, with new submissions."""
        return bool(self.new_folders) and not self.before.exists()

    @cached_property
    def definition_before(self) -> RawTable | None:
        """The earlier definition; None if it is missing or can't be read."""
        return _read_if_present(self.before / DEFINITION_FILE)

    @cached_property
    def definition_after(self) -> RawTable | None:
        """The later definition; None if it is missing or can't be read."""
        return _read_if_present(self.after / DEFINITION_FILE)

    @cached_property
    def tracks_begun_by_request(self) -> frozenset[str]:
        """New tracks, and tracks without tasks and results, to which new submissions belong."""
        entered = {str(self.manifest(folder).get("track")) for folder in self.new_folders}
        tracks_before = {}
        for track in list_tables(self.definition_before, "tracks"):
            tracks_before[str(track.get("id"))] = track
        begun = set()
        for track_id in track_ids(self.definition_after):
            track_before = tracks_before.get(track_id)
            was_in_use = track_before is not None and (
                "tasks" in track_before or self._has_results(track_id)
            )
            if self.is_new_benchmark or (track_id in entered and not was_in_use):
                begun.add(track_id)
        return frozenset(begun)

    def _has_results(self, track: str) -> bool:
        """Return whether an earlier track has reported tables, or submissions of any status."""
        return any(result_track == track for result_track, _ in self._results_before)

    @cached_property
    def _results_before(self) -> list[tuple[str, str]]:
        """The track and the name of each submission and table row in the earlier state."""
        results = []
        for match in self.earlier_submissions:
            track = str(self.manifest(match.before).get("track"))
            results.append((track, match.name))
        for path in sorted((self.before / REPORTED_FOLDER).glob("*.toml")):
            table = read_document(path) or {}
            track = str(table.get("track"))
            for row in list_tables(table, "rows"):
                name = self.result_name(str(row.get("id")))
                results.append((track, name))
        return results

    @cached_property
    def all_results(self) -> frozenset[str]:
        """The names of all published results in the earlier state."""
        return frozenset(name for _, name in self._results_before)

    def results_on(self, tracks: Collection[str]) -> frozenset[str]:
        """Return the names of the published results on the given tracks."""
        return frozenset(name for track, name in self._results_before if track in tracks)

    def results_named(self, submissions: Collection[str]) -> frozenset[str]:
        """Return the names of the published results of the given submissions."""
        return frozenset(name for name in self.all_results if name.partition("/")[2] in submissions)

    def results_under(self, location: Location) -> frozenset[str]:
        """Return the names of the published results that a key of the definition may affect."""
        if location[-1] in _UNSCORED_DEFINITION_KEYS:
            return frozenset()
        if location[0] != "tracks" or len(location) == 1:
            return self.all_results
        ids = track_ids(self.definition_before)
        index = location[1]
        if isinstance(index, int) and index < len(ids):
            return self.results_on([ids[index]])
        return frozenset()

    def results_of_finding(self, finding: RawTable) -> frozenset[str]:
        """Return the names of the published results that a finding concerns."""
        tracks = list_texts(finding, "tracks")
        submissions = list_texts(finding, "submissions")
        results = self.results_on(tracks) if tracks else self.all_results
        if submissions:
            results &= self.results_named(submissions)
        return results

    def result_name(self, name: str) -> str:
        """Return the name of a published result, prefixed with its benchmark: `BENCHMARK/ID`."""
        return f"{self.before.name}/{name}"

    def agent(self, folder: Path) -> str:
        """Return the name of a submission's agent on one line, using the earlier aliases."""
        name = get_table(self.manifest(folder), "agent").get("name")
        if not name:
            return "an agent without a name"
        return format_value(self.agent_name(str(name)))

    def agent_name(self, spelling: str) -> str:
        """Return the canonical name of an agent, by the earlier aliases and `agents.toml`."""
        name = str(self._aliases_before.get(spelling, spelling))
        return self._agents_before.agent_name(name)

    def is_successor(self, published: Path, status: RawTable, new_folder: Path) -> bool:
        """Return whether a new submission may replace a published one.

        Both must state the same organization, the same submitter and the same agent, as the earlier
        state spells it. If the published submission is now superseded, the new submission must be
        its replacement.
        """
        if status.get("state") == "superseded" and status.get("by") != new_folder.name:
            return False
        return self._identity(published) == self._identity(new_folder)

    def _identity(self, folder: Path) -> tuple[object, ...]:
        """Return a submission's agent and submitter, both with their organizations."""
        manifest = self.manifest(folder)
        agent = get_table(manifest, "agent")
        submitter = get_table(manifest, "submitter")
        name = str(agent.get("name", ""))
        return (
            self.agent_name(name),
            agent.get("organization"),
            submitter.get("name"),
            submitter.get("organization"),
        )

    @cached_property
    def _agents_before(self) -> AgentDirectory:
        return agents_of(self.before.parent)

    @cached_property
    def _aliases_before(self) -> RawTable:
        return get_table(self.definition_before or {}, "aliases")

    def manifest(self, folder: Path) -> RawTable:
        """Return the manifest of a submission; empty if it can't be read."""
        if folder not in self._manifests:
            self._manifests[folder] = read_document(folder / MANIFEST_FILE) or {}
        return self._manifests[folder]

    @cached_property
    def _manifests(self) -> dict[Path, RawTable]:
        """The manifests read so far, by folder."""
        return {}


def track_ids(definition: RawTable | None) -> list[str]:
    """Return the ids of a definition's tracks, in order."""
    return [str(track.get("id")) for track in list_tables(definition, "tracks")]


def _read_if_present(path: Path) -> RawTable | None:
    return read_document(path) if path.exists() else None
