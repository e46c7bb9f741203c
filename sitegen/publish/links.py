"""Checks every link of the built site: the builder does not see those in raw HTML."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sitegen.publish.workers import shared_out

_LINK = re.compile(r'\s(href|src|id|name)="([^"]*)"')
_PAGE = "index.html"


def broken_links(root: Path, base: str = "/", jobs: int = 1) -> list[str]:
    """Find links that lead to no file, or to no place on their page.

    Args:
        root: The built site.
        base: The path that the site will have on its host, as absolute links begin with it.
        jobs: Processes that read pages side by side.

    Returns:
        One line for each: the page, the link.
    """
    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    pages = sorted(name for name in files if name.endswith(".html"))
    shares = shared_out(jobs, lambda turns: [_read(root, pages[turn]) for turn in takewhile(len(pages).__gt__, turns)])
    found = {page: (anchors, links) for share in shares for page, anchors, links in share}
    anchors = {page: found[page][0] for page in pages}
    return [f"{page}: {link}" for page in pages for link in _broken(page, found[page][1], files, anchors, base)]


def _read(root: Path, page: str) -> tuple[str, set[str], set[str]]:
    """Give a page with its anchors and its links."""
    found = _LINK.findall((root / page).read_text(encoding="utf-8"))
    anchors = {value for kind, value in found if kind in {"id", "name"}}
    return page, {"__top", *anchors}, {value for kind, value in found if kind in {"href", "src"}}


def _broken(
    page: str, standing: set[str], files: set[str], anchors: Mapping[str, set[str]], base: str
) -> Iterator[str]:
    """Find the broken ones of a page's links; many share a path and differ in their fragment."""
    targets: dict[str, str | None] = {}
    for link in sorted(standing):
        path, _, fragment = link.partition("#")
        if path not in targets:
            targets[path] = _target(page, path, files, base)
        target = targets[path]
        known = anchors.get(target or "")
        if target is None or (fragment and known is not None and unquote(fragment) not in known):
            yield link


def _target(page: str, path: str, files: set[str], base: str) -> str | None:
    """Give the file that a path leads to, "" where it leads to another host, or None where it leads nowhere."""
    parts = urlsplit(path)
    if parts.scheme or parts.netloc:
        return ""
    return next((name for name in _files_of(page, unquote(parts.path), base) if name in files), None)


def _files_of(page: str, path: str, base: str) -> Iterator[str]:
    """Give the files that a path can mean, seen from a page."""
    if not path:
        yield page
        return
    if path.startswith("/"):
        if not path.startswith(base):
            return
        name = path.removeprefix(base)
    else:
        name = posixpath.join(posixpath.dirname(page), path)
    whole = posixpath.normpath(name) if name else "."
    if whole.startswith(".."):
        return
    yield whole
    yield posixpath.normpath(posixpath.join(whole, _PAGE))
