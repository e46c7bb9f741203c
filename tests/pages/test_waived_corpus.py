"""Every error that can be waived, waived: what is let pass can be shown."""

from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest
from corpus.entries import DAY, Entry, entries
from kit.rendered_pages import board_page, submission_page

from sitegen.board.row_problems import problems_in
from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.rules import rules_of_results
from sitegen.problems import errors_of

TEMPLATES = Templates(Path(__file__).parents[2] / "templates" / "pages")


def waivable(entry: Entry) -> list[str]:
    expected_problems = (problem for problem, _ in entry.expected)
    return sorted(
        {
            expected_problem.code
            for expected_problem in expected_problems
            if rules_of_results()[expected_problem.code].is_waivable
        }
    )


def kind(entry: Entry) -> tuple[str, ...]:
    """Of entries with the same codes, told of the same files, one is enough."""
    return (*waivable(entry), *sorted({Path(problem.place).name.partition(":")[0] for problem, _ in entry.expected}))


ENTRIES = {kind(entry): entry for entry in entries() if waivable(entry) and entry.before is None}.values()


def waive(tree: Path, codes: list[str]) -> None:
    """Record a waiver of each code, for every bundle."""
    for benchmark in (path.parent for path in tree.glob("*/benchmark.toml")):
        findings = benchmark / "findings.toml"
        text = findings.read_text(encoding="utf-8") if findings.exists() else "schema = 1\n"
        for code in codes:
            text += f'\n[[findings]]\ndate = 2026-06-26\nkind = "waiver"\ntitle = "Waived"\ncode = "{code}"\n'
            text += 'by = "Ann"\nreason = "seen"\n'
        findings.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda corpus_entry: corpus_entry.name)
def test_what_is_waived_is_shown_as_a_warning(entry: Entry, tmp_path: Path) -> None:
    """Of a bundle that can be read nothing stays an error, and its page tells the waiver if it needed one.

    Of the pages of sound bundles and boards, which are all alike, one is made.
    """
    tree, codes = entry.spoil(tmp_path), waivable(entry)
    waive(tree, codes)
    sound = 0
    for board, rows in groupby(evaluate(tree, entry.values.get("day", DAY)).entries(), key=itemgetter(0)):
        rows_with_problems = [
            (row, [problem for problem in problems_in(board, row) if problem.code in codes])
            for _, row in rows
            if row.bundle
        ]
        if not sound or any(waived for _, waived in rows_with_problems):
            assert board_page(board, TEMPLATES).content
        for row, waived in rows_with_problems:
            sound += not waived
            if waived or sound == 1:
                page = submission_page(BoardRecords(board), row, TEMPLATES).content
                assert not errors_of(waived)
                assert ('data-notice="waived"' in page) == bool(waived)
