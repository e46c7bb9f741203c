"""Numbers on pages agree with their nouns and verbs, on boards of none, one, two and several of everything."""

import pickle
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.boards import board, bundle, called, table, track
from kit.findings import finding, with_findings
from kit.number_agreement import slips, texts_on
from kit.rendered_pages import TEMPLATES, all_pages
from kit.result_grids import records
from lxml import html

from sitegen.board.board import Board
from sitegen.board.history.changes import board_changes
from sitegen.board.history.changes_report import Changes, as_text
from sitegen.board.history.ledger import make_ledger
from sitegen.board.history.releases import lock_boards
from sitegen.board.history.revisions import rerun_words, word_for_reruns
from sitegen.models.benchmark import RoundName
from sitegen.models.outcome import RoundResult
from sitegen.models.release import Release
from sitegen.pages.site import SiteContent, generated_fragments
from sitegen.problems import Noun, agreeing, counted, part_of, plural

COLUMNS = {
    "chain": ("dataset_score", "perfect_tasks", "avg_rounds", "case_score", "cost_per_round"),
    "fail-stop": ("mt_at_k", "sr", "comp", "avg_turns"),
    "once": ("resolved", "completion", "cost_per_round"),
}
MARKS = ("##.#.##..#.#..##", "#..#.#.#........", "........#.......", "################", "#.#.............")
FINDINGS = (
    finding("A slip", effect="exclude", tasks=("a",), rounds=(1,)),
    finding("A remark", kind="note"),
)

SIZES = (
    (0, 1, 1, 1, 0),
    (0, 2, 2, 1, 1),
    (0, 6, 1, 2, 2),
    (1, 1, 1, 1, 0),
    (1, 1, 2, 2, 1),
    (1, 2, 1, 2, 0),
    (1, 6, 2, 1, 2),
    (2, 1, 1, 2, 2),
    (2, 1, 2, 1, 0),
    (2, 2, 2, 2, 0),
    (2, 6, 1, 2, 1),
    (5, 1, 2, 2, 0),
    (5, 2, 1, 1, 1),
    (5, 6, 2, 2, 0),
)
"""Numbers of submissions, tasks, rounds of each task, attempts, and published rows."""

OTHER_WORDS = re.compile(r".{0,60}\b(?:rounds?|matrixe?s)\b.{0,30}", re.IGNORECASE)
NAMES = re.compile(r"\brounds\.(?:csv|jsonl?|parquet)\b|\bAvg Rounds\b")
"""Names of files, and what a paper calls a metric."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def results(number: int, tasks: int, rounds: int, attempts: int) -> Iterator[RoundResult]:
    """Yield the records of a submission, also from the reference state."""
    marks = MARKS[number] * 2
    for task_index, name in zip(range(tasks), "abcdef", strict=False):
        for attempt in range(1, attempts + 1):
            start = 3 * task_index + attempt
            effort: dict[str, Any] = {"cost_usd": 0.5, "turns": 3 + number}
            yield from records(name, marks[start : start + rounds], attempt, **effort)
        yield from records(name, marks[task_index : task_index + rounds], 1, "reference")


def made(home: Path, protocol: str, size: Sequence[int]) -> Board:
    submissions, tasks, rounds, attempts, published = size
    columns = COLUMNS[protocol]
    on = track(
        protocol=protocol,
        headline=columns[0],
        columns=columns,
        attempts=attempts,
        reference_rounds=protocol == "fail-stop",
    )
    bundles = []
    for number in range(submissions):
        round_results = list(results(number, tasks, rounds, attempts))
        counted_results = [
            round_result for round_result in round_results if round_result.start == "own" or protocol == "fail-stop"
        ]
        bundles.append(replace(bundle(f"agent-{number}", found=counted_results), path=home))
    rows = [{"id": f"printed-{n}", "values": {columns[0]: 40 + n}} for n in range(published)]
    tables = [table(*rows)] if rows else []
    return board(*bundles, on=on, rounds=(rounds,) * tasks, tables=tables)


def texts(before: Board, after: Board) -> Iterator[tuple[str, str]]:
    """Yield every text that is made of a board and of what changed on it, each with its place."""
    releases: list[Release] = []
    for day, released_board in ((1, before), (8, after)):
        releases.append(lock_boards([[released_board]], {}, date(2026, 7, day), "", "1.0"))
    for page in all_pages([after], releases=releases):
        yield from ((page.address, text) for text in (page.description, *texts_on(page.content)))
    site_content = SiteContent(make_ledger(releases, [[after]], "1.0"), {"mini": []}, ())
    for fragment in generated_fragments(site_content, TEMPLATES):
        yield from ((fragment.address, text) for text in texts_on(f"<main>{fragment.content}</main>"))
    for line in as_text(Changes(board_changes([before], [after]))):
        yield "sitegen diff", line


@pytest.mark.parametrize("protocol", COLUMNS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: "-".join(map(str, size)))
def test_numbers_agree_with_their_nouns_and_verbs(home: Path, protocol: str, size: Sequence[int]) -> None:
    submissions, tasks, rounds, attempts, published = size
    after = made(home, protocol, size)
    fewer = (max(submissions - 1, 0), tasks, rounds, attempts, max(published - 1, 0))
    before = made(home, protocol, fewer)
    addresses_by_slip: dict[str, str] = {}
    for then, current in ((before, after), (after, with_findings(after, *FINDINGS))):
        for address, text in texts(then, current):
            addresses_by_slip |= dict.fromkeys(slips(text), address)
    assert addresses_by_slip == {}


def without_definitions(board: Board, text: str) -> str:
    """Leave out what metrics mean on any board, and names that no benchmark chooses."""
    for metric in board.metrics.values():
        sentence = metric.definition.sentence
        text = text.replace(sentence, "").replace(f"{sentence[0].lower()}{sentence[1:]}", "")
    return NAMES.sub("", text)


def other_words(board: Board) -> dict[str, str]:
    """Return what pages say of rounds in other words than the benchmark's, each with its page."""
    slipped: dict[str, str] = {}
    for page in all_pages([board]):
        tree = html.fromstring(page.content)
        for section in tree.xpath("//*[@id='compute']"):  # on files that are alike for all boards
            section.drop_tree()
        for text in (page.description, *texts_on(html.tostring(tree, encoding="unicode"))):
            for wording in OTHER_WORDS.findall(without_definitions(board, text)):
                slipped[wording] = page.address
    return slipped


@pytest.mark.parametrize("protocol", COLUMNS)
@pytest.mark.parametrize("size", [(0, 6, 2, 2, 2), (1, 2, 2, 2, 1), (5, 6, 2, 2, 0)], ids=lambda size: f"{size[0]}")
def test_rounds_are_called_as_the_benchmark_calls_them(home: Path, protocol: str, size: Sequence[int]) -> None:
    """In every sentence that is made of results, by a word whose plural is not made with an s."""
    name = RoundName(one="Matrix", many="Matrices")
    matrices = called("mini", made(home, protocol, size), round_name=name)
    by_number = finding("Early ones", kind="note", rounds=(1,))
    assert other_words(with_findings(matrices, *FINDINGS, by_number)) == {}


def test_news_of_rounds_that_were_run_again_have_the_plural_of_the_benchmark() -> None:
    matrix = Noun("matrix", "matrices")
    assert rerun_words(3, 48, word_for_reruns(matrix), ("54.2", "60.4")) == "3 of 48 matrices run again: 54.2 to 60.4"
    assert rerun_words(3, 48, word_for_reruns("task"), ("1", "2")) == "3 of 48 rounds run again: 1 to 2"


def test_a_noun_knows_its_plural_wherever_it_goes() -> None:
    matrix = Noun("Matrix", "Matrices").lower()
    for noun in (matrix, deepcopy(matrix), pickle.loads(pickle.dumps(matrix))):  # noqa: S301 - dumped here
        assert (noun, plural(noun), counted(2, noun)) == ("matrix", "matrices", "2 matrices")
    assert counted(1, matrix) == "1 matrix"
    assert part_of(1, 3, matrix.with_adjective("failed")) == "1 of 3 failed matrices"


@pytest.mark.parametrize(
    "text",
    [
        "1 rows",
        "2 row",
        "1 of 13 row has a rank of its own",
        "1 of 13 rows have a rank of their own",
        "3 of 13 rows has another score",
        "3 tasks is below 0",
        "1 task are below 0",
        "1 of 1 pair of neighbouring agents differs clearly.",
        "All 1 values",
        "0 of 1 round passed.",
    ],
)
def test_a_slip_is_found(text: str) -> None:
    assert list(slips(text))


@pytest.mark.parametrize(
    "text",
    [
        "1 row",
        "2 rows",
        "1 of 13 rows has a rank of its own",
        "3 of 13 rows have another score",
        "1 task is below 0",
        "1 of 1 task · 2 rounds",
        "Each of 2 tasks was finished",
        "Each of the 2 tasks was finished",
        "1 of 3 pairs of neighbouring agents differs clearly",
        "None of the 4 failed cases have a message",
        "at least one of 4 attempts passes",
        "5 rank ranges are one rank wider",
        "ranks 2–1 rows",
    ],
)
def test_what_agrees_is_no_slip(text: str) -> None:
    assert list(slips(text)) == []


@pytest.mark.parametrize(
    ("number", "total", "expected_phrase"),
    [(0, 1, "no row"), (1, 1, "the only row"), (1, 13, "1 of 13 rows"), (0, 2, "0 of 2 rows")],
)
def test_a_part_of_a_single_thing_is_the_only_one_or_none(number: int, total: int, expected_phrase: str) -> None:
    assert part_of(number, total, "row") == expected_phrase


def test_a_verb_goes_with_its_number() -> None:
    assert [agreeing(number, "is", "are") for number in (0, 1, 2)] == ["are", "is", "are"]
