"""Findings on pages: the marks beside what they concern, and what each found and which conclusions it changed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.changes import Conclusions, conclusions_of
from sitegen.board.differences import Difference, Value
from sitegen.board.entry import Entry
from sitegen.board.findings import Marked
from sitegen.board.review import problems_in
from sitegen.board.score import GAP
from sitegen.board.waivers import waived_words
from sitegen.models.finding import Finding
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.problems import agreeing, counted, part_of

UNKNOWN = "What it changes is not known: the submissions hold no results of what it takes out."


class Flag(NamedTuple):
    """The mark of one finding or of several: where they are told, and what they say."""

    ids: str
    """Names of the findings, with blanks between them."""
    address: str
    words: str


def flag_of(board: Board, found: Sequence[Marked]) -> Flag | None:
    """Mark what findings concern; None where there are none."""
    if not found:
        return None
    words = "; ".join(map(_flag_words, found))
    where = addresses.of(board)
    address = where.finding(found[0].id) if len(found) == 1 else where.findings
    return Flag(" ".join(each.id for each in found), address, words)


def _flag_words(marked: Marked) -> str:
    finding = marked.finding
    if finding.kind == "waiver":
        return f"{finding.code} {waived_words(finding)}"
    remark = f", {marked.remark}" if marked.remark else ""
    return f"finding: {finding.title} ({labels.effect_of(finding)}{remark})"


def flags_of(board: Board, found: Sequence[Marked]) -> list[Flag]:
    """Mark what findings concern, with one mark for each."""
    return [flag for flag in (flag_of(board, [each]) for each in found) if flag]


def case_flags(board: Board, row: str, task: str, number: int) -> dict[str, Flag]:
    """Mark the cases of a round of a submission that findings name, by the case's name."""
    found = board.marks.on_round(row, task, number)
    named = dict.fromkeys(case for each in found for case in each.finding.cases)
    flags = {
        case: flag_of(board, [each for each in found if case in each.finding.cases])
        for case in named
    }
    return {case: flag for case, flag in flags.items() if flag}


def score_flag(board: Board, entry: Entry) -> Flag | None:
    """Mark the scores that findings changed; None where they changed none of a row."""
    if entry.before is None:
        return None
    return flag_of(
        board, [each for each in board.marks.about_row(entry.id) if each.finding.changes_results]
    )


def row_flags(board: Board, entry: Entry) -> list[Flag]:
    """Mark a row: with the findings that name it, and the waivers that let something of it pass."""
    return flags_of(
        board, [*speaking_against(board, board.marks.on_row(entry.id)), *waivers_on(board, entry)]
    )


def waivers_on(board: Board, entry: Entry) -> list[Marked]:
    """List the waivers that let something of a row pass."""
    used = [
        waiver
        for problem in problems_in(board, entry)
        for waiver in board.waivers.covering(problem)
    ]
    return [each for each in board.marks.all if each.finding in used]


def speaking_against(board: Board, found: Sequence[Marked]) -> list[Marked]:
    """Leave out of findings the waivers, and the reproductions whose reruns do not differ."""

    def is_borne_out(finding: Finding) -> bool:
        reruns = [
            each
            for found in board.reproductions.values()
            for each in found
            if each.finding == finding
        ]
        return (
            finding.kind == "reproduction"
            and bool(reruns)
            and not any(each.differs for each in reruns)
        )

    return [
        each for each in found if each.finding.kind != "waiver" and not is_borne_out(each.finding)
    ]


def finding_views(board: Board) -> list[Mapping[str, object]]:
    """Tell every finding about a board, the latest first; `findings.html.j2` says what it needs."""
    views: list[Mapping[str, object]] = []
    entries = {entry.id: entry for entry in board.all_entries}
    corrected = {each.correction.id: each for each in board.marks.all if each.correction}
    for marked in sorted(board.marks.all, key=lambda each: each.finding.date, reverse=True):
        finding = marked.finding
        found = conclusions_of(board, finding) if finding.changes_results else None
        named = dict.fromkeys((*finding.submissions, *((finding.rerun,) if finding.rerun else ())))
        links = ((row, entry_link(board, entries[row])) for row in named if row in entries)
        about = {
            "id": marked.id,
            "finding": finding,
            "correction": marked.correction,
            "corrected": corrected.get(marked.id),
            "submissions": [
                link._replace(title=f"{link.title} (run again)") if row == finding.rerun else link
                for row, link in links
            ],
            "tasks": list(_work(board, finding)),
            "facts": _facts(finding),
            "changed": list(_changed(board, finding, found)),
            "turns": list(_turns(board, found)) if found else [],
        }
        views.append(about)
    return views


def _work(board: Board, finding: Finding) -> Iterator[Link]:
    """Lead to the tasks that a finding names, or to their rounds where it names these; of all tasks none is named."""
    where, word = addresses.of(board), labels.rounds_word(board.benchmark)
    for task in board.tasks.tasks if board.submissions else ():
        if task.id in finding.tasks and not finding.rounds:
            yield Link(task.name, where.task(task.id))
        for each in task.rounds if task.id in finding.tasks else ():
            if each.n in finding.rounds:
                yield Link(f"{task.name}, {word} {each.n}", where.round(task.id, each.n))


def _facts(finding: Finding) -> list[str]:
    told = {
        f"rounds {', '.join(map(str, finding.rounds))} of every task": finding.rounds
        and not finding.tasks,
        f"cases: {', '.join(finding.cases)}": finding.cases,
        f"rule: {finding.code}": finding.code,
        f"until {finding.until}": finding.until,
    }
    return [words for words, is_told in told.items() if is_told]


def _changed(board: Board, finding: Finding, found: Conclusions | None) -> Iterator[str]:
    if not finding.changes_results:
        return
    if found is None or not found.turns:
        unknown = _is_without_records(board, finding)
        yield UNKNOWN if unknown else "No score and no rank on this board changes by it."
        return
    title = labels.title_on(board)
    scored = f"No row changes its {title} by it"
    if found.scored:
        rows = part_of(found.scored, found.rows, "row")
        scored = f"{rows[:1].upper()}{rows[1:]} {agreeing(found.scored, 'changes its', 'change their')} {title} by it"
    ranked = "no row"
    if found.moved:
        ranked = counted(len(found.moved), "row")
    yield f"{scored}; {ranked} {agreeing(len(found.moved) or 1, 'changes its', 'change their')} rank by score."
    if found.reconsidered:
        others = counted(len(found.reconsidered), "other row")
        change = agreeing(len(found.reconsidered), "changes", "change")
        yield f"{others} {change} only the ranks that the data leaves possible."
    # Who has the best score is told, which is not to say that the data tells who is best.
    before, now = (" and ".join(names) or "nobody" for names in found.highest)
    verb = "has" if len(found.highest[1]) < 2 else "have"  # noqa: PLR2004 - more than one
    if set(found.highest[0]) == set(found.highest[1]):
        yield f"{now} still {verb} the best score."
    else:
        yield f"{now} {verb} the best score; without the finding, {before}."


def _is_without_records(board: Board, finding: Finding) -> bool:
    """Whether submissions hold nothing of what a finding takes out, so that nobody can tell what it changes."""
    sent = ((entry.id, entry.sent) for entry in board.submissions if entry.sent)
    return any(
        each.state == "excluded" and finding.concerns(board.track.id, name, each.task, each.round)
        for name, bundle in sent
        for each in bundle.rounds
    )


def _turns(board: Board, found: Conclusions) -> Iterator[tuple[Link, Sequence[tuple[str, str]]]]:
    """Tell rows without a finding and with it; the first of two texts is empty where nothing changed."""
    entries = {entry.id: entry for entry in board.all_entries}

    def pair(difference: Difference | None, now: Value, decimals: int) -> tuple[str, str]:
        values = (difference.before, difference.after) if difference else (None, now)
        before, after = (
            f"{value:.{decimals}f}" if isinstance(value, int | float) else GAP for value in values
        )
        return (before if difference else "", after)

    for turn in found.turns:
        entry = entries[turn.id]
        scores = pair(turn.score, entry.value(board.headline.id), board.headline.decimals)
        possible = (turn.possible.before, turn.possible.after) if turn.possible else ("", "")
        texts = tuple(GAP if value is None else str(value).replace("-", GAP) for value in possible)
        yield (
            entry_link(board, entry),
            (scores, pair(turn.rank, board.ranks.get(turn.id), 0), (texts[0], texts[1])),
        )
