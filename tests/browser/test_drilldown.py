"""Heat maps by keyboard, and pages that open on the case that their address names."""

import gzip

import pytest
from kit.built_sites import demo, site_of
from kit.layout_shifts import shifted
from lxml import html
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

OFFICIAL = "evocode-bench/official/"
LONGEST = "theme_d5_w9_data_engineering_reproducibility_verification"
WIDEST = "theme_d8_w5_cloud_devops_integration_e2e_wiring"
HEAVIEST_RUN = f"{OFFICIAL}2026-06-13-minimax-m2-7/{LONGEST}/"


def focused(page: Page) -> str:
    """Give what has the focus: a cell by its task, round and submission, something else by its text."""
    return str(
        page.evaluate(
            """() => {
              const { task, round, submission } = document.activeElement.dataset;
              return task ? `${task} ${round} ${submission.slice(11)}` : document.activeElement.textContent.trim();
            }"""
        )
    )


def press(page: Page, *keys: str) -> str:
    for key in keys:
        page.keyboard.press(key)
    return focused(page)


def test_arrows_home_and_end_move_in_a_heat_map_and_not_beyond_its_edge(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/tasks/")
    page.locator("tbody [data-cell]").first.focus()
    start = focused(page)
    right, down = press(page, "ArrowRight"), press(page, "ArrowDown")
    assert right.split()[0] == start.split()[0] != down.split()[0]
    assert right.split()[-1] == down.split()[-1] != start.split()[-1]
    assert press(page, "ArrowUp", "ArrowLeft") == start
    assert press(page, "ArrowLeft", "ArrowUp") == start
    assert press(page, "Shift+ArrowRight", "Control+ArrowDown") == start, "those are the browser's"
    row = page.locator("tbody tr").nth(1).locator("[data-cell]")
    row.nth(2).focus()
    page.keyboard.press("End")
    expect(row.last).to_be_focused()
    page.keyboard.press("Home")
    expect(row.first).to_be_focused()


def test_enter_opens_the_cell_that_arrows_led_to(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/tasks/doc-lantern/")
    page.locator("tbody [data-cell]").first.focus()
    press(page, "ArrowDown", "ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/doc-lantern/#round-3")


def test_arrows_go_over_rounds_that_a_task_does_not_have(page: Page, demo_site: str) -> None:
    """Of the demo's tasks, river-gauge has five rounds; link-shelf, rail-yard and doc-lantern have a seventh."""
    page.goto(f"{demo_site}demo/chain/2026-01-27-elder-code/")
    page.locator("[data-task='river-gauge'][data-round='5']").focus()
    assert press(page, "End") == "river-gauge 5 elder-code"
    page.locator("[data-task='doc-lantern'][data-round='7']").focus()
    assert press(page, "ArrowDown") == "doc-lantern 7 elder-code"
    assert press(page, "ArrowUp") == "rail-yard 7 elder-code"
    assert press(page, "ArrowUp") == "link-shelf 7 elder-code"
    assert press(page, "ArrowUp") == "link-shelf 7 elder-code"
    assert press(page, "ArrowDown") == "rail-yard 7 elder-code"


def test_arrows_reach_cases_that_passed_although_they_lead_nowhere(page: Page, real_site: str) -> None:
    page.goto(f"{real_site}{OFFICIAL}tasks/theme_d10_w8_ml_ai_mlops_security_patch_hardening/5/")
    page.locator("tbody td a").first.focus()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.closest('td').cellIndex") == 10
    page.locator("tbody tr").first.locator("td").nth(1).locator("a").focus()
    assert press(page, "ArrowRight") == "✓"
    assert press(page, "ArrowUp") != "✓", "the row above is that of the whole round"


def test_arrows_walk_the_strip_of_rounds(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/2026-01-27-elder-code/doc-lantern/")
    page.locator(".sg-strip a").first.focus()
    assert press(page, "ArrowRight", "ArrowRight").split()[1] == "3"
    assert press(page, "End").split()[1] == "10"
    assert press(page, "ArrowDown").split()[1] == "10"


def test_a_case_named_in_the_address_is_seen_also_where_it_is_folded(page: Page, real_site: str) -> None:
    page.goto(
        f"{real_site}{OFFICIAL}2026-06-13-gpt-5-5/theme_d10_w8_ml_ai_mlops_security_patch_hardening/#round-5-c012"
    )
    expect(page.locator("[id='round-5-c012']")).to_be_in_viewport()


def test_a_case_that_its_run_has_no_room_for_is_found_by_its_address(page: Page, real_site: str) -> None:
    """Without scripts, its round leads to the page that holds it."""
    page.goto(f"{real_site}{HEAVIEST_RUN}")
    part_link = page.locator("a[data-part]").first
    anchor, address = part_link.get_attribute("data-part"), str(part_link.evaluate("link => link.href"))
    page.goto(address)
    case = str(page.locator("article[data-case]").first.get_attribute("id"))
    assert case.startswith(f"{anchor}-")
    page.goto(f"{real_site}{HEAVIEST_RUN}#{case}")
    page.wait_for_url(f"{address}#{case}")
    expect(page.locator(f"[id='{case}'] dd").first).to_be_visible()


@pytest.mark.parametrize("reader", ["page", "plain_page"])
def test_runs_are_short(request: pytest.FixtureRequest, real_site: str, reader: str) -> None:
    page: Page = request.getfixturevalue(reader)
    for address in (HEAVIEST_RUN, f"{OFFICIAL}2026-06-13-gpt-5-5/{WIDEST}/"):
        page.goto(f"{real_site}{address}")
        for width, max_height in ((390, 9_000), (1440, 6_000)):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollHeight") <= max_height
        expect(page.locator("details[open] [data-case]").first).to_be_visible()
        assert page.locator("[data-case]:visible").count() < page.locator("[data-case]").count()


def test_bars_lead_to_their_rounds(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/2026-04-02-birch-large/doc-lantern/")
    page.locator(".sg-strip [data-round='6']").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/doc-lantern/#round-6")
    page.locator("#round-6 a.sg-since").click()
    page.wait_for_url("**/doc-lantern/#round-5")
    expect(page.locator("#round-5")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("address", "elements", "kilobytes"),
    [
        (f"{OFFICIAL}tasks/{LONGEST}/", 8_000, 120),
        (HEAVIEST_RUN, 8_000, 160),
        (f"{OFFICIAL}2026-06-13-gpt-5-5/{WIDEST}/", 8_000, 160),
        (f"{OFFICIAL}2026-06-13-gpt-5-5/{WIDEST}/round-11/", 8_000, 160),
        (f"{OFFICIAL}tasks/{WIDEST}/11/", 8_000, 160),
    ],
)
def test_the_largest_pages_are_light_and_stand_still(
    page: Page, real_site: str, address: str, elements: int, kilobytes: int
) -> None:
    response = page.goto(f"{real_site}{address}")
    assert response
    assert len(gzip.compress(response.body(), 6)) < kilobytes * 1024
    assert page.evaluate("document.querySelectorAll('*').length") < elements
    assert shifted(page) < 0.1


def test_no_page_holds_code_in_its_markup() -> None:
    for kind in ("tasks/doc-lantern", "tasks/doc-lantern/6", "2026-01-27-elder-code/doc-lantern"):
        page = html.fromstring((site_of(demo()) / "demo" / "chain" / kind / "index.html").read_bytes())
        (article,) = page.cssselect("article.sg")
        assert article.xpath(".//script[not(@src)] | .//@*[starts-with(name(), 'on')]") == [], kind


def test_tasks_are_chosen_by_label_and_totals_are_those_of_the_chosen(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/tasks/")
    choice = page.locator("[data-task-filters] select").first
    value = str(choice.locator("option").nth(1).get_attribute("value"))
    choice.select_option(value)
    rows = page.locator("[data-task-share]:visible")
    expect(page.locator("[data-shown]")).to_contain_text(f"{rows.count()} of ")
    assert value in page.url
    totals = [row.locator("td.sg-total").first.inner_text().split(" / ") for row in rows.all()]
    shown_total = page.locator("[data-foot='passed'] td.sg-total").first.inner_text().split(" / ")
    assert shown_total == [str(sum(int(total[index]) for total in totals)) for index in (0, 1)]
    page.reload()
    assert choice.input_value() == value
