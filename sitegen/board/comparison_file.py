"""Every two rows of a board as one small file: what the page that compares rows loads.

Pairs stand in lists, one item a pair, in the order of `HeadToHead.pairs`. Numbers are rounded as pages show them: more
digits would make the file of a large board several times as long, and chance decides them.
"""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten

from sitegen.board.board import Board
from sitegen.board.comparison import FINDINGS, HeadToHead, ScoreDifference, task_points
from sitegen.board.entry import Entry
from sitegen.board.export import Json
from sitegen.board.findings import Marked
from sitegen.board.outcomes_file import is_bare
from sitegen.metrics.likeness import RULES
from sitegen.metrics.metric import Metric
from sitegen.models.outcome import RoundResult, State
from sitegen.problems import grouped

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

_ORDER = list(STATES)

_SMALLEST, _DIGITS = 0.001, 3
"""The smallest p value that pages write, and the digits after its point."""

_LONGEST = 140
"""Letters of a case's name, and of its reason: the page of the run has the whole."""


def comparison_file(board: Board) -> Json:
    """Give the document that compares every two rows of a board."""
    found, rule, of_tasks = (
        HeadToHead(board),
        board.verdicts.rule,
        task_points(board, board.headline),
    )
    # Two rows are compared on as many attempts as both made, so that one that made more is looked at on fewer, too.
    made = sorted({entry.sheet.made for entry in board.all_entries if entry.sheet})
    counts = made if rule == "kept" else made[:1]
    both = ("both", "only_first", "only_second", "neither")
    rounds = [[getattr(found.rounds(*pair), name, None) for name in both] for pair in found.pairs]
    return {
        "schema": 1,
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "metrics": [
            {
                "id": each.id,
                "unit": each.unit,
                "direction": each.direction,
                "decimals": each.decimals,
                "interval": each.difference_interval_words,
            }
            for each in board.columns
        ],
        "findings": {letter: finding._asdict() for letter, finding in FINDINGS.items()},
        "rule": rule,
        "rule_in_words": RULES[rule],
        "round_letters": dict(ROUND_LETTERS),
        "attempts": counts,
        "tasks": [
            {"id": task.id, "title": task.name, "rounds": [each.n for each in task.rounds]}
            for task in board.tasks.tasks
        ],
        # Without `has_runs`, tasks of one round have no pages of their own: the row's page has a line for each.
        # `rounds` has the letters of a row's rounds for each number of attempts that it made. `points` is what each
        # task adds to the headline score, None where it does not count: exact, so that differences add up.
        # `single` has the rounds that fail by one case: their place, the cases that ran, the case and why.
        "rows": [
            {
                "id": entry.id,
                "name": entry.agent.name,
                "status": entry.status.state,
                "evidence": entry.evidence,
                "rounds": [
                    round_letters(board, entry, n)
                    for n in counts
                    if entry.sheet and n <= entry.sheet.made
                ],
                "has_runs": not is_bare(board, entry),
                "points": [points.get(task.id) for task in board.tasks.tasks]
                if (points := of_tasks.get(entry.id))
                else [],
                "single": list(_single_cases(board, entry))
                if rule != "kept" or counts == [1]
                else [],
            }
            for entry in found.rows
        ],
        "marks": [_mark(board, each) for each in board.marks.on_any_task()],
        "pairs": {
            "standing": "".join(found.standing(*pair) for pair in found.pairs),
            "on_board": "".join(found.on_board(*pair) for pair in found.pairs),
            "differences": {metric.id: _differences(found, metric) for metric in board.columns},
            "rounds": _by_name(both, rounds),
        },
    }


def round_letters(board: Board, entry: Entry, attempts: int) -> str:
    """How each round of a board went for a row, of so many attempts: a letter each, see `ROUND_LETTERS`."""
    if not entry.sheet:
        return ""
    tried = _tried(board, entry, attempts)
    verdicts = iter(board.verdicts.verdicts(entry.id, attempts).tolist())
    places = ((task.id, each.n) for task in board.tasks.tasks for each in task.rounds)
    return "".join(
        _letter(verdict == 1, tried.get(place))
        for place, verdict in zip(places, verdicts, strict=True)
    )


def _tried(
    board: Board, entry: Entry, attempts: int
) -> Mapping[tuple[str, int], Sequence[RoundResult | None]]:
    """The records that decide the verdict of each round, by task and round; an excluded round has none."""
    rule, found = board.verdicts.rule, {}
    for grid in entry.sheet.tasks if entry.sheet else ():
        rows = (
            [grid.reference]
            if rule == "reference"
            else grid.results[: attempts if rule == "kept" else 1]
        )
        for number, records in zip(grid.rounds, zip(*rows, strict=True), strict=True):
            found[grid.task.id, number] = records
    return found


def _single_cases(board: Board, entry: Entry) -> Iterator[tuple[int, int, str | None, str | None]]:
    """Find the rounds that did not pass for one case, in the attempt that decides them.

    Yields:
        The round's place among all of the board's, the cases that ran, and where the source names it, the case that
        failed and why.
    """
    results, before = _tried(board, entry, 1), 0
    for task in board.tasks.tasks:
        found = (
            (place, results.get((task.id, each.n), (None,))[0])
            for place, each in enumerate(task.rounds, before)
        )
        single = [
            (place, each) for place, each in found if each and not each.solved and each.failed == 1
        ]
        texts = entry.bundle.failures.of_task(task.id) if single and entry.bundle else ()
        for place, result in single:
            told = [
                each
                for each in texts
                if (each.attempt, each.round) == (result.attempt, result.round)
            ]
            case = told[0] if len(told) == 1 and told[0].status != "skipped" else None
            named = (case.intent or case.case, case.reason or case.actual) if case else (None, None)
            name, why = (text and shorten(text, _LONGEST, placeholder=" …") for text in named)
            yield place, (result.passed or 0) + 1, name, why
        before += len(task.rounds)


def _letter(passed: bool, records: Sequence[RoundResult | None] | None) -> str:  # noqa: FBT001 - a verdict
    if records is None:
        return EXCLUDED
    if passed:
        return PASSED
    known = list(filter(None, records))
    if len(known) < len(records):
        return MISSING
    return (
        LOST
        if any(each.solved for each in known)
        else STATES[min((each.state for each in known), key=_ORDER.index)]
    )


def _mark(board: Board, marked: Marked) -> Json:
    """Give a finding that concerns rounds: which, by task, and of which rows; of all where none is named."""
    rounds = grouped(
        (task, number) for (task, number), found in board.marks.by_round.items() if marked in found
    )
    rows = list(marked.finding.submissions)
    return {"id": marked.id, "title": marked.remarked_title, "rows": rows, "rounds": rounds}


def _differences(found: HeadToHead, metric: Metric) -> Json:
    """How far pairs lie apart, rounded to the digits that pages show; no number is below 0 by its sign alone."""

    def shown(difference: ScoreDifference | None) -> Sequence[float | None]:
        if difference is None:
            return (None,) * 5
        paired = difference.paired
        exact = (paired.value, paired.interval.low, paired.interval.high)
        numbers = [round(each, metric.decimals or None) or 0 for each in exact]
        return (
            *numbers,
            paired.p if paired.p < _SMALLEST else round(paired.p, _DIGITS),
            paired.tasks,
        )

    numbers = [
        shown(found.differences[metric.id].get((first.id, second.id)))
        for first, second in found.pairs
    ]
    standing = "".join(found.letter(metric, *pair) for pair in found.pairs)
    return {"standing": standing, **_by_name(("value", "low", "high", "p", "tasks"), numbers)}


def _by_name(names: Sequence[str], pairs: Sequence[Sequence[float | None]]) -> Json:
    """Make a list of each of the numbers that pairs have."""
    return {name: [numbers[place] for numbers in pairs] for place, name in enumerate(names)}
