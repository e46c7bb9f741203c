"""The command that begins a leaderboard."""

import os
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.printing import say, shown_path
from sitegen.models.benchmark import Protocol
from sitegen.pipeline.starting import Wish, start
from sitegen.problems import counted
from sitegen.publish.beginning import Host


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The project's folder: a new one, or an empty one.")],
    benchmark: Annotated[str, typer.Option(help="Id of its first benchmark; else the folder's name.")] = "",
    title: Annotated[str, typer.Option(help="What benchmark and site are called.")] = "",
    track: Annotated[str, typer.Option(help="Id of the first track.")] = "main",
    protocol: Annotated[Protocol, typer.Option(help="How rounds follow each other on it.")] = "chain",
    attempts: Annotated[int, typer.Option(min=1, max=1000, help="Independent tries at each task.")] = 1,
    host: Annotated[
        Host, typer.Option(help="Where its repository is to stand; what judges and publishes there comes with it.")
    ] = "github",
) -> None:
    """Begin a leaderboard: a project that builds at once, and waits for results."""
    files = start(folder, Wish(benchmark, title, track, protocol, attempts, host))
    say(f"{counted(len(files), 'file')} in {shown_path(folder)}")
    for name in files:
        say(f"  {name}")
    say("Next:")
    if folder.resolve() != Path(os.curdir).resolve():
        say(f"  cd {shown_path(folder)}")
    (named,) = (Path(name).parent.name for name in files if name.startswith("results/"))
    say(f"  sitegen import FORMAT SOURCE --benchmark {named} --track {track}")
    say("  sitegen validate")
    say("  sitegen build")
    say("`make` and the workflows install the program from wheels/. To take a newer one, run its `sitegen init`")
    say("in a new folder, and put the wheels/ and the requirements.txt that it writes there in the place of these.")
