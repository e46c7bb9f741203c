"""What a maintainer asks first of a proposed change, in one line; and a pull request's text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sitegen.board.answers.answer import capitalized
from sitegen.board.board import Board
from sitegen.board.caveats import CAVEAT
from sitegen.board.changes import RowChange
from sitegen.board.changes_report import ChangeReport, Changes
from sitegen.board.differences import Value
from sitegen.board.entry import Entry
from sitegen.board.evidence import evidence_in
from sitegen.board.score import GAP, Score
from sitegen.models.results import Bundle
from sitegen.problems import counted, errors_of, listed

LONGEST = 300
"""Characters of a caveat."""

_MAX_ROWS = 3
"""Rows that are named; of more, only their number is given."""

_MAX_SCORES = 8
"""Scores of a row on a report's first screen."""

_MAX_RULES = 8
"""Rules with new problems on a report's first screen."""

FOLD = "<details><summary>All of the report</summary>"
"""The line from which a report is folded; `tools/comment.py` looks for it."""


def in_a_line(changes: Changes, wording: ChangeReport) -> str:
    """Return what a change adds, moves and touches, in one sentence.

    For example "Adds GLM-5.2 at rank 2–9; nobody's rank changes; nothing published changes."
    """
    rows: list[RowChange] = []
    for board in changes.boards:
        rows += board.rows
    new = [row for row in rows if row.kind == "new"]
    removed = [wording.quoted(row.agent) for row in rows if row.kind == "removed"]
    redactions = {redaction.id for redaction in changes.redactions}
    errors = errors_of(changes.new)
    caveats = [problem for problem in changes.new if problem.code == CAVEAT.code]
    warnings = len(changes.new) - len(caveats) - len(errors)
    touched = _touched(changes, wording)
    clauses = []
    if redactions:
        clauses.append(f"brings {counted(len(redactions), 'redaction')} of what is published")
    if new:
        clauses.append(f"adds {listed([_addition(row, wording) for row in new], _MAX_ROWS)}")
    if removed:
        clauses.append(f"removes {listed(removed, _MAX_ROWS)}")
    clauses.append(_rank_changes([row for row in rows if row.has_other_rank], wording))
    counts = {"new error": len(errors), "caveat": len(caveats), "new warning": warnings}
    clauses += [counted(number, noun) for noun, number in counts.items() if number]
    clauses += touched
    has_replaced = any(row.earlier for row in new)
    if not (touched or errors or removed or has_replaced):
        clauses.append("nothing published changes")
    return f"{capitalized('; '.join(clauses))}."


def _rank_changes(rows: Sequence[RowChange], wording: ChangeReport) -> str:
    """Return whose rank changes and how; the possible ranks of a row where its order is tested."""
    if not rows:
        return "nobody's rank changes"
    names = [wording.quoted(row.agent) for row in rows]
    turns = [f"from {_rank(row.rank.before)} to {_rank(row.rank.after)}" for row in rows]
    if len(rows) == 1:
        return f"{names[0]}'s rank changes {turns[0]}"
    clauses = [f"{name} {turn}" for name, turn in zip(names, turns, strict=True)]
    return f"ranks change: {listed(clauses, _MAX_ROWS)}"


def _addition(row: RowChange, wording: ChangeReport) -> str:
    """Return who is new, at which rank, and which row it replaces."""
    rank = "without a rank" if row.rank.after is None else f"at rank {_rank(row.rank.after)}"
    replaced = f" in the place of {wording.quoted(row.earlier)}" if row.earlier else ""
    return f"{wording.quoted(row.agent)} {rank}{replaced}"


def _rank(rank: Value) -> str:
    """Return a rank or a range of ranks as people read it: 5, 3–10, none."""
    return "none" if rank is None else str(rank).replace("-", GAP)


def opening(changes: Changes, entries: Iterable[tuple[Board, Entry]]) -> Iterator[str]:
    """Yield a report's first screen as Markdown.

    It says whose change it is and what moves, the scores of new rows beside their claims, and new
    problems by rule.
    """
    wording = ChangeReport(markdown=True)
    yield changes.request.written(lambda value: wording.quoted(value, LONGEST))
    yield ""
    yield in_a_line(changes, wording)
    yield ""
    new_ids: set[tuple[str, str, str]] = set()
    for board_change in changes.boards:
        new_rows = [row for row in board_change.rows if row.kind == "new"]
        new_ids.update((board_change.benchmark, board_change.track, row.id) for row in new_rows)
    new_entries = []
    for board, entry in entries:
        if (board.benchmark.id, board.track.id, entry.id) in new_ids:
            new_entries.append((board, entry))
    lines = [_scores_line(board, entry, wording) for board, entry in new_entries[:_MAX_ROWS]]
    if len(new_entries) > _MAX_ROWS:
        lines.append(f"- and {counted(len(new_entries) - _MAX_ROWS, 'more row')}")
    if changes.new:
        lines.append(_new_problems_line(changes, wording))
    if lines:
        yield from lines
        yield ""


def _scores_line(board: Board, entry: Entry, wording: ChangeReport) -> str:
    """Return the scores of a new row; those with claims come first, so that none is cut off."""
    shown = [score for score in entry.scores.values() if score.value is not None or score.claims]
    shown.sort(key=lambda score: not score.claims)
    texts = [_score_text(board, score, wording) for score in shown]
    track = wording.quoted(f"{board.benchmark.id}/{board.track.id}")
    scores = listed(texts, _MAX_SCORES, separator="; ")
    return f"- {wording.quoted(entry.agent.name)} on {track}: {scores}"


def _score_text(board: Board, score: Score, wording: ChangeReport) -> str:
    title = wording.quoted(score.metric.title_on(board.track, board.benchmark))
    if score.claim is None:
        return f"{title} {score.text}"
    return f"{title} {score.text}, claimed {score.claim.value} ({score.standing(score.claim)})"


def _new_problems_line(changes: Changes, wording: ChangeReport) -> str:
    """Return how many new problems there are by rule, errors first."""
    problems = sorted(changes.new, key=lambda problem: not problem.is_error)
    counts = Counter(problem.code for problem in problems)
    texts = [f"{number} of {wording.quoted(code)}" for code, number in counts.items()]
    return f"- New problems: {listed(texts, _MAX_RULES)}"


def folded(lines: Iterable[str]) -> Iterator[str]:
    """Yield what follows the first screen, folded."""
    yield from (FOLD, "", *lines, "</details>")


def _touched(changes: Changes, wording: ChangeReport) -> list[str]:
    """Return which published rows, definitions and findings differ, as clauses."""
    edited = []
    for board in changes.boards:
        rows = [row for row in board.rows if row.kind == "changed" and not row.is_moved_only]
        edited += [_edited_row(row, wording) for row in rows]
    redefined = [board for board in changes.boards if board.kind == "changed" and board.about]
    names = [wording.quoted(f"{board.benchmark}/{board.track}") for board in redefined]
    findings = sum(len(board.findings) for board in changes.boards)
    clauses = []
    if edited:
        clauses.append(f"changes {listed(edited, _MAX_ROWS)}")
    if names:
        boards = listed(names, _MAX_ROWS, separator="; ")
        clauses.append(f"changes definitions of {boards}")
    if findings:
        clauses.append(f"{counted(findings, 'finding')} new, changed or gone")
    return clauses


def _edited_row(row: RowChange, wording: ChangeReport) -> str:
    """Return the agent of a changed row, with its status where that is another one."""
    states = [f" ({change.after})" for change in row.about if change.name == "status.state"]
    return f"{wording.quoted(row.agent)}{''.join(states)}"


def pull_request(changes: Changes, rows: Sequence[tuple[Board, Entry]]) -> list[str]:
    """Return the text of a pull request that adds rows, as Markdown.

    It has scores, ranks, what is missing, and caveats.
    """
    wording = ChangeReport(markdown=True)
    lines = [in_a_line(changes, wording), ""]
    for board, entry in rows:
        lines += _row(board, entry, wording)
    return lines


def _row(board: Board, entry: Entry, wording: ChangeReport) -> Iterator[str]:
    """Yield a row's rank, its table of scores, its caveats, and what is missing."""
    possible_ranks = board.certainty.place(entry) or board.ranks.get(entry.id)
    rank = "without a rank"
    if possible_ranks is not None:
        rank = f"rank {_rank(possible_ranks)} of {len(board.ranks)}"
    track = wording.quoted(f"{board.benchmark.id}/{board.track.id}")
    yield f"### {wording.quoted(entry.agent.name)} on {track}: {rank}"
    yield ""
    yield "| metric | score | interval | claimed |"
    yield "| --- | ---: | --- | ---: |"
    for score in entry.scores.values():
        if score.value is not None or score.claims:
            yield _score_line(board, entry, score)
    yield ""
    if entry.bundle:
        caveats = entry.bundle.submission.caveats
        lines = [f"- {wording.quoted(caveat, LONGEST)}" for caveat in caveats]
        yield from _details("Caveats", lines)
        missing = _missing_evidence(board, entry, entry.bundle)
        yield from _details("What a reader could ask for and is not here, or in part", missing)


def _score_line(board: Board, entry: Entry, score: Score) -> str:
    """Return a score with its interval and its claim as a line of a table."""
    interval = board.certainty.interval(entry, score.metric.id)
    decimals = score.metric.decimals
    ends = GAP
    if interval:
        kind = interval.words.removesuffix(" interval")
        ends = f"{interval.low:.{decimals}f} to {interval.high:.{decimals}f} ({kind})"
    claim = GAP
    if score.claim:
        claim = f"{score.claim.value} ({score.standing(score.claim)})"
    title = score.metric.title_on(board.track, board.benchmark)
    return f"| {title} | {score.text} | {ends} | {claim} |"


def _missing_evidence(board: Board, entry: Entry, bundle: Bundle) -> list[str]:
    """Return the tasks without results, and the evidence that is not completely there."""
    lines = []
    if entry.coverage and entry.coverage.lack:
        lines.append(f"- {entry.coverage.lack}")
    for item, amount in evidence_in(board, entry, bundle):
        if amount.presence != "there":
            lines.append(f"- {item.title}: {amount.words}")
    return lines


def _details(title: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield lines folded under a title with their number; nothing where there are none."""
    if lines:
        summary = f"<details><summary>{title}: {len(lines)}</summary>"
        yield from (summary, "", *lines, "", "</details>", "")
