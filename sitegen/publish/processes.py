"""Processes beside the command's own: work shared out, work done beside, programs; none outlives the command.

Forked ones inherit everything read so far. A pipe ends when whoever holds its other end does: that ends them all.
"""

import multiprocessing
import os
import runpy
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from multiprocessing.sharedctypes import Synchronized
from typing import ParamSpec, TypeVar

from sitegen.problems import SitegenError

MACHINE_FAILED = 4
"""How a program on a leash ends where the machine failed it."""

P = ParamSpec("P")
T = TypeVar("T")

Turns = Iterator[int]
"""Numbers of the pieces of work that are a process's turn: each number goes to one process, in order, without end."""


def shared_out(jobs: int, work: Callable[[Turns], T]) -> list[T]:
    """Do some work in several processes, each taking the next piece when it is done with one; gives a result of each.

    There is at least one, the calling one. Where a system has no fork, it does everything.

    Raises:
        ChildProcessError: A process ended without a result.
    """
    if jobs == 1 or not hasattr(os, "fork"):
        return [work(iter(range(2**63)))]
    context = multiprocessing.get_context("fork")
    counter = context.Value("q", 0)

    def send(sender: Connection) -> None:
        with sender:
            sender.send(work(_turns(counter)))

    receivers: list[Connection[object, T]] = []
    processes = []
    try:
        for _ in range(jobs - 1):
            receiver, sender = context.Pipe(duplex=False)
            processes.append(context.Process(target=_run, args=(send, sender), daemon=True))
            processes[-1].start()
            sender.close()
            receivers.append(receiver)
        done = [work(_turns(counter))]
        for receiver in receivers:
            try:
                done.append(receiver.recv())
            except EOFError as error:
                what = "a process that renders pages ended early; what it said stands above"
                raise ChildProcessError(what) from error
        return done
    finally:
        for process in filter(multiprocessing.Process.is_alive, processes):
            process.kill()
            process.join()


def _turns(counter: "Synchronized[int]") -> Turns:
    while True:
        with counter.get_lock():
            turn = counter.value
            counter.value += 1
        yield turn


@contextmanager
def beside(
    work: Callable[P, None], *args: P.args, **options: P.kwargs
) -> Iterator[ForkProcess | None]:
    """Do some work in a process of its own, which ends with the block; without fork, all of it now and here."""
    if not hasattr(os, "fork"):
        work(*args, **options)
        yield None
        return
    process = multiprocessing.get_context("fork").Process(
        target=_run, args=(work, *args), kwargs=options, daemon=True
    )
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def _run(work: Callable[P, None], *args: P.args, **options: P.kwargs) -> None:
    """Do what a forked process is for; where data or machine fail it, say so in a line, and end."""
    try:
        work(*args, **options)
    except (SitegenError, OSError, MemoryError) as error:
        sys.exit(f"error: {error}")


def take_leash() -> None:
    """Let every process that is forked from now on end with this one, however it ends."""
    watched, held = os.pipe()

    def follow() -> None:
        os.close(held)
        _end_with(watched)

    os.register_at_fork(after_in_child=follow)


def on_leash(module: str, *words: str) -> list[str]:
    """The command that runs a module as a program and ends when its standard input does.

    The module is an installed one: the working directory may be a stranger's, and hold one of that name.
    """
    return [sys.executable, "-P", __file__, module, *words]


def _end_with(watched: int) -> None:
    """End this process when nobody holds the other end of a pipe any more."""

    def wait() -> None:
        while os.read(watched, 1):
            pass
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    _end_with(sys.stdin.fileno())
    del sys.argv[0]
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except (OSError, MemoryError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(MACHINE_FAILED)
