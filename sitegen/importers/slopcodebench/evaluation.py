"""The tests of a checkpoint with their outcomes: `evaluation.json`, in both forms that it was written in."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from functools import lru_cache

from pydantic.dataclasses import dataclass

from sitegen.importers.kit.redaction import redacted
from sitegen.importers.slopcodebench.files import OPEN, Spent, checkpoint_number
from sitegen.models.record import Count
from sitegen.models.task import Case

REGRESSION = "regression"
_CATEGORIES = ("core", "functionality", "error", REGRESSION)
_LETTERS = {"passed": "p", "failed": "f", "skipped": "s", "error": "e"}

_LONGEST = 200
"""Characters of a test's name; parameters of a test can be whole files."""


@dataclass(frozen=True, slots=True, config=OPEN)
class _Buckets:
    """The tests of one group by what became of them, as files since January 2026 have it."""

    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """A bucket of its own since 21 April 2026; before, skipped tests were among the failed."""


@dataclass(frozen=True, slots=True, config=OPEN)
class _Listed:
    """One test, as files before January 2026 have it."""

    id: str
    checkpoint: str = ""
    group_type: str = "Core"
    status: str = "failed"


@dataclass(frozen=True, slots=True, config=OPEN)
class Evaluation:
    """What the test runner found at a checkpoint."""

    tests: dict[str, _Buckets] | tuple[_Listed, ...] = ()
    pass_counts: dict[str, Count] = field(default_factory=dict)
    total_counts: dict[str, Count] = field(default_factory=dict)
    duration: Spent = None
    pytest_exit_code: int | None = None
    infrastructure_failure: bool = False

    def outcomes(self) -> Iterator[tuple[str, str, str, str]]:
        """Give each test: the checkpoint it was made for, its group, its name and the letter of its outcome."""
        if isinstance(self.tests, dict):
            for group, buckets in self.tests.items():
                origin, _, category = group.rpartition("-")
                for status in ("passed", "failed", "skipped"):
                    names: tuple[str, ...] = getattr(buckets, status)
                    yield from ((origin, category, name, _LETTERS[status]) for name in names)
        else:
            for each in self.tests:
                yield each.checkpoint, each.group_type, each.id, _LETTERS.get(each.status, "f")


@plain_dataclass(frozen=True, slots=True)
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
    """One letter a case."""
    outdated: int = 0
    """Tests of earlier checkpoints that are listed under another category than regression."""


@plain_dataclass(frozen=True, slots=True, order=True)
class _Test:
    origin: int
    place: int
    """Of its category, in the order that categories are shown."""
    category: str
    name: str
    letter: str
    is_outdated: bool = False


def tally_of(evaluation: Evaluation, number: int) -> Tally:
    """Count the tests of a checkpoint.

    Args:
        evaluation: What the test runner found.
        number: The checkpoint, from 1.
    """
    tests = sorted(_test(*told, number) for told in evaluation.outcomes())
    if not tests:
        return _counted(evaluation)
    by_category: dict[str, tuple[int, int]] = {}
    for test in tests:
        passed, total = by_category.get(test.category, (0, 0))
        by_category[test.category] = passed + (test.letter == "p"), total + 1
    outcomes = "".join(test.letter for test in tests)
    return Tally(
        outcomes.count("p"),
        len(tests),
        {category: by_category[category] for category in sorted(by_category, key=_place)},
        outcomes.count("s"),
        _cases(tests),
        outcomes,
        sum(test.is_outdated for test in tests),
    )


def _counted(evaluation: Evaluation) -> Tally:
    """Take the counts of a file that lists no tests."""
    totals = {name.lower(): count for name, count in evaluation.total_counts.items() if count}
    passes = {name.lower(): count for name, count in evaluation.pass_counts.items()}
    by_category = {name: (passes.get(name, 0), count) for name, count in totals.items()}
    return Tally(sum(passed for passed, _ in by_category.values()), sum(totals.values()), by_category)


def _test(origin: str, group: str, name: str, letter: str, number: int) -> _Test:
    made_for = checkpoint_number(origin) or number
    category = group.lower()
    is_outdated = made_for < number and category != REGRESSION
    category = REGRESSION if is_outdated else category
    return _Test(made_for, _place(category), category, _shown(name), letter, is_outdated)


def _place(category: str) -> int:
    return _CATEGORIES.index(category) if category in _CATEGORIES else len(_CATEGORIES)


@lru_cache(maxsize=65_536)  # the tests of a checkpoint are told of again at every later one
def _shown(name: str) -> str:
    """Write a test's name in one line of bearable length; a cut name stays one of a kind."""
    plain = " ".join(redacted(name).split()) or "unnamed"
    if len(plain) <= _LONGEST:
        return plain
    return f"{plain[: _LONGEST - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _cases(tests: Sequence[_Test]) -> tuple[Case, ...]:
    """Name the cases: by their test, and by its group too where several tests of the checkpoint have one name."""
    names = Counter(test.name for test in tests)
    fuller = Counter((test.origin, test.category, test.name) for test in tests)
    seen: Counter[tuple[int, str, str]] = Counter()
    cases = []
    for test in tests:
        name, key = test.name, (test.origin, test.category, test.name)
        seen[key] += 1
        if names[name] > 1:
            name = f"checkpoint_{test.origin}-{test.category}/{name}"
        if fuller[key] > 1:
            name = f"{name} ({seen[key]})"
        cases.append(Case(name, category=test.category, origin=f"checkpoint_{test.origin}"))
    return tuple(cases)
