"""Checks every link of the built site: the builder does not see those in raw HTML."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# Each begins with its letters, which the regular expression engine finds several times as fast as a choice.
_LINKS = (re.compile(r'href="([^"]*)"'), re.compile(r'src="([^"]*)"'))
_ANCHORS = (re.compile(r'id="([^"]*)"'), re.compile(r'name="([^"]*)"'))
_INDEX = "index.html"


class PageLinks(NamedTuple):
    """What a page says of places.

    Attributes:
        anchors: Its own.
        links: Fragments by path, as they stand in its links; those to its own anchors are left out.
    """

    anchors: set[str]
    links: Mapping[str, set[str]]


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


def links_of(text: str) -> PageLinks:
    """Read a page's links; those to its own anchors are settled here, being the bulk of a long page's."""
    anchors = {"__top", *_found(_ANCHORS, text)}
    links: dict[str, set[str]] = defaultdict(set)
    for link in {*_found(_LINKS, text)}:
        path, _, fragment = link.partition("#")
        if path or fragment not in anchors:
            links[path].add(fragment)
    return PageLinks(anchors, dict(links))


def broken_links(root: Path, base: str = "/", known: Mapping[str, PageLinks] | None = None) -> list[str]:
    """Find links that lead to no file, or to no place on their page.

    Args:
        root: The built site.
        base: The path that the site will have on its host, as absolute links begin with it.
        known: What pages say that were read already, by file; the others are read here.

    Returns:
        One line for each: the page, the link.
    """
    files = frozenset(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    pages = dict(known or {})
    names = sorted(name for name in files if name.endswith(".html"))
    for name in names:
        if name not in pages:
            pages[name] = links_of((root / name).read_text(encoding="utf-8"))
    site = _Site(files, base)
    return [f"{name}: {link}" for name in names for link in _broken(name, pages, site)]


def _found(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[str]:
    return chain.from_iterable(pattern.findall(text) for pattern in patterns)


def _broken(name: str, pages: Mapping[str, PageLinks], site: _Site) -> Iterator[str]:
    """Find the broken ones of a page's links."""
    for path, fragments in sorted(pages[name].links.items()):
        target = site.target(name, path)
        if target is None:
            lost = fragments
        elif target in pages:
            anchors = pages[target].anchors
            lost = {each for each in fragments - anchors if each and unquote(each) not in anchors}
        else:
            lost = set()
        yield from (f"{path}#{fragment}" if fragment else path for fragment in sorted(lost))
