"""Every page runs what it holds itself and nothing else, and asks its own host alone."""

import pytest
from page_kinds import every_address
from playwright.sync_api import ConsoleMessage, Page

pytestmark = pytest.mark.browser

POLICY = "head > meta[http-equiv='Content-Security-Policy']"
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


def test_every_page_has_a_policy_before_anything_runs(page: Page, demo_site: str) -> None:
    for address in every_address(page, demo_site):
        page.goto(address)
        policy = str(page.locator(POLICY).get_attribute("content"))
        (scripts,) = (rule for rule in policy.split("; ") if rule.startswith("script-src "))
        assert "unsafe" not in scripts, address
        assert "connect-src 'self'; " in policy, address
        assert page.locator(f"head > :is(script, link, style):not({POLICY} ~ *)").count() == 0, address


def test_no_page_breaks_its_own_policy(page: Page, demo_site: str) -> None:
    messages: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and "404" not in message.text:
            messages.append(f"{page.url}: {message.text}")

    page.on("console", note)
    for address in every_address(page, demo_site):
        page.goto(address)
        page.wait_for_load_state("networkidle")
    assert messages == []


def test_what_is_smuggled_into_a_page_does_not_run(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    page.evaluate(SMUGGLED)
    assert page.locator("html[data-smuggled]").count() == 0


def test_nothing_is_sent_to_a_host_that_the_page_does_not_name(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    assert page.evaluate(TAKEN_OUT) == "kept"


def test_text_is_not_run(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    assert page.evaluate(EVALUATED) == "eval"
