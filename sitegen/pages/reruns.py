"""Sentences on rerunning a submission: the margin, and how often honest reruns pass."""

from collections.abc import Iterator, Sequence

from sitegen.board import Board, Entry
from sitegen.board.inference.rerun_odds import rerun_terms
from sitegen.board.reproduction import RerunTerms
from sitegen.board.wording import number_text
from sitegen.metrics.generalizability import averages_attempts
from sitegen.metrics.reruns import HONEST_PASS_RATE, MAX_ALIKE_SHARE

_RARE = 0.01
"""Shares closer than this to 0 or 1 are written as "less than 1 %" or "more than 99 %"."""

_WANTED_TEXT = f"{100 * HONEST_PASS_RATE:.0f} %"


def rerun_sentences(board: Board, entry: Entry) -> list[str]:
    """Return sentences on the margin for reproducing a row, and how often honest reruns meet it."""
    terms = rerun_terms(board, entry)
    if terms is None:
        return []
    return list(_sentences(board, terms))


def _sentences(board: Board, terms: RerunTerms) -> Iterator[str]:
    margin = margin_text(board, terms.margin)
    condition = (
        f"A rerun counts as a reproduction if it is shown to score within {margin} of the original"
    )
    if terms.chance is None or terms.chance_range is None:
        yield f"{condition}."
        yield _unknown_chance_sentence(board, terms)
    elif terms.is_widened:
        fixed_margin = margin_text(board, terms.fixed)
        chance = chance_text(terms.chance_at_fixed or 0.0)
        reason = f"the smallest margin an honest rerun would pass {_WANTED_TEXT} of the time"
        yield f"{condition}, {reason}, judging by {terms.source}."
        yield f"With the usual margin of {fixed_margin}, it would pass {chance} of the time."
    else:
        yield f"{condition}."
        if is_almost_certain(terms):
            clause = f"would pass {spread_text(terms)} of the time"
        else:
            clause = f"would pass {chance_text(terms.chance)} of the time ({spread_text(terms)})"
        yield f"An honest rerun of this agent {clause}, judging by {terms.source}."
        if terms.is_out_of_reach:
            yield _out_of_reach_sentence(board, terms)
    if terms.pairs and not terms.is_out_of_reach:
        yield _other_agents_sentence(terms)
    if terms.has_leak:
        yield "A leak affects these runs, so part of their difference may not be noise."


def margin_text(board: Board, margin: float) -> str:
    """Return a margin with its unit."""
    unit = " points" if board.headline.unit in {"percent", "points"} else ""
    return f"{number_text(margin, board.headline.decimals)}{unit}"


def chance_text(chance: float) -> str:
    """Return a share in whole percent, but never as 0 or 100 %."""
    if chance < _RARE:
        return "less than 1 %"
    if chance > 1 - _RARE:
        return "more than 99 %"
    return f"{100 * chance:.0f} %"


def _out_of_reach_sentence(board: Board, terms: RerunTerms) -> str:
    """Return a sentence on why no margin lets honest reruns pass and different agents fail."""
    wanted_margin = margin_text(board, terms.wanted or 0.0)
    alike_pairs = terms.alike_pairs_at_wanted
    if alike_pairs and alike_pairs >= MAX_ALIKE_SHARE * terms.pairs:
        reason = f"so would {alike_pairs:,} of {terms.pairs:,} pairs of different agents"
        if terms.pairs == 1:
            reason = "so would the two agents on this board"
    elif terms.zero_could_pass:
        reason = "that is more than half the score, so a rerun without any success could pass"
    else:
        reason = "there is no other agent to show that this margin separates agents"
    return (
        "This board has too few tasks for a rerun to reach “reproduced”: "
        f"with a margin of {wanted_margin}, an honest rerun would pass {_WANTED_TEXT} of the time, "
        f"but {reason}."
    )


def _other_agents_sentence(terms: RerunTerms) -> str:
    """Return a sentence on how many pairs of different agents would pass."""
    if terms.pairs == 1:
        verb = "also pass" if terms.alike_pairs else "not pass"
        return f"The two agents on this board would {verb}."
    pairs = f"{terms.pairs:,} pairs of different agents on this board"
    if not terms.alike_pairs:
        return f"None of the {pairs} would pass."
    return f"{terms.alike_pairs:,} of {pairs} would also pass."


def _unknown_chance_sentence(board: Board, terms: RerunTerms) -> str:
    """Return a sentence on why run-to-run variation is unknown, and what an assumption implies."""
    reason = "no agent on this board attempted these tasks twice"
    if board.track.attempts > 1 and not averages_attempts(board.headline):
        title = board.headline.title_on(board.track, board.benchmark)
        reason = f"{title} is not a mean over attempts"
    sentence = f"How often an honest rerun would pass is unknown, because {reason}"
    if terms.chance_if_like_agents is None:
        return f"{sentence}."
    return (
        f"{sentence}; if two runs of one agent differed as much as the median pair of agents "
        f"here, {chance_text(terms.chance_if_like_agents)} of reruns would pass."
    )


def is_almost_certain(terms: RerunTerms) -> bool:
    """Return whether an honest rerun passes nearly always, or nearly never, over its range."""
    low, high = terms.chance_range or (0.0, 1.0)
    return low > 1 - _RARE or high < _RARE


def spread_text(terms: RerunTerms) -> str:
    """Return the approximate range of an honest rerun's chance of passing."""
    low, high = terms.chance_range or (0.0, 1.0)
    if is_almost_certain(terms):
        return chance_text(low if low > 1 - _RARE else high)
    return f"roughly {100 * low:.0f} to {100 * high:.0f} %"


def known_terms(board: Board, entries: Sequence[Entry]) -> list[tuple[Entry, RerunTerms]]:
    """Return the submissions for which the variation between runs is known, with their terms."""
    terms_by_entry = []
    for entry in entries:
        terms = rerun_terms(board, entry)
        if terms is not None and terms.chance is not None:
            terms_by_entry.append((entry, terms))
    return terms_by_entry


def rerun_cells(board: Board, terms: RerunTerms) -> list[str]:
    """Return table cells: the margin, how often reruns and other pairs pass, the wanted margin."""
    decimals = board.headline.decimals
    if is_almost_certain(terms):
        chance = spread_text(terms)
    else:
        chance = f"{chance_text(terms.chance or 0.0)} ({spread_text(terms)})"
    return [
        number_text(terms.margin, decimals),
        chance,
        f"{terms.alike_pairs:,} of {terms.pairs:,}",
        number_text(terms.wanted or 0.0, decimals),
        f"{terms.alike_pairs_at_wanted:,} of {terms.pairs:,}",
    ]
