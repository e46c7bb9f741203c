"""The search finds agents, tasks and pages by their titles, and costs nothing before a reader turns to it."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

RESULTS = ".md-search-result__item a"
ASKED = ("search_index.json", "/workers/")


@pytest.fixture
def asked(page: Page) -> list[str]:
    """What the search has asked for so far."""
    found: list[str] = []

    def note(url: str) -> None:
        found.extend(part for part in ASKED if part in url)

    page.on("request", lambda request: note(request.url))
    return found


@pytest.mark.parametrize("kind", ["", "demo/", "demo/chain/", "demo/chain/tasks/", "methods/"])
def test_a_page_asks_for_nothing_to_search_in(page: Page, demo_site: str, asked: list[str], kind: str) -> None:
    page.goto(demo_site + kind)
    page.wait_for_load_state("networkidle")
    assert asked == []


@pytest.mark.parametrize("key", ["/", "s", "f"])
def test_a_key_begins_the_search(page: Page, demo_site: str, asked: list[str], key: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    page.keyboard.press(key)
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()
    page.keyboard.type("glossary")
    expect(page.locator(RESULTS).first).to_have_attribute("href", f"{demo_site}develop/glossary/")
    assert set(asked) == set(ASKED)


def test_what_is_typed_at_once_is_searched_for_once_the_index_is_there(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    page.get_by_role("textbox", name="Search").press_sequentially("Alder-1")
    expect(page.locator(RESULTS).first).to_contain_text("Alder-1")


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
    assert sorted(asked) == sorted(ASKED)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("alder-1", "demo/chain/2026-01-22-alder-1/"),
        ("shunting puzzle", "demo/chain/tasks/rail-yard/"),
        ("methods", "methods/"),
        ("how scores are made", "methods/"),
    ],
    ids=["submission", "task", "name", "heading"],
)
def test_a_page_is_found_by_its_title_and_by_what_it_is_called_in_the_navigation(
    page: Page, demo_site: str, words: str, place: str
) -> None:
    page.goto(demo_site)
    page.get_by_role("textbox", name="Search").press_sequentially(words)
    expect(page.locator(f"{RESULTS}[href='{demo_site}{place}']")).to_be_visible()


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
