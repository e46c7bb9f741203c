"""Lock files, so that two commands never change a folder at once. Start with `lock_file`."""

import fcntl
from enum import Enum, auto


class LockResult(Enum):
    """The result of an attempt to lock a file."""

    LOCKED = auto()
    HELD = auto()
    """Another process has locked the file."""
    UNSUPPORTED = auto()
    """The file system does not support locks."""


def lock_file(descriptor: int, *, wait: bool = False) -> LockResult:
    """Lock an open file or folder until it is closed.

    Args:
        descriptor: The file descriptor.
        wait: Whether to wait until another process releases its lock; in that case, the result is
            never HELD.
    """
    operation = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        return LockResult.HELD
    except OSError:
        return LockResult.UNSUPPORTED
    return LockResult.LOCKED
