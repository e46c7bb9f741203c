"""Problems as GitHub's workflow commands."""

from pathlib import Path

import pytest

from sitegen.cli.printing import ProblemFormat, report
from sitegen.errors import Problem, Severity


def problem(severity: Severity, path: str = "results/a.toml", what: str = "wrong", line: int | None = 3) -> Problem:
    return Problem("SOME-RULE", severity, Path(path), line, what, "mend it")


def lines(*problems: Problem) -> list[str]:
    return report(problems, ProblemFormat.github).split("\n")


def test_a_problem_is_a_command_that_names_its_place() -> None:
    assert lines(problem("error"))[0] == "::error file=results/a.toml,line=3,title=SOME-RULE::wrong. Fix: mend it"


def test_errors_come_first_since_only_the_first_are_shown() -> None:
    found = lines(problem("warning"), problem("error"), problem("warning"), problem("error"))
    assert [each.partition(" ")[0] for each in found[:4]] == ["::error", "::error", "::warning", "::warning"]


@pytest.mark.parametrize(("errors", "warnings", "left"), [(10, 10, 0), (11, 0, 1), (0, 12, 2), (13, 14, 7)])
def test_a_notice_counts_what_github_leaves_out(errors: int, warnings: int, left: int) -> None:
    found = lines(*[problem("error")] * errors, *[problem("warning")] * warnings)
    notices = [each for each in found if each.startswith("::notice ")]
    assert [f"; {left} more stand in this log" in each for each in notices] == [True] * bool(left)


def test_no_text_begins_a_command_of_its_own() -> None:
    """Texts and names of files come from whoever submits."""
    found = lines(problem("error", "results/a\n::add-mask::x,y:z", "50 %\r\n::stop-commands::x", line=None))
    assert found[0] == (
        "::error file=results/a%0A%3A%3Aadd-mask%3A%3Ax%2Cy%3Az,title=SOME-RULE"
        "::50 %25%0D%0A::stop-commands::x. Fix: mend it"
    )
    assert len(found) == 2
