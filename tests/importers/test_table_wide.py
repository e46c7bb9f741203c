"""Wide tables: a row for each agent with a column for each task, or the other way round."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest
from kit.small_tables import OPTIONS, SEVERAL, assumed, bundles, csv, refusal, rounds_of, text

from sitegen.importers.table.source import read_table
from sitegen.problems import UsageError

ROWS = [
    ("m1", "alpha", 1.0),
    ("m1", "beta", None),
    ("m1", "gamma", 0.0),
    ("m2", "alpha", 0.0),
    ("m2", "beta", 1.0),
    ("m2", "gamma", 1.0),
]


def long_table(folder: Path) -> Path:
    """Write the results with a row for each."""
    path = folder / "long.csv"
    pd.DataFrame(ROWS, columns=["model", "task", "reward"]).to_csv(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "xlsx", "json", "parquet", "tsv"])
@pytest.mark.parametrize("wide", ["agents", "tasks"])
def test_wide_and_long_are_the_same(tmp_path: Path, kind: str, wide: Literal["agents", "tasks"]) -> None:
    frame = pd.DataFrame(ROWS, columns=["model", "task", "reward"])
    index, columns = ("model", "task") if wide == "agents" else ("task", "model")
    pivot = frame.pivot_table(index=index, columns=columns, values="reward", dropna=False)
    path = tmp_path / f"wide.{kind}"
    write: dict[str, Callable[[Path], object]] = {
        "csv": pivot.to_csv,
        "tsv": lambda target: pivot.to_csv(target, sep="\t"),
        "xlsx": pivot.to_excel,
        "json": lambda target: pivot.reset_index().to_json(target, orient="records"),
        "parquet": pivot.to_parquet,
    }
    write[kind](path)
    assert bundles(path, wide=wide) == bundles(long_table(tmp_path))


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("task,m1,m2", "a,1,0"),
        ("agent,a,b", "m1,1,0"),
        ("model,a,b", "m1,yes,no"),
        (",x,y", "a,0.5,1"),
        ("name,x,y", "a,0,1"),
    ],
)
def test_a_table_that_looks_wide_is_asked_about(tmp_path: Path, head: str, line: str) -> None:
    code, _, message, fix = refusal(csv(tmp_path, line, head=head), SEVERAL)
    assert (code, "could contain rewards" in message) == ("SOURCE-COLUMNS-UNCLEAR", True)
    for option in ("--wide tasks", "--wide agents", "--column reward="):
        assert option in fix


def test_a_task_with_one_column_of_numbers_may_have_its_reward_there(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1", "b,0", head="task,exact_match")
    code, _, _, fix = refusal(file)
    assert (code, "`--column reward=exact_match`" in fix) == ("SOURCE-COLUMNS-UNCLEAR", True)
    assert [reward for *_, reward in rounds_of(file, column=["reward=exact_match"])] == [1, 0]


def test_texts_and_known_figures_are_no_results(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,easy,1,0,3", "b,hard,0,1,4", head="task,difficulty,m1,m2,cost_usd")
    assert [agent for agent, *_ in rounds_of(file, SEVERAL, wide="tasks")] == [
        "m1",
        "m1",
        "m2",
        "m2",
    ]
    notes = read_table(file, SEVERAL, wide="tasks").notes
    assert "left out: the columns difficulty, cost_usd, which contain no rewards" in notes
    labelled = read_table(file, SEVERAL, wide="tasks", label=["difficulty"])
    assert [task.labels for task in labelled.task_sets[0].tasks] == [
        {"difficulty": "easy"},
        {"difficulty": "hard"},
    ]


def test_facts_about_agents_and_attempts_stay_beside_them(tmp_path: Path) -> None:
    file = csv(tmp_path, "Acme,m1,0,1,0", "Acme,m1,1,1,1", head="agent,model,trial,a,b")
    assert [(task, attempt) for _, task, attempt, _, _ in rounds_of(file, SEVERAL, wide="agents")] == [
        ("a", 1),
        ("a", 2),
        ("b", 1),
        ("b", 2),
    ]
    assert read_table(file, SEVERAL, wide="agents").drafts[0].submission.agent.model == "m1"


def test_the_first_column_names_the_rows_where_no_other_does(tmp_path: Path) -> None:
    file = csv(tmp_path, "0,a,1,0", "1,b,0,1", head=",suite,m1,m2")
    assert len(rounds_of(file, SEVERAL, wide="tasks")) == 4
    expected_message = "the column suite names the tasks, one in each row"
    assert expected_message in assumed(read_table(file, SEVERAL, wide="tasks"))


@pytest.mark.parametrize("name", ["Average", "Total", "score"])
def test_a_column_of_averages_is_asked_about(tmp_path: Path, name: str) -> None:
    file = csv(tmp_path, "m1,1,0,0.5", "m2,1,1,1", head=f"model,a,b,{name}")
    code, _, message, fix = refusal(file, SEVERAL, wide="agents")
    assert (code, name in message, f"--column ignore={name}" in fix) == ("TABLE-SUMMARY", True, True)
    assert len(rounds_of(file, SEVERAL, wide="agents", column=[f"ignore={name}"])) == 4


def test_a_row_of_averages_is_asked_about(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,0", "Mean,0.5,0.5", head="task,m1,m2")
    assert refusal(file, SEVERAL, wide="tasks")[:2] == ("TABLE-SUMMARY", 3)


def test_a_long_table_is_not_called_wide(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1", "b,0", head="task,reward")
    assert refusal(file, wide="tasks")[3] == "leave out `--wide`: the table has a row for each result"


def test_a_wide_table_has_results_and_each_column_once(tmp_path: Path) -> None:
    assert refusal(csv(tmp_path, "a,x", head="task,note"), wide="tasks")[0] == "SOURCE-COLUMNS-UNCLEAR"
    twice = csv(tmp_path, "a,1,0", head="task,m1,m1")
    assert refusal(twice, wide="tasks")[0] == "SOURCE-COLUMNS-UNCLEAR"


def test_rewards_of_a_wide_table_are_told_with_their_line(tmp_path: Path) -> None:
    lines = [f"t{number},1,0" for number in range(2_000)]
    file = csv(tmp_path, *lines, "last,maybe,0", head="task,m1,m2")
    assert refusal(file, SEVERAL, wide="tasks")[1] == 2_002


def test_objects_of_objects_are_wide_too(tmp_path: Path) -> None:
    content = {"alpha": {"m1": 1, "m2": 0}, "beta": {"m1": 0, "m2": 1}}
    file = text(tmp_path, json.dumps(content), "table.json")
    assert refusal(file, OPTIONS)[0] == "SOURCE-COLUMNS-UNCLEAR"
    rounds = rounds_of(file, SEVERAL, wide="agents")
    assert [(agent, task, reward) for agent, task, _, _, reward in rounds] == [
        ("m1", "alpha", 1),
        ("m1", "beta", 0),
        ("m2", "alpha", 0),
        ("m2", "beta", 1),
    ]


def test_a_column_that_is_not_there_can_not_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no column called"):
        read_table(csv(tmp_path, "a,1", head="task,m1"), SEVERAL, wide="tasks", column=["ignore=m9"])


@pytest.mark.parametrize("names", ["run_1,run_2", "Attempt 1,Attempt 2", "seed7,seed11"])
def test_columns_of_attempts_are_attempts(tmp_path: Path, names: str) -> None:
    file = csv(tmp_path, "a,m1,1,0", "b,m1,1,timeout", head=f"task,model,{names}")
    assert rounds_of(file, SEVERAL) == [
        ("m1", "a", 1, 1, 1.0),
        ("m1", "a", 2, 1, 0.0),
        ("m1", "b", 1, 1, 1.0),
        ("m1", "b", 2, 1, None),
    ]
    (assumption,) = [text for text in assumed(read_table(file, SEVERAL)) if "attempt" in text and "each" in text]
    assert names.split(",", maxsplit=1)[0] in assumption


@pytest.mark.parametrize("names", ["run_1,trial_2", "run_1,run_1x", "run_1,score"])
def test_columns_that_are_called_otherwise_are_no_attempts(tmp_path: Path, names: str) -> None:
    file = csv(tmp_path, "a,m1,1,0", head=f"task,model,{names}")
    if "score" in names:
        assert rounds_of(file, SEVERAL) == [("m1", "a", 1, 1, 0.0)]
    else:
        assert refusal(file, SEVERAL)[0] == "SOURCE-COLUMNS-UNCLEAR"


def test_a_row_of_averages_without_an_agent_is_asked_about(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,m1,1", "Average score,,1", head="task,model,score")
    assert refusal(file, SEVERAL)[0] == "TABLE-SUMMARY"


def test_a_column_of_ranks_holds_no_rewards(tmp_path: Path) -> None:
    file = csv(tmp_path, "1,m1,1,0", "1,m2,1,1", head="Rank,model,a,b")
    actual_rewards = [(agent, task, reward) for agent, task, _, _, reward in rounds_of(file, SEVERAL, wide="agents")]
    assert actual_rewards == [("m1", "a", 1), ("m1", "b", 0), ("m2", "a", 1), ("m2", "b", 1)]
