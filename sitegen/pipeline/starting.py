"""Beginning a leaderboard project."""

import re
from dataclasses import dataclass
from pathlib import Path

from sitegen.metrics.catalogue import columns_of
from sitegen.models.benchmark import BESIDE_BENCHMARKS, Protocol
from sitegen.models.names import is_hidden
from sitegen.models.record import is_slug
from sitegen.pipeline.program import installed_program
from sitegen.problems import UsageError
from sitegen.publish.arrival import arriving
from sitegen.publish.beginning import Answers, Host, project_files
from sitegen.publish.project import program_parts
from sitegen.publish.wheel import program_wheel


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody says of the leaderboard that they begin; what is empty follows from the rest.

    Attributes:
        benchmark: Id of its first benchmark; else the folder's name.
        title: What benchmark and site are called; else the id in words.
        track: Id of the first track.
        protocol: How rounds follow each other there.
        attempts: Independent tries at each task.
        host: What its repository is to stand on.
    """

    benchmark: str = ""
    title: str = ""
    track: str = "main"
    protocol: Protocol = "chain"
    attempts: int = 1
    host: Host = "github"


def start(folder: Path, wish: Wish) -> list[str]:
    """Make a new leaderboard project: all of its files, or none.

    Args:
        folder: Where it is to be; made when absent. A repository without any file counts as empty.
        wish: What is known of it.

    Returns:
        The names of its files, below the folder.

    Raises:
        UsageError: The folder holds something, or an answer can't be used.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder that is empty or not there yet")
    if folder.is_dir() and any(child.name != ".git" for child in folder.iterdir()):
        raise UsageError(f"{folder} is not empty, and nothing is written over; name a folder that is empty or new")
    files = project_files(program_parts(), _answers(folder, wish), program_wheel(installed_program()))
    with arriving(folder) as arrival:
        arrival.write("", files)
    return sorted(files)


def _answers(folder: Path, wish: Wish) -> Answers:
    benchmark = wish.benchmark or re.sub("[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    _require_id("--benchmark", benchmark)
    _require_id("--track", wish.track)
    if benchmark in BESIDE_BENCHMARKS:
        raise UsageError(f"{benchmark} is an address of the site itself; name the benchmark with --benchmark")
    title = wish.title.strip(" ") or _in_words(benchmark)
    if any(map(is_hidden, title)):
        raise UsageError("--title is to be one line of text")
    columns = columns_of(wish.protocol, reference=False)
    track = (wish.track, _in_words(wish.track), wish.protocol, wish.attempts)
    return Answers(benchmark, title, *track, columns, wish.host)


def _require_id(option: str, value: str) -> None:
    if not is_slug(value):
        raise UsageError(f"{option} is to be lower-case letters, digits, `-` and `_`, and this is `{value}`")


def _in_words(name: str) -> str:
    return re.sub("[-_]+", " ", name).strip().capitalize()
