"""The site's folder, built aside and put in place as a whole; what leads to its pages: search, map, feeds; its links.

The same results give the same bytes.
"""

import html
import json
import os
import posixpath
import re
import shutil
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, filterfalse
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from sitegen.models.site import Item
from sitegen.problems import UsageError
from sitegen.publish.manifest import MARK, write_manifest
from sitegen.publish.stamping import require_known_scripts, unmarked
from sitegen.publish.transaction import files_below, link_or_copy, transaction

INDEX = "search/search_index.json"
MAP, ROBOTS = "sitemap.xml", "robots.txt"
ATOM, JSON = "feed.xml", "feed.json"

MOST = 50_000
"""So many addresses may stand in one map (sitemaps.org)."""

_NAME = re.compile(r"<title>(.*) - [^<]*</title>")
_TAG = re.compile(r"<[^>]*>")
"""What an authored page is called where it is led to; its heading may say something else."""

_NAMESPACE = "http://www.w3.org/2005/Atom"
_NAMES = uuid.UUID("6f1c7f52-4c1e-5f0e-9a53-0c5a4f1d7c11")
"""What the names of items are made unique with: the same item has the same name wherever the site stands."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder of files to be; names are below its root."""

    root: Path
    written: list[tuple[str, str]] = field(default_factory=list)
    """Names and SHA-256 of what was written to it, in that order; the latter is empty where nobody knows it yet."""

    def page(self, address: str) -> Path:
        """The file of an address."""
        return self.root / address / "index.html"

    def write_page(self, address: str, text: str) -> str:
        """Write a page at its address; gives its file's name."""
        name = f"{address}index.html"
        self.write(name, text)
        return name

    def write(self, name: str, text: str) -> None:
        """Write a text.

        Raises:
            BuilderError: It is a page with a script that is none of the theme's.
        """
        if name.endswith(".html"):
            require_known_scripts(name, text)
        self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, content: bytes | memoryview) -> None:
        """Write a file."""
        self._place(name, sha256(content).hexdigest()).write_bytes(content)

    def copy(self, source: Path, name: str) -> None:
        """Copy a file."""
        shutil.copyfile(source, self._place(name))

    def link(self, source: Path, name: str, digest: str) -> None:
        """Put in a file that stays as it is, with what is known of its SHA-256."""
        link_or_copy(source, self._place(name, digest))

    def _place(self, name: str, digest: str = "") -> Path:
        """Make room for a file: one that is there may stand in another tree as well, and so is never written to."""
        path = self.root / name
        try:
            os.mkdir(path.parent)  # noqa: PTH102 - most files are the first of their folder, and there are thousands
        except FileExistsError:
            path.unlink(missing_ok=True)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
        self.written.append((name, digest))
        return path


@contextmanager
def replacing(site: Path) -> Iterator[tuple[Tree, Path]]:
    """Build a site aside, and put it in the place of the old one when all went well.

    Yields:
        The tree to write to, and a folder for scratch work.

    Raises:
        UsageError: The folder holds something that is no site.
    """
    if site.exists() and not site.is_dir():
        raise UsageError(f"{site} is a file; name a folder for the site")
    if site.is_dir() and any(site.iterdir()) and not (site / MARK).exists():
        raise UsageError(
            f"{site} is no site of sitegen's, so it is not replaced; name another folder, or empty it"
        )
    with transaction(site, whole=True) as changes:
        tree = Tree(changes.root)
        yield tree, changes.work
        tree.write(MARK, "This folder was made by sitegen, which replaces it as a whole.\n")
        write_manifest(tree.root, dict(tree.written))


_ORDER = (
    "Agent",
    "Task",
    "Round",
    "Requirement",
    "Case",
    "Benchmark",
    "Board",
    "Page",
    "Release",
    "Run",
)
"""Kinds of what is found, in the order that the search shows those in that fit as well."""


_DIGITS = re.compile(r"\d+")
"""What is put in order as a number: round 2 stands before round 10."""

MOST_CASES = 10_000
"""Where there are more of them, a reader would wait for the index, and cases are found on the pages of rounds only."""


def add_to_search(tree: Tree, names: Iterable[tuple[str, str, str, str]]) -> None:
    """Add what the search finds by its name to the index that the builder made, in the order of its kinds.

    Of each there is its kind, its name, what else is known, and its address. The builder's own pages get the names that
    they are called by where these are not their titles.
    """
    path = tree.root / INDEX
    if not path.exists():
        return
    index = json.loads(path.read_text(encoding="utf-8"))
    docs: list[dict[str, Any]] = []
    for kind, *texts, address in names:  # the theme takes what it shows for HTML
        title, about = (html.escape(text, quote=False) for text in texts)
        docs.append({"location": address, "title": title, "text": about, "tags": [kind]})
    if sum("Case" in doc["tags"] for doc in docs) > MOST_CASES:
        docs = [doc for doc in docs if "Case" not in doc["tags"]]
    known = {doc["location"] for doc in docs}
    for doc in index["docs"]:
        if doc["location"].split("#")[0] in known:
            continue
        title, page = unmarked(doc["title"]), tree.page(doc["location"])
        if "#" not in doc["location"] and page.exists():  # parts of pages have no name
            named = _NAME.search(page.read_text(encoding="utf-8"))
            name = named[1] if named else ""
            title = title if name.casefold() in title.casefold() else f"{name} · {title}"
        text = " ".join(_TAG.sub(" ", doc["text"]).split())
        docs.append({"location": doc["location"], "title": title, "text": text, "tags": ["Page"]})
    counted = {
        doc["location"]: _DIGITS.sub(lambda found: found[0].zfill(9), doc["location"])
        for doc in docs
    }
    docs.sort(key=lambda doc: (_ORDER.index(doc["tags"][0]), counted[doc["location"]].split("/")))
    tree.write(
        INDEX, json.dumps({**index, "docs": docs}, ensure_ascii=False, separators=(",", ":"))
    )


def write_map(tree: Tree, site: str) -> None:
    """Put a map of every page in the place of the builder's, which has authored pages only, and the day.

    The site's address ends in `/`. Where it is not known, the map is empty: its links are absolute.
    """

    def listed(root: str, item: str, names: Iterable[str]) -> str:
        items = "".join(
            f"<{item}><loc>{html.escape(site + name)}</loc></{item}>\n" for name in names
        )
        head = '<?xml version="1.0" encoding="UTF-8"?>\n'
        return f'{head}<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{items}</{root}>\n'

    (tree.root / f"{MAP}.gz").unlink(missing_ok=True)
    told = f"\nSitemap: {site}{MAP}\n" if site else ""
    tree.write(ROBOTS, f"User-agent: *\nAllow: /\n{told}")
    pages = tree.root.rglob("index.html") if site else ()
    addresses = sorted(
        page.relative_to(tree.root).as_posix().removesuffix("index.html") for page in pages
    )
    if len(addresses) <= MOST:
        tree.write(MAP, listed("urlset", "url", addresses))
        return
    parts = [addresses[first : first + MOST] for first in range(0, len(addresses), MOST)]
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        tree.write(name, listed("urlset", "url", part))
    tree.write(MAP, listed("sitemapindex", "sitemap", names))


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed before it is written."""

    title: str
    site: str
    """Address of the site, ending in `/`; empty where it is not known: links are then relative."""
    items: Sequence[Item]
    """The latest first."""

    def atom(self) -> str:
        """Write it as Atom (RFC 4287)."""
        ET.register_namespace("", _NAMESPACE)
        root = ET.Element(f"{{{_NAMESPACE}}}feed")
        _add(root, "id", _name("feed", self.title))
        _add(root, "title", self.title)
        _add(root, "updated", _time(self.items[0].date if self.items else "1970-01-01"))
        _add(_add(root, "author"), "name", self.title)
        _add(root, "link", rel="self", type="application/atom+xml", href=f"{self.site}{ATOM}")
        _add(root, "link", rel="alternate", type="text/html", href=self.site or "./")
        for item in self.items:
            entry = _add(root, "entry")
            _add(entry, "id", _name("item", item.id))
            _add(entry, "title", item.title)
            _add(entry, "updated", _time(item.date))
            _add(
                entry, "link", rel="alternate", type="text/html", href=f"{self.site}{item.address}"
            )
            _add(entry, "summary", item.words, type="text")
            for tag in item.tags:
                _add(entry, "category", term=tag)
        ET.indent(root, " ")
        text: str = ET.tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'

    def json(self) -> str:
        """Write it as JSON Feed 1.1."""
        items = [
            {
                "id": _name("item", item.id),
                "url": f"{self.site}{item.address}",
                "title": item.title,
                "content_text": item.words,
                "date_published": _time(item.date),
                "tags": list(item.tags),
            }
            for item in self.items
        ]
        where = {"home_page_url": self.site, "feed_url": f"{self.site}{JSON}"} if self.site else {}
        feed = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": self.title,
            **where,
            "items": items,
        }
        return json.dumps(feed, indent=1, ensure_ascii=False) + "\n"


def _name(kind: str, name: str) -> str:
    return f"urn:uuid:{uuid.uuid5(_NAMES, f'{kind}/{name}')}"


def _time(day: str) -> str:
    return f"{day}T00:00:00Z"


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    child = ET.SubElement(parent, f"{{{_NAMESPACE}}}{tag}", attributes)
    child.text = text
    return child


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
    """What a page says of places. Names are kept as one text: a large site has millions of them."""

    anchors: str
    """Its own."""
    links: Mapping[str, tuple[str | None, str]]
    """Where it leads on this site: by path, as it stands in the page, the file that is meant, or a folder whose index
    is; None where it leads out of the site; and the fragments. Links to its own anchors are left out."""


def links_of(name: str, text: str, base: str = "/") -> PageLinks:
    """Read a page's links; those to its own anchors are settled here, being the bulk of a long page's.

    The name is that of its file, below the root; absolute links begin with the path that the site has on its host.
    """

    def meant(link: str) -> str | None:
        path = unquote(link.partition("?")[0]) if _quoted(link) else link
        if not path:
            return name
        if path.startswith("/") and not path.startswith(base):
            return None
        below = (
            path.removeprefix(base)
            if path.startswith("/")
            else posixpath.join(posixpath.dirname(name), path)
        )
        whole = posixpath.normpath(below) if below else "."
        return None if whole.startswith("..") else whole

    anchors = {"__top", *chain.from_iterable(pattern.findall(text) for pattern in _ANCHORS)}
    found = {*chain.from_iterable(pattern.findall(text) for pattern in _LINKS)}
    links: dict[str, set[str]] = defaultdict(set)
    for link in filterfalse(_elsewhere, found):
        path, _, fragment = link.partition("#")
        if path or fragment not in anchors:
            links[path].add(fragment)
    led = {path: (meant(path), _APART.join(fragments)) for path, fragments in links.items()}
    return PageLinks(_APART.join(anchors), led)


def broken_links(root: Path, base: str = "/", trusted: Collection[str] = ()) -> list[str]:
    """Links that lead to no file, or to no place on their page: a line for each, with its page.

    Those of trusted pages are not looked at: what made them knows what there is. `base` is as for `links_of`.
    """

    def read(name: str) -> PageLinks:
        return links_of(name, (root / name).read_text(encoding="utf-8"), base)

    files = frozenset(files_below(root))
    pages = {name: read(name) for name in files.difference(trusted) if name.endswith(".html")}
    asked: dict[str | None, list[tuple[str, str, str]]] = defaultdict(
        list
    )  # the page, the path, and the fragments
    for name, page in pages.items():
        for path, (meant, fragments) in page.links.items():
            places = (_INDEX,) if meant == "." else (meant, f"{meant}/{_INDEX}") if meant else ()
            target = next((file for file in places if file in files), None)
            if fragments or target is None:
                asked[target].append((name, path, fragments))
    broken: set[tuple[str, str]] = set()
    for target, links in asked.items():
        if target is not None and not target.endswith(".html"):
            continue  # what is no page is taken to have all places
        anchors = {""} if target else set[str]()
        if target and any(fragments for _, _, fragments in links):
            anchors |= {*(pages.get(target) or read(target)).anchors.split(_APART)}
        for name, path, fragments in links:
            missing = (
                each for each in fragments.split(_APART) if not {each, unquote(each)} & anchors
            )
            broken |= {(name, f"{path}#{each}" if each else path) for each in missing}

    def stands_in_a_tag(
        name: str, link: str
    ) -> bool:  # a text may quote another page's, such as a name in a drawing
        tag = rf'<[^<>]*\s(?:href|src)="{re.escape(link)}"'
        return re.search(tag, (root / name).read_text(encoding="utf-8")) is not None

    return sorted(f"{name}: {link}" for name, link in broken if stands_in_a_tag(name, link))
