"""The command as a shell runs it, without the second in which Python reads the program.

A process that has read the program waits, and forks one for each command: it has a working directory, variables,
streams and an exit code of its own. Where start-up itself is the point, tests run `python -m sitegen`.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NoReturn

from ahead import draw_once, ended, python_ahead

ROOT = Path(__file__).parents[1]
LONGEST = 600
"""So many seconds a command may take."""
drawings: list[str] = []
"""The folder where all processes that share the tests keep drawings of charts; without, each has its own."""
READ_AHEAD = ("altair", "pandas", "scipy.special", "scipy.stats")
"""Libraries that the program imports where it needs them."""
USED_AHEAD = ("demo results --agents 2 --tasks 1", "score results", "build --jobs 1")
"""Commands that find out, once for all, what depends on the program alone."""


def sitegen(*words: str | Path, folder: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with more variables than this process has."""
    with TemporaryDirectory() as work:
        streams = [f"{work}/output", f"{work}/errors"]
        order = [list(map(str, words)), str(folder or Path.cwd()), {**os.environ, **environment}, streams]
        asked, answered = _waiting()
        asked.write(json.dumps(order) + "\n")
        asked.flush()
        code = int(answered.readline())
        said = [Path(stream).read_text(encoding="utf-8") for stream in streams]
    return subprocess.CompletedProcess(["sitegen", *map(str, words)], code, *said)


def done(*words: str | Path, folder: Path | None = None, **environment: str) -> str:
    """Run a command that ends well; give what it prints."""
    ended = sitegen(*words, folder=folder, **environment)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    return ended.stdout


@contextmanager
def tried(source: Path, temporary: Path) -> Iterator[str]:
    """Address at which `sitegen try` shows runs; at the end it is interrupted, as by Ctrl-C.

    What is started in the background ignores interrupts, and so do its children, unless they are told otherwise.
    """
    words = [sys.executable, "-m", "sitegen", "try", str(source), "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        signal.signal(signal.SIGINT, before)
        assert process.stdout
        try:
            yield process.stdout.readline().split()[0]
            process.send_signal(signal.SIGINT)
            process.wait(60)
        finally:
            process.kill()


@cache
def _waiting() -> tuple[IO[str], IO[str]]:
    """Start the process that waits; it ends with this one."""
    pipe = subprocess.PIPE
    words = [sys.executable, "-W", "ignore", __file__, *drawings]
    process = subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    assert process.stdin
    assert process.stdout
    atexit.register(process.communicate)
    return process.stdin, process.stdout


def _wait() -> None:
    asked, answered = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    import sitegen as program  # noqa: PLC0415 - only here, where it is to be read ahead
    from sitegen.cli.main import app  # noqa: PLC0415 - likewise
    from sitegen.pages.environment import Templates  # noqa: PLC0415 - likewise

    found = (each.name for each in pkgutil.walk_packages(program.__path__, "sitegen."))
    for name in (*(each for each in found if not each.endswith("__main__")), *READ_AHEAD):
        importlib.import_module(name)
    Templates(ROOT / "templates" / "pages").ready()
    with TemporaryDirectory() as ahead, python_ahead(Path(ahead)) as sys.executable:
        draw_once(Path(sys.argv[1] if sys.argv[1:] else ahead))
        with TemporaryDirectory() as folder, contextlib.chdir(folder):
            for words in USED_AHEAD:
                with suppress(SystemExit):
                    app(words.split())
        tempfile.tempdir = None  # each command finds its own
        gc.collect()
        gc.freeze()
        _answer(asked, answered)


def _answer(asked: IO[str], answered: IO[str]) -> None:
    for line in asked:
        child = os.fork()
        if not child:
            asked.close()
            answered.close()
            _run(*json.loads(line))
        _, status = os.waitpid(child, 0)
        answered.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answered.flush()


def _run(words: list[str], folder: str, environment: dict[str, str], streams: list[str]) -> NoReturn:
    """Be the command."""
    from sitegen.cli import main  # noqa: PLC0415 - read ahead by now

    for number, stream in enumerate(streams, start=1):
        os.dup2(os.open(stream, os.O_WRONLY | os.O_CREAT), number)
    signal.alarm(LONGEST)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # what was found out before it was forked
    sys.argv = ["sitegen", *words]
    os._exit(ended(main))


if __name__ == "__main__":
    _wait()
