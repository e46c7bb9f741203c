"""What must hold in a benchmark's findings, each by itself."""

import pytest
from kit.results_folders import TASKS, Told, Tree, json_lines

HEAD = '\n[[findings]]\ndate = 2026-06-26\ntitle = "Odd"\n'
WAIVER = f'{HEAD}kind = "waiver"\ncode = "CLAIM-DIFFERS"\nby = "Ada"\nreason = "Seen"\n'
AGAIN = f'{HEAD}kind = "reproduction"\nsubmissions = ["2026-06-25-acme"]\nrerun = "2026-06-25-acme"\n'
CASES = f'{HEAD}kind = "defect"\ntasks = ["tidy"]\nrounds = [1]\ncases = ["c1"]\n'


def incomplete(message: str, key: str, line: int) -> Told:
    """Say that a finding lacks a key."""
    return Told(
        "FINDING-INCOMPLETE", f"mini/findings.toml:{line}", f"{message}, but `{key}` is missing", f"add `{key}`"
    )


@pytest.mark.parametrize("text", [WAIVER, f"{WAIVER}until = 2026-12-31\n", AGAIN, CASES], ids=str.split)
def test_a_finding_that_says_what_its_kind_needs_is_accepted(tree: Tree, text: str) -> None:
    tree.findings(text)
    assert tree.told() == []


@pytest.mark.parametrize(
    ("text", "expected_message", "key"),
    [
        (WAIVER.replace('code = "CLAIM-DIFFERS"\n', ""), "the finding is a waiver", "code"),
        (WAIVER.replace('by = "Ada"\n', ""), "the finding is a waiver", "by"),
        (WAIVER.replace('"Seen"', '" "'), "the finding is a waiver", "reason"),
        (AGAIN.replace('rerun = "2026-06-25-acme"\n', ""), "the finding is a reproduction", "rerun"),
        (AGAIN.replace('submissions = ["2026-06-25-acme"]\n', ""), "the finding is a reproduction", "submissions"),
        (f'{HEAD}kind = "leak"\neffect = "zero"\n', 'the effect is "zero"', "reason"),
        (f'{HEAD}kind = "leak"\neffect = "withdraw"\nreason = "x"\n', 'the effect is "withdraw"', "submissions"),
        (CASES.replace('tasks = ["tidy"]\n', ""), "the finding names cases", "tasks"),
        (CASES.replace("rounds = [1]\n", ""), "the finding names cases", "rounds"),
    ],
)
def test_a_finding_says_all_that_it_needs(tree: Tree, text: str, expected_message: str, key: str) -> None:
    """Told at the key where it stands empty, else at the finding's header."""
    tree.findings(text)
    line = next(
        (n for n, text_line in enumerate(f"schema = 1\n{text}".split("\n"), 1) if text_line.startswith(f"{key} =")), 3
    )
    assert tree.told() == [incomplete(expected_message, key, line)]


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        (f'{HEAD}kind = "note"\ncode = "KEY-MISSING"\n', "code", "the finding is not a waiver"),
        (f'{HEAD}kind = "leak"\nuntil = 2026-12-31\n', "until", "the finding is not a waiver"),
        (f'{HEAD}kind = "note"\nrerun = "2026-06-25-acme"\n', "rerun", "the finding is not a reproduction"),
        (f'{WAIVER}effect = "zero"\n', "effect", "a waiver changes no result"),
    ],
)
def test_a_finding_has_no_key_that_its_kind_has_no_use_for(tree: Tree, text: str, key: str, why: str) -> None:
    tree.findings(text)
    line = next(
        n for n, text_line in enumerate(f"schema = 1\n{text}".split("\n"), 1) if text_line.startswith(f"{key} =")
    )
    fix = "remove the key, or correct the kind"
    location, expected_message = f"mini/findings.toml:{line}", f"the finding has `{key}`, but {why}"
    assert tree.told() == [Told("FINDING-CONTRADICTED", location, expected_message, fix)]


def test_a_finding_names_a_round_that_one_of_its_tasks_has(tree: Tree) -> None:
    tree.findings(f'{HEAD}kind = "note"\ntasks = ["wide"]\nrounds = [2]\n')
    expected_message = "the finding names round 2, but none of its tasks has that round"
    assert tree.told() == [
        Told("ROUND-UNKNOWN", "mini/findings.toml:8", expected_message, "correct the round's number")
    ]


def test_a_finding_names_a_case_that_one_of_its_rounds_has(tree: Tree) -> None:
    """Where the task does not list its cases, nobody can tell."""
    listed = [{"n": 1, "cases": [{"id": "sorts"}, {"id": "counts"}]}, {"n": 2}]
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], "rounds": listed}, TASKS[1]))
    tree.findings(CASES.replace("c1", "sort"))
    expected_message = "the finding names the case `sort`, but none of its rounds has that case"
    expected_problem = Told("FINDING-CASE-UNKNOWN", "mini/findings.toml:9", expected_message, "did you mean `sorts`?")
    assert expected_problem in tree.told()
    tree.findings(CASES.replace("rounds = [1]", "rounds = [2]"))
    assert [problem.code for problem in tree.told()] == []


def test_a_rerun_is_a_submission_that_is_here(tree: Tree) -> None:
    tree.findings(AGAIN.replace('rerun = "2026-06-25-acme"', 'rerun = "2026-06-25-acne"'))
    expected_message = "the finding names `2026-06-25-acne`, which is not one of the submissions of mini"
    expected_problem = Told(
        "SUBMISSION-UNKNOWN", "mini/findings.toml:8", expected_message, "did you mean `2026-06-25-acme`?"
    )
    assert tree.told() == [expected_problem]


def test_two_findings_have_two_names(tree: Tree) -> None:
    named = f'{HEAD}kind = "note"\nid = "odd"\n'
    tree.findings(named + named)
    expected_problem = Told(
        "NAME-TWICE", "mini/findings.toml:13", "two findings are called odd", "rename or remove one of the two"
    )
    assert tree.told() == [expected_problem]
