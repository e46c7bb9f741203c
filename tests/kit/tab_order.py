"""Ways through a page by the key Tab alone."""

import pytest
from playwright.sync_api import Locator, Page, expect

NEAR = 3
"""So many stops before an element a way to it begins, where the way from the beginning is not the point."""
MOST = 600
"""So many presses of Tab are enough for the longest way through a page."""

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
    """Press Tab until the focus is on an element, or on another link that leads where it does."""
    expect(wanted).to_be_attached()
    element = wanted.element_handle()
    element.evaluate(_APPROACH, near)
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if element.evaluate(_REACHED):
            return
    pytest.fail(f"Tab never reaches {wanted}")
