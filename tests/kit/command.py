"""The command as run by a shell, but without the second that Python needs to import the program.

A waiting process that has imported the program forks a child for each command; the child has its own working directory,
variables, streams and exit code. Tests of start-up itself run `python -m sitegen`.
"""

import contextlib
import fcntl
import gc
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from kit.prepared_builds import answer, ask, asking, draw_once, ended, listening, python_ahead

ROOT = Path(__file__).parents[2]
LONGEST = 600
"""Maximum running time of a command, in seconds."""
ASKED, HELD = "asked", "held"
"""Names of the socket for requests, and of the pipe that keeps the waiting process alive."""
shared = Path()
"""The folder shared by all processes of a test run; set when the tests begin."""
READ_AHEAD = ("altair", "pandas", "scipy.special", "scipy.stats")
"""Libraries that the program imports on demand."""
USED_AHEAD = ("demo results --agents 2 --tasks 1", "score results", "build --jobs 1", "init board")
"""Commands that precompute everything that depends only on the program."""


def sitegen(*arguments: str | Path, folder: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with additional environment variables."""
    _hold()
    argument_texts = list(map(str, arguments))
    with Path(os.devnull).open() as nothing, TemporaryFile() as output, TemporaryFile() as errors:
        streams = [file.fileno() for file in (nothing, output, errors)]
        code = ask(shared / ASKED, argument_texts, str(folder or Path.cwd()), {**os.environ, **environment}, streams)
        texts = [_written(stream) for stream in (output, errors)]
    return subprocess.CompletedProcess(["sitegen", *argument_texts], code, *texts)


def _written(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode()


def done(*arguments: str | Path, folder: Path | None = None, **environment: str) -> str:
    """Run a command that must succeed; return its output."""
    ended = sitegen(*arguments, folder=folder, **environment)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    return ended.stdout


def program() -> Path:
    """Return the path of the command as an executable file."""
    _hold()
    return shared / "sitegen"


@contextmanager
def tried(source: Path, temporary: Path) -> Iterator[str]:
    """Yield the address at which `sitegen try` shows runs; it is interrupted at the end, as by Ctrl-C.

    Processes started in the background ignore interrupts, and so do their children, unless the signal handler is set.
    """
    command = [sys.executable, "-m", "sitegen", "try", str(source), "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        signal.signal(signal.SIGINT, before)
        assert process.stdout
        try:
            yield process.stdout.readline().split()[0]
            process.send_signal(signal.SIGINT)
            process.wait(60)
        finally:
            process.kill()


@cache
def _hold() -> int:
    """Start the waiting process unless it is running; it ends when no process holds its pipe."""
    with locked(shared / "commands.lock"):
        try:
            return os.open(shared / HELD, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            pipe = subprocess.DEVNULL
            command = [sys.executable, "-W", "ignore", "-m", "kit.command", str(shared)]
            subprocess.run(command, cwd=ROOT / "tests", stdin=pipe, stdout=pipe, check=True)
            return os.open(shared / HELD, os.O_WRONLY)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock, so that only one process at a time continues."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _wait(folder: Path) -> None:
    import sitegen as program  # noqa: PLC0415 - only here, where it is to be read ahead
    from sitegen.cli.main import app  # noqa: PLC0415 - likewise
    from sitegen.pages.environment import Templates  # noqa: PLC0415 - likewise

    module_names = (package.name for package in pkgutil.walk_packages(program.__path__, "sitegen."))
    for name in (*(module_name for module_name in module_names if not module_name.endswith("__main__")), *READ_AHEAD):
        importlib.import_module(name)
    Templates(ROOT / "templates" / "pages").preload()
    sys.executable = python_ahead(folder)
    draw_once(folder)
    with TemporaryDirectory() as work, contextlib.chdir(work):
        for command_line in USED_AHEAD:
            with suppress(SystemExit):
                app(command_line.split())
    gc.collect()
    gc.freeze()
    os.mkfifo(folder / HELD)
    held = os.open(folder / HELD, os.O_RDONLY | os.O_NONBLOCK)
    asked = listening(folder / ASKED)
    asking(folder / "sitegen", folder / ASKED)
    if not os.fork():
        answer(asked, held, lambda _: None, _run)


def _run(arguments: list[str]) -> int:
    """Run the command in the current process."""
    from sitegen.cli import main  # noqa: PLC0415 - read ahead by now

    signal.alarm(LONGEST)
    sys.argv = ["sitegen", *arguments]
    return ended(main)


if __name__ == "__main__":
    _wait(Path(sys.argv[1]))
