"""Feeds are valid, and their items keep their names wherever the site stands."""

import json
from pathlib import Path

import jsonschema
import pytest
from lxml import etree

from sitegen.models.site import Item
from sitegen.publish.site.feeds import Feed

SITE = "https://example.org/boards/"
ATOM = "{http://www.w3.org/2005/Atom}"
ITEMS = [
    Item("2026-06-15/a", "2026-06-15", "Ash & Elm: <withdrawn>", "changelog/2026-06-15/#a", "A leak.", ("a", "b")),
    Item("release/2026-06-01", "2026-06-01", "Release First", "changelog/2026-06-01/", "It began.", ("release",)),
]
JSON_FEED = {
    "type": "object",
    "required": ["version", "title", "items"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": {"type": "string", "minLength": 1},
        "home_page_url": {"type": "string", "pattern": "^https?://"},
        "feed_url": {"type": "string", "pattern": "^https?://"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "content_text"],
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "string", "minLength": 1},
                    "url": {"type": "string"},
                    "title": {"type": "string"},
                    "content_text": {"type": "string"},
                    "date_published": {
                        "type": "string",
                        "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$",
                    },
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}
"""JSON Feed 1.1 (jsonfeed.org): the parts that a feed of plain text uses."""


def parsed(feed: Feed) -> etree._Element:
    return etree.fromstring(feed.atom().encode())


@pytest.mark.parametrize("items", [ITEMS, []], ids=["items", "none"])
@pytest.mark.parametrize("site", [SITE, ""], ids=["address", "no address"])
def test_feeds_are_valid(items: list[Item], site: str) -> None:
    feed = Feed("Results", site, items)
    atom = etree.RelaxNG(etree.parse(Path(__file__).with_name("atom.rng")))
    assert atom.validate(parsed(feed)), atom.error_log
    jsonschema.Draft202012Validator(JSON_FEED).validate(json.loads(feed.json()))


def test_both_feeds_tell_the_same() -> None:
    feed = Feed("Results", SITE, ITEMS)
    entries = parsed(feed).findall(f"{ATOM}entry")
    atom_entries = [
        (entry.findtext(f"{ATOM}id"), entry.findtext(f"{ATOM}title"), entry.find(f"{ATOM}link").get("href"))
        for entry in entries
    ]
    assert atom_entries == [(item["id"], item["title"], item["url"]) for item in json.loads(feed.json())["items"]]
    assert atom_entries[0][1:] == ("Ash & Elm: <withdrawn>", f"{SITE}changelog/2026-06-15/#a")


def test_items_keep_their_names_when_the_site_moves_and_others_come() -> None:
    before = json.loads(Feed("Results", SITE, ITEMS[1:]).json())["items"]
    after = json.loads(Feed("Other", "https://example.com/", ITEMS).json())["items"]
    assert after[1]["id"] == before[0]["id"]
    assert after[0]["id"] != after[1]["id"]
