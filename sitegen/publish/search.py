"""Enters generated pages in the site's search index, by title only, and authored ones by both of their names."""

import html
import json
import re
from collections.abc import Sequence

from sitegen.publish.slots import unmarked
from sitegen.publish.tree import Tree

INDEX = "search/search_index.json"

_NAME = re.compile(r"<title>(.*) - [^<]*</title>")
"""What an authored page is called where it is led to; its heading may say something else."""


def add_to_search(tree: Tree, pages: Sequence[tuple[str, str]]) -> None:
    """Add pages to the search index that the builder made, and to its own pages the names that they are called by.

    Args:
        tree: The built site.
        pages: Address and title of each page.
    """
    path = tree.root / INDEX
    if not path.exists():
        return
    index = json.loads(path.read_text(encoding="utf-8"))
    known = {address for address, _ in pages}
    kept = [doc for doc in index["docs"] if doc["location"].split("#")[0] not in known]
    authored = [doc | {"title": _findable(tree, doc["location"], unmarked(doc["title"]))} for doc in kept]
    # The theme takes titles for HTML.
    added = [{"location": address, "title": html.escape(title, quote=False), "text": ""} for address, title in pages]
    index["docs"] = authored + added
    tree.write(INDEX, json.dumps(index, ensure_ascii=False, separators=(",", ":")))


def _findable(tree: Tree, location: str, title: str) -> str:
    """Give the title of an authored page, with its name beside it where it says another; parts of pages have none."""
    page = tree.page(location)
    if "#" in location or not page.exists():
        return title
    named = _NAME.search(page.read_text(encoding="utf-8"))
    name = named[1] if named else ""
    return title if name.casefold() in title.casefold() else f"{name} · {title}"
