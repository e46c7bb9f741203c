"""Files of the fork's runs that must not be taken for what they look like."""

import json
from datetime import date
from pathlib import Path

import pytest
from kit.multiturn_trees import FAIL, PASS, Json, Source, codes, draft_of, imported, new_source, told, trajectory


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A source with one task of three rounds."""
    source = new_source(tmp_path)
    source.task()
    return source


@pytest.mark.parametrize(
    "name",
    [
        "agent/pre_resume_trajectories/round_1_trajectory.json",
        "agent/trajectory.summarization-1-summary.json",
        "agent/session_snapshots/round_1/trajectory.json",
        "agent/runtime_snapshots/round_1/terminus-2.json",
    ],
)
def test_other_transcripts_of_a_run_do_not_count(source: Source, name: str) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={name: json.dumps(trajectory([1, 1, 1, 2]))})
    assert [round_result.interactions for round_result in draft_of(source).rounds] == [2, 2, None]


def test_a_transcript_goes_on_in_its_continuations(source: Source) -> None:
    files = {"agent/trajectory.cont-1.json": json.dumps(trajectory([2, 2]))}
    source.run("tidy__AAAAAAA", [PASS, FAIL], files=files)
    assert [round_result.interactions for round_result in draft_of(source).rounds] == [2, 6, None]


@pytest.mark.parametrize("name", ["snapshot-image.tar", "snapshot-image.md", "snapshot.json"])
def test_snapshots_of_the_machine_are_not_looked_into(source: Source, name: str) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={f"state/round_1/{name}": '{"reward": 1}'})
    incoming = imported(source)
    assert (told(incoming.drafts[0].rounds), codes(incoming)) == (["#.u"], [])


@pytest.mark.parametrize(
    ("began", "ended"),
    [
        ("2026-04-20T23:00:00", "2026-04-21T01:00:00Z"),
        ("2026-04-20T23:00:00+00:00", "2026-04-21T01:00:00"),
        ("2026-04-20T23:00:00Z", "2026-04-21T01:00:00.123456"),
    ],
)
def test_times_of_no_zone_stand_beside_those_of_one(source: Source, began: str, ended: str) -> None:
    """Older versions of the fork write the machine's own time, newer ones that of Greenwich."""
    source.run("tidy__AAAAAAA", [PASS, FAIL], told={"started_at": began, "finished_at": ended})
    provenance = draft_of(source).submission.provenance
    assert (provenance.started, provenance.finished) == (date(2026, 4, 20), date(2026, 4, 21))


@pytest.mark.parametrize(
    "result",
    [
        {"step_results": None},
        {"environment_state": {"snapshot_id": "x", "image_ref": "y", "parent_snapshot_id": None}},
        {"agent_info": {"name": "terminus-2", "version": None, "model_info": None}},
        {"verifier_result": {"rewards": None, "aggregate_window_start": None, "aggregate_window_end": None}},
    ],
)
def test_keys_that_some_versions_write_change_no_round(source: Source, result: Json) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], told=result)
    assert told(draft_of(source).rounds) == ["#.u"]


def test_kinds_of_change_are_those_of_the_task_and_not_of_a_runs_list(source: Source) -> None:
    """There several kinds are one word, and a kind that nobody stated is called unknown."""
    entry = {"round": 1, "reward": 1.0, "status": "completed", "change_type": "extension+conflict"}
    source.run("tidy__AAAAAAA", [entry, {**entry, "round": 2, "change_type": "unknown", "change_types": []}])
    (task,) = imported(source).task_sets[0].tasks
    assert [round_result.labels for round_result in task.rounds] == [("extension",)] * 3


def test_the_paper_s_layout_of_results_is_no_run(source: Source) -> None:
    """An appendix shows it, and the fork never wrote it."""
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    paper = source.root / "tidy" / "paper" / "round_1"
    paper.mkdir(parents=True)
    (paper / "reward.json").write_text('{"reward": 1}', encoding="utf-8")
    (paper.parent / "aggregate.json").write_text("{}", encoding="utf-8")
    assert len(imported(source).drafts) == 1
