"""Add names to the search index of a site. Start with `add_to_search`."""

import html
import json
import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from sitegen.publish.site.stamping import insert_marked_texts
from sitegen.publish.site.tree import SiteTree

SEARCH_INDEX = "search/search_index.json"

MAX_SEARCH_CASES = 10_000
"""Maximum number of test cases in the search index; a larger index would keep readers waiting."""

_PAGE_TITLE = re.compile(r"<title>(.*) - [^<]*</title>")
"""Matches the name of an authored page in the navigation, which may differ from its heading."""
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"\d+")
_NUMBER_WIDTH = 9

_SEARCH_ORDER = (
    "Agent",
    "Board",
    "Benchmark",
    "Metric",
    "Task",
    "Round",
    "Requirement",
    "Case",
    "Page",
    "Release",
    "Run",
)
"""Kinds of search results; among equally good results, earlier kinds are shown first."""

_MANUALS = ("docs/", "develop/")
"""Folders of pages for people who run a site; they come after pages for its readers."""

SearchDocument: TypeAlias = dict[str, Any]
"""An entry of the search index: location, title, text and tags; the first tag is its kind."""


def add_to_search(tree: SiteTree, names: Iterable[tuple[str, str, str, str]]) -> None:
    """Add names to the search index that the builder of authored pages wrote.

    Authored pages are listed by their name in the navigation if it differs from their heading.

    Args:
        tree: The site.
        names: The kind, name, description and address of each entry to add.
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
    seen = set()
    for kind, name, description, address in names:
        if (kind, name, address) in seen:  # several benchmarks may share a metric
            continue
        seen.add((kind, name, address))
        # The theme inserts title and text as HTML.
        title = html.escape(name, quote=False)
        text = html.escape(description, quote=False)
        documents.append({"location": address, "title": title, "text": text, "tags": [kind]})
    without_cases = [document for document in documents if "Case" not in document["tags"]]
    case_count = len(documents) - len(without_cases)
    return without_cases if case_count > MAX_SEARCH_CASES else documents


def _page_document(tree: SiteTree, document: SearchDocument) -> SearchDocument:
    """Return the search document of an authored page or of one of its sections."""
    location = document["location"]
    title = insert_marked_texts(document["title"])
    page = tree.page(location)
    is_page = "#" not in location  # sections have no name in the navigation
    if is_page and page.exists():
        match = _PAGE_TITLE.search(page.read_text(encoding="utf-8"))
        name = match[1] if match else ""
        if name.casefold() not in title.casefold():
            title = f"{name} · {title}"
    if not is_page:
        title = _title_in_page(tree, location, title)
    text = " ".join(_TAG.sub(" ", document["text"]).split())
    return {"location": location, "title": title, "text": text, "tags": ["Page"]}


def _title_in_page(tree: SiteTree, location: str, title: str) -> str:
    """Return the title of a section, followed by the name of its page."""
    page = tree.page(location.split("#", maxsplit=1)[0])
    if not page.exists():
        return title
    match = _PAGE_TITLE.search(page.read_text(encoding="utf-8"))
    return f"{title} · {match[1]}" if match else title


def _search_key(document: SearchDocument) -> tuple[int, bool, list[str]]:
    """Return the sort key of a document: its kind, then its location with numbers by value.

    Pages of manuals come after other pages of the same kind.
    """
    is_manual = document["location"].startswith(_MANUALS)
    location = _NUMBER.sub(_pad_number, document["location"])
    return _SEARCH_ORDER.index(document["tags"][0]), is_manual, location.split("/")


def _pad_number(match: re.Match[str]) -> str:
    return match[0].zfill(_NUMBER_WIDTH)
