"""The shipped boards tell one story of their order: every rank and every sentence follows from one relation.

Whoever is shown to be better than whom, over all pairs of a board at once, is asked of the board; what is read is what
a build writes: pages, the document that pages compare with, badges, JSON, CSV, feeds; and the words of the cards.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from kit.built_sites import own_site
from kit.share_cards import TEMPLATES, words_on
from kit.shipped_results import shipped
from lxml import html

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.inference.comparison import Comparison, comparisons
from sitegen.board.wording import ordinal
from sitegen.pages import addresses
from sitegen.pages.sharing import MAX_CARD_ROWS, BoardCards

LIKELY = {"ahead": "likely ahead", "behind": "likely behind", "cannot tell": "cannot tell"}
LETTERS = {"ahead": "A", "behind": "B", "cannot tell": "C"}

ABOUT_ORDER = re.compile(
    r"\b(ahead|behind|leads?|leader|ties?|tied|could be first|differs? clearly|close to call|cannot tell|"
    r"better|worse|beats?|wins?|winner|outperforms?|the best|best score)\b",
    re.IGNORECASE,
)
"""Words of a sentence that says something about the order of rows."""

ABOUT_METHODS = re.compile(r"95 %|80 %|excludes 0|includes 0")
"""Numbers that belong to a method and to no row."""


@pytest.fixture(scope="module")
def site() -> Path:
    return own_site()


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    """Every board that has a row; the official one comes first."""
    return [board for board in shipped().all_boards() if board.entries]


def ranked(board: Board) -> list[Entry]:
    return [entry for entry in board.entries if entry.id in board.ranks]


def bounds(board: Board, entry: Entry) -> tuple[int, int] | None:
    """Count the first and last rank of a row from how it stands to each other one; None where nothing tells of it."""
    if entry.id not in board.inference.ranks:
        return None
    orders = [board.inference.pair_order(entry, rival) for rival in ranked(board) if rival is not entry]
    return 1 + orders.count("behind"), len(ranked(board)) - orders.count("ahead")


def rank(board: Board, entry: Entry) -> str:
    """Write a row's rank as pages do."""
    rank_bounds = bounds(board, entry)
    if rank_bounds is None:
        return f"({board.ranks[entry.id]})" if entry.id in board.ranks else "–"
    first, last = rank_bounds
    return str(first) if first == last else f"{first}–{last}"


def meaning(board: Board, entry: Entry) -> str:
    """Say what a row's rank means, as the title of its cell does."""
    if bounds(board, entry) is None:
        return "by score alone; the order is not tested" if entry.id in board.ranks else "not ranked"
    worse, better = stands(board, entry)
    if not better and not worse:
        return "no agent is shown to be better or worse"
    agents = {0: "no agent is", 1: "1 agent is"}.get(better, f"{better} agents are")
    return f"{agents} shown to be better, {worse or 'none'} to be worse"


def could_be_first(board: Board) -> int:
    rows = ranked(board)
    return sum(all(board.inference.pair_order(row, entry) != "ahead" for row in rows) for entry in rows)


def pair_alone(board: Board, first: Entry, second: Entry) -> Comparison:
    return comparisons(board, first, [second])[0]


def leads(board: Board, entry: Entry) -> bool:
    return all(board.inference.pair_order(entry, rival) == "ahead" for rival in ranked(board) if rival is not entry)


def address(board: Board) -> str:
    return f"{board.benchmark.id}/{board.track.id}"


def page(site: Path, page_address: str) -> html.HtmlElement:
    return html.fromstring((site / page_address / "index.html").read_bytes())


def text(element: html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).split())


def document(site: Path, name: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads((site / "api/v1" / name).read_text(encoding="utf-8"))


def pages_of(board: Board) -> list[str]:
    """Name the pages that say something about the order of a board."""
    board_address = address(board)
    certainty = [f"{board_address}/certainty"] if board.submissions else []
    return [
        board_address,
        f"{board_address}/compare",
        *certainty,
        *(f"{board_address}/{entry.id}" for entry in board.all_entries),
    ]


def test_the_official_board_tells_some_rows_apart_and_others_not(boards: list[Board]) -> None:
    """So that what follows is about something."""
    board = boards[0]
    assert address(board) == "evocode-bench/official"
    orders = [board.inference.pair_order(*pair) for pair in combinations(ranked(board), 2)]
    assert min(orders.count("ahead"), orders.count("cannot tell")) > 10


def test_every_table_of_rows_shows_the_ranks_that_follow(site: Path, boards: list[Board]) -> None:
    for board in boards:
        ranks = {entry.id: rank(board, entry) for entry in board.all_entries}
        meanings = {entry.id: meaning(board, entry) for entry in board.all_entries}
        for page_address in (address(board), f"{address(board)}/compare"):
            shown = page(site, page_address).cssselect("table tr[data-submission]")
            assert {row.get("data-submission"): text(row[0]) for row in shown} == ranks, page_address
            assert {row.get("data-submission"): row[0].get("title") for row in shown} == meanings, page_address


def test_the_overviews_show_the_same_ranks(site: Path, boards: list[Board]) -> None:
    """The home page has all rows of one board and the first of others, a benchmark's page those of its headline."""
    ranks = {f"{address(board)}/{entry.id}/": rank(board, entry) for board in boards for entry in board.all_entries}
    shown = page(site, "").cssselect("table[data-ranking]")
    assert [len(table.cssselect("tbody tr")) for table in shown] == [13, 6, 6, 6]
    for table in shown:
        for row in table.cssselect("tbody tr"):
            assert text(row[0]) == ranks[f"{table.get('data-ranking')}/{row.get('data-submission')}/"]
    rows = page(site, boards[0].benchmark.id).cssselect("table[data-board] tr[data-submission]")
    assert len(rows) == len(boards[0].all_entries)
    for row in rows:
        assert text(row[0]) == ranks[f"{address(boards[0])}/{row.get('data-submission')}/"]


def test_a_page_of_a_row_says_its_rank_and_how_it_stands_to_every_other(site: Path, boards: list[Board]) -> None:
    seen = 0
    for board in boards:
        by_id = {entry.id: entry for entry in board.all_entries}
        for entry in board.entries:
            shown = page(site, f"{address(board)}/{entry.id}")
            answer = text(shown.cssselect("[data-answer]")[0])
            shown_rank = rank(board, entry)
            if shown_rank.isdecimal():
                shown_rank = ordinal(int(shown_rank))
            assert entry.submission_results is None or f" {shown_rank} of {len(ranked(board))}" in answer
            for row in shown.cssselect("table.sg-rivals tbody tr"):
                rival = by_id[str(row.cssselect("th a")[0].get("href")).rstrip("/").rpartition("/")[2]]
                (alone,), (on_board,) = row.cssselect("[data-standing]"), row.cssselect("[data-on-board]")
                board_order = board.inference.pair_order(entry, rival)
                assert (text(row[0]), text(on_board)) == (rank(board, rival), board_order)
                assert row[0].get("title") == meaning(board, rival)
                assert text(alone) == LIKELY[pair_alone(board, entry, rival).alone.order]
                assert board_order == "cannot tell" or text(alone) == LIKELY[board_order]
                seen += 1
    assert seen >= 13 * 12


def test_a_row_stands_to_the_next_one_as_the_compare_page_says(site: Path, boards: list[Board]) -> None:
    for board in boards:
        rows = page(site, f"{address(board)}/compare").cssselect("table[data-rows] tbody tr")
        shown_words = {row.get("data-submission"): row.cssselect("[data-next] [data-standing]") for row in rows}
        for first, second in pairwise(ranked(board)):
            (element,) = shown_words[first.id]
            board_order = board.inference.pair_order(first, second)
            alone = pair_alone(board, first, second)
            expected = LIKELY[alone.alone.order] if alone.difference else alone.alone.order
            if board_order != "cannot tell":
                expected = board_order
            assert text(element) in {expected, "tie" if alone.alone.order == "cannot tell" else expected}
            assert board_order == "cannot tell" or board_order in text(element)


def test_the_document_of_comparisons_says_the_same_of_every_pair(site: Path, boards: list[Board]) -> None:
    for board in boards:
        by_id = {entry.id: entry for entry in board.all_entries}
        file = document(site, f"{address(board)}/compare.json")
        pairs = list(combinations([by_id[row["id"]] for row in file["rows"]], 2))
        assert file["pairs"]["on_board"] == "".join(LETTERS[board.inference.pair_order(*pair)] for pair in pairs)
        for pair, letter, on_board in zip(pairs, file["pairs"]["standing"], file["pairs"]["on_board"], strict=True):
            verdict = file["findings"][letter]["word"].removeprefix("likely ")
            assert ("cannot tell" if verdict == "tie" else verdict) == pair_alone(board, *pair).alone.order
            assert on_board == "C" or LETTERS[verdict] == on_board


def said_in(shown: html.HtmlElement) -> Iterator[str]:
    """Give every sentence of a page, and of what it tells by attributes."""
    texts = [text(element) for element in shown.iter("p", "li", "h2", "h3", "figcaption", "caption", "summary", "desc")]
    texts += [text(answer) for answer in shown.cssselect("[data-answer]")]
    texts += [text(container) for container in shown.iter("div", "td", "text") if not len(container)]
    attributes = ("title", "aria-label", "alt", "content")
    texts += [str(node.get(name) or "") for node in shown.iter("*") for name in attributes]
    yield from (sentence for passage in texts for sentence in re.split(r"(?<=[.;])\s", passage))


def neighbours(board: Board, *, is_behind: bool) -> tuple[int, int]:
    """Count the neighbours that are told apart, of all pairs of them, or of those behind the first row."""
    ranked_entries = [entry for entry in ranked(board) if bounds(board, entry)][is_behind:]
    pairs = list(pairwise(ranked_entries))
    return sum(board.inference.pair_order(*pair) == "ahead" for pair in pairs), len(pairs)


def has_value(board: Board, entry: Entry, sentence: str) -> bool:
    return board.names[entry.id] in sentence and entry.text(board.headline.id) in sentence


def lead_of(board: Board) -> list[str]:
    first, second = ranked(board)[:2]
    difference = pair_alone(board, first, second).difference
    assert difference
    paired = difference.paired
    return [f"{figure:.1f}" for figure in (paired.value, paired.interval.low, paired.interval.high)]


def stands(board: Board, entry: Entry) -> list[int]:
    orders = [board.inference.pair_order(entry, rival) for rival in ranked(board) if rival is not entry]
    return [orders.count("ahead"), orders.count("behind")]


@cache
def standings(board_address: str) -> set[tuple[str, int, int]]:
    """Give the rank of every tested row of a board, and how many agents are shown to be better and worse."""
    (board,) = (board for board in shipped().all_boards() if address(board) == board_address)
    rank_counts = set()
    for entry in filter(partial(bounds, board), ranked(board)):
        worse, better = stands(board, entry)
        rank_counts.add((rank(board, entry), better, worse))
    return rank_counts


def off_the_front(board: Board) -> tuple[int, int, int]:
    """Count agents off the front of score and rounds: all, those beaten on both by intervals, and the rest."""
    rows = [entry for entry in ranked(board) if entry.value("avg_rounds") is not None]
    points = {entry.id: (entry.value(board.headline.id) or 0.0, entry.value("avg_rounds") or 0.0) for entry in rows}
    spans = {}
    for entry in rows:
        score, rounds = (board.inference.interval(entry, name) for name in (board.headline.id, "avg_rounds"))
        assert score
        assert rounds
        spans[entry.id] = (score, rounds)
    dominated = []
    for name, (score_value, rounds_value) in points.items():
        better = [
            key
            for key, (high, average_rounds) in points.items()
            if high >= score_value and average_rounds <= rounds_value
        ]
        if any(points[key] != points[name] for key in better):
            dominated.append(name)
    beaten = 0
    for name in dominated:
        score, rounds = spans[name]
        beaten += any(
            high.low > score.high and rounds_interval.high < rounds.low for high, rounds_interval in spans.values()
        )
    return len(dominated), beaten, len(dominated) - beaten


Claim = Callable[[Board, Entry | None, Sequence[str]], bool]

CLAIMS: Mapping[str, Claim] = {
    r"(.+) (?:leads|led) with (.+);?": lambda board, _, groups: (
        leads(board, ranked(board)[0]) and has_value(board, ranked(board)[0], " ".join(groups))
    ),
    r"The lead of (.+) points ha[sd] a 95 % interval of (.+) to (.+)\.": lambda board, _, groups: (
        list(groups) == lead_of(board)
    ),
    r"The first is shown to be ahead of every other ranked row\.": lambda board, _, __: leads(board, ranked(board)[0]),
    r"(\d+) of the (\d+) ranked rows could be first\.": lambda board, _, groups: (
        (int(groups[0]), int(groups[1])) == (could_be_first(board), len(ranked(board)))
    ),
    r"(\d+) agents could (?:be|have been) first;": lambda board, _, groups: int(groups[0]) == could_be_first(board),
    r"Behind the leader, (?:all neighbouring|the next two) agents are too close to call\.?": lambda board, _, __: (
        leads(board, ranked(board)[0]) and not neighbours(board, is_behind=True)[0]
    ),
    r"(?:All neighbouring|The two) agents are too close to call\.?": lambda board, _, __: (
        not neighbours(board, is_behind=False)[0]
    ),
    r"(\d+) of (\d+) pairs of neighbouring agents differs? clearly\.?": lambda board, _, groups: (
        (int(groups[0]), int(groups[1])) == neighbours(board, is_behind=False)
    ),
    r"(\d+) of (\d+) pairs of agents differs? clearly\.?": lambda board, _, groups: (
        number(groups[0]) == sum(stands(board, entry)[0] for entry in ranked(board))
        and int(groups[1]) == len(ranked(board)) * (len(ranked(board)) - 1) // 2
    ),
    r"None of the (\d+) pairs of agents differ clearly\.?": lambda board, _, __: (
        not any(stands(board, entry)[0] for entry in ranked(board))
    ),
    r"Rank [\d–]+ of \d+, clearly ahead of (\d+), behind (\d+)": lambda board, entry, groups: (
        entry is not None and [int(figure) for figure in groups] == stands(board, entry)
    ),
    (
        r"(\d+) of the (\d+) other agents (?:is|are) clearly beaten on both axes \(the intervals do not overlap\), and "
        r"(\d+) (?:is|are) too close to call\."
    ): lambda board, _, groups: (int(groups[1]), int(groups[0]), int(groups[2])) == off_the_front(board),
    (
        r"Rank ([\d–]+): (\d+|no) agents? (?:is|are) shown to be better, (\d+|none) to be worse\."
    ): lambda board, _, groups: (groups[0], number(groups[1]), number(groups[2])) in standings(address(board)),
    r"Rank ([\d–]+): no agent is shown to be better or worse\.": lambda board, _, groups: (
        (groups[0], 0, 0) in standings(address(board))
    ),
    # Titles of cells: `test_every_table_of_rows_shows_the_ranks_that_follow` looks at which row has which
    r"(\d+|no) agents? (?:is|are) shown to be better, (\d+|none) to be worse": lambda board, _, groups: (
        (number(groups[0]), number(groups[1])) in {rank_counts[1:] for rank_counts in standings(address(board))}
    ),
    r"no agent is shown to be better or worse": lambda board, _, __: (
        (0, 0) in {rank_counts[1:] for rank_counts in standings(address(board))}
    ),
    r"It is clearly ahead of (\d+) agents? and clearly behind (\d+|none)\.": lambda board, entry, groups: (
        entry is not None and [number(figure) for figure in groups] == stands(board, entry)
    ),
    r"It is clearly behind (\d+) agents? and clearly ahead of none\.": lambda board, entry, groups: (
        entry is not None and [0, int(groups[0])] == stands(board, entry)
    ),
    r"It is not clearly ahead of or behind any other agent\.": lambda board, entry, _: (
        entry is not None and stands(board, entry) == [0, 0]
    ),
}
"""Sentences about the order of a board's rows, and what makes them true of a board, or of the row of a page."""


def number(digits: str) -> int:
    return int(digits) if digits.isdigit() else 0


def is_so(board: Board, entry: Entry | None, sentence: str) -> bool:
    """Whether a sentence with a word of order is true: a claim that follows, or nothing about any row."""
    for pattern, holds in CLAIMS.items():
        match = re.fullmatch(rf"(?:.*: )?{pattern}", sentence)
        if match:
            return holds(board, entry, match.groups())
    names = {entry.agent.name for entry in board.all_entries}
    return not any(name in sentence for name in names) and not re.search(r"\d", ABOUT_METHODS.sub("", sentence))


def test_no_sentence_about_order_says_anything_else(site: Path, boards: list[Board]) -> None:
    """Errata are about what a paper's own text says."""
    claims = 0
    for board in boards:
        errata = " ".join(erratum.note for table in board.results.reported_on(board.track) for erratum in table.errata)
        for page_address in pages_of(board):
            entry = next((entry for entry in board.all_entries if page_address.endswith(f"/{entry.id}")), None)
            for sentence in said_in(page(site, page_address)):
                _, _, statement = sentence.partition(": ")
                if ABOUT_ORDER.search(sentence) and (not statement or statement not in errata):
                    assert is_so(board, entry, sentence), (page_address, sentence)
                    claims += any(re.fullmatch(pattern, sentence) for pattern in CLAIMS)
    assert claims > len(boards[0].entries)


def test_cards_and_badges_show_the_same_ranks(site: Path, boards: list[Board]) -> None:
    for board in boards:
        board_address, names = addresses.of(board), board.names
        cards = {card_path: words_on(svg) for card_path, svg in BoardCards(board).drawn(TEMPLATES)}
        card_words = cards[board_address.card()]
        for entry in board.entries[:MAX_CARD_ROWS]:
            assert card_words[card_words.index(names[entry.id]) - 1] == rank(board, entry)
        for entry in (entry for entry in board.all_entries if entry.id in board.ranks):
            orders = [board.inference.pair_order(entry, rival) for rival in ranked(board) if rival is not entry]
            card_words = cards[board_address.card(entry.id)]
            ahead = f"clearly ahead of {orders.count('ahead')}, behind {orders.count('behind')}"
            note = ahead if bounds(board, entry) else "by published score alone"
            assert card_words[card_words.index("Rank") :][1:4] == [rank(board, entry), f"of {len(board.ranks)}", note]
            badge = (site / address(board) / entry.id / "badge.svg").read_text(encoding="utf-8")
            assert f"rank {rank(board, entry)} of {len(board.ranks)} · " in badge


def test_programs_are_told_the_same_ranks(site: Path, boards: list[Board]) -> None:
    for board in boards:
        table = csv.DictReader((site / "api/v1" / f"{address(board)}.csv").read_text(encoding="utf-8").splitlines())
        as_csv = {row["id"]: (row["rank_low"], row["rank_high"]) for row in table}
        as_json = {row["id"]: row["rank_interval"] for row in document(site, f"{address(board)}.json")["submissions"]}
        bounds_by_id = {entry.id: bounds(board, entry) for entry in board.all_entries}
        assert as_json == {
            name: list(rank_bounds) if rank_bounds else None for name, rank_bounds in bounds_by_id.items()
        }
        assert as_csv == {
            name: (str(entry_bounds[0]), str(entry_bounds[1])) if entry_bounds else ("", "")
            for name, entry_bounds in bounds_by_id.items()
        }


def test_the_last_release_and_its_news_have_the_same_ranks(site: Path, boards: list[Board]) -> None:
    day = max(release["date"] for release in document(site, "releases.json")["releases"])
    last_release = document(site, f"releases/{day}.json")
    locked = {f"{board['benchmark']}/{board['track']}": board["rows"] for board in last_release["boards"]}
    items = json.loads((site / "feed.json").read_text(encoding="utf-8"))["items"]
    news = " ".join(item["content_text"] for item in items if item["date_published"].startswith(day))
    for board in boards:
        bounds_by_id = {entry.id: bounds(board, entry) for entry in board.all_entries}
        assert {row["id"]: row["rank_interval"] for row in locked[address(board)]} == {
            name: list(rank_bounds) if rank_bounds else None for name, rank_bounds in bounds_by_id.items()
        }
        snapshot = page(site, f"changelog/{day}/{address(board)}").cssselect("table[data-snapshot] tbody tr")
        ranks = {entry.id: rank(board, entry) for entry in board.all_entries}
        assert {row.get("data-row"): text(row[0]) for row in snapshot} == ranks
        for event in (
            event for event in last_release["events"] if f"{event['benchmark']}/{event['track']}" == address(board)
        ):
            shown_ranks = re.findall(rf"{re.escape(event['agent'])}: rank \S+ → ([^\s,;.]+)", news)
            assert ranks[event["submission"]] in shown_ranks


def test_a_board_in_a_release_names_its_benchmark_metric_and_intervals(site: Path, boards: list[Board]) -> None:
    day = max(release["date"] for release in document(site, "releases.json")["releases"])
    for board in boards:
        shown = page(site, f"changelog/{day}/{address(board)}")
        assert text(shown.cssselect(".sg-name")[0]) == f"{board.benchmark.title}, {board.track.title}"
        assert [text(crumb) for crumb in shown.cssselect(".sg-crumbs li")] == ["Changelog", day]
        (lead,) = [text(line) for line in shown.cssselect(".sg-head p") if "Ranked by" in text(line)]
        cells = shown.cssselect("table[data-snapshot] td.sg-main")
        assert {cell.get("data-label") for cell in cells} == {
            lead.removeprefix("Ranked by ").partition(" (")[0].partition(";")[0].rstrip(".")
        }
        for cell in cells:
            intervals = [text(about) for about in cell.cssselect(".sg-about")]
            assert intervals == [cell.get("title", "").rpartition(": ")[2]] * bool(cell.get("title"))
