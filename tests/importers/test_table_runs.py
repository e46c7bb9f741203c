"""Rounds that are kept by columns: the same as those that are kept one by one, whatever is missing of them."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.small_tables import OPTIONS, SEVERAL, csv, jsonl, rounds_of, text

from sitegen.importers.formats import recognise_formats
from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.rounds import AgentResults, GapRules, ImportSource
from sitegen.importers.table import rules
from sitegen.importers.table.source import read_table
from sitegen.importers.table.values import split_names
from sitegen.models.incoming import Incoming, MadeRounds
from sitegen.models.outcome import RoundResult, Start
from sitegen.pipeline.importing import apply_import
from sitegen.problems import ProblemsError, UsageError
from sitegen.store.readers.folder import read_results

ANYTHING_MISSING = replace(SEVERAL, allow_missing=True)

Cells = tuple[str, str, int, int, Start, float]
"""An agent, a task, an attempt, a round, what it began from, and the reward."""


def random_rows(dice: random.Random) -> list[Cells]:
    """Return the rounds of some agents, some of which are missing, in any order."""
    starts: list[Start] = ["own", "own", "reference"]
    rewards: dict[tuple[str, str, int, int, Start], float] = {}
    for agent in ("ada", "bob")[: dice.randint(1, 2)]:
        for task in ("tidy", "neat/2", "wide")[: dice.randint(1, 3)]:
            for _ in range(dice.randint(1, 8)):
                start = dice.choice(starts)
                attempt = 1 if start == "reference" else dice.randint(1, 3)
                rewards[agent, task, attempt, dice.randint(1, 3), start] = dice.choice([0.0, 0.5, 1.0])
    rows = [(*position, reward) for position, reward in rewards.items()]
    dice.shuffle(rows)
    return rows


def outcome(read: Callable[[], Incoming]) -> object:
    """Return the bundles and task sets of an import, or the codes of its errors."""
    try:
        incoming = read()
    except ProblemsError as error:
        return {problem.code for problem in error.problems if problem.is_error}
    drafts = [(draft.id, draft.submission, list(draft.rounds)) for draft in incoming.drafts]
    return drafts, incoming.task_sets, incoming.benchmark


def one_by_one(rows: list[Cells], path: Path) -> Incoming:
    """Import rows with a record for each."""
    gaps = GapRules(rules.RUN_MISSING, rules.RUN_UNREACHED, rules.ROUND_MISSING, rules.ROUNDS_UNREACHED)
    source = ImportSource(ImportLog(path), protocol="chain", gaps=gaps)
    runs: dict[str, AgentResults] = {}
    for agent, task, attempt, number, start, reward in rows:
        run = runs.setdefault(agent, AgentResults(path, RankedAgent(agent), day=date(2026, 6, 25)))
        run.add(RoundResult(task, attempt, number, "scored", reward, start=start))
    source.runs = [*runs.values()]
    return source.imported(ANYTHING_MISSING)


@pytest.mark.parametrize("seed", range(60))
def test_columns_give_the_same_rounds_as_records(tmp_path: Path, seed: int) -> None:
    rows = random_rows(random.Random(seed))  # noqa: S311 - tests need the same numbers again
    # An attempt and a round that all tables have keep the numbers as they are.
    rows += [("ada", "first", 1, 1, "own", 1.0), ("ada", "first", 1, 1, "reference", 1.0)]
    lines = [",".join(map(str, row)) for row in rows]
    file = csv(tmp_path, *lines, head="agent,task,attempt,round,start,reward")
    actual = outcome(lambda: read_table(file, ANYTHING_MISSING))
    assert actual == outcome(lambda: one_by_one(rows, file))


def test_rounds_that_are_made_can_be_read_again_and_again() -> None:
    results = [RoundResult("a", 1, number, "scored", 1.0) for number in (1, 2, 3)]
    made = MadeRounds(3, lambda: iter(results))
    assert (len(made), list(made), list(made)) == (3, results, results)
    assert (made[0], made[-1], made[1:]) == (results[0], results[2], tuple(results[1:]))
    assert made == tuple(results)
    assert hash(made) == hash(tuple(results))
    assert made != tuple(results[:2])
    assert made != "abc"
    with pytest.raises(IndexError):
        made[3]


def test_case_names_are_listed_once_however_many_rounds_there_are(tmp_path: Path) -> None:
    rows = []
    for attempt in (1, 2, 3):
        names = ["/home/ada/x", "/home/bob/x"] if attempt < 3 else ["y", "z"]
        rows.append({"task": "a", "attempt": attempt, "reward": 0, "passed": 1, "total": 2, "case_ids": names})
    incoming = read_table(jsonl(tmp_path, *rows), OPTIONS)
    (cases,) = (round_.cases for round_ in incoming.task_sets[0].tasks[0].rounds)
    assert [case.id for case in cases or ()] == ["…/x", "…/x (2)"]
    assert [result.case_ids for result in incoming.drafts[0].rounds] == [None, None, ("y", "z")]


@pytest.mark.parametrize("name", ["table.csv", "table.tsv", "table.jsonl", "table.json"])
def test_a_table_is_recognised_by_its_columns(tmp_path: Path, name: str) -> None:
    content = {
        "table.csv": "Instance ID,resolved\na,True\n",
        "table.tsv": "task\tpassed\ttotal\na\t1\t1\n",
        "table.jsonl": '{"task": "a", "reward": 1}\n{"task": "b", "reward": 1}\n',
        "table.json": '[{"task": "a", "score": 1}]',
    }
    (recognition,) = recognise_formats(text(tmp_path, content[name], name))
    assert recognition.form == "table"


def test_documents_of_other_programs_are_no_tables_to_be_sure(tmp_path: Path) -> None:
    """One of them names a run and its accuracy beside the results; its rows are the results all the same."""
    content = {"id": "run-1", "accuracy": 0.5, "results": [{"task_id": "a", "is_resolved": True}]}
    file = text(tmp_path, json.dumps(content), "results.json")
    assert (
        recognise_formats(file) == recognise_formats(text(tmp_path, '{"task": "a", "reward": 1}', "trial.json")) == ()
    )
    assert [task for _, task, *_ in rounds_of(file)] == ["a"]


NAMES = split_names(
    "task reward instance_id id attempt seed run_id round step score resolved passed total skipped state start "
    "outcomes case_ids by_category cost_usd output_tokens measures cause error mode weight title agent model "
    "organization provider scaffold reasoning kind index Average"
)
VALUES = [
    "a",
    "b",
    "1",
    "0",
    "2",
    "0.5",
    "True",
    "no",
    "NaN",
    "NA",
    "100",
    "-1",
    "85%",
    "m1",
    "m2",
    "aborted",
    "scored",
    "own",
    "reference",
    "pf",
    '["x","y"]',
    '{"core":[1,2]}',
    '{"m":1.5}',
    "error",
    "1,234",
    "0,5",
    "Average",
    "/home/ada/x",
    "sk-abcdefghijklmnopqrstuvwx",
    "日本",
    "1e400",
    "99999999999999999999",
    "10001",
    "excluded",
    "fast_forwarded",
    "unreached",
    "no_cases",
    "-",
    "=1+1",
]


@pytest.mark.parametrize("seed", range(120))
def test_any_table_is_refused_or_becomes_valid_results(tmp_path: Path, seed: int) -> None:
    """Columns and cells at random, of which some fit each other."""
    dice = random.Random(seed)  # noqa: S311 - as above
    names = ["task", "reward", *dice.sample(NAMES[2:], dice.randint(0, 4))]
    rows = []
    for number in range(dice.randint(1, 6)):
        row: dict[str, object] = {"task": f"t{number}", "reward": dice.choice(["1", "0", "0.5", "", "yes"])}
        for name in names:
            if name not in row or dice.random() < 0.1:
                row[name] = dice.choice(VALUES)
        rows.append(row)
    file = jsonl(tmp_path, *rows)
    options = replace(ANYTHING_MISSING, agent=dice.choice([None, "Acme-1"]), runs=dice.choice([None, "attempts"]))
    try:
        incoming = read_table(file, options)
    except (ProblemsError, UsageError):
        return
    apply_import(incoming, tmp_path / "results")
    problems = read_results(tmp_path / "results").all_problems()
    assert [problem for problem in problems if problem.is_error] == []
