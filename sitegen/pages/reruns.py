"""What pages say of running a submission again: the margin, and how often honest reruns pass."""

from collections.abc import Sequence

from sitegen.board.answers.answer import number_text
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.reproduction import RerunTerms
from sitegen.board.rerun_odds import rerun_terms
from sitegen.metrics.generalizability import averages_attempts
from sitegen.metrics.reruns import MOST_ALIKE, WANTED

_RARE = 0.01
"""A share below it, or as near to 1, is not written as 0 or 100 %."""

_WANTED_TEXT = f"{100 * WANTED:.0f} %"


def rerun_sentences(board: Board, entry: Entry) -> list[str]:
    """Say within which margin a rerun counts as reproduced, and how often an honest one would."""
    terms = rerun_terms(board, entry)
    if terms is None:
        return []
    margin = margin_text(board, terms.margin)
    asked = f"A rerun counts as reproduced where both scores are shown to be within {margin}"
    if terms.chance is None or terms.spread is None:
        sentences = [f"{asked}.", _unknown(board, terms)]
    elif terms.is_widened:
        fixed, chance = margin_text(board, terms.fixed), chance_text(terms.chance_at_fixed or 0.0)
        why = f"the smallest margin that an honest rerun passes {_WANTED_TEXT} of the time"
        sentences = [
            f"{asked}, {why}, judging by {terms.source}.",
            f"Within the usual {fixed} it would pass {chance} of the time.",
        ]
    else:
        sentences = [f"{asked}.", *_known(board, terms)]
    if terms.pairs and not terms.is_out_of_reach:
        sentences.append(_alike(terms))
    if terms.has_leak:
        sentences.append(
            "A leak is known of these runs, so that part of their difference may not be luck."
        )
    return sentences


def margin_text(board: Board, margin: float) -> str:
    """Write a margin with its unit."""
    unit = " points" if board.headline.unit in {"percent", "points"} else ""
    return f"{number_text(margin, board.headline.decimals)}{unit}"


def chance_text(chance: float) -> str:
    """Write a share in whole percent; never 0 or 100 for one that is not."""
    if chance < _RARE:
        return "less than 1 %"
    if chance > 1 - _RARE:
        return "more than 99 %"
    return f"{100 * chance:.0f} %"


def _known(board: Board, terms: RerunTerms) -> list[str]:
    """Say how often an honest rerun passes, where something says how much runs differ."""
    chance, wanted = chance_text(terms.chance or 0.0), margin_text(board, terms.wanted or 0.0)
    passes = f"An honest rerun of this agent would pass {chance} of the time ({spread_text(terms)})"
    passes += f", judging by {terms.source}."
    if not terms.is_out_of_reach:
        return [passes]
    if terms.alike_at_wanted and terms.alike_at_wanted >= MOST_ALIKE * terms.pairs:
        reason = f"so would {terms.alike_at_wanted:,} of {terms.pairs:,} pairs of different agents"
        if terms.pairs == 1:
            reason = "so would the two agents on this board"
    elif terms.passes_nothing:
        reason = (
            "that is more than half of the score, so that a rerun without any success could pass"
        )
    else:
        reason = "there is no other agent to show that this margin tells agents apart"
    cut = (
        "This board has too few tasks for a rerun to show “reproduced”: "
        f"within {wanted} it would pass {_WANTED_TEXT} of the time, but {reason}."
    )
    return [passes, cut]


def _alike(terms: RerunTerms) -> str:
    """Say how many pairs of different agents would pass."""
    pairs = "pairs of different agents on this board"
    if terms.pairs == 1:
        return f"The two agents on this board would {'pass, too' if terms.alike else 'not pass'}."
    if not terms.alike:
        return f"None of the {terms.pairs:,} {pairs} would pass."
    return f"{terms.alike:,} of {terms.pairs:,} {pairs} would pass, too."


def _unknown(board: Board, terms: RerunTerms) -> str:
    """Say that nothing says how much runs differ, and what would follow from an assumption."""
    why = "no agent here tried these tasks twice"
    if board.track.attempts > 1 and not averages_attempts(board.headline):
        why = f"{board.headline.title_on(board.track, board.benchmark)} is no mean over attempts"
    sentence = f"How often an honest rerun would pass is unknown, because {why}"
    if terms.assumed is None:
        return f"{sentence}."
    then = chance_text(terms.assumed)
    return f"{sentence}; if two runs of one agent differed as much as the median pair of agents here, {then} would."


def spread_text(terms: RerunTerms) -> str:
    """Write the range of the chance of an honest rerun, which is no exact interval."""
    low, high = terms.spread or (0.0, 1.0)
    if low > 1 - _RARE:
        return "surely above 99 %"
    if high < _RARE:
        return "surely below 1 %"
    return f"roughly {100 * low:.0f} to {100 * high:.0f} %"


def known_terms(board: Board, entries: Sequence[Entry]) -> list[tuple[Entry, RerunTerms]]:
    """Return the submissions of which something says how much runs differ, with what reruns are held against."""
    found = []
    for entry in entries:
        terms = rerun_terms(board, entry)
        if terms is not None and terms.chance is not None:
            found.append((entry, terms))
    return found


def rerun_cells(board: Board, terms: RerunTerms) -> list[str]:
    """Return the margin, how often honest reruns and other agents pass, and the same for the larger margin."""
    digits = board.headline.decimals
    return [
        number_text(terms.margin, digits),
        f"{chance_text(terms.chance or 0.0)} ({spread_text(terms)})",
        f"{terms.alike:,} of {terms.pairs:,}",
        number_text(terms.wanted or 0.0, digits),
        f"{terms.alike_at_wanted:,} of {terms.pairs:,}",
    ]
