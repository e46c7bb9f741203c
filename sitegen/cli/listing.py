"""The command that lists the metrics that tracks can have."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import ResultsOption, say
from sitegen.metrics.catalogue import METRICS, metrics_of
from sitegen.metrics.metric import Metric, from_reference
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.declared import Declared
from sitegen.problems import UsageError
from sitegen.store.benchmarks import read_definitions

_CATALOGUE, _COPY = "of the catalogue; name it as it is", ", or copy it under another id"


def metrics(
    address: Annotated[
        str | None, typer.Argument(help="BENCHMARK or BENCHMARK/TRACK; else every track.")
    ] = None,
    results: ResultsOption = Path("results"),
) -> None:
    """List the metrics that a track can have, each as a declaration to copy."""
    benchmark, _, track = (address or "").partition("/")
    found = read_definitions(results) if results.is_dir() else []
    chosen = [
        (each, one)
        for each in found
        for one in each.tracks
        if benchmark in {"", each.id} and track in {"", one.id}
    ]
    if address and not chosen:
        known = ", ".join(f"{each.id}/{one.id}" for each in found for one in each.tracks)
        raise UsageError(f"there is no track {address} in {results}; there are: {known or 'none'}")
    for each, one in chosen:
        say(*_of_track(each, one))
    if not chosen:
        for metric in METRICS.values():
            say(*_told(metric, f"on {', '.join(sorted(metric.protocols))} tracks"))


def _of_track(benchmark: Benchmark, track: Track) -> Iterator[str]:
    """Every metric that a track can have, its own first; those that it shows are marked."""
    yield f"# {benchmark.id}/{track.id}: {track.title}, {track.protocol}"
    for metric in metrics_of(benchmark).values():
        fits = track.protocol in metric.protocols and track.attempts >= (
            (metric.declared and metric.declared.k) or 0
        )
        if fits and (track.reference_rounds or metric.needs is not from_reference):
            shown = metric.id in track.shown
            yield from _told(
                metric,
                "declared here"
                if metric.is_own
                else _CATALOGUE + (_COPY if metric.declared else ""),
                *["shown"] * shown,
            )


def _told(metric: Metric, *notes: str) -> Iterator[str]:
    """A metric as a declaration; as a comment, where it takes more than a declaration can say."""
    yield ""
    yield f"# {metric.id}: {', '.join(notes)}"
    if metric.declared is None:
        yield f"# {metric.title}, {metric.unit}: {metric.told.sentence} It can't be declared."
        return
    yield "[[metrics]]"
    told = metric.declared.model_dump(exclude_defaults=True)
    for key in filter(
        told.__contains__, Declared.model_fields
    ):  # in the order that people write it
        value = told[key].split("\n\n")[0] if key == "summary" else told[key]
        yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
