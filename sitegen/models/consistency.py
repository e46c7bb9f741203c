"""What must hold within one round: its counts, its reward and its state agree."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sitegen.models.outcome import PASS_REWARD, RoundResult
from sitegen.problems import Problem, Rule, counted

_RECOUNT = "recount the cases from the verifier's output and correct the line"
PASSED_ABOVE_TOTAL = Rule.error(
    "ROUND-PASSED-ABOVE-TOTAL", "No round passes more cases than it has.", _RECOUNT
)
COUNTS_DIFFER = Rule.error(
    "ROUND-COUNTS-DIFFER",
    "Passed, failed and skipped cases add up to the total, however they are told.",
    _RECOUNT,
)
COUNTS_HALF = Rule.error(
    "ROUND-COUNTS-HALF", "`passed` and `total` stand together.", "give both, or neither"
)
OUTCOMES_LENGTH = Rule.error(
    "ROUND-OUTCOMES-LENGTH",
    "`outcomes` and `case_ids` have one entry a case.",
    "write one entry for each case",
)
REWARD_DESPITE_FAILURE = Rule.error(
    "ROUND-REWARD-DESPITE-FAILURE",
    "A round earns the full reward where some case passed and none failed.",
    _RECOUNT,
)
PASS_WITHOUT_REWARD = Rule.error(
    "ROUND-PASS-WITHOUT-REWARD", "A round without a failed case earns the full reward.", _RECOUNT
)
STATE_CONTRADICTED = Rule.error(
    "ROUND-STATE-CONTRADICTED",
    "A round's state agrees with its reward and its cases.",
    "correct the state, or the reward and the counts",
)
REWARD_FRACTIONAL = Rule.warning(
    "REWARD-FRACTIONAL",
    "A reward is 0, or at least 0.999.",
    "nothing needs to be done where a round is passed as a whole or not at all; `mean_reward` uses the fraction",
)

Breach = tuple[Rule, str]
"""A broken rule, and the fact."""


def breaches(result: RoundResult) -> Iterator[Breach]:
    """The rules that a record breaks by itself. An excluded round may keep its verdict, but its counts must agree."""
    passed, total = result.passed, result.total
    if result.state not in {"scored", "excluded"}:
        if result.state == "fast_forwarded" and result.start == "reference":
            yield (
                STATE_CONTRADICTED,
                'state "fast_forwarded" in a round that starts from the reference state',
            )
        beyond_zero: tuple[tuple[object, str], ...] = (
            (result.reward, f"a reward of {result.reward:g}"),
            (passed, f"{passed} of {counted(total or 0, 'case')} passed"),
            (total, f"0 of {counted(total or 0, 'case')} passed"),
            (result.skipped, f"{counted(result.skipped or 0, 'case')} skipped"),
            (result.outcomes or result.by_category, "outcomes of cases"),
        )
        contradiction = next((what for told, what in beyond_zero if told), None)
        if contradiction:
            yield STATE_CONTRADICTED, f'state "{result.state}" with {contradiction}'
    elif passed is not None and total is not None:
        yield from _count_breaches(result, passed, total)
    elif passed is not None or total is not None:
        yield COUNTS_HALF, f"`{'passed' if passed is None else 'total'}` is missing"
    else:  # a verdict without cases tells nothing of cases
        told = {
            "skipped": result.skipped,
            "outcomes": result.outcomes,
            "by_category": result.by_category,
        }
        named = next((name for name, value in told.items() if value), None)
        if named:
            yield COUNTS_HALF, f"`passed` and `total` are missing, but `{named}` tells of cases"


def fraction_problems(path: Path, numbered: Iterable[tuple[int, RoundResult]]) -> Iterator[Problem]:
    """How many rounds count as failed though their verdict is above 0; too little for their cases is told elsewhere."""
    first: RoundResult | None = None
    lines = []
    for line, result in numbered:
        is_partial = 0 < result.reward < PASS_REWARD and result.state == "scored"
        if is_partial and (result.total is None or result.passed != result.total):
            first = first or result
            lines.append(line)
    if first is not None:
        subject = f"{counted(len(lines), 'round')} with a reward between 0 and {PASS_REWARD}"
        what = f"{subject}, round {first.round} of {first.task} first ({first.reward:g})"
        yield REWARD_FRACTIONAL.broken(
            path, lines[0], f"{what}: failed, as far as rounds are counted"
        ).about(lines)


def _count_breaches(result: RoundResult, passed: int, total: int) -> Iterator[Breach]:
    failed = total - passed - (result.skipped or 0)
    if result.state == "scored" and total == 0:
        yield (
            STATE_CONTRADICTED,
            'state "scored" with 0 cases; where no case ran, the state is "no_cases"',
        )
    elif passed > total:
        yield PASSED_ABOVE_TOTAL, f"{counted(passed, 'case')} passed, but the round has {total}"
    elif failed < 0:
        yield (
            COUNTS_DIFFER,
            f"{passed} passed and {result.skipped} skipped are more than {total} cases",
        )
    else:
        # Whether a skipped case spoils a round is the benchmark's business: its reward may say either.
        if result.state == "scored" and result.reward >= PASS_REWARD and (failed or not passed):
            fact = (
                counted(failed, "failed case")
                if failed
                else f"none of {counted(total, 'case')} passed"
            )
            yield REWARD_DESPITE_FAILURE, f"a reward of {result.reward:g} with {fact}"
        if result.state == "scored" and result.reward < PASS_REWARD and passed == total:
            yield (
                PASS_WITHOUT_REWARD,
                f"a reward of {result.reward:g}, but all {counted(total, 'case')} passed",
            )
        yield from _outcome_breaches(result, passed, total)
        if result.by_category is not None:
            yield from _category_breaches(result, result.by_category, failed)


def _outcome_breaches(result: RoundResult, passed: int, total: int) -> Iterator[Breach]:
    if result.case_ids is not None and len(result.case_ids) != total:
        yield (
            OUTCOMES_LENGTH,
            f"`case_ids` names {counted(len(result.case_ids), 'case')}, but the round has {total}",
        )
    outcomes = result.outcomes
    if outcomes is None:
        return
    if len(outcomes) != total:
        yield (
            OUTCOMES_LENGTH,
            f"`outcomes` tells of {counted(len(outcomes), 'case')}, but the round has {total}",
        )
        return
    for letter, word, stated in (("p", "passed", passed), ("s", "skipped", result.skipped or 0)):
        if outcomes.count(letter) != stated:
            yield (
                COUNTS_DIFFER,
                f"{counted(stated, 'case')} {word}, but `outcomes` has {outcomes.count(letter)}",
            )


def _category_breaches(
    result: RoundResult, by_category: Mapping[str, tuple[int, int]], failed: int
) -> Iterator[Breach]:
    for name, (passed, total) in by_category.items():
        if passed > total:
            yield (
                PASSED_ABOVE_TOTAL,
                f"{counted(passed, 'case')} of category {name} passed, but it has {total}",
            )
            return
    passed = sum(passed for passed, _ in by_category.values())
    unpassed = sum(total for _, total in by_category.values()) - passed
    if passed != result.passed:
        yield (
            COUNTS_DIFFER,
            f"{counted(result.passed or 0, 'case')} passed, but `by_category` adds up to {passed}",
        )
    # Sources differ in whether a category counts its skipped cases.
    elif unpassed not in {failed, failed + (result.skipped or 0)}:
        yield (
            COUNTS_DIFFER,
            f"{counted(failed, 'case')} failed, but `by_category` adds up to {unpassed}",
        )
