"""Sources that lead elsewhere, have no end, or are not what they seem: they neither hang nor escape."""

import os
from pathlib import Path

import pytest
from kit.slopcodebench_trees import (
    CONFIG,
    DAG,
    bucket,
    draft_of,
    imported,
    refused,
    rounds_of,
    row,
    strict_rows,
    warned,
    write_beside,
    write_checkpoint,
    write_run,
)

GIGABYTES = 3 * 1024**3


def enlarge(path: Path) -> None:
    """Make a file of gigabytes that takes no room on the disk."""
    with path.open("wb") as file:
        file.truncate(GIGABYTES)


def test_links_out_of_the_source_are_not_followed(tmp_path: Path) -> None:
    outside = write_run(tmp_path / "outside")
    write_checkpoint(outside, 2, tests={"checkpoint_2-Core": bucket("a")})
    run = write_run(tmp_path / "source" / "run", [row(1)])
    (tmp_path / "source" / "other").symlink_to(outside)
    (run / DAG).mkdir()
    (run / DAG / "checkpoint_2").symlink_to(outside / DAG / "checkpoint_2")
    assert [round_result.state for round_result in rounds_of(tmp_path / "source").values()] == [
        "scored",
        "unreached",
        "unreached",
    ]
    assert "is not followed: it may lead out of the tree" in warned(tmp_path / "source")["SOURCE-PASSED-OVER"]


def test_files_that_are_links_are_not_read(tmp_path: Path) -> None:
    outside = write_run(tmp_path / "outside")
    source = tmp_path / "source"
    source.mkdir()
    (source / "checkpoint_results.jsonl").symlink_to(outside / "checkpoint_results.jsonl")
    assert [error.code for error in refused(source)] == ["SOURCE-EMPTY"]


def test_a_link_to_itself_does_not_hang(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    (run / "round").symlink_to(run)
    assert len(draft_of(run).rounds) == 3


def test_depth_is_looked_into_only_so_far(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    deep = tmp_path
    for _ in range(60):
        deep /= "d"
    write_run(deep)
    assert len(imported(tmp_path).drafts) == 1
    assert "folders deep and is not searched" in warned(tmp_path)["SOURCE-PASSED-OVER"]


def test_thousands_of_files_are_no_matter(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    crowd = run / DAG / "checkpoint_1" / "snapshot"
    crowd.mkdir(parents=True)
    for number in range(5000):
        os.close(os.open(crowd / f"{number}.py", os.O_CREAT))
    assert len(draft_of(run).rounds) == 3


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    folder = write_checkpoint(run, 2)
    os.mkfifo(folder / "evaluation.json")
    assert rounds_of(run)[2].state == "aborted"


def test_rows_of_gigabytes_are_refused_and_not_read(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a")})
    enlarge(run / "checkpoint_results.jsonl")
    assert {error.code for error in refused(run)} == {"FILE-TOO-LARGE"}


@pytest.mark.parametrize("name", ["result.json", "run_info.yaml", "evaluation.json", "inference_result.json"])
def test_other_files_of_gigabytes_are_left_out_and_not_read(tmp_path: Path, name: str) -> None:
    run = write_run(tmp_path)
    folder = write_checkpoint(run, 1)
    folders_by_name = {"result.json": run, "run_info.yaml": run / DAG}
    enlarge(folders_by_name.get(name, folder) / name)
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored"] * 3
    assert f"{name} is 3072.0 MB" in warned(run)["SOURCE-FILE-BROKEN"]


def test_a_line_without_an_end_is_left_out(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    with (run / "checkpoint_results.jsonl").open("ab") as file:
        file.write(b'"' + b"x" * (2 * 1024 * 1024))
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored"] * 3
    assert warned(run)["SOURCE-VALUE-UNUSABLE"] == "line 4: the line is too long"


@pytest.mark.parametrize(
    "text",
    [
        "agent: " + "[" * 20_000,
        "agent: {type: !!python/object/apply:os.system ['echo']}\nproblems: {a: 1}",
        "agent: &a [*a]",
        "agent:\n\ttype: x",
        "agent: \x01",
    ],
    ids=["deep", "objects", "endless", "tabs", "control"],
)
def test_yaml_that_no_runner_writes_tells_nothing(tmp_path: Path, text: str) -> None:
    run = write_run(tmp_path, config=text, result={"model": "glm-5", "agent_type": "claude_code"})
    agent = draft_of(run).submission.agent
    assert agent.name == "glm-5"
    assert "config.yaml" in warned(run)["SOURCE-FILE-BROKEN"]
    assert any("can't be read completely" in caveat for caveat in draft_of(run).submission.caveats)


def test_aliases_that_multiply_are_not_unfolded(tmp_path: Path) -> None:
    """Nine levels of ten aliases each are a billion words."""
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 10)]
    text = "\n".join(["l0: &l0 [lol]", *levels, "post_checkpoint_skill: {prompt: *l9}", "thinking: *l9"])
    run = write_run(tmp_path, config=f"{CONFIG.replace('thinking: high', '')}{text}\n")
    agent = draft_of(run).submission.agent
    assert (agent.name, agent.reasoning) == ("glm-5", None)
    assert warned(run)["SOURCE-FILE-BROKEN"] == "`thinking` in config.yaml"


def test_json_without_an_end_to_its_depth_is_left_out(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    (write_checkpoint(run, 1) / "evaluation.json").write_text('{"tests":' * 50_000, encoding="utf-8")
    assert rounds_of(run)[1].state == "scored"
    assert "evaluation.json is not JSON: recursion limit" in warned(run)["SOURCE-FILE-BROKEN"]


def test_names_that_can_not_be_printed_are_written_without_what_hides(tmp_path: Path) -> None:
    run = write_run(tmp_path, config=None, result={"model": "glm\u001b[31m", "agent_type": "x" * 500})
    agent = draft_of(run).submission.agent
    assert agent.name == "glm"
    assert agent.scaffold is not None
    assert len(agent.scaffold) == 200
    assert "\\x1b[31m" in warned(run)["SLOP-NAME-UNPRINTABLE"]


def test_odd_names_of_folders_are_told_in_one_line(tmp_path: Path) -> None:
    write_run(tmp_path / "one\nrun")
    (note,) = [note for note in imported(tmp_path).notes if "checkpoints of 1 problem" in note]
    assert note.startswith("one run: ")


def test_a_folder_that_can_not_be_opened_is_told_of(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("everything can be opened by the superuser")
    write_run(tmp_path / "run")
    (tmp_path / "closed").mkdir(mode=0)
    assert "can't be opened" in warned(tmp_path)["SOURCE-PASSED-OVER"]


def test_numbers_beyond_reason_are_left_out(tmp_path: Path) -> None:
    run = write_beside(tmp_path)
    first = '{"problem": "dag_execution", "idx": 1, "strict_pass_rate": 1.0, "total_tests": 1' + "0" * 400 + "}\n"
    (run / "checkpoint_results.jsonl").write_text(first, encoding="utf-8")
    result = rounds_of(run)[1]
    assert (result.state, result.reward, result.total) == ("scored", 1, None)
    assert warned(run)["SOURCE-VALUE-UNUSABLE"] == "dag_execution 1: `total_tests`"


def test_other_folders_beside_the_problems_are_no_matter(tmp_path: Path) -> None:
    run = write_run(tmp_path, strict_rows())
    (run / "logs" / "checkpoint_x").mkdir(parents=True)
    (run / "logs" / "checkpoint_0").mkdir()
    assert [task.id for task in imported(run).task_sets[0].tasks] == [DAG]
