"""Reads CTRF, the report that many test runners can write: `results.summary` and `results.tests`."""

from collections.abc import Callable
from pathlib import Path

from sitegen.importers.harbor.lenient import Lenient, Perhaps, Text, Whole
from sitegen.importers.harbor.stream import Shape, pick
from sitegen.problems import Problem

_TESTS = ("results", "tests")
_SHAPE: Shape = {
    "results": {
        "summary": {"tests": None, "passed": None, "failed": None},
        "tests": {"name": None, "status": None, "message": None, "type": None, "suite": None},
    }
}

_LONGEST = 1024 * 1024
"""Bytes of a message that is kept."""


class CtrfTest(Lenient):
    """One test of a report."""

    name: Text = None
    status: Text = None
    message: Text = None
    type: Text = None
    suite: Text = None
    """The group it stands in; newer reports have a list of names, which is passed over."""


class CtrfSummary(Lenient):
    """What a report says its tests come to."""

    tests: Whole = None
    passed: Whole = None
    failed: Whole = None


class _Results(Lenient):
    summary: Perhaps[CtrfSummary] = None


class _Report(Lenient):
    results: Perhaps[_Results] = None


def read_ctrf(path: Path, take: Callable[[CtrfTest], None]) -> tuple[CtrfSummary | None, list[Problem]]:
    """Read a report.

    Args:
        path: The file.
        take: Takes each test, in the order of the report; not to be trusted where there is a problem.

    Returns:
        The summary, None where there is none; and the problems.
    """

    def sink(test: object) -> None:
        if isinstance(test, dict):
            take(CtrfTest.model_validate(test))

    value, problems = pick(path, _SHAPE, {_TESTS: sink}, longest=_LONGEST)
    report = _Report.model_validate(value) if isinstance(value, dict) else _Report()
    return (report.results.summary if report.results else None), problems
