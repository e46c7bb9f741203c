"""Every kind of page, opened once by a reader with scripts and one without: what is the same for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from kit.axe import NARROW, WIDE, wrong_at_any_size
from kit.browser_windows import leave
from kit.layout_shifts import shifted
from kit.page_kinds import KINDS, REPORTED, drilldown
from playwright.sync_api import ConsoleMessage, Page, Request

pytestmark = pytest.mark.browser

POLICY = "head > meta[http-equiv='Content-Security-Policy']"
SAID = "document.querySelector('[data-notice=simulated]')?.textContent ?? ''"
UNFOLD = """() => {
  window.folded = [...document.querySelectorAll(".md-content details:not([open])")];
  window.folded.forEach(each => { each.open = true; });
}"""
FOLD = "window.folded.forEach(each => { each.open = false; })"
"""Leaves a page as it was before `UNFOLD`."""

COUNTS = """() => {
  const parts = ["tbody tr[data-submission]", "[data-cell]", "[data-case]", "table", "figure svg"];
  const count = part => [...document.querySelectorAll(part)].filter(each => !each.closest("[data-comparison]")).length;
  return Object.fromEntries(parts.map(part => [part, count(part)]));
}"""
"""How many rows, cells, cases, tables and charts there are, but those of a comparison, which scripts make."""

HIDDEN = """() => {
  const isReached = each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const unfolds = each => each.closest("details:not([open])") !== null;
  const parts = [...document.querySelectorAll("main :is(table, [data-cell], [data-case], figure svg)")];
  const hidden = parts.filter(each => !isReached(each) && !unfolds(each) && !each.closest("[hidden]"));
  return hidden.map(each => each.outerHTML.slice(0, 100));
}"""
"""Parts that are neither seen nor folded, nor hidden with the row or section that they belong to."""

CONTROLS = """() => {
  const places = "button:enabled, input:enabled, select, [role=button], label[for=__search]";
  const controls = [...document.querySelectorAll(places)];
  const seen = controls.filter(each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
  return seen.map(each => each.outerHTML.slice(0, 100));
}"""

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


@dataclass(frozen=True)
class Opening:
    """What happened when a page was opened, and what it then held."""

    requests: Sequence[str]
    messages: Sequence[str]
    """Errors and warnings, of the console and of scripts."""
    shifted: float
    """How far its parts jumped."""
    policy: str
    """What it may load and run."""
    before_policy: int
    """How many scripts, links and styles come before its policy."""
    counts: Mapping[str, int]
    moving: Sequence[str]
    """What moves for a reader who asks for less motion."""
    first_stop: Sequence[bool]
    """Whether the first stop of a keyboard leads past the header, and whether the next one lies there."""
    unseen: Mapping[int, Sequence[str]]
    """What is wrong with the focus, by the width of the window."""
    scrolled: Mapping[int, int]
    """How wide the page is, all that unfolds unfolded, by the width of the window."""
    wrong: Sequence[str]
    """What axe-core finds, in either width and scheme."""
    plain: Mapping[str, Any]
    """What it holds, hides, shows and says where no script runs."""


@pytest.fixture(scope="module", params=KINDS)
def address(request: pytest.FixtureRequest, demo_site: str) -> str:
    """A page of each kind of a site of simulated results."""
    return drilldown(demo_site, request.param)


@pytest.fixture(scope="module")
def opening(address: str, window: Page, plain_window: Page) -> Opening:
    requests: list[str] = []
    messages: list[str] = []
    listeners = {
        "request": partial(_note_request, requests),
        "console": partial(_note_message, messages),
        "pageerror": lambda error: messages.append(str(error)),
    }
    for event, listener in listeners.items():
        window.on(event, listener)  # type: ignore[call-overload] # one of its overloads takes each
    window.goto(address)
    jumped = shifted(window)
    page_facts: dict[str, Any] = {
        "policy": str(window.locator(POLICY).get_attribute("content")),
        "before_policy": window.locator(f"head > :is(script, link, style):not({POLICY} ~ *)").count(),
        "counts": window.evaluate(COUNTS),
    }
    for event, listener in listeners.items():
        window.remove_listener(event, listener)
    window.emulate_media(reduced_motion="reduce")
    page_facts["moving"] = window.evaluate(MOVING)
    page_facts["first_stop"] = _first_stop(window)
    unseen, scrolled = {}, {}
    for width in (WIDE, NARROW):
        window.set_viewport_size({"width": width, "height": 900})
        unseen[width] = _unseen(window)
    window.goto(address)
    window.evaluate(UNFOLD)
    for width in (NARROW, WIDE):
        window.set_viewport_size({"width": width, "height": 900})
        scrolled[width] = window.evaluate("document.documentElement.scrollWidth")
    window.evaluate(FOLD)
    wrong = wrong_at_any_size(window)
    leave(window)
    plain_window.goto(address)
    asked = {"counts": COUNTS, "hidden": HIDDEN, "controls": CONTROLS, "said": SAID}
    plain = {name: plain_window.evaluate(script) for name, script in asked.items()}
    return Opening(requests, messages, jumped, unseen=unseen, scrolled=scrolled, wrong=wrong, plain=plain, **page_facts)


def _note_request(noted: list[str], request: Request) -> None:
    noted.append(request.url)


def _note_message(noted: list[str], message: ConsoleMessage) -> None:
    if message.type in {"error", "warning"}:
        noted.append(message.text)


def _first_stop(page: Page) -> list[bool]:
    page.keyboard.press("Tab")
    is_skip = page.evaluate("document.activeElement.matches('.md-skip')")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    return [is_skip, page.evaluate("document.querySelector('main').contains(document.activeElement)")]


def _unseen(page: Page) -> list[str]:
    page.keyboard.press("Tab")  # from now on the focus is that of a keyboard
    focus_result = page.evaluate(UNSEEN)
    page.keyboard.press("Escape")  # the search, which opened
    assert focus_result["focused"] > 5
    return list(focus_result["wrong"])


def test_axe_finds_nothing_of_any_impact(opening: Opening) -> None:
    assert opening.wrong == []


def test_whatever_has_the_focus_is_seen_to_have_it(opening: Opening) -> None:
    assert opening.unseen == {WIDE: [], NARROW: []}


def test_nothing_moves_for_who_asks_for_less_motion(opening: Opening) -> None:
    assert opening.moving == []


def test_the_first_stop_leads_past_the_header(opening: Opening) -> None:
    assert opening.first_stop == [True, True]


def test_it_is_no_wider_than_its_window(opening: Opening) -> None:
    assert {width: scroll_width for width, scroll_width in opening.scrolled.items() if scroll_width > width} == {}


def test_nothing_jumps_while_it_opens(opening: Opening) -> None:
    assert opening.shifted < 0.1


def test_no_other_host_is_asked_and_nothing_fails(opening: Opening, address: str, demo_site: str) -> None:
    """But on 404.html, which is made for the root of the address that the site has where it is published."""
    if address.endswith("404.html"):
        assert [message for message in opening.messages if "404" not in message] == [], "it keeps to its own policy"
        return
    assert [url for url in opening.requests if not url.startswith((demo_site, "data:", "blob:"))] == []
    assert opening.messages == []


def test_it_asks_for_nothing_to_search_in(opening: Opening) -> None:
    assert [url for url in opening.requests if "search_index.json" in url or "/workers/" in url] == []


def test_it_has_a_policy_before_anything_runs(opening: Opening) -> None:
    (scripts,) = (rule for rule in opening.policy.split("; ") if rule.startswith("script-src "))
    assert "unsafe" not in scripts
    assert "connect-src 'self'; " in opening.policy
    assert opening.before_policy == 0


def test_every_table_heat_map_case_and_chart_is_there_without_scripts(opening: Opening) -> None:
    assert opening.plain["counts"] == opening.counts
    assert opening.plain["hidden"] == []


def test_no_control_is_shown_that_needs_scripts(opening: Opening) -> None:
    assert opening.plain["controls"] == []


def test_it_says_that_it_is_simulated(opening: Opening, address: str, demo_site: str) -> None:
    assert ("Simulated data." in opening.plain["said"]) or not address.startswith(f"{demo_site}demo/")


OWN = ("", "evocode-bench/", "evocode-bench/integrity/", "evocode-bench/paper/analysis/", *REPORTED)


@pytest.mark.parametrize(
    "address",
    [*OWN, "roadmapbench/", "slop-code-bench/", "roadmapbench/paper/analysis/", "slop-code-bench/paper/analysis/"],
)
def test_pages_of_published_tables_are_no_wider_than_their_windows_and_nothing_is_wrong(
    page: Page, own_site: str, address: str
) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(own_site + address)
    page.evaluate(UNFOLD)
    for width in (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert address not in OWN or wrong_at_any_size(page) == []


def test_nothing_is_wrong_with_a_row_of_a_published_table(page: Page, own_site: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(own_site + REPORTED[0])
    page.goto(str(page.locator("table[data-board] tbody th a").first.evaluate("link => link.href")))
    assert wrong_at_any_size(page) == []


@pytest.mark.parametrize("kind", ["", "task", "run", "submission", "round"])
def test_nothing_jumps_and_nothing_is_wrong_on_pages_of_a_real_import(page: Page, real_site: str, kind: str) -> None:
    """They are the largest, with long names of real tasks and cases."""
    page.set_viewport_size({"width": NARROW, "height": 844})
    page.goto(drilldown(real_site, f"evocode-bench/official/{kind}"))
    assert shifted(page) < 0.1
    page.emulate_media(reduced_motion="reduce")
    assert wrong_at_any_size(page) == []
