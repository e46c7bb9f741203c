"""Write the news of a site as Atom and JSON Feed. Start with `Feed`."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from sitegen.models.site import Item

ATOM_FEED = "feed.xml"
JSON_FEED = "feed.json"

_ATOM_NAMESPACE = "http://www.w3.org/2005/Atom"
_ITEM_NAMESPACE = uuid.UUID("6f1c7f52-4c1e-5f0e-9a53-0c5a4f1d7c11")
"""The namespace for ids of feed items; an item has the same id at any address of the site."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed with the news of a site."""

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
