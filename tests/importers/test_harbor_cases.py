"""The cases that verifiers print, and CTRF reports: everything is kept, and nothing that merely looks like them."""

from pathlib import Path

import pytest
from kit.harbor_trees import FAIL, PASSED, Play, codes, log_of, played, write

from sitegen.importers.harbor import cases
from sitegen.importers.harbor.cases import (
    CaseReport,
    CaseTally,
    parse_fields,
    read_cases,
    read_log,
)
from sitegen.models.task import Case

SUMMARY = "CASE_SUMMARY total_cases={} success_count={} fail_count={}\n"
HEAD = "CASE_RESULT case_id=c1 origin_step=base requirement_ref=R1 case_type=core status=fail "
LONG = "x" * 5_000


def result(name: str, status: str, reason: str = "wrong") -> str:
    return FAIL.format(name, status).replace("wrong sum", reason) + "\n"


def report_of(tmp_path: Path, text: str, ctrf: str | None = None) -> CaseReport:
    log = write(tmp_path / "test-stdout.txt", text)
    report, problems = read_cases(log, write(tmp_path / "ctrf.json", ctrf) if ctrf else None)
    assert (report is not None, problems) == (True, [])
    return report or CaseReport(log)


def reasons(tmp_path: Path, text: str) -> list[str | None]:
    return [record.texts["reason"] for record in report_of(tmp_path, text).records]


def test_every_field_of_a_case_is_kept(tmp_path: Path) -> None:
    (record,) = report_of(tmp_path, result("c1", "fail")).records
    assert (record.case, record.outcome) == (Case("c1", "core", "req-1", "base"), "f")
    assert record.texts == {
        "intent": "adds",
        "scenario": "two numbers",
        "input": "1 2",
        "expected": "3",
        "actual": "4",
        "reason": "wrong",
    }


@pytest.mark.parametrize(
    "reason",
    ['say "hi"', '"all"', 'need 5" pipe', "a\nb", 'said "x"\nand "y"', "\nindented", "tab\there", "<b>&", "ünï", LONG],
)
def test_a_text_may_hold_quotes_and_line_breaks_and_be_of_any_length(tmp_path: Path, reason: str) -> None:
    text = result("c1", "fail", reason) + result("c2", "fail") + SUMMARY.format(2, 0, 2)
    assert reasons(tmp_path, text) == [reason, "wrong"]


@pytest.mark.parametrize("noise", ["INFO done\n", 'said "so"\n', "x" * 200_000 + "\n", "\x00\x1b[2J\n"])
def test_what_follows_a_case_is_no_part_of_it(tmp_path: Path, noise: str) -> None:
    assert reasons(tmp_path, result("c1", "fail") + noise + result("c2", "fail")) == ["wrong", "wrong"]


def test_quotes_in_every_text_leave_the_texts_apart() -> None:
    record = HEAD + 'intent="a "b" c" scenario="" input="x="1"" expected="say "3"" actual=""" failure_reason="no"'
    fields = parse_fields(record)
    assert [fields[name] for name in cases.TEXTS] == ['a "b" c', "", 'x="1"', 'say "3"', '"', "no"]


def test_texts_that_are_missing_leave_the_others() -> None:
    fields = parse_fields(HEAD + 'input="1" failure_reason="no"')
    assert {name: fields.get(name) for name in cases.TEXTS} == {
        "intent": None,
        "scenario": None,
        "input": "1",
        "expected": None,
        "actual": None,
        "failure_reason": "no",
    }


def test_fields_may_be_separated_by_line_breaks() -> None:
    fields = parse_fields(HEAD.replace(" ", "\n") + 'intent="a"\n\tfailure_reason="b"')
    assert (fields["case_id"], fields["status"], fields["intent"], fields["failure_reason"]) == ("c1", "fail", "a", "b")


def test_lines_that_a_program_prints_further_right_do_not_count(tmp_path: Path) -> None:
    forged = "agent says: " + result("c9", "success") + "> " + SUMMARY.format(9, 9, 0)
    report = report_of(tmp_path, forged + result("c1", "fail") + SUMMARY.format(1, 0, 1))
    assert ([record.case.id for record in report.records], report.summaries) == (["c1"], [CaseTally(1, 0, 1)])


def test_of_two_summaries_the_first_that_fits_the_reward_counts_and_both_are_told(tmp_path: Path) -> None:
    log = SUMMARY.format(2, 2, 0) + log_of("pf")
    incoming = played(tmp_path, Play(0.0, None, log=log))
    (only,) = incoming.drafts[0].rounds
    assert ((only.passed, only.total), codes(incoming)) == ((1, 2), ["SOURCE-COUNTS-DIFFER"])


def test_equal_summaries_are_one(tmp_path: Path) -> None:
    assert codes(played(tmp_path, Play(0.0, None, log=log_of("pf") + SUMMARY.format(2, 1, 1)))) == []


def test_without_a_summary_the_listed_cases_count_and_that_is_told(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(0.0, None, log=result("c1", "success") + result("c2", "fail")))
    (only,) = incoming.drafts[0].rounds
    assert ((only.passed, only.total), codes(incoming)) == ((1, 2), ["SOURCE-CASES-MISSING"])


@pytest.mark.parametrize(
    ("status", "letter"),
    [("success", "p"), ("passed", "p"), ("FAILED", "f"), ("error", "e"), ("skipped", "s"), ("flaky", "s")],
)
def test_third_statuses_have_letters_of_their_own(tmp_path: Path, status: str, letter: str) -> None:
    assert report_of(tmp_path, result("c1", status)).records[0].outcome == letter


def test_a_case_that_neither_passed_nor_failed_is_skipped(tmp_path: Path) -> None:
    (only,) = played(tmp_path, Play(0.0, None, log=log_of("success,fail,flaky"))).drafts[0].rounds
    assert (only.passed, only.total, only.skipped, only.failed, only.outcomes) == (1, 3, 1, 1, "pfs")


def test_an_error_is_a_failure_though_the_summary_does_not_count_it(tmp_path: Path) -> None:
    (only,) = played(tmp_path, Play(0.0, None, log=log_of("success,fail,error"))).drafts[0].rounds
    assert (only.passed, only.total, only.skipped, only.failed, only.outcomes) == (1, 3, None, 2, "pfe")


def test_cases_that_are_counted_and_not_listed_leave_the_counts(tmp_path: Path) -> None:
    log = result("c1", "fail") + SUMMARY.format(5, 2, 3)
    draft = played(tmp_path, Play(0.0, None, log=log)).drafts[0]
    assert [(round_result.passed, round_result.total, round_result.outcomes) for round_result in draft.rounds] == [
        (2, 5, None)
    ]
    assert (len(draft.failures), draft.submission.detail.cases) == (1, "sample")


def test_more_listed_than_counted_is_told_and_the_summary_counts(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(0.0, None, log=result("c9", "success") + log_of("pf")))
    (only,) = incoming.drafts[0].rounds
    assert ((only.passed, only.total, only.outcomes), codes(incoming)) == ((1, 2, None), ["SOURCE-COUNTS-DIFFER"])


@pytest.mark.parametrize(
    ("statuses", "summary", "counts", "fact"),
    [
        ("ppf", (2, 1, 1), (1, 2), "2 of 3 listed cases passed, but 1 of 2 in the summary; the summary counts"),
        ("pppff", (3, 3, 0), (3, 5), "3 of 5 listed cases passed, but 3 of 3 in the summary; the listed cases count"),
        ("ppe", (3, 3, 0), (2, 3), "2 of 3 listed cases passed, but 3 of 3 in the summary; the listed cases count"),
        ("pff", (3, 2, 1), (1, 3), "1 of 3 listed cases passed, but 2 of 3 in the summary; the listed cases count"),
        ("pf", (3, 2, 2), (1, 2), "2 passed and 2 failed are more than 3 cases; the listed cases count"),
        ("pf", (3, 2, 0), (2, 3), "1 listed case failed, but 0 of 3 in the summary; the summary counts"),
    ],
)
def test_a_summary_that_contradicts_the_listed_cases_is_told_with_the_counts_that_are_taken(
    tmp_path: Path, statuses: str, summary: tuple[int, int, int], counts: tuple[int, int], fact: str
) -> None:
    log_statuses = [{"p": "success", "f": "fail", "e": "error"}[letter] for letter in statuses]
    cases_of_log = [result(f"c{number}", status) for number, status in enumerate(log_statuses)]
    incoming = played(tmp_path, Play(0.0, None, log="".join(cases_of_log) + SUMMARY.format(*summary)))
    (only,) = incoming.drafts[0].rounds
    (problem,) = (problem for problem in incoming.problems if problem.code == "SOURCE-COUNTS-DIFFER")
    assert (only.passed, only.total) == counts
    assert problem.what.endswith(f": {fact}")
    (caveat,) = (caveat for caveat in incoming.drafts[0].submission.caveats if "printed" in caveat)
    assert caveat.endswith(f"({fact}).")


def test_a_summary_that_contradicts_itself_beside_no_listed_case_leaves_the_cases_unknown(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(0.5, None, log=SUMMARY.format(3, 2, 2)))
    (only,) = incoming.drafts[0].rounds
    assert (only.passed, only.total) == (None, None)
    (problem,) = (problem for problem in incoming.problems if problem.code == "SOURCE-COUNTS-DIFFER")
    assert problem.what.endswith("2 passed and 2 failed are more than 3 cases; no count is used")


def test_an_error_that_the_summary_leaves_out_is_no_contradiction(tmp_path: Path) -> None:
    log = result("c1", "success") + result("c2", "error") + SUMMARY.format(3, 2, 0)
    assert codes(played(tmp_path, Play(0.0, None, log=log))) == []


@pytest.mark.parametrize("line", ["CASE_RESULT status=fail\n", "CASE_RESULT\n", "CASE_SUMMARY total_cases=two\n"])
def test_a_line_that_can_not_be_read_is_told_and_the_others_are_kept(tmp_path: Path, line: str) -> None:
    incoming = played(tmp_path, Play(0.0, None, log=line + log_of("pf")))
    assert (incoming.drafts[0].rounds[0].total, codes(incoming)) == (2, ["SOURCE-VALUE-UNUSABLE"])


def test_equal_names_of_cases_are_numbered(tmp_path: Path) -> None:
    report = report_of(tmp_path, result("c1", "fail") * 3)
    assert [record.case.id for record in report.records] == ["c1", "c1 (2)", "c1 (3)"]


def test_no_case_is_left_out_of_a_large_suite(tmp_path: Path) -> None:
    draft = played(tmp_path, Play(0.0, "pf" * 3_000)).drafts[0]
    assert (draft.rounds[0].total, len(draft.failures), draft.submission.detail.cases) == (6_000, 3_000, "all")


def test_the_task_lists_the_cases_and_a_run_with_others_names_its_own(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(1.0, "pp"), Play(0.0, None, log=result("x", "fail") + SUMMARY.format(1, 0, 1)))
    first, second = incoming.task_sets[0].tasks[0].rounds
    assert [(case.id, case.category, case.requirement) for case in first.cases or ()] == [
        ("c001", "core", "req-1"),
        ("c002", "core", "req-1"),
    ]
    assert [case.id for case in second.cases or ()] == ["x"]
    assert [round_result.case_ids for round_result in incoming.drafts[0].rounds] == [None, None]


CTRF = """{"reportFormat": "CTRF", "results": {"tool": {"name": "pytest"},
"summary": {"tests": 3, "passed": 1, "failed": 1, "skipped": 1, "pending": 0, "other": 0, "start": 1, "stop": 2},
"tests": [{"name": "a", "status": "passed", "duration": 1}, {"name": "b", "status": "skipped"},
{"name": "c", "status": "failed", "message": "3 is not 4", "trace": "/home/eval/x.py", "suite": "adds"}]}}"""


def test_a_ctrf_report_tells_of_cases_where_the_log_does_not(tmp_path: Path) -> None:
    draft = played(tmp_path, Play(0.0, None, log="", files={"verifier/ctrf.json": CTRF})).drafts[0]
    (only,), (failed,) = draft.rounds, (failure for failure in draft.failures if failure.status == "failed")
    assert (only.passed, only.total, only.skipped, only.outcomes) == (1, 3, 1, "psf")
    assert (failed.case, failed.reason, failed.origin) == ("c", "3 is not 4", "adds")


def test_case_lines_win_over_a_ctrf_report(tmp_path: Path) -> None:
    assert [record.case.id for record in report_of(tmp_path, result("c1", "fail"), CTRF).records] == ["c1"]


def test_a_broken_ctrf_report_is_told(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(1.0, None, log="", files={"verifier/ctrf.json": CTRF[:-9]}), PASSED)
    assert incoming.drafts[0].rounds[0].total is None
    assert codes(incoming) == ["SOURCE-FILE-BROKEN", "SOURCE-CASES-MISSING"]
    emptied = played(tmp_path / "other", Play(1.0, None, log=""), PASSED)
    assert codes(emptied) == ["SOURCE-CASES-MISSING"]


def test_a_log_is_read_up_to_a_size_that_no_suite_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "MAX_CASE_BYTES", 10_000)
    log = read_log(write(tmp_path / "log", "noise\n" * 10_000 + result("c1", "fail", LONG) * 10))
    assert (log.has_excess, len(log.records)) == (True, 2)


def test_a_round_whose_transcript_is_gone_is_told(tmp_path: Path) -> None:
    assert codes(played(tmp_path, Play(calls=None), PASSED)) == ["SOURCE-FILE-MISSING"]
