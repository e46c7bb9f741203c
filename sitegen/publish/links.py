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


class PageLinks(NamedTuple):
    """What a page says of places.

    Attributes:
        anchors: Its own.
        links: Where it leads on this site: by path, as it stands in the page, the file that is meant, or a folder
            whose index is; None where it leads out of the site; and the fragments. Links to its own anchors are
            left out.
    """

    anchors: set[str]
    links: Mapping[str, tuple[str | None, set[str]]]


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
    return PageLinks(anchors, {path: (_meant(name, path, base), found) for path, found in links.items()})


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
    return [f"{name}: {link}" for name in sorted(pages) for link in _broken(name, pages, files)]


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


def _broken(name: str, pages: Mapping[str, PageLinks], files: frozenset[str]) -> Iterator[str]:
    """Find the broken ones of a page's links."""
    for path, (meant, fragments) in sorted(pages[name].links.items()):
        target = next((file for file in _indexes(meant) if file in files), None)
        lost = fragments if target is None else _lost(pages.get(target), fragments)
        yield from (f"{path}#{fragment}" if fragment else path for fragment in sorted(lost))


def _indexes(meant: str | None) -> tuple[str, ...]:
    if meant is None:
        return ()
    return (_INDEX,) if meant == "." else (meant, f"{meant}/{_INDEX}")


def _lost(page: PageLinks | None, fragments: set[str]) -> set[str]:
    """Give the fragments that a page has no anchor for; what is no page is taken to have all."""
    if page is None:
        return set()
    return {each for each in fragments - page.anchors if each and unquote(each) not in page.anchors}
