"""The pages of a run: a submission's work on one task, round by round and case by case.

They say nothing about other submissions, so they stay as they are when another one is added.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sitegen.board.answers.work import Failing, part_answer, run_answer
from sitegen.board.findings import MarkedFinding
from sitegen.models.outcome import RoundResult
from sitegen.models.task import TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.case_views import (
    SAME_NUMBER,
    GroupView,
    Matrix,
    RoundCases,
    change_words,
    fails_alike,
    matrix_of,
    round_cases,
)
from sitegen.pages.cases import AttemptCases
from sitegen.pages.effort import effort_of
from sitegen.pages.environment import Templates
from sitegen.pages.heat import HeatCell, round_cell
from sitegen.pages.pagination import MAX_MATRIX_CELLS, CasePage
from sitegen.pages.records import TaskRun, rounds_by_number
from sitegen.pages.reports import ProblemReport
from sitegen.pages.run_facts import (
    facts_of,
    report_of,
    round_transcript,
    transcript_of,
    verdict_of,
)
from sitegen.pages.site import View, page_kind
from sitegen.pages.transcript_sources import Transcript
from sitegen.problems import counted

_MAX_BAR_HEIGHT = 86
"""Percent of a chart's height that the round with most cases takes; a number goes above it."""


class RoundBar(NamedTuple):
    """The bar of a round: passed and failed cases in percent of the height, and a mark."""

    passed: float
    failed: float
    mark: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round of an attempt; what follows `findings` is only known from the round's record."""

    defined: TaskRound
    title: str
    """What was asked, in a line."""
    anchor: str
    address: str
    """Of the round's page."""
    cell: HeatCell
    verdict: str
    """How it went."""
    reference: str
    """How it went from the reference state."""
    findings: Sequence[MarkedFinding]
    figures: str = ""
    """What it took."""
    names: str = ""
    """How many of the cases that did not pass the source names."""
    known_count: int = 0
    """How many cases are known."""
    cases: RoundCases | None = None
    """None where they are on pages of their own."""
    parts: Sequence[str] = ()
    """The addresses of those pages."""
    transcript: str = ""
    before: str = ""
    """How it went without findings, where these changed that."""
    bar: RoundBar | None = None
    change: str = ""
    """How failures changed against the round before."""
    same: Link | None = None
    """The earlier round, where this one failed as that one did."""
    is_first: bool = False
    """Whether it is the first that names cases."""


@dataclass(frozen=True, slots=True)
class AttemptView:
    """An attempt: what it took, what broke when, and its rounds."""

    number: int
    facts: str
    transcript: Transcript | None
    rounds: Sequence[RoundView]
    matrix: Matrix | None


@page_kind(TaskRun, "run.html.j2", "Run")
def run_page(run: TaskRun, _: Templates) -> Iterator[View]:
    """Show one submission's work on one task."""
    if run.is_brief:
        return
    board = run.board
    task = run.task
    attempts = [_attempt_view(run, attempt) for attempt in run.reported_cases or (1,)]
    report = report_of(run, "Shown", attempts[0].facts)
    values = {
        "title": run.title,
        "task": task,
        "attempts": attempts,
        "report": report,
        "unexplained": _has_unexplained_failures(attempts),
        "records": _records_address(run),
    }
    answer = run_answer(board, run.entry, task, _failing_checks(run))
    yield View(run.address, run.title, answer, values)


def _has_unexplained_failures(attempts: Sequence[AttemptView]) -> bool:
    """Whether failed cases are named and the source says of none of them why it failed."""
    groups: list[GroupView] = []
    for attempt in attempts:
        for view in attempt.rounds:
            if view.cases:
                groups += view.cases.groups
    for group in groups:
        if group.reason or any(case.texts for case in group.cases):
            return False
    return bool(groups)


def _records_address(run: TaskRun) -> str:
    """Return the address of the records of a run's rounds, as submitted."""
    path = f"submissions/{run.entry.id}/rounds.jsonl"
    return addresses.raw_address(run.board.benchmark.id, path)


def _failing_checks(run: TaskRun) -> Failing:
    """Return what the failed cases of the first attempt check, by round."""
    first_attempt: Mapping[int, AttemptCases] = next(iter(run.reported_cases.values()), {})
    failing: dict[int, list[tuple[str | None, object]]] = {}
    for number, attempt_cases in first_attempt.items():
        failed_cases = [case for case in attempt_cases.failing if case.is_failed]
        failing[number] = [(case.requirement, case.check) for case in failed_cases]
    return failing


@page_kind(TaskRun, "run_part.html.j2", "Run")
def run_part_pages(run: TaskRun, _: Templates) -> Iterator[View]:
    """Show the cases of rounds that are too heavy for the run's own page."""
    board = run.board
    defined = rounds_by_number(run.task)
    for (attempt, number), case_pages in run.locations.parts.items():
        result = run.reported_cases[attempt][number].result
        for index, case_page in enumerate(case_pages):
            title = _case_page_title(run, attempt, number)
            if len(case_pages) > 1:
                title = f"{title}, part {index + 1} of {len(case_pages)}"
            facts = report_of(run, "Attempt", str(attempt)).facts
            facts = {**facts, board.benchmark.round_word: str(number)}
            round_view = _round_view(run, attempt, defined[number], case_page)
            run_link = Link(run.title, run.address)
            values = {
                "title": title,
                "crumbs": [*run.crumbs, run_link],
                "previous": _case_page_link(case_pages, index - 1),
                "next": _case_page_link(case_pages, index + 1),
                "round": replace(round_view, is_first=True),
                "report": ProblemReport(title, case_page.address, facts),
            }
            answer = part_answer(board, run.entry, run.task, result)
            yield View(case_page.address, title, answer, values)


def _case_page_title(run: TaskRun, attempt: int, number: int) -> str:
    """Return the title of the pages of a round, without which of several they are."""
    round_noun = labels.rounds_word(run.board.benchmark)
    attempt_text = ""
    if attempt > 1:
        attempt_text = f", attempt {attempt}"
    return f"{run.title}{attempt_text}, {round_noun} {number}"


def _case_page_link(case_pages: Sequence[CasePage], index: int) -> Link | None:
    """Return a link to one of the pages of a round; None where the index is out of range."""
    if not 0 <= index < len(case_pages):
        return None
    title = f"Part {index + 1}"
    return Link(title, case_pages[index].address)


def _attempt_view(run: TaskRun, attempt: int) -> AttemptView:
    """Return what an attempt took, what broke when, and its rounds beside the round before each."""
    cases_by_round = run.reported_cases.get(attempt, {})
    round_noun = labels.rounds_word(run.board.benchmark)
    totals = [attempt_cases.result.total or 0 for attempt_cases in cases_by_round.values()]
    most_cases = max(totals, default=0)
    views: dict[int, RoundView] = {}
    has_first = False
    previous: AttemptCases | None = None
    for defined in run.task.rounds:
        view = _round_view(run, attempt, defined)
        current = cases_by_round.get(defined.n)
        if current:
            bar = _bar(current.result, view.cell, most_cases)
            is_first = not has_first and bool(view.cases and view.cases.groups)
            has_first = has_first or is_first
            view = replace(view, bar=bar, is_first=is_first)
        if current and previous:
            previous_view = views[previous.result.round]
            view = _compared_view(view, current, previous, previous_view, round_noun)
        views[defined.n] = view
        if current and current.result.state == "scored":
            previous = current
    return AttemptView(
        number=attempt,
        facts=facts_of(run, attempt),
        transcript=transcript_of(run, attempt),
        rounds=list(views.values()),
        matrix=matrix_of(
            cases_by_round, round_noun, MAX_MATRIX_CELLS // max(1, len(run.reported_cases))
        ),
    )


def _compared_view(
    view: RoundView,
    current: AttemptCases,
    previous: AttemptCases,
    previous_view: RoundView,
    round_noun: str,
) -> RoundView:
    """Return a round with how it went against the round before."""
    if fails_alike(current, previous):
        title = f"{round_noun} {previous.result.round}"
        link = Link(title, previous_view.anchor)
        return replace(view, same=previous_view.same or link)
    if view.before:
        return view
    change = change_words(current, previous)
    if change:
        comparison = "as" if change == SAME_NUMBER else "than"
        change = f"{change} {comparison} in {round_noun} {previous.result.round}"
    return replace(view, change=change)


def _bar(result: RoundResult, cell: HeatCell, most_cases: int) -> RoundBar | None:
    """Return the bar of a round; None where no round of the attempt has any case."""
    if not most_cases:
        return None
    if not result.total or result.passed is None:
        return RoundBar(0, 0, cell.mark)
    failed = result.failed or 0
    mark = "✓" if result.solved else f"{failed:,}"
    passed_height = _MAX_BAR_HEIGHT * result.passed / most_cases
    failed_height = _MAX_BAR_HEIGHT * failed / most_cases
    return RoundBar(passed_height, failed_height, mark)


def _round_view(
    run: TaskRun, attempt: int, defined: TaskRound, case_page: CasePage | None = None
) -> RoundView:
    """Return a round of an attempt, for the run's page or for one of its own."""
    number = defined.n
    attempt_cases = run.reported_cases.get(attempt, {}).get(number)
    result = _counting_result(run, attempt, number)
    look = round_cell([result] if result else [])
    anchor = addresses.round_anchor(number, attempt)
    subject = f"{labels.rounds_word(run.board.benchmark)} {number}"
    key = (run.entry.id, run.task.id, number)
    verdict = look.words
    if result and attempt_cases and result is attempt_cases.result:
        verdict = verdict_of(result, look.words)
    view = RoundView(
        defined=defined,
        title=labels.round_title(defined),
        anchor=anchor,
        address=run.records.addresses.round(run.task.id, number),
        cell=look.linked(run.board, key, subject, f"{run.address}#{anchor}"),
        verdict=verdict,
        reference=_reference_text(run, attempt, number),
        findings=run.board.marks.on_round(*key),
    )
    if attempt_cases is None or result is None:
        return view
    return _with_record(view, run, attempt_cases, result, case_page)


def _reference_text(run: TaskRun, attempt: int, number: int) -> str:
    """Return how a round went from the reference state, which is shown once, at attempt 1."""
    if attempt > 1:
        return ""
    results = run.records.round_results(run.entry, run.task.id, number, "reference")
    return round_cell(results).words if results else ""


def _counting_result(run: TaskRun, attempt: int, number: int) -> RoundResult | None:
    """Return the record of a round that counts, which findings may have changed."""
    if run.entry.without_findings is not None:
        attempts = run.records.attempts(run.entry, run.task.id)
        return dict(attempts).get(attempt, {}).get(number)
    attempt_cases = run.reported_cases.get(attempt, {}).get(number)
    return attempt_cases.result if attempt_cases else None


def _with_record(
    view: RoundView,
    run: TaskRun,
    attempt_cases: AttemptCases,
    result: RoundResult,
    case_page: CasePage | None,
) -> RoundView:
    """Return a round with what is known from the record that was sent in, and with its cases."""
    sent = attempt_cases.result
    key = (sent.attempt, sent.round)
    page_addresses: list[str] = []
    cases = attempt_cases.cases
    page_address = run.address
    if case_page:
        cases = case_page.cases
        page_address = case_page.address
    else:
        page_addresses = [part.address for part in run.locations.parts.get(key, ())]
    shown_cases = None
    if not page_addresses:
        shown_cases = round_cases(run, key, cases, page_address)
    before_findings = ""
    if sent is not result:
        before_findings = round_cell([sent]).words
    return replace(
        view,
        figures=effort_of(sent, run.board.benchmark.modes),
        names=_named_cases(attempt_cases),
        known_count=len(attempt_cases.cases),
        cases=shown_cases,
        parts=page_addresses,
        transcript=round_transcript(run, sent),
        before=before_findings,
    )


def _named_cases(attempt_cases: AttemptCases) -> str:
    """Return how many of the cases that did not pass the source names."""
    result = attempt_cases.result
    named = len(attempt_cases.failing)
    named_failed = sum(case.is_failed for case in attempt_cases.failing)
    if result.state == "scored" and named_failed < (result.failed or 0):
        if not named:
            return "The source names none of them."
        return f"{named} of {counted(result.failed or 0, 'failed case')} named"
    return counted(named, "case") if named else ""
