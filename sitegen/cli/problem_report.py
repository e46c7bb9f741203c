"""Formats problems for people, for programs, and for the hosts of repositories."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, assert_never

from sitegen.cli.console import (
    count_problems,
    display_location,
    display_path,
    errors_first,
    failure_text,
    format_problem,
    print_lines,
)
from sitegen.problems import Problem, Severity, SitegenError, Statement, errors_of, visible

MAX_ANNOTATIONS = 10
"""Errors, and warnings, of one step that GitHub shows as annotations.

Source: the limits that the guide to problem matchers of actions/toolkit states.
"""

_CODE_LOOKALIKES = str.maketrans("`|", "\u02cb\u00a6")
"""Characters that would end code, or a cell of a table, in Markdown, and what to write for them."""

_GITLAB_SEVERITIES: Mapping[Severity, str] = {"error": "major", "warning": "minor"}

_REQUEST_TITLE = "What this change is"
"""What hosts call the line that says whose change it is."""

ProblemFormat = Literal["text", "json", "markdown", "github", "gitlab"]
"""How problems are printed."""


def report(
    problems: Sequence[Problem],
    form: ProblemFormat,
    mendable: int = 0,
    requests: Sequence[Statement] = (),
) -> str:
    """Return a report of problems.

    Args:
        problems: What is wrong.
        form: How it is printed.
        mendable: How many of the problems `--fix` repairs.
        requests: What kind of change each results folder is, where an earlier state is known: the
            first lines.
    """
    lines = [request.written() for request in requests]
    counts = count_problems(problems)
    if mendable:
        counts += f"; {mendable} of these can be repaired with `--fix`"
    match form:
        case "text":
            return "\n".join([*lines, *map(format_problem, problems), counts])
        case "json":
            return json.dumps(_as_document(problems, lines), indent=1)
        case "markdown":
            return "\n".join(_as_markdown(problems, counts, requests))
        case "github":
            notices = [f"::notice title={_REQUEST_TITLE}::{_escape(line)}" for line in lines]
            return "\n".join([*notices, *_as_annotations(problems), counts])
        case "gitlab":
            entries = [_as_notice(line) for line in lines]
            entries += _as_code_quality(problems)
            return json.dumps(entries, indent=1)
        case _:
            assert_never(form)


@contextmanager
def failures_as_json(form: ProblemFormat) -> Iterator[None]:
    """Print a JSON document for an error that ends a command, if its report was to be JSON."""
    try:
        yield
    except (SitegenError, OSError, MemoryError) as error:
        if form == "json":
            document = {"schema": 1, "ok": False, "problems": [], "error": failure_text(error)}
            print_lines(json.dumps(document))
        raise


def _as_document(problems: Sequence[Problem], lines: Sequence[str]) -> dict[str, object]:
    """Return problems as a JSON document."""
    document: dict[str, object] = {"schema": 1, "ok": not errors_of(problems)}
    if lines:
        document["change"] = " ".join(lines)
    document["problems"] = [_as_record(problem) for problem in problems]
    return document


def _as_record(problem: Problem) -> dict[str, object]:
    return {
        "code": problem.code,
        "severity": problem.severity,
        "path": display_path(problem.path),
        "line": problem.line,
        "what": problem.what,
        "fix": problem.fix,
    }


def _as_markdown(
    problems: Sequence[Problem], counts: str, requests: Sequence[Statement]
) -> Iterator[str]:
    """Yield lines of Markdown: kinds of problems with their numbers, then all problems, folded."""
    for request in requests:
        yield request.written(_quote)
        yield ""
    yield f"**{counts}**"
    if not problems:
        return
    yield ""
    yield "| severity | code | how many |"
    yield "| --- | --- | ---: |"
    numbers: Counter[tuple[Severity, str]] = Counter()
    for problem in errors_first(problems):
        numbers[problem.severity, problem.code] += 1
    for (severity, code), number in numbers.items():
        yield f"| {severity} | {_quote(code)} | {number} |"
    yield ""
    yield f"<details><summary>All of them: {len(problems)}</summary>"
    yield ""
    yield "| where | severity | code | what | fix |"
    yield "| --- | --- | --- | --- | --- |"
    for problem in problems:
        location = _quote(display_location(problem.path, problem.line))
        code = _quote(problem.code)
        fact = _quote(problem.what)
        fix = _quote(problem.fix)
        yield f"| {location} | {problem.severity} | {code} | {fact} | {fix} |"
    yield ""
    yield "</details>"


def _quote(text: str) -> str:
    """Return a text as code in Markdown."""
    return f"`{visible(text).translate(_CODE_LOOKALIKES)}`"


def _as_annotations(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield problems as GitHub's workflow commands; errors first, since the rest may be cut."""
    for problem in errors_first(problems):
        path = _escape(display_path(problem.path))
        location = path.replace(",", "%2C").replace(":", "%3A")
        if problem.line:
            location += f",line={problem.line}"
        message = _escape(f"{problem.what}. Fix: {problem.fix}")
        yield f"::{problem.severity} file={location},title={problem.code}::{message}"
    errors = len(errors_of(problems))
    warnings = len(problems) - errors
    hidden = max(0, errors - MAX_ANNOTATIONS) + max(0, warnings - MAX_ANNOTATIONS)
    if hidden:
        shown = f"the first {MAX_ANNOTATIONS} errors and {MAX_ANNOTATIONS} warnings of a step"
        yield (
            f"::notice title=More problems::GitHub shows {shown} at their lines; "
            f"{hidden} more stand in this log"
        )


def _escape(text: str) -> str:
    """Return a text as the value of one of GitHub's workflow commands."""
    return visible(text).replace("%", "%25")


def _as_notice(line: str) -> dict[str, object]:
    """Return the line about a change as an entry of GitLab's code quality report."""
    return {
        "description": line,
        "check_name": _REQUEST_TITLE,
        "fingerprint": _fingerprint(line),
        "severity": "info",
        "location": _gitlab_location("results", 1),
    }


def _as_code_quality(problems: Sequence[Problem]) -> Iterator[dict[str, object]]:
    """Yield problems as entries of GitLab's code quality report.

    GitLab takes problems with the same fingerprint for one. So a fingerprint counts the equal
    problems before, and it stays when only the line changes.
    """
    occurrences: Counter[tuple[str, str, str]] = Counter()
    for problem in problems:
        path = display_path(problem.path)
        key = (problem.code, path, problem.what)
        occurrences[key] += 1
        identity = json.dumps([*key, occurrences[key]])
        yield {
            "description": f"{problem.what}. Fix: {problem.fix}",
            "check_name": problem.code,
            "fingerprint": _fingerprint(identity),
            "severity": _GITLAB_SEVERITIES[problem.severity],
            "location": _gitlab_location(path, problem.line or 1),
        }


def _fingerprint(identity: str) -> str:
    """Return the digest by which GitLab tells entries apart."""
    return hashlib.sha256(identity.encode()).hexdigest()


def _gitlab_location(path: str, line: int) -> dict[str, object]:
    return {"path": path, "lines": {"begin": line}}
