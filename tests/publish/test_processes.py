"""No process outlives the command that started it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kit.timeouts import PATIENCE
from trials import is_over

from sitegen.publish.machine.processes import MACHINE_FAILED, command_that_ends_with_us

SHARING = """
import os, sys, time
from sitegen.publish.machine.processes import exit_with_parent
from sitegen.publish.machine.processes import run_in_processes
exit_with_parent()
print("begun", flush=True)
run_in_processes(3, lambda turns: time.sleep(600))
"""
READING = """
import sys, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from sitegen.publish.machine.processes import exit_with_parent
exit_with_parent()
with ProcessPoolExecutor(2, get_context("fork")) as pool:
    reading = pool.map(time.sleep, [0, 600])
    next(reading)
    print("begun", flush=True)
    next(reading)
"""


@pytest.mark.parametrize("program", [SHARING, READING])
def test_a_process_ends_with_the_one_that_forked_it(program: str) -> None:
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "begun\n"
        parent.send_signal(signal.SIGKILL)
    assert is_over(parent.pid)


def test_a_program_on_a_leash_ends_when_nobody_holds_it() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command_that_ends_with_us("http.server", "0"), stdin=pipe, stdout=pipe, stderr=pipe
    ) as program:
        assert program.stdin
        program.stdin.close()
        assert program.wait(timeout=PATIENCE / 1000) == -signal.SIGKILL


def test_a_program_on_a_leash_says_that_the_machine_failed() -> None:
    """The address is another machine's."""
    pipe = subprocess.PIPE
    command = command_that_ends_with_us("http.server", "--bind", "192.0.2.1", "0")
    with subprocess.Popen(command, stdin=pipe, stderr=pipe, text=True) as program:
        assert program.stderr
        assert "Traceback" not in program.stderr.read()
        assert program.wait() == MACHINE_FAILED


def test_a_module_of_the_working_directory_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "timeit.py").write_text("print('a stranger')", encoding="utf-8")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command_that_ends_with_us("timeit", "-h"), cwd=tmp_path, stdin=pipe, stdout=pipe, text=True
    ) as program:
        assert program.stdout
        assert "a stranger" not in program.stdout.read()
