"""Runs programs and times them, and prints figures beside their budgets."""

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITEGEN = [sys.executable, "-m", "sitegen"]
MKDOCS = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
RUNS = 3
MEGABYTE = 1024


@dataclass(frozen=True)
class Cost:
    """What one run of a program took."""

    seconds: float
    megabytes: float


def seconds(work: Callable[[], object]) -> float:
    """Time something that this process does."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def line(what: str, figure: str, budget: str = "") -> None:
    """Print one figure."""
    print(f"  {what:<44}{figure:>18}  {budget}")


def run(command: list[str], folder: Path = ROOT) -> Cost:
    """Run a program to its end, unheard; a failure ends the measurement."""
    began = time.perf_counter()
    process = spawn_in(command, folder)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return Cost(time.perf_counter() - began, usage.ru_maxrss / MEGABYTE)


def spawn_in(command: list[str], folder: Path) -> int:
    """Start a program in a folder. It may keep what is compiled of it, as an installed program does."""
    before = Path.cwd()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    os.chdir(folder)
    try:
        quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
        return os.posix_spawn(command[0], command, environment, file_actions=quiet)
    finally:
        os.chdir(before)


def median(costs: list[Cost]) -> Cost:
    """Take the median of each figure."""
    return Cost(statistics.median(cost.seconds for cost in costs), statistics.median(cost.megabytes for cost in costs))
