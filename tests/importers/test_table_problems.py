"""Tables that can't be used: each fault is told once, with its line and a fix."""

from dataclasses import replace
from pathlib import Path

import pytest
from kit.small_tables import HEAD, OPTIONS, csv, jsonl

from sitegen.importers.table.source import read_table
from sitegen.models.benchmark import Protocol
from sitegen.problems import Problem, ProblemsError

ROW = {"task": "tidy", "attempt": 1, "round": 1, "reward": 1}


def refused(file: Path, protocol: Protocol = "chain") -> list[Problem]:
    """Import a table that can't be used, and give the errors."""
    with pytest.raises(ProblemsError) as raised:
        read_table(file, OPTIONS, protocol)
    return [problem for problem in raised.value.problems if problem.is_error]


def told(file: Path, protocol: Protocol = "chain") -> list[tuple[str, int | None, str]]:
    """Give the code, the line and the fact of each error."""
    return [(error.code, error.line, error.what) for error in refused(file, protocol)]


def test_missing_columns_are_named_with_those_that_are_there(tmp_path: Path) -> None:
    missing = [("SOURCE-COLUMNS-UNCLEAR", None, "the table has no column for reward; its columns are `task`, `round`")]
    assert told(csv(tmp_path, "tidy,1", head="task,round")) == missing
    assert told(jsonl(tmp_path, {"task": "tidy", "round": 1})) == missing
    expected_message = "the table has no column for task or reward; its columns are `name`, `note`"
    assert told(csv(tmp_path, "x,y", head="name,note")) == [("SOURCE-COLUMNS-UNCLEAR", None, expected_message)]


@pytest.mark.parametrize(
    ("line", "expected_message"),
    [
        ("tidy,2,1,1,-1,1", "`passed` is '-1', which is below 0"),
        ("tidy,2,1,1,1.5,2", "`passed` is '1.5', which is not a whole number"),
        ("tidy,2,1,perhaps,1,1", "`reward` is 'perhaps', which is neither a number nor a verdict"),
        (",1,1,1,1,1", "`task` is empty"),
        ("tidy,,1,1,1,1", "`attempt` is empty"),
    ],
)
def test_wrong_values_are_told_with_their_line(tmp_path: Path, line: str, expected_message: str) -> None:
    (error,) = refused(csv(tmp_path, "tidy,1,1,1,1,1", line))
    assert (error.code, error.line, error.what) == ("SOURCE-BROKEN", 3, expected_message)


@pytest.mark.parametrize(
    ("column", "values", "expected_message"),
    [
        ("state", "scored failed", "`state` is 'failed', which is none of aborted, excluded"),
        ("state", "scored excluded", "`state` is 'excluded', which needs a finding that says why"),
        ("start", "own fresh", "`start` is 'fresh', which is none of own, reference"),
        ("outcomes", "p pfx", "`outcomes` is 'pfx', which has letters other than p, f, e, s"),
        (
            "by_category",
            " core",
            "`by_category` is 'core', which is not an object with pairs of counts",
        ),
        (
            "measures",
            ' "{""a"": NaN}"',
            "`measures` is '{\"a\": NaN}', which is not an object with numbers",
        ),
        ("case_ids", " [1]", "`case_ids` is '[1]', which is not a list of texts"),
        ("weight", "1 0", "`weight` is '0', which is not between 1e-09 and 1e+09"),
    ],
)
def test_values_of_optional_columns_are_checked_too(
    tmp_path: Path, column: str, values: str, expected_message: str
) -> None:
    first, second = values.split(" ", 1)
    lines = (f"tidy,1,1,1,1,1,{first}", f"tidy,1,2,1,1,1,{second}")
    (error,) = refused(csv(tmp_path, *lines, head=f"{HEAD},{column}"))
    assert (error.code, error.line) == ("SOURCE-BROKEN", 3)
    assert error.what.startswith(expected_message)


def test_a_number_in_quotes_is_a_number_in_json_too(tmp_path: Path) -> None:
    (draft,) = read_table(jsonl(tmp_path, ROW | {"reward": "1", "passed": "2", "total": "2"}), OPTIONS).drafts
    assert (draft.rounds[0].reward, draft.rounds[0].total) == (1, 2)


def test_an_object_that_tells_nothing_is_no_row(tmp_path: Path) -> None:
    first, *_ = told(jsonl(tmp_path, ROW, dict.fromkeys(ROW)))
    assert first == ("SOURCE-BROKEN", 2, "`task` is empty")


def test_a_cell_beyond_the_columns_is_not_dropped(tmp_path: Path) -> None:
    path = csv(tmp_path, "tidy,1,1,1,1,1", ",,,,,,7", ",,,,,")
    assert told(path) == [("SOURCE-BROKEN", 3, "7 cells under 6 columns")]


def test_one_fault_in_many_rows_is_one_problem(tmp_path: Path) -> None:
    lines = [f"tidy,1,{number},1,x,1" for number in range(2, 101)]
    expected_message = "`passed` is 'x', which is not a whole number; the same applies to 98 more rows"
    assert told(csv(tmp_path, "tidy,1,1,1,1,1", *lines)) == [("SOURCE-BROKEN", 3, expected_message)]


def test_faults_of_several_kinds_are_told_together(tmp_path: Path) -> None:
    file = csv(tmp_path, "tidy,1,1,2,1,1", "tidy,1,2,1,x,1", "tidy,1,3,perhaps,1,2")
    assert [error.code for error in refused(file)] == [
        "SOURCE-BROKEN",
        "SOURCE-BROKEN",
        "SOURCE-SCALE-UNSTATED",
    ]
    file = csv(tmp_path, "tidy,1,1,1,1,1", "tidy,1,2,1,1,2", "tidy,1,2,1,1,1")
    assert [error.code for error in refused(file)] == ["SOURCE-CONTRADICTION", "SOURCE-RESULT-TWICE"]


@pytest.mark.parametrize(
    ("columns", "line", "expected_message"),
    [
        ("", "1,3,2", "3 cases passed, but the round has 2"),
        ("", "1,2,3", "a reward of 1 with 1 failed case"),
        ("", "0,3,3", "a reward of 0, but all 3 cases passed"),
        ("", "0,3,", "`total` is missing"),
        (",skipped", "1,0,2,2", "a reward of 1 with none of 2 cases passed"),
        (",skipped", "0,2,3,2", "2 passed and 2 skipped are more than 3 cases"),
        (",outcomes", "1,2,2,p", "`outcomes` has 1 case, but the round has 2"),
        (",outcomes", "0,1,2,ff", "1 case passed, but `outcomes` has 0"),
        (",case_ids", '1,2,2,"[""a""]"', "`case_ids` names 1 case, but the round has 2"),
        (",case_ids", '1,2,2,"[""a"", ""a""]"', "`case_ids` names a case twice"),
        (
            ",by_category",
            '1,2,2,"{""core"": [1, 1]}"',
            "2 cases passed, but `by_category` adds up to 1",
        ),
        (
            ",by_category",
            '0,1,2,"{""core"": [2, 1]}"',
            "2 cases of category core passed, but it has 1",
        ),
        (",state", "1,1,1,aborted", 'state "aborted" with a reward of 1'),
        (",state", "0,0,0,scored", 'state "scored" with 0 cases'),
        (",outcomes", "1,,,p", "`passed` and `total` are missing, but `outcomes` has cases"),
    ],
)
def test_rounds_that_contradict_themselves_are_refused(
    tmp_path: Path, columns: str, line: str, expected_message: str
) -> None:
    (error,) = refused(csv(tmp_path, f"tidy,1,1,{line}", head=HEAD + columns))
    assert (error.code, error.line) == ("SOURCE-CONTRADICTION", 2)
    assert error.what.startswith(expected_message)


def test_a_round_that_stands_twice_is_told_with_both_lines(tmp_path: Path) -> None:
    lines = (
        "tidy,1,1,1,1,1",
        "tidy,1,2,0,0,1",
        "tidy,2,1,1,1,1",
        "tidy,2,2,1,1,1",
        "tidy,2,2,1,1,1",
    )
    expected_message = "Acme-1 at tidy (attempt 2), round 2: line 6 repeats line 5"
    assert told(csv(tmp_path, *lines)) == [("SOURCE-RESULT-TWICE", 6, expected_message)]


def test_a_round_that_is_missing_before_another_is_an_error(tmp_path: Path) -> None:
    assert told(csv(tmp_path, "tidy,1,1,1,1,1", "tidy,1,4,1,1,1")) == [
        ("SOURCE-RUN-MISSING", None, "Acme-1: the source has no results for tidy 2, 3")
    ]


def test_every_target_needs_a_row(tmp_path: Path) -> None:
    """Targets are graded at once: that the last ones have no row tells nothing of them."""
    file = csv(tmp_path, "tidy,1,1,1,1,1", "tidy,1,2,1,1,1", "tidy,2,1,1,1,1")
    assert [error.code for error in refused(file, "once")] == ["SOURCE-RUN-MISSING"]


def test_every_round_from_the_reference_state_needs_a_row(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,own", "tidy,1,2,1,1,1,own", "tidy,1,1,1,1,1,reference")
    (error,) = refused(csv(tmp_path, *lines, head=f"{HEAD},start"), "fail-stop")
    assert "tidy 2 (from the reference state)" in error.what


def test_a_second_attempt_from_the_reference_state_is_refused(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,reference", "tidy,2,1,1,1,1,reference", "tidy,1,1,1,1,1,own")
    error = refused(csv(tmp_path, *lines, head=f"{HEAD},start"))[0]
    assert error.what == "`attempt` is 2: rounds from the reference state are run once"


def test_runs_that_are_missing_are_named_together(tmp_path: Path) -> None:
    lines = ["a,1,1,1,1,1", "a,2,1,1,1,1", *(f"b{number},1,1,1,1,1" for number in range(12))]
    named = ", ".join(f"b{number} (attempt 2)" for number in range(10))
    assert told(csv(tmp_path, *lines)) == [
        ("SOURCE-RUN-MISSING", None, f"Acme-1: the source has no results for 12 of 26: {named} and 2 more")
    ]


def test_runs_that_are_missing_can_be_taken_for_unreached(tmp_path: Path) -> None:
    table = csv(tmp_path, "a,1,1,1,1,1", "a,2,1,1,1,1", "b,1,1,1,1,1")
    incoming = read_table(table, replace(OPTIONS, allow_missing=True))
    assert [round_result.state for round_result in incoming.drafts[0].rounds] == [
        "scored",
        "scored",
        "scored",
        "unreached",
    ]
    assert [(problem.code, problem.what) for problem in incoming.problems] == [
        ("SOURCE-RUN-UNREACHED", "Acme-1: the source has no results for b (attempt 2): unreached")
    ]


def test_a_table_without_an_agent_needs_a_name(tmp_path: Path) -> None:
    with pytest.raises(ProblemsError) as raised:
        read_table(csv(tmp_path, "tidy,1,1,1,1,1", "tidy,1,2,1,1,1"), replace(OPTIONS, agent=None))
    assert [problem.code for problem in raised.value.problems] == ["SOURCE-AGENT-UNKNOWN"]


def test_an_agent_of_which_rows_tell_different_things_is_refused(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,Acme,large", "tidy,1,2,1,1,1,Acme,small")
    (error,) = refused(csv(tmp_path, *lines, head=f"{HEAD},agent,model"))
    assert (error.code, error.line, error.what) == (
        "SOURCE-CONTRADICTION",
        3,
        "`model` of Acme is 'small' here, but 'large' above",
    )


def test_agents_whose_bundles_would_be_called_the_same_are_refused(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,Acme 1", "tidy,1,1,1,1,1,Acme-1")
    with pytest.raises(ProblemsError) as raised:
        read_table(csv(tmp_path, *lines, head=f"{HEAD},agent"), replace(OPTIONS, agent=None))
    (error,) = raised.value.problems
    assert (error.code, error.what) == (
        "SOURCE-AGENT-TWICE",
        "Acme 1, Acme-1 would all be bundle 2026-06-25-acme-1",
    )


def test_weights_that_differ_are_refused(tmp_path: Path) -> None:
    lines = ("tidy,1,1,1,1,1,0.5", "tidy,2,1,1,1,1,0.75")
    assert told(csv(tmp_path, *lines, head=f"{HEAD},weight"), "once") == [
        ("SOURCE-TASK-DIFFERS", 3, "round 1 of tidy weighs 0.75 here, but 0.5 above")
    ]


def test_a_file_of_gigabytes_without_text_is_refused_and_not_read(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    with file.open("wb") as opened:
        opened.truncate(3 * 1024**3)
    expected_message = "table.csv is 3,072 MB, of which only 0.0 MB is on disk: it was not written completely"
    assert told(file) == [("FILE-UNREADABLE", None, expected_message)]


def test_a_few_rows_can_not_ask_for_millions_of_rounds(tmp_path: Path) -> None:
    (error,) = refused(csv(tmp_path, "tidy,1,10000,1,1,1", "tidy,10000,10000,1,1,1", "wide,1,1,1,1,1"))
    assert (error.code, error.what) == (
        "TABLE-LARGE",
        "all rounds of all attempts would be 100,010,000, but the table has 3 rows",
    )


def test_error_rates_are_rewards_only_on_request(tmp_path: Path) -> None:
    table = csv(tmp_path, "a,wer,0.25", head="task,metric,value")
    expected_message = "column `metric` names wer, for which lower values are better"
    assert told(table) == [("SOURCE-UNUSABLE", None, expected_message)]
    result = read_table(table, replace(OPTIONS, metric="wer"))
    (draft,) = result.drafts
    assert [round_result.reward for round_result in draft.rounds] == [0.25]
    named = read_table(csv(tmp_path, "a,0.25", head="task,WER"), OPTIONS, column=["reward=WER"])
    assumed = "higher values of `WER` are better, although its name is that of an error measure"
    assert any(assumed in caveat for caveat in named.drafts[0].submission.caveats)


@pytest.mark.parametrize("head", ["task_id,model,status,score_headline_value", "sample_id,id,epoch,score_a"])
def test_data_frames_of_inspect_are_not_taken_for_results(tmp_path: Path, head: str) -> None:
    table = csv(tmp_path, "k1,/logs/1.eval,x,ada,success,0.5", head=f"eval_id,log,{head}")
    (error,) = refused(table)
    assert error.code == "SOURCE-COLUMNS-UNCLEAR"
    assert error.what == "the table is a data frame of Inspect, whose ids differ in every run"
    assert "`sitegen import inspect FOLDER`" in (error.fix or "")
    result = read_table(table, OPTIONS, column=["task=eval_id", f"reward={head.rpartition(',')[2]}"])
    assert [round_result.reward for round_result in result.drafts[0].rounds] == [0.5]


@pytest.mark.parametrize("name", ["failed", "Errors", "fail_rate"])
def test_a_column_of_failures_is_not_proposed_as_the_reward(tmp_path: Path, name: str) -> None:
    table = csv(tmp_path, "a,ada,1", "b,ada,0", head=f"task,model,{name}")
    (error,) = refused(table)
    assert error.code == "SOURCE-COLUMNS-UNCLEAR"
    assert error.fix == f"`{name}` is higher for worse results: add a column that is higher for better ones"
    caveats = read_table(table, OPTIONS, column=[f"reward={name}"]).drafts[0].submission.caveats
    assert any(f"higher values of `{name}` are better" in caveat for caveat in caveats)
