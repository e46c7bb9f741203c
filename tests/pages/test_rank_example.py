"""The worked rank of the methods page follows from the board that it is taken from."""

import re
from pathlib import Path

import pytest
from kit.boards import board, bundle, table, track
from kit.chart_boards import counts, printed
from kit.shipped_results import shipped
from lxml import html

from sitegen.board.board import Board
from sitegen.board.history.ledger import Ledger
from sitegen.board.wording import ordinal
from sitegen.pages.environment import Templates
from sitegen.pages.kinds.rank_example import conclusion, rank_example, rank_example_part
from sitegen.pages.site import SiteContent

ROOT = Path(__file__).parents[2]
TEMPLATES = Templates(ROOT / "templates" / "pages")


def ladder(agents: int, rounds: int = 12) -> Board:
    """Return a board whose agents pass 0, 1, 2, … quarters of the tasks."""
    step = rounds // 3
    bundles = [bundle(f"agent-{n}", *("#" * (step * n) + "." * (rounds - step * n))) for n in range(agents)]
    return board(*bundles, rounds=(1,) * rounds)


def test_the_example_counts_who_is_better_and_worse_as_the_board_does() -> None:
    example = rank_example([ladder(4)])
    assert example is not None
    first, last = example.board.inference.ranks[example.entry.id]
    assert (1 + example.better, 4 - example.worse) == (first, last)
    assert example.merit >= (0, 1)


def test_a_board_of_three_agents_gives_no_example() -> None:
    assert rank_example([ladder(3)]) is None


def test_published_scores_give_no_example() -> None:
    rows = [printed(f"agent-{k}", perfect_tasks=counts(str(k), 26)) for k in (2, 6, 12, 24)]
    on = track(headline="perfect_tasks", columns=("perfect_tasks",))
    published = board(on=on, tables=[table(*rows)])
    assert len(published.inference.ranks) == 4
    assert rank_example([published]) is None


def test_the_shipped_example_adds_up() -> None:
    site_content = SiteContent(Ledger((), None, shipped().boards), {}, ())
    (fragment,) = rank_example_part(site_content, TEMPLATES)
    page = html.fromstring(fragment.content)
    verdicts = [row[-1].text_content() for row in page.cssselect("tbody tr")]
    sentence = page.cssselect("strong")[0].text_content()
    better, worse = verdicts.count("better"), verdicts.count("worse")
    assert (better > 0, worse > 0) == (True, True)
    rank_match = re.search(r"Its rank is (\d+)–(\d+)\.", sentence)
    assert rank_match
    assert (int(rank_match[1]), int(rank_match[2])) == (1 + better, len(verdicts) + 1 - worse)
    assert sentence.startswith(f"{better} agent")


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (22, "22nd")]
)
def test_ranks_are_written_as_ordinals(number: int, text: str) -> None:
    assert ordinal(number) == text


def test_an_agent_with_nobody_shown_better_may_be_first() -> None:
    example = rank_example([ladder(4)])
    assert example is not None
    sentence = conclusion(example)
    assert ("may be first" in sentence) == (example.better == 0)
    assert ("may be last" in sentence) == (example.worse == 0)
