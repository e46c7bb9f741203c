"""Which breaches a waiver lets pass, and what is said of waivers that let none pass."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from kit.results_folders import MANIFEST, ROUNDS, Tree
from kit.review_day import TODAY

from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.rules import all_rules, rules_of_results
from sitegen.problems import Problem

SPOILT = ({**ROUNDS[0], "reward": 0.5}, {**ROUNDS[1], "reward": 1}, ROUNDS[2])
"""The first round has too small a reward, the second too large a one."""


def waiver(code: str = "CLAIM-DIFFERS", **keys: str) -> str:
    """Write a waiver; values are TOML."""
    fields = {"date": "2026-06-26", "kind": '"waiver"', "title": '"Known"', "by": '"Ann"', "reason": '"seen"'}
    lines = {**fields, "code": f'"{code}"', **keys}
    return "\n[[findings]]\n" + "".join(f"{key} = {value}\n" for key, value in lines.items())


def told(tree: Tree, day: date = TODAY) -> list[tuple[str, str]]:
    return [(problem.severity, problem.code) for problem in evaluate(tree.folder, day).problems()]


def only(tree: Tree, day: date = TODAY, path: Path | None = None) -> Problem:
    (problem,) = evaluate(path or tree.folder, day).problems()
    return problem


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "results")


@pytest.fixture
def wrong(tree: Tree) -> Tree:
    """A bundle whose claim is not what its rewards give."""
    tree.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 99.0")
    return tree


def test_a_waived_error_is_a_warning_that_says_by_whom_until_when_and_why(wrong: Tree) -> None:
    wrong.findings(waiver(until="2026-07-31"))
    problem = only(wrong)
    assert (problem.severity, problem.code) == ("warning", "CLAIM-DIFFERS")
    assert problem.what.endswith("99.0 claimed, 25.00 recomputed; waived by Ann until 2026-07-31: seen")


def test_a_waiver_without_a_last_day_holds_for_good(wrong: Tree) -> None:
    wrong.findings(waiver())
    assert "waived by Ann for good: seen" in only(wrong, date(2999, 1, 1)).what


def test_one_bundle_is_judged_with_the_same_waivers(wrong: Tree) -> None:
    wrong.findings(waiver())
    assert only(wrong, path=wrong.bundle) == only(wrong)


def test_a_waived_warning_is_a_note_that_says_so(tree: Tree) -> None:
    tree.rounds(ROUNDS[0], {**ROUNDS[1], "state": "no_cases", "passed": 0, "total": 0}, ROUNDS[2])
    tree.findings(waiver("NO-CASES-UNEXPLAINED"))
    problem = only(tree)
    assert problem.severity == "note"
    assert problem.what.endswith("; waived by Ann for good: seen")


def test_a_waiver_of_a_former_code_holds_for_the_rule_that_took_it_in(tree: Tree) -> None:
    """No waiver in a repository has to change when two rules become one."""
    former = {code: rule for rule in rules_of_results().values() for code in rule.former_codes}
    assert former["MERGE-ATTEMPTS-ABOVE"].code == "ATTEMPTS-ABOVE-TRACK"
    tree.edit("submission.toml", "date = ", "attempts = 2\ndate = ")
    tree.rounds(*ROUNDS, *({**round_result, "attempt": 2} for round_result in ROUNDS))
    assert ("error", "ATTEMPTS-ABOVE-TRACK") in told(tree)
    tree.findings(waiver("MERGE-ATTEMPTS-ABOVE"))
    assert ("warning", "ATTEMPTS-ABOVE-TRACK") in told(tree)
    assert "WAIVER-UNUSED" not in {code for _, code in told(tree)}


def test_no_former_code_is_in_use() -> None:
    codes = {rule.code for rules in all_rules().values() for rule in rules}
    former = [code for rules in all_rules().values() for rule in rules for code in rule.former_codes]
    assert len(set(former)) == len(former)
    assert codes.isdisjoint(former)


def test_a_waiver_holds_up_to_its_last_day(wrong: Tree) -> None:
    wrong.findings(waiver(until=str(TODAY)))
    assert told(wrong) == [("warning", "CLAIM-DIFFERS")]
    assert told(wrong, TODAY + timedelta(days=1)) == [("warning", "WAIVER-EXPIRED"), ("error", "CLAIM-DIFFERS")]


def test_an_error_says_that_its_waiver_ended_also_where_one_bundle_is_judged(wrong: Tree) -> None:
    wrong.findings(waiver(until=str(TODAY)))
    (error,) = evaluate(wrong.bundle, TODAY + timedelta(days=1)).problems()
    assert (error.severity, error.code) == ("error", "CLAIM-DIFFERS")
    assert error.what.endswith(f"; the waiver by Ann ended on {TODAY}")


def test_waivers_are_told_where_they_stand(wrong: Tree) -> None:
    wrong.findings(waiver("CLAIM-DIFFER"))
    problem = next(
        problem for problem in evaluate(wrong.folder, TODAY).problems() if problem.code == "WAIVER-CODE-UNKNOWN"
    )
    assert (problem.path.name, problem.line, problem.fix) == ("findings.toml", 3, "did you mean `CLAIM-DIFFERS`?")


@pytest.mark.parametrize(
    "scope", [{"tracks": '["main"]'}, {"submissions": '["2026-06-25-acme"]'}, {"tracks": '["relay", "main"]'}]
)
def test_a_scope_that_names_the_bundle_holds_it(wrong: Tree, scope: dict[str, str]) -> None:
    wrong.findings(waiver(**scope))
    assert told(wrong) == [("warning", "CLAIM-DIFFERS")]


@pytest.mark.parametrize("scope", [{"tracks": '["relay"]'}, {"submissions": '["other"]'}])
def test_a_scope_that_names_others_does_not(wrong: Tree, scope: dict[str, str]) -> None:
    wrong.add("other", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Other-1"))
    wrong.findings(waiver(**scope))
    assert told(wrong) == [("warning", "WAIVER-UNUSED"), ("error", "CLAIM-DIFFERS")]


@pytest.mark.parametrize("scope", [{"tasks": '["tidy"]'}, {"rounds": "[1]"}, {"cases": '["c1"]'}])
def test_what_is_not_about_a_round_lies_in_no_round_s_scope(wrong: Tree, scope: dict[str, str]) -> None:
    """A claim is about all tasks together."""
    wrong.findings(waiver(**scope))
    assert ("error", "CLAIM-DIFFERS") in told(wrong)


def test_a_line_of_rounds_is_waived_by_task_and_round(tree: Tree) -> None:
    tree.rounds(*SPOILT)
    tree.edit("submission.toml", "[claims]\ndataset_score = 25.0\n", "")
    tree.findings(waiver("ROUND-PASS-WITHOUT-REWARD", tasks='["tidy"]', rounds="[1]"))
    assert told(tree) == [("warning", "ROUND-PASS-WITHOUT-REWARD"), ("error", "ROUND-REWARD-DESPITE-FAILURE")]


def many_spoilt(tree: Tree) -> None:
    """Five rounds of two tasks with rewards too small: three are told one by one, the others together."""
    rounds = ",".join(f'{{"n": {number}}}' for number in range(1, 6))
    lines = (f'{{"id": "{name}", "rounds": [{rounds}]}}\n' for name in ("tidy", "wide"))
    tree.put("tasks/all.jsonl", "".join(lines))
    records = ({**ROUNDS[0], "task": task, "round": n, "reward": 0.5} for task in ("tidy", "wide") for n in range(1, 6))
    tree.rounds(*records)
    tree.edit("submission.toml", "[claims]\ndataset_score = 25.0\n", "")


def test_a_warning_that_counts_rounds_is_waived_only_as_a_whole(tree: Tree) -> None:
    """Two rounds without cases, of two tasks, are told in one warning that names the first."""
    empty = {"state": "no_cases", "reward": 0, "passed": 0, "total": 0}
    tree.rounds(ROUNDS[0], {**ROUNDS[1], **empty}, {**ROUNDS[2], **empty})
    tree.findings(waiver("NO-CASES-UNEXPLAINED", tasks='["tidy"]'))
    assert told(tree) == [("warning", "WAIVER-UNUSED"), ("warning", "NO-CASES-UNEXPLAINED")]


def severities(tree: Tree) -> list[str]:
    problems = evaluate(tree.folder, TODAY).problems()
    return [problem.severity for problem in problems if problem.code == "ROUND-PASS-WITHOUT-REWARD"]


def test_a_problem_that_speaks_of_many_lines_is_waived_only_as_a_whole(tree: Tree) -> None:
    many_spoilt(tree)
    tree.findings(waiver("ROUND-PASS-WITHOUT-REWARD", tasks='["tidy"]'))
    assert severities(tree) == ["warning", "warning", "warning", "error"]


def test_several_waivers_may_hold_it_together(tree: Tree) -> None:
    many_spoilt(tree)
    waivers = (waiver("ROUND-PASS-WITHOUT-REWARD", tasks=f'["{task}"]', by=f'"{who}"') for task, who in WHO)
    tree.findings("".join(waivers))
    assert severities(tree) == ["warning"] * 4
    last = evaluate(tree.folder, TODAY).problems()[-1]
    assert last.what.endswith("; waived by Ann for good: seen; waived by Ben for good: seen")


WHO = (("tidy", "Ann"), ("wide", "Ben"))


@pytest.mark.parametrize("code", ["KEY-UNKNOWN", "CHECKSUM-DIFFERS", "ROUND-TWICE", "WAIVER-UNUSED", "FILE-UNEXPECTED"])
def test_some_rules_cannot_be_waived(tree: Tree, code: str) -> None:
    tree.findings(waiver(code))
    problem = only(tree)
    assert (problem.severity, problem.code, problem.line) == ("error", "WAIVER-REFUSED", 3)
    assert problem.what.startswith(f"{code} can't be waived: ")


def test_what_keeps_a_bundle_from_being_shown_is_not_waived(tree: Tree) -> None:
    """Without a record there is no row: a report without errors would be wrong."""
    tree.write("rounds.jsonl", "")
    tree.findings(waiver("ROUND-MISSING"))
    assert ("error", "ROUND-MISSING") in told(tree)


def test_errors_of_the_benchmark_itself_are_not_waived(tree: Tree) -> None:
    tree.define('values = ["tool", "game"]', 'values = ["tool"]')
    tree.findings(waiver("LABEL-UNKNOWN"))
    assert ("error", "LABEL-UNKNOWN") in told(tree)


def test_a_waiver_that_lets_nothing_pass_is_a_warning(tree: Tree) -> None:
    tree.findings(waiver())
    problem = only(tree)
    assert (problem.severity, problem.code, problem.line) == ("warning", "WAIVER-UNUSED", 3)


def test_a_waiver_that_does_not_say_by_whom_holds_nothing(wrong: Tree) -> None:
    wrong.findings(waiver(by='""'))
    assert told(wrong) == [("error", "FINDING-INCOMPLETE"), ("error", "CLAIM-DIFFERS")]


def test_a_row_that_is_kept_by_a_waiver_is_ranked(wrong: Tree) -> None:
    wrong.findings(waiver())
    ((board, entry),) = evaluate(wrong.folder, TODAY).entries()
    assert board.ranks == {entry.id: 1}


def test_what_is_mended_without_a_loss_is_not_waived() -> None:
    mended = [rule for rule in rules_of_results().values() if rule.mend]
    assert mended
    assert not [rule.code for rule in mended if rule.is_waivable]


def test_what_a_round_contradicts_can_be_waived() -> None:
    rules = rules_of_results()
    assert {rules[code].unwaivable for code in rules if code.startswith(("ROUND-COUNTS", "CLAIM", "DETAIL"))} == {""}
