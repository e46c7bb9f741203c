"""Writes the feeds: Atom (RFC 4287) and JSON Feed 1.1, of the same items."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from xml.etree import ElementTree as ET

ATOM, JSON = "feed.xml", "feed.json"

_NAMESPACE = "http://www.w3.org/2005/Atom"
_NAMES = uuid.UUID("6f1c7f52-4c1e-5f0e-9a53-0c5a4f1d7c11")
"""What the names of items are made unique with: the same item has the same name wherever the site stands."""


class News(Protocol):
    """What a feed tells."""

    @property
    def id(self) -> str:
        """Its name, which no other item ever has."""

    @property
    def date(self) -> str:
        """Its day."""

    @property
    def title(self) -> str:
        """Plain text."""

    @property
    def address(self) -> str:
        """Below the site's root."""

    @property
    def words(self) -> str:
        """Plain text."""

    @property
    def tags(self) -> tuple[str, ...]:
        """What it is about."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed before it is written.

    Attributes:
        title: What it is called.
        site: Address of the site, ending in `/`; empty where it is not known: links are then relative.
        items: The latest first.
    """

    title: str
    site: str
    items: Sequence[News]

    def atom(self) -> str:
        """Write it as Atom."""
        ET.register_namespace("", _NAMESPACE)
        root = ET.Element(f"{{{_NAMESPACE}}}feed")
        _add(root, "id", _name("feed", self.title))
        _add(root, "title", self.title)
        _add(root, "updated", _time(self.items[0].date if self.items else "1970-01-01"))
        _add(_add(root, "author"), "name", self.title)
        _add(root, "link", rel="self", type="application/atom+xml", href=f"{self.site}{ATOM}")
        _add(root, "link", rel="alternate", type="text/html", href=self.site or "./")
        for item in self.items:
            self._entry(_add(root, "entry"), item)
        ET.indent(root, " ")
        text: str = ET.tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'

    def _entry(self, entry: ET.Element, item: News) -> None:
        _add(entry, "id", _name("item", item.id))
        _add(entry, "title", item.title)
        _add(entry, "updated", _time(item.date))
        _add(entry, "link", rel="alternate", type="text/html", href=f"{self.site}{item.address}")
        _add(entry, "summary", item.words, type="text")
        for tag in item.tags:
            _add(entry, "category", term=tag)

    def json(self) -> str:
        """Write it as JSON Feed."""
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
        feed = {"version": "https://jsonfeed.org/version/1.1", "title": self.title, **where, "items": items}
        return json.dumps(feed, indent=1, ensure_ascii=False) + "\n"


def _name(kind: str, name: str) -> str:
    return f"urn:uuid:{uuid.uuid5(_NAMES, f'{kind}/{name}')}"


def _time(day: str) -> str:
    return f"{day}T00:00:00Z"


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    child = ET.SubElement(parent, f"{{{_NAMESPACE}}}{tag}", attributes)
    child.text = text
    return child
