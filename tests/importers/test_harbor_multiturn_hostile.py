"""Sources that lead elsewhere, have no end or hold secrets: they neither hang nor escape, and nothing slips through."""

import os
import tracemalloc
from pathlib import Path

import pytest
from kit.multiturn_trees import (
    FAIL,
    HOST,
    PASS,
    Source,
    codes,
    died,
    draft_of,
    imported,
    new_source,
    refused,
    summary,
    told,
)
from kit.small_import import files_in

from sitegen.pipeline.importing import apply_import

GIGABYTES = 3 * 1024**3
SECRET = "sk-0123456789abcdefghij"  # noqa: S105 - no real one


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A source with one task of three rounds and one run, which failed in its second round."""
    source = new_source(tmp_path)
    source.task()
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    return source


def folder_of(source: Source, name: str = "tidy__AAAAAAA") -> Path:
    return source.root / source.place / name


def enlarge(path: Path) -> None:
    """Make a file of gigabytes that takes no room on the disk."""
    with path.open("wb") as file:
        file.truncate(GIGABYTES)


def test_runs_behind_links_are_not_imported(source: Source, tmp_path: Path) -> None:
    outside = source.run("tidy__BBBBBBB", [PASS, PASS, PASS]).rename(tmp_path / "tidy__BBBBBBB")
    folder_of(source, "tidy__CCCCCCC").symlink_to(outside)
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-PASSED-OVER"]


@pytest.mark.parametrize("name", ["verifier/multiround_results.json", "verifier/round_2_test-stdout.txt", "verifier"])
def test_files_that_are_links_are_not_read(source: Source, tmp_path: Path, name: str) -> None:
    """A run without its list of rounds and without the verifier's files tells of nothing."""
    outside = source.run("tidy__BBBBBBB", [PASS, PASS, PASS]).rename(tmp_path / "tidy__BBBBBBB")
    target = folder_of(source) / name
    target.rename(target.with_name("was"))
    target.symlink_to(outside / name)
    if name.endswith("stdout.txt"):
        assert draft_of(source).rounds[1].total is None
    elif name == "verifier":
        assert [problem.code for problem in refused(source)] == ["SOURCE-EMPTY"]
    else:
        assert "SOURCE-FILE-MISSING" in codes(imported(source))


def test_a_link_to_a_folder_above_does_not_hang(source: Source) -> None:
    (folder_of(source).parent / "round").symlink_to(source.root)
    assert told(draft_of(source).rounds) == ["#.u"]


def test_depth_is_looked_into_only_so_far(source: Source) -> None:
    source.at("d/" * 60).run("tidy__BBBBBBB", [PASS, PASS, PASS])
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-PASSED-OVER"]


def test_thousands_of_files_are_no_matter(source: Source) -> None:
    for crowd in (folder_of(source) / "state" / "round_1", source.root / "tasks" / "tidy" / "environment"):
        crowd.mkdir(parents=True)
        for number in range(5000):
            os.close(os.open(crowd / f"{number}.py", os.O_CREAT))
    assert told(draft_of(source).rounds) == ["#.u"]


def test_a_pipe_is_not_waited_for(source: Source) -> None:
    name = folder_of(source) / "verifier" / "round_2_test-stdout.txt"
    name.unlink()
    os.mkfifo(name)
    assert draft_of(source).rounds[1].total is None


@pytest.mark.parametrize("name", ["result.json", "agent/trajectory.json", "verifier/round_2_reward.txt"])
def test_files_of_gigabytes_cost_what_they_tell_of_only(source: Source, name: str) -> None:
    enlarge(folder_of(source) / name)
    assert told(draft_of(source).rounds) == ["#.u"]


def test_a_long_text_in_a_file_is_not_held(source: Source) -> None:
    """Replies can be kept in full beside the figures."""
    size = 40 * 1024 * 1024
    text = f'{{"all_messages": "{"x" * size}", "metadata": {{"n_episodes": 7}}}}'
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={"result.json": f'{{"agent_result": {text}}}'})
    tracemalloc.start()
    try:
        assert draft_of(source).runs[0].turns == 7
        assert tracemalloc.get_traced_memory()[1] < size / 4
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["result.json", "config.json", "verifier/multiround_results.json"])
def test_values_nested_without_end_are_told_of(source: Source, name: str) -> None:
    source.run("tidy__BBBBBBB", [PASS, FAIL], files={"result.json": None, name: '{"config":' * 100_000})
    assert "SOURCE-FILE-BROKEN" in codes(imported(source))


def test_a_task_nested_without_end_is_refused(source: Source) -> None:
    source.task("wide", text="a = " + "[" * 100_000)
    assert "TOML-SYNTAX" in [problem.code for problem in refused(source)]


def test_names_of_control_characters_stay_out_of_the_results(source: Source, tmp_path: Path) -> None:
    name = b"acme\x1b[31m\x07\xff\n1".decode(errors="surrogateescape")
    source.of(name).run("tidy__AAAAAAA", [PASS, FAIL])
    incoming = imported(source)
    assert [draft.submission.agent.name for draft in incoming.drafts] == ["acme 1", "acme-1"]
    assert all(note.isprintable() for note in incoming.notes)
    apply_import(incoming, tmp_path / "results")


def test_nothing_private_is_written_or_said(source: Source, tmp_path: Path) -> None:
    """Keys, folders of the machine, tracebacks and prompts stay where they are."""
    case = f'CASE_RESULT case_id=c1 origin_step=b requirement_ref=R case_type=core status=fail intent="{SECRET}" '
    texts = f'scenario="in {HOST}/x.py" input="" expected="" actual="" failure_reason="token={SECRET}"\n'
    status = f"verification_error: see {HOST}/verifier with {SECRET}"
    files = {
        "exception.txt": f'Traceback (most recent call last):\n  File "{HOST}/agent.py"',
        "trial.log": SECRET,
        "verifier/round_1_test-stdout.txt": case + texts + summary(0, 1),
    }
    source.run("tidy__BBBBBBB", [FAIL], files=files)
    source.run("tidy__CCCCCCC", [PASS, status], told=died(f"{HOST} {SECRET}"))
    broken = f'[{{"round": "{SECRET}", "reward": "{SECRET}"}}]'
    source.run("tidy__DDDDDDD", [PASS, FAIL], files={"verifier/multiround_results.json": broken})
    incoming = imported(source)
    assert "SOURCE-FILE-BROKEN" in codes(incoming)
    apply_import(incoming, tmp_path / "results")
    shown_text = "\n".join([*map(str, incoming.problems), *incoming.notes, repr(incoming)])
    written = b"\n".join(files_in(tmp_path / "results").values()).decode(errors="replace")
    for private in (SECRET, "secret-project", "Traceback", "Do not show this prompt"):
        assert private not in shown_text
        assert private not in written
