"""Rows compared in a browser: chosen, kept in the address, and told in the numbers that the program computes."""

import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import pytest
from kit.boards import apart, beside
from kit.layout_shifts import shifted
from kit.simulated_boards import simulated_boards
from playwright.sync_api import Browser, Page, Route, expect

from sitegen.board.board import Board
from sitegen.board.inference.comparison import ScoreDifference
from sitegen.importers.simulation import SimulationScale
from sitegen.metrics.likeness import RoundCounts
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import PairedDifference
from sitegen.metrics.tolerances import SCORE_TOLERANCE

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def demo() -> Mapping[str, Board]:
    """The boards that the demo site shows, by track."""
    return {made.track.id: made for made in simulated_boards(SimulationScale())}


@pytest.fixture
def chain(demo: Mapping[str, Board]) -> Board:
    return demo["chain"]


def address(site: str, *ids: str, track: str = "chain") -> str:
    query = "&".join(f"{slot}={name}" for slot, name in zip("abcd", ids, strict=False))
    return f"{site}demo/{track}/compare/?{query}"


def ids_of(made: Board) -> list[str]:
    return [entry.id for entry in made.entries]


def compared(page: Page) -> list[str]:
    """Ids of the rows that the comparison shows."""
    expect(page.locator("[data-scores] tbody tr").first).to_be_visible()
    pairs = page.locator("[data-scores] [data-pair]").evaluate_all("pairs => pairs.map(pair => pair.dataset.pair)")
    return list(dict.fromkeys(name for pair in pairs for name in pair.split()))


def signed(value: float, metric: Metric) -> str:
    rounded = round(value, metric.decimals) + 0
    return f"{'+' if rounded > 0 else ''}{rounded:.{metric.decimals}f}".replace("-", "−")


def difference_text(difference: ScoreDifference) -> list[str]:
    bounds = (difference.paired.interval.low, difference.paired.interval.high)
    low, high = (signed(bound, difference.metric).lstrip("+") for bound in bounds)
    kind = difference.paired.interval.words.removesuffix(" interval")
    return [signed(difference.paired.value, difference.metric), f"{low} to {high} ({kind})"]


def counts_text(rounds: RoundCounts | None) -> list[str]:
    assert rounds
    return [*map(str, (rounds.both, rounds.only_first, rounds.only_second, rounds.neither))]


LINES = """lines => Object.fromEntries(lines.filter(line => line.querySelector(".sg-range")).map(line => {
  const told = ["td > b", ".sg-range + .sg-about", "td:last-child", "td .sg-value"];
  return [line.dataset.difference, told.map(part => line.querySelector(part).innerText.trim())];
}))"""
"""Of each metric that is tested: how two rows differ, within which bounds, who is ahead, and what the first one has."""


@pytest.mark.parametrize("track", ["chain", "fail-stop"])
def test_the_numbers_are_those_that_the_program_computes(
    page: Page, demo_site: str, demo: Mapping[str, Board], track: str
) -> None:
    """In an order that is not the board's, so that signs and counts are turned."""
    made = demo[track]
    chosen = [made.entries[index] for index in (2, 0, 3, 1)]
    page.goto(address(demo_site, *(entry.id for entry in chosen), track=track))
    compared(page)
    for first, second in combinations(chosen, 2):
        alone = beside(made, first, second)
        expected_lines = {}
        for metric in made.columns:
            difference = apart(made, first, second, metric=metric.id)
            ahead = {"ahead": first, "behind": second}.get(difference.order)
            equal = "tie" if abs(difference.paired.value) <= SCORE_TOLERANCE else "cannot tell"
            certainty = "likely ahead"
            if metric == made.headline and alone.on_board != "cannot tell":
                certainty = "ahead"
            verdict = f"{made.names[ahead.id]} {certainty}" if ahead else equal
            score = page.locator(f"[data-rows] tr[data-submission='{first.id}'] [data-metric='{metric.id}'] .sg-value")
            expected_lines[metric.id] = [*difference_text(difference), verdict, score.text_content()]
        lines = page.locator(f"[data-scores] [data-pair='{first.id} {second.id}'] [data-difference]")
        assert lines.evaluate_all(LINES) == expected_lines
        counted = page.locator(f"[data-counts] [data-pair='{first.id} {second.id}'] td.sg-number")
        both_passed, only_first, only_second, neither = counts_text(alone.rounds)
        assert counted.all_inner_texts() == [only_first, only_second, both_passed, neither]


def test_rounds_that_turned_on_a_single_case_say_where(page: Page, own_site: str) -> None:
    """Where one attempt counts: those that one passed, and that the other failed by one case."""
    results = Path(__file__).parents[2] / "results" / "evocode-bench" / "submissions"
    passed: set[tuple[str, int]] = set()
    single: dict[tuple[str, int, str], str] = {}
    chosen = ("2026-06-25-gpt-5-5", "2026-06-25-minimax-m3")
    for name in chosen:
        for record in map(json.loads, (results / name / "rounds.jsonl").read_text("utf-8").splitlines()):
            if record["state"] == "scored" and record["reward"] >= 0.999:
                passed.add((record["task"], record["round"]))
            elif record["state"] == "scored" and record["total"] - record["passed"] == 1:
                single[record["task"], record["round"], name] = f"{record['passed']} of {record['total']}"
    page.goto(f"{own_site}evocode-bench/official/compare/?a={chosen[0]}&b={chosen[1]}")
    links = page.locator(".sg-decided td a")
    expect(links.first).to_be_visible()
    link_texts = links.evaluate_all("links => links.map(link => [link.getAttribute('href'), link.textContent])")
    shown = {
        (href.split("/")[-2], int(href.rpartition("-")[2]), href.split("/")[-3]): text for href, text in link_texts
    }
    assert shown == {key: text for key, text in single.items() if key[:2] in passed}
    expect(page.locator(".sg-decided caption")).to_have_text(f"{len(shown)} of them were decided by a single case")


def expect_drawn(page: Page, paired: PairedDifference) -> None:
    """Find an interval about the line of nothing: filled on one side of it, or hollow where it holds 0 and crosses."""
    box = page.locator(".sg-range").first
    middle, left_edge, right, dot = box.evaluate(
        """box => [box, box.children[0], box.children[0], box.children[1]].map((each, place) => {
            const { left, right } = each.getBoundingClientRect();
            return [(left + right) / 2, left, right, (left + right) / 2][place];
        })"""
    )
    width = box.evaluate("box => box.getBoundingClientRect().width") / 2
    reach = max(abs(paired.interval.low), abs(paired.interval.high))
    drawn = [(position - middle) / width * reach for position in (left_edge, dot, right)]
    bounds = [paired.interval.low, paired.value, paired.interval.high]
    assert drawn == pytest.approx(bounds, abs=0.02 * reach)
    expect(box).to_have_attribute("data-told", "yes" if paired.is_shown else "no")


@pytest.mark.parametrize("second", [1, -1])
def test_the_interval_is_drawn_and_the_word_goes_before_the_p_value_and_all_pairs_come_after_it(
    page: Page, demo_site: str, chain: Board, second: int
) -> None:
    """Of the best and the next row, and of the best and the last one."""
    entries = chain.entries[0], chain.entries[second]
    page.goto(address(demo_site, *(entry.id for entry in entries)))
    compared(page)
    comparison = beside(chain, *entries)
    paired = apart(chain, *entries, metric=chain.headline.id).paired
    expect_drawn(page, paired)
    p = paired.p
    (line,) = page.locator("[data-order] li").all()
    line_text, names = line.inner_text(), [entry.agent.name for entry in entries]
    verdict = f"There is no clear difference between {names[0]} and {names[1]}"
    if comparison.on_board == "ahead":
        verdict = f"{names[0]} is ahead of {names[1]}"
    elif comparison.alone.order == "ahead":
        verdict = f"{names[0]} is likely ahead of {names[1]}"
    expect(page.locator("[data-answer]")).to_have_text(verdict)
    assert names[0] not in line_text, "the page's first sentence says it"
    assert f", p {'< 0.001' if p < 0.001 else f'{p:.3f}'}" in line_text
    assert line_text.endswith(f". Over all pairs of the board: {comparison.on_board}.")
    assert ("tasks like these would detect it" in line_text) == (comparison.alone.order == "cannot tell")


def test_choosing_keeps_the_address(page: Page, demo_site: str, chain: Board) -> None:
    first, second, third, *_ = ids_of(chain)
    page.goto(address(demo_site))
    expect(page.get_by_role("status")).to_have_text("Choose two to four agents, here or in the table.")
    expect(page.locator("[data-comparison]")).to_be_hidden()
    page.locator("select[name='a']").select_option(first)
    expect(page.get_by_role("status")).to_contain_text("Choose one more agent to compare with")
    page.locator("select[name='b']").select_option(second)
    assert compared(page) == [first, second]
    expect(page).to_have_url(address(demo_site, first, second))
    page.get_by_text("All agents", exact=True).click()
    page.locator(f"tr[data-submission='{third}'] .sg-pick input").check()
    expect(page.locator("[data-scores] table")).to_have_count(3)
    expect(page).to_have_url(address(demo_site, first, second, third))
    page.locator("select[name='a']").select_option("")
    expect(page.locator("[data-scores] table")).to_have_count(1)
    expect(page).to_have_url(address(demo_site, second, third))


def test_back_and_forward_walk_through_what_was_compared(page: Page, demo_site: str, chain: Board) -> None:
    first, second, third, *_ = ids_of(chain)
    page.goto(address(demo_site, first, second))
    assert compared(page) == [first, second]
    page.locator("select[name='b']").select_option(third)
    expect(page.locator("[data-scores] table")).to_have_attribute("data-pair", f"{first} {third}")
    page.go_back()
    expect(page.locator("[data-scores] table")).to_have_attribute("data-pair", f"{first} {second}")
    for name, row in (("a", first), ("b", second)):
        expect(page.locator(f"select[name='{name}']")).to_have_value(row)
    page.go_forward()
    expect(page.locator("[data-scores] table")).to_have_attribute("data-pair", f"{first} {third}")
    expect(page).to_have_url(address(demo_site, first, third))


def test_a_link_shows_the_same_elsewhere(page: Page, browser: Browser, demo_site: str, chain: Board) -> None:
    page.goto(address(demo_site, *ids_of(chain)[:3]))
    compared(page)
    page.get_by_text("Every round, task by task").click()
    page.get_by_label("Only tasks where they differ").uncheck()
    expect(page.locator("[data-rounds] tbody")).to_have_count(len(chain.tasks.tasks))
    expect(page).to_have_url(f"{address(demo_site, *ids_of(chain)[:3])}&rounds=all")
    elsewhere = browser.new_context().new_page()
    elsewhere.goto(page.url)
    assert compared(elsewhere) == ids_of(chain)[:3]
    assert elsewhere.locator("[data-comparison]").inner_text() == page.locator("[data-comparison]").inner_text()
    elsewhere.context.close()


def test_a_row_that_is_gone_is_told_in_words(page: Page, demo_site: str, chain: Board) -> None:
    """And one that is asked for twice is shown once; the others are compared all the same."""
    first, second, *_ = ids_of(chain)
    page.goto(address(demo_site, first, "no-such-row", second, first))
    assert compared(page) == [first, second]
    expect(page.get_by_role("status")).to_contain_text("No agent here is called “no-such-row”")
    expect(page.get_by_role("status")).to_contain_text("was requested twice and is shown once")
    page.goto(address(demo_site, "no-such-row", "<b>neither</b>"))
    expect(page.get_by_role("status")).to_contain_text("“<b>neither</b>”")
    expect(page.locator("[data-comparison]")).to_be_hidden()


def test_a_row_that_was_withdrawn_can_still_be_compared(page: Page, demo_site: str, chain: Board) -> None:
    gone = chain.retired[0]
    page.goto(address(demo_site, chain.entries[0].id, gone.id))
    assert compared(page) == [chain.entries[0].id, gone.id]
    expect(page.locator("[data-scores] thead")).to_contain_text(gone.status.state)


def test_rounds_where_they_differ_are_links_that_say_what_they_are(page: Page, demo_site: str, chain: Board) -> None:
    first, second = chain.entries[0], chain.entries[-1]
    counts = beside(chain, first, second).rounds
    assert counts
    page.goto(address(demo_site, first.id, second.id))
    compared(page)
    marks = page.locator("[data-rounds] [data-cell][data-differs]")
    expect(marks).to_have_count(2 * (counts.only_first + counts.only_second))
    expect(page.locator("[data-filter]")).to_contain_text(
        f"They differ in {counts.only_first + counts.only_second} of {chain.tasks.rounds} rounds"
    )
    page.get_by_text("Every round, task by task").click()
    mark = marks.first
    task, number = mark.get_attribute("data-task"), mark.get_attribute("data-round")
    assert f"round {number}: " in (mark.get_attribute("aria-label") or "")
    mark.click()
    expect(page).to_have_url(f"{demo_site}demo/chain/{first.id}/{task}/#round-{number}")
    expect(page.locator(f"[id='round-{number}']")).to_be_visible()


def test_every_link_of_a_comparison_leads_somewhere(page: Page, demo_site: str, chain: Board) -> None:
    page.goto(f"{address(demo_site, *ids_of(chain)[:2])}&rounds=all")
    compared(page)
    links = page.locator("[data-comparison] a").evaluate_all("links => links.map(link => link.href.split('#')[0])")
    assert len(set(links)) > len(chain.tasks.tasks)
    for link in sorted(set(links)):
        assert page.request.get(link).ok, link


def test_the_keyboard_chooses(page: Page, demo_site: str, chain: Board) -> None:
    page.goto(address(demo_site, ids_of(chain)[0]))
    page.locator("select[name='a']").focus()
    page.keyboard.press("Tab")
    expect(page.locator("select[name='b']")).to_be_focused()
    page.keyboard.type(chain.inference.possible_ranks(chain.entries[1]) or "")
    expect(page.locator("[data-scores] table")).to_have_count(1)
    expect(page.locator("select[name='b']")).to_be_focused()


def test_it_is_whole_without_scripts(plain_page: Page, demo_site: str, chain: Board) -> None:
    plain_page.goto(address(demo_site, *ids_of(chain)[:2]))
    notice = plain_page.locator("[data-notice='scripts']")
    expect(notice).to_contain_text("With scripts, you can choose two to four agents")
    for hidden in ("[data-choice]", "[data-comparison]"):
        expect(plain_page.locator(hidden)).to_be_hidden()
    rows = plain_page.locator("[data-rows] tbody tr")
    assert [row.get_attribute("data-submission") for row in rows.all()] == [entry.id for entry in chain.all_entries]
    for entry in chain.entries:
        cell = plain_page.locator(f"tr[data-submission='{entry.id}'] [data-metric='dataset_score']")
        assert float(cell.get_attribute("data-value") or "nan") == entry.value("dataset_score")


def test_a_comparison_that_can_not_be_loaded_says_so(page: Page, demo_site: str, chain: Board) -> None:
    def refuse(route: Route) -> None:
        route.fulfill(status=404)

    page.route("**/compare.json", refuse)
    page.goto(address(demo_site, *ids_of(chain)[:2]))
    expect(page.get_by_role("status")).to_contain_text("could not be loaded")
    expect(page.locator("[data-comparison]")).to_be_hidden()
    expect(page.locator("[data-rows]")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1440])
def test_it_fits_its_window_and_nothing_jumps(page: Page, demo_site: str, chain: Board, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address(demo_site, *ids_of(chain)[:4]))
    compared(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert shifted(page) < 0.1


def test_the_rows_are_seen_where_the_script_does_not_come(page: Page, demo_site: str) -> None:
    def refuse(route: Route) -> None:
        route.abort()

    page.route("**/compare-page.js", refuse)
    page.goto(address(demo_site))
    expect(page.locator("[data-rows]")).to_be_visible()


def test_nothing_but_the_comparison_is_loaded_and_only_on_demand(page: Page, demo_site: str, chain: Board) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address(demo_site, ids_of(chain)[0]))
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if url.endswith(".json") and "/api/" in url] == []
    page.locator("select[name='b']").select_option(ids_of(chain)[1])
    compared(page)
    page.locator("select[name='c']").select_option(ids_of(chain)[2])
    expect(page.locator("[data-scores] table")).to_have_count(3)
    assert [url for url in asked if "/api/" in url] == [f"{demo_site}api/v1/demo/chain/compare.json"]
    assert [url for url in asked if not url.startswith((demo_site, "data:"))] == []


def test_what_tasks_add_goes_from_most_for_the_first_to_most_for_the_second_and_adds_up(
    page: Page, demo_site: str, chain: Board
) -> None:
    first, second, third = chain.entries[:3]
    page.goto(address(demo_site, first.id, second.id, third.id))
    tables = page.locator(".sg-contributions")
    expect(tables).to_have_count(2)
    for other_entry, shown in zip((second, third), tables.all(), strict=True):
        points = [float(row.get_attribute("data-points") or "") for row in shown.locator("[data-points]").all()]
        value = apart(chain, first, other_entry, metric=chain.headline.id).paired.value
        assert points == sorted(points, reverse=True)
        assert sum(points) == pytest.approx(value, abs=1e-9)
