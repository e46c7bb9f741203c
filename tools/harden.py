"""Attacks the program in many ways, and prints a table of the outcomes; every attack should fail.

Every command that writes is killed, and is denied disk space, large files and open files; a site with hostile texts is
opened in a browser; the gate for pull requests checks random requests; invented secrets of every format are searched
for in texts; settings and addresses are changed at random; and servers answer more slowly than the deadline allows.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from attack import STRINGS, attack
from corpus.configurations import Configurations, use
from kit.requests import RequestMaker, try_requests
from kit.secret_formats import made_up_secrets
from kit.slow_servers import ANSWERS, slow_server
from reader import browsing
from trials import Row, Trial, file_limit, killed, open_limit, trials

from sitegen.importers.kit.redaction import redact_text
from sitegen.problems import UsageError
from sitegen.publish.machine.downloads import download_artifacts
from sitegen.reading.secrets import find_secrets

FEWEST, MOST = 8, 20
"""Numbers of open files to allow: Python itself needs the minimum, and a build needs more than the maximum."""
PAGE = 4096
"""The unit in which a disk allocates space, in bytes."""
DEADLINE = 1.5
"""Time limit of a download in these trials, in seconds."""
DISK = 24
"""Size of the disk to fill up, in megabytes."""


def main() -> None:
    """Print the table; exit with 1 if any attack succeeded."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=60)
    options.add_argument("--refusals", type=int, default=3, help="of each kind, for each command")
    options.add_argument("--requests", type=int, default=2000)
    options.add_argument("--secrets", type=int, default=20, help="made up of each format")
    options.add_argument("--settings", type=int, default=1000, help="changed at random")
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        rows = [
            *machine(work, arguments.kills, arguments.refusals, random.Random(arguments.seed)),
            *pages(work / "pages"),
        ]
        rows.append(requests(work / "requests", arguments.requests, arguments.seed))
        rows.append(secrets(arguments.secrets, arguments.seed))
        rows.append(settings(work / "settings", arguments.settings, arguments.seed))
        rows.append(slow_servers(work / "downloads"))
    print_table(rows)
    sys.exit(not all(row.is_clean for row in rows))


def pages(work: Path) -> Iterator[Row]:
    """Open every page of a site whose results contain hostile texts in place of every text."""
    work.mkdir()
    with browsing() as browser:
        if browser is None:
            print("there is no Chromium: no page is opened; name one in SITEGEN_BROWSER")
            return
        outcome = attack(browser, work)
    tried = len(outcome.placed) * len(STRINGS)
    yield Row("hostile texts in pages", tried, executed=outcome.ran, wrong=len(outcome.complaints))


def requests(work: Path, number: int, seed: int) -> Row:
    """Let the gate judge random requests; it is wrong to pass a forbidden request or to refuse an honest one."""
    tally = try_requests(RequestMaker(work), range(seed, seed + number))
    for line in (*tally.passed, *tally.refused):
        print(line, file=sys.stderr)
    return Row("random requests", tally.tried, wrong=len(tally.passed) + len(tally.refused))


def secrets(number: int, seed: int) -> Row:
    """Look for invented secrets of every format, and remove them; it is wrong to leave a secret."""
    tried = missed = 0
    for offset in range(number):
        for name, secret in made_up_secrets(seed + offset).items():
            text = f'first\n"{secret}"\nlast'
            tried += 1
            if not find_secrets(text) or find_secrets(redact_text(text)):
                missed += 1
                print(f"missed: {name}: {secret!r}", file=sys.stderr)
    return Row("made-up secrets", tried, wrong=missed)


def settings(work: Path, number: int, seed: int) -> Row:
    """Change settings and addresses at random, then validate and build; every error must have a message."""
    project = Configurations(work / "project")
    tracebacks = 0
    for index in range(number):
        dice = random.Random(f"{seed} {index}")
        shutil.rmtree(work / "pages", ignore_errors=True)
        project.change(dice)
        try:
            use(project, dice, work / "pages")
        except Exception as error:  # noqa: BLE001 - any that gets here is a fault of the program
            tracebacks += 1
            print(f"settings {seed} {index}: {error!r}", file=sys.stderr)
        project.restore()
    return Row("settings changed at random", number, tracebacks=tracebacks)


def slow_servers(work: Path) -> Row:
    """Download from servers that only a deadline stops; it is wrong if a server keeps the command waiting."""
    work.mkdir()
    tried = held = 0
    for kind in ANSWERS:
        for name in ("runs.zip", "runs/"):
            tried += 1
            began = monotonic()
            with slow_server(kind) as port, suppress(UsageError):
                download_artifacts(f"http://127.0.0.1:{port}/{name}", work, DEADLINE)
            if monotonic() - began > 3 * DEADLINE:
                held += 1
                print(f"held: {kind}, {name}", file=sys.stderr)
    return Row("slow servers", tried, wrong=held)


def machine(work: Path, kills: int, refusals: int, chance: random.Random) -> Iterator[Row]:
    """Kill every command that writes, and deny it the resources that it needs."""
    tried = trials(work)
    for number, (name, trial) in enumerate(tried.items()):
        share = kills // len(tried) + (number < kills % len(tried))
        yield added(f"`{name}` killed", killed(trial, share, chance))
    repeated_trials = [trial for trial in tried.values() for _ in range(refusals)]
    sizes = (
        trial.refused(file_limit(chance.randrange(max(trial.sizes)))) for trial in repeated_trials
    )
    yield added("the size of files limited", sizes)
    opened = (
        trial.refused(open_limit(chance.randrange(FEWEST, MOST))) for trial in repeated_trials
    )
    yield added("the number of open files limited", opened)
    with disk(work / "disk") as full:
        if full:
            yield added(
                "the disk full", [on_full_disk(trial, full, chance) for trial in repeated_trials]
            )
        else:
            print("no small disk can be mounted: none is filled up")


def on_full_disk(trial: Trial, disk: Path, chance: random.Random) -> Row:
    """Run a command on a disk that fills up during the command."""
    used_pages, needed = map(pages_of, (map(size_of, trial.start.rglob("*")), trial.sizes))
    free = os.statvfs(disk).f_bavail
    filling = disk / "filling"
    filling.write_bytes(bytes(PAGE * (free - used_pages - chance.randrange(needed))))
    row = trial.refused(work=disk / "work")
    filling.unlink()
    return row


def pages_of(sizes: Iterable[int]) -> int:
    """Return the number of disk pages that files of the given sizes take."""
    return sum(-(-size // PAGE) for size in sizes)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes; 0 for a folder."""
    return path.stat().st_size if path.is_file() else 0


@contextmanager
def disk(folder: Path) -> Iterator[Path | None]:
    """Yield a small disk; None if the user may not mount one."""
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


def added(title: str, rows: Iterable[Row]) -> Row:
    """Return one row with the sums of several rows."""
    return Row(title, *(sum(column) for column in list(zip(*rows, strict=True))[1:]))


def print_table(rows: list[Row]) -> None:
    """Print rows as a Markdown table, with their sums."""
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
