"""Checks within one round: its counts, its reward and its state must agree.

`round_breaches` checks a single record; `fraction_problems` counts partial rewards over a file.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sitegen.models.outcome import PASS_REWARD, RoundResult
from sitegen.problems import Problem, Rule, counted

_RECOUNT = "recount the cases from the verifier's output and correct the line"
PASSED_ABOVE_TOTAL = Rule.error(
    "ROUND-PASSED-ABOVE-TOTAL", "A round passes more cases than it has.", _RECOUNT
)
COUNTS_DIFFER = Rule.error(
    "ROUND-COUNTS-DIFFER",
    "Passed, failed and skipped cases do not add up to the total.",
    _RECOUNT,
)
COUNTS_HALF = Rule.error(
    "ROUND-COUNTS-HALF", "A round has only one of `passed` and `total`.", "give both, or neither"
)
OUTCOMES_LENGTH = Rule.error(
    "ROUND-OUTCOMES-LENGTH",
    "`outcomes` or `case_ids` has more or fewer entries than the round has cases.",
    "write one entry for each case",
)
REWARD_DESPITE_FAILURE = Rule.error(
    "ROUND-REWARD-DESPITE-FAILURE",
    "A round with a failed case, or without a passed case, has the full reward.",
    _RECOUNT,
)
PASS_WITHOUT_REWARD = Rule.error(
    "ROUND-PASS-WITHOUT-REWARD",
    "A round without a failed case does not have the full reward.",
    _RECOUNT,
)
STATE_CONTRADICTED = Rule.error(
    "ROUND-STATE-CONTRADICTED",
    "The state of a round contradicts its reward or its cases.",
    "correct the state, or the reward and the counts",
)
REWARD_FRACTIONAL = Rule.note(
    "REWARD-FRACTIONAL",
    "A reward is between 0 and 0.999.",
    "nothing needs to be done if a round either passes or fails; `mean_reward` uses the fraction",
)

Breach = tuple[Rule, str]
"""A broken rule with the fact that breaks it."""


def is_bare_verdict(result: RoundResult) -> bool:
    """Return whether a record has a verdict but no data on cases, so that nothing can disagree.

    A bundle may have a million such records.
    """
    if result.state != "scored" or result.passed is not None or result.total is not None:
        return False
    return not (result.skipped or result.outcomes or result.by_category)


def round_breaches(result: RoundResult) -> Iterator[Breach]:
    """Yield the rules that a record breaks by itself, each with the fact.

    An excluded round may keep its verdict, but its counts must agree.
    """
    passed = result.passed
    total = result.total
    if result.state not in {"scored", "excluded"}:
        yield from _unscored_breaches(result)
    elif passed is not None and total is not None:
        yield from _count_breaches(result, passed, total)
    elif passed is not None or total is not None:
        yield COUNTS_HALF, f"`{'passed' if passed is None else 'total'}` is missing"
    else:
        yield from _missing_count_breaches(result)


def _unscored_breaches(result: RoundResult) -> Iterator[Breach]:
    """Yield contradictions in an unscored round, which must have neither a reward nor cases."""
    if result.state == "fast_forwarded" and result.start == "reference":
        fact = 'state "fast_forwarded" in a round that starts from the reference state'
        yield STATE_CONTRADICTED, fact
    verdict_fact = _fact_of_verdict(result)
    if verdict_fact:
        yield STATE_CONTRADICTED, f'state "{result.state}" with {verdict_fact}'


def _fact_of_verdict(result: RoundResult) -> str | None:
    """Return a phrase for the first value that a round without a verdict can't have, if any."""
    total_cases = counted(result.total or 0, "case")
    if result.reward:
        return f"a reward of {result.reward:g}"
    if result.passed:
        return f"{result.passed} of {total_cases} passed"
    if result.total:
        return f"0 of {total_cases} passed"
    if result.skipped:
        return f"{counted(result.skipped, 'case')} skipped"
    if result.outcomes or result.by_category:
        return "outcomes of cases"
    return None


def _missing_count_breaches(result: RoundResult) -> Iterator[Breach]:
    """Yield the first field on cases of a round that has a verdict but no counts of cases."""
    for name in ("skipped", "outcomes", "by_category"):
        if getattr(result, name):
            yield COUNTS_HALF, f"`passed` and `total` are missing, but `{name}` has cases"
            return


def fraction_problems(path: Path, numbered: Iterable[tuple[int, RoundResult]]) -> Iterator[Problem]:
    """Yield one problem about all rounds that fail although their reward is above 0.

    A round that passed all of its cases is left out: its reward is an error, which `round_breaches`
    yields.

    Args:
        path: The file of the rounds.
        numbered: The rounds, each with its line.
    """
    first: RoundResult | None = None
    lines = []
    for line, result in numbered:
        is_partial = 0 < result.reward < PASS_REWARD and result.state == "scored"
        if is_partial and (result.total is None or result.passed != result.total):
            first = first or result
            lines.append(line)
    if first is None:
        return
    subject = f"{counted(len(lines), 'round')} with a reward between 0 and {PASS_REWARD}"
    example = f"first: round {first.round} of {first.task}, {first.reward:g}"
    fact = f"{subject} ({example}): they count as failed where rounds are counted"
    yield REWARD_FRACTIONAL.broken(path, lines[0], fact).about(lines).about_tasks(first.task)


def _count_breaches(result: RoundResult, passed: int, total: int) -> Iterator[Breach]:
    """Yield contradictions in a round with counts of its cases."""
    skipped = result.skipped or 0
    failed = total - passed - skipped
    if result.state == "scored" and total == 0:
        fact = 'state "scored" with 0 cases; if no case ran, the state is "no_cases"'
        yield STATE_CONTRADICTED, fact
        return
    if passed > total:
        fact = f"{counted(passed, 'case')} passed, but the round has {total}"
        yield PASSED_ABOVE_TOTAL, fact
        return
    if failed < 0:
        yield COUNTS_DIFFER, f"{passed} passed and {skipped} skipped are more than {total} cases"
        return
    if result.state == "scored":
        yield from _reward_breaches(result, passed, total, failed)
    yield from _outcome_breaches(result, passed, total)
    if result.by_category is not None:
        yield from _category_breaches(result, result.by_category, failed)


def _reward_breaches(result: RoundResult, passed: int, total: int, failed: int) -> Iterator[Breach]:
    """Yield contradictions between the reward of a scored round and its cases.

    Benchmarks differ in whether a skipped case fails a round, so the reward may be either.
    """
    reward = f"a reward of {result.reward:g}"
    is_full_reward = result.reward >= PASS_REWARD
    if is_full_reward and failed:
        yield REWARD_DESPITE_FAILURE, f"{reward} with {counted(failed, 'failed case')}"
    elif is_full_reward and not passed:
        yield REWARD_DESPITE_FAILURE, f"{reward} with none of {counted(total, 'case')} passed"
    elif not is_full_reward and passed == total:
        yield PASS_WITHOUT_REWARD, f"{reward}, but all {counted(total, 'case')} passed"


def _outcome_breaches(result: RoundResult, passed: int, total: int) -> Iterator[Breach]:
    """Yield contradictions between the counts of cases and the lists of cases."""
    if result.case_ids is not None and len(result.case_ids) != total:
        names = counted(len(result.case_ids), "case")
        yield OUTCOMES_LENGTH, f"`case_ids` names {names}, but the round has {total}"
    outcomes = result.outcomes
    if outcomes is None:
        return
    if len(outcomes) != total:
        cases = counted(len(outcomes), "case")
        yield OUTCOMES_LENGTH, f"`outcomes` has {cases}, but the round has {total}"
        return
    for letter, status, stated in (("p", "passed", passed), ("s", "skipped", result.skipped or 0)):
        letters = outcomes.count(letter)
        if letters != stated:
            fact = f"{counted(stated, 'case')} {status}, but `outcomes` has {letters}"
            yield COUNTS_DIFFER, fact


def _category_breaches(
    result: RoundResult, by_category: Mapping[str, tuple[int, int]], failed: int
) -> Iterator[Breach]:
    """Yield contradictions between the counts of cases and the counts by category."""
    all_passed = 0
    all_unpassed = 0
    for name, (passed, total) in by_category.items():
        if passed > total:
            cases = counted(passed, "case")
            yield PASSED_ABOVE_TOTAL, f"{cases} of category {name} passed, but it has {total}"
            return
        all_passed += passed
        all_unpassed += total - passed
    if all_passed != result.passed:
        cases = counted(result.passed or 0, "case")
        yield COUNTS_DIFFER, f"{cases} passed, but `by_category` adds up to {all_passed}"
    # Sources differ in whether a category counts its skipped cases.
    elif all_unpassed not in {failed, failed + (result.skipped or 0)}:
        cases = counted(failed, "case")
        yield COUNTS_DIFFER, f"{cases} failed, but `by_category` adds up to {all_unpassed}"
