"""A folder for work in progress beside the place that it is for, and what is done with those that nobody works in."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

LOCK = ".lock"
"""A file in the folder that its process has locked for as long as it lives: however it ends, the system lets go."""

OLD = "old"
"""What stood at the place, while the new one moves in."""

_RANDOM = "????????"
"""What a temporary folder's name ends with."""


@contextmanager
def working_aside(place: Path) -> Iterator[Path]:
    """Give a folder beside a place, and remove it at the end; first remove those that processes left that were killed.

    Args:
        place: What the work is for; its parent is there.

    Yields:
        The folder, on the same disk, with nothing in it but the lock.
    """
    _clear(place)
    aside, lock = _begun(place)
    try:
        yield aside
    finally:
        with suppress(FileNotFoundError):
            _remove(aside)
        os.close(lock)


def _begun(place: Path) -> tuple[Path, int]:
    """Make a folder, and lock it; where somebody else took it for left behind before it was locked, make another."""
    while True:
        aside = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
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


def _clear(place: Path) -> None:
    """Remove the folders beside a place whose processes are gone."""
    for aside in place.parent.glob(f".{escape(place.name)}-{_RANDOM}"):
        with suppress(OSError):  # no folder of ours, or removed by another meanwhile
            lock = os.open(aside / LOCK, os.O_RDWR)
            try:
                if _is_got(lock):
                    _put_back(aside / OLD, place)
                    _remove(aside)
            finally:
                os.close(lock)


def _put_back(old: Path, place: Path) -> None:
    """Put back what stood at a place, where the process ended after it had been moved away."""
    if old.exists() and not place.exists():
        old.rename(place)


def _remove(aside: Path) -> None:
    """Remove a folder, the lock last: what could not be removed is then known for left behind."""
    for child in aside.iterdir():
        if child.name != LOCK:
            shutil.rmtree(child, ignore_errors=True)
    if [child.name for child in aside.iterdir()] == [LOCK]:
        (aside / LOCK).unlink()
        aside.rmdir()
