"""Start processes that share work or run programs, and that end when the command ends.

Forked processes inherit everything read so far. Each process watches a pipe whose other end is held
by the command, and ends when the command ends. Start with `run_in_processes` and `start_process`.
"""

import itertools
import multiprocessing
import os
import runpy
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import ParamSpec, TypeAlias, TypeVar

from sitegen.problems import SitegenError

MACHINE_FAILED = 4
"""Exit code of a program run by `command_that_ends_with_us` if the machine fails."""

P = ParamSpec("P")
T = TypeVar("T")

JobNumbers: TypeAlias = Iterator[int]
"""An endless iterator of the job numbers that a process takes; each number goes to one process."""


def run_in_processes(process_count: int, work: Callable[[JobNumbers], T], noun: str) -> list[T]:
    """Run a function in several processes that share numbered jobs, and return all results.

    The calling process is one of them, and does all the work if the system can't fork.

    Args:
        process_count: Number of processes, at least 1.
        work: Takes the number of its next job each time it has finished a job.
        noun: A noun phrase for a process in error messages, such as "a process that renders pages".

    Raises:
        ChildProcessError: A process ended without a result.
    """
    if process_count == 1 or not hasattr(os, "fork"):
        return [work(itertools.count())]
    context = multiprocessing.get_context("fork")
    counter = context.Value("q", 0)

    def send_result(sender: Connection) -> None:
        with sender:
            sender.send(work(_take_numbers(counter)))

    receivers: list[Connection[object, T]] = []
    processes = []
    try:
        for _ in range(process_count - 1):
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(send_result, sender), daemon=True)
            processes.append(process)
            process.start()
            sender.close()
            receivers.append(receiver)
        results = [work(_take_numbers(counter))]
        results += [_receive_result(receiver, noun) for receiver in receivers]
        return results
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()
                process.join()


def _receive_result(receiver: "Connection[object, T]", noun: str) -> T:
    """Return the result that a process sends.

    Raises:
        ChildProcessError: The process ended without a result.
    """
    try:
        return receiver.recv()
    except EOFError as error:
        raise ChildProcessError(f"{noun} exited early; its output is above") from error


def _take_numbers(counter: "Synchronized[int]") -> JobNumbers:
    """Yield numbers from a counter that processes share, without end."""
    while True:
        with counter.get_lock():
            number = counter.value
            counter.value += 1
        yield number


def take_jobs(jobs: deque[T], numbers: JobNumbers) -> Iterator[tuple[int, T]]:
    """Yield the jobs of one process, and remove every job from the queue once it is reached.

    The values that a job has computed are thus freed as soon as the next job is yielded.

    Args:
        jobs: The jobs of all processes, in order.
        numbers: The numbers of the jobs that this process takes.

    Yields:
        The number of the job that the process takes next, and the job to do now.
    """
    turn = next(numbers)
    for number in range(len(jobs)):
        job = jobs.popleft()
        if number == turn:
            turn = next(numbers)
            yield turn, job


@contextmanager
def start_process(
    work: Callable[P, None], *args: P.args, **options: P.kwargs
) -> Iterator[ForkProcess | None]:
    """Run a function in a separate process, which is stopped at the end of the block.

    If the system can't fork, the function runs before the block.
    """
    if not hasattr(os, "fork"):
        work(*args, **options)
        yield None
        return
    context = multiprocessing.get_context("fork")
    process = context.Process(target=_run, args=(work, *args), kwargs=options, daemon=True)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def _run(work: Callable[P, None], *args: P.args, **options: P.kwargs) -> None:
    """Run the function of a forked process; print an expected error on one line, and exit."""
    try:
        work(*args, **options)
    except (SitegenError, OSError, MemoryError) as error:
        sys.exit(f"error: {error}")


def exit_with_parent() -> None:
    """Make every process forked from now on end when this process ends for any reason."""
    read_end, write_end = os.pipe()

    def follow_parent() -> None:
        os.close(write_end)
        _end_with(read_end)

    os.register_at_fork(after_in_child=follow_parent)


def command_that_ends_with_us(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module as a program that ends with this process.

    The program ends when its standard input closes, which is a pipe whose other end is held by this
    process. To watch the pipe, Python runs this file as a script, whose last lines run the module.
    """
    return python_command(__file__, module, *arguments)


def python_command(*arguments: str, interpreter: Path | None = None) -> list[str]:
    """Return the command that runs Python without importing modules from the working directory.

    The working directory may be untrusted and may contain a module that shadows an installed one.
    If no interpreter is given, the current interpreter is used.
    """
    return [str(interpreter or sys.executable), "-P", *arguments]


def _end_with(pipe: int) -> None:
    """End this process as soon as the other end of a pipe is closed in all processes."""

    def wait_for_end() -> None:
        while os.read(pipe, 1):
            pass
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait_for_end, daemon=True).start()


if __name__ == "__main__":
    _end_with(sys.stdin.fileno())
    del sys.argv[0]
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except (OSError, MemoryError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(MACHINE_FAILED)
