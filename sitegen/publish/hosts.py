"""Where a site nears what hosts of static pages take."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

_MB = 1_000_000
_MIB = 1 << 20
_NEAR = 0.8


class _Limit(NamedTuple):
    """The most that a host takes of something: files, bytes of all, or bytes of one."""

    host: str
    what: str
    most: int


_LIMITS = (
    _Limit("GitHub Pages", "bytes", 1000 * _MB),
    _Limit("GitHub", "bytes of a file", 100 * _MIB),
    _Limit("GitLab.com Pages", "bytes", 1 << 30),
    _Limit("GitLab.com Pages", "files", 200_000),
    _Limit("Cloudflare Pages", "files", 20_000),
    _Limit("Cloudflare Pages", "bytes of a file", 25 * _MIB),
)
"""As the hosts stated them in 2026; those of paid plans may be higher."""


def near_limits(sizes: Mapping[str, int]) -> Iterator[str]:
    """Say in a line each which limits of hosts a site is above, or near, by the bytes of its files."""
    largest = max(sizes, key=sizes.__getitem__, default="")
    found = {
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "bytes of a file": sizes.get(largest, 0),
    }
    for limit in _LIMITS:
        has = found[limit.what]
        if has > _NEAR * limit.most:
            is_files, is_file = limit.what == "files", limit.what == "bytes of a file"
            amounts = [
                f"{each:,} files" if is_files else f"{each / _MB:,.0f} MB"
                for each in (has, limit.most)
            ]
            about = largest if is_file else "the site"
            yield f"{about} has {amounts[0]}; {limit.host} takes {amounts[1]}{' a file' if is_file else ''}"
