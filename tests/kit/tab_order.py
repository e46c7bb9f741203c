"""Reaches elements of a page with the Tab key alone."""

import pytest
from playwright.sync_api import Locator, Page, expect

NEAR = 3
"""The number of Tab stops before the wanted element to start from, unless the path itself is under test."""
MOST = 600
"""Maximum number of Tab presses, sufficient for the longest path through a page."""

_APPROACH = """(wanted, near) => {
  const places = "a[href], button, input, select, textarea, summary, [tabindex]";
  const isStop = each => each.tabIndex >= 0 && !each.disabled && each.checkVisibility();
  const stops = [...document.querySelectorAll(places)].filter(isStop);
  const place = stops.indexOf(wanted), now = stops.indexOf(document.activeElement);
  if (now >= place || place - now > near) stops[place - near]?.focus();
}"""

_REACHED = """wanted => {
  const { activeElement } = document;
  return wanted === activeElement || (wanted.href && wanted.href === activeElement.href);
}"""


def tab_to(page: Page, wanted: Locator, near: int = NEAR) -> None:
    """Press Tab until the focus is on an element, or on another link to the same address."""
    expect(wanted).to_be_attached()
    element = wanted.element_handle()
    element.evaluate(_APPROACH, near)
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if element.evaluate(_REACHED):
            return
    pytest.fail(f"Tab never reaches {wanted}")
