"""Work that many builds in tests share, done only once: loading the builder, and rendering equal pages and charts.

A command starts its builder, and itself, with `sys.executable`. In tests, this is a short program that passes its
arguments, streams and variables to a waiting process, and exits with the exit code of that process's fork. All other
calls go to the real Python.
"""

import gc
import hashlib
import marshal
import os
import runpy
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import jinja2
import vl_convert
import yaml

from sitegen.publish.site.authored import settings_files

_PROGRAM = """#!/bin/sh
'''exec' '{python}' -IS "$0" "$@" #'''
import _socket, marshal, os, sys
words = sys.argv[1:]
if {builds} and words[:3] == ["-P", "-m", "sitegen"] and "PYTHONPATH" not in os.environ:
    os.execv({program!r}, [{program!r}, *words[3:]])
if {builds} and (words[:1] != ["-P"] or words[2:3] != ["mkdocs"]):
    os.execv({python!r}, [{python!r}, *words])
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
waiting = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
waiting.connect({address!r})
waiting.sendmsg([b" "], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
order = marshal.dumps((words[{builds}:], os.getcwd(), dict(os.environ)))
while order:
    order = order[waiting.send(order):]
waiting.shutdown(_socket.SHUT_WR)
sys.exit(int(waiting.recv(4) or 1))
"""


def python_ahead(folder: Path) -> str:
    """Start the waiting process, which ends with this process; return the program that replaces Python.

    The folder caches the builder's output, since equal input gives equal output.
    """
    address = folder / "asked-to-build"
    program = asking(folder / "python", address, builds=1)
    asked = listening(address)
    wanted, held = os.pipe()  # the waiting process sees its end close once no process holds the other
    if not os.fork():
        os.close(held)
        answer(asked, wanted, _read, lambda arguments: ended(partial(_build, folder, arguments)))
    os.close(wanted)
    asked.close()
    return str(program)


def asking(program: Path, address: Path, builds: int = 0) -> Path:
    """Write a program that calls `ask`; with `builds`, it replaces Python and forwards only calls of the builder."""
    names = {"python": sys.executable, "program": str(program.with_name("sitegen")), "address": str(address)}
    program.write_text(_PROGRAM.format(**names, builds=builds), encoding="utf-8")
    program.chmod(0o700)
    return program


def draw_once(folder: Path) -> None:
    """Make the chart converter cache its drawings in a folder, since equal input gives equal drawings."""
    for draw in (vl_convert.vegalite_to_svg, vl_convert.svg_to_png):
        setattr(vl_convert, draw.__name__, partial(_drawn, draw, folder))


def _drawn(draw: Callable[..., str | bytes], folder: Path, subject: object, **options: object) -> object:
    asked = repr((draw.__name__, subject, options))
    cache_path = folder / hashlib.sha256(asked.encode()).hexdigest()
    if not cache_path.exists():
        partial_path = cache_path.with_suffix(f".{os.getpid()}")
        partial_path.write_bytes(marshal.dumps(draw(subject, **options)))
        partial_path.replace(cache_path)
    return marshal.loads(cache_path.read_bytes())  # noqa: S302 - as above


def ended(program: Callable[[], object]) -> int:
    """Run a program to its end and return its exit code."""
    code = 0
    try:
        program()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as Python itself does
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def ask(
    address: Path, arguments: Sequence[str], folder: str, environment: Mapping[str, str], streams: Sequence[int]
) -> int:
    """Have the process that waits at an address run a command; return its exit code."""
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.connect(str(address))
        socket.send_fds(waiting, [b" "], streams)
        waiting.sendall(marshal.dumps((list(arguments), folder, dict(environment))))
        waiting.shutdown(socket.SHUT_WR)
        return int(waiting.recv(4) or 1)


def listening(address: Path) -> socket.socket:
    """Return a socket that listens at an address for requests from `ask`."""
    asked = socket.socket(socket.AF_UNIX)
    asked.bind(str(address))
    asked.listen()
    return asked


def answer(
    asked: socket.socket,
    wanted: int,
    ready: Callable[[list[str]], object],
    run: Callable[[list[str]], int],
) -> NoReturn:
    """Serve requests, each in a fork with its own folder, variables and streams, until no process needs them.

    Args:
        asked: The socket that `ask` connects to.
        wanted: The read end of a pipe, readable once no process holds the other end.
        ready: Loads everything that all requests need, given the arguments of the first request.
        run: Runs a request, given its arguments, and returns the exit code.
    """
    is_ready = False
    running: list[tuple[socket.socket, int, int]] = []  # client, pipe that ends with the program, process id
    events = select.poll()
    events.register(asked, select.POLLIN)
    events.register(wanted, 0)
    while wanted not in (happened := [number for number, _ in events.poll()]):
        for client, ends, program in list(running):
            if not {ends, client.fileno()}.isdisjoint(happened):
                running.remove((client, ends, program))
                events.unregister(client)
                events.unregister(ends)
                _end(client, program, is_left=ends not in happened)
                os.close(ends)
        if asked.fileno() not in happened:
            continue
        client, _ = asked.accept()
        order = _order_of(client)
        if order is None:
            continue
        streams, arguments, folder, environment = order
        if not is_ready:
            ready(arguments)
            is_ready = True
        ends, held = os.pipe()
        program = os.fork()
        if not program:
            os._exit(_as_asked(streams, folder, environment, partial(run, arguments)))
        for descriptor in (*streams, held):
            os.close(descriptor)
        running.append((client, ends, program))
        events.register(client, 0)
        events.register(ends, 0)
    for client, _, program in running:
        _end(client, program, is_left=True)
    os._exit(0)


def _order_of(client: socket.socket) -> tuple[list[int], list[str], str, dict[str, str]] | None:
    """Read a request; close the connection if the client was killed before sending all of it."""
    streams: list[int] = []
    try:
        _, streams, _, _ = socket.recv_fds(client, 1, 3)
        with client.makefile("rb") as sent:
            arguments, folder, environment = marshal.loads(sent.read())  # noqa: S302 - of a program of these tests
    except (OSError, EOFError, ValueError, TypeError):
        for stream in streams:
            os.close(stream)
        client.close()
        return None
    return streams, arguments, folder, environment


def _end(client: socket.socket, program: int, *, is_left: bool) -> None:
    """Send a client the exit code of its program; kill the program first if the client has left."""
    if is_left:
        os.kill(program, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    with client, suppress(OSError):
        client.send(str(code).encode())


def _as_asked(streams: Sequence[int], folder: str, environment: Mapping[str, str], run: Callable[[], int]) -> int:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    # The streams opened before the fork would treat a pipe as a file.
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the program runs
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115 - likewise
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # determined before the fork
    return run()


def _read(arguments: list[str]) -> None:
    """Load the builder with a first build in a temporary folder, and compile all its templates."""
    from mkdocs.commands.build import build  # noqa: PLC0415 - only where it is to be read ahead
    from mkdocs.config import load_config  # noqa: PLC0415 - likewise

    from sitegen.pages.environment import COMPILED  # noqa: PLC0415 - likewise

    # Compiled templates are kept here, regardless of the cache that a template environment requests.
    jinja2.Environment.bytecode_cache = property(lambda _: COMPILED, lambda _, __: None)  # type: ignore[assignment]
    with TemporaryDirectory() as site:
        build(load_config(arguments[-1], site_dir=site, strict=False))
    gc.collect()
    gc.freeze()


def _build(cache_folder: Path, arguments: list[str]) -> None:
    settings = yaml.safe_load(Path(arguments[-1]).read_text(encoding="utf-8"))
    site = settings.pop("site_dir")
    made = cache_folder / f"authored-{_digest(settings)}"
    if made.exists():
        _copied(made, site)
        return
    sys.argv = arguments
    if code := ended(partial(runpy.run_path, arguments[0], run_name="__main__")):
        sys.exit(code)
    _copied(site, partial_copy := made.with_suffix(f".{os.getpid()}"))
    with suppress(OSError):  # another process was first
        partial_copy.rename(made)


_copied = partial(shutil.copytree, copy_function=shutil.copyfile, dirs_exist_ok=True)


def _digest(settings: dict[str, Any]) -> str:
    """Return a digest of everything that the builder's output depends on."""
    folders = settings.pop("docs_dir"), settings["theme"].pop("custom_dir")
    texts = [file.read_text(encoding="utf-8") for file in settings_files(Path(settings.pop("INHERIT")))]
    made_of = (settings, texts, os.environ["SOURCE_DATE_EPOCH"], *map(digest_of_files, map(Path, folders)))
    return hashlib.sha256(repr(made_of).encode()).hexdigest()


def digest_of_files(folder: Path) -> str:
    """Return a digest of the names and contents of a folder's files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
