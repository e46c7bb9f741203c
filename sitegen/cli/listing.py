"""The command that lists the metrics that tracks can have."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import print_lines
from sitegen.cli.options import ResultsOption
from sitegen.metrics.catalogue import METRICS, metrics_of
from sitegen.metrics.metric import Metric, from_reference
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.declared import Declared
from sitegen.problems import UsageError
from sitegen.store.benchmarks import read_definitions

BenchmarkTrack = tuple[Benchmark, Track]


def metrics(
    address: Annotated[
        str | None, typer.Argument(help="BENCHMARK or BENCHMARK/TRACK; else every track.")
    ] = None,
    results: ResultsOption = Path("results"),
) -> None:
    """List the metrics that a track can have, each as a declaration to copy."""
    tracks = _read_tracks(results)
    if address:
        tracks = _tracks_at(address, tracks, results)
    for benchmark, track in tracks:
        print_lines(*_track_lines(benchmark, track))
    if not tracks:
        for metric in METRICS.values():
            protocols = ", ".join(sorted(metric.protocols))
            print_lines(*_metric_lines(metric, f"on {protocols} tracks"))


def _read_tracks(results: Path) -> list[BenchmarkTrack]:
    """Return the tracks of all benchmarks in a folder, which may be absent."""
    if not results.is_dir():
        return []
    tracks: list[BenchmarkTrack] = []
    for benchmark in read_definitions(results):
        for track in benchmark.tracks:
            tracks.append((benchmark, track))
    return tracks


def _tracks_at(address: str, tracks: list[BenchmarkTrack], results: Path) -> list[BenchmarkTrack]:
    """Return the tracks that BENCHMARK or BENCHMARK/TRACK names.

    Raises:
        UsageError: There are none.
    """
    chosen: list[BenchmarkTrack] = []
    addresses: list[str] = []
    for benchmark, track in tracks:
        addresses.append(f"{benchmark.id}/{track.id}")
        if _is_at(address, benchmark, track):
            chosen.append((benchmark, track))
    if chosen:
        return chosen
    existing = ", ".join(addresses) or "none"
    raise UsageError(f"there is no track {address} in {results}; there are: {existing}")


def _is_at(address: str, benchmark: Benchmark, track: Track) -> bool:
    """Return whether an address names a track or its benchmark."""
    benchmark_id, _, track_id = address.partition("/")
    return benchmark_id in {"", benchmark.id} and track_id in {"", track.id}


def _track_lines(benchmark: Benchmark, track: Track) -> Iterator[str]:
    """Yield every metric that a track can have; those that it shows are marked."""
    address = f"{benchmark.id}/{track.id}"
    yield f"# {address}: {track.title}, {track.protocol}"
    for metric in metrics_of(benchmark).values():
        if not _can_have(track, metric):
            continue
        notes = [_origin_note(metric)]
        if metric.id in track.shown:
            notes.append("shown")
        yield from _metric_lines(metric, *notes)


def _can_have(track: Track, metric: Metric) -> bool:
    """Return whether a track has the protocol, the attempts and the rounds that a metric needs."""
    if metric.accepts_record is from_reference and not track.reference_rounds:
        return False
    if metric.declared and metric.declared.k and track.attempts < metric.declared.k:
        return False
    return track.protocol in metric.protocols


def _origin_note(metric: Metric) -> str:
    """Return where a metric is declared, and how to use it."""
    if metric.is_own:
        return "declared here"
    if metric.declared:
        return "of the catalogue; name it as it is, or copy it under another id"
    return "of the catalogue; name it as it is"


def _metric_lines(metric: Metric, *notes: str) -> Iterator[str]:
    """Yield a metric as a declaration, or as a comment where no declaration can express it."""
    yield ""
    yield f"# {metric.id}: {', '.join(notes)}"
    if metric.declared is None:
        sentence = metric.definition.sentence
        yield f"# {metric.title}, {metric.unit}: {sentence} It can't be declared."
        return
    yield "[[metrics]]"
    values = metric.declared.model_dump(exclude_defaults=True)
    if "summary" in values:
        values["summary"] = values["summary"].split("\n\n")[0]
    for key in Declared.model_fields:  # in the order in which people write them
        if key in values:
            yield f"{key} = {json.dumps(values[key], ensure_ascii=False)}"
