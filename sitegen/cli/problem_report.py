"""The report of problems, in the words of whoever reads it: people, programs, and the hosts of repositories."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from sitegen.cli.console import failure_text, problem_text, say, shown_path, shown_place, summary
from sitegen.problems import Problem, Severity, SitegenError, Statement, errors_of, visible

_ANNOTATED = 10
"""So many errors, and so many warnings, of one step GitHub shows as annotations. Source: the limits that the guide to
problem matchers of actions/toolkit states."""

_AS_CODE = str.maketrans("`|", "\u02cb\u00a6")
"""What would end code, or a cell of a table, in Markdown: what looks like it stands there."""

_WEIGHTS: Mapping[Severity, str] = {"error": "major", "warning": "minor"}
"""What GitLab calls the severity of a problem."""


_REQUEST = "What this change is"
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
        requests: What kind of change each results folder is, where an earlier state is known: the first lines.
    """
    lines = [request.written() for request in requests]
    counts = summary(problems) + (
        f"; {mendable} of these can be repaired with `--fix`" if mendable else ""
    )
    match form:
        case "json":
            keys = ("code", "severity", "path", "line", "what", "fix")
            told = [
                {key: getattr(each, key) for key in keys} | {"path": shown_path(each.path)}
                for each in problems
            ]
            change = {"change": " ".join(lines)} if lines else {}
            return json.dumps(
                {"schema": 1, "ok": not errors_of(problems), **change, "problems": told}, indent=1
            )
        case "markdown":
            quoted_lines = [part for request in requests for part in (request.written(_quoted), "")]
            return "\n".join([*quoted_lines, *_as_markdown(problems, counts)])
        case "github":
            notices = [f"::notice title={_REQUEST}::{_escaped(line)}" for line in lines]
            return "\n".join([*notices, *_as_annotations(problems), counts])
        case "gitlab":
            return json.dumps([*map(_as_notice, lines), *_as_code_quality(problems)], indent=1)
        case "text":
            return "\n".join([*lines, *map(problem_text, problems), counts])


@contextmanager
def failures_told(form: ProblemFormat) -> Iterator[None]:
    """Print JSON, where that is asked for, also of a command that comes to no report."""
    try:
        yield
    except (SitegenError, OSError, MemoryError) as error:
        if form == "json":
            say(
                json.dumps({"schema": 1, "ok": False, "problems": [], "error": failure_text(error)})
            )
        raise


def _quoted(text: str) -> str:
    """Return a text as code in Markdown."""
    return f"`{visible(text).translate(_AS_CODE)}`"


def _escaped(text: str) -> str:
    """Return a text as the value of one of GitHub's workflow commands."""
    return visible(text).replace("%", "%25")


def _as_notice(line: str) -> dict[str, object]:
    """Return the line about a change as an entry of GitLab's code quality report."""
    return {
        "description": line,
        "check_name": _REQUEST,
        "fingerprint": hashlib.sha256(line.encode()).hexdigest(),
        "severity": "info",
        "location": {"path": "results", "lines": {"begin": 1}},
    }


def _as_markdown(problems: Sequence[Problem], counts: str) -> Iterator[str]:
    """Count problems by their kinds, errors first, and fold all of them below."""
    yield f"**{counts}**"
    if not problems:
        return
    kinds = Counter(
        (each.severity, each.code) for each in sorted(problems, key=lambda each: not each.is_error)
    )
    yield from ("", "| severity | code | how many |", "| --- | --- | ---: |")
    yield from (
        f"| {severity} | {_quoted(code)} | {number} |" for (severity, code), number in kinds.items()
    )
    yield from ("", f"<details><summary>All of them: {len(problems)}</summary>", "")
    yield from ("| where | severity | code | what | fix |", "| --- | --- | --- | --- | --- |")
    for each in problems:
        place = _quoted(shown_place(each.path, each.line))
        yield f"| {place} | {each.severity} | {_quoted(each.code)} | {_quoted(each.what)} | {_quoted(each.fix)} |"
    yield from ("", "</details>")


def _as_annotations(problems: Sequence[Problem]) -> Iterator[str]:
    """Write problems as GitHub's workflow commands, errors first, since the first ones of a step are shown."""
    for problem in sorted(problems, key=lambda each: not each.is_error):
        line = f",line={problem.line}" if problem.line else ""
        path = _escaped(shown_path(problem.path)).replace(",", "%2C").replace(":", "%3A")
        message = _escaped(f"{problem.what}. Fix: {problem.fix}")
        yield f"::{problem.severity} file={path}{line},title={problem.code}::{message}"
    errors = len(errors_of(problems))
    left = sum(max(0, number - _ANNOTATED) for number in (errors, len(problems) - errors))
    if left:
        first = f"the first {_ANNOTATED} errors and {_ANNOTATED} warnings of a step"
        yield f"::notice title=More problems::GitHub shows {first} at their lines; {left} more stand in this log"


def _as_code_quality(problems: Sequence[Problem]) -> Iterator[dict[str, object]]:
    """Give problems as GitLab's code quality report has them.

    Each has a fingerprint of its own, since GitLab takes those of one fingerprint for one problem, and keeps it where
    only its line moves.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    for problem in problems:
        path = shown_path(problem.path)
        known = (problem.code, path, problem.what)
        seen[known] += 1
        yield {
            "description": f"{problem.what}. Fix: {problem.fix}",
            "check_name": problem.code,
            "fingerprint": hashlib.sha256(json.dumps([*known, seen[known]]).encode()).hexdigest(),
            "severity": _WEIGHTS[problem.severity],
            "location": {"path": path, "lines": {"begin": problem.line or 1}},
        }
