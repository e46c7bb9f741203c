"""The page of a run of which nothing is told but how too many cases ended: a line a round, and where the cases are."""

from collections.abc import Iterator
from functools import cache
from itertools import islice

from markupsafe import Markup

from sitegen.board.answers.work import Failing, run_answer
from sitegen.models.outcome import OUTCOME_STATUS
from sitegen.pages import addresses, labels
from sitegen.pages.case_views import change_words, fails_alike
from sitegen.pages.cases import AttemptCases
from sitegen.pages.environment import Templates
from sitegen.pages.heat import round_look
from sitegen.pages.kinds.run import (
    effort_of,
    facts_of,
    report_of,
    round_transcript,
    transcript_of,
    verdict_of,
)
from sitegen.pages.kinds.trajectory import source_of
from sitegen.pages.labels import visible
from sitegen.pages.pagination import ROOM
from sitegen.pages.records import Run
from sitegen.pages.site import View, page_kind

_LISTED, _LINE_ELEMENTS = 3, 8
"""So many of the cases that failed are named on a line; and what it has beside them, in elements."""


Line = tuple[int, str, str, str, str, str, str, int, Markup]
"""A round of an attempt on a page that has no room for its cases; `run_brief.html.j2` says what is in it."""


@page_kind(Run, "run_brief.html.j2", "Run")
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
        "attempts": attempts,
        "rounds": {each.n: labels.round_title(each) for each in task.rounds},
        "task": task,
        "raw": addresses.raw_address(
            records.board.benchmark.id, f"submissions/{run.entry.id}/rounds.jsonl"
        ),
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
    records, task, word = (
        run.cases.records,
        run.cases.task,
        labels.rounds_word(run.cases.records.board.benchmark),
    )
    has_transcripts = source_of(records.board, run.entry, task.id) is not None
    has_references = attempt == 1 and bool(records.attempts(run.entry, task.id, "reference"))
    before: AttemptCases | None = None
    for number, told in run.told[attempt].items():
        result, look = told.result, round_look([told.result])
        verdict = visible(verdict_of(result, look.words))
        if before and fails_alike(told, before):
            verdict = f"{verdict}, as in {word} {before.result.round}"
        elif before and (change := change_words(told, before)):
            verdict = f"{verdict}, {change}"
        reference = (
            records.of_round(run.entry, task.id, number, "reference") if has_references else ()
        )
        if reference:
            verdict = f"{verdict}; from the reference state: {visible(round_look(reference).words)}"
        yield (
            number,
            addresses.round_anchor(number, attempt),
            look.state,
            look.shade,
            verdict,
            effort_of(result, records.board.benchmark.modes),
            round_transcript(run, result) if has_transcripts else "",
            len(result.outcomes or ""),
            _failing(run, told, listed, word),
        )
        before = told if result.state == "scored" else before


def _failing(run: Run, told: AttemptCases, listed: int, word: str) -> Markup:
    """Name some of the cases that did not pass, and say how many more there are."""
    result = told.result
    left = len(result.outcomes or "") - (result.outcomes or "").count("p")
    if not left:
        return Markup()
    turns = run.cases.turns_in(run.entry, result.attempt, result.round) if told.has_names else {}
    broken = {key.case: turn.words(word) for key, turn in turns.items()}
    failing = islice(((name, letter) for name, letter in told.endings if letter != "p"), listed)
    named = [_case(name, letter, broken.get(name, "")) for name, letter in failing]
    more = f"and {left - len(named)} more" if left > len(named) else ""
    return Markup(" ".join((*named, more)))  # noqa: S704 - all of it is HTML, or a number


@cache
def _case(name: str, letter: str, turned: str) -> Markup:
    """A case that did not pass: the same piece of HTML wherever one of its name ended like that."""
    status = OUTCOME_STATUS[letter]
    since = Markup(' data-regression title="{}"').format(turned) if turned else ""
    return Markup('<b data-case="{}" data-status="{}"{}>{}</b>').format(
        name, status, since, visible(name)
    )
