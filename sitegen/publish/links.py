"""Checks every link of the built site: the builder does not see those in raw HTML."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, filterfalse
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# Each begins with its letters, which the regular expression engine finds several times as fast as a choice.
_LINKS = (re.compile(r'href="([^"]*)"'), re.compile(r'src="([^"]*)"'))
_ANCHORS = (re.compile(r'id="([^"]*)"'), re.compile(r'name="([^"]*)"'))
_INDEX = "index.html"

_quoted = re.compile(r"[?%]").search
"""Finds what may stand in a path, as it is in a page, but not in the name of a file."""

_elsewhere = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//").match
"""Begins a link to another host, or to no place at all, as `mailto:` does."""


_APART = "\0"
"""Stands between names that are kept as one text, and in no page."""


class PageLinks(NamedTuple):
    """What a page says of places. Names are kept as one text: a large site has millions of them.

    Attributes:
        anchors: Its own.
        links: Where it leads on this site: by path, as it stands in the page, the file that is meant, or a folder
            whose index is; None where it leads out of the site; and the fragments. Links to its own anchors are
            left out.
    """

    anchors: str
    links: Mapping[str, tuple[str | None, str]]


def links_of(name: str, text: str, base: str = "/") -> PageLinks:
    """Read a page's links; those to its own anchors are settled here, being the bulk of a long page's.

    Args:
        name: The page's file, below the root.
        text: The page.
        base: The path that the site will have on its host, as absolute links begin with it.
    """
    anchors = {"__top", *_found(_ANCHORS, text)}
    links: dict[str, set[str]] = defaultdict(set)
    for link in filterfalse(_elsewhere, {*_found(_LINKS, text)}):
        path, _, fragment = link.partition("#")
        if path or fragment not in anchors:
            links[path].add(fragment)
    led = {path: (_meant(name, path, base), _APART.join(found)) for path, found in links.items()}
    return PageLinks(_APART.join(anchors), led)


class _Link(NamedTuple):
    """What a page asks of another one."""

    page: str
    path: str
    fragments: str

    def told(self, fragments: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Give the page with each link, of which the fragments lead nowhere."""
        for each in fragments:
            yield self.page, f"{self.path}#{each}" if each else self.path


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
    pages = {**_read(root, files - (known or {}).keys(), base), **(known or {})}
    asked: dict[str | None, list[_Link]] = defaultdict(list)
    for target, link in _asked(pages, files):
        asked[target].append(link)
    broken = {each for target, links in asked.items() for each in _broken(target, links, pages)}
    return sorted(f"{page}: {link}" for page, link in broken if _stands_in_a_tag(root / page, link))


def _stands_in_a_tag(page: Path, link: str) -> bool:
    """Whether a link is one: a text may quote another page's, such as a name in a drawing."""
    pattern = rf'<[^<>]*\s(?:href|src)="{re.escape(link)}"'
    return re.search(pattern, page.read_text(encoding="utf-8")) is not None


def _asked(pages: Mapping[str, PageLinks], files: frozenset[str]) -> Iterator[tuple[str | None, _Link]]:
    """Give the links that ask for a place, each with the file it leads to, and those that lead to none."""
    for name, page in pages.items():
        for path, (meant, fragments) in page.links.items():
            target = next((file for file in _indexes(meant) if file in files), None)
            if fragments or target is None:
                yield target, _Link(name, path, fragments)


def _read(root: Path, names: Iterable[str], base: str) -> dict[str, PageLinks]:
    """Read the links of those files that are pages."""
    pages = filter(lambda name: name.endswith(".html"), names)
    return {name: links_of(name, (root / name).read_text(encoding="utf-8"), base) for name in pages}


def _found(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[str]:
    return chain.from_iterable(pattern.findall(text) for pattern in patterns)


def _meant(page: str, link: str, base: str) -> str | None:
    """Give the file or folder that a path means, seen from a page; None where it leads out of the site."""
    path = unquote(urlsplit(link).path) if _quoted(link) else link
    if not path:
        return page
    if path.startswith("/"):
        if not path.startswith(base):
            return None
        name = path.removeprefix(base)
    else:
        name = posixpath.join(posixpath.dirname(page), path)
    whole = posixpath.normpath(name) if name else "."
    return None if whole.startswith("..") else whole


def _broken(target: str | None, links: Iterable[_Link], pages: Mapping[str, PageLinks]) -> Iterator[tuple[str, str]]:
    """Find the broken ones of the links to a file; to none, all are; what is no page is taken to have all places."""
    if target is None:
        yield from chain.from_iterable(link.told(link.fragments.split(_APART)) for link in links)
    elif target in pages:
        anchors = {"", *pages[target].anchors.split(_APART)}
        for link in links:
            lost = filterfalse(anchors.__contains__, link.fragments.split(_APART))
            yield from link.told(each for each in lost if unquote(each) not in anchors)


def _indexes(meant: str | None) -> tuple[str, ...]:
    if meant is None:
        return ()
    return (_INDEX,) if meant == "." else (meant, f"{meant}/{_INDEX}")
