"""What a board holds, in a line."""

from collections import Counter

from sitegen.board.board import Board
from sitegen.pages import labels
from sitegen.problems import counted


def facts(board: Board) -> str:
    """Say in a line what a board holds."""
    evidence = Counter(entry.evidence for entry in board.entries)
    parts = [counted(len(board.entries), "agent")]
    parts += extent(board)
    parts.append(counted(board.track.attempts, "attempt") + " per task")
    parts += [f"{number} {word}" for word, number in evidence.items()]
    if board.entries:
        parts.append(f"latest {max(entry.date for entry in board.entries)}")
    return " · ".join(parts)


def extent(board: Board) -> list[str]:
    """Say how many tasks and rounds count, of how many where findings take some out; nothing where there are none."""
    sizes = zip(board.counting, (len(board.tasks.tasks), board.tasks.rounds), strict=True)
    words = ("task", labels.rounds_word(board.benchmark))
    told = [
        counted(all_, word) if some == all_ else f"{some} of {counted(all_, word)}"
        for (some, all_), word in zip(sizes, words, strict=True)
    ]
    return told if board.tasks.tasks else []
