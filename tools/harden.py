"""Attacks the program, and prints one table of what came of it: nothing may.

Every command that writes is killed and refused disk, size of files and number of files; a site of hostile texts is
opened in a browser; the gate of pull requests judges random requests.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from attack import STRINGS, attack
from kit.requests import RequestMaker, try_requests
from reader import browsing
from trials import Row, Trial, file_limit, killed, open_limit, trials

FEWEST, MOST = 8, 20
"""Files that may be open, where they are limited: Python itself needs the first few, a build more than all."""
PAGE = 4096
"""Bytes in which a disk gives space away."""
DISK = 24
"""Megabytes of the disk that is filled up."""


def main() -> None:
    """Print the table; an exit code of 1 says that something came of an attack."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=60)
    options.add_argument("--refusals", type=int, default=3, help="of each kind, for each command")
    options.add_argument("--requests", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        rows = [
            *machine(work, given.kills, given.refusals, random.Random(given.seed)),
            *pages(work / "pages"),
        ]
        rows.append(requests(work / "requests", given.requests, given.seed))
    print_table(rows)
    sys.exit(not all(row.is_clean for row in rows))


def pages(work: Path) -> Iterator[Row]:
    """Open every page of a site whose results hold hostile texts wherever they hold a text."""
    work.mkdir()
    with browsing() as browser:
        if browser is None:
            print("there is no Chromium: no page is opened; name one in SITEGEN_BROWSER")
            return
        found = attack(browser, work)
    tried = len(found.placed) * len(STRINGS)
    yield Row("hostile texts in pages", tried, executed=found.ran, wrong=len(found.complaints))


def requests(work: Path, number: int, seed: int) -> Row:
    """Let the gate judge random requests: wrong is a forbidden one that passes, and an honest one that does not."""
    tally = try_requests(RequestMaker(work), range(seed, seed + number))
    for line in (*tally.passed, *tally.refused):
        print(line, file=sys.stderr)
    return Row("random requests", tally.tried, wrong=len(tally.passed) + len(tally.refused))


def machine(work: Path, kills: int, refusals: int, chance: random.Random) -> Iterator[Row]:
    """Kill every command that writes, and refuse it what it needs."""
    tried = trials(work)
    for number, (name, trial) in enumerate(tried.items()):
        share = kills // len(tried) + (number < kills % len(tried))
        yield added(f"`{name}` killed", killed(trial, share, chance))
    each = [trial for trial in tried.values() for _ in range(refusals)]
    sizes = (trial.refused(file_limit(chance.randrange(max(trial.sizes)))) for trial in each)
    yield added("the size of files limited", sizes)
    opened = (trial.refused(open_limit(chance.randrange(FEWEST, MOST))) for trial in each)
    yield added("the number of open files limited", opened)
    with disk(work / "disk") as full:
        if full:
            yield added("the disk full", [on_full_disk(trial, full, chance) for trial in each])
        else:
            print("no small disk can be mounted: none is filled up")


def on_full_disk(trial: Trial, disk: Path, chance: random.Random) -> Row:
    """Run a command on a disk that fills up on the way."""
    taken, needed = map(pages_of, (map(size_of, trial.start.rglob("*")), trial.sizes))
    free = os.statvfs(disk).f_bavail
    filling = disk / "filling"
    filling.write_bytes(bytes(PAGE * (free - taken - chance.randrange(needed))))
    row = trial.refused(work=disk / "work")
    filling.unlink()
    return row


def pages_of(sizes: Iterable[int]) -> int:
    """Tell how much of a disk files take."""
    return sum(-(-size // PAGE) for size in sizes)


def size_of(path: Path) -> int:
    """Give the bytes of a file; folders have none."""
    return path.stat().st_size if path.is_file() else 0


@contextmanager
def disk(folder: Path) -> Iterator[Path | None]:
    """Give a small disk; None where this user may have none."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "tmpfs", folder], check=False
    )
    if mounted.returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def added(what: str, rows: Iterable[Row]) -> Row:
    """Make one row of several."""
    return Row(what, *(sum(column) for column in list(zip(*rows, strict=True))[1:]))


def print_table(rows: list[Row]) -> None:
    """Print rows as Markdown, and their sums."""
    titles = (
        "",
        "tried",
        "scripts run",
        "lost",
        "tracebacks",
        "orphans",
        "leftovers",
        "wrong verdicts",
    )
    print("|", " | ".join(titles), "|")
    print("|", " | ".join(["---"] + ["---:"] * (len(titles) - 1)), "|")
    for row in (*rows, added("**all**", rows)):
        print("|", " | ".join(map(str, row)), "|")


if __name__ == "__main__":
    main()
