"""What is odd about a bundle beside the others of its track, or about a round beside its neighbours."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from pathlib import Path
from statistics import median

from sitegen.board.usual import UsualTotals
from sitegen.models.results import Bundle
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, agreeing, counted, part_of
from sitegen.store.layout import ROUNDS

TOTAL_DEGENERATE = Rule.warning(
    "ROUND-TOTAL-DEGENERATE",
    "A round has about as many cases as usual.",
    "look whether the suite stopped before its cases ran",
)
TOTAL_UNUSUAL = Rule.warning(
    "ROUND-TOTAL-UNUSUAL",
    "A round has as many cases for one agent as for the others.",
    "look why the number of cases differs",
)
SKIPS_UNUSUAL = Rule.warning(
    "ROUND-SKIPS-UNUSUAL",
    "A round that is passed skips about as many cases as in other submissions.",
    "look why the cases were skipped: one that would have failed is no pass",
)
ROUND_TINY = Rule.warning(
    "TASK-ROUND-TINY",
    "A round has about as many cases as its neighbours.",
    "look whether the verifier stops at its first failure",
)
ABORTED_AFTER_WORK = Rule.warning(
    "ABORTED-AFTER-WORK",
    "A run whose agent worked has a verdict.",
    "look why the verifier gave none",
)
CASE_ID_AMBIGUOUS = Rule.warning(
    "CASE-ID-AMBIGUOUS",
    "A case id means the same case in every submission.",
    "nothing needs to be done: cases are matched by id, requirement and intent",
)

TINY = 2
"""So few cases are no suite: the verifier stopped before it, or at its first failure."""

SUITE = 10
"""So many cases are one."""


_SKIPPED = 20
"""A round may skip one case in so many, and one in any case, beyond twice what is usual."""


def bundle_anomalies(
    bundle: Bundle, usual: UsualTotals, skips: UsualTotals, known: AbstractSet[tuple[str, int]]
) -> Iterator[Problem]:
    """Which rounds of a bundle have or skip another number of cases than usual, or work without a verdict."""
    path = bundle.path / ROUNDS
    cut: list[Problem] = []
    drift: list[Problem] = []
    for line, result in bundle.numbered_rounds():
        total = result.total if result.state == "scored" else None
        wanted = usual.get((result.task, result.round), total)
        if total and wanted and total != wanted:
            what = f"round {result.round} of {result.task} usually has {counted(wanted, 'case')}, here {total}"
            if total <= TINY and wanted >= SUITE:
                cut.append(TOTAL_DEGENERATE.broken(path, line, what))
            else:
                drift.append(TOTAL_UNUSUAL.broken(path, line, what))
    for problems, what in (
        (cut, "have hardly a case of their suite"),
        (drift, "differ from their usual number"),
        (list(_skipping(path, bundle, skips)), "are passed though far more is skipped than usual"),
        (list(_uncounted(path, bundle, known)), "are passed and tell of no cases"),
    ):
        for first in problems[:1]:  # told once, with the lines of all
            more = f"; {len(problems)} rounds {what}" if len(problems) > 1 else ""
            whole = first.about(number for each in problems for number in each.lines)
            yield replace(whole, what=first.what + more)
    worked = {(run.task, run.attempt): run.interactions_per_round for run in bundle.runs}
    for line, result in bundle.numbered_rounds() if worked else ():
        calls = worked.get((result.task, result.attempt))
        if result.round == 1 and result.state == "aborted" and result.start == "own" and calls:
            what = f"{result.task} has no verdict at all, but the agent made {calls:g} interactions a round"
            yield ABORTED_AFTER_WORK.broken(path, line, what)


def _skipping(path: Path, bundle: Bundle, skips: UsualTotals) -> Iterator[Problem]:
    """Rounds that pass with far more skipped cases than is usual, or where nobody knows what is, than are passed."""
    for line, each in (
        bundle.numbered_rounds() if any(each.skipped for each in bundle.rounds) else ()
    ):
        if not each.solved or not each.skipped or not each.total:
            continue
        usual = skips.get((each.task, each.round))
        what = f"round {each.round} of {each.task} is passed with {each.skipped} of {each.total} cases skipped"
        if (
            usual is None and each.passed and 2 * each.skipped > each.total
        ):  # none passed is an error by itself
            yield SKIPS_UNUSUAL.broken(
                path, line, f"{what}, and too few others have it to say what is usual"
            )
        elif usual is not None and each.skipped > 2 * usual + max(1, each.total / _SKIPPED):
            yield SKIPS_UNUSUAL.broken(path, line, f"{what}, where {usual} are usual")


def _uncounted(
    path: Path, bundle: Bundle, known: AbstractSet[tuple[str, int]]
) -> Iterator[Problem]:
    """Rounds that pass and tell of no case, where another submission or round does: nobody can see what passed."""
    tells = any(each.total for each in bundle.rounds)
    for line, each in bundle.numbered_rounds():
        if (
            not each.solved
            or {each.passed, each.total, each.skipped, each.outcomes} != {None}
            or each.by_category
        ):
            continue  # half of the counts are told as such
        if tells or (each.task, each.round) in known:
            what = f"round {each.round} of {each.task} is passed and tells of no cases"
            where = (
                "others tell"
                if (each.task, each.round) in known
                else "other rounds of the submission tell"
            )
            yield TOTAL_UNUSUAL.broken(path, line, f"{what}, where {where} how many there are")


def task_anomalies(path: Path, task_set: TaskSet, usual: UsualTotals) -> Iterator[Problem]:
    """Which rounds have hardly a case for any agent, while their neighbours have a suite."""
    for line, task in enumerate(task_set.tasks, start=1):
        totals = {
            each.n: usual[task.id, each.n] for each in task.rounds if (task.id, each.n) in usual
        }
        for number, total in totals.items():
            if total <= TINY and median(totals.values()) >= SUITE:
                neighbours = f"its rounds usually have {median(totals.values()):g}"
                what = f"round {number} of {task.id} has {counted(total, 'case')} for most agents, {neighbours}"
                yield ROUND_TINY.broken(path, line, what)


def ambiguous_cases(path: Path, bundles: Sequence[Bundle], task_set: TaskSet) -> Iterator[Problem]:
    """How many case ids stand for different cases in different submissions."""
    known = ambiguous = 0
    for task in task_set.tasks:
        for each in task.rounds:
            where = (task.id, each.n)
            apart = {
                bundle.failures.meanings.get(where): bundle for bundle in bundles
            }.values()  # many say the same
            told = set(chain.from_iterable(bundle.failures.meanings_of(*where) for bundle in apart))
            requirements = Counter(case for case, requirement in told if requirement)
            known += len(requirements)
            ambiguous += sum(number > 1 for number in requirements.values())
    if ambiguous:
        stands = agreeing(ambiguous, "stands", "stand")
        what = f"{part_of(ambiguous, known, 'case id')} {stands} for another requirement in another submission"
        yield CASE_ID_AMBIGUOUS.broken(path, None, what)
