"""Compare the versions of formats and tools."""

import re

_RELEASE = re.compile(r"v?(\d+(?:\.\d+)*)")
_NUMBER = re.compile(r"\d{1,9}")


def is_newer(version: str, newest: str) -> bool:
    """Return whether a version is newer than another, by its numbers: 0.10 is newer than 0.9.

    Only as many numbers are compared as the shorter version has, so 2.1 is not newer than 2.
    Everything after the first letter, such as a pre-release tag or commit hash, is ignored.
    """
    for ours, theirs in zip(_numbers(version), _numbers(newest), strict=False):
        if ours != theirs:
            return ours > theirs
    return False


def _numbers(version: str) -> list[int]:
    """Return the leading numbers of a version: 1, 2 and 0 of "v1.2.0rc1"."""
    release = _RELEASE.match(version.strip())
    if release is None:
        return []
    return [int(number) for number in _NUMBER.findall(release[1])]
