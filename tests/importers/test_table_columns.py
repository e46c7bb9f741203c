"""What columns of a table mean: known names, names that the user gives, and cells in the spellings of the field."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from kit.small_tables import HEAD, OPTIONS, SEVERAL, assumed, csv, jsonl, refusal, rewards_of, rounds_of, text

from sitegen.importers.table.source import read_table
from sitegen.problems import UsageError


@pytest.mark.parametrize(
    "head",
    [
        "instance_id,resolved",
        "Task ID,Is Correct?",
        "taskId,isCorrect",
        "sample-id,score",
        "problem,success",
        "question_id,passed",
        "id,solved",
        "sample,correct",
        "test,accuracy",
        "task,verdict",
        "TASK,Outcome",
    ],
)
def test_columns_have_the_names_of_the_field(tmp_path: Path, head: str) -> None:
    file = csv(tmp_path, "a,1", "b,0", head=head)
    assert rewards_of(file) == {"a": 1, "b": 0}
    task, reward = head.split(",")
    note = next(note for note in read_table(file, OPTIONS).notes if note.startswith("columns: "))
    assert f"reward is `{reward}`" in note
    assert task == "task" or f"task is `{task}`" in note


def test_a_name_of_ours_comes_before_others(tmp_path: Path) -> None:
    """So does an id before a text, and what is left is named."""
    file = csv(tmp_path, "a,1,x,0", "b,0,y,1", head="task,reward,id,score")
    assert rewards_of(file) == {"a": 1, "b": 0}
    assert any("`id`, `score`" in note for note in read_table(file, OPTIONS).notes)
    long_text = "How many " + "very " * 60
    assert rewards_of(csv(tmp_path, f"7,{long_text},1", head="id,problem,correct")) == {"7": 1}


def test_unknown_columns_are_left_out_and_named(tmp_path: Path) -> None:
    (note, *_) = read_table(csv(tmp_path, "a,1,3,[1]", head="task,reward,tokens,steps"), OPTIONS).notes
    assert note.startswith("left out: the columns `tokens`, `steps`, whose names are not recognised")


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "index", "__index_level_0__", "level_0", "rownames", "#"])
def test_a_column_that_numbers_the_rows_is_left_out_without_a_word(tmp_path: Path, name: str) -> None:
    file = csv(tmp_path, "0,a,1", "1,b,0", head=f"{name},task,reward")
    assert rewards_of(file) == {"a": 1, "b": 0}
    assert [note for note in read_table(file, OPTIONS).notes if "left out" in note] == []


def test_a_column_without_a_name_may_hold_the_tasks(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1", "b,0", head=",score")
    assert rewards_of(file) == {"a": 1, "b": 0}
    assert assumed(read_table(file, OPTIONS)) == ["the column without a name names the tasks"]


@pytest.mark.parametrize(
    ("cells", "reward"),
    [
        ("True true T yes Y pass passed resolved correct success solved WAHR ✓ 1 1.0 100%", 1),
        (
            "False false F no N fail failed unresolved incorrect failure unsolved FALSCH ✗ 0 0.0 0%",
            0,
        ),
        ("0.5 .5 50% 5e-1 2/4 1.5/3", 0.5),
        ("AC Accepted 5/5 🟢", 1),
        ("WA TLE MLE rejected 0/5 🔴", 0),
    ],
)
def test_verdicts_may_be_spelled_in_any_way(tmp_path: Path, cells: str, reward: float) -> None:
    lines = [f"t{number},{cell}" for number, cell in enumerate(cells.split())]
    assert set(rewards_of(csv(tmp_path, *lines, head="task,reward")).values()) == {reward}


@pytest.mark.parametrize("cell", ["", "NaN", "nan", "NA", "N/A", "null", "None", "#N/A", "-", " "])
def test_a_cell_without_a_verdict_is_an_aborted_round(tmp_path: Path, cell: str) -> None:
    file = csv(tmp_path, "a,1,3", f"b,{cell},4", head="task,reward,cost_usd")
    (draft,) = read_table(file, OPTIONS).drafts
    result = draft.rounds[1]
    assert (result.state, result.reward, result.cost_usd) == ("aborted", 0, 4)
    assert result.cause == "the table has no reward here"
    assert draft.submission.caveats == ("These tries came to no verdict, and count 0: b.",)


def test_a_word_that_says_why_there_is_no_verdict_is_the_cause(tmp_path: Path) -> None:
    file = csv(
        tmp_path,
        "a,1,",
        "b,Timed out,",
        "c,error,the disk was full",
        head="task,reward,error_message",
    )
    (draft,) = read_table(file, OPTIONS).drafts
    assert [result.cause for result in draft.rounds] == [
        None,
        "the table says: timed out",
        "the disk was full",
    ]


def test_an_error_beside_a_verdict_is_no_cause(tmp_path: Path) -> None:
    (draft,) = read_table(csv(tmp_path, "a,0,exit code 1", head="task,reward,error"), OPTIONS).drafts
    assert draft.rounds[0].cause is None


def test_nan_in_json_is_no_verdict(tmp_path: Path) -> None:
    file = text(tmp_path, '{"task": "a", "reward": NaN}\n{"task": "b", "reward": true}\n', "table.jsonl")
    assert rewards_of(file) == {"a": None, "b": 1}


def test_a_table_without_any_verdict_is_refused(tmp_path: Path) -> None:
    code, _, message, _ = refusal(csv(tmp_path, "a,", "b,NaN", head="task,reward"))
    assert (code, message) == ("SOURCE-NOTHING-SCORED", "column `reward` contains no verdict in any row")


@pytest.mark.parametrize("cell", ["maybe", "6/5", "0/0", "1/2/3", "inf", "A+"])
def test_a_reward_that_is_no_verdict_is_refused(tmp_path: Path, cell: str) -> None:
    code, line, message, _ = refusal(csv(tmp_path, "a,1", f"b,{cell}", head="task,reward"))
    assert (code, line, message) == (
        "SOURCE-BROKEN",
        3,
        f"`reward` is '{cell}', which is neither a number nor a verdict",
    )


def test_rewards_above_1_need_their_scale(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1", "b,40", "c,100", head="task,score")
    code, _, message, fix = refusal(file)
    assert (code, message) == (
        "SOURCE-SCALE-UNSTATED",
        "column `score`, for example line 4, has rewards up to 100",
    )
    assert "--scale 100" in fix
    assert rewards_of(file, replace(OPTIONS, scale=100)) == {"a": 0.01, "b": 0.4, "c": 1}


def test_verdicts_and_percent_have_a_scale_of_their_own(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,yes", "b,40", "c,85%", head="task,score")
    assert rewards_of(file, replace(OPTIONS, scale=50)) == {"a": 1, "b": 0.8, "c": 0.85}


@pytest.mark.parametrize("cell", ["3/5", "3 / 5", "3 of 5", "3 out of 5", "60%"])
def test_a_share_needs_no_scale(tmp_path: Path, cell: str) -> None:
    file = csv(tmp_path, f"a,{cell},5", "b,4,5", "c,True,5", "d,fail,5", head="task,score,max_score")
    assert rewards_of(file) == {"a": 0.6, "b": 0.8, "c": 1, "d": 0}


def test_columns_that_agree_once_divided_are_not_asked_about(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,5,5,True", "b,0,5,False", head="task,score,max_score,success")
    assert rewards_of(file) == {"a": 1, "b": 0}


def test_negative_rewards_are_refused(tmp_path: Path) -> None:
    assert refusal(csv(tmp_path, "a,-1", "b,1", head="task,score"))[0] == "SOURCE-UNUSABLE"


@pytest.mark.parametrize(
    ("cell", "cost"),
    [
        ("$3", 3),
        ("1,234.5", 1234.5),
        ("12,345,678", 12345678),
        ("0,5", 0.5),
        ("1 234", 1234),
        ("1e-3", 0.001),
        ("12.3k", 12300),
        ("1.1K", 1100),
        ("2 M", 2_000_000),
        ("$1.5k", 1500),
        ("US$0.12", 0.12),
        ("0.30 USD", 0.3),
        ("900 tokens", 900),
    ],
)
def test_figures_may_be_written_as_people_do(tmp_path: Path, cell: str, cost: float) -> None:
    (draft,) = read_table(csv(tmp_path, f'a,1,"{cell}"', head="task,reward,cost_usd"), OPTIONS).drafts
    assert draft.rounds[0].cost_usd == cost


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("90", 90),
        ("90 s", 90),
        ("350ms", 0.35),
        ("1m 30s", 90),
        ("2 min", 120),
        ("1h 2m 3.5s", 3723.5),
        ("0:01:30", 90),
        ("1 days 00:00:01", 86_401),
    ],
)
def test_durations_may_be_written_as_people_do(tmp_path: Path, cell: str, seconds: float) -> None:
    (draft,) = read_table(csv(tmp_path, f"a,1,{cell}", head="task,reward,duration_s"), OPTIONS).drafts
    assert draft.rounds[0].agent_seconds == seconds


def test_a_duration_without_a_unit_needs_one_in_its_name(tmp_path: Path) -> None:
    (draft,) = read_table(csv(tmp_path, "a,1,90s", "b,1,2m", head="task,reward,Duration"), OPTIONS).drafts
    assert [result.agent_seconds for result in draft.rounds] == [90, 120]
    incoming = read_table(csv(tmp_path, "a,1,90", "b,1,2:30", head="task,reward,Duration"), OPTIONS)
    assert [result.agent_seconds for result in incoming.drafts[0].rounds] == [None, None]
    assert any("`Duration`, whose unit is unknown" in note for note in incoming.notes)


def test_a_cost_in_another_currency_is_unknown(tmp_path: Path) -> None:
    (draft,) = read_table(csv(tmp_path, "a,1,€0.12", "b,1,1", head="task,reward,cost"), OPTIONS).drafts
    assert [result.cost_usd for result in draft.rounds] == [None, 1]


def test_points_between_thousands_go_with_a_decimal_comma(tmp_path: Path) -> None:
    lines = ("a;1;0,5;1.234", "b;0;1,25;2.345.678")
    (draft,) = read_table(csv(tmp_path, *lines, head="task;reward;cost_usd;output_tokens"), OPTIONS).drafts
    assert [(round_result.cost_usd, round_result.output_tokens) for round_result in draft.rounds] == [
        (0.5, 1234),
        (1.25, 2345678),
    ]


def test_figures_that_are_none_are_unknown_and_named(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,2", "b,1,free", "c,1,-1", "d,1,", head="task,reward,cost_usd")
    incoming = read_table(file, OPTIONS)
    assert [result.cost_usd for result in incoming.drafts[0].rounds] == [2, None, None, None]
    assert [problem.code for problem in incoming.problems] == ["SOURCE-LEFT-OUT"]
    assert "`cost_usd` of 2 rows, such as 'free' in line 3" in incoming.drafts[0].submission.caveats[0]


def test_two_columns_that_could_be_the_reward_may_agree(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1.0,True", "b,0,no", "c,,", head="task,score,resolved")
    assert rewards_of(file) == {"a": 1, "b": 0, "c": None}
    assert "the columns `resolved` agree with the reward" in read_table(file, OPTIONS).notes


@pytest.mark.parametrize("cells", ["0.8,True", ",True", "1,False"])
def test_two_columns_that_could_be_the_reward_and_differ_are_asked_about(tmp_path: Path, cells: str) -> None:
    file = csv(tmp_path, "a,1,True", f"b,{cells}", head="task,score,resolved")
    code, line, _, fix = refusal(file)
    assert (code, line) == ("SOURCE-SCORE-AMBIGUOUS", 3)
    assert "--column reward=score" in fix
    assert rewards_of(file, column=["reward=resolved"])["a"] == 1
    assert rewards_of(file, column=["ignore=score"])["a"] == 1


def test_counts_of_cases_are_a_verdict_where_there_is_no_other(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,3,3", "b,2,3", "c,0,0", "d,,", head="task,tests_passed,tests_total")
    incoming = read_table(file, OPTIONS)
    assert [round_result.state for round_result in incoming.drafts[0].rounds] == [
        "scored",
        "scored",
        "no_cases",
        "aborted",
    ]
    assert [round_result.reward for round_result in incoming.drafts[0].rounds] == [1, 0, 0, 0]
    assert assumed(incoming) == ["a round is passed if none of its cases failed, as the table has no reward"]


def test_passed_without_a_total_is_no_count(tmp_path: Path) -> None:
    assert rewards_of(csv(tmp_path, "a,True", "b,False", head="task,passed")) == {"a": 1, "b": 0}
    assert rewards_of(csv(tmp_path, "a,1,7", "b,0,3", head="task,reward,passed")) == {
        "a": 1,
        "b": 0,
    }


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("reward", "--column takes OURS=THEIRS"),
        ("reward=", "--column takes OURS=THEIRS"),
        ("prize=score", "--column has no meaning `prize`; the meanings are: task, attempt"),
        ("reward=points", "the table has no column called `points`; it has: `task`, `score`"),
        ("ignore=points", "the table has no column called `points`"),
    ],
)
def test_a_column_that_is_named_has_to_be_there(tmp_path: Path, column: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("`", ".").replace("?", ".")):
        read_table(csv(tmp_path, "a,1", head="task,score"), OPTIONS, column=[column])


def test_a_meaning_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two columns for reward: score and points"):
        read_table(
            csv(tmp_path, "a,1", head="task,score"),
            OPTIONS,
            column=["reward=score", "reward=points"],
        )


def test_names_of_columns_are_given_exactly_or_roughly(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,0", head="task,My Points,my-points")
    assert rewards_of(file, column=["reward=My Points"]) == {"a": 1}
    with pytest.raises(UsageError, match="several columns called `my_points`"):
        read_table(file, OPTIONS, column=["reward=my_points"])


def test_a_label_sorts_tasks(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,web,x", "b,0,db,y", "c,1,,z", head="task,reward,Kind,level")
    incoming = read_table(file, OPTIONS, label=["Kind", "level"])
    labels = [task.labels for task in incoming.task_sets[0].tasks]
    assert labels == [{"kind": "web", "level": "x"}, {"kind": "db", "level": "y"}, {"level": "z"}]
    assert incoming.benchmark.axes["kind"].values == ("web", "db")


def test_a_task_has_one_label(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,1,web", "a,2,0,db", head="task,attempt,reward,kind")
    with pytest.raises(UsageError, match="can't be an axis"):
        read_table(file, OPTIONS, label=["日本"])
    assert refusal(file, label=["kind"])[:3] == (
        "SOURCE-TASK-DIFFERS",
        3,
        "`kind` of a is 'db' here, but 'web' above",
    )


def test_a_model_is_the_agent_unless_there_is_one(tmp_path: Path) -> None:
    alone = read_table(csv(tmp_path, "a,1,m1", "a,0,m2", head="task,score,model_name"), SEVERAL)
    assert [draft.submission.agent.name for draft in alone.drafts] == ["m1", "m2"]
    incoming = read_table(csv(tmp_path, "a,1,m1,Acme", head="task,score,model,agent"), SEVERAL)
    agent = incoming.drafts[0].submission.agent
    assert (agent.name, agent.model) == ("Acme", "m1")


def test_an_agent_of_several_models_is_asked_about(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,m1,cli", "a,0,m2,cli", head="task,score,model,agent")
    code, line, _, fix = refusal(file, SEVERAL)
    assert (code, line, "--column scaffold=agent" in fix) == ("SOURCE-CONTRADICTION", 3, True)
    drafts = read_table(file, SEVERAL, column=["scaffold=agent"]).drafts
    names = [(draft.submission.agent.name, draft.submission.agent.scaffold) for draft in drafts]
    assert names == [("m1", "cli"), ("m2", "cli")]


def test_a_provider_tells_two_agents_apart(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,m1,east", "a,0,m1,west", head="task,score,model,provider")
    names = [draft.submission.agent.name for draft in read_table(file, SEVERAL).drafts]
    assert names == ["m1 (east)", "m1 (west)"]


def test_a_text_is_no_setting(tmp_path: Path) -> None:
    """Judges and models write their reasoning beside a verdict, and workflows their state."""
    rows = [
        {
            "task": name,
            "correct": True,
            "reasoning": "I think " * 30,
            "state": "finished",
            "start": "10:00",
        }
        for name in ("a", "b")
    ]
    file = jsonl(tmp_path, *rows)
    assert rewards_of(file) == {"a": 1, "b": 1}
    note = next(note for note in read_table(file, OPTIONS).notes if note.startswith("left out"))
    assert "`reasoning`, `state`, `start`" in note


def test_facts_that_differ_are_warned_of(tmp_path: Path) -> None:
    file = csv(
        tmp_path,
        "a,1,Acme,Tidy",
        "b,1,Bolt,x",
        "a,0,Acme,Tidy up",
        head="task,reward,organization,title",
    )
    incoming = read_table(file, replace(OPTIONS, runs="attempts", allow_missing=True))
    assert [problem.code for problem in incoming.problems].count("TABLE-FACT-DIFFERS") == 2
    assert incoming.drafts[0].submission.agent.organization == "Acme"
    assert incoming.task_sets[0].tasks[0].title == "Tidy"


@pytest.mark.parametrize("name", ["Average", "MEAN", "total", "Overall", "All", "avg.", "Grand Total", "Average (n=3)"])
def test_a_row_of_averages_is_asked_about(tmp_path: Path, name: str) -> None:
    code, line, message, fix = refusal(csv(tmp_path, "a,1", "b,0", f"{name},0.5", head="task,reward"))
    assert (code, line) == ("TABLE-SUMMARY", 4)
    assert message == f"the task is called {name}, like a summary of other rows"
    assert "leave the row or column out" in fix
    lines = ("ada,a,1", f"{name},a,0.5")
    assert refusal(csv(tmp_path, *lines, head="agent,task,reward"), SEVERAL)[:2] == (
        "TABLE-SUMMARY",
        3,
    )


def test_a_name_that_only_begins_like_a_summary_is_one_of_a_task(tmp_path: Path) -> None:
    names = ("total-recall", "mean-reversion", "sum-of-squares", "overall-plan", "allocate")
    file = csv(tmp_path, *(f"{name},1" for name in names), head="task,reward")
    assert list(rewards_of(file)) == list(names)


def test_a_summary_that_is_asked_for_is_a_task(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1", "Total,0", head="task,reward")
    assert rewards_of(file, replace(OPTIONS, task_names=("Total",))) == {"total": 0}
    assert rewards_of(file, replace(OPTIONS, task_names=("a",))) == {"a": 1}


def test_tasks_are_picked_by_name_title_or_id(tmp_path: Path) -> None:
    file = csv(tmp_path, "A/1,1,One", "A/2,0,Two", "A/3,bad,Three", head="task,reward,title")
    assert rewards_of(file, replace(OPTIONS, task_names=("A/1", "Two"))) == {"a-1": 1, "a-2": 0}
    assert rewards_of(file, replace(OPTIONS, task_names=("a-2",))) == {"a-2": 0}
    with pytest.raises(UsageError, match="the table has no task A/9; it has: A/1, A/2, A/3"):
        read_table(file, replace(OPTIONS, task_names=("A/9",)))


def test_keys_of_a_machine_are_in_no_id(tmp_path: Path) -> None:
    incoming = read_table(csv(tmp_path, "sk-abcdefghijklmnopqrst,1", head="task,reward"), OPTIONS)
    (task,) = incoming.task_sets[0].tasks
    assert (task.id, task.title) == ("redacted", "[redacted]")


def test_a_mode_is_kept_only_where_the_benchmark_declares_it(tmp_path: Path) -> None:
    incoming = read_table(csv(tmp_path, "a,0,gave up", head="task,reward,mode"), OPTIONS)
    assert incoming.drafts[0].rounds[0].mode is None
    assert any(note.startswith("left out: `mode` of 1 row, such as gave up") for note in incoming.notes)


def test_a_column_twice_is_refused_only_where_it_is_used(tmp_path: Path) -> None:
    assert refusal(csv(tmp_path, "a,1,0", head="task,reward,reward"))[:1] == ("SOURCE-COLUMNS-UNCLEAR",)
    assert rewards_of(csv(tmp_path, "a,1,x,y", head="task,reward,note,note")) == {"a": 1}


def test_every_column_of_ours_may_be_named(tmp_path: Path) -> None:
    """A name that nobody knows, for each of them."""
    head = HEAD.replace("task", "what").replace("attempt", "how").replace("round", "when").replace("reward", "so")
    file = csv(tmp_path, "a,1,1,1,2,2", "a,1,2,0,1,2", head=head)
    columns = ["task=what", "attempt=how", "round=when", "reward=so"]
    assert rounds_of(file, column=columns) == [("Acme-1", "a", 1, 1, 1), ("Acme-1", "a", 1, 2, 0)]


def test_names_of_columns_are_shown_without_what_steers_a_terminal(tmp_path: Path) -> None:
    file = text(tmp_path, json.dumps([{"task": "a", "reward": 1, "x\x1b[31m\u202e\ud800": 2}]), "table.json")
    notes = " ".join(read_table(file, OPTIONS).notes)
    assert "`x`" in notes
    assert notes.isprintable()


@pytest.mark.parametrize(("passed", "failed"), [("✅ Pass", "❌ Fail"), ("PASS ✔", "FAIL ✘"), ("✅", "❌")])
def test_marks_beside_a_verdict_are_left_out(tmp_path: Path, passed: str, failed: str) -> None:
    file = csv(tmp_path, f"a,{passed}", f"b,{failed}", head="Test,Status")
    assert rewards_of(file) == {"a": 1, "b": 0}


@pytest.mark.parametrize("name", ["max_score", "Max Points", "out of"])
def test_a_reward_is_divided_by_the_largest_one_of_its_row(tmp_path: Path, name: str) -> None:
    file = csv(tmp_path, "a,3,5", "b,10,10", "c,,10", head=f"task,score,{name}")
    assert rewards_of(file) == {"a": 0.6, "b": 1, "c": None}
    with pytest.raises(UsageError, match="leave out `--scale`"):
        read_table(file, replace(OPTIONS, scale=10))


@pytest.mark.parametrize("max_score", ["", "2"])
def test_a_reward_above_the_largest_one_is_refused(tmp_path: Path, max_score: str) -> None:
    file = csv(tmp_path, "a,1,5", f"b,3,{max_score}", head="task,score,max_score")
    code, line, fact, _ = refusal(file)
    assert (code, line) == ("SOURCE-BROKEN", 3)
    assert "the reward is 3" in fact


def test_passed_is_a_verdict_if_it_is_no_number(tmp_path: Path) -> None:
    assert rewards_of(csv(tmp_path, "a,True,4", "b,False,4", head="task,passed,total")) == {"a": 1, "b": 0}


def test_counts_out_of_a_total_are_asked_about(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,3,5", "b,4,4", head="task,correct,total")
    code, _, _, fix = refusal(file)
    assert code == "SOURCE-SCALE-UNSTATED"
    assert "--column max_reward=total" in fix
    assert rewards_of(file, column=["max_reward=total"]) == {"a": 0.6, "b": 1}


def test_tasks_that_differ_in_another_column_are_asked_about(tmp_path: Path) -> None:
    file = csv(tmp_path, "math,1,1", "law,1,0", head="category,question,correct")
    code, _, _, fix = refusal(file)
    assert code == "SOURCE-RESULT-TWICE"
    assert fix.startswith("if tasks that differ in `category` share a name, give them different names")


def test_a_table_with_rows_of_several_metrics_asks_which_one_counts(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,accuracy,1", "a,f1,0.5", "b,accuracy,0", "b,f1,0.2", head="task,metric,value")
    code, _, fact, fix = refusal(file)
    assert (code, fact) == ("SOURCE-SCORE-AMBIGUOUS", "column `metric` names several metrics: accuracy, f1")
    assert "`--metric accuracy`" in fix
    assert refusal(file, replace(OPTIONS, runs="attempts"))[0] == code
    assert rewards_of(file, replace(OPTIONS, metric="f1")) == {"a": 0.5, "b": 0.2}
    with pytest.raises(UsageError, match="no metric em; it has: accuracy, f1"):
        read_table(file, replace(OPTIONS, metric="em"))


def test_each_task_may_have_a_metric_of_its_own(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,accuracy,1", "b,f1,0.5", head="task,metric,value")
    assert rewards_of(file) == {"a": 1, "b": 0.5}


@pytest.mark.parametrize("name", ["date", "Timestamp", "created_at"])
def test_the_results_of_an_agent_are_of_its_last_day_in_the_table(tmp_path: Path, name: str) -> None:
    lines = ["a,m1,1,2026-05-02T10:00:00Z", "b,m1,0,2026-05-01", "a,m2,1,2026-04-03", "b,m2,1,2026/04/02"]
    file = csv(tmp_path, *lines, head=f"task,model,score,{name}")
    drafts = read_table(file, replace(SEVERAL, date=None)).drafts
    assert [str(draft.submission.date) for draft in drafts] == ["2026-05-02", "2026-04-03"]
    stated = read_table(file, SEVERAL).drafts
    assert [str(draft.submission.date) for draft in stated] == ["2026-06-25", "2026-06-25"]


def test_days_that_may_be_two_days_are_left_alone(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,03/04/2026", head="task,score,date")
    (draft,) = read_table(file, replace(OPTIONS, date=None)).drafts
    assert draft.submission.date == OPTIONS.today


def test_a_column_of_times_that_are_not_read_is_named(tmp_path: Path) -> None:
    incoming = read_table(csv(tmp_path, "a,1,03/04/2026", head="task,score,date"), OPTIONS)
    assert any("`date`, whose times are not written as" in note for note in incoming.notes)


@pytest.mark.parametrize("cell", ["1776000000", "1776000000123", "1776000000.5"])
def test_a_time_may_count_from_1970(tmp_path: Path, cell: str) -> None:
    file = csv(tmp_path, f"a,1,{cell}", head="task,score,timestamp")
    (draft,) = read_table(file, replace(OPTIONS, date=None)).drafts
    assert str(draft.submission.date) == "2026-04-12"
