"""Find the differences between two states of a benchmark's definition, key by key.

Read `definition_changes` first. Keys of a track that a new submission begins belong to the
submission's request; every other key is a change of the definition.
"""

from collections.abc import Iterator, Sequence

from sitegen.board.history.differences import differing, dotted, leaves
from sitegen.metrics.catalogue import METRICS
from sitegen.reading.shape import Location
from sitegen.reading.toml import Places
from sitegen.store.compare.benchmark_states import BenchmarkStates, track_ids
from sitegen.store.compare.ownership import Change, ChangeKind
from sitegen.store.files.layout import DEFINITION_FILE
from sitegen.store.files.raw_documents import (
    RawTable,
    format_change,
    format_value,
    get_table,
    list_tables,
    list_texts,
    read_places,
)

_BEGUN_KEYS = ("protocol", "attempts", "reference_rounds", "tasks", "headline", "columns")
"""Keys that the first submission to a track without a task set may set."""

_ADDRESS_KEYS = frozenset({"renamed", "redirects"})
"""Keys of a definition that redirect addresses of the site."""


def definition_changes(states: BenchmarkStates) -> Iterator[Change]:
    """Yield the changes of the keys that differ in a benchmark's definition."""
    path = states.after / DEFINITION_FILE
    before = states.definition_before
    after = states.definition_after
    is_new = before is None and states.is_new_benchmark
    if is_new:
        description = f"the benchmark {states.after.name} is new"
        yield Change(ChangeKind.NEW_TRACK, path, description)
    if after is None or (before is None and not is_new):
        yield _unreadable_definition(states)
        return
    key_places = read_places(path)
    if before is not None:
        yield from _begun_track_changes(states, after, key_places)
    # A new benchmark owns all its keys except addresses, since they redirect other pages.
    definition_before = before or _without_addresses(after)
    later_without_begun = after
    if before is not None:
        later_without_begun = _without_begun_parts(states, before, after)
    foreign_changes = list(
        _foreign_changes(states, definition_before, later_without_begun, key_places)
    )
    yield from foreign_changes
    if not foreign_changes and before == after:
        description = f"comments of {DEFINITION_FILE} differ"
        yield Change(ChangeKind.DEFINITION, path, description)


def _unreadable_definition(states: BenchmarkStates) -> Change:
    """Return the change of a definition that is missing, unreadable, or new without submissions."""
    path = states.after / DEFINITION_FILE
    if not path.exists():
        event = "was removed"
    elif states.definition_before is None:
        event = "is new"
    else:
        event = "can't be read"
    return Change(
        ChangeKind.DEFINITION, path, f"{DEFINITION_FILE} {event}", touches=states.all_results
    )


def _begun_track_changes(
    states: BenchmarkStates, after: RawTable, key_places: Places
) -> Iterator[Change]:
    path = states.after / DEFINITION_FILE
    ids = track_ids(after)
    for track in sorted(states.tracks_begun_by_request):
        line = key_places.line_of(("tracks", ids.index(track)))
        description = f"the track {format_value(track)} begins"
        yield Change(ChangeKind.NEW_TRACK, path, description, line)


def _foreign_changes(
    states: BenchmarkStates,
    definition_before: RawTable,
    later_without_begun: RawTable,
    key_places: Places,
) -> Iterator[Change]:
    """Yield the changes between two definitions: tracks added at the end, then other keys."""
    path = states.after / DEFINITION_FILE
    ids_before = set(track_ids(definition_before))
    tracks = list_tables(later_without_begun, "tracks")
    track_count = len(tracks)
    while len(tracks) > len(ids_before) and str(tracks[-1].get("id")) not in ids_before:
        track = tracks.pop()
        line = key_places.line_of(("tracks", len(tracks)))
        description = f"the track {format_value(track.get('id'))} is new"
        yield Change(ChangeKind.DEFINITION, path, description, line)
    if len(tracks) < track_count:
        later_without_begun = {**later_without_begun, "tracks": tracks}
    values_before = dict(leaves(definition_before))
    values_after = dict(leaves(later_without_begun))
    for location, value_before, value_after in differing(values_before, values_after):
        line = key_places.line_of(location)
        name = _key_name(states, location)
        description = f"{name} {format_change(value_before, value_after)}"
        touched = states.results_under(location)
        yield Change(ChangeKind.DEFINITION, path, description, line, touched)


def _key_name(states: BenchmarkStates, location: Location) -> str:
    """Return the name of a key, such as "`headline` of track chain" or "`axes.kind.weights`"."""
    if location[0] == "tracks" and location[2:] and isinstance(location[1], int):
        for definition in (states.definition_before, states.definition_after):
            tracks = list_tables(definition, "tracks")
            if location[1] < len(tracks):
                track_id = format_value(tracks[location[1]].get("id"))
                return f"`{dotted(location[2:])}` of track {track_id}"
    return f"`{dotted(location)}`"


def _without_addresses(definition: RawTable) -> dict[str, object]:
    return {key: value for key, value in definition.items() if key not in _ADDRESS_KEYS}


def _without_begun_parts(states: BenchmarkStates, before: RawTable, after: RawTable) -> RawTable:
    """Return the later definition without the tracks, axes and metrics that new submissions add."""
    begun = states.tracks_begun_by_request
    if not begun:
        return after
    definition = dict(after)
    definition["tracks"] = _without_begun_tracks(begun, before, after)
    if "axes" in after:
        has_earlier_track = bool(set(track_ids(before)) - begun)
        axes_before = get_table(before, "axes")
        axes_after = get_table(after, "axes")
        axes = _without_begun_axes(axes_before, axes_after, may_cluster=not has_earlier_track)
        definition["axes"] = axes
        if not axes and "axes" not in before:
            del definition["axes"]
    metrics_before = list_tables(before, "metrics")
    metrics_after = list_tables(after, "metrics")
    new_metrics = metrics_after[len(metrics_before) :]
    new_metric_ids = {str(metric.get("id")) for metric in new_metrics}
    if new_metrics and new_metric_ids.isdisjoint(_used_metrics(before)):
        metrics_without_new = metrics_after[: len(metrics_before)]
        definition["metrics"] = metrics_without_new
        if not metrics_without_new:
            del definition["metrics"]
    return definition


def _used_metrics(definition: RawTable) -> set[str]:
    """Return the metrics of the catalogue, and those that a definition declares or shows."""
    names = set(METRICS)
    names.update(str(metric.get("id")) for metric in list_tables(definition, "metrics"))
    for track in list_tables(definition, "tracks"):
        names.add(str(track.get("headline")))
        names.update(list_texts(track, "columns"))
    return names


def _without_begun_tracks(
    begun: frozenset[str], before: RawTable, after: RawTable
) -> list[RawTable]:
    """Return the later tracks without new tracks that a request begins.

    Tracks that are not new, but begin with the request, have the earlier values of `_BEGUN_KEYS`;
    all their other differences remain.
    """
    tracks_before = list_tables(before, "tracks")
    ids_before = track_ids(before)
    tracks: list[RawTable] = []
    for index, track in enumerate(list_tables(after, "tracks")):
        track_id = str(track.get("id"))
        has_earlier_track = index < len(tracks_before)
        if track_id not in begun:
            tracks.append(track)
        elif has_earlier_track and track_id == tracks_before[index].get("id"):
            tracks.append(_with_earlier_keys(track, tracks_before[index]))
        elif has_earlier_track or track_id in ids_before:
            tracks.append(track)
    return tracks


def _with_earlier_keys(track: RawTable, track_before: RawTable) -> dict[str, object]:
    """Return a track with the earlier values of the keys that its first submission may set."""
    merged = {key: value for key, value in track.items() if key not in _BEGUN_KEYS}
    for key in _BEGUN_KEYS:
        if key in track_before:
            merged[key] = track_before[key]
    return merged


def _without_begun_axes(
    axes_before: RawTable, axes_after: RawTable, *, may_cluster: bool
) -> dict[str, object]:
    """Return the later axes without new axes, and without values added to earlier axes.

    A new axis of clusters changes the intervals of published results, so it remains in the result
    unless `may_cluster` is set.
    """
    axes: dict[str, object] = {}
    for name in axes_after:
        axis = get_table(axes_after, name)
        axis_before = get_table(axes_before, name)
        if name not in axes_before and axis and (may_cluster or not axis.get("cluster")):
            continue
        if _only_adds_values(axis_before, axis):
            axis = {**axis, "values": axis_before["values"]}
        axes[name] = axis or axes_after[name]
    return axes


def _only_adds_values(axis_before: RawTable, axis_after: RawTable) -> bool:
    """Return whether an axis has its earlier values first, so that values were only added."""
    values_before: Sequence[str] = list_texts(axis_before, "values")
    values_after = list_texts(axis_after, "values")
    return bool(values_before) and values_after[: len(values_before)] == values_before
