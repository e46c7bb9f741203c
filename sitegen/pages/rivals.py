"""A submission compared with other rows of its board, one pair at a time."""

from collections.abc import Iterable, Mapping
from typing import Any

from sitegen.board import GAP, Board, Entry
from sitegen.board.inference.board_inference import PairOrder
from sitegen.board.inference.comparison import Comparison, comparisons
from sitegen.board.wording import number_text
from sitegen.metrics.likeness import VerdictRule, rule_sentence
from sitegen.pages import labels

_MAX_RIVALS_EACH_SIDE = 60
"""Number of rows before and after a submission that its page compares."""

_ORDER_TEXTS: Mapping[PairOrder, str] = {
    "ahead": "likely ahead",
    "behind": "likely behind",
    "cannot tell": "cannot tell",
}

_MIN_P_VALUE = 0.001
"""Smaller p-values are written as "< 0.001"."""


def rivals_of(board: Board, entry: Entry) -> Mapping[str, Any] | None:
    """Return a submission compared with other rows; None if it is alone, or has no rank."""
    if entry.id not in board.ranks:
        return None
    ranked = board.ranked_entries
    index = ranked.index(entry)
    ahead = ranked[max(0, index - _MAX_RIVALS_EACH_SIDE) : index]
    behind = ranked[index + 1 : index + 1 + _MAX_RIVALS_EACH_SIDE]
    comparisons_shown = comparisons(board, entry, [*ahead, *behind])
    if not comparisons_shown:
        return None
    rules = {comparison.rounds.rule for comparison in comparisons_shown if comparison.rounds}
    rows = [_rival(board, comparison) for comparison in comparisons_shown]
    return {
        "rule": describe_rules(board, sorted(rules)),
        "rows": rows,
        "left_out": len(ranked) - 1 - len(rows),
    }


def describe_rules(board: Board, rules: Iterable[VerdictRule]) -> str:
    """Return sentences on when a round counts as passed, without "first" for single attempts."""
    if board.track.attempts == 1:
        rules = [rule for rule in rules if rule != "first"]
    round_word = labels.rounds_word(board.benchmark)
    return " ".join(rule_sentence(rule, round_word) for rule in rules)


def _rival(board: Board, comparison: Comparison) -> Mapping[str, Any]:
    """Return the comparison of a row with a submission: as a single pair, and among all pairs."""
    return {
        "entry": comparison.second,
        "agent": board.names[comparison.second.id],
        "order_text": _ORDER_TEXTS[comparison.alone.order],
        **difference_texts(board, comparison),
        "on_board": comparison.on_board,
        "rounds": comparison.rounds,
    }


def difference_texts(board: Board, comparison: Comparison) -> Mapping[str, str]:
    """Return two rows' difference, its interval, its p-value and the number of tasks needed."""
    if not comparison.difference:
        return {"difference": GAP, "interval": GAP, "p": GAP, "tasks": GAP}
    paired = comparison.difference.paired
    decimals = board.headline.decimals
    p_value = f"{paired.p:.3f}"
    if paired.p < _MIN_P_VALUE:
        p_value = f"< {_MIN_P_VALUE}"
    return {
        "difference": number_text(paired.value, decimals, "+"),
        "interval": labels.interval_text(paired.interval, decimals),
        "p": p_value,
        "tasks": GAP if paired.needed_tasks is None else f"{paired.needed_tasks:,}",
    }
