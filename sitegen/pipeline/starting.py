"""Beginning a leaderboard project."""

import re
from dataclasses import replace
from pathlib import Path

from sitegen.metrics.catalogue import columns_of
from sitegen.models.benchmark import BESIDE_BENCHMARKS
from sitegen.models.names import is_hidden
from sitegen.models.record import is_slug
from sitegen.problems import UsageError
from sitegen.publish.project import Answers, in_words, project_files
from sitegen.publish.transaction import transaction

_TRIES = 4
"""Tries at each task of a benchmark of several tries, where nobody says how many."""


def start(folder: Path, answers: Answers) -> list[str]:
    """Make a new leaderboard project: all of its files, or none; gives their names, below the folder.

    The folder is made when absent; a repository without any file counts as empty. Without a benchmark the project has
    the folder's name, without a title the benchmark's id in words.

    Raises:
        UsageError: The folder holds something, or an answer can't be used.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder that is empty or not there yet")
    if folder.is_dir() and any(child.name != ".git" for child in folder.iterdir()):
        raise UsageError(
            f"{folder} is not empty, and nothing is written over; name a folder that is empty or new"
        )
    benchmark = answers.benchmark or re.sub("[^a-z0-9]+", "-", folder.resolve().name.lower()).strip(
        "-"
    )
    for option, value in (("--benchmark", benchmark), ("--track", answers.track)):
        if not is_slug(value):
            raise UsageError(
                f"{option} is to be lower-case letters, digits, `-` and `_`, and this is `{value}`"
            )
    if benchmark in BESIDE_BENCHMARKS:
        raise UsageError(
            f"{benchmark} is an address of the site itself; name the benchmark with --benchmark"
        )
    title = answers.title.strip(" ") or in_words(benchmark)
    if any(map(is_hidden, title)):
        raise UsageError("--title is to be one line of text")
    columns = columns_of(answers.protocol, reference=False)
    attempts = _TRIES if answers.kind == "attempts" and answers.attempts == 1 else answers.attempts
    files = project_files(
        replace(answers, benchmark=benchmark, title=title, attempts=attempts), columns
    )
    with transaction(folder) as changes:
        changes.write("", files)
    return sorted(files)
