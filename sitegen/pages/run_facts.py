"""Facts about attempts and rounds on the pages of a run: results, verdicts and transcripts."""

from collections.abc import Iterable

from sitegen.models.outcome import RoundResult
from sitegen.pages import labels
from sitegen.pages.effort import run_effort
from sitegen.pages.records import TaskRun
from sitegen.pages.reports import ProblemReport, board_facts
from sitegen.pages.selection import count_solved, counting_results
from sitegen.pages.texts import join_texts
from sitegen.pages.transcript_sources import Transcript, reached_rounds, source_of
from sitegen.problems import counted


def report_of(run: TaskRun, name: str, value: str) -> ProblemReport:
    """Return a problem report about a run, with one additional fact."""
    board = run.board
    task = run.task
    facts = {**board_facts(board), "Submission": run.entry.id, "Task": task.id, name: value}
    return ProblemReport(run.title, run.address, facts)


def facts_of(run: TaskRun, attempt: int) -> str:
    """Return a text on how much of an attempt passed, with its total effort."""
    records = run.records
    task_id = run.task.id
    counting = dict(records.attempts(run.entry, task_id)).get(attempt, {})
    results = counting_results(counting.values())
    round_noun = labels.rounds_word(records.board.benchmark)
    passed_rounds = "no record"
    if results and len(run.task.rounds) == 1:
        passed_rounds = "passed" if count_solved(results) else "not passed"
    elif results:
        passed_rounds = f"{count_solved(results)} of {counted(len(results), round_noun)} passed"
    sent = [attempt_cases.result for attempt_cases in run.reported_cases.get(attempt, {}).values()]
    run_figures = records.run_figures.get((run.entry.id, task_id, attempt))
    effort = run_effort(sent, run_figures, round_noun)
    return join_texts(passed_rounds, _passed_cases(results), effort)


def _passed_cases(results: Iterable[RoundResult]) -> str:
    """Return a text on how many of the counted cases passed; empty if no cases were counted."""
    passed = 0
    total = 0
    for result in results:
        if result.passed is not None and result.total:
            passed += result.passed
            total += result.total
    if total:
        return f"{passed:,} of {counted(total, 'case')}"
    return ""


def verdict_of(result: RoundResult, fallback: str) -> str:
    """Return a text on how many cases failed; `fallback` if cases were not counted."""
    if result.state != "scored" or not result.total:
        return fallback
    skipped = ""
    if result.skipped:
        skipped = f", {result.skipped} skipped"
    if result.solved and result.total > 1:
        return f"passed all {result.total:,} cases{skipped}"
    if result.solved:
        return f"passed its only case{skipped}"
    reward = ""
    if result.reward:
        reward = f", reward {result.reward:g}"
    return f"{result.failed or 0:,} of {counted(result.total, 'case')} failed{skipped}{reward}"


def transcript_of(run: TaskRun, attempt: int) -> Transcript | None:
    """Return the location of an attempt's transcript, without a page if no round was reached."""
    source = source_of(run.board, run.entry, run.task.id)
    if source is None:
        return None
    transcript = source.of(run.task.id, attempt)
    cases_by_round = run.reported_cases.get(attempt, {})
    has_worked = reached_rounds(attempt_cases.result for attempt_cases in cases_by_round.values())
    if has_worked:
        return transcript
    return transcript._replace(page="")


def round_transcript(run: TaskRun, result: RoundResult) -> str:
    """Return the address of the page with a round's transcript; empty if there is none.

    The page shows the round's own transcript, or the attempt's at the step at which the round
    begins.
    """
    source = source_of(run.board, run.entry, result.task)
    if source is None or not reached_rounds([result]):
        return ""
    return source.of(result.task, result.attempt, result.round).page
