"""What must hold within one record of `rounds.jsonl`: its counts, its reward and its state agree."""

from collections.abc import Iterator

from sitegen.errors import Rule
from sitegen.models.outcome import PASS_REWARD, RoundResult
from sitegen.store import rules

Breach = tuple[Rule, str]
"""A broken rule, and the fact."""


def breaches(result: RoundResult) -> Iterator[Breach]:
    """Say which rules a record breaks by itself."""
    if result.state == "scored":
        yield from _count_breaches(result)
    elif result.state != "excluded":
        yield from _empty_breaches(result)


def _empty_breaches(result: RoundResult) -> Iterator[Breach]:
    """Rounds without a verdict on cases carry zeros."""
    if result.reward > 0:
        yield rules.STATE_CONTRADICTED, f'state "{result.state}" with a reward of {result.reward:g}'
    elif result.passed or result.total:
        yield rules.STATE_CONTRADICTED, f'state "{result.state}" with {result.passed} of {result.total} cases passed'


def _count_breaches(result: RoundResult) -> Iterator[Breach]:
    passed, total, failed = result.passed, result.total, result.failed
    if passed is None or total is None or failed is None:
        if passed is not None or total is not None:
            yield rules.COUNTS_HALF, f"`{'total' if total is None else 'passed'}` is missing"
        return
    if total == 0:
        yield rules.STATE_CONTRADICTED, 'state "scored" with no cases; a verdict without cases is "no_cases"'
    elif passed > total:
        yield rules.PASSED_ABOVE_TOTAL, f"{passed} cases passed, but the round has {total}"
    elif failed < 0:
        yield rules.COUNTS_DIFFER, f"{passed} passed and {result.skipped} skipped are more than {total} cases"
    else:
        yield from _reward_breaches(result, failed)
        yield from _outcome_breaches(result, total)
        yield from _category_breaches(result, failed)


def _reward_breaches(result: RoundResult, failed: int) -> Iterator[Breach]:
    if result.reward >= PASS_REWARD and failed:
        yield rules.REWARD_DESPITE_FAILURE, f"a reward of {result.reward:g} with {failed} failed cases"
    if result.reward < PASS_REWARD and not failed:
        yield (
            rules.PASS_WITHOUT_REWARD,
            f"a reward of {result.reward:g}, but {result.passed} of {result.total} cases passed and none failed",
        )


def _outcome_breaches(result: RoundResult, total: int) -> Iterator[Breach]:
    if result.case_ids is not None and len(result.case_ids) != total:
        yield rules.OUTCOMES_LENGTH, f"`case_ids` names {len(result.case_ids)} cases, but the round has {total}"
    outcomes = result.outcomes
    if outcomes is None:
        return
    if len(outcomes) != total:
        yield rules.OUTCOMES_LENGTH, f"`outcomes` tells of {len(outcomes)} cases, but the round has {total}"
        return
    for letter, word, stated in (("p", "passed", result.passed), ("s", "skipped", result.skipped or 0)):
        if outcomes.count(letter) != stated:
            yield rules.COUNTS_DIFFER, f"`{word}` is {stated}, but `outcomes` has {outcomes.count(letter)}"


def _category_breaches(result: RoundResult, failed: int) -> Iterator[Breach]:
    if result.by_category is None:
        return
    counts = result.by_category.values()
    for name, (passed, total) in result.by_category.items():
        if passed > total:
            yield rules.PASSED_ABOVE_TOTAL, f"{passed} cases of category {name} passed, but it has {total}"
    for word, stated, found in (
        ("passed", result.passed, sum(passed for passed, _ in counts)),
        ("failed", failed, sum(total - passed for passed, total in counts) - (result.skipped or 0)),
    ):
        # Sources differ in whether a category counts its skipped cases.
        if stated not in {found, found + (result.skipped or 0)}:
            yield rules.COUNTS_DIFFER, f"{stated} cases {word}, but `by_category` adds up to {found}"
