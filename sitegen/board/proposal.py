"""What a maintainer asks of a proposed change first, in one line; and the text of a pull request."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sitegen.board.board import Board
from sitegen.board.caveats import CAVEAT
from sitegen.board.changes import RowChange
from sitegen.board.changes_report import Changes, Report
from sitegen.board.differences import Value
from sitegen.board.entry import Entry
from sitegen.board.evidence import evidence_in
from sitegen.board.score import GAP
from sitegen.problems import counted, errors_of, listed

LONGEST = 300
"""Characters of a caveat."""

_NAMED = 3
"""So many rows are named; of more it is said how many there are."""

_SCORES = 8
_KINDS = 8
"""So many scores of a row, and kinds of problems, stand on a report's first screen."""

FOLD = "<details><summary>All of the report</summary>"
"""The line from which a report is folded; `tools/comment.py` looks for it."""


def in_a_line(changes: Changes, wording: Report) -> str:
    """Return what a change adds, moves and touches, in one sentence.

    For example "Adds GLM-5.2 at rank 2–9; nobody's rank changes; nothing published changes."
    """
    rows = [row for board in changes.boards for row in board.rows]
    gone = len({each.id for each in changes.redactions})
    parts = [f"brings {counted(gone, 'redaction')} of what is published"] if gone else []
    added = [_addition(row, wording) for row in rows if row.kind == "new"]
    if added:
        parts.append(f"adds {listed(added, _NAMED)}")
    removed = [wording.quoted(row.agent) for row in rows if row.kind == "removed"]
    if removed:
        parts.append(f"removes {listed(removed, _NAMED)}")
    parts.append(_rank_changes([row for row in rows if row.has_other_rank], wording))
    caveats = [each for each in changes.new if each.code == CAVEAT.code]
    errors = errors_of(changes.new)
    others = len(changes.new) - len(caveats) - len(errors)
    counts = ((len(errors), "new error"), (len(caveats), "caveat"), (others, "new warning"))
    parts += [counted(number, noun) for number, noun in counts if number]
    touched = _touched(changes, wording)
    replaced = [row for row in rows if row.kind == "new" and row.earlier]
    if not (touched or errors or removed or replaced):
        touched = ["nothing published changes"]
    line = "; ".join([*parts, *touched])
    return f"{line[:1].upper()}{line[1:]}."


def _rank_changes(rows: Sequence[RowChange], wording: Report) -> str:
    """Return whose rank changes and how: the set of ranks that a row may have, where its order is tested."""
    if not rows:
        return "nobody's rank changes"
    names = [wording.quoted(row.agent) for row in rows]
    turns = [f"from {_rank(row.rank.before)} to {_rank(row.rank.after)}" for row in rows]
    if len(rows) == 1:
        return f"{names[0]}'s rank changes {turns[0]}"
    parts = [f"{name} {turn}" for name, turn in zip(names, turns, strict=True)]
    return f"ranks change: {listed(parts, _NAMED)}"


def _addition(row: RowChange, wording: Report) -> str:
    """Return who is new, at which rank, and in whose place."""
    place = "without a rank" if row.rank.after is None else f"at rank {_rank(row.rank.after)}"
    replaced = f" in the place of {wording.quoted(row.earlier)}" if row.earlier else ""
    return f"{wording.quoted(row.agent)} {place}{replaced}"


def _rank(rank: Value) -> str:
    """Return a rank or a set of ranks as people read it: 5, 3–10, none."""
    return "none" if rank is None else str(rank).replace("-", GAP)


def opening(changes: Changes, entries: Iterable[tuple[Board, Entry]]) -> Iterator[str]:
    """Yield a report's first screen as Markdown.

    It says whose change it is and what moves, the scores of new rows beside their claims, and new problems by kind.
    """
    wording = Report(markdown=True)
    yield from (changes.request.written(lambda value: wording.quoted(value, LONGEST)), "")
    yield from (in_a_line(changes, wording), "")
    new = {
        (each.benchmark, each.track, row.id)
        for each in changes.boards
        for row in each.rows
        if row.kind == "new"
    }
    rows = [
        (board, entry)
        for board, entry in entries
        if (board.benchmark.id, board.track.id, entry.id) in new
    ]
    told = []
    for board, entry in rows[:_NAMED]:
        known = (
            score for score in entry.scores.values() if score.value is not None or score.claims
        )
        scores = sorted(
            known, key=lambda score: not score.claims
        )  # no claim is left out before a score without one
        parts = [
            f"{wording.quoted(score.metric.title_on(board.track, board.benchmark))} {score.text}"
            + (
                f", claimed {score.claim.value} ({score.standing(score.claim)})"
                if score.claim
                else ""
            )
            for score in scores
        ]
        where = wording.quoted(f"{board.benchmark.id}/{board.track.id}")
        told.append(
            f"- {wording.quoted(entry.agent.name)} on {where}: {listed(parts, _SCORES, separator='; ')}"
        )
    told += [f"- and {counted(len(rows) - _NAMED, 'more row')}"] if len(rows) > _NAMED else []
    kinds = Counter(each.code for each in sorted(changes.new, key=lambda each: not each.is_error))
    if kinds:
        named = [f"{number} of {wording.quoted(code)}" for code, number in kinds.items()]
        told.append(f"- New problems: {listed(named, _KINDS)}")
    yield from (*told, "") if told else ()


def folded(lines: Iterable[str]) -> Iterator[str]:
    """What follows the first screen."""
    yield from (FOLD, "", *lines, "</details>")


def _touched(changes: Changes, wording: Report) -> list[str]:
    """What of what is published differs."""
    edited = [
        wording.quoted(row.agent)
        + "".join(f" ({each.after})" for each in row.about if each.name == "status.state")
        for board in changes.boards
        for row in board.rows
        if row.kind == "changed" and not row.is_moved_only
    ]
    told = [f"changes {listed(edited, _NAMED)}"] if edited else []
    defined = [
        f"{each.benchmark}/{each.track}"
        for each in changes.boards
        if each.kind == "changed" and each.about
    ]
    told += (
        [f"changes definitions of {listed(map(wording.quoted, defined), _NAMED, separator='; ')}"]
        if defined
        else []
    )
    found = sum(len(board.findings) for board in changes.boards)
    return told + ([f"{counted(found, 'finding')} new, changed or gone"] if found else [])


def pull_request(changes: Changes, rows: Sequence[tuple[Board, Entry]]) -> list[str]:
    """The text of a pull request that brings some rows, as Markdown: scores, ranks, what is missing, caveats."""
    wording = Report(markdown=True)
    lines = [in_a_line(changes, wording), ""]
    for board, entry in rows:
        lines += _row(board, entry, wording)
    return lines


def _row(board: Board, entry: Entry, wording: Report) -> Iterator[str]:
    rank = board.certainty.place(entry) or board.ranks.get(entry.id)
    place = "without a rank" if rank is None else f"rank {_rank(rank)} of {len(board.ranks)}"
    where = wording.quoted(f"{board.benchmark.id}/{board.track.id}")
    yield from (f"### {wording.quoted(entry.agent.name)} on {where}: {place}", "")
    yield "| metric | score | interval | claimed |"
    yield "| --- | ---: | --- | ---: |"
    for score in entry.scores.values():
        if score.value is None and not score.claims:
            continue
        interval = board.certainty.interval(entry, score.metric.id)
        digits = score.metric.decimals
        reach = GAP
        if interval:
            kind = interval.words.removesuffix(" interval")
            reach = f"{interval.low:.{digits}f} to {interval.high:.{digits}f} ({kind})"
        claim = f"{score.claim.value} ({score.standing(score.claim)})" if score.claim else GAP
        yield f"| {score.metric.title_on(board.track, board.benchmark)} | {score.text} | {reach} | {claim} |"
    yield ""
    bundle = entry.bundle
    if bundle is None:
        return
    found = (
        (item, amount)
        for item, amount in evidence_in(board, entry, bundle)
        if amount.presence != "there"
    )
    missing = [f"- {item.title}: {amount.words}" for item, amount in found]
    if entry.coverage and entry.coverage.lack:
        missing.insert(0, f"- {entry.coverage.lack}")
    caveats = [f"- {wording.quoted(each, LONGEST)}" for each in bundle.submission.caveats]
    for title, told in (
        ("Caveats", caveats),
        ("What a reader could ask for and is not here, or in part", missing),
    ):
        if told:
            summary = f"<details><summary>{title}: {len(told)}</summary>"
            yield from (summary, "", *told, "", "</details>", "")
