"""Enters generated pages in the site's search index, by title only."""

import html
import json
from collections.abc import Sequence

from sitegen.publish.tree import Tree

INDEX = "search/search_index.json"


def add_to_search(tree: Tree, pages: Sequence[tuple[str, str]]) -> None:
    """Add pages to the search index that the builder made.

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
    # The theme takes titles for HTML.
    added = [{"location": address, "title": html.escape(title, quote=False), "text": ""} for address, title in pages]
    index["docs"] = kept + added
    tree.write(INDEX, json.dumps(index, ensure_ascii=False, separators=(",", ":")))
