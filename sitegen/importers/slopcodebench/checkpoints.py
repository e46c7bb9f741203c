"""One checkpoint of a run: what its row and its own files say, counted and made into one record."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import NamedTuple

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.cases import by_category
from sitegen.importers.kit.redaction import redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.files import Effort, Evaluation, Key, checkpoint_number
from sitegen.importers.slopcodebench.rows import (
    CATEGORIES,
    COUNTS,
    REGRESSION,
    Row,
    RowTable,
    names_of,
)
from sitegen.models.consistency import breaches
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case
from sitegen.problems import Rule, counted, listed

_LETTERS = {"passed": "p", "failed": "f", "skipped": "s", "error": "e"}

AGENT_FAILED = "the agent's run ended in an error"
NOT_CHECKED = "the agent's work was not checked"

MAX_NAME_LENGTH = 200
"""Characters of a test's name; parameters of a test can be whole files."""

MAX_SHOWN = 5
"""Checkpoints named of those that a problem concerns."""

ROUNDING = 1e-6
"""What a stated share may be off."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The tests of a checkpoint, counted."""

    passed: int
    total: int
    by_category: Mapping[str, tuple[int, int]]
    """Passed and in all, of the categories that have tests; empty where nobody told them apart."""
    skipped: int = 0
    cases: tuple[Case, ...] | None = None
    """In an order that outcomes have no part in; None where the tests are only counted."""
    outcomes: str | None = None
    outdated: int = 0
    """Tests of earlier checkpoints that are listed under another category than regression."""


class ReportedTest(NamedTuple):
    """A test as a checkpoint's evaluation lists it; tests sort by these fields, their outcome last."""

    origin: int
    """The checkpoint that it was made for."""
    category_order: int
    """Place of its category in the order that categories are shown."""
    category: str
    name: str
    letter: str
    is_outdated: bool
    """Whether it is of an earlier checkpoint and not listed as a regression test."""


def tally_of(evaluation: Evaluation, number: int) -> Tally:
    """Count the tests of a checkpoint, which is numbered from 1."""
    if not evaluation.tests:
        return _counts_of(evaluation)
    tests = [_reported_test(*facts, number) for facts in _listed_tests(evaluation)]
    if not tests:
        return Tally(0, 0, {})
    tests.sort()
    by_order = sorted(tests, key=lambda test: test.category_order)
    categories = by_category((test.category, test.letter == "p") for test in by_order)
    outcomes = "".join(test.letter for test in tests)
    return Tally(
        outcomes.count("p"),
        len(tests),
        categories,
        outcomes.count("s"),
        _cases_of(tests),
        outcomes,
        sum(test.is_outdated for test in tests),
    )


def _listed_tests(evaluation: Evaluation) -> list[tuple[str, str, str, str]]:
    """Return checkpoint, category, name and outcome of every listed test."""
    tests = []
    if isinstance(evaluation.tests, dict):
        for group, names in evaluation.tests.items():
            checkpoint, _, category = group.rpartition("-")
            for letter, names_of_letter in (
                ("p", names.passed),
                ("f", names.failed),
                ("s", names.skipped),
            ):
                tests += [(checkpoint, category, name, letter) for name in names_of_letter]
        return tests
    for test in evaluation.tests:
        tests.append((test.checkpoint, test.group_type, test.id, _LETTERS.get(test.status, "f")))
    return tests


def _reported_test(
    checkpoint: str, group: str, name: str, letter: str, number: int
) -> ReportedTest:
    """Return a test of the checkpoint with a number; one of an earlier checkpoint is a regression test."""
    origin = checkpoint_number(checkpoint) or number
    category = _shown(group.lower())
    is_outdated = origin < number and category != REGRESSION
    if is_outdated:
        category = REGRESSION
    order = CATEGORIES.index(category) if category in CATEGORIES else len(CATEGORIES)
    return ReportedTest(origin, order, category, _shown(name), letter, is_outdated)


def _counts_of(evaluation: Evaluation) -> Tally:
    """Return the tests as an evaluation counts them by category, if it lists none."""
    passes = {name.lower(): count for name, count in evaluation.pass_counts.items()}
    counts = {}
    for name, total in evaluation.total_counts.items():
        if total:
            counts[_shown(name.lower())] = (passes.get(name.lower(), 0), total)
    passed = sum(count[0] for count in counts.values())
    return Tally(passed, sum(count[1] for count in counts.values()), counts)


def _cases_of(tests: Sequence[ReportedTest]) -> tuple[Case, ...]:
    """Return the cases of a checkpoint, each with a name of its own.

    A case is named by its test, and by its group too if several tests of the checkpoint have one name.
    """
    times = Counter(test.name for test in tests)
    times_in_group = Counter((test.origin, test.category, test.name) for test in tests)
    seen: Counter[tuple[int, str, str]] = Counter()
    cases = []
    for test in tests:
        key = (test.origin, test.category, test.name)
        seen[key] += 1
        name = test.name
        if times[test.name] > 1:
            name = f"checkpoint_{test.origin}-{test.category}/{test.name}"
        if times_in_group[key] > 1:
            name = f"{name} ({seen[key]})"
        cases.append(Case(name, category=test.category, origin=f"checkpoint_{test.origin}"))
    return tuple(cases)


@lru_cache(maxsize=65_536)  # the tests of a checkpoint are listed again at every later one
def _shown(name: str) -> str:
    """Write a test's name in one line of bearable length; a cut name stays one of a kind."""
    plain = " ".join(redacted(name).split()) or "unnamed"
    if len(plain) <= MAX_NAME_LENGTH:
        return plain
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{plain[: MAX_NAME_LENGTH - 9]}-{digest}"


@dataclass(frozen=True)
class Checkpoint:
    """What a run says of one checkpoint. Without a row and without a folder it was never reached."""

    problem: str
    number: int
    row: Row | None = None
    left_out: tuple[str, ...] = ()
    """Keys of the row whose values can't be used."""
    evaluation: Evaluation | None = None
    evaluation_fault: str = ""
    """Why `evaluation.json`, or a part of it, is not used."""
    inference: Effort | None = None
    """By the agent's own record."""
    grader_digest: str | None = None
    """That of `evaluation.json`."""
    has_folder: bool = False

    @cached_property
    def row_tests(self) -> Tally | None:
        """The tests as the row counts them; None if it counts none."""
        row = self.row
        if row is None or row.passed_tests is None or row.total_tests is None:
            return None
        return Tally(row.passed_tests, row.total_tests, row.by_category)

    @cached_property
    def evaluated_tests(self) -> Tally | None:
        """The tests as `evaluation.json` has them; None if it has none."""
        if self.evaluation is None or not self.evaluation.counts_tests:
            return None
        return tally_of(self.evaluation, self.number)

    @property
    def evaluation_breach(self) -> str:
        """Why `evaluation.json` is no verdict; empty if it is one."""
        evaluation = self.evaluation
        if evaluation is None:
            return ""
        tests = self.evaluated_tests
        if tests is None:
            return "evaluation.json neither lists nor counts tests"
        breach = self._breach(tests)
        counts = _counts_of(evaluation)
        is_listed = bool(evaluation.tests)
        if not breach and is_listed and evaluation.total_counts and counts.total != tests.total:
            breach = f"{tests.total} tests are listed, and {counts.total} are counted"
        if not breach and is_listed and evaluation.pass_counts and counts.passed != tests.passed:
            breach = f"{tests.passed} listed tests passed, and {counts.passed} are counted"
        return f"evaluation.json contradicts itself: {breach}" if breach else ""

    @cached_property
    def tests(self) -> Tally | None:
        """The tests as `evaluation.json` lists them, else as the row counts them.

        None if neither does, or if the row's counts can't be right.
        """
        if self.evaluated_tests is not None:
            return self.evaluated_tests
        return None if self.row_fault else self.row_tests

    @cached_property
    def row_fault(self) -> str:
        """Why the counts of the row can't be right; empty if they can."""
        wrong = [key for key in self.left_out if key in COUNTS]
        if wrong:
            return f"`{wrong[0]}` is not a number of tests"
        tally = self.row_tests
        if tally is None:
            return self._missing_count()
        breach = self._breach(tally)
        if breach:
            return breach
        share = tally.passed / tally.total if tally.total else 0
        rate = self.rate
        if rate is not None and abs(rate - share) > ROUNDING:
            stated = f"{tally.passed} of {tally.total} tests passed"
            return f"{stated}, but their stated share is {rate:g}"
        return ""

    def _missing_count(self) -> str:
        """Return which of the row's two counts is missing; empty if both are."""
        row = self.row
        if row is None or (row.passed_tests is None and row.total_tests is None):
            return ""
        return f"`{'passed' if row.passed_tests is None else 'total'}_tests` is missing"

    @property
    def rate(self) -> float | None:
        """The share of tests that passed, as the row states it; None if that is not a share."""
        rate = self.row.rate if self.row else None
        return rate if rate is not None and 0 <= rate <= 1 else None

    @property
    def verdict(self) -> bool | None:
        """Whether the row calls the checkpoint passed; None if it does not say.

        It counts if the row's counts of tests can't be right.
        """
        if self.rate is not None:
            return self.rate == 1
        tally = self.row_tests
        if tally is None or not 0 <= tally.passed <= tally.total or not tally.total:
            return None
        return tally.passed == tally.total

    @cached_property
    def effort(self) -> Effort:
        """What it took, by the row if that says it, else by the agent's own record."""
        by_row = self.row.effort if self.row else Effort()
        is_told = by_row.started or by_row.cost is not None or by_row.tokens.are_counted
        return by_row if is_told else self.inference or Effort()

    @property
    def is_produced(self) -> bool:
        """Whether the agent got to it. Earlier runners wrote a row of nothing for one it never got to."""
        if self.has_folder or self.row is None:
            return self.has_folder
        if self.row.state == "skipped":
            return bool(self.row.total_tests) or self.effort.seconds is not None
        is_run = self.row.state in {"ran", "error"}
        return is_run or self.row.rate is not None or self.effort != Effort()

    @property
    def is_aborted(self) -> bool:
        """Whether the agent got to it and nothing tells a verdict."""
        return self.is_produced and self.tests is None and self.verdict is None

    @property
    def has_failed(self) -> bool:
        """Whether the agent's run ended in an error."""
        if self.row is not None and self.row.state == "error":
            return True
        return self.inference is not None and self.inference.had_error

    @property
    def has_failed_runner(self) -> bool:
        """Whether the test runner itself failed."""
        return self.evaluation is not None and self.evaluation.infrastructure_failure

    @property
    def is_recounted(self) -> bool:
        """Whether its row counts other tests than `evaluation.json` lists."""
        row = self.row_tests
        tests = self.evaluated_tests
        if row is None or tests is None:
            return False
        return (row.passed, row.total) != (tests.passed, tests.total)

    def result(self, measures: Mapping[str, float]) -> RoundResult:
        """Make the record, as of a first attempt."""
        blank = RoundResult(self.problem, 1, self.number, "unreached", 0, passed=0, total=0)
        if not self.is_produced:
            return blank
        judged, mishaps = self._judged_result(blank)
        effort = self.effort
        tokens = effort.tokens if effort.tokens.are_counted else None
        verifier_seconds = self.evaluation.duration if self.evaluation else None
        if verifier_seconds is None and self.row:
            verifier_seconds = self.row.verifier_seconds
        return replace(
            judged,
            cause="; ".join(mishaps) or None,
            turns=effort.steps or None,
            input_tokens=tokens.input if tokens else None,
            output_tokens=tokens.output if tokens else None,
            cost_usd=effort.cost_usd,
            agent_seconds=effort.seconds,
            verifier_seconds=verifier_seconds,
            measures=dict(measures) or None,
            grader_digest=self.grader_digest,
        )

    def _judged_result(self, blank: RoundResult) -> tuple[RoundResult, list[str]]:
        """Return the record with its verdict, and what went wrong."""
        mishaps = [AGENT_FAILED] if self.has_failed else []
        if self.evaluation and self.has_failed_runner:
            code = self.evaluation.pytest_exit_code
            ending = "" if code is None else f" (exit code {code})"
            mishaps.append(f"the test runner itself failed{ending}")
        if self.tests is not None:
            if not self.tests.total:
                mishaps.append("no test ran")
            return self._counted_result(self.tests), mishaps
        if self.verdict is not None:
            # Nobody counted the tests, or they can't be right: only the verdict is known.
            reward = float(self.verdict)
            return replace(blank, state="scored", reward=reward, passed=None, total=None), mishaps
        reason = self.evaluation_fault or self.row_fault
        if reason:
            mishaps.append(f"its verdict can't be read: {reason}")
        elif self.has_failed:
            mishaps = [f"{AGENT_FAILED}, and its work was not checked"]
        else:
            mishaps = [NOT_CHECKED]
        return replace(blank, state="aborted"), mishaps

    def _counted_result(self, tests: Tally) -> RoundResult:
        is_solved = tests.passed == tests.total  # a skipped test has not passed
        return RoundResult(
            self.problem,
            1,
            self.number,
            "scored" if tests.total else "no_cases",
            float(is_solved) if tests.total else 0,
            passed=tests.passed,
            total=tests.total,
            skipped=tests.skipped or None,
            outcomes=tests.outcomes,
            by_category=dict(tests.by_category) or None,
        )

    def _breach(self, tests: Tally) -> str:
        """Return how counts contradict each other; empty if they do not."""
        for _, fact in breaches(self._counted_result(tests)):
            return fact
        return ""


def _is_outdated(checkpoint: Checkpoint) -> bool:
    return checkpoint.tests is not None and checkpoint.tests.outdated > 0


def _has_skipped_tests(checkpoint: Checkpoint) -> bool:
    return checkpoint.tests is not None and checkpoint.tests.skipped > 0


def _has_unknown_cost(checkpoint: Checkpoint) -> bool:
    return checkpoint.is_produced and checkpoint.effort.cost_usd is None


def _has_failed_and_was_judged(checkpoint: Checkpoint) -> bool:
    return checkpoint.has_failed and checkpoint.tests is not None


_DOUBTS: tuple[tuple[Rule, str, Callable[[Checkpoint], bool]], ...] = (
    (rules.EVALUATION_DIFFERS, "{} other tests than their rows count", attrgetter("is_recounted")),
    (rules.CATEGORY_OUTDATED, "{} earlier tests under their old category", _is_outdated),
    (rules.INFRASTRUCTURE, "the test runner itself failed at {}", attrgetter("has_failed_runner")),
    (rules.SKIPPED_TESTS, "tests were skipped at {}", _has_skipped_tests),
    (rules.COST_UNKNOWN, "neither cost nor tokens are known of {}", _has_unknown_cost),
    (kit_rules.TRIES_FAILED, "nothing tells a verdict of {}", attrgetter("is_aborted")),
    (rules.AGENT_FAILED, "the agent's run ended in an error at {}", _has_failed_and_was_judged),
)
"""What can be doubtful about a checkpoint: the rule, the sentence for who imports it, and whether it is."""


def review(table: RowTable, checkpoints: Mapping[Key, Checkpoint], report: Report) -> None:
    """Report what is wrong in a run's rows, and what is doubtful about its checkpoints, once for each cause."""
    run = table.path.parent
    _review_rows(table, report)
    _review_counts(table, checkpoints, report)
    for rule, words, concerns in _DOUBTS:
        keys = [key for key, checkpoint in checkpoints.items() if concerns(checkpoint)]
        if keys:
            report.say(rule, run, words.format(_counted_names(keys)), run, _counted_names(keys))


def _counted_names(keys: Sequence[Key]) -> str:
    names = listed((names_of([key]) for key in keys), MAX_SHOWN)
    return f"{counted(len(keys), 'checkpoint')} ({names})"


def _review_rows(table: RowTable, report: Report) -> None:
    """Report the lines that are no rows, and the values in rows that can't be used."""
    run = table.path.parent
    if table.faults:
        first_line = table.faults[0][0]
        facts = listed(
            (f"line {number}: {fault}" for number, fault in table.faults),
            MAX_SHOWN,
            more="; and {} more",
            separator="; ",
        )
        report.add(rules.ROW_BROKEN, table.path, facts, first_line)
        report.tell(run, rules.ROW_BROKEN, facts)
    if table.left_out:
        facts = listed(
            (
                f"{names_of([key])}: {listed(f'`{name}`' for name in names)}"
                for key, names in table.left_out.items()
            ),
            MAX_SHOWN,
            more="; and {} more",
            separator="; ",
        )
        first_line = min(table.lines[key] for key in table.left_out)
        report.add(rules.VALUE_UNUSABLE, table.path, facts, first_line)
        report.tell(run, rules.VALUE_UNUSABLE, facts)
    if table.repeated:
        names = names_of(table.repeated)
        report.say(rules.ROW_TWICE, table.path, f"several rows are about {names}", run, names)


def _review_counts(table: RowTable, checkpoints: Mapping[Key, Checkpoint], report: Report) -> None:
    """Report rows whose counts can't be right, if no evaluation stands in for them."""
    faults = {}
    for key in table.rows:
        checkpoint = checkpoints[key]
        if checkpoint.row_fault and checkpoint.evaluated_tests is None:
            faults[key] = checkpoint.row_fault
    if not faults:
        return
    first, *others = faults
    what = f"the row of {first[0]} {first[1]} contradicts itself: {faults[first]}"
    if others:
        what = f"{what}; and so do the rows of {_counted_names(others)}"
    report.add(rules.COUNTS_DIFFER, table.path, what, table.lines[first])
    for key, fault in faults.items():
        report.tell(table.path.parent, rules.COUNTS_DIFFER, f"{names_of([key])} ({fault})")
