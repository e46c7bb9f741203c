"""Reads the bundles of a benchmark, several at a time where that pays."""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from sitegen.models.results import Bundle
from sitegen.problems import Problem
from sitegen.reading.files import MEGABYTE
from sitegen.store.bundles import read_bundle
from sitegen.store.entering import Setting
from sitegen.store.parts import FAILURES

_WORTH_IT = 4 * MEGABYTE
"""From so much text of failed cases on it pays to send what was read from one process to another."""

Read = tuple[Bundle | None, list[Problem]]
"""What `read_bundle` gives."""


def read_bundles(folders: Sequence[Path], setting: Setting) -> Iterator[Read]:
    """Read bundles, each when it is asked for or earlier, in their order.

    Rounds are read about as fast as another process could send them. The list of failed cases is not: of that, what
    is sent is where its lines stand, or the text of a packed one, and what its cases check.

    Raises:
        ChildProcessError: A process that reads was killed.

    Args:
        folders: The bundles' folders.
        setting: What they are read against.
    """
    read = partial(read_bundle, setting=setting)
    readers = min(len(folders), os.cpu_count() or 1)
    pays = readers > 1 and sum(map(_length_of_failures, folders)) >= _WORTH_IT
    if pays and "fork" in multiprocessing.get_all_start_methods():
        with ProcessPoolExecutor(readers, multiprocessing.get_context("fork")) as pool:
            try:
                yield from pool.map(read, folders)
            except BrokenProcessPool as error:
                raise ChildProcessError("a process that reads bundles ended early") from error
    else:
        yield from map(read, folders)


def _length_of_failures(folder: Path) -> int:
    return sum(file.stat().st_size for name in FAILURES if (file := folder / name).is_file())
