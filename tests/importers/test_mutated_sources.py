"""Sources with something changed: words instead of a traceback, and never a bundle that `validate` refuses."""

import random
import shutil
from pathlib import Path

import pytest
from corpus.strangers import SAMPLES, run_commands
from kit.real_samples import Sample, samples
from kit.source_mutations import mutate
from kit.thoroughness import IS_WHOLE

MUTATIONS = 200 if IS_WHOLE else 5
"""Of each sample."""
LARGEST = 400_000
"""Bytes of a sample that is changed again and again."""


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


REAL = [sample for sample in samples() if size_of(sample.source) <= LARGEST or IS_WHOLE]
FORMATS = [name for name in SAMPLES if name != "results"]


def failures(commands_of: list[list[str]]) -> list[str]:
    """Return what went wrong with the commands of one source."""
    return [repr(ended) for ended in run_commands(commands_of) if isinstance(ended, BaseException)]


@pytest.mark.parametrize("form", FORMATS)
def test_a_small_source_with_changes_ends_with_words(form: str, tmp_path: Path) -> None:
    write, commands_of = SAMPLES[form]
    write(tmp_path / "sample")
    for seed in range(MUTATIONS):
        tree, into = tmp_path / str(seed), tmp_path / f"{seed}-into"
        shutil.copytree(tmp_path / "sample", tree)
        mutate(random.Random(f"{form} {seed}"), tree)  # noqa: S311 - a draw that anyone may foresee
        try:
            commands = [list(command) for command in commands_of(tree, into)]
        except ValueError:  # the source itself is gone
            continue
        assert failures(commands) == [], f"seed {seed}"
        shutil.rmtree(tree)


@pytest.mark.parametrize("sample", REAL, ids=[sample.name for sample in REAL])
def test_a_real_source_with_changes_ends_with_words(sample: Sample, tmp_path: Path) -> None:
    for seed in range(MUTATIONS):
        tree, into = tmp_path / str(seed), tmp_path / f"{seed}-into"
        source = tree / sample.source.name
        if sample.source.is_dir():
            shutil.copytree(sample.source, source)
        else:
            tree.mkdir()
            shutil.copyfile(sample.source, source)
        mutate(random.Random(f"{sample.name} {seed}"), tree)  # noqa: S311 - a draw that anyone may foresee
        if not source.exists():
            continue
        arguments = ["import", sample.form, str(source), "--into", str(into), "--benchmark", "mine"]
        imported = [*arguments, *sample.options[-1], "--date", "2026-07-01"]
        assert failures([imported, ["validate", str(into)]]) == [], f"seed {seed}"
        shutil.rmtree(tree)
