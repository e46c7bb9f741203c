"""Errors that say what the machine ran short of, which is no fault of the data that is read."""

import errno

_SHORTAGES = frozenset(
    {
        errno.EMFILE,  # open files of the process
        errno.ENFILE,  # open files of the machine
        errno.ENOMEM,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
    }
)


def is_shortage(error: OSError) -> bool:
    """Return whether the machine ran short of memory, disk or open files."""
    return error.errno in _SHORTAGES


def raise_shortage(error: OSError) -> None:
    """Raise the error if the machine ran short of something.

    As `onerror` of `os.walk`, which otherwise passes over every folder that it cannot list.
    """
    if is_shortage(error):
        raise error
