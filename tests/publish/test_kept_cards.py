"""Share cards of a site: drawn once, and taken over by the next build."""

import weakref
from collections.abc import Mapping
from pathlib import Path

import pytest

from sitegen.pipeline.drawing import drawing_cards
from sitegen.publish.site.cache import BuildRecord, cache_in
from sitegen.publish.site.tree import SiteTree

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="6"><path d="M0 0h{}v9z"/></svg>'
CARDS = {"card.png": SVG.format(1), "demo/card.png": SVG.format(2)}


def built(work: Path, name: str, cards: Mapping[str, str]) -> tuple[Path, int]:
    """Make a site of cards alone; tell how many were drawn."""
    site, folder = work / name, work / f"{name}-work"
    with cache_in(work / "kept", site, work / "results") as cache:
        with drawing_cards(cards, folder, cache, SiteTree(site)):
            pass
        cache.keep(BuildRecord("", 0))
    return site, len(list(folder.iterdir()))


def test_every_card_stands_at_its_address(tmp_path: Path) -> None:
    site, drawn = built(tmp_path, "first", CARDS)
    assert drawn == 2
    assert [(site / address).read_bytes()[:4] for address in CARDS] == [b"\x89PNG"] * 2


def test_with_nothing_changed_none_is_drawn(tmp_path: Path) -> None:
    first, _ = built(tmp_path, "first", CARDS)
    second, drawn = built(tmp_path, "second", CARDS)
    assert not drawn
    assert [(second / address).read_bytes() for address in CARDS] == [(first / card).read_bytes() for card in CARDS]


def test_a_card_that_says_something_else_is_drawn_anew(tmp_path: Path) -> None:
    first, _ = built(tmp_path, "first", CARDS)
    second, drawn = built(tmp_path, "second", {**CARDS, "card.png": SVG.format(3)})
    assert drawn == 1
    assert (second / "card.png").read_bytes() != (first / "card.png").read_bytes()
    assert (second / "demo/card.png").read_bytes() == (first / "demo/card.png").read_bytes()


def test_a_card_that_could_not_be_drawn_is_named(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match=r"demo/card\.png"):
        built(tmp_path, "first", {**CARDS, "demo/card.png": "no drawing"})


class Drawing(str):
    """A card that a weak reference can follow."""

    __slots__ = ("__weakref__",)


def test_no_card_is_held_while_pages_are_made(tmp_path: Path) -> None:
    """A thousand cards take 64 MB."""
    cards = {address: Drawing(svg) for address, svg in CARDS.items()}
    references = [weakref.ref(card) for card in cards.values()]
    site = tmp_path / "site"
    with cache_in(tmp_path / "kept", site, tmp_path / "results") as cache:
        drawing = drawing_cards(cards, tmp_path / "work", cache, SiteTree(site))
        del cards
        with drawing:
            assert [reference() for reference in references] == [None, None]
    assert all((site / address).exists() for address in CARDS)
