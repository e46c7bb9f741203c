"""Export rows in the formats of Every Eval Ever and of the Hugging Face Hub."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from sitegen.board import Board, BoardEntry, Entry, every_eval_ever, hugging_face
from sitegen.board.export import status_notes
from sitegen.models.benchmark import Benchmark
from sitegen.models.site import Site
from sitegen.pipeline.evaluating import evaluate, row_address
from sitegen.problems import ProblemsError, UsageError, errors_of, listed
from sitegen.publish.machine.transaction import transaction
from sitegen.publish.results.records import yaml_text


class Selection(NamedTuple):
    """The rows to export, and the reasons for excluding others."""

    rows: Sequence[BoardEntry]
    exclusions: Sequence[str]
    """A sentence with the reason for each submission that is not exported."""


class Exported(NamedTuple):
    """The files of an export."""

    files: Mapping[str, bytes]
    """The contents of the files, by file name."""
    rows: int
    """The number of rows in the files."""
    notes: Sequence[str]
    """Notes for the user, one sentence each."""


def rows_at(path: Path, day: date) -> Selection:
    """Return the published rows that have scores in a results folder, a benchmark or a bundle.

    Raises:
        ProblemsError: The results have errors, and an export can't be undone.
        UsageError: No submission at the path can be exported.
    """
    evaluation = evaluate(path, day)
    problems = evaluation.problems()
    if errors_of(problems):
        raise ProblemsError(problems)
    rows: list[BoardEntry] = []
    exclusions: list[str] = []
    for board, entry in evaluation.entries():
        if not entry.is_published:
            exclusions.append(_exclusion(board, entry, f"it is {entry.status.state}"))
        elif not _has_score(entry):
            exclusions.append(_exclusion(board, entry, "it has no score"))
        else:
            rows.append(BoardEntry(board, entry))
    if not rows:
        raise UsageError(f"{path} has no current submission with scores", *exclusions)
    return Selection(rows, exclusions)


def _has_score(entry: Entry) -> bool:
    for score in entry.scores.values():
        if score.value is not None:
            return True
    return False


def _exclusion(board: Board, entry: Entry, reason: str) -> str:
    return f"{row_address(board, entry)} is left out: {reason}"


def for_every_eval_ever(selection: Selection, site: Site) -> Exported:
    """Return the files that describe rows in the format of Every Eval Ever.

    Rows of withdrawn and legacy tracks are included, each with a note.
    """
    files: dict[str, bytes] = {}
    notes = list(selection.exclusions)
    for board, entry in selection.rows:
        files |= every_eval_ever.record_files(board, entry, site)
        statuses = status_notes(board, entry)
        if statuses:
            address = row_address(board, entry)
            notes.append(f"the record of {address} says: {'; '.join(statuses)}")
    return Exported(files, len(selection.rows), notes)


def for_hugging_face(selection: Selection, site: Site, named: Sequence[str]) -> Exported:
    """Return the files for the repositories of the rows' models and datasets on the Hub.

    Args:
        selection: The rows; rows that the Hub can't show are left out.
        site: The site to name as the source.
        named: Values of `--dataset`: ORG/NAME if there is one benchmark, otherwise
            BENCHMARK=ORG/NAME.

    Raises:
        UsageError: The dataset of a benchmark is unknown or misspelt, or the Hub can't show any of
            the rows.
    """
    rows: list[BoardEntry] = []
    notes = list(selection.exclusions)
    for board, entry in selection.rows:
        if hugging_face.is_on_hub(board, entry):
            rows.append(BoardEntry(board, entry))
        elif board.track.status == "withdrawn":
            notes.append(_exclusion(board, entry, "its track is withdrawn"))
        elif entry.apart:
            notes.append(_exclusion(board, entry, f"it is not ranked: {entry.remark}"))
        else:
            notes.append(_exclusion(board, entry, "it has no headline score"))
    if not rows:
        raise UsageError(
            "the Hub takes only headline scores of tracks that are not withdrawn", *notes
        )
    benchmarks = {board.benchmark.id: board.benchmark for board, _ in rows}
    datasets = _dataset_by_benchmark(benchmarks, named)
    documents: dict[str, object] = {**hugging_face.hub_results(rows, site, datasets)}
    for name, benchmark in benchmarks.items():
        harness = _most_common_harness(rows, benchmark)
        documents[f"{name}/eval.yaml"] = hugging_face.hub_definition(benchmark, harness)
    files = {name: yaml_text(document).encode() for name, document in documents.items()}
    return Exported(files, len(rows), notes)


_NAMED_DATASET = re.compile(r"([a-z0-9][a-z0-9_-]*)=(.*)")
"""A value of `--dataset` that names the benchmark: BENCHMARK=ORG/NAME."""


def _dataset_by_benchmark(
    benchmarks: Mapping[str, Benchmark], named: Sequence[str]
) -> dict[str, str]:
    """Return the dataset of each benchmark on the Hub, by the benchmark's id.

    A named dataset takes precedence over a dataset that the homepage or the paper links to.

    Raises:
        UsageError: A name is not a dataset's, several benchmarks would share a dataset, a benchmark
            is not exported or is named twice, or its dataset is unknown.
    """
    datasets: dict[str, str] = {}
    for text in named:
        benchmark, dataset = _parse_dataset(text, benchmarks)
        if benchmark in datasets:
            raise UsageError(f"--dataset names the dataset of {benchmark} twice")
        datasets[benchmark] = dataset
    unknown: list[str] = []
    for name, definition in benchmarks.items():
        known_dataset = datasets.get(name) or hugging_face.hub_dataset(definition)
        if known_dataset is None:
            unknown.append(name)
        else:
            datasets[name] = known_dataset
    if unknown:
        form = "ORG/NAME" if len(benchmarks) == 1 else "BENCHMARK=ORG/NAME"
        raise UsageError(
            f"{', '.join(unknown)}: name the benchmark's dataset on the Hub with --dataset {form}"
        )
    return datasets


def _parse_dataset(text: str, benchmarks: Mapping[str, Benchmark]) -> tuple[str, str]:
    """Return the benchmark and the dataset that a value of `--dataset` names.

    Raises:
        UsageError: The value does not name a dataset, or does not identify one exported benchmark.
    """
    match = _NAMED_DATASET.fullmatch(text)
    benchmark = next(iter(benchmarks))
    dataset = text
    if match:
        benchmark, dataset = match.groups()
    if not hugging_face.DATASET.fullmatch(dataset):
        raise UsageError(
            f"--dataset needs ORG/NAME or BENCHMARK=ORG/NAME, as on the Hub, not {text}"
        )
    if match is None and len(benchmarks) > 1:
        raise UsageError(
            f"--dataset {text} would be the dataset of {len(benchmarks)} benchmarks: "
            f"{listed(benchmarks)}; write --dataset BENCHMARK={text}, once for each"
        )
    if benchmark not in benchmarks:
        raise UsageError(
            f"--dataset {text}: {benchmark} is not exported; "
            f"the exported benchmarks are {listed(benchmarks)}"
        )
    return benchmark, dataset


def _most_common_harness(rows: Sequence[BoardEntry], benchmark: Benchmark) -> str | None:
    """Return the most common harness of a benchmark's rows; None if no row names a harness."""
    harnesses: Counter[str] = Counter()
    for board, entry in rows:
        if entry.bundle is None or board.benchmark is not benchmark:
            continue
        harness = entry.bundle.submission.provenance.harness
        if harness:
            harnesses[harness] += 1
    if not harnesses:
        return None
    ((most_common, _),) = harnesses.most_common(1)
    return most_common


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files to a folder: all of them, or none."""
    with transaction(folder) as changes:
        changes.write("", files)
