"""Checks every link of the built site: the builder does not see those in raw HTML."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
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

_Asked = tuple[str, str, str]
"""What a page asks of another one: the page, the path, and the fragments."""


class PageLinks(NamedTuple):
    """What a page says of places. Names are kept as one text: a large site has millions of them."""

    anchors: str
    """Its own."""
    links: Mapping[str, tuple[str | None, str]]
    """Where it leads on this site: by path, as it stands in the page, the file that is meant, or a folder whose index
    is; None where it leads out of the site; and the fragments. Links to its own anchors are left out."""


def links_of(name: str, text: str, base: str = "/") -> PageLinks:
    """Read a page's links; those to its own anchors are settled here, being the bulk of a long page's.

    Args:
        name: The page's file, below the root.
        text: The page.
        base: The path that the site will have on its host, as absolute links begin with it.
    """
    anchors = {"__top", *chain.from_iterable(pattern.findall(text) for pattern in _ANCHORS)}
    found = {*chain.from_iterable(pattern.findall(text) for pattern in _LINKS)}
    links: dict[str, set[str]] = defaultdict(set)
    for link in filterfalse(_elsewhere, found):
        path, _, fragment = link.partition("#")
        if path or fragment not in anchors:
            links[path].add(fragment)
    led = {path: (_meant(name, path, base), _APART.join(fragments)) for path, fragments in links.items()}
    return PageLinks(_APART.join(anchors), led)


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
    for name in files - pages.keys():
        if name.endswith(".html"):
            pages[name] = links_of(name, (root / name).read_text(encoding="utf-8"), base)
    asked: dict[str | None, list[_Asked]] = defaultdict(list)
    for name, page in pages.items():
        for path, (meant, fragments) in page.links.items():
            places = (_INDEX,) if meant == "." else (meant, f"{meant}/{_INDEX}") if meant else ()
            target = next((file for file in places if file in files), None)
            if fragments or target is None:
                asked[target].append((name, path, fragments))
    broken = {each for target, links in asked.items() for each in _broken(target, links, pages)}
    return sorted(f"{name}: {link}" for name, link in broken if _stands_in_a_tag(root / name, link))


def _broken(target: str | None, links: Iterable[_Asked], pages: Mapping[str, PageLinks]) -> Iterator[tuple[str, str]]:
    """Find the broken ones of the links to a file; to none, all are; what is no page is taken to have all places."""
    if target is not None and target not in pages:
        return
    anchors = {"", *pages[target].anchors.split(_APART)} if target is not None else frozenset[str]()
    for page, path, fragments in links:
        for each in filterfalse(anchors.__contains__, fragments.split(_APART)):
            if unquote(each) not in anchors:
                yield page, f"{path}#{each}" if each else path


def _stands_in_a_tag(page: Path, link: str) -> bool:
    """Whether a link is one: a text may quote another page's, such as a name in a drawing."""
    pattern = rf'<[^<>]*\s(?:href|src)="{re.escape(link)}"'
    return re.search(pattern, page.read_text(encoding="utf-8")) is not None
