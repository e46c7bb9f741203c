"""Every two rows of a board as one small file: what the page that compares rows loads.

Pairs stand in lists, one item a pair, in the order of `HeadToHead.pairs`. Differences are rounded as pages show them:
more digits would make the file of a large board several times as long, and chance decides them.
"""

from collections.abc import Mapping, Sequence

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import Json
from sitegen.board.headtohead import FINDINGS, HeadToHead
from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric
from sitegen.metrics.verdicts import RULES, VerdictRule
from sitegen.models.outcome import RoundResult, State

PASSED, LOST, MISSING, EXCLUDED = "p", "k", "m", "x"
STATES: Mapping[State, str] = {
    "scored": "f",
    "no_cases": "n",
    "aborted": "a",
    "unreached": "u",
    "fast_forwarded": "w",
    "excluded": EXCLUDED,
}
"""Letter of a round that did not pass, by its state; where several attempts count, the state first named here."""

ROUND_LETTERS: Mapping[str, str] = {
    PASSED: "passed",
    LOST: "passed, but not every round before it",
    **{letter: "failed" if state == "scored" else state for state, letter in STATES.items()},
    MISSING: "no record",
}
"""What the letters of rounds say."""

_ORDER = list(STATES)


def comparison_file(board: Board) -> Json:
    """Give the document that compares every two rows of a board."""
    found = HeadToHead(board)
    metrics = (board.headline, *(metric for metric in board.columns if metric is not board.headline))
    rule = board.verdicts.rule
    counts = _attempt_counts(board)
    return {
        "schema": 1,
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "metrics": [_about(metric) for metric in metrics],
        "findings": {letter: finding._asdict() for letter, finding in FINDINGS.items()},
        "rule": rule,
        "rule_in_words": RULES[rule],
        "round_letters": dict(ROUND_LETTERS),
        "attempts": counts,
        "tasks": [
            {"id": task.id, "title": task.name, "rounds": [each.n for each in task.rounds]}
            for task in board.tasks.tasks
        ],
        "rows": [_row(board, entry, counts) for entry in found.rows],
        "pairs": {
            "standing": "".join(found.standing(*pair) for pair in found.pairs),
            "differences": {metric.id: _differences(found, metric) for metric in metrics},
            "rounds": _counts(found),
        },
    }


def round_letters(board: Board, entry: Entry, attempts: int) -> str:
    """Say how each round of a board's tasks went for a submission, one letter a round: see `ROUND_LETTERS`.

    Args:
        board: The board.
        entry: A row of it that has results.
        attempts: How many of its attempts count.
    """
    if not entry.sheet:
        return ""
    tried = _tried(entry.sheet, attempts, board.verdicts.rule)
    verdicts = iter(board.verdicts.verdicts(entry.id, attempts).tolist())
    places = ((task.id, each.n) for task in board.tasks.tasks for each in task.rounds)
    return "".join(_letter(verdict == 1, tried.get(place)) for place, verdict in zip(places, verdicts, strict=True))


def _tried(sheet: Sheet, attempts: int, rule: VerdictRule) -> dict[tuple[str, int], Sequence[RoundResult | None]]:
    """Find the records that decide each round's verdict; a round that is excluded has none."""
    found: dict[tuple[str, int], Sequence[RoundResult | None]] = {}
    for grid in sheet.tasks:
        rows = [grid.reference] if rule == "reference" else grid.results[: attempts if rule == "kept" else 1]
        for number, records in zip(grid.rounds, zip(*rows, strict=True), strict=True):
            found[grid.task.id, number] = records
    return found


def _letter(passed: bool, records: Sequence[RoundResult | None] | None) -> str:  # noqa: FBT001 - a verdict
    if records is None:
        return EXCLUDED
    if passed:
        return PASSED
    known = [each for each in records if each]
    if len(known) < len(records):
        return MISSING
    if any(each.solved for each in known):
        return LOST
    return STATES[min((each.state for each in known), key=_ORDER.index)]


def _attempt_counts(board: Board) -> list[int]:
    """Give the numbers of attempts that rows are compared on, from the smallest.

    Two rows are compared on as many attempts as both made, so that one that made more is looked at on fewer, too.
    """
    made = sorted({entry.sheet.made for entry in board.all_entries if entry.sheet})
    return made if board.verdicts.rule == "kept" else made[:1]


def _row(board: Board, entry: Entry, counts: Sequence[int]) -> Json:
    """Give a row; `rounds` has the letters of its rounds for each number of attempts that it made."""
    made = entry.sheet.made if entry.sheet else 0
    return {
        "id": entry.id,
        "name": entry.agent.name,
        "status": entry.status.state,
        "evidence": entry.evidence,
        "rounds": [round_letters(board, entry, count) for count in counts if count <= made],
    }


def _about(metric: Metric) -> Json:
    return {"id": metric.id, "unit": metric.unit, "direction": metric.direction, "decimals": metric.decimals}


def _differences(found: HeadToHead, metric: Metric) -> Json:
    apart = found.differences[metric.id]
    known = [apart.get((first.id, second.id)) for first, second in found.pairs]
    return {
        "standing": "".join(found.letter(metric, *pair) for pair in found.pairs),
        "value": [_shown(each.value, metric) if each else None for each in known],
        "low": [_shown(each.interval.low, metric) if each else None for each in known],
        "high": [_shown(each.interval.high, metric) if each else None for each in known],
    }


def _shown(value: float, metric: Metric) -> float:
    """Round a difference to the digits that pages show; no number is less than 0 by its sign alone."""
    return round(value, metric.decimals or None) or 0


def _counts(found: HeadToHead) -> Json:
    counts = [found.rounds(*pair) for pair in found.pairs]
    return {
        "both": [each and each.both for each in counts],
        "only_first": [each and each.only_first for each in counts],
        "only_second": [each and each.only_second for each in counts],
        "neither": [each and each.neither for each in counts],
        "p": [each and each.p for each in counts],
    }
