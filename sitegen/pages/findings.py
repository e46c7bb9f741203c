"""Findings on pages: marks next to the results they concern, and the effects of each finding."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sitegen.board import GAP, Board, Entry, problems_in
from sitegen.board.findings import FindingSubject, MarkedFinding, finding_subjects
from sitegen.board.history.changes import FindingEffect, FindingEffects, compare_without
from sitegen.board.history.differences import Difference, Value
from sitegen.board.waivers import waived_words
from sitegen.models.finding import Finding
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.selection import find_entry
from sitegen.problems import counted, part_of

UNKNOWN = "Its effect is unknown because the submissions have no results for what it excludes."
UNCHANGED = "It changes no score and no rank on this board."

TextPair = tuple[str, str]
"""A value without a finding and with it; the first is empty if the finding changes nothing."""

ChangedRow = tuple[Link, Sequence[TextPair]]
"""A row, and its score, its rank by score and its possible ranks, without a finding and with it."""


class Flag(NamedTuple):
    """The mark of one or several findings: their address and their text."""

    ids: str
    """Ids of the findings, separated by spaces."""
    address: str
    words: str
    """The text of the mark."""


def flag_of(board: Board, findings: Sequence[MarkedFinding]) -> Flag | None:
    """Return the mark of findings; None if there are none."""
    if not findings:
        return None
    board_addresses = addresses.of(board)
    address = board_addresses.findings
    if len(findings) == 1:
        address = board_addresses.finding(findings[0].id)
    ids = " ".join(marked.id for marked in findings)
    return Flag(ids, address, "; ".join(map(_flag_text, findings)))


def _flag_text(marked: MarkedFinding) -> str:
    finding = marked.finding
    if finding.kind == "waiver":
        return f"{finding.code} {waived_words(finding)}"
    remark = ""
    if marked.remark:
        remark = f", {marked.remark}"
    return f"finding: {marked.title} ({labels.effect_of(finding)}{remark})"


def flags_of(board: Board, findings: Sequence[MarkedFinding]) -> list[Flag]:
    """Return one mark for each finding."""
    flags = (flag_of(board, [marked]) for marked in findings)
    return [flag for flag in flags if flag]


def case_flags(board: Board, row: str, task: str, number: int) -> dict[str, Flag]:
    """Return the marks of the cases that findings name in a submission's round, by case."""
    findings_by_case: dict[str, list[MarkedFinding]] = {}
    for marked in board.findings.on_round(row, task, number):
        for case in dict.fromkeys(marked.finding.cases):
            findings_by_case.setdefault(case, []).append(marked)
    flags = {}
    for case, findings in findings_by_case.items():
        flag = flag_of(board, findings)
        if flag:
            flags[case] = flag
    return flags


def score_flag(board: Board, entry: Entry) -> Flag | None:
    """Return the mark of the findings that changed a row's scores; None if none did."""
    if entry.without_findings is None:
        return None
    findings = board.findings.about_row(entry.id)
    return flag_of(board, [marked for marked in findings if marked.finding.changes_results])


def row_flags(board: Board, entry: Entry) -> list[Flag]:
    """Return the marks of a row: findings that name it, and waivers that let its problems pass."""
    findings = speaking_against(board, board.findings.on_row(entry.id))
    return flags_of(board, [*findings, *waivers_on(board, entry)])


def waivers_on(board: Board, entry: Entry) -> list[MarkedFinding]:
    """Return the waivers that let problems of a row pass."""
    used: list[Finding] = []
    for problem in problems_in(board, entry):
        used += board.waivers.covering(problem)
    return [marked for marked in board.findings.all if marked.finding in used]


def speaking_against(board: Board, findings: Sequence[MarkedFinding]) -> list[MarkedFinding]:
    """Return the findings, except for waivers and for reproductions that confirm the results."""
    against = [marked for marked in findings if marked.finding.kind != "waiver"]
    return [marked for marked in against if not _is_confirmed(board, marked.finding)]


def _is_confirmed(board: Board, finding: Finding) -> bool:
    """Return whether a finding is a reproduction whose reruns all confirm the results."""
    if finding.kind != "reproduction":
        return False
    reruns = []
    for reproductions in board.reproductions.values():
        reruns += [rerun for rerun in reproductions if rerun.finding == finding]
    return bool(reruns) and not any(rerun.differs for rerun in reruns)


def finding_views(board: Board) -> list[Mapping[str, object]]:
    """Return every finding about a board for `findings.html.j2`, the latest text first.

    A finding and the notes that correct it share one view.
    """
    subjects = finding_subjects(board.findings.all)
    subjects.sort(key=lambda subject: subject.current.finding.date, reverse=True)
    corrected = {marked.correction.id: marked for marked in board.findings.all if marked.correction}
    views = []
    for subject in subjects:
        views.append(_finding_view(board, subject, corrected.get(subject.finding.id)))
    return views


def _finding_view(
    board: Board, subject: FindingSubject, corrected: MarkedFinding | None
) -> Mapping[str, object]:
    """Return a finding with its current text, its earlier texts and its effects on a board."""
    finding = subject.finding.finding
    conclusions = None
    if finding.changes_results:
        conclusions = compare_without(board, finding)
    effects = conclusions.effects if conclusions else ()
    scope = subject.current.finding if subject.finding.is_note else finding
    return {
        "id": subject.finding.id,
        "title": subject.current.title,
        "finding": finding,
        "current": subject.current,
        "earlier": subject.earlier,
        "correction": subject.current.correction,
        "corrected": corrected,
        "submissions": list(_submission_links(board, scope)),
        "tasks": list(_task_links(board, scope)),
        "facts": list(_facts(board, scope)),
        "changed": list(_conclusion_sentences(board, finding, conclusions)),
        "effects": [_changed_row(board, effect) for effect in effects],
    }


def _submission_links(board: Board, finding: Finding) -> Iterator[Link]:
    """Yield links to the submissions that a finding names, then to its rerun."""
    for entry_id in dict.fromkeys((*finding.submissions, finding.rerun)):
        entry = find_entry(board.all_entries, entry_id)
        if entry:
            link = entry_link(board, entry)
            is_rerun = entry_id == finding.rerun
            yield link._replace(title=f"{link.title} (rerun)") if is_rerun else link


def _task_links(board: Board, finding: Finding) -> Iterator[Link]:
    """Yield links to the tasks that a finding names, or to their rounds if it names rounds."""
    if not board.submissions:
        return
    board_addresses = addresses.of(board)
    round_noun = labels.rounds_word(board.benchmark)
    for task in board.tasks.tasks:
        if task.id not in finding.tasks:
            continue
        if not finding.rounds:
            address = board_addresses.task(task.id)
            yield Link(task.name, address)
        for task_round in task.rounds:
            number = task_round.n
            if number in finding.rounds:
                title = f"{task.name} {round_noun} {number}"
                yield Link(title, board_addresses.round(task.id, number))


def _facts(board: Board, finding: Finding) -> Iterator[str]:
    """Yield further facts about the scope of a finding."""
    if finding.rounds and not finding.tasks:
        noun = labels.rounds_word(board.benchmark, len(finding.rounds))
        yield f"{noun} {', '.join(map(str, finding.rounds))} of every task"
    if finding.cases:
        yield f"cases: {', '.join(finding.cases)}"
    if finding.code:
        yield f"rule: {finding.code}"
    if finding.until:
        yield f"until {finding.until}"


def _conclusion_sentences(
    board: Board, finding: Finding, conclusions: FindingEffects | None
) -> Iterator[str]:
    """Yield sentences on a finding's effects on a board: on scores, ranks and the best score."""
    if not finding.changes_results:
        return
    if conclusions is None or not conclusions.effects:
        yield UNKNOWN if _was_sent_excluded(board, finding) else UNCHANGED
        return
    yield _changed_scores_sentence(board, conclusions)
    reconsidered = len(conclusions.reconsidered)
    if reconsidered:
        agents = counted(reconsidered, "other agent")
        yield f"For {agents}, only the possible ranks change."
    yield _best_score_sentence(conclusions)


def _changed_scores_sentence(board: Board, conclusions: FindingEffects) -> str:
    """Return a sentence on how many agents' scores and score-based ranks a finding changes."""
    title = labels.title_on(board)
    scored = conclusions.scored
    moved = len(conclusions.moved)
    scores_text = f"It changes no agent's {title}"
    if scored:
        scores_text = f"It changes the {title} of {part_of(scored, conclusions.rows, 'agent')}"
    ranks_text = "no agent's score-based rank changes"
    if moved:
        ranks_text = f"the score-based rank changes for {counted(moved, 'agent')}"
    return f"{scores_text}; {ranks_text}."


def _best_score_sentence(conclusions: FindingEffects) -> str:
    """Return a sentence on who has the best score; this agent need not be shown to be best."""
    agents_before, agents = conclusions.highest
    names = " and ".join(agents) or "nobody"
    verb = "have" if len(agents) > 1 else "has"
    if set(agents_before) == set(agents):
        return f"{names} still {verb} the best score."
    names_before = " and ".join(agents_before) or "nobody"
    return f"{names} {verb} the best score; without the finding, {names_before} would."


def _was_sent_excluded(board: Board, finding: Finding) -> bool:
    """Return whether submissions already excluded rounds of a finding when they were sent.

    The effect of the finding is then unknown, because the excluded results were never sent.
    """
    for entry in board.submissions:
        sent_rounds = entry.sent.rounds if entry.sent else ()
        for result in sent_rounds:
            scope = (board.track.id, entry.id, result.task, result.round)
            if result.state == "excluded" and finding.concerns(*scope):
                return True
    return False


def _changed_row(board: Board, effect: FindingEffect) -> ChangedRow:
    """Return a row that a finding changes, with its values without the finding and with it."""
    entry = next(entry for entry in board.all_entries if entry.id == effect.id)
    metric = board.headline
    score_pair = _text_pair(effect.score, entry.value(metric.id), metric.decimals)
    rank_pair = _text_pair(effect.rank, board.ranks.get(effect.id), 0)
    possible_pair = ("", "")
    if effect.possible:
        possible_pair = (_ranks_text(effect.possible.before), _ranks_text(effect.possible.after))
    return entry_link(board, entry), (score_pair, rank_pair, possible_pair)


def _text_pair(difference: Difference | None, value: Value, decimals: int) -> TextPair:
    """Return a number before and after as text; `value` is used if the number does not change."""
    if difference is None:
        return "", _number_text(value, decimals)
    before = _number_text(difference.before, decimals)
    return before, _number_text(difference.after, decimals)


def _number_text(value: Value, decimals: int) -> str:
    if isinstance(value, int | float):
        return f"{value:.{decimals}f}"
    return GAP


def _ranks_text(value: Value) -> str:
    if value is None:
        return GAP
    return str(value).replace("-", GAP)
