"""A file of 20 GB that is all but empty is refused in words, and not read."""

import os
import time
from pathlib import Path

import pytest
from corpus.strangers import imports, source
from kit.import_sources import MADE
from kit.results_folders import Tree
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, MEGABYTE, opened

HUGE = 20 * 1024 * MEGABYTE
SECONDS = 20
"""Of processor time: to read the file would take many more."""


@pytest.mark.parametrize("form", MADE)
def test_an_import_does_not_read_a_sparse_file(form: str, tmp_path: Path) -> None:
    source(form, tmp_path / "source")
    (plain,) = (tmp_path / "source").glob("plain*")
    files = [path for path in plain.rglob("*") if path.is_file()] if plain.is_dir() else [plain]
    largest = max(files, key=lambda path: (path.stat().st_size, path.name))
    os.truncate(largest, HUGE)
    arguments, _ = imports(form, tmp_path / "source", tmp_path / "into")
    began = time.process_time()
    done = CliRunner().invoke(app, list(arguments))
    assert time.process_time() - began < SECONDS
    output = done.output + str(done.exception or "")
    assert "20480.0 MB, more than the limit of" in output, output


@pytest.mark.parametrize("name", ["rounds.jsonl", "failures.jsonl", "submission.toml"])
def test_validate_does_not_read_a_sparse_file(name: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    path = tree.bundle / name
    path.touch()
    os.truncate(path, HUGE)
    began = time.process_time()
    done = CliRunner().invoke(app, ["validate", str(tree.folder)])
    assert time.process_time() - began < SECONDS
    assert "TOO-LARGE" in done.output


def test_a_file_with_holes_is_refused_below_the_limit_too(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(b"one line\n")
    os.truncate(path, 1024 * MEGABYTE)
    with pytest.raises(ProblemsError, match="it was not written completely"), opened(path, largest=LARGEST_SOURCE):
        pass
