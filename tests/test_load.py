"""What notebooks get of a results folder, and that commands wait for no library that they do not use."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kit.command import done
from kit.results_folders import TASKS, Tree, json_lines
from kit.shipped_results import shipped as judged
from pandas import DataFrame, read_csv

import sitegen
from sitegen.board.tables import Tables, scores_csv
from sitegen.problems import ProblemsError

RESULTS = Path("results")


@pytest.fixture(scope="module", name="shipped")
def shipped_tables() -> Tables:
    return sitegen.load(RESULTS)


def kinds(frame: DataFrame) -> dict[str, str]:
    return {str(name): str(kind) for name, kind in frame.dtypes.items()}


def test_boards_are_what_the_site_offers_as_csv(shipped: Tables, tmp_path: Path) -> None:
    offered = tmp_path / "scores.csv"
    offered.write_text(scores_csv(judged().entries()), encoding="utf-8")
    known = read_csv(offered)
    assert list(shipped.boards) == list(known)
    for name in ("track", "id", "agent", "evidence"):
        assert shipped.boards[name].tolist() == known[name].tolist()
    assert shipped.boards["dataset_score"].equals(known["dataset_score"])


def test_columns_have_types_also_where_something_is_missing(shipped: Tables) -> None:
    known = kinds(shipped.boards)
    assert (known["id"], known["rank"], known["dataset_score"], known["perfect_tasks"]) == (
        "str",
        "Int64",
        "float64",
        "float64",
    )
    of_rounds = kinds(shipped.rounds)
    names = ("submission", "round", "reward", "solved", "passed", "cost_usd", "cause")
    assert [of_rounds[name] for name in names] == ["str", "Int64", "float64", "boolean", "Int64", "float64", "str"]
    assert kinds(shipped.cases)["outcome"] == "str"


def test_rounds_are_all_records_and_carry_what_scores_are_made_of(shipped: Tables) -> None:
    bundles = [entry.bundle for _, entry in judged().entries() if entry.bundle]
    assert len(shipped.rounds) == sum(len(bundle.rounds) for bundle in bundles)
    one = shipped.boards[(shipped.boards.track == "official") & shipped.boards.dataset_score.notna()].iloc[0]
    own = shipped.rounds[(shipped.rounds.submission == one.id) & (shipped.rounds.track == "official")]
    counting = own[(own.start == "own") & (own.state != "excluded")]
    by_task = counting.groupby(["task", "attempt"]).solved.mean()
    assert 100 * by_task.groupby("task").mean().mean() == pytest.approx(one.dataset_score)


def test_the_line_of_the_readme_gives_the_scores_of_the_site(shipped: Tables) -> None:
    """Rounds that a finding excludes have no verdict, so that means leave them out."""
    rounds = shipped.rounds[shipped.rounds.track == "official"]
    by_task = rounds.groupby(["submission", "task"]).solved.mean()
    boards = shipped.boards[(shipped.boards.track == "official") & (shipped.boards.benchmark == "evocode-bench")]
    published = boards.set_index("id").dataset_score.to_dict()
    computed = (100 * by_task.groupby("submission").mean()).to_dict()
    assert len(published) == 13
    assert {submission: computed[submission] for submission in published} == pytest.approx(published)


def test_excluded_rounds_have_no_verdict(tmp_path: Path) -> None:
    done("demo", tmp_path / "results", "--agents", "3", "--tasks", "6")
    rounds = sitegen.load(tmp_path / "results").rounds
    excluded = rounds[rounds.state == "excluded"]
    assert len(excluded)
    assert excluded.solved.isna().all()
    assert excluded.reward.isna().all()
    assert rounds[rounds.state != "excluded"].solved.notna().all()


def test_the_recipes_of_the_page_about_programs_give_what_they_say(shipped: Tables) -> None:
    text = Path("site_src/api/index.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python title=\"A results folder.*?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert 'boards, rounds, cases = sitegen.load("results")\n' in block
    _, _, recipes = block.partition('sitegen.load("results")\n')
    made: dict[str, Any] = {"rounds": shipped.rounds, "cases": shipped.cases}
    exec(recipes, made)  # noqa: S102 - the page's own lines
    rows, most, shares = (made[name] for name in ("solved", "hardest", "falling"))
    assert {*rows.columns, *shares.columns} <= set(shipped.rounds.submission)
    assert 0 < rows.to_numpy(float, na_value=0).mean() < 1
    assert (most.is_monotonic_decreasing, len(most)) == (True, 10)
    assert shares.mean(axis=1)[1] > shares.mean(axis=1)[9]


def test_cases_are_those_with_an_outcome(tmp_path: Path) -> None:
    """The first round tells the ending of each case, the second names one that failed, the last never happened."""
    tree = Tree(tmp_path)
    defined = {
        "id": "tidy",
        "rounds": [{"n": 1, "cases": [{"id": "sorts", "category": "core"}, {"id": "x"}]}, {"n": 2}],
    }
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], **defined}, TASKS[1]))
    tree.change(1, passed=1, total=2, outcomes="pf", reward=0)
    failure = {"task": "tidy", "attempt": 1, "round": 2, "case": "undo", "status": "error", "category": "new"}
    tree.write("failures.jsonl", json_lines(failure))
    tree.edit("submission.toml", "\n[claims]\ndataset_score = 25.0\n", "")
    cases = sitegen.load(tmp_path).cases
    assert cases["submission"].tolist() == ["2026-06-25-acme"] * 3
    assert cases["round"].tolist() == [1, 1, 2]
    assert cases["case"].tolist() == ["sorts", "x", "undo"]
    assert cases["category"].fillna("").tolist() == ["core", "", "new"]
    assert cases["outcome"].tolist() == ["passed", "failed", "error"]


def test_cases_without_names_have_an_outcome_all_the_same(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.change(1, outcomes="ppp")
    cases = sitegen.load(tmp_path).cases
    assert cases["outcome"].tolist() == ["passed"] * 3
    assert cases["case"].isna().all()


def test_nothing_is_loaded_where_there_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(ProblemsError, match="NOTHING-FOUND"):
        sitegen.load(tmp_path / "absent")


def test_results_with_errors_are_not_loaded(tmp_path: Path) -> None:
    Tree(tmp_path).change(1, passed=9)
    with pytest.raises(ProblemsError):
        sitegen.load(tmp_path)


ALWAYS_LATE = {"altair", "jinja2", "matplotlib", "mkdocs", "pandas", "pyarrow", "vl_convert"}
SMALL = Path("tests/corpus/base")


@pytest.mark.parametrize(
    ("command", "late"),
    [
        (
            ["--help"],
            {*ALWAYS_LATE, "numpy", "pydantic", "scipy", "sitegen.models.results", "sitegen.pipeline.evaluating"},
        ),
        (
            ["validate", str(SMALL)],
            {*ALWAYS_LATE, "scipy.stats", "sitegen.board.tables", "sitegen.importers.kit", "sitegen.models.schemas"},
        ),
        (["score", str(SMALL)], {*ALWAYS_LATE, "sitegen.importers.kit"}),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_a_command_waits_for_no_library_that_it_does_not_use(command: list[str], late: set[str]) -> None:
    program = "import atexit, sys; atexit.register(lambda: print(*sys.modules)); import sitegen.cli as cli"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; sys.argv = {['sitegen', *command]!r}; cli.main()"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not late.intersection(done.stdout.splitlines()[-1].split())
