"""Shares work out over processes that inherit everything read so far."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from typing import ParamSpec, TypeVar

from sitegen.problems import SitegenError

P = ParamSpec("P")
T = TypeVar("T")

Turns = Iterator[int]
"""Numbers of the pieces of work that are a process's turn: each number goes to one process, in order, without end."""


def shared_out(jobs: int, work: Callable[[Turns], T]) -> list[T]:
    """Do some work in several processes, each taking the next piece when it is done with one.

    Processes are forked, so nothing is sent to them: they see what the caller has in memory. Where a
    system has no fork, one process does it all.

    Args:
        jobs: How many processes, at least 1, the calling one included.
        work: Does the pieces whose turn it is; its result is sent back.

    Returns:
        One result per process.

    Raises:
        ChildProcessError: A process ended without a result.
    """
    if jobs == 1 or not hasattr(os, "fork"):
        return [work(iter(range(2**63)))]
    context = multiprocessing.get_context("fork")
    counter = context.Value("q", 0)
    receivers, processes = [], []
    try:
        for _ in range(jobs - 1):
            receiver, sender = context.Pipe(duplex=False)
            processes.append(context.Process(target=in_a_line, args=(_send, sender, work, counter), daemon=True))
            processes[-1].start()
            sender.close()
            receivers.append(receiver)
        return [work(_turns(counter)), *(_received(receiver) for receiver in receivers)]
    finally:
        for process in filter(multiprocessing.Process.is_alive, processes):
            process.kill()
            process.join()


def in_a_line(work: Callable[P, None], *args: P.args, **options: P.kwargs) -> None:
    """Do what a forked process is for; where data or machine fail it, say so in a line, and end."""
    try:
        work(*args, **options)
    except (SitegenError, OSError, MemoryError) as error:
        sys.exit(f"error: {error}")


def _turns(counter: "Synchronized[int]") -> Turns:
    while True:
        with counter.get_lock():
            turn = counter.value
            counter.value += 1
        yield turn


def _send(sender: Connection, work: Callable[[Turns], T], counter: "Synchronized[int]") -> None:
    with sender:
        sender.send(work(_turns(counter)))


def _received(receiver: "Connection[object, T]") -> T:
    try:
        return receiver.recv()
    except EOFError as error:
        raise ChildProcessError("a process that renders pages ended early; what it said stands above") from error
