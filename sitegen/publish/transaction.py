"""Changes folders that people keep: everything that is to come and to go at once, or nothing.

What is to come is made in a scratch folder, and moved into place at the end. Where a process is killed meanwhile, the
next command takes back what is half done.
"""

import ctypes
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sitegen.problems import ProblemsError, UsageError
from sitegen.reading.files import opened, require_lines, require_size, unpacked
from sitegen.reading.shortages import raise_shortage

LOCK = ".lock"
"""A file in the scratch folder that its process has locked for as long as it lives: however it ends, the system lets
go."""

PREFIX, _RANDOM = ".sitegen-", "????????"
"""What a scratch folder's name begins and ends with."""

_NEW, _COPY, _STEPS, _OLD = "new", "copy", "steps.json", "old"
"""In a scratch folder: what comes, a changed copy of a folder, what is on its way while that file is there, and what
stood in its place."""

_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux."""

Step = tuple[str, str]
"""What comes, below the scratch folder, and its place beside that; empty where something only leaves its place."""

_Stamp = tuple[int, int]
"""When a file was last written, in nanoseconds, and how many bytes it has."""


class Snapshot(NamedTuple):
    """What stands in a folder before it is read, so that a transaction sees what another command changed since."""

    folder: Path
    stamps: Mapping[Path, _Stamp]

    def has(self, place: Path) -> bool:
        """Whether what stands at a place is what stood there; outside of the folder, nobody knows better."""
        return not place.is_relative_to(self.folder) or _stamp(place) == self.stamps.get(place)


class Transaction:
    """What a folder is to become: kept aside until all of it is there."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        """Take the folder by its full path, and an empty one to work in."""
        self._folder = folder
        self._scratch = scratch
        self._home = scratch.parent
        self._leaving: list[Path] = []
        self.root = scratch / _NEW / folder.relative_to(self._home)
        """What comes, laid out as it will be in the folder."""
        self.work = scratch / "work"
        """For scratch work."""
        for path in (self.root, self.work):
            path.mkdir(parents=True)

    def write(self, folder: str, files: Mapping[str, bytes]) -> None:
        """Write files by their names in a folder below the root.

        Raises:
            ProblemsError: One is larger than is read of its kind, or has more lines.
            UsageError: One would lie elsewhere.
        """
        for name, data in files.items():
            require_size(Path(folder, name), len(data))
            require_lines(Path(folder, name), unpacked(Path(folder, name), data))
            place = self._folder / folder / name
            if str(place) != os.path.realpath(place) or not place.is_relative_to(self._folder):
                raise UsageError(
                    f"{place} leads elsewhere, upwards or through a link, and nothing is written there"
                )
            path = self.root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            if place.exists():
                shutil.copymode(place, path)

    def remove(self, name: Path) -> None:
        """Let a file go, below the root."""
        self._leaving.append(self._folder / name)

    def rehearsed(self, parts: Sequence[str]) -> Path:
        """Copy the folders and files that are named, as they would be with all that came so far."""
        copy = self.work / _COPY
        if not copy.exists():
            for name in parts:
                _copy(self._folder / name, copy / name)
        self._apply_to(copy, self._folder)
        return copy

    def commit(self, since: Snapshot | None, *, whole: bool) -> None:
        """Let the folder become what it is to be: see `transaction`."""
        lock = os.open(self._home, os.O_RDONLY)
        try:
            fcntl.flock(
                lock, fcntl.LOCK_EX
            )  # no other command puts anything in place meanwhile: a copy would lack it
            for place in (*self._coming(), *self._leaving) if since else ():
                if since and not since.has(place):
                    shown = place.relative_to(self._folder)
                    raise UsageError(
                        f"another command changed {shown} meanwhile; nothing is written, run this again"
                    )
            if whole:
                self._move([self._swap(self._folder)])
            elif places := [*self._coming(), *self._leaving]:
                self._move(self._steps(places))
        finally:
            os.close(lock)

    def _steps(self, places: Sequence[Path]) -> list[Step]:
        """What goes where: the smallest folder around all that changes is exchanged for a copy of it.

        Where that can't be moved away, since somebody works in it or a disk is mounted there, each file is.
        """
        around = Path(os.path.commonpath(places))
        if not around.is_dir():
            return [self._swap(around)]
        if around == self._home or Path.cwd().is_relative_to(around) or os.path.ismount(around):
            return sorted({self._swap(place) for place in places})
        _copy(around, self._scratch / _COPY)
        self._apply_to(self._scratch / _COPY, around)
        return [(_COPY, around.relative_to(self._home).as_posix())]

    def _swap(self, place: Path) -> Step:
        """What comes to a place, or to the first folder above it that is not there yet."""
        while not place.parent.exists():
            place = place.parent
        name = place.relative_to(self._home).as_posix()
        return f"{_NEW}/{name}" if (self._scratch / _NEW / name).exists() else "", name

    def _move(self, steps: Sequence[Step]) -> None:
        """Move what was made to its places.

        One thing is exchanged for another in one moment, where the system can do that. Of several, or elsewhere, it is
        written down what is on its way, so that the next command takes back what is half done.
        """
        scratch, home = self._scratch, self._home
        (first, place), *others = steps
        exchange = getattr(ctypes.CDLL(None), "renameat2", None)
        if first and not others and exchange:
            new, old = os.fsencode(scratch / first), os.fsencode(home / place)
            if (
                exchange(_HERE, new, _HERE, old, _EXCHANGE) == 0
            ):  # else one is not there, or the disk can't do it
                return
        part = scratch / f"{_STEPS}.part"
        part.write_text(json.dumps([_birth(scratch), steps]), encoding="utf-8")
        part.replace(scratch / _STEPS)
        for source, name in steps:
            if os.path.lexists(home / name):
                kept = scratch / _OLD / name
                kept.parent.mkdir(parents=True, exist_ok=True)
                (home / name).rename(kept)
            if source:
                (scratch / source).rename(home / name)
        (scratch / _STEPS).unlink()

    def _apply_to(self, copy: Path, folder: Path) -> None:
        """Let a copy of a folder become what that is to be."""
        for place in self._leaving:
            (copy / place.relative_to(folder)).unlink(missing_ok=True)
        for place in self._coming():
            target = copy / place.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            link_or_copy(self._scratch / _NEW / place.relative_to(self._home), target)

    def _coming(self) -> list[Path]:
        new = self._scratch / _NEW
        return [self._home / name for name in files_below(new)]


def files_below(folder: Path) -> Iterator[str]:
    """Give the names of all files below a folder, as paths from there: a large site has tens of thousands."""
    start = len(str(folder)) + 1
    for place, _, names in os.walk(folder, onerror=raise_shortage):
        below = place[start:].replace(os.sep, "/")
        yield from (f"{below}/{name}" for name in names) if below else names


@contextmanager
def transaction(
    folder: Path, since: Snapshot | None = None, *, whole: bool = False
) -> Iterator[Transaction]:
    """Let a folder change when all went well; else leave it as it was.

    Args:
        folder: The folder, made when absent.
        since: What stood in it when the caller began to read it, where what is written follows from that.
        whole: Whether nothing that stands in it stays.

    Raises:
        UsageError: A file that is written or removed is another one since.
    """
    folder = folder.resolve()
    with scratch_folder(scratch_home(folder)) as scratch:
        changes = Transaction(folder, scratch)
        yield changes
        changes.commit(since, whole=whole)


def snapshot_of(folder: Path) -> Snapshot:
    """Note what stands in a folder."""
    folder = folder.resolve()
    stamps = {}
    for inside, _, names in os.walk(folder, onerror=raise_shortage):
        for name in names:
            path = Path(inside, name)
            stamp = _stamp(path)
            if stamp:
                stamps[path] = stamp
    return Snapshot(folder, stamps)


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_mtime_ns, status.st_size


def scratch_home(folder: Path) -> Path:
    """The folder to work in on what becomes of another one, by its full path, on the same disk.

    It is the nearest one above that is there; the folder itself where that one is on another disk or can't be written
    to.
    """
    above = next((each for each in folder.parents if each.exists()), folder)
    stays = os.path.ismount(folder) or not os.access(above, os.W_OK)
    return folder if folder.exists() and stays else above


@contextmanager
def scratch_folder(home: Path) -> Iterator[Path]:
    """A folder to work in, with nothing in it but the lock, and removed at the end.

    First those are removed that processes left that were killed.
    """
    remove_leftovers(home)
    while True:
        scratch = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        with suppress(
            FileNotFoundError
        ):  # somebody else took it for left behind before it was locked
            lock = os.open(scratch / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            if _is_got(lock) is not False and (scratch / LOCK).exists():
                break
            os.close(lock)
    try:
        yield scratch
    finally:
        _take_down(scratch)
        os.close(lock)


def remove_leftovers(home: Path) -> None:
    """Remove the scratch folders whose processes are gone, and take back what they were putting in place.

    Folders above are looked at as well: a command that made several new folders worked above all of them.
    """
    for folder in _working_places(home):
        _remove_leftovers_in(folder)


def _working_places(home: Path) -> Iterator[Path]:
    """Yield a folder, and those above it on the same disk that belong to whoever runs the program."""
    yield home
    for below, above in pairwise((home, *home.parents)):
        with suppress(OSError):
            if not os.path.ismount(below) and above.stat().st_uid == os.geteuid():
                yield above
                continue
        return


def _remove_leftovers_in(home: Path) -> None:
    for scratch in home.glob(f"{PREFIX}{_RANDOM}"):
        with suppress(OSError):  # no folder of ours, or removed by another meanwhile
            if scratch.is_symlink() or scratch.stat().st_uid != os.geteuid():
                continue  # in a folder where everybody may write, it leads who knows where
            with suppress(OSError):
                scratch.rmdir()  # its process was killed before it had a lock
            lock = os.open(scratch / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if _is_got(lock):
                    _take_down(scratch)
            finally:
                os.close(lock)


def _is_got(lock: int) -> bool | None:
    """Lock a file unless another has; None where this kind of disk knows no locks."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _take_down(scratch: Path) -> None:
    """Take back what is half done, and remove the folder, the lock last: what stays is then known for left behind."""
    if os.path.lexists(scratch / _STEPS):
        try:
            with opened(scratch / _STEPS) as file:
                birth, steps = json.loads(file.read())
        except (ProblemsError, ValueError, TypeError):
            return
        if birth != _birth(scratch):
            return  # no command wrote it here: what is checked out may hold such a folder
        for source, name in reversed(steps):
            new, place, old = scratch / source, scratch.parent / name, scratch / _OLD / name
            if source and not os.path.lexists(new):
                place.rename(new)
            if os.path.lexists(old):
                old.rename(place)
        (scratch / _STEPS).unlink()
    for child in scratch.iterdir():
        if child.name == LOCK:
            continue
        shutil.rmtree(child, ignore_errors=True)
        if child.is_symlink() or not child.is_dir():
            child.unlink(missing_ok=True)
            continue
        for inside, _, _ in os.walk(child):  # some may not be written to
            Path(inside).chmod(0o700)
        shutil.rmtree(child, ignore_errors=True)
    if [child.name for child in scratch.iterdir()] == [LOCK]:
        (scratch / LOCK).unlink()
        scratch.rmdir()


def _birth(scratch: Path) -> int:
    """When the lock was made, in nanoseconds: no checkout, archive or copy can give a file that time."""
    return (scratch / LOCK).lstat().st_ctime_ns


def _copy(path: Path, to: Path) -> None:
    """Copy a folder or file, if it is there; its files are the same ones, and so are never written to."""
    if path.is_file() and not path.is_symlink():
        to.parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(path, to)
    elif path.is_dir():
        shutil.copytree(
            path,
            to,
            symlinks=True,
            copy_function=link_or_copy,
            ignore=shutil.ignore_patterns(f"{PREFIX}*"),
        )


def link_or_copy(source: str | Path, target: str | Path) -> None:
    """Let a file stand in a second place, where neither is ever written to."""
    try:
        os.link(source, target)
    except OSError:  # this kind of disk knows no links, or the file is another's
        shutil.copy2(source, target)
