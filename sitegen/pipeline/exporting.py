"""Handing rows on to others, in their own formats."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date as Date  # noqa: N812 - as in the models
from pathlib import Path

from sitegen.board import every_eval_ever, hugging_face
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.site import Site
from sitegen.pipeline.judging import judge
from sitegen.problems import ProblemsError, UsageError, errors_of
from sitegen.publish.records import yaml_text
from sitegen.publish.transaction import transaction

Row = tuple[Board, Entry]


def rows_at(path: Path, day: Date) -> list[Row]:
    """The rows of a results folder, a benchmark or a bundle that others may have: those that stand, and have scores.

    Raises:
        ProblemsError: Something has errors: what is handed on can't be taken back.
        UsageError: There is no such row.
    """
    judged = judge(path, day)
    if errors_of(judged.problems()):
        raise ProblemsError(judged.problems())
    rows = [
        (board, entry)
        for board, entry in judged.entries()
        if entry.is_ranked and any(score.value is not None for score in entry.scores.values())
    ]
    if not rows:
        raise UsageError(f"{path} has no row that stands and has scores")
    return rows


def for_every_eval_ever(rows: Sequence[Row], site: Site) -> dict[str, bytes]:
    """The files of rows, as Every Eval Ever has them."""
    files: dict[str, bytes] = {}
    for board, entry in rows:
        files |= every_eval_ever.files_of(board, entry, site)
    return files


def for_hugging_face(rows: Sequence[Row], site: Site, dataset: str | None) -> dict[str, bytes]:
    """The files of rows for the repositories of their models, and those of their benchmarks for the datasets.

    Raises:
        UsageError: No dataset is named, and no homepage leads to one; or the name is none.
    """
    benchmarks = {board.benchmark.id: board.benchmark for board, _ in rows}
    homeless = [name for name, each in benchmarks.items() if not (dataset or hugging_face.dataset_of(each))]
    if homeless:
        raise UsageError(f"{', '.join(homeless)}: name the benchmark's dataset on the Hub with --dataset ORG/NAME")
    if dataset and not hugging_face.DATASET.fullmatch(dataset):
        raise UsageError(f"--dataset is ORG/NAME, as on the Hub, and this is {dataset}")
    files: Mapping[str, object] = hugging_face.results_of(rows, site, dataset)
    if not files:
        raise UsageError("no row has a score that ranks it, and the Hub takes no other")
    for name, benchmark in benchmarks.items():
        runners = Counter(
            entry.bundle.submission.provenance.harness
            for board, entry in rows
            if entry.bundle and board.benchmark is benchmark and entry.bundle.submission.provenance.harness
        )
        framework = runners.most_common(1)[0][0] if runners else None
        files = {**files, f"{name}/eval.yaml": hugging_face.definition_of(benchmark, framework)}
    return {name: yaml_text(document).encode() for name, document in files.items()}


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Put files into a folder: all of them, or none."""
    with transaction(folder) as changes:
        changes.write("", files)
