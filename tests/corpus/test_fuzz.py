"""No input makes validating crash or hang: it ends, with problems or without."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from corpus.entries import BASE, DAY
from corpus.hostile import hostile_tree

from sitegen.pipeline.comparing import compare
from sitegen.problems import UsageError

INPUTS = int(os.environ.get("SITEGEN_FUZZ", "20"))
"""So many inputs are tried."""
FIRST = int(os.environ.get("SITEGEN_FUZZ_FIRST", "0"))
"""Seed of the first; the next ones follow."""
LIMIT = 20
"""Seconds after which an input counts as hung; the slowest takes about two."""


def test_any_folder_is_judged(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Print the figure of inputs tried with `-s`; it stands in JUnit reports as well."""
    began, problems, slowest = time.perf_counter(), 0, 0.0
    for seed in range(FIRST, FIRST + INPUTS):
        started = time.perf_counter()
        problems += told(tmp_path / str(seed), seed)
        slowest = max(slowest, time.perf_counter() - started)
    figures = {
        "inputs": INPUTS,
        "problems": problems,
        "seconds": round(time.perf_counter() - began, 1),
        "slowest": round(slowest, 2),
    }
    print(figures)  # noqa: T201 - the figure is what a long run is for
    record_property("fuzz", figures)
    assert problems > INPUTS / 2


def told(folder: Path, seed: int) -> int:
    """Judge a hostile folder and compare it with what it was, and give the number of problems."""
    folder.mkdir()
    tree = hostile_tree(BASE, folder, seed)
    with deadline(seed):
        try:
            changes, judged = compare(str(BASE), str(tree), BASE, DAY)
            return sum(1 for problem in (*judged.problems(), *changes.new) if str(problem))
        except UsageError:
            return 1


@contextmanager
def deadline(seed: int) -> Iterator[None]:
    """Interrupt what takes longer than the limit, also where it waits for a pipe."""

    def hung(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"seed {seed} takes longer than {LIMIT} s")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
