"""The pages of one run: every round of a submission's work on a task, what broke when, and every case known.

They say nothing of other submissions, so that they stay as they are when another one comes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sitegen.board.answers.work import part_answer, run_answer
from sitegen.models.outcome import REACHED, RoundResult, RunFigures
from sitegen.models.task import TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.case_views import change_words, fails_alike, matrix_of, round_cases
from sitegen.pages.cases import AttemptCases
from sitegen.pages.environment import Templates
from sitegen.pages.heat import Cell, round_look
from sitegen.pages.kinds.trajectory import Transcript, reached, source_of
from sitegen.pages.pagination import MATRIX, Part
from sitegen.pages.records import Run
from sitegen.pages.reports import Report, board_facts
from sitegen.pages.site import View, page_kind
from sitegen.problems import counted, plural

_MINUTE = 60

_OF_RECORDS = (
    "bar",
    "figures",
    "names",
    "change",
    "same",
    "cases",
    "parts",
    "transcript",
    "before",
    "is_first",
)
"""What is known of a round from its record only."""

_TALLEST = 86
"""Percent of a chart's height that the round with most cases takes; above it stands a number."""


def _count(number: float) -> str:
    """Write a count, which may be a mean."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"


def _counted(number: float, noun: str) -> str:
    """Write a count, which may be a mean, with its noun."""
    return f"{_count(number)} {noun if number == 1 else plural(noun)}"


def _time(seconds: float) -> str:
    """Write how long something took: below a minute in seconds."""
    return f"{seconds / _MINUTE:,.1f} min" if seconds >= _MINUTE else f"{_count(seconds)} s"


_Figure = tuple[Callable[[RoundResult | RunFigures], float | None], Callable[[float], str]]

_FIGURES: Sequence[_Figure] = (
    (
        lambda of: of.interactions if isinstance(of, RoundResult) else None,
        lambda n: _counted(n, "tool call"),
    ),
    (lambda of: of.turns, lambda n: _counted(n, "turn")),
    (lambda of: of.input_tokens, lambda n: _counted(n, "input token")),
    (lambda of: of.cached_tokens, lambda n: f"{n:,.0f} of them cached"),
    (lambda of: of.output_tokens, lambda n: _counted(n, "output token")),
    (lambda of: of.cost_usd, lambda n: f"${n:,.2f}"),
    (lambda of: of.agent_seconds, _time),
)
"""Figures that add up over rounds: what finds each in a record, or in what is told of a whole run, and writes it."""


@page_kind(Run, "run.html.j2", "Run")
def run_page(run: Run, _: Templates) -> Iterator[View]:
    """Show one submission's work on one task."""
    if run.is_brief:
        return
    board, task = run.cases.records.board, run.cases.task
    attempts = [_attempt(run, attempt) for attempt in run.told or (1,)]
    report = report_of(run, "Shown", attempts[0]["facts"])
    values = {"title": run.title, "task": task, "attempts": attempts, "report": report}
    rounds = next(iter(run.told.values()), {}).items()
    failing = {
        n: [(each.requirement, each.check) for each in told.failing if each.is_failed]
        for n, told in rounds
    }
    yield View(run.address, run.title, run_answer(board, run.entry, task, failing), values)


@page_kind(Run, "run_part.html.j2", "Run")
def run_part_pages(run: Run, _: Templates) -> Iterator[View]:
    """Show the cases of rounds that are too heavy for the run's own page."""
    board, defined = run.cases.records.board, {each.n: each for each in run.cases.task.rounds}
    for (attempt, number), parts in run.places.parts.items():
        for index, part in enumerate(parts):
            which = f", attempt {attempt}" if attempt > 1 else ""
            several = f", part {index + 1} of {len(parts)}" if len(parts) > 1 else ""
            title = f"{run.title}{which}, {labels.rounds_word(board.benchmark)} {number}{several}"
            word, about = board.benchmark.round_word, report_of(run, "Attempt", str(attempt))
            values = {
                "title": title,
                "crumbs": [*run.crumbs, Link(run.title, run.address)],
                "previous": Link(f"Part {index}", parts[index - 1].address) if index else None,
                "next": Link(f"Part {index + 2}", parts[index + 1].address)
                if index + 1 < len(parts)
                else None,
                "round": _view(run, attempt, defined[number], part) | {"is_first": True},
                "report": Report(title, part.address, {**about.facts, word: str(number)}),
            }
            answer = part_answer(board, run.entry, run.cases.task, run.told[attempt][number].result)
            yield View(part.address, title, answer, values)


def report_of(run: Run, name: str, value: str) -> Report:
    """Describe a submission's work on a task, with one more fact about it."""
    board, task = run.cases.records.board, run.cases.task
    facts = {**board_facts(board), "Submission": run.entry.id, "Task": task.id, name: value}
    return Report(run.title, run.address, facts)


def _attempt(run: Run, attempt: int) -> dict[str, Any]:
    """Show an attempt: what it took in all, what broke when, and its rounds, each beside the one before."""
    records, told = run.cases.records, run.told.get(attempt, {})
    word = labels.rounds_word(records.board.benchmark)
    views: dict[int, dict[str, Any]] = {}
    largest, before = max((each.result.total or 0 for each in told.values()), default=0), None
    for defined in run.cases.task.rounds:
        view, now = _view(run, attempt, defined), told.get(defined.n)
        if now:
            view["bar"] = _bar(now.result, view["cell"], largest)
            view["is_first"] = bool(view["cases"] and view["cases"].groups) and not any(
                each["is_first"] for each in views.values()
            )
            if before and fails_alike(now, before):
                same = before.result.round
                here = Link(f"{word} {same}", addresses.round_anchor(same, attempt))
                view["same"] = views[same]["same"] or here
            elif before and not view["before"]:
                view["change"] = change_words(now, before)
            before = now if now.result.state == "scored" else before
        views[defined.n] = view
    return {
        "number": attempt,
        "facts": facts_of(run, attempt),
        "transcript": transcript_of(run, attempt),
        "rounds": list(views.values()),
        "matrix": matrix_of(told, word, MATRIX // max(1, len(run.told))),
    }


def facts_of(run: Run, attempt: int) -> str:
    """Say how much of an attempt passed, and what it took in all."""
    counting = (
        dict(run.cases.records.attempts(run.entry, run.cases.task.id)).get(attempt, {}).values()
    )
    results = [result for result in counting if result.state != "excluded"]
    cases = [
        (result.passed, result.total)
        for result in results
        if result.passed is not None and result.total
    ]
    word = labels.rounds_word(run.cases.records.board.benchmark)
    stated = run.cases.records.stated.get((run.entry.id, run.cases.task.id, attempt))
    solved = sum(result.solved for result in results)
    facts = (
        f"{solved} of {counted(len(results), word)} passed" if results else "no record",
        f"{sum(passed for passed, _ in cases):,} of {counted(sum(total or 0 for _, total in cases), 'case')}"
        if cases
        else "",
        run_effort([told.result for told in run.told.get(attempt, {}).values()], stated, word),
    )
    return " · ".join(filter(None, facts))


def _bar(result: RoundResult, cell: Cell, largest: int) -> tuple[float, float, str] | None:
    """Draw a round's cases, of at most `largest`: passed and failed, in percent of the height, and a mark.

    None where no round has any.
    """
    if not largest:
        return None
    if not result.total or result.passed is None:
        return 0, 0, cell.mark
    failed = result.failed or 0
    mark = "✓" if result.solved else f"{failed:,}"
    return _TALLEST * result.passed / largest, _TALLEST * failed / largest, mark


def _view(run: Run, attempt: int, defined: TaskRound, part: Part | None = None) -> dict[str, Any]:
    """Show a round of an attempt, on the run's page or on one of its own; `rounds.html.j2` says what it needs."""
    records, task, entry, number = run.cases.records, run.cases.task, run.entry, defined.n
    board, key = records.board, (attempt, defined.n)
    told = run.told.get(attempt, {}).get(number)
    result = told.result if told else None
    if entry.before is not None:  # the record that counts is not the one that was sent in
        result = dict(records.attempts(entry, task.id)).get(attempt, {}).get(number)
    look, anchor = round_look([result] if result else []), addresses.round_anchor(number, attempt)
    what = f"{labels.rounds_word(board.benchmark)} {number}"
    reference = records.of_round(entry, task.id, number, "reference") if attempt == 1 else ()
    view = {
        "defined": defined,
        "title": labels.round_title(defined),
        "anchor": anchor,
        "address": records.where.round(task.id, number),
        "cell": look.placed(board, (entry.id, task.id, number), what, f"{run.address}#{anchor}"),
        "verdict": verdict_of(result, look.words) if told and result is told.result else look.words,
        "reference": round_look(reference).words if reference else "",
        "findings": board.marks.on_round(entry.id, task.id, number),
        **dict.fromkeys(_OF_RECORDS),
    }
    if told is None or result is None:
        return view
    sent, parts = (
        told.result,
        [] if part else [each.address for each in run.places.parts.get(key, ())],
    )
    shown = (part.cases, part.address) if part else (told.cases, run.address)
    return view | {
        "figures": effort_of(sent, records.board.benchmark.modes),
        "names": _names(told),
        "known": len(told.cases),
        "cases": None if parts else round_cases(run, key, *shown),
        "parts": parts,
        "transcript": round_transcript(run, sent),
        "before": "" if sent is result else round_look([sent]).words,
    }


def verdict_of(result: RoundResult, words: str) -> str:
    """Say how many cases failed; where they were not counted, what `words` say."""
    if result.state != "scored" or not result.total:
        return words
    skipped = f", {result.skipped} skipped" if result.skipped else ""
    if result.solved:
        return (
            f"passed, all {result.total:,} cases{skipped}"
            if result.total > 1
            else f"passed, its only case{skipped}"
        )
    reward = f", reward {result.reward:g}" if result.reward else ""
    return f"{result.failed or 0:,} of {counted(result.total, 'case')} failed{skipped}{reward}"


def _names(told: AttemptCases) -> str:
    """Say how many of the cases that did not pass the source names."""
    named, failed = len(told.failing), told.result.failed or 0
    is_part = (
        told.result.state == "scored" and sum(known.is_failed for known in told.failing) < failed
    )
    if is_part and not named:
        return "The source names none of them."
    if is_part:
        return f"{named} of {counted(failed, 'failed case')} named"
    return counted(named, "case") if named else ""


def transcript_of(run: Run, attempt: int) -> Transcript | None:
    """Find the transcript of an attempt, or where those of its rounds are."""
    source = source_of(run.cases.records.board, run.entry, run.cases.task.id)
    if source is None:
        return None
    found = source.of(run.cases.task.id, attempt)
    worked = reached(each.result for each in run.told.get(attempt, {}).values())
    return found if worked else found._replace(page="")


def round_transcript(run: Run, result: RoundResult) -> str:
    """Tell which page has the transcript of a round: its own, or the attempt's, at the step where it begins."""
    source = source_of(run.cases.records.board, run.entry, result.task)
    return (
        source.of(result.task, result.attempt, result.round).page
        if source and reached([result])
        else ""
    )


def effort_of(result: RoundResult, modes: Mapping[str, str]) -> str:
    """Say how a round failed, where somebody judged that, and what it took, as far as it is known."""
    figures = [f"Failure: {modes[result.mode]}"] if result.mode and result.mode in modes else []
    figures += [write(known) for find, write in _FIGURES if (known := find(result)) is not None]
    if result.verifier_seconds is not None:
        figures.append(f"{_time(result.verifier_seconds)} to check")
    return " · ".join(figures)


def run_effort(results: Iterable[RoundResult], stated: RunFigures | None, word: str) -> str:
    """Say what an attempt took in all: what its rounds took together, else as it is stated of the whole.

    `word` is the benchmark's for a round.
    """
    worked = [result for result in results if result.state in REACHED]
    figures = [_in_all(figure, worked, stated, word) for figure in _FIGURES]
    rate = stated.interactions_per_round if stated and not figures[0] else None
    whole = " · ".join(filter(None, figures))
    parts = (
        f"{_counted(rate, 'tool call')} a {word}" if rate is not None else "",
        f"in all {whole}" if whole else "",
    )
    return " · ".join(filter(None, parts))


def _in_all(
    figure: _Figure, worked: Sequence[RoundResult], stated: RunFigures | None, word: str
) -> str:
    find, write = figure
    known = [value for result in worked if (value := find(result)) is not None]
    whole = find(stated) if stated else None
    if len(known) < len(worked) and whole is not None:
        return write(whole)
    some = (
        f" (in the {counted(len(known), word)} of {len(worked)} that tell)"
        if len(known) < len(worked)
        else ""
    )
    return f"{write(sum(known))}{some}" if known else ""
