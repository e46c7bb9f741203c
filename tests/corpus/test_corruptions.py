"""A corrupted field is told of, or nothing that is scored or ranked changes, or it is a free statement.

Checksums are written again after each corruption: they would tell of every one. Every bundle claims every metric that
can be recomputed, so that a changed score contradicts a claim.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from corpus.corruptions import Corruption, corruptions
from corpus.entries import BASE, DAY
from corpus.freedom import CHOICES, HARMLESS
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.results_folders import seal
from kit.thoroughness import examples

from sitegen.board.entry import Entry
from sitegen.pipeline.evaluating import Evaluation, evaluate

EXAMPLES = int(os.environ.get("SITEGEN_CORRUPTIONS", examples(80)))
"""So many corruptions are tried; 0 for every one there is."""


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """Give a copy of the valid results whose bundles claim all they can, and which each corruption leaves as it was."""
    with TemporaryDirectory() as folder:
        yield claiming(Path(shutil.copytree(BASE, Path(folder).resolve() / "results")))


def claiming(tree: Path) -> Path:
    """Let every bundle without claims state its scores."""
    for _, row in evaluate(tree, DAY).entries():
        if row.bundle and not row.bundle.submission.claims:
            stated = [f"{name} = {score.value:.4f}\n" for name, score in row.scores.items() if score.value is not None]
            with (row.bundle.path / "submission.toml").open("a", encoding="utf-8") as manifest:
                manifest.write("".join(["\n[claims]\n", *stated]))
            seal(row.bundle.path)
    return tree


@pytest.fixture(scope="module")
def every(tree: Path) -> list[Corruption]:
    """Give every corruption."""
    return list(corruptions(tree))


@pytest.fixture(scope="module")
def sound(tree: Path) -> object:
    """Give what is scored and ranked in the valid results."""
    judged = evaluate(tree, DAY)
    assert judged.problems() == ()
    return scored(judged)


def scored(judged: Evaluation) -> object:
    """Give everything that is scored or ranked: the rows, their places, their values and how they are known."""
    return [
        (
            board.benchmark.id,
            board.track.id,
            row.id,
            row.is_published,
            board.ranks.get(row.id),
            row.evidence,
            values(row),
        )
        for board, row in judged.entries()
    ]


def values(row: Entry) -> list[object]:
    """Give the values of a row, gaps included."""
    return [(name, score.value, score.sd, score.counted, score.version) for name, score in row.scores.items()]


def fault(tree: Path, sound: object, corruption: Corruption) -> str | None:
    """Say what is wrong with how a corruption is met; None where it is told of, or may pass."""
    with corruption.applied(tree):
        judged = evaluate(tree, DAY)
        if judged.problems() or is_listed(corruption.field, CHOICES):
            return None
        changed = scored(judged) != sound
    if changed or not is_listed(corruption.field, HARMLESS):
        return f"{corruption.kind} of {corruption.field} in {corruption.file}: {'a score changed' * changed}"
    return None


def is_listed(field: str, patterns: Iterable[str]) -> bool:
    """Whether one of some patterns is about a field."""
    return any(fnmatchcase(field, pattern) for pattern in patterns)


def test_a_corruption_is_told_of_or_changes_nothing(tree: Path, every: list[Corruption], sound: object) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(number=st.integers(0, len(every) - 1))
    def one(number: int) -> None:
        assert fault(tree, sound, every[number]) is None

    if EXAMPLES:
        one()
    else:
        assert [failure for corruption in every if (failure := fault(tree, sound, corruption))] == []


def test_what_may_change_is_a_field_that_is_there(every: list[Corruption]) -> None:
    """No pattern is left over from a field that has gone."""
    fields = {corruption.field for corruption in every}
    assert [
        pattern for pattern in (*HARMLESS, *CHOICES) if not any(fnmatchcase(field, pattern) for field in fields)
    ] == []
