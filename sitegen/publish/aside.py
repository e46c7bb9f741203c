"""A folder for work in progress, what is put in place from it, and what is done with those that nobody works in."""

import ctypes
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sitegen.problems import ProblemsError
from sitegen.reading.files import opened

LOCK = ".lock"
"""A file in the folder that its process has locked for as long as it lives: however it ends, the system lets go."""

PREFIX, _RANDOM = ".sitegen-", "????????"
"""What such a folder's name begins and ends with."""

_STEPS, _OLD = "steps.json", "old"
"""What is on its way while the file is there, and what stood in its place."""

_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux."""

Step = tuple[str, str]
"""What comes, below the folder for work, and its place below the home; empty where something only leaves its place."""


def home_of(folder: Path) -> Path:
    """Give the folder to work in on what becomes of another one, on the same disk.

    Args:
        folder: By its full path; it need not be there yet.

    Returns:
        The nearest one above that is there; the folder itself where that one is on another disk or can't be written to.
    """
    above = next((each for each in folder.parents if each.exists()), folder)
    stays = os.path.ismount(folder) or not os.access(above, os.W_OK)
    return folder if folder.exists() and stays else above


@contextmanager
def working_aside(home: Path) -> Iterator[Path]:
    """Give a folder to work in, and remove it at the end; first remove those that processes left that were killed.

    Args:
        home: The folder that it is in.

    Yields:
        The folder, with nothing in it but the lock.
    """
    clear(home)
    aside, lock = _begun(home)
    try:
        yield aside
    finally:
        _leave(aside)
        os.close(lock)


def clear(home: Path) -> None:
    """Remove the folders whose processes are gone, and take back what they were putting in place."""
    for aside in home.glob(f"{PREFIX}{_RANDOM}"):
        with suppress(OSError):  # no folder of ours, or removed by another meanwhile
            if aside.is_symlink() or aside.stat().st_uid != os.geteuid():
                continue  # in a folder where everybody may write, it leads who knows where
            with suppress(OSError):
                aside.rmdir()  # its process was killed before it had a lock
            lock = os.open(aside / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if _is_got(lock):
                    _leave(aside)
            finally:
                os.close(lock)


def put_in_place(aside: Path, steps: Sequence[Step]) -> None:
    """Move what was made to its places: all of it or, even where the process is killed, nothing.

    One thing is exchanged for another in one moment, where the system can do that. Of several, or elsewhere, it is
    written down what is on its way, so that the next command takes back what is half done.

    Args:
        aside: The folder that was worked in.
        steps: What goes where.
    """
    home = aside.parent
    (first, place), *others = steps
    if first and not others and _is_exchanged(aside / first, home / place):
        return
    part = aside / f"{_STEPS}.part"
    part.write_text(json.dumps([_birth(aside), steps]), encoding="utf-8")
    part.replace(aside / _STEPS)
    for source, name in steps:
        if os.path.lexists(home / name):
            old = aside / _OLD / name
            old.parent.mkdir(parents=True, exist_ok=True)
            (home / name).rename(old)
        if source:
            (aside / source).rename(home / name)
    (aside / _STEPS).unlink()


def _is_exchanged(new: Path, place: Path) -> bool:
    """Let two things change places; False where one is not there, or the system or the disk can't do it."""
    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    return bool(exchange and exchange(_HERE, os.fsencode(new), _HERE, os.fsencode(place), _EXCHANGE) == 0)


def _begun(home: Path) -> tuple[Path, int]:
    """Make a folder, and lock it; where somebody else took it for left behind before it was locked, make another."""
    while True:
        aside = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        with suppress(FileNotFoundError):
            lock = os.open(aside / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            if _is_got(lock) is not False and (aside / LOCK).exists():
                return aside, lock
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


def _leave(aside: Path) -> None:
    """Take back what is half done, and remove the folder, the lock last: what stays is then known for left behind."""
    if os.path.lexists(aside / _STEPS):
        steps = _own_steps(aside)
        if steps is None:
            return
        for source, name in reversed(steps):
            new, place, old = aside / source, aside.parent / name, aside / _OLD / name
            if source and not os.path.lexists(new):
                place.rename(new)
            if os.path.lexists(old):
                old.rename(place)
        (aside / _STEPS).unlink()
    for child in aside.iterdir():
        if child.name != LOCK:
            _remove(child)
    if [child.name for child in aside.iterdir()] == [LOCK]:
        (aside / LOCK).unlink()
        aside.rmdir()


def _own_steps(aside: Path) -> list[Step] | None:
    """Read what was on its way; None where no command wrote it here: what is checked out may hold such a folder."""
    try:
        with opened(aside / _STEPS) as file:
            birth, steps = json.loads(file.read())
    except (ProblemsError, ValueError, TypeError):
        return None
    return steps if birth == _birth(aside) else None


def _birth(aside: Path) -> int:
    """Tell when the lock was made, in nanoseconds: no checkout, archive or copy can give a file that time."""
    return (aside / LOCK).lstat().st_ctime_ns


def _remove(path: Path) -> None:
    """Remove a file or a folder, those inside that may not be written to as well."""
    shutil.rmtree(path, ignore_errors=True)
    if path.is_dir() and not path.is_symlink():
        for folder, _, _ in os.walk(path):
            Path(folder).chmod(0o700)
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
