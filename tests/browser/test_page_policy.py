"""Every page runs what it holds itself and nothing else, and asks its own host alone."""

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SMUGGLED = """() => new Promise(resolve => {
  const script = document.createElement("script");
  script.textContent = "document.documentElement.dataset.smuggled = ''";
  document.body.append(script);
  const picture = "<img src='x:' onerror='document.documentElement.dataset.smuggled = 1'>";
  document.body.insertAdjacentHTML("beforeend", picture);
  document.body.lastElementChild.addEventListener("error", () => resolve());
})"""
"""Ends when the picture's own handler had its turn."""
TAKEN_OUT = "fetch('https://example.org/').then(() => 'sent', () => 'kept')"
EVALUATED = """() => new Promise(resolve => {
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => resolve(blockedURI));
  setTimeout(() => { try { eval("1"); } catch { } });
})"""


def test_what_is_smuggled_into_a_page_does_not_run_and_nothing_is_sent_elsewhere(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    assert page.evaluate(EVALUATED) == "eval"
    page.evaluate(SMUGGLED)
    assert page.locator("html[data-smuggled]").count() == 0
    assert page.evaluate(TAKEN_OUT) == "kept"
