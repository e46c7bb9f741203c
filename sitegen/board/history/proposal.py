"""A one-line summary of a proposed change for its maintainer, and the text of a pull request."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sitegen.board.board import Board, BoardEntry
from sitegen.board.caveats import CAVEAT
from sitegen.board.entry import Entry
from sitegen.board.evidence import evidence_in
from sitegen.board.history.changes import BoardChange, RowChange
from sitegen.board.history.changes_report import Changes, ChangeWriter
from sitegen.board.history.differences import Value
from sitegen.board.score import GAP, Score
from sitegen.board.wording import capitalized
from sitegen.models.results import Bundle
from sitegen.problems import counted, errors_of, gravest_first, listed, notes_of

LONGEST = 300
"""Maximum length of a caveat that is shown, in characters."""

_MAX_ROWS = 3
"""Maximum number of rows that are named; further rows are only counted."""

_MAX_SCORES = 8
"""Maximum number of a row's scores at the top of a report."""

_MAX_RULES = 8
"""Maximum number of rules with new problems that are named at the top of a report."""

FOLD = "<details><summary>The full report</summary>"
"""The line after which a report is folded; `tools/comment.py` looks for it."""


def in_a_line(changes: Changes, writer: ChangeWriter) -> str:
    """Return a sentence on what a change adds, moves and modifies.

    It includes ranks before and after, consequences for other rows, reruns and corrections, results
    that new rows lack, and the number of new caveats and problems. For example: "Adds GLM-5.2 at
    rank 2–9; no rank changes; nothing published changes."
    """
    rows: list[RowChange] = []
    for board in changes.boards:
        rows += board.rows
    new = [row for row in rows if row.kind == "new"]
    additions = [_addition(row, writer) for row in new]
    removed = []
    for row in rows:
        if row.kind == "removed":
            removed.append(writer.quoted(row.agent))
    moved: list[RowChange] = []
    for board in changes.boards:
        moved += _moved_rows(board)
    redactions = {redaction.id for redaction in changes.redactions}
    touched = _touched(changes, writer)
    withdrawals = [_withdrawal(row, writer) for row in rows if _is_withdrawn(row)]
    clauses = []
    if redactions:
        clauses.append(f"adds {counted(len(redactions), 'redaction')} of published content")
    if withdrawals:
        clauses.append(f"withdraws {listed(withdrawals, _MAX_ROWS)}")
    if additions:
        clauses.append(f"adds {listed(additions, _MAX_ROWS)}")
    if changes.embargoed:
        submissions = counted(len(changes.embargoed), "submission")
        clauses.append(f"adds {submissions} under embargo, whose scores are not shown yet")
    clauses += _facts_of_new_rows(new, writer)
    if removed:
        clauses.append(f"removes {listed(removed, _MAX_ROWS)}")
    clauses.append(_rank_changes(moved, writer))
    clauses += _problem_counts(changes)
    clauses += touched
    has_replaced = any(row.earlier for row in new)
    has_changes = touched or withdrawals or removed or has_replaced
    if not (has_changes or errors_of(changes.new)):
        clauses.append("nothing published changes")
    return f"{capitalized('; '.join(clauses))}."


def _problem_counts(changes: Changes) -> list[str]:
    """Return phrases with the number of new errors, caveats, warnings and other notes."""
    errors = errors_of(changes.new)
    caveats = [problem for problem in changes.new if problem.code == CAVEAT.code]
    notes = [problem for problem in notes_of(changes.new) if problem.code != CAVEAT.code]
    warnings = len(changes.new) - len(notes_of(changes.new)) - len(errors)
    counts = {
        "new error": len(errors),
        "caveat": len(caveats),
        "new warning": warnings,
        "new note": len(notes),
    }
    return [counted(number, noun) for noun, number in counts.items() if number]


def _facts_of_new_rows(rows: Sequence[RowChange], writer: ChangeWriter) -> list[str]:
    """Return a clause on what new rows revised, and a clause on what they lack, if not empty."""
    revised = []
    incomplete = []
    for row in rows:
        if row.revision:
            words = writer.quoted(row.revision, LONGEST)
            revised.append(f"{writer.quoted(row.agent)}: {words}")
        if row.missing:
            incomplete.append(f"{writer.quoted(row.agent)} has {row.missing}")
    return [listed(texts, _MAX_ROWS) for texts in (revised, incomplete) if texts]


def _moved_rows(board: BoardChange) -> Iterator[RowChange]:
    """Yield a board's rows whose rank changes; replaced and withdrawn rows are left out."""
    replaced = {row.earlier for row in board.rows if row.kind == "new"}
    for row in board.rows:
        if row.has_other_rank and row.id not in replaced and not _is_withdrawn(row):
            yield row


def _is_withdrawn(row: RowChange) -> bool:
    """Return whether a change withdraws a row."""
    states = [change.after for change in row.about if change.name == "status.state"]
    return row.kind == "changed" and "withdrawn" in states


def _withdrawal(row: RowChange, writer: ChangeWriter) -> str:
    """Return a phrase with the agent of a withdrawn row and the reason."""
    reasons = [change.after for change in row.about if change.name == "status.reason"]
    text = writer.quoted(row.agent)
    for reason in reasons:
        if reason is not None:
            text += f" ({writer.quoted(str(reason).rstrip('.'), LONGEST)})"
    return text


def _rank_changes(rows: Sequence[RowChange], writer: ChangeWriter) -> str:
    """Return a clause on whose rank changes and how, with possible ranks if the order is tested."""
    if not rows:
        return "no rank changes"
    if len(rows) == 1:
        return f"{writer.quoted(rows[0].agent)}'s rank changes {_rank_change(rows[0])}"
    clauses = [f"{writer.quoted(row.agent)} {_rank_change(row)}" for row in rows]
    return f"ranks change: {listed(clauses, _MAX_ROWS)}"


def _rank_change(row: RowChange) -> str:
    return f"from {_rank(row.rank.before)} to {_rank(row.rank.after)}"


def _addition(row: RowChange, writer: ChangeWriter) -> str:
    """Return a phrase with the agent of a new row, its rank, and the row that it replaces."""
    rank = "without a rank"
    if row.rank.after is not None:
        rank = f"at rank {_rank(row.rank.after)}"
    replaced = ""
    if row.earlier:
        replaced = f", replacing {writer.quoted(row.earlier)}"
    return f"{writer.quoted(row.agent)} {rank}{replaced}"


def _rank(rank: Value) -> str:
    """Return a rank or a range of ranks as it is displayed: 5, 3–10, none."""
    if rank is None:
        return "none"
    return str(rank).replace("-", GAP)


def opening(changes: Changes, entries: Iterable[BoardEntry]) -> Iterator[str]:
    """Yield the top of a report as Markdown.

    It states who proposes the change and what it moves, the scores of new rows with their claims,
    and new problems by rule.
    """
    writer = ChangeWriter(markdown=True)
    yield changes.request.written(lambda value: writer.quoted(value, LONGEST))
    yield ""
    yield in_a_line(changes, writer)
    yield ""
    new_ids: set[tuple[str, str, str]] = set()
    for board_change in changes.boards:
        for row in board_change.rows:
            if row.kind == "new":
                new_ids.add((board_change.benchmark, board_change.track, row.id))
    new_entries = []
    for board, entry in entries:
        if (board.benchmark.id, board.track.id, entry.id) in new_ids:
            new_entries.append(BoardEntry(board, entry))
    lines = []
    for board, entry in new_entries[:_MAX_ROWS]:
        lines.append(_scores_line(board, entry, writer))
    if len(new_entries) > _MAX_ROWS:
        lines.append(f"- and {counted(len(new_entries) - _MAX_ROWS, 'more row')}")
    if changes.new:
        lines.append(_new_problems_line(changes, writer))
    if lines:
        yield from lines
        yield ""


def _scores_line(board: Board, entry: Entry, writer: ChangeWriter) -> str:
    """Return a line with a new row's scores; scores with claims come first and are not cut off."""
    shown = [score for score in entry.scores.values() if score.value is not None or score.claims]
    shown.sort(key=lambda score: not score.claims)
    texts = []
    for score in shown:
        texts.append(_score_text(board, score, writer))
    track = writer.quoted(f"{board.benchmark.id}/{board.track.id}")
    scores = listed(texts, _MAX_SCORES, separator="; ")
    return f"- {writer.quoted(entry.agent.name)} on {track}: {scores}"


def _score_text(board: Board, score: Score, writer: ChangeWriter) -> str:
    title = writer.quoted(score.metric.title_on(board.track, board.benchmark))
    if score.claim is None:
        return f"{title} {score.text}"
    claimed = score.claim_text(score.claim)
    return f"{title} {score.text}, claimed {claimed} ({score.claim_outcome(score.claim)})"


def _new_problems_line(changes: Changes, writer: ChangeWriter) -> str:
    """Return a line with the number of new problems by rule, errors first."""
    problems = gravest_first(changes.new)
    counts = Counter(problem.code for problem in problems)
    texts = []
    for code, number in counts.items():
        texts.append(f"{number} of {writer.quoted(code)}")
    return f"- New problems: {listed(texts, _MAX_RULES)}"


def folded(lines: Iterable[str]) -> Iterator[str]:
    """Yield the rest of the report, folded."""
    yield from (FOLD, "", *lines, "</details>")


def _touched(changes: Changes, writer: ChangeWriter) -> list[str]:
    """Return clauses on changed rows, changed definitions, and findings."""
    edited = []
    names = []
    finding_count = 0
    for board in changes.boards:
        finding_count += len(board.findings)
        if board.kind == "changed" and board.about:
            names.append(writer.quoted(f"{board.benchmark}/{board.track}"))
        for row in board.rows:
            if row.kind == "changed" and not (row.is_moved_only or _is_withdrawn(row)):
                edited.append(_edited_row(row, writer))
    clauses = []
    if edited:
        clauses.append(f"changes {listed(edited, _MAX_ROWS)}")
    if names:
        boards = listed(names, _MAX_ROWS, separator="; ")
        clauses.append(f"changes definitions of {boards}")
    if finding_count:
        clauses.append(f"{counted(finding_count, 'finding')} added, changed or removed")
    return clauses


def _edited_row(row: RowChange, writer: ChangeWriter) -> str:
    """Return the agent of a changed row, with its status if that changed."""
    text = writer.quoted(row.agent)
    for change in row.about:
        if change.name == "status.state":
            text += f" ({change.after})"
    return text


def pull_request(changes: Changes, rows: Sequence[BoardEntry]) -> list[str]:
    """Return the text of a pull request that adds rows, as Markdown.

    It includes scores, ranks, missing results, and caveats.
    """
    writer = ChangeWriter(markdown=True)
    lines = [in_a_line(changes, writer), ""]
    for board, entry in rows:
        lines += _row(board, entry, writer)
    return lines


def _row(board: Board, entry: Entry, writer: ChangeWriter) -> Iterator[str]:
    """Yield a row's rank, its table of scores, its caveats, and what is missing."""
    possible_ranks = board.inference.possible_ranks(entry) or board.ranks.get(entry.id)
    rank = "without a rank"
    if possible_ranks is not None:
        rank = f"rank {_rank(possible_ranks)} of {len(board.ranks)}"
    elif entry.apart == "baseline":
        rank = "a baseline, without a rank"
    elif entry.apart == "late":
        rank = f"without a rank, because it came after the deadline, {board.track.deadline}"
    track = writer.quoted(f"{board.benchmark.id}/{board.track.id}")
    yield f"### {writer.quoted(entry.agent.name)} on {track}: {rank}"
    yield ""
    yield "| metric | score | interval | claimed |"
    yield "| --- | ---: | --- | ---: |"
    for score in entry.scores.values():
        if score.value is not None or score.claims:
            yield _score_line(board, entry, score)
    yield ""
    if entry.bundle:
        caveats = entry.bundle.submission.caveats
        lines = []
        for caveat in caveats:
            lines.append(f"- {writer.quoted(caveat, LONGEST)}")
        yield from _details("Caveats", lines)
        missing = _missing_evidence(board, entry, entry.bundle)
        yield from _details("Evidence that is missing or incomplete", missing)


def _score_line(board: Board, entry: Entry, score: Score) -> str:
    """Return a score with its interval and its claim as a line of a table."""
    interval = board.inference.interval(entry, score.metric.id)
    decimals = score.metric.decimals
    ends = GAP
    if interval:
        kind = interval.words.removesuffix(" interval")
        ends = f"{interval.low:.{decimals}f} to {interval.high:.{decimals}f} ({kind})"
    claim = GAP
    if score.claim:
        claim = f"{score.claim_text(score.claim)} ({score.claim_outcome(score.claim)})"
    title = score.metric.title_on(board.track, board.benchmark)
    return f"| {title} | {score.text} | {ends} | {claim} |"


def _missing_evidence(board: Board, entry: Entry, bundle: Bundle) -> list[str]:
    """Return lines on the tasks without results, and on evidence that is missing or incomplete."""
    lines = []
    if entry.coverage and entry.coverage.lack:
        lines.append(f"- {entry.coverage.lack}")
    for item, amount in evidence_in(board, entry, bundle):
        if amount.presence != "there":
            lines.append(f"- {item.title}: {amount.words}")
    return lines


def _details(title: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield lines folded under a title with their number; nothing if there are no lines."""
    if lines:
        summary = f"<details><summary>{title}: {len(lines)}</summary>"
        yield from (summary, "", *lines, "", "</details>", "")
