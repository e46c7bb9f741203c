"""Where the focus can go it is seen, and nothing moves for readers who asked for less motion."""

from collections.abc import Mapping

import pytest
from page_kinds import every_address
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

UNSEEN = """() => {
  const places = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]";
  const isSearch = each => Number(each.closest("[data-md-component='search']") !== null);
  const stops = [...document.querySelectorAll(places)].filter(each => each.tabIndex >= 0 && !each.disabled);
  stops.sort((one, other) => isSearch(one) - isSearch(other));  // it opens, and then covers the page
  const hasRing = each => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(each);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && !/, 0\\)$/.test(outlineColor);
  };
  const isSeen = each => {
    each.scrollIntoView({ block: "center", inline: "center" });
    const boxes = [...each.getClientRects()].filter(box => box.width > 2 && box.height > 2);
    return boxes.some(({ left, top, width, height }) => {
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit !== null && (each.contains(hit) || hit.contains(each));
    });
  };
  const wrong = [];
  let focused = 0;
  for (const stop of stops) {
    stop.focus();
    if (document.activeElement !== stop) continue;
    focused += 1;
    const shown = stop.matches(".md-option") ? stop.form.querySelector("label:not([hidden])") : stop;
    const faults = [hasRing(shown) ? [] : "no ring", isSeen(shown) ? [] : "not seen"].flat();
    if (faults.length) wrong.push(`${faults}: ${stop.outerHTML.slice(0, 150)}`);
  }
  return { wrong, focused };
}"""
"""Of all that takes the focus: what shows no ring, or cannot be seen itself."""

MOVING = """() => {
  const moves = style => (
    style.animationName !== "none" && parseFloat(style.animationDuration) + parseFloat(style.animationDelay) > 0
    || style.transitionDuration.split(", ").some(time => parseFloat(time) > 0)
    || style.scrollBehavior === "smooth"
  );
  const parts = [null, "::before", "::after"];
  const all = [...document.querySelectorAll("*")];
  const moving = all.filter(each => parts.some(part => moves(getComputedStyle(each, part))));
  return moving.map(each => each.outerHTML.slice(0, 100));
}"""


def wrong_with_focus(page: Page) -> list[str]:
    page.keyboard.press("Tab")  # from now on the focus is that of a keyboard
    told = page.evaluate(UNSEEN)
    assert told["focused"] > 5
    return list(told["wrong"])


WIDTHS = (390, 1440)


@pytest.fixture(scope="module")
def found(browser: Browser, demo_site: str) -> Mapping[str, Mapping[int | str, list[str]]]:
    """What is wrong with the focus on every kind of page, by width, and what moves for who asks for less motion."""
    context = browser.new_context(viewport={"width": WIDTHS[0], "height": 900})
    page = context.new_page()
    told: dict[str, dict[int | str, list[str]]] = {}
    for address in every_address(page, demo_site):
        told[address] = {}
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(address)
            told[address][width] = wrong_with_focus(page)
        page.emulate_media(reduced_motion="reduce")
        told[address]["moving"] = page.evaluate(MOVING)
        page.emulate_media(reduced_motion="no-preference")
    context.close()
    return told


@pytest.mark.parametrize("width", WIDTHS)
def test_whatever_has_the_focus_is_seen_to_have_it(
    found: Mapping[str, Mapping[int | str, list[str]]], width: int
) -> None:
    assert {address: told[width] for address, told in found.items() if told[width]} == {}


def test_nothing_moves_for_who_asks_for_less_motion(found: Mapping[str, Mapping[int | str, list[str]]]) -> None:
    assert {address: told["moving"] for address, told in found.items() if told["moving"]} == {}
