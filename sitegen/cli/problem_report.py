"""Format problems for people, for programs, and for repository hosts."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, assert_never

from sitegen.cli.console import (
    count_problems,
    display_location,
    failure_text,
    format_problem,
    print_lines,
)
from sitegen.problems import (
    Problem,
    Severity,
    SitegenError,
    Statement,
    agreeing,
    counted,
    errors_of,
    gravest_first,
    grouped,
    notes_of,
    visible,
    without_notes,
)
from sitegen.problems.commands import display_path

MAX_ANNOTATIONS = 10
"""Maximum number of errors, and of warnings, that GitHub shows as annotations of a step.

Source: the limits stated in the guide to problem matchers of actions/toolkit.
"""

MAX_EXAMPLE_LENGTH = 240
"""Maximum length of the example of each code, in characters."""

_CODE_LOOKALIKES = str.maketrans("`|", "\u02cb\u00a6")
"""Characters that would end code or a table cell in Markdown, with replacements."""

_GITLAB_SEVERITIES: Mapping[Severity, str] = {"error": "major", "warning": "minor", "note": "info"}

_REQUEST_TITLE = "What this request changes"
"""The title under which hosts show the line that describes a request."""

ProblemFormat = Literal["text", "json", "markdown", "github", "gitlab"]
"""The output format of a problem report."""


def write_report(
    problems: Sequence[Problem],
    form: ProblemFormat,
    mendable: int = 0,
    requests: Sequence[Statement] = (),
    *,
    others: Sequence[Problem] = (),
    all_notes: bool = False,
) -> str:
    """Return a report of problems: errors and warnings in full, and notes by code.

    The hosts' own formats omit notes, because hosts show problems as annotations of a change.

    Args:
        problems: The problems to report.
        form: The output format.
        mendable: Number of problems that `--fix` repairs.
        requests: The kind of change to each results folder, if an earlier state is known; it is
            shown first.
        others: Warnings and notes on results that a change does not touch; they are only counted.
        all_notes: Whether the text format shows notes in full.
    """
    actionable = without_notes(problems)
    notes = notes_of(problems)
    lines = [request.written() for request in requests]
    counts = count_problems(problems)
    if mendable:
        counts += f"; {mendable} of these can be fixed with `--fix`"
    if others:
        verb = agreeing(len(others), "is", "are")
        counts += f"; {_count_others(others)} about other results {verb} not shown"
    match form:
        case "text":
            if all_notes:
                lines += map(format_problem, problems)
            else:
                lines += map(format_problem, actionable)
                lines += _note_lines(notes)
            return "\n".join([*lines, counts])
        case "json":
            return json.dumps(_as_document(problems, lines), indent=1)
        case "markdown":
            return "\n".join(_as_markdown(problems, counts, requests))
        case "github":
            notices = [f"::notice title={_REQUEST_TITLE}::{_escape(line)}" for line in lines]
            return "\n".join([*notices, *_as_annotations(actionable), counts])
        case "gitlab":
            entries = [_as_notice(line) for line in lines]
            entries += _as_code_quality(actionable)
            return json.dumps(entries, indent=1)
        case _:
            assert_never(form)


def _count_others(others: Sequence[Problem]) -> str:
    """Return a text with the number of warnings and of notes on other results."""
    numbers = {"warning": len(without_notes(others)), "note": len(notes_of(others))}
    return " and ".join(counted(number, noun) for noun, number in numbers.items() if number)


def _note_lines(notes: Sequence[Problem]) -> Iterator[str]:
    """Yield a line with the number of notes, then a line for each code with an example."""
    if not notes:
        return
    yield f"{counted(len(notes), 'note')} (no action needed); --notes shows them:"
    for code, same_notes in _by_code(notes).items():
        first = same_notes[0]
        location = display_location(first.path, first.line)
        example = visible(f"{location}: {first.what}")
        if len(example) > MAX_EXAMPLE_LENGTH:
            example = f"{example[:MAX_EXAMPLE_LENGTH]}…"
        yield f"  {code}: {len(same_notes)}, such as {example}"


def _by_code(notes: Sequence[Problem]) -> Mapping[str, Sequence[Problem]]:
    """Return notes by code, with the most frequent code first."""
    groups = grouped((note.code, note) for note in notes)
    return dict(sorted(groups.items(), key=lambda group: len(group[1]), reverse=True))


@contextmanager
def failures_as_json(form: ProblemFormat) -> Iterator[None]:
    """Print a JSON document about an error that ends a command, if the report is in JSON."""
    try:
        yield
    except (SitegenError, OSError, MemoryError) as error:
        if form == "json":
            document = {
                "schema": 1,
                "ok": False,
                "problems": [],
                "notes": [],
                "error": failure_text(error),
            }
            print_lines(json.dumps(document))
        raise


def _as_document(problems: Sequence[Problem], lines: Sequence[str]) -> dict[str, object]:
    """Return problems as a JSON document."""
    document: dict[str, object] = {"schema": 1, "ok": not errors_of(problems)}
    if lines:
        document["change"] = " ".join(lines)
    document["problems"] = [_as_record(problem) for problem in without_notes(problems)]
    document["notes"] = [_as_record(note) for note in notes_of(problems)]
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
    """Yield lines of Markdown: the number of problems by kind, then all problems, folded."""
    for request in requests:
        yield request.written(_quote)
        yield ""
    yield f"**{counts}**"
    actionable = without_notes(problems)
    if actionable:
        yield ""
        yield "| severity | code | how many |"
        yield "| --- | --- | ---: |"
        numbers: Counter[tuple[Severity, str]] = Counter()
        for problem in gravest_first(actionable):
            numbers[problem.severity, problem.code] += 1
        for (severity, code), number in numbers.items():
            yield f"| {severity} | {_quote(code)} | {number} |"
        yield ""
        yield from _markdown_fold(f"All of them: {len(actionable)}", _markdown_table(actionable))
    notes = notes_of(problems)
    if notes:
        yield ""
        summary = f"{counted(len(notes), 'note')} (no action needed)"
        yield from _markdown_fold(summary, _markdown_notes(notes))


def _markdown_fold(summary: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"<details><summary>{summary}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"


def _markdown_table(problems: Sequence[Problem]) -> Iterator[str]:
    yield "| where | severity | code | what | fix |"
    yield "| --- | --- | --- | --- | --- |"
    for problem in problems:
        location = _quote(display_location(problem.path, problem.line))
        code = _quote(problem.code)
        fact = _quote(problem.what)
        fix = _quote(problem.fix)
        yield f"| {location} | {problem.severity} | {code} | {fact} | {fix} |"


def _markdown_notes(notes: Sequence[Problem]) -> Iterator[str]:
    """Yield a table with the number of notes and one example for each code."""
    yield "| code | how many | such as |"
    yield "| --- | ---: | --- |"
    for code, same_notes in _by_code(notes).items():
        first = same_notes[0]
        example = f"{display_location(first.path, first.line)}: {first.what}"
        yield f"| {_quote(code)} | {len(same_notes)} | {_quote(example)} |"


def _quote(text: str) -> str:
    """Return a text as code in Markdown."""
    return f"`{visible(text).translate(_CODE_LOOKALIKES)}`"


def _as_annotations(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield problems as GitHub workflow commands, errors first, since GitHub may cut the others."""
    for problem in gravest_first(problems):
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
            f"::notice title=More problems::GitHub shows only {shown} beside the lines; "
            f"this log lists {hidden} more"
        )


def _escape(text: str) -> str:
    """Return a text escaped for a value in a GitHub workflow command."""
    return visible(text).replace("%", "%25")


def _as_notice(line: str) -> dict[str, object]:
    """Return the line about a change as an entry in GitLab's code quality report."""
    return {
        "description": line,
        "check_name": _REQUEST_TITLE,
        "fingerprint": _fingerprint(line),
        "severity": "info",
        "location": _gitlab_location("results", 1),
    }


def _as_code_quality(problems: Sequence[Problem]) -> Iterator[dict[str, object]]:
    """Yield problems as entries in GitLab's code quality report.

    GitLab merges problems with the same fingerprint. A fingerprint therefore includes the number of
    equal problems before it, and does not change if only the line changes.
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
    """Return the digest that GitLab uses to distinguish entries."""
    return hashlib.sha256(identity.encode()).hexdigest()


def _gitlab_location(path: str, line: int) -> dict[str, object]:
    return {"path": path, "lines": {"begin": line}}
