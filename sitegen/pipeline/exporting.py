"""Handing rows on to others, in their own formats."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path
from typing import NamedTuple

from sitegen.board import every_eval_ever, hugging_face
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import status_notes
from sitegen.models.benchmark import Benchmark
from sitegen.models.site import Site
from sitegen.pipeline.judging import judge
from sitegen.problems import ProblemsError, UsageError, errors_of, listed
from sitegen.publish.records import yaml_text
from sitegen.publish.transaction import transaction

Row = tuple[Board, Entry]


class Selection(NamedTuple):
    """The rows of results that are exported, and in words which others are not, and why."""

    rows: Sequence[Row]
    left_out: Sequence[str]


class Exported(NamedTuple):
    """The files of an export by their names, and what the person who exports should know."""

    files: Mapping[str, bytes]
    rows: int
    """How many rows the files hold."""
    notes: Sequence[str]


def rows_at(path: Path, day: Date) -> Selection:
    """Return the published rows with scores of a results folder, a benchmark or a bundle.

    Raises:
        ProblemsError: Something has errors: what is handed on can't be taken back.
        UsageError: There is no such row.
    """
    judged = judge(path, day)
    if errors_of(judged.problems()):
        raise ProblemsError(judged.problems())
    rows: list[Row] = []
    left_out: list[str] = []
    for board, entry in judged.entries():
        has_score = any(score.value is not None for score in entry.scores.values())
        if entry.is_ranked and has_score:
            rows.append((board, entry))
        else:
            reason = f"it is {entry.status.state}" if not entry.is_ranked else "it has no score"
            left_out.append(f"{_name(board, entry)} is left out: {reason}")
    if not rows:
        raise UsageError(f"{path} has no row that stands and has scores", *left_out)
    return Selection(rows, left_out)


def _name(board: Board, entry: Entry) -> str:
    return f"{board.benchmark.id}/{board.track.id}/{entry.id}"


def for_every_eval_ever(selection: Selection, site: Site) -> Exported:
    """Return the files of rows as Every Eval Ever has them.

    Rows of withdrawn and legacy tracks are among them, and say so.
    """
    files: dict[str, bytes] = {}
    notes = list(selection.left_out)
    for board, entry in selection.rows:
        files |= every_eval_ever.files_of(board, entry, site)
        statuses = status_notes(board, entry)
        if statuses:
            notes.append(f"{_name(board, entry)} says in its details: {'; '.join(statuses)}")
    return Exported(files, len(selection.rows), notes)


def for_hugging_face(selection: Selection, site: Site, given: Sequence[str]) -> Exported:
    """Return the files of rows for the repositories of their models and of their datasets.

    Args:
        selection: The rows; those that the Hub can't show are left out.
        site: The site whose pages are the source.
        given: Datasets as `--dataset` names them: ORG/NAME for one benchmark, else
            BENCHMARK=ORG/NAME.

    Raises:
        UsageError: A benchmark's dataset is not known, a name is none, or no row can be shown.
    """
    rows: list[Row] = []
    notes = list(selection.left_out)
    for board, entry in selection.rows:
        if hugging_face.is_on_hub(board, entry):
            rows.append((board, entry))
        else:
            is_withdrawn = board.track.status == "withdrawn"
            reason = "its track is withdrawn" if is_withdrawn else "it has no headline score"
            notes.append(f"{_name(board, entry)} is left out: {reason}")
    if not rows:
        raise UsageError(
            "the Hub takes only headline scores of tracks that are not withdrawn", *notes
        )
    benchmarks = {board.benchmark.id: board.benchmark for board, _ in rows}
    datasets = datasets_of(benchmarks, given)
    files: dict[str, object] = {**hugging_face.results_of(rows, site, datasets)}
    for name, benchmark in benchmarks.items():
        framework = _framework(rows, benchmark)
        files[f"{name}/eval.yaml"] = hugging_face.definition_of(benchmark, framework)
    texts = {name: yaml_text(document).encode() for name, document in files.items()}
    return Exported(texts, len(rows), notes)


_NAMED = re.compile(r"([a-z0-9][a-z0-9_-]*)=(.*)")
"""A benchmark and its dataset, as `--dataset` names them."""


def datasets_of(benchmarks: Mapping[str, Benchmark], given: Sequence[str]) -> dict[str, str]:
    """Return the dataset of each benchmark on the Hub, by the benchmark's id.

    A dataset that is given goes before the one that the homepage or the paper is.

    Raises:
        UsageError: A name is no dataset, several benchmarks would share one, a benchmark is not
            exported or named twice, or the dataset of one is not known.
    """
    datasets: dict[str, str] = {}
    for text in given:
        named = _NAMED.fullmatch(text)
        dataset = named[2] if named else text
        if not hugging_face.DATASET.fullmatch(dataset):
            what = "--dataset is ORG/NAME or BENCHMARK=ORG/NAME, as on the Hub"
            raise UsageError(f"{what}, and this is {text}")
        if named is None and len(benchmarks) > 1:
            known = listed(benchmarks)
            what = f"--dataset {text} would be the dataset of {len(benchmarks)} benchmarks: {known}"
            raise UsageError(f"{what}; write --dataset BENCHMARK={text}, once for each")
        benchmark = named[1] if named else next(iter(benchmarks))
        if benchmark not in benchmarks:
            raise UsageError(
                f"--dataset {text}: {benchmark} is not among the exported: {listed(benchmarks)}"
            )
        if benchmark in datasets:
            raise UsageError(f"--dataset names the dataset of {benchmark} twice")
        datasets[benchmark] = dataset
    unknown: list[str] = []
    for name, benchmark in benchmarks.items():
        found = datasets.get(name) or hugging_face.dataset_of(benchmark)
        if found is None:
            unknown.append(name)
        else:
            datasets[name] = found
    if unknown:
        form = "ORG/NAME" if len(benchmarks) == 1 else "BENCHMARK=ORG/NAME"
        what = "name the benchmark's dataset on the Hub with --dataset"
        raise UsageError(f"{', '.join(unknown)}: {what} {form}")
    return datasets


def _framework(rows: Sequence[Row], benchmark: Benchmark) -> str | None:
    """Return the harness that made most of a benchmark's rows; None where no row names one."""
    harnesses: Counter[str] = Counter()
    for board, entry in rows:
        harness = entry.bundle.submission.provenance.harness if entry.bundle else None
        if harness and board.benchmark is benchmark:
            harnesses[harness] += 1
    most_common = harnesses.most_common(1)
    return most_common[0][0] if most_common else None


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Put files into a folder: all of them, or none."""
    with transaction(folder) as changes:
        changes.write("", files)
