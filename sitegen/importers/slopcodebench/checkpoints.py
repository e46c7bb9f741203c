"""One checkpoint of a run: what its row and its own files tell, counted, doubted and made into one record."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from sitegen.importers.kit.cases import by_category
from sitegen.importers.kit.redaction import redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.files import Effort, Evaluation, Key, checkpoint_number
from sitegen.importers.slopcodebench.rows import CATEGORIES, REGRESSION, Row, RowTable, names_of
from sitegen.models.consistency import breaches
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case
from sitegen.problems import Rule, counted, listed

_LETTERS = {"passed": "p", "failed": "f", "skipped": "s", "error": "e"}

_AGENT_FAILED = "the agent's run ended in an error"

_LONGEST = 200
"""Characters of a test's name; parameters of a test can be whole files."""

_SHOWN = 5
"""Checkpoints named of those that a problem concerns."""

_ROUNDING = 1e-6
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


class _Test(NamedTuple):
    origin: int
    place: int
    """Of its category, in the order that categories are shown."""
    category: str
    name: str
    letter: str
    is_outdated: bool


def tally_of(evaluation: Evaluation, number: int) -> Tally:
    """Count the tests of a checkpoint, which is numbered from 1."""
    if isinstance(evaluation.tests, dict):
        listed = [
            (*group.rpartition("-")[::2], name, letter)
            for group, tests in evaluation.tests.items()
            for names, letter in ((tests.passed, "p"), (tests.failed, "f"), (tests.skipped, "s"))
            for name in names
        ]
    else:
        listed = [
            (each.checkpoint, each.group_type, each.id, _LETTERS.get(each.status, "f")) for each in evaluation.tests
        ]
    tests = []
    for made_for, group, name, letter in listed:
        origin, category = checkpoint_number(made_for) or number, group.lower()
        is_outdated = origin < number and category != REGRESSION
        category = REGRESSION if is_outdated else category
        place = CATEGORIES.index(category) if category in CATEGORIES else len(CATEGORIES)
        tests.append(_Test(origin, place, category, _shown(name), letter, is_outdated))
    if not tests:
        totals = {name.lower(): count for name, count in evaluation.total_counts.items() if count}
        passes = {name.lower(): count for name, count in evaluation.pass_counts.items()}
        counts = {name: (passes.get(name, 0), count) for name, count in totals.items()}
        return Tally(sum(passed for passed, _ in counts.values()), sum(totals.values()), counts)
    tests.sort()
    by_place = sorted(tests, key=lambda test: test.place)
    categories = by_category((test.category, test.letter == "p") for test in by_place)
    # A case is named by its test, and by its group too where several tests of the checkpoint have one name.
    names = Counter(test.name for test in tests)
    fuller = Counter((test.origin, test.category, test.name) for test in tests)
    seen: Counter[tuple[int, str, str]] = Counter()
    cases = []
    for test in tests:
        key = (test.origin, test.category, test.name)
        seen[key] += 1
        name = f"checkpoint_{test.origin}-{test.category}/{test.name}" if names[test.name] > 1 else test.name
        name = f"{name} ({seen[key]})" if fuller[key] > 1 else name
        cases.append(Case(name, category=test.category, origin=f"checkpoint_{test.origin}"))
    outcomes = "".join(test.letter for test in tests)
    outdated = sum(test.is_outdated for test in tests)
    return Tally(outcomes.count("p"), len(tests), categories, outcomes.count("s"), tuple(cases), outcomes, outdated)


@lru_cache(maxsize=65_536)  # the tests of a checkpoint are told of again at every later one
def _shown(name: str) -> str:
    """Write a test's name in one line of bearable length; a cut name stays one of a kind."""
    plain = " ".join(redacted(name).split()) or "unnamed"
    if len(plain) <= _LONGEST:
        return plain
    return f"{plain[: _LONGEST - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Checkpoint:
    """What is told of one checkpoint. Without a row and without a folder it was never reached."""

    problem: str
    number: int
    row: Row | None = None
    evaluation: Evaluation | None = None
    inference: Effort | None = None
    """By the agent's own record."""
    grader_digest: str | None = None
    """That of `evaluation.json`."""
    has_folder: bool = False

    @property
    def counted(self) -> Tally | None:
        """The tests as the row counts them; None where it counts none."""
        row = self.row
        if row is None or row.passed_tests is None or row.total_tests is None:
            return None
        return Tally(row.passed_tests, row.total_tests, row.by_category)

    @cached_property
    def tests(self) -> Tally | None:
        """The tests as `evaluation.json` lists them, else as the row counts them; None where neither does."""
        return tally_of(self.evaluation, self.number) if self.evaluation else self.counted

    @cached_property
    def effort(self) -> Effort:
        """What it took, by the row where that tells it, else by the agent's own record."""
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
        return self.row.state in {"ran", "error"} or self.row.rate is not None or self.effort != Effort()

    @property
    def has_failed(self) -> bool:
        """Whether the agent's run ended in an error."""
        return (self.row is not None and self.row.state == "error") or bool(self.inference and self.inference.had_error)

    @property
    def is_recounted(self) -> bool:
        """Whether its row counts other tests than `evaluation.json` lists."""
        row, tests = self.counted, self.tests
        return row is not None and tests is not None and (row.passed, row.total) != (tests.passed, tests.total)

    def result(self, measures: Mapping[str, float]) -> RoundResult:
        """Make the record, as of a first attempt."""
        verdict = RoundResult(self.problem, 1, self.number, "unreached", 0, passed=0, total=0)
        if not self.is_produced:
            return verdict
        mishaps = [_AGENT_FAILED] if self.has_failed else []
        if self.evaluation and self.evaluation.infrastructure_failure:
            code = self.evaluation.pytest_exit_code
            mishaps.append(f"the test runner itself failed{'' if code is None else f' (exit code {code})'}")
        if self.tests is not None:
            verdict = self._judged(self.tests)
            mishaps += [] if self.tests.total else ["no test ran"]
        elif self.row and self.row.rate is not None:
            # Nobody counted the tests: only the share that passed is told.
            verdict = replace(verdict, state="scored", reward=float(self.row.rate == 1), passed=None, total=None)
        else:
            verdict = replace(verdict, state="aborted")
            unchecked = f"{_AGENT_FAILED}, and its work was not checked"
            mishaps = [unchecked if self.has_failed else "the agent's work was not checked"]
        effort = self.effort
        tokens = effort.tokens if effort.tokens.are_counted else None
        timed = self.evaluation.duration if self.evaluation else None
        return replace(
            verdict,
            cause="; ".join(mishaps) or None,
            turns=effort.steps or None,
            input_tokens=tokens.input if tokens else None,
            output_tokens=tokens.output if tokens else None,
            cost_usd=effort.cost_usd,
            agent_seconds=effort.seconds,
            verifier_seconds=self.row.verifier_seconds if timed is None and self.row else timed,
            measures=dict(measures) or None,
            grader_digest=self.grader_digest,
        )

    def _judged(self, tests: Tally) -> RoundResult:
        return RoundResult(
            self.problem,
            1,
            self.number,
            "scored" if tests.total else "no_cases",
            float(tests.passed == tests.total) if tests.total else 0,  # a skipped test has not passed
            passed=tests.passed,
            total=tests.total,
            skipped=tests.skipped or None,
            outcomes=tests.outcomes,
            by_category=dict(tests.by_category) or None,
        )

    def contradiction(self) -> str | None:
        """How the counts of its row contradict each other; None where they do not."""
        tally, rate = self.counted, self.row.rate if self.row else None
        if tally is None:
            return None
        for _, fact in breaches(self._judged(tally)):
            return fact
        if rate is not None and abs(rate - (tally.passed / tally.total if tally.total else 0)) > _ROUNDING:
            return f"{tally.passed} of {tally.total} tests passed, but their stated share is {rate:g}"
        return None


_DOUBTS: tuple[tuple[Rule, str, Callable[[Checkpoint], object]], ...] = (
    (rules.EVALUATION_DIFFERS, "{} other tests than their rows count", lambda it: it.is_recounted),
    (rules.CATEGORY_OUTDATED, "{} earlier tests under their old category", lambda it: it.tests and it.tests.outdated),
    (
        rules.INFRASTRUCTURE,
        "the test runner itself failed at {}",
        lambda it: it.evaluation and it.evaluation.infrastructure_failure,
    ),
    (rules.SKIPPED_TESTS, "tests were skipped at {}", lambda it: it.tests and it.tests.skipped),
    (
        rules.COST_UNKNOWN,
        "neither cost nor tokens are known of {}",
        lambda it: it.is_produced and it.effort.cost_usd is None,
    ),
    (rules.AGENT_FAILED, "the agent's run ended in an error at {}", lambda it: it.has_failed and it.tests is not None),
)
"""What can be doubtful about a checkpoint: the rule, the sentence for who imports it, and whether it is."""


def review(table: RowTable, checkpoints: Mapping[Key, Checkpoint], report: Report) -> None:
    """Say what is wrong in a run's rows, and what is doubtful about its checkpoints, once for each cause."""

    def named(keys: list[Key]) -> str:
        first = listed((names_of([key]) for key in keys), _SHOWN)
        return f"{counted(len(keys), 'checkpoint')} ({first})"

    run = table.path.parent
    faults = {key: fault for key in table.rows if (fault := checkpoints[key].contradiction())}
    if faults:
        first, *others = faults
        more = f"; and so do the rows of {named(others)}" if others else ""
        what = f"the row of {first[0]} {first[1]} contradicts itself: {faults[first]}{more}"
        report.problems.append(rules.COUNTS_DIFFER.broken(table.path, table.lines[first], what))
    for rule, words, concerns in _DOUBTS:
        found = [key for key, each in checkpoints.items() if concerns(each)]
        if found:
            report.say(rule, run, words.format(named(found)), run, named(found))
