"""Whatever happens to a results folder: what `validate` calls sound is built, and no released address goes dead."""

import os
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, time
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.random_histories import TODAY, History
from kit.thoroughness import examples

HISTORIES = int(os.environ.get("SITEGEN_HISTORIES", examples(24)))
"""So many are tried."""
FIRST = int(os.environ.get("SITEGEN_HISTORIES_FIRST", "0"))
"""Seed of the first; the next ones follow."""
STEPS = 14
NOW = int(datetime.combine(TODAY, time(), UTC).timestamp())


@pytest.mark.parametrize("seed", range(FIRST, FIRST + HISTORIES))
def test_sound_results_are_built_and_every_released_row_keeps_an_address(tmp_path: Path, seed: int) -> None:
    history = History(tmp_path / "results", seed)
    history.goes_on(STEPS)
    assert history.errors() == ()
    site = tmp_path / "site"
    built = sitegen("build", "--results", history.folder, "--site", site, SOURCE_DATE_EPOCH=str(NOW))
    assert built.returncode == 0, "\n".join([*history.told, built.stderr])
    gone = [address for address in released(history.folder) if not (site / address / "index.html").exists()]
    assert gone == [], "\n".join(history.told)


def released(folder: Path) -> Iterator[str]:
    """Give the addresses that rows of releases had."""
    for path in sorted((folder / "releases").glob("*.toml")):
        for benchmark in tomllib.loads(path.read_text(encoding="utf-8"))["benchmarks"]:
            for board in benchmark.get("boards", ()):
                yield from (f"{benchmark['id']}/{board['track']}/{row['id']}" for row in board.get("rows", ()))
