"""Rounds and attempts as a run's pages show them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sitegen.board.entry import Entry
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.results import Bundle
from sitegen.models.task import TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.breakage import RoundTurns
from sitegen.pages.case_views import GroupView, PassedGroup, RunRound
from sitegen.pages.casebook import Casebook
from sitegen.pages.cases import Told
from sitegen.pages.effort import round_effort, run_effort
from sitegen.pages.flags import FindingNote, flag_of, notes_of
from sitegen.pages.groups import RoundCases
from sitegen.pages.heat import Cell, round_look
from sitegen.pages.places import Part
from sitegen.pages.reports import Report
from sitegen.pages.room import Shows
from sitegen.pages.subjects import run_round_report
from sitegen.pages.transcripts import Transcript, reached, source_of
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class CasesView:
    """The cases of a round on a page.

    Attributes:
        shows: How much of them the page shows.
        failing: How many of those that did not pass are known.
        passing: How many of those that passed are known.
        groups: Those that did not pass, by requirement.
        passed: Those that passed, by requirement.
        parts: Addresses of the round's own pages, where it has any.
    """

    shows: Shows
    failing: int
    passing: int
    groups: Sequence[GroupView]
    passed: Sequence[PassedGroup]
    parts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RoundView:
    """One round on a run's pages. What has a default is known from the round's record only."""

    number: int
    title: str
    anchor: str
    address: str
    cell: Cell
    words: str
    reference: str
    reward: str = ""
    figures: str = ""
    note: str = ""
    turned: RoundTurns | None = None
    cases: CasesView | None = None
    transcript: str = ""
    findings: Sequence[FindingNote] = ()
    report: Report | None = None
    """What a problem with it, or with one of its cases, is reported about."""
    before: str = ""
    """How it went without the effects of findings; empty where they change nothing of it."""


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt on a run's page."""

    number: int
    figures: str
    transcript: Transcript | None
    rounds: Sequence[RoundView]


def attempt_views(book: Casebook, entry: Entry, bundle: Bundle) -> Iterator[AttemptView]:
    """Show every attempt of a run; one without a record where there is none."""
    for attempt in book.told[entry.id] or {1: {}}:
        results = [told.result for told in book.told[entry.id].get(attempt, {}).values()]
        transcript = _transcript(book, entry, attempt)
        rounds = [round_view(book, entry, attempt, each) for each in book.task.rounds]
        yield AttemptView(attempt, run_effort(results, _stated(book, bundle, attempt)), transcript, rounds)


def _transcript(book: Casebook, entry: Entry, attempt: int) -> Transcript | None:
    """Find the transcript of an attempt, or where those of its rounds are."""
    source = source_of(book.records.board, entry, book.task.id)
    told = book.told[entry.id].get(attempt, {}).values()
    found = source.of(book.task.id, attempt) if source else None
    return found if found is None or reached(each.result for each in told) else replace(found, page="")


def _round_transcript(book: Casebook, entry: Entry, result: RoundResult) -> str:
    """Give the address of the page with the transcript that a round has for itself."""
    source = source_of(book.records.board, entry, book.task.id)
    if not source or not source.tells_rounds or not reached([result]):
        return ""
    return source.of(result.task, result.attempt, result.round).page


def _stated(book: Casebook, bundle: Bundle, attempt: int) -> RunFigures | None:
    """Find what is told of a whole attempt."""
    return next((each for each in bundle.runs if (each.task, each.attempt) == (book.task.id, attempt)), None)


def round_view(book: Casebook, entry: Entry, attempt: int, defined: TaskRound, part: Part | None = None) -> RoundView:
    """Show a round.

    Args:
        book: The task's cases.
        entry: The submission.
        attempt: Which of its attempts.
        defined: The round, as the benchmark defines it.
        part: The page of the round's own that it is for; None on the run's page.
    """
    records, board = book.records, book.records.board
    anchor = addresses.round_anchor(defined.n, attempt)
    run = addresses.run_address(board.benchmark.id, board.track.id, entry.id, book.task.id)
    told = book.told[entry.id].get(attempt, {}).get(defined.n)
    result = _result(book, entry, attempt, defined, told)
    look = round_look([result] if result else [], records.usual.get((book.task.id, defined.n)))
    marks = board.marks.on_round(entry.id, book.task.id, defined.n)
    cell = look.about(f"{labels.rounds_word(board.benchmark)} {defined.n}").cell(
        entry.id, book.task.id, defined.n, f"{run}#{anchor}"
    )
    page = addresses.round_address(board.benchmark.id, board.track.id, book.task.id, defined.n)
    reference = _reference(book, entry, defined) if attempt == 1 else ""
    view = RoundView(
        defined.n,
        defined.title,
        anchor,
        page,
        cell.flagged(flag_of(board, marks)),
        look.words,
        reference,
        findings=notes_of(board, marks),
    )
    if told is None or result is None:
        return view
    here = RunRound(book, entry, attempt, defined.n)
    return replace(
        view,
        reward="" if result.state == "excluded" else f"{result.reward:g}",
        figures=round_effort(told.result),
        note=_note(told),
        turned=here.turned,
        cases=_cases_view(here, part),
        report=run_round_report(book, entry, attempt, defined.n, part.address if part else run),
        transcript=_round_transcript(book, entry, told.result),
        before="" if told.result is result else round_look([told.result]).words,
    )


def _result(book: Casebook, entry: Entry, attempt: int, defined: TaskRound, told: Told | None) -> RoundResult | None:
    """Give the record that counts; it is the one that was sent in where findings change nothing of the row."""
    if entry.before is None:
        return told.result if told else None
    return book.records.record(entry, book.task.id, attempt, defined.n)


def _part_view(here: RunRound, part: RoundCases) -> CasesView:
    failing, passing = len(list(part.failing)), len(list(part.passing))
    return CasesView("texts", failing, passing, here.groups(part), here.passed(part.passed))


def _cases_view(here: RunRound, part: Part | None) -> CasesView:
    """Show of a round's cases what a page of its own holds, or what a run's page has room for."""
    if part:
        return _part_view(here, part.cases)
    place = here.place
    failing, passing = len(list(place.cases.failing)), len(list(place.cases.passing))
    parts = [part.address for part in place.parts]
    if place.shows == "counts":
        return CasesView(place.shows, failing, passing, (), (), parts)
    groups = here.groups(place.cases) if place.shows == "texts" else here.names(place.cases.groups)
    return CasesView(place.shows, failing, passing, groups, here.passed(place.cases.passed), parts)


def _reference(book: Casebook, entry: Entry, defined: TaskRound) -> str:
    results = book.records.of_round(entry, book.task.id, defined.n, "reference")
    return round_look(results).words if results else ""


def _note(told: Told) -> str:
    """Say how much of the failed cases can be seen."""
    failed, named = told.result.failed, sum(known.is_failed for known in told.cases)
    if told.result.state != "scored" or not failed or named >= failed:
        return ""
    if not named:
        return f"{counted(failed, 'case')} failed; the source names none of them."
    return f"{named} of {counted(failed, 'failed case')} shown: the source names no more."
