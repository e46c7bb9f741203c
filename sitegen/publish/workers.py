"""Shares work out over processes that inherit everything read so far."""

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

from sitegen.errors import BuilderError

T = TypeVar("T")


def shared_out(shares: int, work: Callable[[int], T]) -> list[T]:
    """Do each share of some work, all but the first in a process of its own.

    Processes are forked, so nothing is sent to them: they see what the caller has in memory. Where a
    system has no fork, the shares are done one after the other.

    Args:
        shares: How many there are, at least 1.
        work: Does the share of a number, from 0; its result is sent back.

    Returns:
        The results, in the order of the shares.

    Raises:
        BuilderError: A process ended without a result.
    """
    if shares == 1 or not hasattr(os, "fork"):
        return [work(share) for share in range(shares)]
    context = multiprocessing.get_context("fork")
    receivers = []
    for share in range(1, shares):
        receiver, sender = context.Pipe(duplex=False)
        context.Process(target=_send, args=(sender, work, share), daemon=True).start()
        sender.close()
        receivers.append(receiver)
    return [work(0), *(_received(receiver) for receiver in receivers)]


def _send(sender: Connection, work: Callable[[int], T], share: int) -> None:
    with sender:
        sender.send(work(share))


def _received(receiver: "Connection[object, T]") -> T:
    try:
        return receiver.recv()
    except EOFError as error:
        raise BuilderError("a process that renders pages ended early; its message stands above") from error
