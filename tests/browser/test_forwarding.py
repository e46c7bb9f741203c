"""Old addresses lead readers on, to the same part of the same page."""

from collections.abc import Iterator

import pytest
from kit.axe import wrong_with
from kit.command import done
from kit.results_folders import Tree
from kit.transcripts import served
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

OLD, NEW = "2026-06-25-acme", "2026-06-25-acme-1"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a site below a path of its host, with a submission that was renamed."""
    work = tmp_path_factory.mktemp("forwarding")
    tree = Tree(work / "results")
    tree.bundle.rename(tree.bundle.with_name(NEW))
    tree.define("[aliases]", f'[[renamed]]\nfrom = "mini/main/{OLD}"\nto = "mini/main/{NEW}"\n\n[aliases]')
    done("build", "--results", tree.folder, "--site", work / "host" / "boards")
    with served(work / "host") as address:
        yield f"{address}boards/"


def test_part_and_view_come_along(site: str, page: Page) -> None:
    page.goto(f"{site}mini/main/{OLD}/tidy/?view=1#round-2")
    expect(page).to_have_url(f"{site}mini/main/{NEW}/tidy/?view=1#round-2")


def test_back_leads_to_where_the_reader_came_from(site: str, page: Page) -> None:
    page.goto(f"{site}mini/main/")
    page.goto(f"{site}mini/main/{OLD}/")
    expect(page).to_have_url(f"{site}mini/main/{NEW}/")
    page.go_back()
    expect(page).to_have_url(f"{site}mini/main/")


def test_without_scripts_it_leads_on_too(site: str, plain_page: Page) -> None:
    plain_page.goto(f"{site}mini/main/{OLD}/")
    expect(plain_page).to_have_url(f"{site}mini/main/{NEW}/")


def test_the_page_itself_can_be_read(site: str, page: Page) -> None:
    """A script that does not come leaves a sentence with the way on."""
    page.route("**/forwarding.js", lambda route: route.abort())
    page.goto(f"{site}mini/main/{OLD}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("This page has moved")
    assert wrong_with(page) == []
    page.get_by_role("link").click()
    expect(page).to_have_url(f"{site}mini/main/{NEW}/")
