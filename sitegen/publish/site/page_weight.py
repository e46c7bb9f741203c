"""Find pages that are too heavy for the browsers of phones."""

import re
from collections.abc import Iterator, Mapping
from heapq import nlargest
from operator import itemgetter
from pathlib import Path

MAX_ELEMENTS = 8_000
"""Number of elements above which a page blocks a phone for about a second."""

_WARNING_SHARE = 0.8
"""Share of the limit above which a warning is shown."""

_MIN_BYTES = 320_000
"""Minimum size of a checked page in bytes; an element of a generated page takes 50 or more."""

_MAX_PAGES = 10
"""Maximum number of pages to check, largest first."""

_ELEMENT = re.compile(rb"<[a-z]")


def heavy_pages(site: Path, sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield a line for each of the largest pages that approaches or exceeds the element limit.

    Args:
        site: The folder of the site.
        sizes: Size in bytes of each file of the site, by name.
    """
    large_pages = {}
    for name, size in sizes.items():
        if size >= _MIN_BYTES and name.endswith(".html"):
            large_pages[name] = size
    for name, _ in nlargest(_MAX_PAGES, large_pages.items(), key=itemgetter(1)):
        elements = len(_ELEMENT.findall((site / name).read_bytes()))
        if elements > _WARNING_SHARE * MAX_ELEMENTS:
            limit = f"phones open pages of up to {MAX_ELEMENTS:,} elements without delay"
            yield f"{name} has {elements:,} elements; {limit}"
