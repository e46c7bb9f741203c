"""Read the report of an instance: whether it is resolved, and the tests that had to pass."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import parse_reward
from sitegen.importers.kit.values import mapping_of
from sitegen.importers.swebench.json_files import read_json_file

CATEGORIES = ("FAIL_TO_PASS", "PASS_TO_PASS")
"""Tests that the patch must fix, and tests that it must not break."""

_OUTCOMES = (("success", True), ("failure", False))
"""Keys of the lists of tests in a report, and whether their tests passed."""

_REPOSITORIES = (
    re.compile(r"(?P<owner>[^/:]+?)/(?P<name>[^/:]+):pr-\d+"),  # Multi-SWE-bench
    re.compile(r"(?:instance_)?(?P<owner>.+?)__(?P<name>.+?)\.[0-9a-f]{6,40}\..+"),  # SWE-smith
    re.compile(r"(?:instance_)?(?P<owner>.+?)__(?P<name>.+?)-(?:\d+|[0-9a-f]{40}(?:-v\w+)?)"),
)
"""Patterns of ids that name a repository: `OWNER__NAME-123`, and the forms of variants."""


@dataclass(frozen=True, slots=True)
class GradedTest:
    """A test that counts for the verdict."""

    category: str
    name: str
    passed: bool


@dataclass(frozen=True, slots=True)
class InstanceReport:
    """The harness's report of one instance."""

    resolved: bool
    tests: Sequence[GradedTest] = ()
    """The tests that count, in the same order in every run; empty if they are unknown."""
    fault: str = ""
    """Why tests that the report should list are unknown, as a clause; otherwise empty."""
    was_graded: bool = True
    """Whether the harness could read the result of any test."""
    infra_failure: bool = False
    reason: str = ""
    """Why the test environment failed, in the harness's words."""


def read_report(path: Path, instance: str) -> tuple[InstanceReport | None, str]:
    """Return the report of an instance.

    Returns:
        The report, or None if it has no verdict; and a clause that says what is wrong if it is
        None.
    """
    file = read_json_file(path)
    if file.fault:
        return None, f"its report {file.fault}"
    facts = _instance_facts(file.value, instance)
    if facts is None:
        return None, "its report does not mention this instance"
    verdict = parse_reward(facts.get("resolved"))
    if verdict not in {0.0, 1.0}:
        return None, "its report has no verdict"
    reason = facts.get("infra_failure_reason")
    reason_text = one_line(reason.replace("_", " ")) if isinstance(reason, str) else ""
    has_own_tests = not facts.keys().isdisjoint(CATEGORIES)
    status = facts.get("tests_status", facts if has_own_tests else None)
    report = InstanceReport(
        bool(verdict),
        was_graded=status is not None,
        infra_failure=facts.get("infra_failure") is True,
        reason=reason_text,
    )
    if status is None:
        return report, ""
    return _with_tests(report, status), ""


def _instance_facts(value: object, instance: str) -> Mapping[str, object] | None:
    """Return the facts about an instance, under its id or, in SWE-bench-Live, at the top level."""
    facts_by_name = mapping_of(value)
    if "resolved" in facts_by_name and facts_by_name.get("instance_id", instance) == instance:
        return facts_by_name
    for name, facts in facts_by_name.items():
        if name.casefold() == instance.casefold() and isinstance(facts, dict):
            return facts
    return None


def _with_tests(report: InstanceReport, status: object) -> InstanceReport:
    """Return a report with its tests if they are known and agree with its verdict."""
    tests, fault = _graded_tests(status)
    if fault:
        return replace(report, fault=fault)
    if not tests:
        return replace(report, fault="its report lists no tests")
    failed = sum(not test.passed for test in tests)
    if (failed == 0) != report.resolved:
        verdict = "resolved" if report.resolved else "not resolved"
        fault = f"its report says {verdict}, but {failed} of its {len(tests)} tests failed"
        return replace(report, fault=fault)
    return replace(report, tests=tests)


def _graded_tests(status: object) -> tuple[list[GradedTest], str]:
    """Return the sorted tests of a report, and a clause that describes a fault in its lists.

    The clause is empty if the lists have no fault; otherwise there are no tests.
    """
    tests: list[GradedTest] = []
    for category in CATEGORIES:
        lists = mapping_of(status).get(category)
        if not isinstance(lists, dict):
            return [], f"its report has no tests of {category}"
        outcomes = []
        for key, passed in _OUTCOMES:
            names = lists.get(key)
            if not _is_list_of_texts(names):
                return [], f"`{key}` of {category} in its report is not a list of tests"
            outcomes += [(name, passed) for name in names]
        tests += [GradedTest(category, name, passed) for name, passed in sorted(outcomes)]
    return tests, ""


def _is_list_of_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def repository_of(instance: str) -> str | None:
    """Return the repository of an instance; None if its id does not name it."""
    for pattern in _REPOSITORIES:
        match = pattern.fullmatch(instance)
        if match:
            return f"{match['owner']}/{match['name']}"
    return None
