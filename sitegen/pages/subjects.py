"""What readers report problems about: rows, runs and rounds, with their ids and what pages show of them."""

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.pages import addresses, labels
from sitegen.pages.casebook import Casebook
from sitegen.pages.figures import score_text
from sitegen.pages.reports import Report


def row_report(board: Board, entry: Entry) -> Report:
    """Describe a row of a board: a submission, or a line of a published table."""
    score = entry.scores.get(board.headline.id)
    headline = labels.title_of(board.headline, board.track, board.benchmark)
    facts = {
        **_board_facts(board),
        "Submission": entry.id,
        "Agent": entry.agent.name,
        headline: score_text(score) if score else "",
        "Evidence": entry.evidence,
    }
    title = f"{entry.agent.name} on {board.benchmark.title}, {board.track.title}"
    return Report(title, addresses.entry_address(board.benchmark.id, board.track.id, entry.id), facts)


def run_report(book: Casebook, entry: Entry, words: str) -> Report:
    """Describe a submission's work on a task.

    Args:
        book: The task.
        entry: The submission.
        words: How the run went, as its page shows it.
    """
    board = book.records.board
    page = addresses.run_address(board.benchmark.id, board.track.id, entry.id, book.task.id)
    facts = {**_board_facts(board), "Submission": entry.id, "Task": book.task.id, "Shown": words}
    return Report(f"{entry.agent.name} on {book.task.name}", page, facts)


def run_round_report(book: Casebook, entry: Entry, attempt: int, number: int, page: str) -> Report:
    """Describe a round of a run.

    Args:
        book: The task.
        entry: The submission.
        attempt: Which of its attempts.
        number: The round.
        page: The address of the page that it is shown on.
    """
    word, run = book.records.board.benchmark.round_name, run_report(book, entry, "")
    tries = {"Attempt": str(attempt)} if book.records.board.track.attempts > 1 else {}
    return Report(f"{word} {number}, {run.title}", page, {**run.facts, **tries, word: str(number)})


def round_report(book: Casebook, number: int, page: str) -> Report:
    """Describe a round of a task in all submissions.

    Args:
        book: The task.
        number: The round.
        page: The address of the page that it is shown on.
    """
    board = book.records.board
    word = board.benchmark.round_name
    return Report(
        f"{word} {number} of {book.task.name}",
        page,
        {**_board_facts(board), "Task": book.task.id, word: str(number)},
    )


def _board_facts(board: Board) -> dict[str, str]:
    return {"Benchmark": board.benchmark.id, "Track": board.track.id}
