"""The report of one instance: whether it is resolved, and the tests that its patch had to pass."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import reward_of
from sitegen.importers.swebench.json_files import read_json_file

CATEGORIES = ("FAIL_TO_PASS", "PASS_TO_PASS")
"""Tests that the patch has to fix, and those that it must not break."""

_REPOSITORIES = (
    re.compile(r"(?P<owner>[^/:]+?)/(?P<name>[^/:]+):pr-\d+"),  # Multi-SWE-bench
    re.compile(r"(?:instance_)?(?P<owner>.+?)__(?P<name>.+?)\.[0-9a-f]{6,40}\..+"),  # SWE-smith
    re.compile(r"(?:instance_)?(?P<owner>.+?)__(?P<name>.+?)-(?:\d+|[0-9a-f]{40}(?:-v\w+)?)"),
)
"""How ids of instances tell their repository: `OWNER__NAME-123`, and the spellings of relatives."""


@dataclass(frozen=True, slots=True)
class GradedTest:
    """One test that counts."""

    category: str
    name: str
    passed: bool


@dataclass(frozen=True, slots=True)
class InstanceReport:
    """What the harness wrote about one instance."""

    resolved: bool
    tests: Sequence[GradedTest] = ()
    """The tests that count, in the same order in every run; none where they are not known."""
    fault: str = ""
    """Why the tests are not known, as a clause, where the report should have them."""
    was_graded: bool = True
    """Whether the harness could read the result of any test."""
    infra_failure: bool = False
    reason: str = ""
    """Why the test environment failed, in the words of the harness."""


def read_report(path: Path, instance: str) -> tuple[InstanceReport | None, str]:
    """Read the report of an instance.

    Returns:
        The report, or None where it has no verdict; and what is wrong then, as a clause.
    """
    file = read_json_file(path)
    if file.fault:
        return None, f"its report {file.fault}"
    facts = _facts_of(file.value, instance)
    if facts is None:
        return None, "its report says nothing of this instance"
    verdict = reward_of(facts.get("resolved"))
    if verdict not in {0.0, 1.0}:
        return None, "its report has no verdict"
    reason = facts.get("infra_failure_reason")
    words = one_line(reason.replace("_", " ")) if isinstance(reason, str) else ""
    status = facts.get(
        "tests_status", facts if "FAIL_TO_PASS" in facts or "PASS_TO_PASS" in facts else None
    )
    report = InstanceReport(
        bool(verdict),
        was_graded=status is not None,
        infra_failure=facts.get("infra_failure") is True,
        reason=words,
    )
    if status is None:
        return report, ""
    return _with_tests(report, status), ""


def _facts_of(value: object, instance: str) -> Mapping[str, object] | None:
    """Return what a report says of an instance: below its id, or in SWE-bench-Live on its own."""
    if not isinstance(value, dict):
        return None
    if "resolved" in value and value.get("instance_id", instance) == instance:
        return value
    for name, facts in value.items():
        if name.casefold() == instance.casefold() and isinstance(facts, dict):
            return facts
    return None


def _with_tests(report: InstanceReport, status: object) -> InstanceReport:
    """Return a report with its tests, if they are known and agree with its verdict."""
    tests, fault = _tests_of(status)
    failed = sum(not test.passed for test in tests)
    if not fault and not tests:
        fault = "its report lists no tests"
    if not fault and (failed == 0) != report.resolved:
        word = "resolved" if report.resolved else "not resolved"
        fault = f"its report says {word}, and {failed} of its {len(tests)} tests failed"
    if fault:
        return replace(report, fault=fault)
    return replace(report, tests=tests)


def _tests_of(status: object) -> tuple[list[GradedTest], str]:
    """Return the tests of a report, sorted, or what is wrong with its lists."""
    tests: list[GradedTest] = []
    for category in CATEGORIES:
        lists = status.get(category) if isinstance(status, dict) else None
        if not isinstance(lists, dict):
            return [], f"its report has no tests of {category}"
        names = []
        for key, passed in (("success", True), ("failure", False)):
            values = lists.get(key)
            if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
                return [], f"`{key}` of {category} in its report is not a list of tests"
            names += [(value, passed) for value in values]
        tests += [GradedTest(category, name, passed) for name, passed in sorted(names)]
    return tests, ""


def repository_of(instance: str) -> str | None:
    """Return the repository that an instance comes from, if its id tells it."""
    for pattern in _REPOSITORIES:
        match = pattern.fullmatch(instance)
        if match:
            return f"{match['owner']}/{match['name']}"
    return None
