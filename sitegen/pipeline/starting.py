"""Start a leaderboard project."""

import re
from dataclasses import replace
from pathlib import Path

from sitegen.metrics.catalogue import default_columns
from sitegen.models.benchmark import BESIDE_BENCHMARKS
from sitegen.models.names import is_hidden
from sitegen.models.record import is_slug
from sitegen.problems import UsageError
from sitegen.publish.machine.transaction import transaction
from sitegen.publish.projects.new_project import Answers, project_files, title_from_id

DEFAULT_ATTEMPTS = 4
"""The number of attempts per task, if a benchmark with several attempts does not state it."""


def start(folder: Path, answers: Answers) -> list[str]:
    """Create a new leaderboard project: all of its files, or none.

    The folder is created if absent; a repository without files counts as empty. Unless the answers
    say otherwise, the benchmark is named after the folder, and its title is derived from that name.

    Returns:
        The names of the files relative to the folder, in alphabetical order.

    Raises:
        UsageError: The folder is not empty, or an answer can't be used.
    """
    _require_empty(folder)
    name_from_folder = re.sub("[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    benchmark = answers.benchmark or name_from_folder
    _require_slug("--benchmark", benchmark)
    _require_slug("--track", answers.track)
    if benchmark in BESIDE_BENCHMARKS:
        raise UsageError(
            f"{benchmark} is reserved for a page of the site; choose another id with --benchmark"
        )
    title = answers.title.strip(" ") or title_from_id(benchmark)
    if any(map(is_hidden, title)):
        raise UsageError("--title needs one line of text")
    attempts = answers.attempts
    if answers.kind == "attempts" and attempts == 1:
        attempts = DEFAULT_ATTEMPTS
    columns = default_columns(answers.protocol, has_reference=False)
    complete_answers = replace(answers, benchmark=benchmark, title=title, attempts=attempts)
    files = project_files(complete_answers, columns)
    with transaction(folder) as changes:
        changes.write("", files)
    return sorted(files)


def _require_empty(folder: Path) -> None:
    """Raise a UsageError unless a folder is absent, empty or a repository without files."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder that is empty or does not exist yet")
    if any(child.name != ".git" for child in folder.iterdir()):
        raise UsageError(
            f"{folder} is not empty, and files are never overwritten; name a folder that is empty "
            "or new"
        )


def _require_slug(option: str, value: str) -> None:
    if not is_slug(value):
        raise UsageError(
            f"{option} may contain only lower-case letters, digits, `-` and `_`, not `{value}`"
        )
