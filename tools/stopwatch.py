"""Runs programs and measures the resources that they and their descendants use; prints figures next to budgets."""

import os
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import astuple, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITEGEN = [sys.executable, "-m", "sitegen"]
MKDOCS = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
RUNS = 3
MEGABYTE = 1024 * 1024
BREATH = 0.2
"""Seconds between two memory samples."""

_HELD = re.compile(r"^Pss: +(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class Cost:
    """The resources that a run of a program used."""

    cpu: float
    """User and system seconds of the process and of all descendants that it waited for."""
    wall: float
    megabytes: float
    """The maximum memory of all processes together, with shared pages counted once (sampled PSS); 0 without /proc."""


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time that a function takes in this process."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def line(title: str, figure: str, budget: str = "") -> None:
    """Print one figure."""
    print(f"  {title:<52}{figure:>30}  {budget}", flush=True)


def run(command: list[str], folder: Path = ROOT) -> Cost:
    """Run a program silently until it ends; a failure ends the measurement. Compiled code may be cached."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment |= {"PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    quiet = subprocess.DEVNULL
    began, memory_samples, ended = time.perf_counter(), [0.0], threading.Event()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)

    def look() -> None:
        while not ended.wait(BREATH):
            memory_samples.append(held(process.pid))

    looking = threading.Thread(target=look)
    looking.start()
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    ended.set()
    looking.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return Cost(usage.ru_utime + usage.ru_stime, took, max(memory_samples))


def held(first: int) -> float:
    """Return the memory of a process and its descendants, in megabytes."""
    children = defaultdict(list)
    total, waiting = 0, [first]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            children[int((process / "stat").read_text().rpartition(")")[2].split()[1])].append(
                int(process.name)
            )
        except OSError:  # the process has ended
            continue
    while waiting:
        pid = waiting.pop()
        waiting += children[pid]
        try:
            total += sum(map(int, _HELD.findall(Path(f"/proc/{pid}/smaps_rollup").read_text())))
        except OSError:
            continue
    return total / 1024


def median(costs: list[Cost]) -> Cost:
    """Return the median of each figure."""
    return Cost(*map(statistics.median, zip(*map(astuple, costs), strict=True)))
