"""Checks every link of the built site: the builder does not see those in raw HTML."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from sitegen.publish.workers import shared_out

# Each begins with its letters, which the regular expression engine finds several times as fast as a choice.
_LINKS = (re.compile(r'href="([^"]*)"'), re.compile(r'src="([^"]*)"'))
_ANCHORS = (re.compile(r'id="([^"]*)"'), re.compile(r'name="([^"]*)"'))
_INDEX = "index.html"


class _Page(NamedTuple):
    """What a page says of places: its own, and those it leads to."""

    anchors: set[str]
    links: set[str]


@dataclass(frozen=True, slots=True)
class _Site:
    """Where links can lead."""

    files: frozenset[str]
    base: str
    """The path that the site will have on its host."""

    def target(self, page: str, path: str) -> str | None:
        """Give the file that a path leads to, "" where it leads to another host, or None where it leads nowhere."""
        parts = urlsplit(path)
        if parts.scheme or parts.netloc:
            return ""
        return next(filter(self.files.__contains__, self._meant(page, unquote(parts.path))), None)

    def _meant(self, page: str, path: str) -> Iterator[str]:
        """Give the files that a path can mean, seen from a page."""
        if not path:
            yield page
            return
        if path.startswith("/"):
            if not path.startswith(self.base):
                return
            name = path.removeprefix(self.base)
        else:
            name = posixpath.join(posixpath.dirname(page), path)
        whole = posixpath.normpath(name) if name else "."
        if whole.startswith(".."):
            return
        yield whole
        yield posixpath.normpath(posixpath.join(whole, _INDEX))


def broken_links(root: Path, base: str = "/", jobs: int = 1) -> list[str]:
    """Find links that lead to no file, or to no place on their page.

    Args:
        root: The built site.
        base: The path that the site will have on its host, as absolute links begin with it.
        jobs: Processes that read pages side by side.

    Returns:
        One line for each: the page, the link.
    """
    files = frozenset(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    names = sorted(name for name in files if name.endswith(".html"))
    shares = shared_out(jobs, lambda turns: [_read(root, names[turn]) for turn in takewhile(len(names).__gt__, turns)])
    pages = dict(chain.from_iterable(shares))
    site = _Site(files, base)
    return [f"{name}: {link}" for name in names for link in _broken(name, pages, site)]


def _read(root: Path, name: str) -> tuple[str, _Page]:
    """Read a page; its links to its own anchors are settled here, being the bulk of a long page's."""
    text = (root / name).read_text(encoding="utf-8")
    anchors = {"__top", *_found(_ANCHORS, text)}
    return name, _Page(anchors, {*_found(_LINKS, text)} - {f"#{anchor}" for anchor in anchors})


def _found(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[str]:
    return chain.from_iterable(pattern.findall(text) for pattern in patterns)


def _broken(name: str, pages: Mapping[str, _Page], site: _Site) -> Iterator[str]:
    """Find the broken ones of a page's links; many share a path and differ in their fragment."""
    targets: dict[str, str | None] = {}
    for link in sorted(pages[name].links):
        path, _, fragment = link.partition("#")
        if path not in targets:
            targets[path] = site.target(name, path)
        target = targets[path]
        if target is None or (fragment and target in pages and unquote(fragment) not in pages[target].anchors):
            yield link
