"""Checks every link of the built site: the builder does not see those in raw HTML."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINK = re.compile(r'\s(href|src|id|name)="([^"]*)"')
_PAGE = "index.html"


def broken_links(root: Path, base: str = "/") -> list[str]:
    """Find links that lead to no file, or to no place on their page.

    Args:
        root: The built site.
        base: The path that the site will have on its host, as absolute links begin with it.

    Returns:
        One line for each: the page, the link.
    """
    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    pages = sorted(name for name in files if name.endswith(".html"))
    anchors: dict[str, set[str]] = {}
    links: dict[str, set[str]] = {}
    for page in pages:
        found = _LINK.findall((root / page).read_text(encoding="utf-8"))
        anchors[page] = {value for kind, value in found if kind in {"id", "name"}}
        links[page] = {value for kind, value in found if kind in {"href", "src"}}
    return [
        f"{page}: {link}"
        for page in pages
        for link in sorted(links[page])
        if not _leads_somewhere(page, link, files, anchors, base)
    ]


def _leads_somewhere(page: str, link: str, files: set[str], anchors: dict[str, set[str]], base: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or link.startswith(base + "?"):
        return True
    target = next((name for name in _files_of(page, unquote(parts.path), base) if name in files), None)
    if target is None:
        return False
    fragment = unquote(parts.fragment)
    return not fragment or target not in anchors or fragment in anchors[target] or fragment == "__top"


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
