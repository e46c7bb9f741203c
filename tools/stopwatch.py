"""Runs programs and tells what they took, with all that they start; prints figures beside their budgets."""

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
"""Seconds between two looks at what a program holds."""

_HELD = re.compile(r"^Pss: +(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class Cost:
    """What a run of a program took."""

    cpu: float
    """Seconds, user and system, of the process and of all that it started and waited for."""
    wall: float
    megabytes: float
    """The most that all of them held at once, what they share counted once (PSS, sampled); 0 where no /proc tells."""


def seconds(work: Callable[[], object]) -> float:
    """Time something that this process does."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def line(what: str, figure: str, budget: str = "") -> None:
    """Print one figure."""
    print(f"  {what:<52}{figure:>30}  {budget}", flush=True)


def run(command: list[str], folder: Path = ROOT) -> Cost:
    """Run a program to its end, unheard; a failure ends the measurement. It may keep what is compiled of it."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment |= {"PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    quiet = subprocess.DEVNULL
    began, most, ended = time.perf_counter(), [0.0], threading.Event()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)

    def look() -> None:
        while not ended.wait(BREATH):
            most.append(held(process.pid))

    looking = threading.Thread(target=look)
    looking.start()
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    ended.set()
    looking.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return Cost(usage.ru_utime + usage.ru_stime, took, max(most))


def held(first: int) -> float:
    """Add up what a process and its descendants hold, in megabytes."""
    children = defaultdict(list)
    total, waiting = 0, [first]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            children[int((process / "stat").read_text().rpartition(")")[2].split()[1])].append(
                int(process.name)
            )
        except OSError:  # it has ended
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
    """Take the median of each figure."""
    return Cost(*map(statistics.median, zip(*map(astuple, costs), strict=True)))
