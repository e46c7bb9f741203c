"""The page of a run of which nothing is told but how too many cases ended: a line a round, and where the cases are."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sitegen.board.answers.work import Failing, run_answer
from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.case_views import change_words, fails_alike
from sitegen.pages.cases import AttemptCases
from sitegen.pages.environment import Templates
from sitegen.pages.heat import round_look
from sitegen.pages.kinds.run import effort_of, facts_of, report_of, round_transcript, transcript_of, verdict_of
from sitegen.pages.kinds.trajectory import source_of
from sitegen.pages.pagination import ROOM
from sitegen.pages.records import Run
from sitegen.pages.site import View, page_kind

_LISTED, _LINE_ELEMENTS = 3, 8
"""So many of the cases that failed are named on a line; and what it has beside them, in elements."""


class Line(NamedTuple):
    """A round of an attempt on a page that has no room for its cases.

    Attributes:
        since: How failures changed against the round before.
        failing: Some of the cases that did not pass, each with its status, and since when where it passed before.
        more: How many more there are.
        total: How many cases the round's file has.
    """

    number: int
    anchor: str
    state: str
    shade: str
    verdict: str
    since: str
    figures: str
    reference: str
    transcript: str
    failing: Sequence[tuple[str, CaseStatus, str]]
    more: int
    total: int


@page_kind(Run, "run_brief.html.j2")
def brief_run_page(run: Run, _: Templates) -> Iterator[View]:
    """Show one submission's work on one task, a line a round: of its cases nothing is told but how they ended."""
    if not run.is_brief:
        return
    records, task = run.cases.records, run.cases.task
    listed = max(0, min(_LISTED, ROOM // max(1, sum(map(len, run.told.values()))) - _LINE_ELEMENTS))
    attempts = [
        (attempt, facts_of(run, attempt), transcript_of(run, attempt), _lines(run, attempt, listed))
        for attempt in run.told
    ]
    values = {
        "title": run.title,
        "links": [Link("Other agents on this task", records.where.task(task.id))],
        "attempts": attempts,
        "rounds": {each.n: labels.round_title(each) for each in task.rounds},
        "task": task,
        "raw": addresses.raw_address(records.board.benchmark.id, f"submissions/{run.entry.id}/rounds.jsonl"),
        "report": report_of(run, "Shown", attempts[0][1]),
    }
    failing: Failing = {}
    if len(run.told) == 1:
        failing = {
            number: [(None, None) for _, letter in told.endings if letter in "fe"]
            for number, told in next(iter(run.told.values())).items()
        }
    yield View(run.address, run.title, run_answer(records.board, run.entry, task, failing), values)


def _lines(run: Run, attempt: int, listed: int) -> Iterator[Line]:
    """Tell of each round of an attempt how it went; so many of the cases that did not pass are named."""
    records, task, word = run.cases.records, run.cases.task, labels.rounds_word(run.cases.records.board.benchmark)
    before: AttemptCases | None = None
    has_transcripts = source_of(records.board, run.entry, task.id) is not None
    for number, told in run.told[attempt].items():
        result = told.result
        look = round_look([result])
        since = ""
        if before and fails_alike(told, before):
            since = f"as in {word} {before.result.round}"
        elif before:
            since = change_words(told, before)
        reference = records.of_round(run.entry, task.id, number, "reference") if attempt == 1 else ()
        turns = run.cases.turns_in(run.entry, attempt, number) if told.has_names else {}
        broken = {key.case: turn.words(word) for key, turn in turns.items()}
        failing = [(name, letter) for name, letter in told.endings if letter != "p"]
        yield Line(
            number,
            addresses.round_anchor(number, attempt),
            look.state,
            look.shade,
            verdict_of(result, look.words),
            since,
            effort_of(result),
            round_look(reference).words if reference else "",
            round_transcript(run, result) if has_transcripts else "",
            [(name, OUTCOME_STATUS[letter], broken.get(name, "")) for name, letter in failing[:listed]],
            max(0, len(failing) - listed),
            len(result.outcomes or ""),
        )
        before = told if result.state == "scored" else before
