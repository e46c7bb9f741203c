"""Looks for inputs that cause a traceback, a hang or a crash instead of a message: `make fuzz MINUTES=10`.

An import whose result `validate` rejects counts as well.

Each sample in tests/corpus/strangers.py is changed repeatedly; an input that reaches new lines of the program is
changed further. For each input that causes a failure, the files that differ from its sample are stored in
tests/corpus/fuzzed/, where a test replays them.
"""

import argparse
import filecmp
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from corpus.hostile import IN_FILES, strike
from corpus.strangers import FOUND, SAMPLES, outcomes, place_of
from kit.source_mutations import mutate

HUNG = 10.0
"""Seconds of processor time after which an input counts as a hang: 5 for each of two commands."""
SLOW = 3
"""Maximum time of an input that is changed further, as a multiple of its sample's time."""
MEANT = 0.5
"""Probability of a change that keeps a source readable instead of breaking it."""
FOLLOWED = 20
"""Number of calls per function and input whose lines are recorded."""

TraceFunction: TypeAlias = Callable[[FrameType, str, object], "TraceFunction | None"]


class HungError(BaseException):
    """An input takes too long; the program never handles this as one of its own errors."""


def _stop(*_: object) -> None:
    raise HungError


class Reached:
    """The lines of the program that any input has reached."""

    def __init__(self) -> None:
        """Start without any lines."""
        self.lines: set[tuple[str, int]] = set()
        self.calls: Counter[int] = Counter()

    def enter(self, frame: FrameType, _: str, __: object) -> TraceFunction | None:
        """Trace a call of the program's own function if it is one of its first calls; later calls rarely add lines."""
        code = id(frame.f_code)
        self.calls[code] += 1
        return (
            self.step
            if self.calls[code] <= FOLLOWED and "/sitegen/" in frame.f_code.co_filename
            else None
        )

    def step(self, frame: FrameType, _: str, __: object) -> TraceFunction:
        """Record a line."""
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self.step


def tried(name: str, tree: Path, reached: Reached | None = None) -> str:
    """Run a sample's commands on an input, and return the name of the failure; empty if the input was handled."""
    target = tree.with_name("base" if name == "results" else f"{tree.name}-into")
    if reached:
        reached.calls.clear()
    try:
        signal.setitimer(signal.ITIMER_PROF, HUNG)
        sys.settrace(reached.enter if reached else None)
        ended = outcomes(name, tree, target)
    except HungError as error:
        return tried(name, tree) if reached else place_of(error)  # tracing takes time, too
    finally:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if name != "results":
            shutil.rmtree(target, ignore_errors=True)
    return next((place_of(outcome) for outcome in ended if isinstance(outcome, BaseException)), "")


def fuzz(name: str, scratch: Path, seconds: float, seed: int, connection: Connection) -> None:
    """Change a sample until its time is up; report the numbers of inputs and lines, and store failures."""
    signal.signal(signal.SIGPROF, _stop)
    dice, reached, count, failures = random.Random(seed), Reached(), 0, list[Path]()
    sample = scratch / "0"
    SAMPLES[name][0](sample)
    tried(name, sample, reached)  # this loads the program
    began = time.process_time()
    tried(name, sample, reached)
    usual, end, pool = time.process_time() - began, began + seconds, [sample]
    while time.process_time() < end:
        count, lines_before, tree = count + 1, len(reached.lines), scratch / str(count + 1)
        shutil.copytree(dice.choice(pool), tree)
        if name != "results" and dice.random() < MEANT:
            mutate(dice, tree)
        else:
            strike(dice, tree, IN_FILES)
        began = time.process_time()
        failure = tried(name, tree, reached)
        if failure and not (FOUND / f"{name}-{failure}").exists():
            failures.append(kept(name, tree, sample, failure))
        elif len(reached.lines) > lines_before and time.process_time() - began < SLOW * usual:
            pool.append(tree)
            continue
        shutil.rmtree(tree)
    connection.send((count, len(reached.lines), failures))


def kept(name: str, tree: Path, sample: Path, failure: str) -> Path:
    """Store the files of an input that are needed to reproduce its failure, and return their folder."""
    folder = FOUND / f"{name}-{failure}"
    for path in [path for path in sorted(tree.rglob("*")) if path.is_file()]:
        file = path.relative_to(tree)
        is_new = not (sample / file).is_file()
        if not is_new and filecmp.cmp(path, sample / file, shallow=False):
            continue
        held = path.read_bytes()
        path.unlink() if is_new else shutil.copyfile(sample / file, path)
        if failure.startswith("crash") or tried(name, tree) != failure:
            for target in (path, folder / file):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(held)
    return folder


def main() -> None:
    """Fuzz each sample in a process of its own for its share of the time, and print the failures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("minutes", type=float, help="of processor time, for all samples together")
    asked.add_argument("--seed", type=int, default=time.time_ns())
    options = asked.parse_args()
    print(f"seed {options.seed}\n{'sample':18}{'inputs':>8}{'lines':>8}{'found':>8}", flush=True)
    failures: list[Path] = []
    for name in SAMPLES:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            receiver, sender = get_context("fork").Pipe(duplex=False)
            work = (name, Path(scratch), 60 * options.minutes / len(SAMPLES), options.seed, sender)
            worker = get_context("fork").Process(target=fuzz, args=work)
            worker.start()
            sender.close()
            try:
                count, lines, sample_failures = receiver.recv()
            except EOFError:  # the process died of the newest input
                worker.join()
                count = max(
                    int(path.name) for path in Path(scratch).iterdir() if path.name.isdigit()
                )
                trees = Path(scratch) / str(count), Path(scratch) / "0"
                lines, sample_failures = 0, [kept(name, *trees, f"crash-{-(worker.exitcode or 0)}")]
            print(f"{name:18}{count:>8}{lines:>8}{len(sample_failures):>8}", flush=True)
            failures += sample_failures
    for failure_folder in failures:
        print(f"found: {failure_folder}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
