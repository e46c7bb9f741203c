"""Find links of a site that lead to a missing file or anchor. Start with `broken_links`."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from sitegen.publish.machine.transaction import files_below
from sitegen.publish.site.tree import PAGE_FILE

# Each pattern begins with literal letters, for which `re` searches several times as fast.
_LINKS = (re.compile(r'href="([^"]*)"'), re.compile(r'src="([^"]*)"'))
_ANCHORS = (re.compile(r'id="([^"]*)"'), re.compile(r'name="([^"]*)"'))

_QUERY_OR_ESCAPE = re.compile(r"[?%]")
"""Matches characters that may occur in a link but not in a file name."""

_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
"""Matches the start of links to other hosts, and of links such as `mailto:`."""

_SEPARATOR = "\0"
"""The separator of names that are stored as one text; no page contains it."""


class PageLinks(NamedTuple):
    """The anchors of a page, and its links on this site.

    Names are joined by `_SEPARATOR` into one text, because a large site has millions of names.
    """

    anchors: str
    """The page's own anchors."""
    links: Mapping[str, tuple[str | None, str]]
    """The target and the fragments for each path that the page links to.

    The target is the name of a file, or of a folder with an index; "." is the root, and None is a
    path outside the site. A link without a fragment has an empty fragment. Links to anchors of the
    page itself are left out.
    """


def links_of(name: str, text: str, base: str = "/") -> PageLinks:
    """Return a page's anchors and links, without its many links to its own anchors.

    Args:
        name: Name of the page's file, below the root of the site.
        text: The page.
        base: The path of the site on its host; absolute links start with it.
    """
    anchors = {"__top"}
    for pattern in _ANCHORS:
        anchors.update(pattern.findall(text))
    links = set(chain.from_iterable(pattern.findall(text) for pattern in _LINKS))
    fragments_by_path: dict[str, set[str]] = defaultdict(set)
    for link in links:
        if _EXTERNAL.match(link):
            continue
        path, _, fragment = link.partition("#")
        if path or fragment not in anchors:
            fragments_by_path[path].add(fragment)
    targets = {}
    for path, fragments in fragments_by_path.items():
        targets[path] = (_link_target(name, path, base), _SEPARATOR.join(fragments))
    return PageLinks(_SEPARATOR.join(anchors), targets)


def _link_target(page_name: str, link: str, base: str) -> str | None:
    """Return the file or folder below the root that a link leads to; None if it is outside."""
    path = unquote(link.partition("?")[0]) if _QUERY_OR_ESCAPE.search(link) else link
    if not path:
        return page_name
    if path.startswith("/"):
        if not path.startswith(base):
            return None
        path = path.removeprefix(base)
    else:
        path = posixpath.join(posixpath.dirname(page_name), path)
    normalized = posixpath.normpath(path) if path else "."
    is_outside = normalized.split("/", 1)[0] == ".."
    return None if is_outside else normalized


class _Link(NamedTuple):
    """A link from one page to another, with all anchors that it uses."""

    page: str
    path: str
    fragments: str


def broken_links(root: Path, base: str = "/", trusted: Collection[str] = ()) -> list[str]:
    """Return one line per link to a missing file or anchor, with the page that contains the link.

    Args:
        root: The site.
        base: See `links_of`.
        trusted: Pages whose links are not checked, because the code that made the links knows their
            targets.
    """
    files = frozenset(files_below(root))
    pages: dict[str, PageLinks] = {}
    for name in files.difference(trusted):
        if name.endswith(".html"):
            pages[name] = links_of(name, _read_page(root, name), base)
    broken = {*_links_to_no_file(pages, files), *_links_to_no_anchor(root, pages, files)}
    lines = []
    for page, address in sorted(broken, key=": ".join):
        # A page may quote a link in its text, for example in the names of a drawing.
        if _is_in_tag(_read_page(root, page), address):
            lines.append(f"{page}: {address}")
    return lines


def _links_to_no_file(
    pages: Mapping[str, PageLinks], files: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the page and the address of each link to a missing file or out of the site."""
    for name, page in pages.items():
        for path, (target, fragments) in page.links.items():
            if _target_file(target, files) is None:
                for fragment in fragments.split(_SEPARATOR):
                    yield name, _join_address(path, fragment)


def _links_to_no_anchor(
    root: Path, pages: Mapping[str, PageLinks], files: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the page and the address of each link to a missing anchor of a page.

    Files other than pages are assumed to have every anchor.
    """
    links_by_page: dict[str, list[_Link]] = defaultdict(list)
    for name, page in pages.items():
        for path, (target, fragments) in page.links.items():
            file = _target_file(target, files)
            if fragments and file is not None and file.endswith(".html"):
                links_by_page[file].append(_Link(name, path, fragments))
    for target_page, links in links_by_page.items():
        anchors = _anchors_of(target_page, root, pages)
        for link in links:
            for fragment in filter(None, link.fragments.split(_SEPARATOR)):
                if fragment not in anchors and unquote(fragment) not in anchors:
                    yield link.page, _join_address(link.path, fragment)


def _join_address(path: str, fragment: str) -> str:
    return f"{path}#{fragment}" if fragment else path


def _anchors_of(name: str, root: Path, pages: Mapping[str, PageLinks]) -> set[str]:
    """Return the anchors of a page.

    Args:
        name: Name of the page's file.
        root: The site.
        pages: The pages that have been read.
    """
    page = pages.get(name) or links_of(name, _read_page(root, name))
    return set(page.anchors.split(_SEPARATOR))


def _read_page(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def _target_file(target: str | None, files: Collection[str]) -> str | None:
    """Return the file that a link leads to: the target itself, or the index of a folder.

    Returns None if there is no such file, or if the target is None because it is outside the site.
    """
    if target is None:
        return None
    if target in files:
        return target
    index = PAGE_FILE if target == "." else f"{target}/{PAGE_FILE}"
    return index if index in files else None


def _is_in_tag(text: str, link: str) -> bool:
    """Return whether a link appears inside a tag of a page."""
    return re.search(rf'<[^<>]*\s(?:href|src)="{re.escape(link)}"', text) is not None
