"""Trials of commands that write, which are killed or denied resources: results must stay whole, without leftovers."""

import multiprocessing
import os
import pkgutil
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from stopwatch import ROOT

import sitegen
from sitegen.cli import main

MACHINE_FAILED = 4
PATIENCE = 60.0
"""Maximum seconds for a process to end after its parent, even on a slow and busy machine."""

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(ROOT),
    "PYTHONDONTWRITEBYTECODE": "1",
    "SOURCE_DATE_EPOCH": "1782864000",
    "TMPDIR": ".",
}
"""Equal runs must give equal bytes, and files in temporary folders must be noticed."""

STEPS = {"os.rename", "os.mkdir", "os.link", "os.remove", "os.rmdir", "os.chmod", "ctypes.dlsym"}
"""Operations on the disk, as Python audits them, in addition to opening a file for writing."""

_READ_AHEAD = multiprocessing.get_context("forkserver")
"""Starts commands with the program already loaded, including libraries that it loads lazily."""
_names = [
    package.name
    for package in pkgutil.walk_packages(sitegen.__path__, "sitegen.")
    if "__main__" not in package.name
]
_READ_AHEAD.set_forkserver_preload(["__main__", *_names, "altair", "scipy.special", "scipy.stats"])

Limit = tuple[int, int]
"""A limited resource, as named by `resource`, and its limit."""

BUNDLE = ("rounds.jsonl", "submission.toml")
TABLE = "agent,task,round,attempt,state,reward,passed,total\n"
LINE = "Agent {0},one,{1},1,scored,{2},{3},4\n"


class Row(NamedTuple):
    """A row of the table: what was tried, how often, and how often each kind of damage occurred."""

    what: str
    tried: int
    executed: int = 0
    """Number of foreign scripts that ran."""
    lost: int = 0
    """Number of folders in neither the old nor the new state, right after the command or after the next one."""
    tracebacks: int = 0
    orphans: int = 0
    """Number of processes that outlived their command."""
    leftovers: int = 0
    """Number of scratch folders that the next command did not remove."""
    wrong: int = 0
    """Number of exit codes that do not match the outcome."""

    @property
    def is_clean(self) -> bool:
        """Whether no damage occurred."""
        return not any(self[2:])


Files = Mapping[str, str]
"""Digests of files, by path."""


@dataclass(frozen=True)
class Ended:
    """The outcome of a command."""

    code: int
    said: str
    has_orphans: bool


@dataclass(frozen=True)  # no slots: its full outcome is computed once
class Trial:
    """A command that writes, in a folder that gives it something to do.

    Attributes:
        start: A folder that is copied for each trial.
        words: The command.
        inside: The working directory, relative to the folder.
    """

    start: Path
    words: tuple[str, ...]
    inside: str = "."

    @cached_property
    def _whole(self) -> tuple[Files, int, float, list[int]]:
        """The resulting files, the number of disk operations, the seconds taken, and the sizes of the files written."""
        work = self._copied("whole")
        began = time.monotonic()
        ended = run(work / self.inside, self.words, at_step=0)
        took = time.monotonic() - began
        if ended.code:
            raise SystemExit(f"{' '.join(self.words)} failed:\n{ended.said}")
        files, before = files_in(work), files_in(self.start)
        sizes = [
            (work / name).stat().st_size
            for name, digest in files.items()
            if before.get(name) != digest
        ]
        shutil.rmtree(work)
        return files, int(ended.said.rpartition("\n")[2]), took, list(filter(None, sizes))

    def killed_at_step(self, position: float) -> Row:
        """Kill the command before a disk operation, chosen by its position from first (0) to last (1)."""
        return self._killed(at_step=1 + round(position * (self._whole[1] - 1)))

    def killed_after(self, share: float) -> Row:
        """Kill the command after a share of its usual time."""
        return self._killed(after=share * self._whole[2])

    def _killed(self, at_step: int = 0, after: float | None = None) -> Row:
        """Kill the command. Files in the working directory are replaced one by one; the next command undoes that."""
        work = self._copied("killed")
        ended = run(work / self.inside, self.words, at_step=at_step, after=after)
        return self._looked_at(
            work, ended, lost=self.inside == "." and not self._is_whole(work), wrong=False
        )

    @property
    def sizes(self) -> list[int]:
        """The sizes of the files that the command writes, excluding empty files."""
        return self._whole[3]

    def refused(self, limit: Limit | None = None, work: Path | None = None) -> Row:
        """Run the command while the machine denies it a resource.

        Args:
            limit: The limited resource.
            work: The folder to work in; None for a copy.
        """
        work = self._copied("refused") if work is None else shutil.copytree(self.start, work)
        ended = run(work / self.inside, self.words, limit=limit)
        files = files_in(work)
        wanted = {0: self._whole[0], MACHINE_FAILED: files_in(self.start)}.get(ended.code)
        lost = files not in (self._whole[0], files_in(self.start))
        return self._looked_at(work, ended, lost=lost, wrong=files != wanted)

    def _looked_at(self, work: Path, ended: Ended, *, lost: bool, wrong: bool) -> Row:
        """Run the next command, return the damage, and remove the folder of the trial."""
        after = run(work, ("score", "results"))
        lost |= not self._is_whole(work)
        scratch_folders = [path for path in work.rglob(".sitegen-*") if path.is_dir()]
        output = ended.said + after.said
        if lost or wrong or scratch_folders or "Traceback" in output:
            sys.stderr.write(f"{' '.join(self.words)}: {ended}\n{scratch_folders}\n")
        shutil.rmtree(work)
        return Row(
            "", 1, 0, lost, "Traceback" in output, ended.has_orphans, bool(scratch_folders), wrong
        )

    def _is_whole(self, work: Path) -> bool:
        return files_in(work) in (files_in(self.start), self._whole[0])

    def _copied(self, name: str) -> Path:
        return shutil.copytree(self.start, self.start.parent / f"{self.start.name}-{name}")


def run(
    folder: Path,
    arguments: tuple[str, ...],
    *,
    at_step: int | None = None,
    after: float | None = None,
    limit: Limit | None = None,
) -> Ended:
    """Run a command in its own session.

    Args:
        folder: The working directory.
        arguments: The command.
        at_step: The disk operation before which the command is killed; 0 to count operations.
        after: The seconds after which the command is killed.
        limit: The limited resource.
    """
    output_path = folder.with_name(f"{folder.name}-said")
    command = _READ_AHEAD.Process(target=_be, args=(folder, arguments, output_path, at_step, limit))
    command.start()
    session = int(str(command.pid))
    command.join(after)
    command.kill()
    command.join()
    has_orphans = not is_over(session)
    if has_orphans:
        os.killpg(session, signal.SIGKILL)
    output = output_path.read_text(encoding="utf-8") if output_path.exists() else ""
    output_path.unlink(missing_ok=True)
    return Ended(int(str(command.exitcode)), output, has_orphans)


def _be(
    folder: Path,
    arguments: tuple[str, ...],
    output_path: Path,
    at_step: int | None,
    limit: Limit | None,
) -> None:
    """Act as the command, killed before a disk operation, or printing the number of operations, or limited."""
    os.setsid()
    for stream in (1, 2):
        os.dup2(os.open(output_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    os.environ.update(ENVIRONMENT)
    os.chdir(folder)
    sys.argv = ["sitegen", *arguments]
    left, process_id = at_step, os.getpid()

    def count(event: str, event_arguments: tuple[object, ...]) -> None:
        nonlocal left
        is_opened = (
            event == "open"
            and isinstance(event_arguments[2], int)
            and event_arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        )
        if (event in STEPS or is_opened) and os.getpid() == process_id and left is not None:
            left -= 1
            if not left:
                os.kill(process_id, signal.SIGKILL)

    if limit:
        resource.setrlimit(limit[0], (limit[1], limit[1]))
    elif at_step is not None:
        sys.addaudithook(count)
    try:
        main()
    finally:
        if left is not None:
            os.write(2, f"\n{-left}".encode())


def is_over(session: int) -> bool:
    """Return whether every process of a session ends soon."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def files_in(folder: Path) -> Files:
    """Return the digests of a folder's files, excluding scratch folders and build caches."""
    relative_paths = {
        path: path.relative_to(folder) for path in folder.rglob("*") if path.is_file()
    }
    return {
        name.as_posix(): sha256(path.read_bytes()).hexdigest()
        for path, name in relative_paths.items()
        if not any(segment.startswith(".sitegen") for segment in name.parts[:-1])
    }


def trials(folder: Path) -> dict[str, Trial]:
    """Return a trial for each command that writes, by name."""
    start = folder / "start"
    start.mkdir(parents=True)
    for folder_name in ("board", "site_src"):
        (start / folder_name).mkdir()
    (start / "mkdocs.yml").write_text(
        "site_name: Mini\nnav: [{Boards: index.md}]\n", encoding="utf-8"
    )
    for name, agents in (("first", "AB"), ("more", "CDE")):
        lines = (
            LINE.format(agent, number, number % 2, 4 * (number % 2))
            for agent in agents
            for number in (1, 2)
        )
        (start / f"{name}.csv").write_text(TABLE + "".join(lines), encoding="utf-8")
    about = ("--benchmark", "mini", "--protocol", "chain", "--date", "2026-06-01")
    bring = ("import", "table", "--into", "results", *about)
    ready(start, (*bring, "first.csv"))
    (start / "again.csv").write_text(
        TABLE + "".join(LINE.format("A", n, 1, 4) for n in (1, 2)), encoding="utf-8"
    )
    (start / "partly.csv").write_text(TABLE + LINE.format("A", 2, 1, 4), encoding="utf-8")
    roomy = shutil.copytree(start, folder / "roomy")
    definition = roomy / "results" / "mini" / "benchmark.toml"
    text = definition.read_text(encoding="utf-8")
    definition.write_text(text.replace("attempts = 1", "attempts = 2"), encoding="utf-8")
    for path in sorted((roomy / "results" / "mini" / "submissions").glob("*/submission.toml")):
        path.write_text("attempts = 1\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
        sums = (
            sha256((path.parent / name).read_bytes()).hexdigest() + f"  {name}\n" for name in BUNDLE
        )
        (path.parent / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    spoilt = shutil.copytree(start, folder / "spoilt")
    for path in sorted((spoilt / "results" / "mini" / "submissions").iterdir()):
        rounds = path / "rounds.jsonl"
        rounds.write_bytes(b"\xef\xbb\xbf" + rounds.read_bytes() * 2)
        (path / "Thumbs.db").write_bytes(b"")
        inside = path.relative_to(spoilt).as_posix()
    built = shutil.copytree(start, folder / "built")
    ready(built, ("build", "--jobs", "2"))
    ready(built, (*bring, "more.csv"))
    return {
        "build": Trial(built, ("build", "--jobs", "2")),
        "release": Trial(start, ("release", "2026-06-30", "--title", "First")),
        "redact": Trial(
            start, ("redact", "mini/2026-06-01-agent-a", "--reason", "x", "--date", "2026-06-30")
        ),
        "withdraw": Trial(start, ("withdraw", "mini/2026-06-01-agent-a", "--reason", "x")),
        "supersede": Trial(
            start, ("supersede", "mini/2026-06-01-agent-a", "--by", "2026-06-01-agent-b")
        ),
        "add-attempt": Trial(roomy, ("add-attempt", "mini/main/2026-06-01-agent-a", "again.csv")),
        "correct": Trial(
            start,
            ("correct", "mini/main/2026-06-01-agent-a", "--model", "a", "--reason", "x"),
        ),
        "replace-rounds": Trial(
            start,
            (
                "replace-rounds",
                "mini/main/2026-06-01-agent-a",
                "partly.csv",
                "--reason",
                "x",
                "--date",
                "2026-06-02",
            ),
        ),
        "submit": Trial(
            start, ("submit", "again.csv", "--to", "mini/main", "--date", "2026-06-02")
        ),
        "import": Trial(start, (*bring, "more.csv")),
        "import --supersedes": Trial(
            start, (*bring[:-1], "2026-06-02", "again.csv", "--supersedes", "auto")
        ),
        "export": Trial(start, ("export", "every-eval-ever", "results", "--into", "out")),
        "demo": Trial(start, ("demo", "results", "--agents", "2", "--tasks", "2")),
        "init": Trial(start, ("init", "new")),
        "init, in the folder": Trial(start, ("init", "."), "board"),
        "validate --fix": Trial(spoilt, ("validate", "results", "--fix")),
        "validate --fix, in the folder": Trial(spoilt, ("validate", ".", "--fix"), inside),
    }


def ready(folder: Path, arguments: tuple[str, ...]) -> None:
    """Run a command that must succeed."""
    ended = run(folder, arguments)
    if ended.code:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{ended.said}")


def file_limit(size: int) -> Limit:
    """Return a limit on the size of files."""
    return resource.RLIMIT_FSIZE, size


def open_limit(files: int) -> Limit:
    """Return a limit on the number of open files."""
    return resource.RLIMIT_NOFILE, files


def killed(trial: Trial, times: int, chance: random.Random) -> Iterator[Row]:
    """Yield the outcomes of killing a command repeatedly, in turn at a disk operation and at a moment."""
    for number in range(times):
        yield (
            trial.killed_after(chance.random())
            if number % 2
            else trial.killed_at_step(chance.random())
        )
