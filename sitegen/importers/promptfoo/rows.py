"""Parse individual results: their test, verdict, cost, time and tokens."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sitegen.importers.kit.cases import CaseRecord, with_distinct_ids
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import (
    amount_of,
    figure_of,
    mapping_of,
    mappings_of,
    name_of,
    text_of,
)
from sitegen.importers.promptfoo.providers import parse_reasoning
from sitegen.importers.promptfoo.records import TestCase, TestResult
from sitegen.importers.promptfoo.tests import checksum, drop_run_variables, format_variables
from sitegen.models.task import Case

JsonObject = Mapping[str, object]

NO_ASSERTIONS = "No assertions"
"""The reason that promptfoo gives for passing a test without assertions."""

ERROR = 2
"""The `failureReason` of a result that has no verdict because of an error."""

_MAX_NAME_LENGTH = 60
_MAX_LABEL_LENGTH = 100
_MAX_VARIABLES_LENGTH = 400

ANYTHING: dict[str, "Shape | None"] = {}
ANYTHING["*"] = ANYTHING
"""The shape of a value that may be nested to any depth."""

_ASSERTION_SHAPE: Shape = {"type": None, "metric": None, "metricOnly": None}

_USAGE_SHAPE: Shape = {
    "prompt": None,
    "completion": None,
    "completionDetails": {"cacheReadInputTokens": None},
}

_GRADING_SHAPE: Shape = {
    "pass": None,
    "reason": None,
    "componentResults": {
        "pass": None,
        "assertion": _ASSERTION_SHAPE,
        "metadata": {"metricOnly": None},
        "componentResults": {"pass": None},
    },
}

_TEST_CASE_SHAPE: Shape = {
    "description": None,
    "vars": ANYTHING,
    "assert": ANYTHING,
    "providers": {},
    "prompts": {},
    "metadata": {"*": None},
}

_SINGLE_KEYS = (
    "id",
    "promptIdx",
    "testIdx",
    "success",
    "score",
    "failureReason",
    "error",
    "cost",
    "latencyMs",
    "description",
)

RESULT_SHAPE: Shape = {
    **dict.fromkeys(_SINGLE_KEYS),
    "namedScores": {"*": None},
    "provider": {"id": None, "label": None, "config": ANYTHING},
    "prompt": {"label": None, "display": None, "raw": None},
    "vars": ANYTHING,
    "response": {"cached": None, "tokenUsage": {"prompt": None, "completion": None}},
    "tokenUsage": _USAGE_SHAPE,
    "gradingResult": _GRADING_SHAPE,
    "testCase": _TEST_CASE_SHAPE,
}


def shrink_result(value: object) -> JsonObject:
    """Return a result without the long values that only identify its test.

    These keys are added: `key`, a checksum of the test; `line`, its variables on one line;
    `has_vars`; and `has_assertions`, if the test lists assertions. The configuration of the
    provider is replaced by its reasoning setting.
    """
    result = dict(mapping_of(value))
    test_case = dict(mapping_of(result.get("testCase")))
    result_variables = result.pop("vars", None)
    variables = test_case.pop("vars", None)
    if not isinstance(variables, dict):
        variables = result_variables
    test_variables = drop_run_variables(mapping_of(variables))
    assertions = test_case.pop("assert", None)
    result["testCase"] = test_case
    result["line"] = format_variables(test_variables)[:_MAX_VARIABLES_LENGTH]
    result["has_vars"] = bool(test_variables)
    result["key"] = checksum(test_case.get("description"), test_variables, assertions)
    if isinstance(assertions, list):
        metric_only = [assertion.get("metricOnly") for assertion in mappings_of(assertions)]
        result["has_assertions"] = any(value is not True for value in metric_only)
    provider = mapping_of(result.get("provider"))
    if provider:
        reasoning = parse_reasoning(mapping_of(provider.get("config")))
        result["provider"] = {**provider, "config": reasoning}
    return result


def parse_result(row: JsonObject, column: int, test: int) -> TestResult:
    """Return one result, given the numbers of its column and its test."""
    grading = mapping_of(row.get("gradingResult"))
    components = mappings_of(grading.get("componentResults"))
    success, cause = _parse_verdict(row, grading)
    return TestResult(
        id=name_of(row.get("id")) or "",
        column=column,
        test=test,
        case=_parse_test_case(row, test, components),
        success=success,
        score=figure_of(row.get("score")),
        named_scores=_parse_named_scores(row),
        cause=cause,
        checks=_parse_checks(components),
        **_parse_effort(row)._asdict(),
    )


def _parse_named_scores(row: JsonObject) -> dict[str, float]:
    """Return the named scores of a result that are numbers."""
    scores = {}
    for key, value in mapping_of(row.get("namedScores")).items():
        name = text_of(key, _MAX_NAME_LENGTH)
        score = figure_of(value)
        if name and score is not None:
            scores[name] = score
    return scores


def _parse_verdict(row: JsonObject, grading: JsonObject) -> tuple[bool | None, str]:
    """Return whether a result is a pass, or None and the reason why there is no verdict."""
    error = row.get("error")
    first_line = error.strip().partition("\n")[0] if isinstance(error, str) else ""
    if row.get("failureReason") == ERROR or (first_line and not grading):
        return None, text_of(first_line) or "an error without a message"
    for success in (row.get("success"), grading.get("pass")):
        if isinstance(success, bool):
            return success, ""
    return None, "no verdict"


class _RowEffort(NamedTuple):
    """The cost, time and tokens of a result; None for unknown values."""

    cost_usd: float | None
    seconds: float | None
    input_tokens: float | None
    cached_tokens: float | None
    output_tokens: float | None


def _parse_effort(row: JsonObject) -> _RowEffort:
    """Return the tokens of a result, and its cost and time unless the response was cached."""
    response = mapping_of(row.get("response"))
    usage = mapping_of(row.get("tokenUsage")) or mapping_of(response.get("tokenUsage"))
    details = mapping_of(usage.get("completionDetails"))
    milliseconds = amount_of(row.get("latencyMs"))
    seconds = None if milliseconds is None else milliseconds / 1000
    is_cached = response.get("cached") is True
    return _RowEffort(
        cost_usd=None if is_cached else _positive(row, "cost"),
        seconds=None if is_cached else seconds,
        input_tokens=_positive(usage, "prompt"),
        cached_tokens=_positive(details, "cacheReadInputTokens"),
        output_tokens=_positive(usage, "completion"),
    )


def _positive(record: JsonObject, key: str) -> float | None:
    """Return a positive number; None for 0, which promptfoo also writes for unknown values."""
    return amount_of(record.get(key)) or None


def _parse_test_case(row: JsonObject, test: int, components: Sequence[JsonObject]) -> TestCase:
    """Return the test of a result."""
    test_case = mapping_of(row.get("testCase"))
    description = text_of(test_case.get("description")) or text_of(row.get("description")) or ""
    key = str(row.get("key"))
    if not description and not row.get("has_vars"):
        # Only its number distinguishes the test.
        description = f"test {test + 1}"
        key = checksum(key, test)
    labels = {}
    for name, value in mapping_of(test_case.get("metadata")).items():
        label = text_of(value, _MAX_LABEL_LENGTH)
        if label and not name.startswith("_"):
            labels[name.lower()] = label
    return TestCase(
        key=key,
        description=description,
        variables=str(row.get("line") or ""),
        is_checked=_is_checked(row, components),
        is_restricted=bool(test_case.get("providers") or test_case.get("prompts")),
        labels=labels,
    )


def _is_checked(row: JsonObject, components: Sequence[JsonObject]) -> bool:
    """Return whether an assertion decides the test of a result."""
    if components:
        return not all(_is_metric_only(component) for component in components)
    reason = mapping_of(row.get("gradingResult")).get("reason")
    if isinstance(reason, str):
        return reason != NO_ASSERTIONS
    return row.get("has_assertions") is not False


def _parse_checks(components: Sequence[JsonObject]) -> list[CaseRecord]:
    """Return the assertions that decide a result, as cases.

    promptfoo lists the members of a set of assertions after the set. The set is one check, and its
    members are skipped.
    """
    records = []
    members_to_skip = 0
    for component in components:
        if members_to_skip:
            members_to_skip -= 1
            continue
        members = mappings_of(component.get("componentResults"))
        members_to_skip = len(members)
        passed = component.get("pass")
        if not isinstance(passed, bool) or _is_metric_only(component):
            continue
        assertion = mapping_of(component.get("assertion"))
        default_kind = "assert-set" if members else "assertion"
        kind = text_of(assertion.get("type"), _MAX_NAME_LENGTH) or default_kind
        name = text_of(assertion.get("metric"), _MAX_NAME_LENGTH) or kind
        records.append(CaseRecord(Case(name, kind), "p" if passed else "f"))
    return with_distinct_ids(records)


def _is_metric_only(component: JsonObject) -> bool:
    """Return whether an assertion only computes a metric and does not decide the test."""
    assertion = mapping_of(component.get("assertion"))
    metadata = mapping_of(component.get("metadata"))
    return assertion.get("metricOnly") is True or metadata.get("metricOnly") is True
