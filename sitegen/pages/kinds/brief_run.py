"""The page of a run with too many cases to list: one line per round, with links to the cases.

Nothing except the outcomes of such a run's cases is known.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import NamedTuple

from markupsafe import Markup

from sitegen.board.answers.work import Failing, run_answer
from sitegen.models.outcome import OUTCOME_STATUS
from sitegen.pages import addresses, labels
from sitegen.pages.case_views import change_words, fails_alike
from sitegen.pages.cases import AttemptCases
from sitegen.pages.effort import effort_of
from sitegen.pages.environment import Templates
from sitegen.pages.heat import round_cell
from sitegen.pages.labels import visible
from sitegen.pages.pagination import ROOM
from sitegen.pages.records import TaskRun
from sitegen.pages.run_facts import (
    facts_of,
    report_of,
    round_transcript,
    transcript_of,
    verdict_of,
)
from sitegen.pages.site import View, page_kind
from sitegen.pages.transcript_sources import source_of

_MAX_NAMED_CASES = 3
"""Maximum number of failed cases named on a line."""

_LINE_ELEMENTS = 8
"""Number of HTML elements of a line without its cases."""


class RoundLine(NamedTuple):
    """A round of an attempt on a page without cases."""

    number: int
    anchor: str
    state: str
    shade: str
    """The shade of the cell with the verdict, by the share that passed."""
    verdict: str
    effort: str
    transcript: str
    """The address of the page with the transcript; empty if there is none."""
    case_count: int
    """The number of cases in the file of the round's outcomes."""
    failed_cases: Markup
    """Some of the cases that did not pass, and the number of the remaining cases, as HTML."""


@page_kind(TaskRun, "run_brief.html.j2", "Run")
def brief_run_page(run: TaskRun, _: Templates) -> Iterator[View]:
    """Show a submission's work on one task, one line per round, with a few failed cases named."""
    if not run.is_brief:
        return
    records = run.records
    task = run.task
    line_count = sum(map(len, run.reported_cases.values()))
    room_per_line = ROOM // max(1, line_count) - _LINE_ELEMENTS
    named_cases = max(0, min(_MAX_NAMED_CASES, room_per_line))
    attempts = []
    for attempt in run.reported_cases:
        lines = _round_lines(run, attempt, named_cases)
        attempts.append((attempt, facts_of(run, attempt), transcript_of(run, attempt), lines))
    titles = {defined.n: labels.round_title(defined) for defined in task.rounds}
    rounds_file = f"submissions/{run.entry.id}/rounds.jsonl"
    values = {
        "title": run.title,
        "attempts": attempts,
        "rounds": titles,
        "task": task,
        "raw": addresses.raw_address(records.board.benchmark.id, rounds_file),
        "report": report_of(run, "Shown", attempts[0][1]),
    }
    answer = run_answer(records.board, run.entry, task, _failing_cases(run))
    yield View(run.address, run.title, answer, values)


def _failing_cases(run: TaskRun) -> Failing:
    """Return the failed cases by round, without details; empty if there are several attempts."""
    if len(run.reported_cases) != 1:
        return {}
    (only_attempt,) = run.reported_cases.values()
    failing: dict[int, list[tuple[str | None, object]]] = {}
    for number, attempt_cases in only_attempt.items():
        outcomes = attempt_cases.result.outcomes or ""
        failed = outcomes.count("f") + outcomes.count("e")
        failing[number] = [(None, None)] * failed
    return failing


def _round_lines(run: TaskRun, attempt: int, named_cases: int) -> Iterator[RoundLine]:
    """Yield the result of each round of an attempt; up to `named_cases` failed cases are named."""
    records = run.records
    task = run.task
    has_transcripts = source_of(records.board, run.entry, task.id) is not None
    previous: AttemptCases | None = None
    for number, attempt_cases in run.reported_cases[attempt].items():
        result = attempt_cases.result
        look = round_cell([result])
        verdict = _verdict(run, attempt_cases, previous, look.words)
        transcript = ""
        if has_transcripts:
            transcript = round_transcript(run, result)
        yield RoundLine(
            number=number,
            anchor=addresses.round_anchor(number, attempt),
            state=look.state,
            shade=look.shade,
            verdict=verdict,
            effort=effort_of(result, records.board.benchmark.modes),
            transcript=transcript,
            case_count=len(result.outcomes or ""),
            failed_cases=_failed_cases(run, attempt_cases, named_cases),
        )
        if result.state == "scored":
            previous = attempt_cases


def _verdict(
    run: TaskRun, attempt_cases: AttemptCases, previous: AttemptCases | None, look_text: str
) -> str:
    """Return a round's result as text, compared with the previous round and the reference state."""
    records = run.records
    result = attempt_cases.result
    verdict = visible(verdict_of(result, look_text))
    if previous and fails_alike(attempt_cases, previous):
        round_noun = labels.rounds_word(records.board.benchmark)
        verdict = f"{verdict}, as in {round_noun} {previous.result.round}"
    elif previous:
        change = change_words(attempt_cases, previous)
        verdict = f"{verdict}, {change}" if change else verdict
    if result.attempt == 1:
        task_id = run.task.id
        reference = records.round_results(run.entry, task_id, result.round, "reference")
        if reference:
            reference_text = visible(round_cell(reference).words)
            verdict = f"{verdict}; from the reference state: {reference_text}"
    return verdict


def _failed_cases(run: TaskRun, attempt_cases: AttemptCases, named_cases: int) -> Markup:
    """Return some of the cases that did not pass as HTML, and the number of the remaining cases."""
    outcomes = attempt_cases.result.outcomes or ""
    failed = len(outcomes) - outcomes.count("p")
    if not failed:
        return Markup()
    regressions = _regression_texts(run, attempt_cases)
    failing = ((name, letter) for name, letter in attempt_cases.named_outcomes if letter != "p")
    pieces: list[str] = []
    for name, letter in islice(failing, named_cases):
        pieces.append(_case_markup(name, letter, regressions.get(name, "")))
    more = ""
    if failed > len(pieces):
        more = f"and {failed - len(pieces)} more"
    return Markup(" ".join((*pieces, more)))  # noqa: S704 - all of it is HTML, or a number


def _regression_texts(run: TaskRun, attempt_cases: AttemptCases) -> Mapping[str, str]:
    """Return texts on when each case of a round broke that passed before, by the case's name."""
    if not attempt_cases.has_case_names:
        return {}
    round_noun = labels.rounds_word(run.board.benchmark)
    result = attempt_cases.result
    regressions = run.task_cases.transitions_in(run.entry, result.attempt, result.round)
    return {key.case: regression.words(round_noun) for key, regression in regressions.items()}


@cache
def _case_markup(name: str, letter: str, regression: str) -> Markup:
    """Return a case that did not pass as HTML; cached, since names recur on many lines."""
    status = OUTCOME_STATUS[letter]
    since = ""
    if regression:
        since = Markup(' data-regression title="{}"').format(regression)
    return Markup('<b data-case="{}" data-status="{}"{}>{}</b>').format(
        name, status, since, visible(name)
    )
