"""Compare the size of a site with the limits of static hosts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

_MEGABYTE = 1_000_000
_MEBIBYTE = 1 << 20
_WARNING_SHARE = 0.8
"""Share of a limit above which a warning is shown."""


class _Measure(StrEnum):
    """The measures that hosts limit."""

    FILES = "files"
    TOTAL_BYTES = "bytes"
    FILE_BYTES = "bytes of a file"


@dataclass(frozen=True, slots=True)
class _Limit:
    """The largest value of a measure that a host allows."""

    host: str
    measure: _Measure
    value: int
    """The limit, in files or bytes."""


# One long statement, since it is a table with a row for each limit.
_LIMITS = (
    _Limit("GitHub Pages", _Measure.TOTAL_BYTES, 1000 * _MEGABYTE),
    _Limit("GitHub", _Measure.FILE_BYTES, 100 * _MEBIBYTE),
    _Limit("GitLab.com Pages", _Measure.TOTAL_BYTES, 1 << 30),
    _Limit("GitLab.com Pages", _Measure.FILES, 200_000),
    _Limit("Cloudflare Pages", _Measure.FILES, 20_000),
    _Limit("Cloudflare Pages", _Measure.FILE_BYTES, 25 * _MEBIBYTE),
)
"""Limits as the hosts stated them in 2026; paid plans may allow more."""


def near_limits(sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield a line for each host limit that a site exceeds or comes near.

    Args:
        sizes: Size in bytes of each file of the site, by name.
    """
    largest_file = max(sizes, key=sizes.__getitem__, default="")
    measured = {
        _Measure.FILES: len(sizes),
        _Measure.TOTAL_BYTES: sum(sizes.values()),
        _Measure.FILE_BYTES: sizes.get(largest_file, 0),
    }
    for limit in _LIMITS:
        value = measured[limit.measure]
        if value > _WARNING_SHARE * limit.value:
            yield _limit_line(limit, value, largest_file)


def _limit_line(limit: _Limit, value: int, largest_file: str) -> str:
    """Return a line that compares a site's value with a host's limit."""
    match limit.measure:
        case _Measure.FILES:
            return f"the site has {value:,} files; {limit.host} takes {limit.value:,} files"
        case _Measure.TOTAL_BYTES:
            return f"the site is {_format_mb(value)}; {limit.host} takes {_format_mb(limit.value)}"
        case _Measure.FILE_BYTES:
            limit_text = f"{_format_mb(limit.value)} per file"
            return f"{largest_file} is {_format_mb(value)}; {limit.host} takes {limit_text}"


def _format_mb(size: int) -> str:
    return f"{size / _MEGABYTE:,.0f} MB"
