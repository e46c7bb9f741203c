"""Problems in the words of the hosts of repositories: GitHub's workflow commands, GitLab's code quality."""

import json
from pathlib import Path
from typing import Any

import pytest

from sitegen.cli.problem_report import ProblemFormat, write_report
from sitegen.problems import Problem, Severity


def problem(severity: Severity, path: str = "results/a.toml", what: str = "wrong", line: int | None = 3) -> Problem:
    return Problem("SOME-RULE", severity, Path(path), line, what, "mend it")


def lines(*problems: Problem) -> list[str]:
    return write_report(problems, "github").split("\n")


def test_a_problem_is_a_command_that_names_its_place() -> None:
    assert lines(problem("error"))[0] == "::error file=results/a.toml,line=3,title=SOME-RULE::wrong. Fix: mend it"


def test_errors_come_first_since_only_the_first_are_shown() -> None:
    annotations = lines(problem("warning"), problem("error"), problem("warning"), problem("error"))
    assert [annotation.partition(" ")[0] for annotation in annotations[:4]] == [
        "::error",
        "::error",
        "::warning",
        "::warning",
    ]


@pytest.mark.parametrize(("errors", "warnings", "hidden_count"), [(10, 10, 0), (11, 0, 1), (0, 12, 2), (13, 14, 7)])
def test_a_notice_counts_what_github_leaves_out(errors: int, warnings: int, hidden_count: int) -> None:
    annotations = lines(*[problem("error")] * errors, *[problem("warning")] * warnings)
    notices = [annotation for annotation in annotations if annotation.startswith("::notice ")]
    assert [f"; this log lists {hidden_count} more" in notice for notice in notices] == [True] * bool(hidden_count)


def test_no_text_begins_a_command_of_its_own() -> None:
    """Texts and names of files come from whoever submits."""
    annotations = lines(problem("error", "results/a\n::add-mask::x,y:z", "50 %\r\n::stop-commands::x", line=None))
    assert annotations[0] == (
        "::error file=results/a\\n%3A%3Aadd-mask%3A%3Ax%2Cy%3Az,title=SOME-RULE"
        "::50 %25\\r\\n::stop-commands::x. Fix: mend it"
    )
    assert len(annotations) == 2


def test_in_markdown_texts_of_others_are_code_whatever_they_hold() -> None:
    made = problem("error", "results/a`<b>", "`x` \\| <img src=x> @all [y](https://example.org)")
    *head, row, _, end = write_report([made], "markdown").split("\n")
    assert ("| error | `SOME-RULE` | 1 |" in head, end) == (True, "</details>")
    cells = row.strip("| ").split(" | ")
    assert cells[0] == "`results/a\u02cb<b>:3`"
    assert cells[3:] == ["`\u02cbx\u02cb \\\u00a6 <img src=x> @all [y](https://example.org)`", "`mend it`"]


def test_text_folds_notes_by_code_with_a_count_and_one_example() -> None:
    shown = write_report([problem("note", what="first"), problem("warning"), problem("note", what="second")], "text")
    assert shown.split("\n") == [
        "results/a.toml:3: warning SOME-RULE: wrong",
        "  fix: mend it",
        "2 notes (no action needed); --notes shows them:",
        "  SOME-RULE: 2, such as results/a.toml:3: first",
        "0 errors, 1 warning, 2 notes",
    ]


def test_text_shows_all_notes_where_they_are_asked_for() -> None:
    shown = write_report([problem("note", what="first"), problem("note", what="second")], "text", all_notes=True)
    assert "results/a.toml:3: note SOME-RULE: second\n  fix: mend it\n" in shown


def test_json_has_notes_apart_from_problems_in_the_same_shape() -> None:
    document = json.loads(write_report([problem("note"), problem("warning")], "json"))
    (note,) = document["notes"]
    (warning,) = document["problems"]
    assert (document["ok"], note["severity"], warning["severity"]) == (True, "note", "warning")
    assert note.keys() == warning.keys()


def test_markdown_folds_notes_below_the_problems() -> None:
    shown = write_report([problem("note"), problem("note"), problem("error")], "markdown").split("\n")
    assert "<details><summary>2 notes (no action needed)</summary>" in shown
    assert "| `SOME-RULE` | 2 | `results/a.toml:3: wrong` |" in shown
    assert shown.index("<details><summary>All of them: 1</summary>") < shown.index("| code | how many | such as |")


@pytest.mark.parametrize("form", ["github", "gitlab"])
def test_notes_are_no_annotations(form: ProblemFormat) -> None:
    assert "results/a.toml" not in write_report([problem("note")], form)


def issues(*problems: Problem) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(write_report(problems, "gitlab"))
    return entries


def test_gitlab_is_told_place_code_weight_and_fix() -> None:
    (issue,) = issues(problem("error"))
    assert len(issue.pop("fingerprint")) == 64
    assert issue == {
        "description": "wrong. Fix: mend it",
        "check_name": "SOME-RULE",
        "severity": "major",
        "location": {"path": "results/a.toml", "lines": {"begin": 3}},
    }


def test_a_warning_weighs_less_and_a_folder_has_a_first_line() -> None:
    (issue,) = issues(problem("warning", line=None))
    assert (issue["severity"], issue["location"]["lines"]) == ("minor", {"begin": 1})


def test_a_problem_stays_the_same_one_where_only_its_line_moves() -> None:
    (first_issue,), (moved_issue,), (other_issue,) = (
        issues(problem("error")),
        issues(problem("error", line=5)),
        issues(problem("error", what="x")),
    )
    assert first_issue["fingerprint"] == moved_issue["fingerprint"] != other_issue["fingerprint"]


def test_problems_in_the_same_words_are_problems_of_their_own() -> None:
    first, second = issues(problem("error", line=3), problem("error", line=8))
    assert first["fingerprint"] != second["fingerprint"]


def test_without_problems_gitlab_has_an_empty_list() -> None:
    assert issues() == []
