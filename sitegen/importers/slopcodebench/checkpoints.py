"""Combine the row of a checkpoint and its own files into one record.

`Checkpoint` contains both, and `Checkpoint.result` returns the record. `review` reports problems
and doubts about the checkpoints of a run.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import NamedTuple

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.cases import count_by_category
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import redact_text
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.files import (
    CheckpointEffort,
    CheckpointEvaluation,
    Key,
    checkpoint_number,
)
from sitegen.importers.slopcodebench.rows import (
    CATEGORIES,
    COUNTS,
    REGRESSION,
    CheckpointRow,
    RowTable,
    names_of,
)
from sitegen.models.consistency import round_breaches
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case
from sitegen.problems import Rule, counted, listed

_LETTERS = {"passed": "p", "failed": "f", "skipped": "s", "error": "e"}

AGENT_FAILED = "the agent's run ended in an error"
NOT_CHECKED = "the agent's work was not checked"

MAX_NAME_LENGTH = 200
"""Maximum length of a test's name, which may contain complete files as parameters."""

MAX_SHOWN = 5
"""Maximum number of checkpoints listed in a message."""

ROUNDING = 1e-6
"""Maximum rounding error of a stated share."""


@dataclass(frozen=True, slots=True)
class CheckpointCounts:
    """The counts of a checkpoint's tests, and the tests themselves if they are listed."""

    passed: int
    total: int
    by_category: Mapping[str, tuple[int, int]]
    """Counts (passed, total) by category; empty if the source has no categories."""
    skipped: int = 0
    cases: tuple[Case, ...] | None = None
    """Cases in an order that does not depend on outcomes; None if tests are only counted."""
    outcomes: str | None = None
    outdated: int = 0
    """Number of tests of earlier checkpoints that are not listed as regression tests."""


class ReportedTest(NamedTuple):
    """A test in a checkpoint's evaluation; tests sort by these fields, with the outcome last."""

    origin: int
    """The checkpoint for which the test was written."""
    category_order: int
    """Position of the test's category in the order in which categories are shown."""
    category: str
    name: str
    letter: str
    is_outdated: bool
    """Whether the test is from an earlier checkpoint but not listed as a regression test."""

    @property
    def key(self) -> tuple[int, str, str]:
        """The test's group and name; the source may list several tests with the same key."""
        return self.origin, self.category, self.name


def tally_of(evaluation: CheckpointEvaluation, number: int) -> CheckpointCounts:
    """Return a checkpoint's test counts.

    Args:
        evaluation: The checkpoint's `evaluation.json`.
        number: Number of the checkpoint, from 1.
    """
    if not evaluation.tests:
        return _stated_counts(evaluation)
    tests = sorted(_listed_tests(evaluation, number))
    if not tests:
        return CheckpointCounts(0, 0, {})
    by_order = sorted(tests, key=attrgetter("category_order"))
    categories = count_by_category((test.category, test.letter == "p") for test in by_order)
    outcomes = "".join(test.letter for test in tests)
    return CheckpointCounts(
        outcomes.count("p"),
        len(tests),
        categories,
        outcomes.count("s"),
        _cases_of(tests),
        outcomes,
        sum(test.is_outdated for test in tests),
    )


def _listed_tests(evaluation: CheckpointEvaluation, number: int) -> list[ReportedTest]:
    """Return every test that an evaluation lists, in either of its formats."""
    tests = []
    if isinstance(evaluation.tests, dict):
        for group, grouped_tests in evaluation.tests.items():
            checkpoint, _, category = group.rpartition("-")
            for outcome, names in grouped_tests:
                letter = _LETTERS[outcome]
                tests += [_test(checkpoint, category, name, letter, number) for name in names]
        return tests
    for test in evaluation.tests:
        letter = _LETTERS.get(test.status, "f")
        tests.append(_test(test.checkpoint, test.group_type, test.id, letter, number))
    return tests


def _test(checkpoint: str, group: str, name: str, letter: str, number: int) -> ReportedTest:
    """Return a test of checkpoint `number`; tests of earlier checkpoints are regression tests."""
    origin = checkpoint_number(checkpoint) or number
    category = _one_line_name(group.lower())
    is_outdated = origin < number and category != REGRESSION
    if is_outdated:
        category = REGRESSION
    order = CATEGORIES.index(category) if category in CATEGORIES else len(CATEGORIES)
    return ReportedTest(origin, order, category, _one_line_name(name), letter, is_outdated)


def _stated_counts(evaluation: CheckpointEvaluation) -> CheckpointCounts:
    """Return the test counts that an evaluation states by category."""
    passes = {name.lower(): count for name, count in evaluation.pass_counts.items()}
    counts = {}
    for name, total in evaluation.total_counts.items():
        if total:
            counts[_one_line_name(name.lower())] = (passes.get(name.lower(), 0), total)
    all_passed = sum(passed for passed, _ in counts.values())
    all_tests = sum(total for _, total in counts.values())
    return CheckpointCounts(all_passed, all_tests, counts)


def _cases_of(tests: Sequence[ReportedTest]) -> tuple[Case, ...]:
    """Return the cases of a checkpoint, each with a unique name.

    A case is named after its test. Its group is added if several tests share a name, and a number
    if several tests of the same group do.
    """
    name_counts = Counter(test.name for test in tests)
    key_counts = Counter(test.key for test in tests)
    seen_counts: Counter[tuple[int, str, str]] = Counter()
    cases = []
    for test in tests:
        seen_counts[test.key] += 1
        name = test.name
        if name_counts[test.name] > 1:
            name = f"checkpoint_{test.origin}-{test.category}/{test.name}"
        if key_counts[test.key] > 1:
            name = f"{name} ({seen_counts[test.key]})"
        cases.append(Case(name, category=test.category, origin=f"checkpoint_{test.origin}"))
    return tuple(cases)


@lru_cache(maxsize=65_536)  # the tests of a checkpoint are listed again at every later checkpoint
def _one_line_name(name: str) -> str:
    """Return a test's name on one line; a long name is cut off and ends with a digest."""
    plain = " ".join(redact_text(name).split()) or "unnamed"
    if len(plain) <= MAX_NAME_LENGTH:
        return plain
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{plain[: MAX_NAME_LENGTH - 9]}-{digest}"


@dataclass(frozen=True)
class Checkpoint:
    """The row and the files of one checkpoint. A checkpoint without either was never reached."""

    problem: str
    number: int
    row: CheckpointRow | None = None
    left_out: tuple[str, ...] = ()
    """Keys of the row with unusable values."""
    evaluation: CheckpointEvaluation | None = None
    evaluation_fault: str = ""
    """Why `evaluation.json`, or a part of it, is not used."""
    inference: CheckpointEffort | None = None
    """The effort stated in `inference_result.json`."""
    grader_digest: str | None = None
    """Digest of `evaluation.json`."""
    has_folder: bool = False

    @cached_property
    def row_tests(self) -> CheckpointCounts | None:
        """The test counts in the row; None if the row has none."""
        row = self.row
        if row is None or row.passed_tests is None or row.total_tests is None:
            return None
        return CheckpointCounts(row.passed_tests, row.total_tests, row.by_category)

    @cached_property
    def evaluated_tests(self) -> CheckpointCounts | None:
        """The test counts in `evaluation.json`; None if the file has none."""
        if self.evaluation is None or not self.evaluation.counts_tests:
            return None
        return tally_of(self.evaluation, self.number)

    @property
    def evaluation_breach(self) -> str:
        """Why `evaluation.json` is not a valid verdict; empty if it is valid."""
        evaluation = self.evaluation
        if evaluation is None:
            return ""
        tests = self.evaluated_tests
        if tests is None:
            return "evaluation.json neither lists nor counts tests"
        breach = self._contradiction(tests)
        if not breach and evaluation.tests:
            breach = _count_difference(evaluation, tests)
        return f"evaluation.json contradicts itself: {breach}" if breach else ""

    @cached_property
    def tests(self) -> CheckpointCounts | None:
        """The test counts from `evaluation.json`, or else from the row.

        None if neither has test counts, or if the row's counts are impossible.
        """
        if self.evaluated_tests is not None:
            return self.evaluated_tests
        return None if self.row_fault else self.row_tests

    @cached_property
    def row_fault(self) -> str:
        """Why the row's counts are impossible; empty if they are possible."""
        for key in self.left_out:
            if key in COUNTS:
                return f"`{key}` is not a number of tests"
        counts = self.row_tests
        if counts is None:
            return self._missing_count()
        breach = self._contradiction(counts)
        if breach or self.rate is None:
            return breach
        share = counts.passed / counts.total if counts.total else 0
        if abs(self.rate - share) <= ROUNDING:
            return ""
        fact = f"{counts.passed} of {counts.total} tests passed"
        return f"{fact}, but their stated share is {self.rate:g}"

    def _missing_count(self) -> str:
        """Return a clause if only one of the row's two counts is present; otherwise empty."""
        row = self.row
        if row is None or (row.passed_tests is None and row.total_tests is None):
            return ""
        return f"`{'passed' if row.passed_tests is None else 'total'}_tests` is missing"

    @property
    def rate(self) -> float | None:
        """The share of tests that passed, as the row states it; None unless it is from 0 to 1."""
        rate = self.row.rate if self.row else None
        return rate if rate is not None and 0 <= rate <= 1 else None

    @property
    def verdict(self) -> bool | None:
        """Whether the checkpoint is passed according to the row; None if the row does not say.

        This verdict is used if the row's test counts are impossible.
        """
        if self.rate is not None:
            return self.rate == 1
        counts = self.row_tests
        if counts is None or not counts.total or not 0 <= counts.passed <= counts.total:
            return None
        return counts.passed == counts.total

    @cached_property
    def effort(self) -> CheckpointEffort:
        """Time, cost and tokens stated in the row, or else in `inference_result.json`."""
        by_row = self.row.effort if self.row else CheckpointEffort()
        if by_row.started or by_row.cost is not None or by_row.tokens.are_counted:
            return by_row
        return self.inference or CheckpointEffort()

    @property
    def is_produced(self) -> bool:
        """Whether the agent reached the checkpoint.

        Earlier runners wrote an empty row for a checkpoint that was never reached.
        """
        if self.has_folder or self.row is None:
            return self.has_folder
        if self.row.state == "skipped":
            return bool(self.row.total_tests) or self.effort.seconds is not None
        if self.row.state in {"ran", "error"}:
            return True
        return self.row.rate is not None or self.effort != CheckpointEffort()

    @property
    def is_aborted(self) -> bool:
        """Whether the agent reached the checkpoint but no source has a verdict."""
        return self.is_produced and self.tests is None and self.verdict is None

    @property
    def has_failed(self) -> bool:
        """Whether the agent's run ended in an error."""
        if self.row is not None and self.row.state == "error":
            return True
        return self.inference is not None and self.inference.had_error

    @property
    def has_failed_runner(self) -> bool:
        """Whether the test runner crashed."""
        return self.evaluation is not None and self.evaluation.infrastructure_failure

    @property
    def is_recounted(self) -> bool:
        """Whether the test counts in the row differ from those in `evaluation.json`."""
        row = self.row_tests
        tests = self.evaluated_tests
        if row is None or tests is None:
            return False
        return (row.passed, row.total) != (tests.passed, tests.total)

    def result(self, measures: Mapping[str, float]) -> RoundResult:
        """Return the record of the checkpoint, as a round of attempt 1.

        Args:
            measures: Measurements of the checkpoint's code, by name and version.
        """
        blank = RoundResult(self.problem, 1, self.number, "unreached", 0, passed=0, total=0)
        if not self.is_produced:
            return blank
        evaluated, mishaps = self._evaluated_result(blank)
        effort = self.effort
        result = replace(
            evaluated,
            cause="; ".join(mishaps) or None,
            turns=effort.steps or None,
            cost_usd=effort.cost_usd,
            agent_seconds=effort.seconds,
            verifier_seconds=self._verifier_seconds(),
            measures=dict(measures) or None,
            grader_digest=self.grader_digest,
        )
        if not effort.tokens.are_counted:
            return result
        tokens = effort.tokens
        return replace(result, input_tokens=tokens.input, output_tokens=tokens.output)

    def _verifier_seconds(self) -> float | None:
        """Return the wall time of the tests, from `evaluation.json` or else from the row."""
        if self.evaluation is not None and self.evaluation.duration is not None:
            return self.evaluation.duration
        return self.row.verifier_seconds if self.row else None

    def _evaluated_result(self, blank: RoundResult) -> tuple[RoundResult, list[str]]:
        """Return the record with its verdict, and what went wrong in the run."""
        mishaps = [AGENT_FAILED] if self.has_failed else []
        if self.evaluation and self.has_failed_runner:
            code = self.evaluation.pytest_exit_code
            ending = "" if code is None else f" (exit code {code})"
            mishaps.append(f"the test runner crashed{ending}")
        if self.tests is not None:
            if not self.tests.total:
                mishaps.append("no test ran")
            return self._counted_result(self.tests), mishaps
        if self.verdict is not None:
            # The tests are not counted, or their counts are impossible: only the verdict is known.
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

    def _counted_result(self, tests: CheckpointCounts) -> RoundResult:
        """Return the record of the checkpoint with the verdict that follows from test counts."""
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

    def _contradiction(self, tests: CheckpointCounts) -> str:
        """Return how counts contradict each other; empty if they are consistent."""
        _, fact = next(round_breaches(self._counted_result(tests)), (None, ""))
        return fact


def _count_difference(evaluation: CheckpointEvaluation, tests: CheckpointCounts) -> str:
    """Return how the counts of an evaluation differ from its listed tests; empty if they agree."""
    counts = _stated_counts(evaluation)
    if evaluation.total_counts and counts.total != tests.total:
        return f"{tests.total} tests are listed, but {counts.total} are counted"
    if evaluation.pass_counts and counts.passed != tests.passed:
        return f"{tests.passed} listed tests passed, but {counts.passed} are counted"
    return ""


def _is_outdated(checkpoint: Checkpoint) -> bool:
    return checkpoint.tests is not None and checkpoint.tests.outdated > 0


def _has_skipped_tests(checkpoint: Checkpoint) -> bool:
    return checkpoint.tests is not None and checkpoint.tests.skipped > 0


def _has_unknown_cost(checkpoint: Checkpoint) -> bool:
    return checkpoint.is_produced and checkpoint.effort.cost_usd is None


def _has_failed_and_tests(checkpoint: Checkpoint) -> bool:
    return checkpoint.has_failed and checkpoint.tests is not None


_DOUBTS: tuple[tuple[Rule, str, Callable[[Checkpoint], bool]], ...] = (
    (
        rules.EVALUATION_DIFFERS,
        "{}: the listed tests differ from the tests that the rows count",
        attrgetter("is_recounted"),
    ),
    (
        rules.CATEGORY_OUTDATED,
        "earlier tests are listed under their old category in {}",
        _is_outdated,
    ),
    (
        rules.INFRASTRUCTURE,
        "the test runner crashed in {}; a crash counts as a failure",
        attrgetter("has_failed_runner"),
    ),
    (rules.SKIPPED_TESTS, "tests were skipped in {}", _has_skipped_tests),
    (rules.COST_UNKNOWN, "neither cost nor tokens are recorded for {}", _has_unknown_cost),
    (kit_rules.RUN_FAILED, "no file has a verdict for {}", attrgetter("is_aborted")),
    (rules.AGENT_FAILED, "the agent's run ended with an error in {}", _has_failed_and_tests),
)
"""Doubts about checkpoints: the rule, the message to the importing user, and the predicate."""


def review(table: RowTable, checkpoints: Mapping[Key, Checkpoint], log: ImportLog) -> None:
    """Report faults of a run's rows, and doubts about its checkpoints, once for each cause."""
    run = table.path.parent
    _review_rows(table, log)
    _review_counts(table, checkpoints, log)
    for rule, sentence, is_doubtful in _DOUBTS:
        keys = [key for key, checkpoint in checkpoints.items() if is_doubtful(checkpoint)]
        if keys:
            names = _counted_names(keys)
            log.add_with_caveat(rule, run, sentence.format(names), run, names)


def _counted_names(keys: Sequence[Key]) -> str:
    """Return the number of checkpoints, with the names of the first few."""
    names = listed((names_of([key]) for key in keys), MAX_SHOWN)
    return f"{counted(len(keys), 'checkpoint')} ({names})"


def _listed_facts(facts: Iterable[str]) -> str:
    return listed(facts, MAX_SHOWN, more="; and {} more", separator="; ")


def _review_rows(table: RowTable, log: ImportLog) -> None:
    """Report the lines that are not rows, and the unusable values of rows."""
    run = table.path.parent
    if table.faults:
        first_line, _ = table.faults[0]
        text = _listed_facts(f"line {number}: {fault}" for number, fault in table.faults)
        log.add(rules.ROW_BROKEN, table.path, text, first_line)
        log.add_caveat(run, rules.ROW_BROKEN, text)
    if table.left_out:
        facts = []
        for key, row_keys in table.left_out.items():
            quoted_keys = [f"`{row_key}`" for row_key in row_keys]
            facts.append(f"{names_of([key])}: {listed(quoted_keys)}")
        first_line = min(table.lines[key] for key in table.left_out)
        text = _listed_facts(facts)
        log.add(rules.VALUE_UNUSABLE, table.path, text, first_line)
        log.add_caveat(run, rules.VALUE_UNUSABLE, text)
    if table.repeated:
        names = names_of(table.repeated)
        log.add_with_caveat(
            rules.ROW_TWICE, table.path, f"several rows are about {names}", run, names
        )


def _review_counts(table: RowTable, checkpoints: Mapping[Key, Checkpoint], log: ImportLog) -> None:
    """Report rows with impossible counts, unless an evaluation replaces them."""
    faults = {}
    for key in table.rows:
        checkpoint = checkpoints[key]
        if checkpoint.row_fault and checkpoint.evaluated_tests is None:
            faults[key] = checkpoint.row_fault
    if not faults:
        return
    first, *more_keys = faults
    fact = f"the row of {names_of([first])} contradicts itself: {faults[first]}"
    if more_keys:
        fact = f"{fact}; the rows of {_counted_names(more_keys)} also contradict themselves"
    log.add(rules.COUNTS_DIFFER, table.path, fact, table.lines[first])
    for key, fault in faults.items():
        log.add_caveat(table.path.parent, rules.COUNTS_DIFFER, f"{names_of([key])} ({fault})")
