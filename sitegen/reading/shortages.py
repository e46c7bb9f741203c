"""Distinguish errors of a machine that ran short of a resource from faults of the data."""

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
    """Raise the error again if the machine ran short of a resource.

    Pass it as `onerror` to `os.walk`, which otherwise skips every folder that it cannot list.
    """
    if is_shortage(error):
        raise error
