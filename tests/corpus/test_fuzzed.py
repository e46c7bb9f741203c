"""What `make fuzz` found stays mended: no sample and no found input ends in a traceback."""

import shutil
from pathlib import Path

import pytest
from corpus.strangers import FOUND, SAMPLES, outcomes


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_whole(name: str, tmp_path: Path) -> None:
    """Else the inputs made from it would try little."""
    SAMPLES[name][0](tmp_path / "input")
    assert outcomes(name, tmp_path / "input", tmp_path / "into")[0] == 0


@pytest.mark.parametrize("sample_input", sorted(FOUND.glob("*")), ids=lambda path: path.name)
def test_an_input_that_was_found_ends_with_words(sample_input: Path, tmp_path: Path) -> None:
    name = next(name for name in sorted(SAMPLES, key=len, reverse=True) if sample_input.name.startswith(f"{name}-"))
    SAMPLES[name][0](tmp_path / "input")
    shutil.copytree(sample_input, tmp_path / "input", dirs_exist_ok=True)
    for outcome in outcomes(name, tmp_path / "input", tmp_path / "into"):
        assert isinstance(outcome, int), outcome
