"""Write the files of a site: its pages, search index, map and feeds; and find its broken links.

A site is built aside and replaces the old one at the end: start with `replace_site`. The same results
give the same bytes.
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
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from sitegen.models.site import Item
from sitegen.problems import UsageError
from sitegen.publish.manifest import SITE_MARKER, write_manifest
from sitegen.publish.stamping import insert_marked_texts, require_known_scripts
from sitegen.publish.transaction import files_below, link_or_copy, transaction

SEARCH_INDEX = "search/search_index.json"
SITEMAP = "sitemap.xml"
ROBOTS = "robots.txt"
ATOM_FEED = "feed.xml"
JSON_FEED = "feed.json"

MAX_SITEMAP_ADDRESSES = 50_000
"""Number of addresses that one map may have (sitemaps.org)."""

MAX_SEARCH_CASES = 10_000
"""Number of test cases that the search finds; more would make a reader wait for the index."""

_PAGE_FILE = "index.html"
_PAGE_TITLE = re.compile(r"<title>(.*) - [^<]*</title>")
"""The name of an authored page in the navigation; its heading may differ."""
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"\d+")
_NUMBER_WIDTH = 9

_ATOM_NAMESPACE = "http://www.w3.org/2005/Atom"
_ITEM_NAMESPACE = uuid.UUID("6f1c7f52-4c1e-5f0e-9a53-0c5a4f1d7c11")
"""Makes the ids of feed items unique; an item has the same id at any address of the site."""

_XML_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

_SEARCH_ORDER = (
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
"""Kinds of search results; of equally good results, the search shows earlier kinds first."""

SearchDocument: TypeAlias = dict[str, Any]
"""An entry of the search index: location, title, text and tags, of which the first is its kind."""


@dataclass(frozen=True, slots=True)
class SiteTree:
    """A folder of files to be written; names are relative to its root."""

    root: Path
    written: list[tuple[str, str]] = field(default_factory=list)
    """Names and SHA-256 of the files that were written, in order; an unknown SHA-256 is empty."""

    def page(self, address: str) -> Path:
        """Return the file of an address."""
        return self.root / address / _PAGE_FILE

    def write_page(self, address: str, text: str) -> str:
        """Write a page at its address, and return the name of its file."""
        name = f"{address}{_PAGE_FILE}"
        self.write(name, text)
        return name

    def write(self, name: str, text: str) -> None:
        """Write a text file.

        Raises:
            BuilderError: It is a page with a script that the theme does not have.
        """
        if name.endswith(".html"):
            require_known_scripts(name, text)
        self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, content: bytes | memoryview) -> None:
        """Write a file."""
        digest = sha256(content).hexdigest()
        self._prepare(name, digest).write_bytes(content)

    def copy(self, source: Path, name: str) -> None:
        """Copy a file."""
        shutil.copyfile(source, self._prepare(name))

    def link(self, source: Path, name: str, digest: str) -> None:
        """Link a file that is never changed; its SHA-256 may be unknown, and is then empty."""
        link_or_copy(source, self._prepare(name, digest))

    def _prepare(self, name: str, digest: str = "") -> Path:
        """Return the path of a new file: its folder exists, and it does not.

        An existing file is removed and not written to, because another tree may have a link to it.
        """
        path = self.root / name
        try:
            os.mkdir(path.parent)  # noqa: PTH102 - faster: most files are the first of their folder
        except FileExistsError:
            path.unlink(missing_ok=True)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
        self.written.append((name, digest))
        return path


@contextmanager
def replace_site(site: Path) -> Iterator[tuple[SiteTree, Path]]:
    """Build a site aside, and replace the old one if the block ends without an error.

    Yields:
        The tree to write to, and a folder for temporary files.

    Raises:
        UsageError: The folder is a file, or holds something other than a site of this program.
    """
    if site.exists() and not site.is_dir():
        raise UsageError(f"{site} is a file; name a folder for the site")
    if site.is_dir() and any(site.iterdir()) and not (site / SITE_MARKER).exists():
        raise UsageError(
            f"{site} is no site of sitegen's, so it is not replaced; name another folder, or "
            "empty it"
        )
    with transaction(site, replace_all=True) as changes:
        tree = SiteTree(changes.root)
        yield tree, changes.work
        tree.write(SITE_MARKER, "This folder was made by sitegen, which replaces it as a whole.\n")
        write_manifest(tree.root, dict(tree.written))


def add_to_search(tree: SiteTree, names: Iterable[tuple[str, str, str, str]]) -> None:
    """Add names to the search index that the builder of authored pages wrote.

    Authored pages get their names in the navigation, where these differ from their headings.

    Args:
        tree: The site.
        names: Kind, name, description and address of what the search is to find.
    """
    path = tree.root / SEARCH_INDEX
    if not path.exists():
        return
    index = json.loads(path.read_text(encoding="utf-8"))
    documents = _named_documents(names)
    locations = {document["location"] for document in documents}
    for document in index["docs"]:
        if document["location"].split("#")[0] not in locations:
            documents.append(_page_document(tree, document))
    documents.sort(key=_search_key)
    merged_index = {**index, "docs": documents}
    tree.write(SEARCH_INDEX, json.dumps(merged_index, ensure_ascii=False, separators=(",", ":")))


def _named_documents(names: Iterable[tuple[str, str, str, str]]) -> list[SearchDocument]:
    """Return the search documents of names, without test cases if there are too many."""
    documents: list[SearchDocument] = []
    for kind, name, description, address in names:
        # The theme inserts title and text as HTML.
        title = html.escape(name, quote=False)
        text = html.escape(description, quote=False)
        documents.append({"location": address, "title": title, "text": text, "tags": [kind]})
    without_cases = [document for document in documents if "Case" not in document["tags"]]
    case_count = len(documents) - len(without_cases)
    return without_cases if case_count > MAX_SEARCH_CASES else documents


def _page_document(tree: SiteTree, document: SearchDocument) -> SearchDocument:
    """Return the search document of an authored page or of a section of one."""
    location = document["location"]
    title = insert_marked_texts(document["title"])
    page = tree.page(location)
    is_page = "#" not in location  # sections have no name in the navigation
    if is_page and page.exists():
        match = _PAGE_TITLE.search(page.read_text(encoding="utf-8"))
        name = match[1] if match else ""
        if name.casefold() not in title.casefold():
            title = f"{name} · {title}"
    text = " ".join(_TAG.sub(" ", document["text"]).split())
    return {"location": location, "title": title, "text": text, "tags": ["Page"]}


def _search_key(document: SearchDocument) -> tuple[int, list[str]]:
    """Return the sort key of a document: its kind, then its location with numbers by value."""
    location = _NUMBER.sub(_pad_number, document["location"])
    return _SEARCH_ORDER.index(document["tags"][0]), location.split("/")


def _pad_number(match: re.Match[str]) -> str:
    return match[0].zfill(_NUMBER_WIDTH)


def write_sitemap(tree: SiteTree, site: str) -> None:
    """Write robots.txt and a map of every page, instead of the builder's map of authored pages.

    Args:
        tree: The site.
        site: Address of the site, ending in `/`; the map is empty if it is not known, because its
            links are absolute.
    """
    (tree.root / f"{SITEMAP}.gz").unlink(missing_ok=True)
    map_line = f"\nSitemap: {site}{SITEMAP}\n" if site else ""
    tree.write(ROBOTS, f"User-agent: *\nAllow: /\n{map_line}")
    addresses = []
    for page in tree.root.rglob(_PAGE_FILE) if site else ():
        name = page.relative_to(tree.root).as_posix()
        addresses.append(name.removesuffix(_PAGE_FILE))
    addresses.sort()
    if len(addresses) <= MAX_SITEMAP_ADDRESSES:
        tree.write(SITEMAP, _sitemap_text(site, "urlset", "url", addresses))
        return
    names: list[str] = []
    for start in range(0, len(addresses), MAX_SITEMAP_ADDRESSES):
        name = f"sitemap-{len(names) + 1}.xml"
        tree.write(
            name,
            _sitemap_text(site, "urlset", "url", addresses[start : start + MAX_SITEMAP_ADDRESSES]),
        )
        names.append(name)
    tree.write(SITEMAP, _sitemap_text(site, "sitemapindex", "sitemap", names))


def _sitemap_text(site: str, root_tag: str, item_tag: str, names: Iterable[str]) -> str:
    """Return a map in the format of sitemaps.org with an item for each name below the site."""
    lines = [f'{_XML_HEADER}<{root_tag} xmlns="{_MAP_NAMESPACE}">\n']
    for name in names:
        address = html.escape(site + name)
        lines.append(f"<{item_tag}><loc>{address}</loc></{item_tag}>\n")
    lines.append(f"</{root_tag}>\n")
    return "".join(lines)


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed of news."""

    title: str
    site: str
    """Address of the site, ending in `/`; links are relative if it is empty."""
    items: Sequence[Item]
    """The items, latest first."""

    def atom(self) -> str:
        """Return the feed as Atom (RFC 4287)."""
        ET.register_namespace("", _ATOM_NAMESPACE)
        root = ET.Element(f"{{{_ATOM_NAMESPACE}}}feed")
        _add_element(root, "id", _make_id("feed", self.title))
        _add_element(root, "title", self.title)
        last_date = self.items[0].date if self.items else "1970-01-01"
        _add_element(root, "updated", _midnight(last_date))
        _add_element(_add_element(root, "author"), "name", self.title)
        self_link = f"{self.site}{ATOM_FEED}"
        _add_element(root, "link", rel="self", type="application/atom+xml", href=self_link)
        _add_element(root, "link", rel="alternate", type="text/html", href=self.site or "./")
        for item in self.items:
            self._add_entry(root, item)
        ET.indent(root, " ")
        text: str = ET.tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'

    def _add_entry(self, root: ET.Element, item: Item) -> None:
        entry = _add_element(root, "entry")
        _add_element(entry, "id", _make_id("item", item.id))
        _add_element(entry, "title", item.title)
        _add_element(entry, "updated", _midnight(item.date))
        address = f"{self.site}{item.address}"
        _add_element(entry, "link", rel="alternate", type="text/html", href=address)
        _add_element(entry, "summary", item.words, type="text")
        for tag in item.tags:
            _add_element(entry, "category", term=tag)

    def json(self) -> str:
        """Return the feed as JSON Feed 1.1."""
        feed: dict[str, object] = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": self.title,
        }
        if self.site:
            feed["home_page_url"] = self.site
            feed["feed_url"] = f"{self.site}{JSON_FEED}"
        feed["items"] = list(map(self._json_item, self.items))
        return json.dumps(feed, indent=1, ensure_ascii=False) + "\n"

    def _json_item(self, item: Item) -> dict[str, object]:
        return {
            "id": _make_id("item", item.id),
            "url": f"{self.site}{item.address}",
            "title": item.title,
            "content_text": item.words,
            "date_published": _midnight(item.date),
            "tags": list(item.tags),
        }


def _make_id(kind: str, name: str) -> str:
    return f"urn:uuid:{uuid.uuid5(_ITEM_NAMESPACE, f'{kind}/{name}')}"


def _midnight(day: str) -> str:
    return f"{day}T00:00:00Z"


def _add_element(
    parent: ET.Element, tag: str, text: str | None = None, **attributes: str
) -> ET.Element:
    child = ET.SubElement(parent, f"{{{_ATOM_NAMESPACE}}}{tag}", attributes)
    child.text = text
    return child


# Each begins with its letters, which `re` finds several times as fast as an alternative.
_LINKS = (re.compile(r'href="([^"]*)"'), re.compile(r'src="([^"]*)"'))
_ANCHORS = (re.compile(r'id="([^"]*)"'), re.compile(r'name="([^"]*)"'))

_has_query_or_escape = re.compile(r"[?%]").search
"""Finds what a link in a page may have, but not the name of a file."""

_is_external = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//").match
"""Matches links to other hosts, and those such as `mailto:`."""

_SEPARATOR = "\0"
"""Separates names that are kept as one text; no page has it."""


class PageLinks(NamedTuple):
    """The anchors and links of a page; names are kept as one text, as a large site has millions."""

    anchors: str
    """The page's own anchors."""
    links: Mapping[str, tuple[str | None, str]]
    """The target and the fragments of each path on this site that the page links to.

    The target is a file, or a folder with an index; None outside of the site. Links to anchors of
    the page itself are left out.
    """


def links_of(name: str, text: str, base: str = "/") -> PageLinks:
    """Return the anchors and links of a page, without links to its own anchors, which are most.

    Args:
        name: Name of the page's file, below the root of the site.
        text: The page.
        base: Path of the site on its host, with which absolute links begin.
    """
    anchors = {"__top"}
    for pattern in _ANCHORS:
        anchors.update(pattern.findall(text))
    links = set(chain.from_iterable(pattern.findall(text) for pattern in _LINKS))
    fragments_by_path: dict[str, set[str]] = defaultdict(set)
    for link in links:
        if _is_external(link):
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
    path = unquote(link.partition("?")[0]) if _has_query_or_escape(link) else link
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
    """A link of a page."""

    page: str
    path: str
    fragments: str


def broken_links(root: Path, base: str = "/", trusted: Collection[str] = ()) -> list[str]:
    """Return the links that lead to no file or no anchor, each in a line with its page.

    Args:
        root: The site.
        base: As for `links_of`.
        trusted: Pages that are not read for links, because what made them knows its targets.
    """
    files = frozenset(files_below(root))
    pages: dict[str, PageLinks] = {}
    for name in files.difference(trusted):
        if name.endswith(".html"):
            pages[name] = links_of(name, _read_page(root, name), base)
    broken: set[tuple[str, str]] = set()
    for target, links in _links_by_target(pages, files).items():
        if target is not None and not target.endswith(".html"):
            continue  # a file that is no page is taken to have every anchor
        anchors = {""} if target else set[str]()
        if target and any(link.fragments for link in links):
            target_page = pages.get(target) or links_of(target, _read_page(root, target), base)
            anchors.update(target_page.anchors.split(_SEPARATOR))
        for link in links:
            for fragment in link.fragments.split(_SEPARATOR):
                if fragment not in anchors and unquote(fragment) not in anchors:
                    address = f"{link.path}#{fragment}" if fragment else link.path
                    broken.add((link.page, address))
    lines = []
    for page, address in sorted(broken, key=": ".join):
        # A text may quote a link, such as a name in a drawing.
        if _is_in_tag(_read_page(root, page), address):
            lines.append(f"{page}: {address}")
    return lines


def _read_page(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def _links_by_target(
    pages: Mapping[str, PageLinks], files: Collection[str]
) -> dict[str | None, list[_Link]]:
    """Return the links to check by the file that they lead to; None for a missing file."""
    links_by_target: dict[str | None, list[_Link]] = defaultdict(list)
    for name, page in pages.items():
        for path, (target, fragments) in page.links.items():
            file = _target_file(target, files)
            if fragments or file is None:
                links_by_target[file].append(_Link(name, path, fragments))
    return links_by_target


def _target_file(target: str | None, files: Collection[str]) -> str | None:
    """Return the file of a link's target: itself, or the index of a folder; None if missing."""
    if not target:
        return None
    candidates = [target, f"{target}/{_PAGE_FILE}"]
    if target == ".":
        candidates = [_PAGE_FILE]
    return next((file for file in candidates if file in files), None)


def _is_in_tag(text: str, link: str) -> bool:
    """Return whether a tag of a page has a link."""
    return re.search(rf'<[^<>]*\s(?:href|src)="{re.escape(link)}"', text) is not None
