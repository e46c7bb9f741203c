"""What a board holds, in a line."""

from collections import Counter

from sitegen.board.board import Board
from sitegen.errors import counted
from sitegen.pages import labels


def facts(board: Board) -> str:
    """Say in a line what a board holds."""
    evidence = Counter(entry.evidence for entry in board.entries)
    parts = [counted(len(board.entries), "agent")]
    if board.tasks.tasks:
        word = labels.rounds_word(board.benchmark)
        parts += [counted(len(board.tasks.tasks), "task"), counted(board.tasks.rounds, word)]
    parts.append(counted(board.track.attempts, "attempt") + " per task")
    parts += [f"{number} {word}" for word, number in evidence.items()]
    if board.entries:
        parts.append(f"latest {max(entry.date for entry in board.entries)}")
    return " · ".join(parts)
