"""Lets no process outlive the command that started it: a pipe ends when whoever holds its other end does."""

import os
import runpy
import signal
import sys
import threading

MACHINE_FAILED = 4
"""How a program on a leash ends where the machine failed it."""


def take_leash() -> None:
    """Let every process that is forked from now on end with this one, however it ends."""
    watched, held = os.pipe()

    def follow() -> None:
        os.close(held)
        _follow(watched)

    os.register_at_fork(after_in_child=follow)


def on_leash(module: str, *words: str) -> list[str]:
    """Give the command that runs a module as a program and ends when its standard input does.

    The module is an installed one: the working directory may be a stranger's, and hold one of that name.
    """
    return [sys.executable, "-P", __file__, module, *words]


def _follow(watched: int) -> None:
    threading.Thread(target=_end_with, args=(watched,), daemon=True).start()


def _end_with(watched: int) -> None:
    while os.read(watched, 1):
        pass
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    _follow(sys.stdin.fileno())
    del sys.argv[0]
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except (OSError, MemoryError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(MACHINE_FAILED)
