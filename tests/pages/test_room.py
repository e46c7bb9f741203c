"""Pages hold what they have room for; the rest goes on pages of its own, and nothing is lost."""

import gc
import weakref
from collections import Counter
from collections.abc import Mapping

import pytest
from kit.rendered_pages import round_pages, run_pages, task_page
from kit.task_cases import TEMPLATES, book, failure, ran, submission, task, tree
from lxml import html

from sitegen.pages.pagination import page_slices, rounds_to_move
from sitegen.pages.records import TaskCases

MOST = 8_000 - 200
"""So many elements a page's content may have at most, beside the frame."""
TEXTS = {"intent": "sorts", "expected": "rc 0", "actual": "rc 4", "reason": "it is not sorted"}
RUN = "mini/main/acme/a/"
ISSUES = "https://github.com/acme/results/issues"

Pages = Mapping[str, html.HtmlElement]


def heavy(rounds: int, failed: int, passed: int = 0, attempts: int = 1) -> TaskCases:
    """Let acme try a task of many cases, each of a requirement of its own; of those that fail, texts are known."""
    names = [f"c{case_index}:r{case_index}" for case_index in range(failed + passed)]
    tries = [(attempt, number) for attempt in range(1, attempts + 1) for number in range(1, rounds + 1)]
    round_results = [ran(number, "f" * failed + "p" * passed, attempt) for attempt, number in tries]
    texts = [
        failure(number, f"c{failed_index}", attempt=attempt, **TEXTS)
        for attempt, number in tries
        for failed_index in range(failed)
    ]
    return book(task(*[names] * rounds), submission("acme", *round_results, *texts), issues=ISSUES)


def run_of(made: TaskCases) -> Pages:
    (entry,) = made.records.board.submissions
    assert entry.bundle
    return {page.address: tree(page) for page in run_pages(made, entry, TEMPLATES)}


def elements(page: html.HtmlElement) -> int:
    return sum(1 for node in page.iter() if isinstance(node.tag, str))


def texts(pages: Pages) -> Counter[str]:
    """Count how often the texts of each case stand on the pages."""
    return Counter(str(case.get("id")) for page in pages.values() for case in page.cssselect("article[data-case]"))


def test_a_light_run_is_one_page() -> None:
    assert list(run_of(heavy(rounds=3, failed=20, passed=40))) == [RUN]


@pytest.mark.parametrize(
    ("rounds", "failed", "passed", "attempts"),
    [(15, 300, 0, 1), (10, 55, 200, 4), (2, 0, 5000, 1), (1, 2000, 0, 1), (12, 50, 350, 2)],
)
def test_no_page_of_a_heavy_run_has_too_many_elements(rounds: int, failed: int, passed: int, attempts: int) -> None:
    pages = run_of(heavy(rounds, failed, passed, attempts))
    assert max(map(elements, pages.values())) < MOST
    assert len(pages) > 1
    assert set(texts(pages).values()) <= {1}
    assert len(texts(pages)) == failed * attempts, "further rounds fail the same way"
    named = [case.get("id") for page in pages.values() for case in page.cssselect("[data-case][data-status='failed']")]
    assert len(set(named)) == len(named) == rounds * failed * attempts


def test_what_has_no_room_on_the_page_of_its_run_is_led_to_where_it_fails_as_before() -> None:
    pages = run_of(heavy(rounds=2, failed=900))
    (name,) = pages[RUN].cssselect("#round-2-c7")
    address, _, anchor = str(name.get("href")).partition("#")
    assert address == f"../../../../{RUN}round-1/"
    (case,) = pages[f"{RUN}round-1/"].cssselect(f"article#{anchor}")
    assert "rc 4" in case.text_content()


def test_rounds_without_room_have_their_numbers_and_the_way() -> None:
    """There are nearly ten thousand cases; scripts find there what an address names."""
    pages = run_of(heavy(rounds=10, failed=50, passed=440, attempts=2))
    (first,) = pages[RUN].cssselect("#round-1")
    assert "490 cases" in first.text_content()
    (round_link,) = first.cssselect("a[data-part='round-1']")
    assert str(round_link.get("href")).removeprefix("../../../../") in pages


def test_the_parts_of_a_round_lead_to_each_other() -> None:
    pages = run_of(heavy(rounds=1, failed=2000))
    addresses = [RUN + "round-1/", *(f"{RUN}round-1-part-{part_number}/" for part_number in range(2, len(pages)))]
    assert list(pages) == [RUN, *addresses]
    onward = [str(link.get("href")) for address in addresses for link in pages[address].cssselect("a[rel='next']")]
    assert onward == [f"../../../../../{address}" for address in addresses[1:]]


def test_the_cases_of_a_round_are_shared_out_too() -> None:
    names = [f"c{case_index}" for case_index in range(2500)]
    submissions = (submission(name, ran(1, letter * 2500)) for name, letter in (("acme", "f"), ("bolt", "p")))
    made = book(task(names), *submissions)
    pages = {page.address: tree(page) for page in round_pages(made, TEMPLATES)}
    assert list(pages)[:2] == ["mini/main/tasks/a/1/", "mini/main/tasks/a/1-part-2/"]
    assert max(map(elements, pages.values())) < MOST
    rows = [row.get("id") for page in pages.values() for row in page.cssselect("tbody tr")]
    assert len(set(rows)) == len(rows) == 2500


def test_pages_keep_nothing_of_a_task_once_they_are_made() -> None:
    """Builds keep the collector off: what is part of a cycle would stay in memory until the site is built."""
    made = heavy(rounds=2, failed=3)
    reference = weakref.ref(made)
    gc.disable()
    try:
        task_page(made, TEMPLATES)
        list(round_pages(made, TEMPLATES))
        run_of(made)
        del made
        assert reference() is None
    finally:
        gc.enable()


def test_the_heaviest_rounds_leave_first_and_no_more_than_must() -> None:
    assert rounds_to_move([50, 400, 60, 300], room=520) == {1}
    assert rounds_to_move([50, 400, 60, 300], room=300) == {1, 3}
    assert rounds_to_move([50, 60], room=110) == set()


def test_portions_fill_pages_in_order() -> None:
    assert page_slices([4, 4, 4, 9, 1], room=10) == [slice(0, 2), slice(2, 3), slice(3, 5)]


def test_what_weighs_too_much_has_a_page_to_itself() -> None:
    assert page_slices([1, 99, 1], room=10) == [slice(0, 1), slice(1, 2), slice(2, 3)]


def test_nothing_is_one_portion() -> None:
    assert page_slices([]) == [slice(0, 0)]
