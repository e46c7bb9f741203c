"""Keys and values that the format does not know: each fault once, at its line, with what to write instead."""

import pytest
from kit.results_folders import ABSENT, ROUNDS, Told, Tree, json_lines

NAME = "correct the key's name, or remove it"
NUMBER = "give a number, without quotes"
WHOLE = "give a whole number, without quotes"
DATE = "give a date, without quotes, such as 2026-06-25"


def test_an_unknown_key_of_a_round_is_told(tree: Tree) -> None:
    tree.change(2, rewad=1)
    assert tree.told() == [
        Told("KEY-UNKNOWN", "rounds.jsonl:2", "the key `rewad` is unknown", "did you mean `reward`?")
    ]


def test_an_unknown_key_whose_value_is_null_is_named(tree: Tree) -> None:
    tree.change(2, rewad=None)
    assert tree.told() == [
        Told("KEY-UNKNOWN", "rounds.jsonl:2", "the key `rewad` is unknown", "did you mean `reward`?")
    ]


def test_an_unknown_key_of_a_manifest_is_told(tree: Tree) -> None:
    tree.edit("submission.toml", "schema = 1", 'schema = 1\ncolour = "red"')
    assert tree.told() == [Told("KEY-UNKNOWN", "submission.toml:2", "the key `colour` is unknown", NAME)]


def test_an_unknown_key_of_an_agent_is_told(tree: Tree) -> None:
    tree.edit("submission.toml", 'organization = "Acme"', 'organisation = "Acme"')
    assert tree.told() == [
        Told(
            "KEY-UNKNOWN",
            "submission.toml:7",
            "the key `agent.organisation` is unknown",
            "did you mean `organization`?",
        )
    ]


def test_an_unknown_table_is_told(tree: Tree) -> None:
    tree.edit("submission.toml", "[claims]", "[claim]")
    assert tree.told() == [
        Told("KEY-UNKNOWN", "submission.toml:12", "the key `claim` is unknown", "did you mean `claims`?")
    ]


@pytest.mark.parametrize("key", ["task", "attempt", "round", "state", "reward"])
def test_a_missing_key_of_a_round_is_told(tree: Tree, key: str) -> None:
    """And its round is not called missing besides."""
    tree.change(2, **{key: ABSENT})
    assert tree.told() == [Told("KEY-MISSING", "rounds.jsonl:2", f"the key `{key}` is missing", f"add `{key}`")]


@pytest.mark.parametrize(("key", "line"), [("schema", "schema = 1"), ("track", 'track = "main"')])
def test_a_missing_key_of_a_manifest_is_told(tree: Tree, key: str, line: str) -> None:
    tree.edit("submission.toml", line, "")
    fix = f"add `{line if key == 'schema' else key}`"
    assert tree.told() == [Told("KEY-MISSING", "submission.toml", f"the key `{key}` is missing", fix)]


def test_a_missing_date_is_told_by_its_name(tree: Tree) -> None:
    """`date` is also what pydantic calls a member of a union."""
    tree.edit("submission.toml", "date = 2026-06-25", "")
    assert tree.told() == [Told("KEY-MISSING", "submission.toml", "the key `date` is missing", "add `date`")]


def test_an_agent_without_name_is_told_at_its_table(tree: Tree) -> None:
    tree.edit("submission.toml", 'name = "Acme-1"\n', "")
    expected_message = "the key `agent.name` is missing"
    assert tree.told() == [Told("KEY-MISSING", "submission.toml:5", expected_message, "add `agent.name`")]


def test_a_number_in_quotes_is_no_number(tree: Tree) -> None:
    tree.change(2, reward="0")
    assert tree.told() == [Told("TYPE-WRONG", "rounds.jsonl:2", '`reward` is "0"', NUMBER)]


def test_a_claim_in_quotes_is_no_number(tree: Tree) -> None:
    tree.edit("submission.toml", "25.0", '"25.0"')
    expected_message = '`claims.dataset_score` is "25.0"'
    assert tree.told() == [Told("TYPE-WRONG", "submission.toml:13", expected_message, NUMBER)]


@pytest.mark.parametrize(("key", "fix"), [("passed", WHOLE), ("reward", NUMBER)])
def test_a_truth_is_no_number(tree: Tree, key: str, fix: str) -> None:
    tree.change(2, **{key: True})
    assert tree.told() == [Told("TYPE-WRONG", "rounds.jsonl:2", f"`{key}` is true", fix)]


def test_a_count_has_no_decimals(tree: Tree) -> None:
    tree.change(2, passed=3.0)
    assert tree.told() == [Told("TYPE-WRONG", "rounds.jsonl:2", "`passed` is 3.0", WHOLE)]


def test_nothing_is_no_number(tree: Tree) -> None:
    tree.change(2, reward=None)
    assert tree.told() == [Told("TYPE-WRONG", "rounds.jsonl:2", "`reward` is null", NUMBER)]


def test_a_date_stands_without_quotes(tree: Tree) -> None:
    tree.edit("submission.toml", "2026-06-25", '"2026-06-25"')
    assert tree.told() == [Told("TYPE-WRONG", "submission.toml:3", '`date` is "2026-06-25"', DATE)]


def test_a_date_within_a_table_stands_without_quotes(tree: Tree) -> None:
    tree.edit("submission.toml", "[detail]", '[status]\ndate = "2026-06-26"\n\n[detail]')
    assert tree.told() == [Told("TYPE-WRONG", "submission.toml:10", '`status.date` is "2026-06-26"', DATE)]


def test_a_time_that_may_be_a_date_is_told_once(tree: Tree) -> None:
    tree.edit("submission.toml", "[detail]", '[provenance]\nstarted = "today"\n\n[detail]')
    fix = "give a date, or a date and time, without quotes"
    assert tree.told() == [Told("TYPE-WRONG", "submission.toml:10", '`provenance.started` is "today"', fix)]


def test_a_text_stands_in_quotes(tree: Tree) -> None:
    tree.edit("submission.toml", 'name = "Acme-1"', "name = 1")
    assert tree.told() == [Told("TYPE-WRONG", "submission.toml:6", "`agent.name` is 1", "give a string, in quotes")]


def test_a_table_is_no_single_value(tree: Tree) -> None:
    tree.edit("submission.toml", '[detail]\ncases = "counts"', "[provenance]\nimages = 5")
    assert tree.told() == [
        Told("TYPE-WRONG", "submission.toml:10", "`provenance.images` is 5", "give a table with keys and values")
    ]


@pytest.mark.parametrize(
    ("key", "value", "shown", "fix"),
    [
        ("passed", -1, "-1", "give at least 0"),
        ("round", 0, "0", "give at least 1"),
        ("attempt", 0, "0", "give at least 1"),
        ("reward", 1.5, "1.5", "give at most 1"),
        ("cost_usd", -0.5, "-0.5", "give at least 0"),
        ("cost_usd", 1e300, "1e+300", "give at most 1000000000000000"),
        ("start", "middle", '"middle"', 'give "own" or "reference"'),
        ("outcomes", "ppx", '"ppx"', "use one letter per case: p pass, f fail, e error, s skipped"),
    ],
)
def test_a_value_out_of_range_is_told(tree: Tree, key: str, value: object, shown: str, fix: str) -> None:
    tree.change(2, **{key: value})
    assert tree.told() == [Told("VALUE-REFUSED", "rounds.jsonl:2", f"`{key}` is {shown}", fix)]


def test_an_unknown_state_is_told_with_those_there_are(tree: Tree) -> None:
    tree.change(2, state="passed")
    fix = 'give "scored", "no_cases", "aborted", "unreached", "fast_forwarded" or "excluded"'
    assert tree.told() == [Told("VALUE-REFUSED", "rounds.jsonl:2", '`state` is "passed"', fix)]


def test_a_schema_that_never_was_is_told(tree: Tree) -> None:
    tree.edit("submission.toml", "schema = 1", "schema = 0")
    assert tree.told() == [Told("VALUE-REFUSED", "submission.toml:1", "`schema` is 0", "give 1")]


def test_an_agent_has_a_name(tree: Tree) -> None:
    tree.edit("submission.toml", '"Acme-1"', '""')
    fix = "give a string that is not empty"
    assert tree.told() == [Told("VALUE-REFUSED", "submission.toml:6", '`agent.name` is ""', fix)]


def test_a_category_has_two_counts(tree: Tree) -> None:
    tree.change(2, by_category={"core": [3]})
    expected_message, fix = "`by_category.core` is a list", "add an entry to the list"
    assert tree.told() == [Told("VALUE-REFUSED", "rounds.jsonl:2", expected_message, fix)]


def test_long_values_are_cut(tree: Tree) -> None:
    tree.change(2, reward="0" * 500)
    (problem,) = tree.told()
    assert len(problem.what) < 80


def test_a_fault_on_every_line_is_one_problem(tree: Tree) -> None:
    """Also where each line has another value."""
    tree.rounds(*({**round_result, "agent_seconds": f"{12.5 + index}"} for index, round_result in enumerate(ROUNDS)))
    expected_message = '`agent_seconds` is "12.5" (here and in 2 more places)'
    assert tree.told() == [Told("TYPE-WRONG", "rounds.jsonl:1", expected_message, NUMBER)]


def test_two_faults_on_every_line_are_two_problems(tree: Tree) -> None:
    tree.rounds(*({**round_result, "passed": str(round_result["passed"]), "colour": "red"} for round_result in ROUNDS))
    assert [(problem.code, problem.place) for problem in tree.told()] == [
        ("TYPE-WRONG", "rounds.jsonl:1"),
        ("KEY-UNKNOWN", "rounds.jsonl:1"),
    ]


def test_no_number_on_every_line_is_one_problem(tree: Tree) -> None:
    tree.rounds(*({**round_result, "cost_usd": float("nan")} for round_result in ROUNDS))
    (problem,) = tree.told()
    assert (problem.place, problem.what) == ("rounds.jsonl:1", "`cost_usd` is NaN (here and in 2 more places)")


def test_another_unknown_key_on_every_line_is_few_problems(tree: Tree) -> None:
    lines = [{**ROUNDS[0], "round": 1 + index, f"note{index}": 1} for index in range(500)]
    tree.write("rounds.jsonl", json_lines(*lines))
    assert 1 < len(tree.told()) <= 20
