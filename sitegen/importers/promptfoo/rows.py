"""Results of promptfoo, one at a time: which test one is about, its verdict, and what it took."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sitegen.importers.kit.cases import CaseRecord, told_apart
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import (
    amount_of,
    figure_of,
    mapping_of,
    mappings_of,
    name_of,
    text_of,
)
from sitegen.importers.promptfoo.providers import reasoning_of
from sitegen.importers.promptfoo.records import Result, TestCase
from sitegen.importers.promptfoo.tests import key_of, test_variables, variables_line
from sitegen.models.task import Case

Row = Mapping[str, object]

NO_ASSERTIONS = "No assertions"
"""What promptfoo gives as the reason of a pass where nothing was checked."""

ERROR = 2
"""The `failureReason` of a result that has no verdict, because something broke."""

ANYTHING: dict[str, "Shape | None"] = {}
ANYTHING["*"] = ANYTHING
"""The shape of a value of any depth."""

_ASSERTION: Shape = {"type": None, "metric": None, "metricOnly": None}

ROW_SHAPE: Shape = {
    **dict.fromkeys(("id", "promptIdx", "testIdx", "success", "score", "failureReason", "error")),
    **dict.fromkeys(("cost", "latencyMs", "description")),
    "namedScores": {"*": None},
    "provider": {"id": None, "label": None, "config": ANYTHING},
    "prompt": {"label": None, "display": None, "raw": None},
    "vars": ANYTHING,
    "response": {"cached": None, "tokenUsage": {"prompt": None, "completion": None}},
    "tokenUsage": {
        "prompt": None,
        "completion": None,
        "completionDetails": {"cacheReadInputTokens": None},
    },
    "gradingResult": {
        "pass": None,
        "reason": None,
        "componentResults": {
            "pass": None,
            "assertion": _ASSERTION,
            "metadata": {"metricOnly": None},
            "componentResults": {"pass": None},
        },
    },
    "testCase": {
        "description": None,
        "vars": ANYTHING,
        "assert": ANYTHING,
        "providers": {},
        "prompts": {},
        "metadata": {"*": None},
    },
}


def small_row(row: object) -> Row:
    """Return a row with a checksum in place of the texts that only tell tests apart."""
    fields = dict(mapping_of(row))
    test = dict(mapping_of(fields.get("testCase")))
    variables = test.get("vars") if isinstance(test.get("vars"), dict) else fields.get("vars")
    variables_of_test = test_variables(mapping_of(variables))
    fields["line"] = variables_line(variables_of_test)[:400]
    fields["has_vars"] = bool(variables_of_test)
    assertions = test.get("assert")
    fields["key"] = key_of(test.get("description"), variables_of_test, assertions)
    provider = dict(mapping_of(fields.get("provider")))
    if provider:
        fields["provider"] = provider | {"config": reasoning_of(mapping_of(provider.get("config")))}
    if isinstance(assertions, list):
        deciding = [each for each in mappings_of(assertions) if each.get("metricOnly") is not True]
        fields["has_assertions"] = bool(deciding)
    test.pop("vars", None)
    test.pop("assert", None)
    fields.pop("vars", None)
    fields["testCase"] = test
    return fields


def result_of(row: Row, column: int, test: int) -> Result:
    """Return one result."""
    grading = mapping_of(row.get("gradingResult"))
    components = mappings_of(grading.get("componentResults"))
    success, cause = _verdict(row, grading)
    named = {}
    for key, value in mapping_of(row.get("namedScores")).items():
        name, number = text_of(key, longest=60), figure_of(value)
        if name and number is not None:
            named[name] = number
    result = Result(
        id=name_of(row.get("id")) or "",
        column=column,
        test=test,
        case=_test_case(row, test, components),
        success=success,
        score=figure_of(row.get("score")),
        named=named,
        cause=cause,
        checks=_checks(components),
    )
    return _with_effort(result, row)


def _verdict(row: Row, grading: Row) -> tuple[bool | None, str]:
    """Return whether a result is a pass, or None and why there is no verdict."""
    success = row.get("success")
    if not isinstance(success, bool):
        success = grading.get("pass")
    error = row.get("error")
    first_line = error.strip().partition("\n")[0] if isinstance(error, str) else ""
    if row.get("failureReason") == ERROR or (first_line and not grading):
        return None, text_of(first_line) or "an error without a message"
    if not isinstance(success, bool):
        return None, "no verdict"
    return success, ""


def _with_effort(result: Result, row: Row) -> Result:
    """Return a result with its tokens, and with cost and time unless promptfoo's own cache answered."""
    response = mapping_of(row.get("response"))
    usage = mapping_of(row.get("tokenUsage")) or mapping_of(response.get("tokenUsage"))
    details = mapping_of(usage.get("completionDetails"))
    result = replace(
        result,
        input_tokens=amount_of(usage.get("prompt")) or None,
        cached_tokens=amount_of(details.get("cacheReadInputTokens")) or None,
        output_tokens=amount_of(usage.get("completion")) or None,
    )
    if response.get("cached") is True:
        return result
    milliseconds = amount_of(row.get("latencyMs"))
    seconds = None if milliseconds is None else milliseconds / 1000
    return replace(result, cost_usd=amount_of(row.get("cost")) or None, seconds=seconds)


def _test_case(row: Row, test: int, components: Sequence[Row]) -> TestCase:
    fields = mapping_of(row.get("testCase"))
    description = text_of(fields.get("description")) or text_of(row.get("description")) or ""
    variables = str(row.get("line") or "")
    key = str(row.get("key"))
    if not description and not row.get("has_vars"):
        # Nothing describes it but its place.
        description = f"test {test + 1}"
        key = key_of(key, test)
    reason = mapping_of(row.get("gradingResult")).get("reason")
    deciding = [component for component in components if not _is_metric_only(component)]
    if components:
        is_checked = bool(deciding)
    elif isinstance(reason, str):
        is_checked = reason != NO_ASSERTIONS
    else:
        is_checked = row.get("has_assertions") is not False
    labels = {}
    for name, value in mapping_of(fields.get("metadata")).items():
        text = text_of(value, longest=100)
        if text and not name.startswith("_"):
            labels[name.lower()] = text
    is_restricted = bool(fields.get("providers") or fields.get("prompts"))
    return TestCase(key, description, variables, is_checked, is_restricted, labels)


def _checks(components: Sequence[Row]) -> list[CaseRecord]:
    """Return the assertions of a result; a set of assertions is one check, and its members are not listed again."""
    records = []
    members_left = 0
    for component in components:
        members = mappings_of(component.get("componentResults"))
        if members_left:
            members_left -= 1
            continue
        members_left = len(members)
        passed = component.get("pass")
        if not isinstance(passed, bool) or _is_metric_only(component):
            continue
        assertion = mapping_of(component.get("assertion"))
        kind = text_of(assertion.get("type"), longest=60) or (
            "assert-set" if members else "assertion"
        )
        name = text_of(assertion.get("metric"), longest=60) or kind
        records.append(CaseRecord(Case(name, kind), "p" if passed else "f"))
    return told_apart(records)


def _is_metric_only(component: Row) -> bool:
    return (
        mapping_of(component.get("assertion")).get("metricOnly") is True
        or mapping_of(component.get("metadata")).get("metricOnly") is True
    )
