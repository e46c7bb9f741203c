"""The search finds agents, tasks, rounds, requirements, cases and pages."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

RESULTS = ".md-search-result__item a"
ASKED = ("search_index.json", "/workers/")


@pytest.fixture
def asked(page: Page) -> list[str]:
    """What the search has asked for so far."""
    asked_fragments: list[str] = []

    def note(url: str) -> None:
        asked_fragments.extend(url_fragment for url_fragment in ASKED if url_fragment in url)

    page.on("request", lambda request: note(request.url))
    return asked_fragments


def test_each_of_three_keys_begins_the_search(page: Page, demo_site: str, asked: list[str]) -> None:
    for key in ("/", "s", "f"):
        page.goto(f"{demo_site}demo/chain/")
        page.keyboard.press(key)
        page.keyboard.type("glossary")
        expect(page.locator(RESULTS).first).to_have_attribute("href", f"{demo_site}develop/glossary/")
    assert set(asked) == {"search_index.json"}


def test_the_index_is_asked_for_once(page: Page, demo_site: str, asked: list[str]) -> None:
    page.goto(f"{demo_site}demo/chain/")
    box, is_open = page.get_by_role("textbox", name="Search"), page.locator("[data-md-toggle='search']")
    for _ in range(2):
        box.click()
        expect(is_open).to_be_checked()
        box.press("Escape")
        expect(is_open).not_to_be_checked()
    box.click()
    expect(is_open).to_be_checked()
    box.fill("glossary")
    box.press("End")
    expect(page.locator(RESULTS).first).to_be_visible()
    assert asked == ["search_index.json"], "once, and no worker of the theme's"


FOUND = {
    "alder-1": ("Agent", "demo/chain/2026-01-22-alder-1/"),
    "alder": ("Agent", "demo/chain/2026-01-22-alder-1/"),
    "shunting puzzle": ("Task", "demo/chain/tasks/rail-yard/"),
    "rail yard": ("Task", "demo/chain/tasks/rail-yard/"),
    "round 2 shunting": ("Round", "demo/chain/tasks/rail-yard/2/"),
    "methods": ("Page", "methods/"),
    "how scores are made": ("Page", "methods/"),
}
"""What words find, and of which kind the hit says that it is."""


def test_pages_are_found_by_names_and_headings_and_hits_say_of_which_kind_they_are(page: Page, demo_site: str) -> None:
    page.goto(demo_site)
    box = page.get_by_role("textbox", name="Search")
    for query, (kind, path) in FOUND.items():
        box.fill(query)
        box.press("End")
        hit = page.locator(f"{RESULTS}[href='{demo_site}{path}']")
        expect(hit).to_be_visible()
        expect(hit.locator(".md-tag")).to_have_text(kind)


@pytest.mark.parametrize("kind", ["Requirement", "Case"])
def test_requirements_and_cases_are_found_by_name_and_stand_where_the_hit_leads(
    page: Page, demo_site: str, kind: str
) -> None:
    page.goto(demo_site)
    docs = page.evaluate("async () => (await (await fetch('search/search_index.json')).json()).docs")
    wanted = next(doc for doc in docs if doc["tags"] == [kind])
    box = page.get_by_role("textbox", name="Search")
    box.fill(f"{wanted['title']} {wanted['text']}")
    box.press("End")
    hit = page.locator(f"{RESULTS}[href='{demo_site}{wanted['location']}']").first
    expect(hit.locator(".md-tag")).to_have_text(kind)
    expect(hit.locator("mark").first).to_be_visible()
    hit.click()
    expect(page).to_have_url(f"{demo_site}{wanted['location']}")
    if kind == "Case":
        expect(page.locator(":target")).to_contain_text(wanted["title"].split(" of ")[0])


def test_names_are_shown_as_they_are(page: Page, demo_site: str) -> None:
    """What is marked in a name are its words, never a part of a sign that HTML writes as a word."""
    docs = [{"location": "methods/", "title": "&lt;b&gt; amp lt &amp; co", "text": "", "tags": ["Page"]}]
    page.route("**/search_index.json", lambda route: route.fulfill(json={"docs": docs}))
    page.goto(demo_site)
    page.get_by_role("textbox", name="Search").press_sequentially("lt amp")
    expect(page.locator(f"{RESULTS} h1")).to_have_text("<b> amp lt & co Page")
    assert page.locator(f"{RESULTS} h1 mark").all_inner_texts() == ["amp", "lt"]


def test_a_link_to_a_search_shows_it(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?q=glossary")
    expect(page.locator(RESULTS).first).to_have_attribute("href", f"{demo_site}develop/glossary/")


def test_a_search_that_could_not_begin_begins_with_the_next_try(page: Page, demo_site: str) -> None:
    page.route("**/search_index.json", lambda route: route.abort())
    page.goto(f"{demo_site}demo/chain/")
    box = page.get_by_role("textbox", name="Search")
    with page.expect_event("requestfailed"):
        box.click()
    page.unroute("**/search_index.json")
    box.press("Escape")
    box.click()
    box.press_sequentially("glossary")
    expect(page.locator(RESULTS).first).to_be_visible()


def test_other_workers_are_made_as_ever(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    assert page.evaluate("new Worker('../../assets/scripts/board-rows.js', { type: 'module' }) instanceof EventTarget")
