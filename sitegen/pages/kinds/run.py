"""The pages of a run: a submission's work on one task, round by round and case by case.

The pages do not mention other submissions, so they stay the same when a submission is added.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

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
"""Height of the round with the most cases, in percent of the chart; its number is above the bar."""


class RoundBar(NamedTuple):
    """The bar of a round: passed and failed cases in percent of the chart's height, and a mark."""

    passed: float
    failed: float
    mark: str


@dataclass(frozen=True, slots=True)
class RoundRecordView:
    """Facts about a round from the original record, and from the record's cases."""

    figures: str = ""
    """The effort of the round, as text."""
    names: str = ""
    """A text on the number of failed cases that the source names."""
    known_count: int = 0
    """The number of known cases."""
    cases: RoundCases | None = None
    """The cases; None if they are on separate pages."""
    parts: Sequence[str] = ()
    """The addresses of the separate pages with cases."""
    transcript: str = ""
    before: str = ""
    """The result of the round without findings; empty if they did not change it."""


NO_RECORD = RoundRecordView()


class RoundComparison(NamedTuple):
    """A comparison of a round with the previous round; empty texts if there is none."""

    change: str = ""
    """A text on the change in failures, or the previous failures if the number of cases differs."""
    trend: Literal["fewer", "more", ""] = ""
    """How the number of failed cases changed; empty if it is the same, or if the cases differ."""
    same: Link | None = None
    """A link to the earlier round, if this round failed in the same way."""


NO_COMPARISON = RoundComparison()


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round of an attempt."""

    defined: TaskRound
    title: str
    """The request of the round, on one line."""
    anchor: str
    address: str
    """The address of the round's page."""
    cell: HeatCell
    verdict: str
    """The result of the round, as text."""
    reference: str
    """The result of the round from the reference state, as text; may be empty."""
    findings: Sequence[MarkedFinding]
    record: RoundRecordView
    comparison: RoundComparison
    bar: RoundBar | None
    is_first: bool
    """Whether it is the first round on its page with named cases."""


@dataclass(frozen=True, slots=True)
class AttemptView:
    """An attempt: its effort, when cases broke, and its rounds."""

    number: int
    facts: str
    transcript: Transcript | None
    rounds: Sequence[RoundView]
    matrix: Matrix | None


@page_kind(TaskRun, "run.html.j2", "Run")
def run_page(run: TaskRun, _: Templates) -> Iterator[View]:
    """Show a submission's work on one task."""
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
    """Return whether failed cases are named but the source never says why they failed."""
    groups: list[GroupView] = []
    for attempt in attempts:
        for view in attempt.rounds:
            if view.record.cases:
                groups += view.record.cases.groups
    for group in groups:
        if group.reason or any(case.texts for case in group.cases):
            return False
    return bool(groups)


def _records_address(run: TaskRun) -> str:
    """Return the address of the records of a run's rounds, as submitted."""
    path = f"submissions/{run.entry.id}/rounds.jsonl"
    return addresses.raw_address(run.board.benchmark.id, path)


def _failing_checks(run: TaskRun) -> Failing:
    """Return the checks of the failed cases of the first attempt, by round."""
    first_attempt: Mapping[int, AttemptCases] = next(iter(run.reported_cases.values()), {})
    failing: dict[int, list[tuple[str | None, object]]] = {}
    for number, attempt_cases in first_attempt.items():
        failed_cases = [case for case in attempt_cases.failing if case.is_failed]
        failing[number] = [(case.requirement, case.check) for case in failed_cases]
    return failing


@page_kind(TaskRun, "run_part.html.j2", "Run")
def run_part_pages(run: TaskRun, _: Templates) -> Iterator[View]:
    """Show the cases of rounds that are too large for the run's own page."""
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
            record = _record_view(run, attempt, number, case_page)
            round_view = _round_view(run, attempt, defined[number], record, is_first=True)
            run_link = Link(run.title, run.address)
            values = {
                "title": title,
                "crumbs": [*run.crumbs, run_link],
                "previous": _case_page_link(case_pages, index - 1),
                "next": _case_page_link(case_pages, index + 1),
                "round": round_view,
                "report": ProblemReport(title, case_page.address, facts),
            }
            answer = part_answer(board, run.entry, run.task, result)
            yield View(case_page.address, title, answer, values)


def _case_page_title(run: TaskRun, attempt: int, number: int) -> str:
    """Return the title of the pages of a round, without a page number."""
    round_noun = labels.rounds_word(run.board.benchmark)
    attempt_text = ""
    if attempt > 1:
        attempt_text = f", attempt {attempt}"
    return f"{run.title}{attempt_text}, {round_noun} {number}"


def _case_page_link(case_pages: Sequence[CasePage], index: int) -> Link | None:
    """Return a link to one of the pages of a round; None if the index is out of range."""
    if not 0 <= index < len(case_pages):
        return None
    title = f"Part {index + 1}"
    return Link(title, case_pages[index].address)


def _attempt_view(run: TaskRun, attempt: int) -> AttemptView:
    """Return an attempt: its effort, when cases broke, and its rounds compared with one another."""
    cases_by_round = run.reported_cases.get(attempt, {})
    round_noun = labels.rounds_word(run.board.benchmark)
    totals = [attempt_cases.result.total or 0 for attempt_cases in cases_by_round.values()]
    most_cases = max(totals, default=0)
    views: dict[int, RoundView] = {}
    has_first = False
    previous: AttemptCases | None = None
    for defined in run.task.rounds:
        current = cases_by_round.get(defined.n)
        record = _record_view(run, attempt, defined.n)
        comparison = NO_COMPARISON
        if current and previous:
            previous_view = views[previous.result.round]
            comparison = _compare_rounds(current, previous, previous_view, round_noun)
            if record.before and not comparison.same:  # findings changed the result, not the agent
                comparison = NO_COMPARISON
        is_first = not has_first and bool(record.cases and record.cases.groups)
        has_first = has_first or is_first
        views[defined.n] = _round_view(
            run,
            attempt,
            defined,
            record,
            comparison=comparison,
            most_cases=most_cases,
            is_first=is_first,
        )
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


def _compare_rounds(
    current: AttemptCases, previous: AttemptCases, previous_view: RoundView, round_noun: str
) -> RoundComparison:
    """Return the comparison of a round with the previous round."""
    if fails_alike(current, previous):
        title = f"{round_noun} {previous.result.round}"
        link = Link(title, previous_view.anchor)
        return RoundComparison(same=previous_view.comparison.same or link)
    change = change_words(current, previous)
    if not change:
        return NO_COMPARISON
    if current.result.total != previous.result.total:  # shares compare; counts do not
        before = f"{previous.result.failed:,} of {previous.result.total:,}"
        return RoundComparison(f"{round_noun} {previous.result.round}: {before} failed")
    preposition = "as" if change == SAME_NUMBER else "than"
    words = f"{change} {preposition} in {round_noun} {previous.result.round}"
    return RoundComparison(words, _trend(previous.result.failed or 0, current.result.failed or 0))


def _trend(before: int, after: int) -> Literal["fewer", "more", ""]:
    """Return the direction in which a number of failures changed; empty if it did not."""
    if after < before:
        return "fewer"
    if after > before:
        return "more"
    return ""


def _bar(result: RoundResult, cell: HeatCell, most_cases: int) -> RoundBar | None:
    """Return the bar of a round; None if no round of the attempt has any cases."""
    if not most_cases:
        return None
    if not result.total or result.passed is None:
        return RoundBar(0, 0, cell.mark)
    failed = result.failed or 0
    mark = "✓" if result.solved else f"{failed:,}"
    passed_height = _MAX_BAR_HEIGHT * result.passed / most_cases
    failed_height = _MAX_BAR_HEIGHT * failed / most_cases
    return RoundBar(passed_height, failed_height, mark)


def _round_view(  # noqa: PLR0913 - the parts that a round is made of
    run: TaskRun,
    attempt: int,
    defined: TaskRound,
    record: RoundRecordView,
    *,
    comparison: RoundComparison = NO_COMPARISON,
    most_cases: int = 0,
    is_first: bool,
) -> RoundView:
    """Return a round of an attempt, for the run's page or for a separate page of its cases.

    Args:
        run: The run.
        attempt: The number of the attempt.
        defined: The round as its benchmark defines it.
        record: The facts from the round's record.
        comparison: The comparison with the previous round.
        most_cases: The number of cases in the largest round; 0 for a page without bars.
        is_first: Whether it is the first round on its page with named cases.
    """
    number = defined.n
    attempt_cases = run.reported_cases.get(attempt, {}).get(number)
    result = _counting_result(run, attempt, number)
    state_cell = round_cell([result] if result else [])
    anchor = addresses.round_anchor(number, attempt)
    subject = f"{labels.rounds_word(run.board.benchmark)} {number}"
    key = (run.entry.id, run.task.id, number)
    verdict = state_cell.words
    if result and attempt_cases and result is attempt_cases.result:
        verdict = verdict_of(result, state_cell.words)
    cell = state_cell.linked(run.board, key, subject, f"{run.address}#{anchor}")
    return RoundView(
        defined=defined,
        title=labels.round_title(defined),
        anchor=anchor,
        address=run.records.addresses.round(run.task.id, number),
        cell=cell,
        verdict=verdict,
        reference=_reference_text(run, attempt, number),
        findings=run.board.findings.on_round(*key),
        record=record,
        comparison=comparison,
        bar=_bar(attempt_cases.result, cell, most_cases) if attempt_cases else None,
        is_first=is_first,
    )


def _reference_text(run: TaskRun, attempt: int, number: int) -> str:
    """Return the result of a round from the reference state as text; empty after attempt 1."""
    if attempt > 1:
        return ""
    results = run.records.round_results(run.entry, run.task.id, number, "reference")
    return round_cell(results).words if results else ""


def _counting_result(run: TaskRun, attempt: int, number: int) -> RoundResult | None:
    """Return the counted record of a round, which findings may have changed."""
    if run.entry.without_findings is not None:
        attempts = run.records.attempts(run.entry, run.task.id)
        return dict(attempts).get(attempt, {}).get(number)
    attempt_cases = run.reported_cases.get(attempt, {}).get(number)
    return attempt_cases.result if attempt_cases else None


def _record_view(
    run: TaskRun, attempt: int, number: int, case_page: CasePage | None = None
) -> RoundRecordView:
    """Return the facts about a round from the original record, and from the record's cases.

    Args:
        run: The run.
        attempt: The number of the attempt.
        number: The round.
        case_page: The separate page with the round's cases; None for the run's page.
    """
    attempt_cases = run.reported_cases.get(attempt, {}).get(number)
    result = _counting_result(run, attempt, number)
    if attempt_cases is None or result is None:
        return NO_RECORD
    sent = attempt_cases.result
    key = (attempt, number)
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
    return RoundRecordView(
        figures=effort_of(sent, run.board.benchmark.modes),
        names=_named_cases(attempt_cases),
        known_count=len(attempt_cases.cases),
        cases=shown_cases,
        parts=page_addresses,
        transcript=round_transcript(run, sent),
        before=before_findings,
    )


def _named_cases(attempt_cases: AttemptCases) -> str:
    """Return a text on how many of the cases that did not pass are named by the source."""
    result = attempt_cases.result
    named = len(attempt_cases.failing)
    named_failed = sum(case.is_failed for case in attempt_cases.failing)
    if result.state == "scored" and named_failed < (result.failed or 0):
        if not named:
            return "The source names none of them."
        return f"{named} of {counted(result.failed or 0, 'failed case')} listed"
    return counted(named, "case") if named else ""
