"""Find unusual bundles on a track, and unusual rounds of a task."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from statistics import median

from sitegen.board.usual import UsualCounts
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, agreeing, counted, part_of
from sitegen.store.checks.expected import short_round_name
from sitegen.store.files.layout import ROUNDS_FILE

TOTAL_DEGENERATE = Rule.warning(
    "ROUND-TOTAL-DEGENERATE",
    "A round has far fewer cases than usual.",
    "check whether the test suite stopped before its cases ran",
)
TOTAL_UNUSUAL = Rule.warning(
    "ROUND-TOTAL-UNUSUAL",
    "A passed round has far fewer cases than usual, or does not say how many it has.",
    "find out why the number of cases differs",
)
TOTAL_VARIES = Rule.note(
    "ROUND-TOTAL-VARIES",
    "A round has different numbers of cases for different agents.",
    "nothing needs to be done: the score of a round is computed over the cases that it has",
)
SKIPS_UNUSUAL = Rule.warning(
    "ROUND-SKIPS-UNUSUAL",
    "A passed round skips far more cases than in other submissions.",
    "find out why the cases were skipped: a case that would have failed is not a pass",
)
ROUND_TINY = Rule.warning(
    "TASK-ROUND-TINY",
    "A round has far fewer cases than the rounds around it.",
    "check whether the verifier stops at its first failure",
)
ABORTED_AFTER_WORK = Rule.warning(
    "ABORTED-AFTER-WORK",
    "A round has no verdict, although its agent worked on it.",
    "find out why the verifier gave no verdict",
)
CASE_ID_AMBIGUOUS = Rule.note(
    "CASE-ID-AMBIGUOUS",
    "A case id means different cases in different submissions.",
    "nothing needs to be done: cases are matched by id, requirement and intent",
)

MAX_FRAGMENT_CASES = 2
"""Maximum number of cases in a round whose verifier stopped early or at its first failure."""

MIN_SUITE_CASES = 10
"""Minimum number of cases in a round whose cases count as a suite."""

_CASES_PER_LEFT_OUT = 20
"""A passed round may lack 1 in this many cases of the usual number, and always 1 case."""

_CASES_PER_EXTRA_SKIP = 20
"""A passed round may skip 1 in this many cases, and always 1 case, above twice the usual number."""


def bundle_anomalies(
    bundle: Bundle,
    usual_totals: UsualCounts,
    usual_skips: UsualCounts,
    counted_rounds: AbstractSet[tuple[str, int]],
) -> Iterator[Problem]:
    """Yield problems with unusual rounds of a bundle, one problem per kind.

    Args:
        bundle: The bundle.
        usual_totals: The usual number of cases of each round.
        usual_skips: The usual number of skipped cases of each round.
        counted_rounds: The task and number of each round whose number of cases is known.
    """
    deviating = list(_deviating_totals(bundle, usual_totals))
    for rule, predicate in _DEVIATIONS.items():
        same_rule = [problem for problem in deviating if problem.code == rule.code]
        yield from _first_with_count(same_rule, predicate)
    skipping = list(_unusual_skips(bundle, usual_skips))
    yield from _first_with_count(skipping, "passed with far more skipped cases than usual")
    uncounted = list(_uncounted_passes(bundle, counted_rounds))
    yield from _first_with_count(uncounted, "passed and give no number of cases")
    yield from _aborted_after_work(bundle)


def _first_with_count(problems: Sequence[Problem], predicate: str) -> Iterator[Problem]:
    """Yield the first of several problems, with the lines of all of them and their number."""
    if not problems:
        return
    lines: list[int] = []
    for problem in problems:
        lines += problem.lines
    first = problems[0].about(lines)
    if len(problems) > 1:
        first = replace(first, what=f"{first.what}; {len(problems)} rounds {predicate}")
    yield first


_DEVIATIONS: Mapping[Rule, str] = {
    TOTAL_DEGENERATE: "have almost none of their usual cases",
    TOTAL_UNUSUAL: "have far fewer cases than usual",
    TOTAL_VARIES: "do not have their usual number of cases",
}
"""Predicates for rounds with an unusual number of cases, by the rule they break."""


def _deviating_totals(bundle: Bundle, usual_totals: UsualCounts) -> Iterator[Problem]:
    """Yield problems with rounds whose number of cases differs from the usual number."""
    if not usual_totals:
        return
    path = bundle.path / ROUNDS_FILE
    for line, result in bundle.numbered_rounds():
        if result.state != "scored" or not result.total:
            continue
        total = result.total
        usual = usual_totals.get((result.task, result.round), total)
        if not usual or usual == total:
            continue
        cases = counted(usual, "case")
        fact = f"{short_round_name(result)} usually has {cases}, but has {total} here"
        rule = _deviation(total, usual, is_passed=result.solved)
        yield rule.broken(path, line, fact).about_tasks(result.task)


def _deviation(total: int, usual: float, *, is_passed: bool) -> Rule:
    """Return the rule that a round with an unusual number of cases breaks.

    A round is suspect if most of its suite is missing, or if it passed without part of its suite.
    """
    has_suite = usual >= MIN_SUITE_CASES
    if has_suite and total <= MAX_FRAGMENT_CASES:
        return TOTAL_DEGENERATE
    if has_suite and 2 * total < usual:
        return TOTAL_UNUSUAL
    if is_passed and usual - total > max(1, usual / _CASES_PER_LEFT_OUT):
        return TOTAL_UNUSUAL
    return TOTAL_VARIES


def _unusual_skips(bundle: Bundle, usual_skips: UsualCounts) -> Iterator[Problem]:
    """Yield a problem for each passed round that skips far more cases than usual.

    If the usual number is not known, a round that skips more cases than it runs is reported. A
    round in which no case passed breaks another rule.
    """
    path = bundle.path / ROUNDS_FILE
    for line, result in bundle.numbered_rounds():
        if not result.skipped or not result.total or not result.solved:
            continue
        usual = usual_skips.get((result.task, result.round))
        skipped = f"{result.skipped} of {result.total} cases skipped"
        fact = f"{short_round_name(result)} passed with {skipped}"
        if usual is not None:
            max_skipped = 2 * usual + max(1, result.total / _CASES_PER_EXTRA_SKIP)
            if result.skipped > max_skipped:
                problem = SKIPS_UNUSUAL.broken(path, line, f"{fact}, but {usual} are usual")
                yield problem.about_tasks(result.task)
        elif result.passed and 2 * result.skipped > result.total:
            reason = "too few other submissions have this round to say how many are usual"
            problem = SKIPS_UNUSUAL.broken(path, line, f"{fact}, and {reason}")
            yield problem.about_tasks(result.task)


def _uncounted_passes(
    bundle: Bundle, counted_rounds: AbstractSet[tuple[str, int]]
) -> Iterator[Problem]:
    """Yield a problem for each passed round that has cases but does not state their number.

    Either another submission gives the number for the same round, or this submission gives the
    numbers for its other rounds. A round that gives only one of `passed` and `total` breaks another
    rule.
    """
    path = bundle.path / ROUNDS_FILE
    has_counts = any(result.total for result in bundle.rounds)
    if not has_counts and not counted_rounds:
        return
    for line, result in bundle.numbered_rounds():
        if not result.solved or _has_any_count(result):
            continue
        if (result.task, result.round) in counted_rounds:
            source = "other submissions give"
        elif has_counts:
            source = "other rounds of the submission give"
        else:
            continue
        fact = f"{short_round_name(result)} passed without a number of cases, although {source} it"
        yield TOTAL_UNUSUAL.broken(path, line, fact).about_tasks(result.task)


def _has_any_count(result: RoundResult) -> bool:
    """Return whether a round gives any count of its cases."""
    counts = (result.passed, result.total, result.skipped, result.outcomes)
    return bool(result.by_category) or any(count is not None for count in counts)


def _aborted_after_work(bundle: Bundle) -> Iterator[Problem]:
    """Yield a problem for each aborted first round in which the agent made tool calls."""
    path = bundle.path / ROUNDS_FILE
    interactions = {(run.task, run.attempt): run.interactions_per_round for run in bundle.runs}
    if not interactions:
        return
    for line, result in bundle.numbered_rounds():
        if result.round != 1 or result.state != "aborted" or result.start != "own":
            continue
        number = interactions.get((result.task, result.attempt))
        if number:
            fact = (
                f"task {result.task} ended without a verdict, although the agent made "
                f"{number:g} tool calls per round"
            )
            yield ABORTED_AFTER_WORK.broken(path, line, fact)


def task_anomalies(path: Path, task_set: TaskSet, usual: UsualCounts) -> Iterator[Problem]:
    """Yield a problem for each round with almost no cases, unlike other rounds of its task."""
    for line, task in task_set.numbered_tasks():
        totals: dict[int, int] = {}
        for task_round in task.rounds:
            if (task.id, task_round.n) in usual:
                totals[task_round.n] = usual[task.id, task_round.n]
        if not totals or median(totals.values()) < MIN_SUITE_CASES:
            continue
        for number, total in totals.items():
            if total <= MAX_FRAGMENT_CASES:
                cases = counted(total, "case")
                usual_total = median(totals.values())
                fact = (
                    f"round {number} of {task.id} has {cases} for most agents, but the rounds of "
                    f"this task usually have {usual_total:g} cases"
                )
                yield ROUND_TINY.broken(path, line, fact).about_tasks(task.id)


def ambiguous_cases(path: Path, bundles: Sequence[Bundle], task_set: TaskSet) -> Iterator[Problem]:
    """Yield a problem if case ids mean different cases in different submissions."""
    case_count = 0
    ambiguous_count = 0
    rounds_with_cases: set[tuple[str, int]] = set()
    for bundle in bundles:
        rounds_with_cases.update(bundle.failures.meanings)
    for task in task_set.tasks:
        for task_round in task.rounds:
            if (task.id, task_round.n) not in rounds_with_cases:
                continue
            requirement_counts = _requirement_counts(bundles, task.id, task_round.n)
            case_count += len(requirement_counts)
            ambiguous_count += sum(count > 1 for count in requirement_counts.values())
    if ambiguous_count:
        cases = part_of(ambiguous_count, case_count, "case id")
        verb = agreeing(ambiguous_count, "has", "have")
        fact = f"{cases} {verb} different requirements in different submissions"
        yield CASE_ID_AMBIGUOUS.broken(path, None, fact)


def _requirement_counts(bundles: Iterable[Bundle], task: str, round_number: int) -> Counter[str]:
    """Return the number of different requirements of each case id of a round."""
    # Many bundles contain identical JSON texts of meanings, so each distinct text is parsed once.
    bundles_by_text: dict[bytes | None, Bundle] = {}
    for bundle in bundles:
        text = bundle.failures.meanings.get((task, round_number))
        bundles_by_text[text] = bundle
    meanings = set()
    for bundle in bundles_by_text.values():
        meanings.update(bundle.failures.meanings_of(task, round_number))
    return Counter(case for case, requirement in meanings if requirement)
