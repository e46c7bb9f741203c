"""What a page may weigh, held against an empty page of the theme; how soon pages come is measured by `make bench`."""

import gzip
import subprocess
import sys

import pytest
from kit.page_kinds import BOARDS
from kit.transcripts import served
from playwright.sync_api import Browser, Page, Response

pytestmark = pytest.mark.browser

KILOBYTE = 1000
SEARCH = "workers/search"
"""The worker of the theme's search, which begins on its own."""


@pytest.fixture(scope="session")
def empty_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> int:
    """Bytes of a first visit to a site of the theme alone: one empty page, with search."""
    work = tmp_path_factory.mktemp("empty")
    (work / "docs").mkdir()
    (work / "docs" / "index.md").write_text("# Empty\n", encoding="utf-8")
    (work / "mkdocs.yml").write_text("site_name: Empty\ntheme: {name: material, font: false}\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=work, check=True)
    with served(work / "site") as address:
        return first_load(browser, address, SEARCH)


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
    counted = [answer for answer in answers if answer.url.startswith("http") and answer.request.resource_type != "font"]
    size = sum(len(gzip.compress(answer.body(), 6)) for answer in counted)
    context.close()
    return size


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_takes_at_most_a_fifth_more_than_an_empty_page(
    browser: Browser, demo_site: str, empty_page: int, board: str
) -> None:
    """With its table in the HTML."""
    assert first_load(browser, demo_site + board) <= 1.2 * empty_page


def test_the_real_board_does_so_too(browser: Browser, real_site: str, empty_page: int) -> None:
    board = first_load(browser, f"{real_site}evocode-bench/official/")
    assert board <= 1.2 * empty_page


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
