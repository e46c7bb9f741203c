"""What `sitegen.load` returns, and that commands do not import libraries that they do not use."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from kit.command import done
from kit.results_folders import MANIFEST, ROUNDS, TASKS, Tree, json_lines
from kit.shipped_results import shipped as evaluated
from pandas import DataFrame, read_csv, testing

import sitegen
from sitegen.board.frames import ResultFrames
from sitegen.board.tables import scores_csv
from sitegen.metrics.catalogue import METRICS
from sitegen.problems import ProblemsError, UsageError

RESULTS = Path("results")
NULLABLE = {"string", "Int64", "Float64", "boolean"}


@pytest.fixture(scope="module", name="shipped")
def shipped_frames() -> ResultFrames:
    return sitegen.load(RESULTS)


def dtypes(frame: DataFrame) -> dict[str, str]:
    return {str(name): str(dtype) for name, dtype in frame.dtypes.items()}


def four_frames(frames: ResultFrames) -> Sequence[DataFrame]:
    return frames.boards, frames.rounds, frames.cases, frames.tasks


def bundle_files_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that collects the names of the bundles that are read from now on."""
    from sitegen.store.readers import bundles  # noqa: PLC0415 - only where it is used

    names: list[str] = []
    read = bundles.read_bundle

    def noted(folder: Path, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function it calls
        names.append(folder.name)
        return read(folder, *args, **options)

    monkeypatch.setattr(bundles, "read_bundle", noted)
    return names


def test_boards_have_the_columns_and_scores_of_the_csv_file(shipped: ResultFrames, tmp_path: Path) -> None:
    csv_file = tmp_path / "scores.csv"
    csv_file.write_text(scores_csv(evaluated().entries()), encoding="utf-8")
    table = read_csv(csv_file)
    assert set(shipped.boards) == {*table, "submission"}
    assert list(shipped.boards)[:4] == ["benchmark", "track", "submission", "agent"]
    for name in ("track", "id", "agent", "evidence"):
        assert shipped.boards[name].tolist() == table[name].tolist()
    assert shipped.boards["submission"].tolist() == table["id"].tolist()
    scores = shipped.boards["dataset_score"].to_numpy(float, na_value=float("nan"))
    assert scores == pytest.approx(table["dataset_score"].to_numpy(), nan_ok=True)


def test_all_columns_are_nullable(shipped: ResultFrames) -> None:
    for frame in four_frames(shipped):
        assert set(dtypes(frame).values()) <= NULLABLE
    of_boards, of_rounds = dtypes(shipped.boards), dtypes(shipped.rounds)
    names = ("submission", "rank", "dataset_score", "perfect_tasks", "free")
    assert [of_boards[name] for name in names] == ["string", "Int64", "Float64", "Float64", "boolean"]
    round_names = ("submission", "round", "reward", "solved", "passed", "cost_usd", "cause")
    expected = ["string", "Int64", "Float64", "boolean", "Int64", "Float64", "string"]
    assert [of_rounds[name] for name in round_names] == expected


def test_what_was_not_measured_is_na(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.change(1, output_tokens=90)
    frames = sitegen.load(tmp_path)
    assert str(frames.rounds.output_tokens.tolist()) == "[90.0, <NA>, <NA>]"
    assert str(frames.rounds.cause.tolist()) == "[<NA>, <NA>, <NA>]"
    assert str(frames.boards.organization.tolist()) == "['Acme']"
    assert str(frames.boards.model.tolist()) == "[<NA>]"


def test_frames_join_by_their_key(shipped: ResultFrames) -> None:
    for frame in (shipped.rounds, shipped.cases, shipped.tasks):
        joined = frame.merge(shipped.boards[[*sitegen.KEY, "rank"]], on=sitegen.KEY, validate="many_to_one")
        assert len(joined) == len(frame)
    joined = shipped.rounds.merge(shipped.tasks, on=[*sitegen.KEY, "agent", "task"], validate="many_to_one")
    assert len(joined) == len(shipped.rounds)


def test_every_column_is_described_and_measurements_have_units(shipped: ResultFrames) -> None:
    for frame in four_frames(shipped):
        assert list(frame.attrs["descriptions"]) == list(frame)
        assert all(frame.attrs["descriptions"].values())
        assert set(frame.attrs["units"]) <= set(frame)
    units = shipped.boards.attrs["units"]
    assert units["dataset_score"] == units["dataset_score_low"] == "percent"
    assert units["dataset_score_n"] == "tasks, rounds or runs"
    assert shipped.boards.attrs["descriptions"]["dataset_score_low"].startswith("Dataset Score: lower end")
    assert shipped.rounds.attrs["units"]["agent_seconds"] == "seconds"
    assert shipped.tasks.attrs["units"]["solved"] == "share"
    assert shipped.tasks.attrs["descriptions"]["difficulty"] == "label of the task: Difficulty"


def test_docstrings_describe_the_columns_that_do_not_depend_on_a_benchmark(tmp_path: Path) -> None:
    Tree(tmp_path)
    frames = sitegen.load(tmp_path)
    for name in ("rounds", "cases", "tasks"):
        documented = set(re.findall(r"[a-z_]+", getattr(ResultFrames, name).__doc__))
        assert set(getattr(frames, name)) - {"kind"} <= documented


def test_the_page_about_results_in_python_names_the_columns(tmp_path: Path) -> None:
    Tree(tmp_path)
    frames = sitegen.load(tmp_path)
    page = Path("site_src/api/load.md").read_text(encoding="utf-8")
    for name in ("boards", "rounds", "cases", "tasks"):
        _, _, section = page.partition(f"### {name}\n")
        documented = set(re.findall(r"`([a-z_]+)`", section.partition("\n### ")[0]))
        columns = set(getattr(frames, name)) - {*sitegen.KEY, "agent", "kind"}
        if name == "boards":
            columns = {column for column in columns if not column.startswith(tuple(METRICS))}
        assert columns <= documented


def test_the_readme_loads_what_it_says() -> None:
    text = Path("README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(import sitegen\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(block, {})  # noqa: S102 - the page's own lines


def test_rounds_are_all_records_and_carry_what_scores_are_made_of(shipped: ResultFrames) -> None:
    bundles = [entry.bundle for _, entry in evaluated().entries() if entry.bundle]
    assert len(shipped.rounds) == sum(len(bundle.rounds) for bundle in bundles)
    boards = shipped.boards[shipped.boards.track == "official"]
    first = boards[boards.dataset_score.notna()].iloc[0]
    rounds = shipped.rounds[(shipped.rounds.submission == first.submission) & (shipped.rounds.track == "official")]
    counted = rounds[(rounds.start == "own") & (rounds.state != "excluded")]
    by_task = counted.groupby(["task", "attempt"]).solved.mean()
    assert 100 * by_task.groupby("task").mean().mean() == pytest.approx(first.dataset_score)


def test_the_line_of_the_readme_gives_the_scores_of_the_site(shipped: ResultFrames) -> None:
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


def test_rounds_have_the_labels_that_their_task_gives_them(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    labelled = {"id": "tidy", "rounds": [{"n": 1, "title": "Begin"}, {"n": 2, "labels": ["fix", "extend"]}]}
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], **labelled}, TASKS[1]))
    rounds = sitegen.load(tmp_path).rounds
    assert rounds.round_title.fillna("").tolist() == ["Begin", "", ""]
    assert rounds.round_labels.fillna("").tolist() == ["", "fix, extend", ""]


def test_the_recipes_of_the_page_about_programs_give_what_they_say(shipped: ResultFrames) -> None:
    text = Path("site_src/api/index.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python title=\"A results folder.*?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert 'frames = sitegen.load("results")\n' in block
    _, _, recipes = block.partition('sitegen.load("results")\n')
    made: dict[str, Any] = {"frames": shipped}
    exec(recipes, made)  # noqa: S102 - the page's own lines
    rows, hardest, shares = (made[name] for name in ("solved", "hardest", "falling"))
    assert {*rows.columns, *shares.columns} <= set(shipped.rounds.submission)
    assert 0 < rows.to_numpy(float, na_value=0).mean() < 1
    assert (hardest.is_monotonic_decreasing, len(hardest)) == (True, 10)
    assert shares.mean(axis=1)[1] > shares.mean(axis=1)[9]


def test_three_frames_can_be_unpacked_as_before_there_were_tasks(tmp_path: Path) -> None:
    Tree(tmp_path)
    frames = sitegen.load(tmp_path)
    boards, rounds, cases = frames
    assert boards is frames.boards
    assert rounds is frames.rounds
    assert cases is frames.cases


def test_tasks_have_their_results_and_labels(tmp_path: Path) -> None:
    Tree(tmp_path)
    tasks = sitegen.load(tmp_path).tasks
    assert tasks.task.tolist() == ["tidy", "wide"]
    assert tasks.kind.tolist() == ["tool", "game"]
    assert tasks.solved.tolist() == [0.5, 0.0]
    assert tasks.rounds.tolist() == [2, 1]
    assert tasks.passed.tolist() == [6, 0]
    assert tasks.total.tolist() == [7, 0]
    assert tasks.missing.tolist() == [False, False]


def test_the_mean_over_tasks_is_the_dataset_score(shipped: ResultFrames) -> None:
    boards = shipped.boards[(shipped.boards.track == "official") & (shipped.boards.benchmark == "evocode-bench")]
    published = boards.set_index("submission").dataset_score.to_dict()
    computed = (100 * shipped.tasks.groupby("submission").solved.mean()).to_dict()
    assert {submission: computed[submission] for submission in published} == pytest.approx(published)


def test_tasks_say_what_findings_and_gaps_do_to_them(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.rounds(*ROUNDS[:2])
    tree.edit("submission.toml", "date = 2026-06-25\n", 'date = 2026-06-25\nmissing = ["wide"]\n')
    tree.findings(
        '[[findings]]\ndate = 2026-06-26\nkind = "defect"\ntitle = "A"\nreason = "B"\n'
        'effect = "exclude"\ntasks = ["tidy"]\n'
    )
    tree.edit("submission.toml", "\n[claims]\ndataset_score = 25.0\n", "")
    tasks = sitegen.load(tmp_path).tasks
    assert str(tasks.missing.tolist()) == "[<NA>, True]"
    assert str(tasks.solved.tolist()) == "[<NA>, 0.0]"
    assert tasks.rounds.tolist() == [0, 1]
    assert str(tasks.total.tolist()) == "[<NA>, <NA>]"


def test_an_axis_called_like_a_column_keeps_both(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.define("[axes.kind]", "[axes.rounds]")
    tree.define('groupings = ["kind"]', 'groupings = ["rounds"]')
    tasks = [{**task, "labels": {"rounds": "tool"}} for task in TASKS]
    tree.put("tasks/all.jsonl", json_lines(*tasks))
    frame = sitegen.load(tmp_path).tasks
    assert frame.rounds.tolist() == [2, 1]
    assert frame.label_rounds.tolist() == ["tool", "tool"]


def test_cases_are_those_with_an_outcome(tmp_path: Path) -> None:
    """The first round has an outcome for each case, the second lists one that failed, the last was not reached."""
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


def test_cases_have_the_texts_of_failures_and_the_requirements_of_tasks(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    listed = [{"id": "sorts", "requirement": "sorting"}, {"id": "undo", "origin": "round 1"}, {"id": "x"}]
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], "rounds": [{"n": 1, "cases": listed}, {"n": 2}]}, TASKS[1]))
    tree.change(1, passed=1, total=3, outcomes="pfe", reward=0)
    round_key = {"task": "tidy", "attempt": 1, "round": 1}
    tree.write(
        "failures.jsonl",
        json_lines(
            {**round_key, "case": "x", "status": "error", "reason": "crashed", "truncated": True},
            {
                **round_key,
                "case": "undo",
                "requirement": "history",
                "requirement_failed": 4,
                "expected": "1",
                "actual": "2",
            },
        ),
    )
    tree.edit("submission.toml", "\n[claims]\ndataset_score = 25.0\n", "")
    cases = sitegen.load(tmp_path).cases
    assert cases.case.tolist() == ["sorts", "undo", "x"]
    assert cases.requirement.fillna("").tolist() == ["sorting", "history", ""]
    assert cases.origin.fillna("").tolist() == ["", "round 1", ""]
    assert cases.requirement_failed.fillna(0).tolist() == [0, 4, 0]
    assert cases.expected.fillna("").tolist() == ["", "1", ""]
    assert cases.actual.fillna("").tolist() == ["", "2", ""]
    assert cases.reason.fillna("").tolist() == ["", "", "crashed"]
    assert str(cases.truncated.tolist()) == "[<NA>, False, True]"


def test_cases_of_one_name_have_the_texts_of_their_own_outcome(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.change(1, passed=0, total=3, outcomes="fef", case_ids=["a", "a", "a"], reward=0)
    case_key = {"task": "tidy", "attempt": 1, "round": 1, "case": "a"}
    tree.write(
        "failures.jsonl",
        json_lines(
            {**case_key, "status": "error", "reason": "crashed"}, {**case_key, "status": "failed", "reason": "differs"}
        ),
    )
    tree.edit("submission.toml", "\n[claims]\ndataset_score = 25.0\n", "")
    cases = sitegen.load(tmp_path).cases
    assert cases.reason.fillna("").tolist() == ["differs", "crashed", ""]


def test_cases_without_names_have_an_outcome_all_the_same(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.change(1, outcomes="ppp")
    cases = sitegen.load(tmp_path).cases
    assert cases["outcome"].tolist() == ["passed"] * 3
    assert cases["case"].isna().all()


@pytest.fixture(name="two")
def two_submissions(tmp_path: Path) -> Path:
    """A results folder with two submissions to the track main."""
    tree = Tree(tmp_path / "results")
    manifest = MANIFEST.replace("Acme-1", "Bolt").replace("\n[claims]\ndataset_score = 25.0\n", "")
    tree.add("2026-06-26-bolt", *({**record, "reward": 0, "passed": 0} for record in ROUNDS), manifest=manifest)
    return tree.folder


BOLT = "mini/main/2026-06-26-bolt"


@pytest.mark.parametrize("is_address", [True, False])
def test_only_the_submission_that_is_named_is_read(
    two: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_address: bool,  # noqa: FBT001
) -> None:
    expected = sitegen.load(two)
    names = bundle_files_read(monkeypatch)
    path = two / "mini" / "submissions" / "2026-06-26-bolt"
    frames = sitegen.load(two, BOLT) if is_address else sitegen.load(path)
    assert names == ["2026-06-26-bolt"]
    for frame, of_all in zip(four_frames(frames), four_frames(expected), strict=True):
        lines = of_all[of_all.submission == "2026-06-26-bolt"].reset_index(drop=True)
        ranks = [name for name in ("rank", "rank_low", "rank_high") if name in frame]
        testing.assert_frame_equal(frame.drop(columns=ranks), lines[list(frame)].drop(columns=ranks))
        assert frame[ranks].isna().all(axis=None)


def test_a_submission_loads_beside_one_with_errors(two: Path) -> None:
    (two / "mini" / "submissions" / "2026-06-25-acme" / "rounds.jsonl").write_text("{", encoding="utf-8")
    assert sitegen.load(two, BOLT).boards.submission.tolist() == ["2026-06-26-bolt"]
    with pytest.raises(ProblemsError, match="2026-06-25-acme"):
        sitegen.load(two, "mini/main/2026-06-25-acme")
    with pytest.raises(ProblemsError, match="2026-06-25-acme"):
        sitegen.load(two)


def test_a_submission_with_a_false_claim_is_not_loaded(two: Path) -> None:
    tree_manifest = two / "mini" / "submissions" / "2026-06-25-acme" / "submission.toml"
    tree_manifest.write_text(MANIFEST.replace("25.0", "99.0"), encoding="utf-8")
    with pytest.raises(ProblemsError, match="CLAIM"):
        sitegen.load(two, "mini/main/2026-06-25-acme")


@pytest.mark.parametrize("address", ["mini", "mini/main", "mini/", "/mini/main/"])
def test_only_the_benchmark_that_is_named_is_read(two: Path, address: str) -> None:
    broken = two / "other"
    broken.mkdir()
    (broken / "benchmark.toml").write_text("id = ", encoding="utf-8")
    frames = sitegen.load(two, address)
    assert sorted(frames.boards.submission) == ["2026-06-25-acme", "2026-06-26-bolt"]
    assert frames.boards["rank"].notna().all()


def test_a_track_without_submissions_has_empty_frames(two: Path) -> None:
    for frame in four_frames(sitegen.load(two, "mini/relay")):
        assert frame.empty
        assert {*sitegen.KEY} <= set(frame)


def test_an_agent_of_a_published_table_can_be_loaded() -> None:
    published = sitegen.load(RESULTS, "roadmapbench").boards
    submission = published.submission.iloc[0]
    boards = sitegen.load(RESULTS, f"roadmapbench/paper/{submission}").boards
    assert boards.submission.tolist() == [submission]
    assert boards["rank"].tolist() == published["rank"].tolist()[:1]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mimi", r"there is no benchmark mimi; did you mean mini\?"),
        ("zzz/main", "there is no benchmark zzz; there is mini"),
        ("mini/mian", r"there is no track mini/mian; did you mean mini/main\?"),
        ("mini/zzz/q", "there is no track mini/zzz; there are mini/main, mini/relay"),
        (
            "mini/main/2026-06-26-bold",
            r"no submission mini/main/2026-06-26-bold; did you mean mini/main/2026-06-26-bolt",
        ),
        ("mini/relay/2026-06-26-bolt", r"did you mean mini/main/2026-06-26-bolt\?"),
        ("mini/main/a/b", "is not an address; write BENCHMARK, BENCHMARK/TRACK or"),
        ("", "is not an address"),
        ("mini//x", "is not an address"),
        ("../results/mini", "there is no|is not an address"),
    ],
)
def test_an_unknown_address_is_answered_with_similar_ones(two: Path, address: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sitegen.load(two, address)


def test_an_address_needs_a_results_folder(two: Path) -> None:
    with pytest.raises(UsageError, match="an address needs a results folder"):
        sitegen.load(two / "mini", "mini/main")


def test_an_unknown_path_is_answered_with_similar_ones(two: Path) -> None:
    with pytest.raises(
        ProblemsError, match=r"NOTHING-FOUND: there is no folder .*/resutls\n.*did you mean .*/results\?"
    ):
        sitegen.load(two.with_name("resutls"))
    with pytest.raises(ProblemsError, match=r"has no benchmark and is not a submission\n.*did you mean .*/results\?"):
        sitegen.load(two.parent)
    with pytest.raises(ProblemsError, match="name a results folder"):
        sitegen.load(two.with_name("absent"))


def test_results_with_errors_are_not_loaded(tmp_path: Path) -> None:
    Tree(tmp_path).change(1, passed=9)
    with pytest.raises(ProblemsError):
        sitegen.load(tmp_path)


def test_frames_are_computed_when_they_are_used(two: Path) -> None:
    frames = sitegen.load(two)
    assert repr(frames) == "<ResultFrames: 2 submissions on 1 board>"
    computed = {"boards", "rounds", "cases", "tasks"} & vars(frames).keys()
    assert computed == set()
    assert frames.rounds is frames.rounds
    assert {"boards", "rounds", "cases", "tasks"} & vars(frames).keys() == {"rounds"}


def test_the_package_offers_its_few_names() -> None:
    assert set(sitegen.__all__) == {"KEY", "ResultFrames", "__version__", "load"}
    for name in sitegen.__all__:
        assert getattr(sitegen, name)
    assert sitegen.ResultFrames is ResultFrames
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        sitegen.absent  # noqa: B018 - looking it up is the act
    assert Path(sitegen.__file__).with_name("py.typed").is_file()


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
    ids=lambda value: value[0] if isinstance(value, list) else "",
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
