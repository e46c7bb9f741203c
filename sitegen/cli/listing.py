"""The command that lists the metrics that tracks can have."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from sitegen.cli.console import print_lines
from sitegen.cli.options import ResultsOption
from sitegen.problems import UsageError

if TYPE_CHECKING:
    from sitegen.metrics.metric import Metric
    from sitegen.models.benchmark import Benchmark, Track

BenchmarkTrack: TypeAlias = "tuple[Benchmark, Track]"


def metrics(
    address: Annotated[
        str | None, typer.Argument(help="BENCHMARK or BENCHMARK/TRACK; by default, every track.")
    ] = None,
    results: ResultsOption = Path("results"),
) -> None:
    """List the metrics that a track can have, each as a declaration to copy."""
    from sitegen.metrics.catalogue import METRICS

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
    """Return the tracks of all benchmarks in a folder; empty if the folder does not exist.

    Raises:
        ProblemsError: A benchmark's definition has errors.
    """
    from sitegen.store.readers.benchmarks import read_sound_definitions

    if not results.is_dir():
        return []
    tracks: list[BenchmarkTrack] = []
    for benchmark in read_sound_definitions(results):
        for track in benchmark.tracks:
            tracks.append((benchmark, track))
    return tracks


def _tracks_at(address: str, tracks: list[BenchmarkTrack], results: Path) -> list[BenchmarkTrack]:
    """Return the tracks at an address, which is BENCHMARK or BENCHMARK/TRACK.

    Raises:
        UsageError: There is no such benchmark or track.
    """
    chosen: list[BenchmarkTrack] = []
    addresses: list[str] = []
    for benchmark, track in tracks:
        addresses.append(f"{benchmark.id}/{track.id}")
        if _is_at(address, benchmark, track):
            chosen.append((benchmark, track))
    if chosen:
        return chosen
    raise UsageError(_unknown_track(address, addresses, results))


def _unknown_track(address: str, addresses: list[str], results: Path) -> str:
    """Return the error message for an unknown benchmark or track."""
    from sitegen.pipeline.addressing import similar_names

    if not addresses:
        return f"there is no {address} in {results}/; it has no benchmarks"
    benchmark_id, _, track_id = address.partition("/")
    benchmarks = list(dict.fromkeys(name.partition("/")[0] for name in addresses))
    if benchmark_id not in benchmarks:
        fault = f"there is no benchmark {benchmark_id} in {results}/; it has"
        return f"{fault} {', '.join(benchmarks)}{similar_names(benchmark_id, benchmarks)}"
    tracks = [name for name in addresses if name.startswith(f"{benchmark_id}/")]
    fault = f"there is no track {track_id} in {benchmark_id}; its tracks are"
    return f"{fault} {', '.join(tracks)}"


def _is_at(address: str, benchmark: "Benchmark", track: "Track") -> bool:
    """Return whether an address names a track or its benchmark."""
    benchmark_id, _, track_id = address.partition("/")
    return benchmark_id in {"", benchmark.id} and track_id in {"", track.id}


def _track_lines(benchmark: "Benchmark", track: "Track") -> Iterator[str]:
    """Yield every metric that a track can have, marking the metrics that the track shows."""
    from sitegen.metrics.catalogue import benchmark_metrics

    address = f"{benchmark.id}/{track.id}"
    yield f"# {address}: {track.title}, {track.protocol}"
    for metric in benchmark_metrics(benchmark).values():
        if not _can_have(track, metric):
            continue
        notes = [_origin_note(metric)]
        if metric.id in track.shown:
            notes.append("shown")
        yield from _metric_lines(metric, *notes)


def _can_have(track: "Track", metric: "Metric") -> bool:
    """Return whether a track has the protocol, attempts and rounds that a metric requires."""
    if metric.computation.needs_reference and not track.reference_rounds:
        return False
    if track.attempts < metric.needed_attempts:
        return False
    return track.protocol in metric.protocols


def _origin_note(metric: "Metric") -> str:
    """Return a note on where a metric is declared, and how to use it."""
    if metric.is_benchmark_declared:
        return "declared here"
    if metric.declared:
        return "from the catalogue; use its id, or copy the declaration under another id"
    return "from the catalogue; use its id"


def _metric_lines(metric: "Metric", *notes: str) -> Iterator[str]:
    """Yield a metric as a declaration, or as a comment if no declaration can express it."""
    from sitegen.models.declared import Declared

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
