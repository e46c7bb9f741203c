"""What must hold within one row: its counts, its reward and its state agree."""

from collections.abc import Iterator, Mapping, Sequence

from sitegen.models.outcome import PASS_REWARD, RoundResult
from sitegen.problems import counted


def contradictions(result: RoundResult) -> Iterator[str]:
    """Say in what a round contradicts itself, beginning with the column that is about it."""
    if result.state not in {"scored", "excluded"}:
        yield from _of_empty(result)
    elif result.passed is None or result.total is None:
        yield from _of_uncounted(result)
    else:
        yield from _of_counts(result, result.passed, result.total)


def _of_empty(result: RoundResult) -> Iterator[str]:
    told = (result.reward, result.passed, result.total, result.skipped, result.outcomes, result.by_category)
    if any(told):
        yield f"`state` is '{result.state}', but the row tells of a reward or of cases"
    if result.state == "fast_forwarded" and result.start == "reference":
        yield "`state` is 'fast_forwarded' in a round that starts from the reference state"


def _of_uncounted(result: RoundResult) -> Iterator[str]:
    if result.passed is not None or result.total is not None:
        yield f"`{'passed' if result.passed is None else 'total'}` is empty, and the other of the two is not"
    elif result.skipped or result.outcomes or result.by_category or result.case_ids:
        yield "`passed` and `total` are empty, but the row tells of cases"


def _of_counts(result: RoundResult, passed: int, total: int) -> Iterator[str]:
    failed = total - passed - (result.skipped or 0)
    if failed < 0:
        skipped = f" and {result.skipped} skipped" if result.skipped else ""
        yield f"`passed` is {passed}{skipped}, but `total` is {total}"
        return
    yield from _of_reward(result, failed)
    if result.case_ids is not None:
        yield from _of_names(result.case_ids, total)
    yield from _of_outcomes(result, passed, total)
    if result.by_category is not None:
        yield from _of_categories(result.by_category, passed, {failed, total - passed})


def _of_reward(result: RoundResult, failed: int) -> Iterator[str]:
    """Compare the reward with the counts. Whether a skipped case spoils a round is the benchmark's business."""
    if result.total == 0:
        yield "`total` is 0 in a round with the state 'scored'"
    elif result.reward >= PASS_REWARD and failed:
        yield f"`reward` is {result.reward:g}, but {counted(failed, 'case')} failed"
    elif result.reward < PASS_REWARD and result.passed == result.total:
        yield f"`reward` is {result.reward:g}, but all {result.total} cases passed"


def _of_names(names: Sequence[str], total: int) -> Iterator[str]:
    if len(names) != total:
        yield f"`case_ids` names {counted(len(names), 'case')}, but `total` is {total}"
    elif len(set(names)) != total:
        yield "`case_ids` names a case twice"


def _of_outcomes(result: RoundResult, passed: int, total: int) -> Iterator[str]:
    letters = result.outcomes
    if letters is None:
        return
    found, wanted = (letters.count("p"), letters.count("s")), (passed, result.skipped or 0)
    if len(letters) != total:
        yield f"`outcomes` tells of {counted(len(letters), 'case')}, but `total` is {total}"
    elif found != wanted:
        told = f"{found[0]} passed and {found[1]} skipped"
        yield f"`outcomes` tells of {told}, but the row counts {wanted[0]} and {wanted[1]}"


def _of_categories(by_category: Mapping[str, tuple[int, int]], passed: int, unpassed: set[int]) -> Iterator[str]:
    """Compare categories with the whole.

    Args:
        by_category: Cases passed and cases in all.
        passed: Cases passed.
        unpassed: Numbers of cases that may not have passed: runners differ in whether they count skipped ones here.
    """
    if any(some > all_of_it for some, all_of_it in by_category.values()):
        yield "`by_category` has more cases passed than there are"
        return
    told_passed = sum(some for some, _ in by_category.values())
    told_total = sum(all_of_it for _, all_of_it in by_category.values())
    if told_passed != passed or told_total - told_passed not in unpassed:
        yield f"`by_category` adds up to {told_passed} of {told_total}, which the row's own counts do not"
