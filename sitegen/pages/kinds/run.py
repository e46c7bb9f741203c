"""The pages of one run: every round of a submission's work on a task, what it took, and every case known."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sitegen.board.answers.work import Failing, part_answer, run_answer
from sitegen.board.findings import Marked
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.task import TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.case_views import CasesView, RoundTurns, RunRound
from sitegen.pages.cases import AttemptCases, KnownCase
from sitegen.pages.environment import Templates
from sitegen.pages.findings import flag_of
from sitegen.pages.heat import Cell, round_look
from sitegen.pages.kinds.trajectory import Transcript, reached, source_of
from sitegen.pages.pagination import Part
from sitegen.pages.records import Run
from sitegen.pages.reports import Report, board_facts
from sitegen.pages.site import View, page_kind
from sitegen.problems import counted

_MINUTE = 60

_Figure = tuple[Callable[[RoundResult | RunFigures], float | None], Callable[[float], str]]

_FIGURES: Sequence[_Figure] = (
    (lambda of: of.interactions if isinstance(of, RoundResult) else None, lambda n: f"{_count(n)} tool calls"),
    (lambda of: of.turns, lambda n: f"{_count(n)} turns"),
    (lambda of: of.input_tokens, lambda n: f"{n:,.0f} input tokens"),
    (lambda of: of.output_tokens, lambda n: f"{n:,.0f} output tokens"),
    (lambda of: of.cost_usd, lambda n: f"${n:,.2f}"),
    (lambda of: of.agent_seconds, lambda n: f"{n / _MINUTE:,.1f} min"),
)
"""Figures that add up over rounds: what finds each in a record, or in what is told of a whole run, and writes it."""


def _count(number: float) -> str:
    """Write a count, which may be a mean."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"


@dataclass(frozen=True, slots=True)
class RoundView:
    """One round on a run's pages. What has a default is known from the round's record only.

    Attributes:
        report: What a problem with it, or with one of its cases, is reported about.
        before: How it went without the effects of findings; empty where they change nothing of it.
    """

    defined: TaskRound
    anchor: str
    address: str
    cell: Cell
    words: str
    reference: str
    findings: Sequence[Marked]
    reward: str = ""
    figures: str = ""
    note: str = ""
    turned: RoundTurns | None = None
    cases: CasesView | None = None
    transcript: str = ""
    report: Report | None = None
    before: str = ""


@page_kind(Run, "run.html.j2")
def run_page(run: Run, _: Templates) -> Iterator[View]:
    """Show one submission's work on one task."""
    board, task = run.cases.records.board, run.cases.task
    runs, words = run.cases.records.runs(run.entry, task.id), labels.rounds_word(board.benchmark)
    passed = [f"{sum(result.solved for result in each)} of {counted(len(each), words)} passed" for each in runs]
    if len(passed) > 1:
        passed = [f"attempt {attempt}: {text}" for attempt, text in enumerate(passed, start=1)]
    lead = "; ".join(passed).capitalize() if passed else "There is no record of this run."
    values = {
        "title": run.title,
        "lead": lead,
        "links": [Link(f"All submissions on {task.name}", run.cases.records.where.task(task.id))],
        "attempts": [
            (
                attempt,
                _run_effort(run, attempt),
                _transcript(run, attempt),
                [_view(run, attempt, each) for each in task.rounds],
            )
            for attempt in run.told or (1,)
        ],
        "report": _report(run, "Shown", lead),
    }
    yield View(run.address, run.title, run_answer(board, run.entry, task, _failing(run)), values)


def _failing(run: Run) -> Failing:
    """What tells apart the failed cases that the only attempt of a run names, by round."""
    attempt = next(iter(run.told.values()), {})
    return {number: [_told_apart(case) for case in told.cases if case.is_failed] for number, told in attempt.items()}


def _told_apart(known: KnownCase) -> object:
    """What tells a failed case from others of its attempt, in any round: names of cases change from round to round."""
    failure = known.failure
    return (failure.requirement, failure.intent, failure.scenario) if failure else known.case.id


@page_kind(Run, "run_part.html.j2")
def run_part_pages(run: Run, _: Templates) -> Iterator[View]:
    """Show the cases of rounds that are too heavy for the run's own page."""
    board, defined = run.cases.records.board, {each.n: each for each in run.cases.task.rounds}
    for (attempt, number), place in run.places.rounds.items():
        parts = place.parts
        for index, part in enumerate(parts):
            which = f", attempt {attempt}" if attempt > 1 else ""
            several = f", part {index + 1} of {len(parts)}" if len(parts) > 1 else ""
            title = f"{run.title}{which}, {labels.rounds_word(board.benchmark)} {number}{several}"
            values = {
                "title": title,
                "crumbs": [*run.crumbs, Link(run.title, run.address)],
                "previous": Link(f"Part {index}", parts[index - 1].address) if index else None,
                "next": Link(f"Part {index + 2}", parts[index + 1].address) if index + 1 < len(parts) else None,
                "round": _view(run, attempt, defined[number], part),
            }
            answer = part_answer(board, run.entry, run.cases.task, run.told[attempt][number].result)
            yield View(part.address, title, answer, values)


def _report(run: Run, name: str, value: str) -> Report:
    """Describe a submission's work on a task, with one more fact about it."""
    board, task = run.cases.records.board, run.cases.task
    facts = {**board_facts(board), "Submission": run.entry.id, "Task": task.id, name: value}
    return Report(run.title, run.address, facts)


def _view(run: Run, attempt: int, defined: TaskRound, part: Part | None = None) -> RoundView:
    """Show a round of an attempt: on the run's page, or on a page of its own."""
    records, task, entry, number = run.cases.records, run.cases.task, run.entry, defined.n
    board, word = records.board, labels.rounds_word(records.board.benchmark)
    told = run.told.get(attempt, {}).get(number)
    result = told.result if told else None
    if entry.before is not None:  # the record that counts is not the one that was sent in
        result = dict(records.attempts(entry, task.id)).get(attempt, {}).get(number)
    look = round_look([result] if result else [], records.usual.get((task.id, number)))
    anchor, marks = addresses.round_anchor(number, attempt), board.marks.on_round(entry.id, task.id, number)
    cell = look.about(f"{word} {number}").cell(entry.id, task.id, number, f"{run.address}#{anchor}")
    reference = records.of_round(entry, task.id, number, "reference") if attempt == 1 else ()
    view = RoundView(
        defined,
        anchor,
        records.where.round(task.id, number),
        cell.flagged(flag_of(board, marks)),
        look.words,
        round_look(reference).words if reference else "",
        marks,
    )
    if told is None or result is None:
        return view
    here, sent = RunRound(run, attempt, number), told.result
    return replace(
        view,
        reward="" if result.state == "excluded" else f"{result.reward:g}",
        figures=_round_effort(sent),
        note=_note(told),
        turned=here.turned,
        cases=here.view(part.cases if part else None),
        transcript=_round_transcript(run, sent),
        report=_round_report(run, attempt, number, part.address if part else run.address),
        before="" if sent is result else round_look([sent]).words,
    )


def _round_report(run: Run, attempt: int, number: int, page: str) -> Report:
    """Describe a round of a run as a page shows it."""
    board = run.cases.records.board
    word, about = board.benchmark.round_name, _report(run, "Attempt", str(attempt) if board.track.attempts > 1 else "")
    return Report(f"{word} {number}, {run.title}", page, {**about.facts, word: str(number)})


def _note(told: AttemptCases) -> str:
    """Say how much of the failed cases can be seen."""
    failed, named = told.result.failed, sum(known.is_failed for known in told.cases)
    if told.result.state != "scored" or not failed or named >= failed:
        return ""
    if not named:
        return f"{counted(failed, 'case')} failed; the source names none of them."
    return f"{named} of {counted(failed, 'failed case')} shown: the source names no more."


def _transcript(run: Run, attempt: int) -> Transcript | None:
    """Find the transcript of an attempt, or where those of its rounds are."""
    source = source_of(run.cases.records.board, run.entry, run.cases.task.id)
    if source is None:
        return None
    found = source.of(run.cases.task.id, attempt)
    worked = reached(each.result for each in run.told.get(attempt, {}).values())
    return found if worked else found._replace(page="")


def _round_transcript(run: Run, result: RoundResult) -> str:
    """Tell which page has the transcript that a round has for itself."""
    source = source_of(run.cases.records.board, run.entry, result.task)
    if not source or not source.tells_rounds or not reached([result]):
        return ""
    return source.of(result.task, result.attempt, result.round).page


def _round_effort(result: RoundResult) -> str:
    """Say what a round took, as far as it is known."""
    figures = [write(known) for find, write in _FIGURES if (known := find(result)) is not None]
    if result.verifier_seconds is not None:
        figures.append(f"{result.verifier_seconds / _MINUTE:,.1f} min to check")
    return " · ".join(figures)


def _run_effort(run: Run, attempt: int) -> str:
    """Say what an attempt took in all: what its rounds took together, else as it is told of the whole."""
    bundle, results = run.entry.bundle, [told.result for told in run.told.get(attempt, {}).values()]
    about = (run.cases.task.id, attempt)
    stated = next((each for each in bundle.runs if (each.task, each.attempt) == about), None) if bundle else None
    worked = [result for result in results if result.state in labels.REACHED]
    figures = [_in_all(figure, worked, stated) for figure in _FIGURES]
    if stated and stated.interactions_per_round is not None and not figures[0]:
        figures[0] = f"{_count(stated.interactions_per_round)} tool calls a round"
    return " · ".join(filter(None, figures))


def _in_all(figure: _Figure, worked: Sequence[RoundResult], stated: RunFigures | None) -> str:
    find, write = figure
    known = [value for result in worked if (value := find(result)) is not None]
    whole = find(stated) if stated else None
    if len(known) < len(worked) and whole is not None:
        return write(whole)
    some = f" (in the {counted(len(known), 'round')} of {len(worked)} that tell)" if len(known) < len(worked) else ""
    return f"{write(sum(known))}{some}" if known else ""
