"""Share cards of a site: drawn once, and taken over by the next build."""

from pathlib import Path

import pytest

from sitegen.charts.cards.card import SiteCard
from sitegen.pipeline.cards import Cards, drawing_cards
from sitegen.publish.tree import Tree

CARDS = {"card.png": SiteCard("Results", "2 boards"), "demo/card.png": SiteCard("Demo", "1 board")}


def built(work: Path, name: str, last: str, cards: dict[str, SiteCard]) -> tuple[Path, bool]:
    """Make a site of cards alone, beside the last one; tell whether any was drawn."""
    site, folder = work / name, work / f"{name}-work"
    with drawing_cards(cards, folder, work / last) as drawn:
        drawn.put(Tree(site))
        return site, drawn.process is not None or any(folder.iterdir())


def test_every_card_stands_at_its_address(tmp_path: Path) -> None:
    site, is_drawn = built(tmp_path, "first", "none", CARDS)
    assert is_drawn
    assert [(site / address).read_bytes()[:4] for address in CARDS] == [b"\x89PNG"] * 2


def test_with_nothing_changed_none_is_drawn(tmp_path: Path) -> None:
    first, _ = built(tmp_path, "first", "none", CARDS)
    second, is_drawn = built(tmp_path, "second", "first", CARDS)
    assert not is_drawn
    assert [(second / address).read_bytes() for address in CARDS] == [(first / each).read_bytes() for each in CARDS]


def test_a_card_that_says_something_else_is_drawn_anew(tmp_path: Path) -> None:
    first, _ = built(tmp_path, "first", "none", CARDS)
    second, is_drawn = built(tmp_path, "second", "first", {**CARDS, "card.png": SiteCard("Results", "3 boards")})
    assert is_drawn
    assert (second / "card.png").read_bytes() != (first / "card.png").read_bytes()
    assert (second / "demo/card.png").read_bytes() == (first / "demo/card.png").read_bytes()
    assert len(list((tmp_path / "second-work").iterdir())) == 1


def test_a_card_that_could_not_be_drawn_is_named(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match=r"demo/card\.png"):
        Cards({"demo/card.png": tmp_path / "none.png"}, None).put(Tree(tmp_path / "site"))
