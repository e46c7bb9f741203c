"""Sequences of commands drawn at random keep results valid, and every published score traceable."""

import json
import os
import random
import sys
from pathlib import Path

import pytest
from kit.command import done
from kit.random_commands import CLOCK, CommandWalk
from kit.thoroughness import IS_WHOLE

STEPS = 200 if IS_WHOLE else 16
"""How many commands a sequence has."""
SEQUENCES = int(os.environ.get("SITEGEN_WALKS", "2" if IS_WHOLE else "1"))
FIRST = int(os.environ.get("SITEGEN_WALKS_FIRST", "5"))
"""Seed of the first sequence; the next ones follow."""


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SEQUENCES))
def test_every_command_leaves_a_valid_folder_whose_scores_follow_from_its_rewards(tmp_path: Path, seed: int) -> None:
    walk = CommandWalk(tmp_path, random.Random(seed))  # noqa: S311 - a draw that anyone may foresee
    walk.begin()
    walk.go_on(STEPS)
    assert walk.faults == [], "\n\n".join(walk.faults[:3])
    assert sum(walk.done.values()) > STEPS / 3
    if IS_WHOLE:
        done("build", "--check-links", "--results", walk.results, "--site", tmp_path / "site", SOURCE_DATE_EPOCH=CLOCK)
        figures = {"done": walk.done, "refused": walk.refused, "stopped": walk.stopped}
        sys.stderr.write(f"seed {seed}: {json.dumps(figures)}\n")
