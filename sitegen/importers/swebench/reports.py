"""What the evaluation says of one instance: whether it is resolved, and the tests that it had to pass."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.cases import CaseLists, CaseRecord, told_apart
from sitegen.importers.kit.redaction import redacted
from sitegen.importers.kit.report import Report, listed
from sitegen.importers.kit.rules import SOURCE_BROKEN
from sitegen.importers.kit.samples import Run
from sitegen.importers.kit.told import Told
from sitegen.importers.swebench.rules import TESTS_TWICE
from sitegen.models.outcome import Failure, RoundResult
from sitegen.reading.files import read_head
from sitegen.reading.json import read_json

CATEGORIES = ("FAIL_TO_PASS", "PASS_TO_PASS")
"""Tests that the patch has to mend, and those that it may not break."""

_KINDS = {
    b"Patch Apply Failed": "the patch could not be applied",
    b"timed out": "the tests took too long",
    b"Tests Timed Out": "the tests took too long",
    b"BuildImageError": "the image could not be built",
}
_LOOKED_AT = 1024 * 1024


class _Tests(Told):
    success: list[str]
    failure: list[str]


class _Instance(Told):
    resolved: bool
    infra_failure: bool | None = None
    tests_status: dict[str, _Tests] | None = None

    def tests(self) -> Iterator[tuple[str, str, bool]]:
        """Each test that counts: its category, its name, and whether it passed, the same in every run."""
        for category in CATEGORIES:
            told = (self.tests_status or {}).get(category)
            if told:
                both = [*((name, True) for name in told.success), *((name, False) for name in told.failure)]
                yield from ((category, name, passed) for name, passed in sorted(both))


@dataclass(slots=True)
class Reader:
    """Reads reports, and keeps the tests of all instances."""

    report: Report
    lists: CaseLists = field(default_factory=CaseLists)

    def read(self, path: Path, instance: str, run: Run, *, resolved: bool) -> RoundResult | None:
        """What came of an instance that is said to be resolved or not; None where the report says otherwise."""
        found, problems = read_json(path, dict[str, _Instance])
        self.report.problems += problems
        told = (found or {}).get(instance)
        if told is None:
            if not problems:
                self._broken(path, f"it says nothing of {instance}")
            return None
        tests = list(told.tests())
        is_whole = bool(tests) and all(passed for _, _, passed in tests)
        if told.resolved != resolved or is_whole != resolved:
            lists = f"{sum(passed for *_, passed in tests)} of its {len(tests)} tests passed"
            said = f"`resolved` is {str(told.resolved).lower()} in it, and {lists}"
            self._broken(path, f"{instance} is listed as {'' if resolved else 'not '}resolved; {said}")
            return None
        if told.tests_status is None:
            cause = "the machinery failed" if told.infra_failure else "no test could be read from the output"
            return RoundResult(instance, 1, 1, "no_cases", 0, passed=0, total=0, cause=cause)
        if lacking := [each for each in CATEGORIES if each not in told.tests_status]:
            self._broken(path, f"`tests_status` of {instance} lacks {listed(lacking)}")
        names = Counter((category, name) for category, name, _ in tests)
        if twice := [name for (_, name), times in names.items() if times > 1]:
            self.report.doubt(TESTS_TWICE, path, run.spot(instance), listed(map(redacted, twice)))
        return self._scored(instance, tests, run, resolved=resolved)

    def _scored(self, instance: str, tests: list[tuple[str, str, bool]], run: Run, *, resolved: bool) -> RoundResult:
        records = told_apart([CaseRecord(redacted(name), "p" if ok else "f", kind) for kind, name, ok in tests])
        names = self.lists.add((instance, 1), records)
        by_category = {
            category: (sum(ok for ok in own), len(own))
            for category in CATEGORIES
            if (own := [ok for kind, _, ok in tests if kind == category])
        }
        run.failures += [
            Failure(instance, 1, 1, each.id, category=each.category) for each in records if each.outcome == "f"
        ]
        return RoundResult(
            instance,
            1,
            1,
            "scored",
            float(resolved),
            passed=sum(ok for *_, ok in tests),
            total=len(tests),
            outcomes="".join(each.outcome for each in records),
            case_ids=names,
            by_category=by_category,
        )

    def _broken(self, path: Path, what: str) -> None:
        self.report.problems.append(SOURCE_BROKEN.broken(path, None, what))


def why(log: Path) -> str:
    """Why an instance came to no report, as its log tells the kind."""
    head = read_head(log, _LOOKED_AT) or b""
    return next((words for mark, words in _KINDS.items() if mark in head), "the evaluation came to no report")
