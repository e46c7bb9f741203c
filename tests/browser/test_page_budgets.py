"""What a page may weigh, held against an empty page of the theme; how soon pages come is measured by `make bench`."""

import gzip
import subprocess
import sys
from collections.abc import Iterator, Mapping

import pytest
from openings import Opening
from page_kinds import BOARDS, drilldowns
from playwright.sync_api import Browser, Page, Response
from shifts import shifted, watch_shifts
from transcripts import served

pytestmark = pytest.mark.browser

KILOBYTE = 1000
SEARCH = "workers/search"
"""The worker of the theme's search, which begins on its own."""


@pytest.fixture(scope="session")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a site of the theme alone: one empty page, with search."""
    work = tmp_path_factory.mktemp("empty")
    (work / "docs").mkdir()
    (work / "docs" / "index.md").write_text("# Empty\n", encoding="utf-8")
    (work / "mkdocs.yml").write_text("site_name: Empty\ntheme: {name: material, font: false}\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=work, check=True)
    with served(work / "site") as address:
        yield address


def first_load(browser: Browser, address: str, last: str = "") -> int:
    """Bytes that a first visit takes, compressed, without typefaces, which the empty page has none of.

    `last` is a part of the address that the page asks for at its end.
    """
    context = browser.new_context()
    page = context.new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - a built-in can't be listened with
    with page.expect_response(lambda answer: last in answer.url):
        page.goto(address)
    page.wait_for_load_state("networkidle")
    counted = [each for each in answers if each.url.startswith("http") and each.request.resource_type != "font"]
    size = sum(len(gzip.compress(answer.body(), 6)) for answer in counted)
    context.close()
    return size


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_takes_at_most_a_fifth_more_than_an_empty_page(
    browser: Browser, demo_site: str, empty_site: str, board: str
) -> None:
    """With its table in the HTML."""
    assert first_load(browser, demo_site + board) <= 1.2 * first_load(browser, empty_site, SEARCH)


def test_the_real_board_does_so_too(browser: Browser, real_site: str, empty_site: str) -> None:
    board = first_load(browser, f"{real_site}evocode-bench/official/")
    assert board <= 1.2 * first_load(browser, empty_site, SEARCH)


def test_boards_load_no_style_or_script_of_other_pages(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    names = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))")
    assert "board-page.js" in names
    assert not {"drilldown.css", "heat.js", "board-menus.js", "board-export.js", "target.js"} & set(names)


def test_the_largest_task_page_of_the_real_import_is_light(page: Page, real_site: str) -> None:
    page.goto(f"{real_site}evocode-bench/official/tasks/")
    links = page.locator("table.sg-heat tbody th a").evaluate_all("links => links.map(link => link.href)")
    heaviest = max((len(gzip.compress(page.request.get(link).body(), 6)), link) for link in links)
    assert heaviest[0] <= 120 * KILOBYTE
    page.goto(heaviest[1])
    assert page.locator("*").count() < 8000


def test_nothing_jumps_while_a_page_opens(openings: Mapping[str, Opening]) -> None:
    assert {address: page.shifted for address, page in openings.items() if page.shifted >= 0.1} == {}


def test_nothing_jumps_on_the_heaviest_pages_either(browser: Browser, page: Page, real_site: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    watch_shifts(context)
    reader = context.new_page()
    for address in drilldowns(page, real_site, "evocode-bench/official/"):
        reader.goto(address)
        assert shifted(reader) < 0.1, address
    context.close()
