"""Runs of Aider's benchmark."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.aider_trees import write_aider_run

from sitegen.importers.aider.source import RESULTS, read_aider
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.incoming import Draft, Incoming
from sitegen.problems import ProblemsError

EXERCISES = {"go/tidy": [True], "go/neat": [False, False], "rust/tidy": [False, True]}


def read(source: Path, **options: Any) -> Incoming:  # noqa: ANN401 - fields of `ImportOptions`
    return read_aider(source, ImportOptions(date(2026, 7, 1), "mine", "main", **options))


def rewards(draft: Draft) -> dict[str, float | None]:
    """Return the reward of each task; None where it came to no verdict."""
    return {
        round_result.task: round_result.reward if round_result.state == "scored" else None
        for round_result in draft.rounds
    }


def test_the_last_try_decides(tmp_path: Path) -> None:
    write_aider_run(tmp_path / "2026-06-11-10-00-00--ada", "demo/ada", EXERCISES)
    (draft,) = read(tmp_path).drafts
    assert rewards(draft) == {"go-tidy": 1, "go-neat": 0, "rust-tidy": 1}
    first_tries = [(round_result.measures or {})["first_try@aider"] for round_result in draft.rounds]
    assert sorted(first_tries) == [0, 0, 1]
    submission = draft.submission
    assert (submission.agent.name, submission.agent.scaffold, submission.date) == (
        "ada",
        "aider diff",
        date(2026, 6, 11),
    )
    assert (submission.provenance.code_commit, submission.provenance.dirty) == ("a755079", True)
    assert {
        (draft_round.cost_usd, draft_round.input_tokens, draft_round.output_tokens) for draft_round in draft.rounds
    } == {(0.25, 1000, 200)}


def test_edit_formats_and_efforts_are_different_agents(tmp_path: Path) -> None:
    write_aider_run(tmp_path / "2026-06-11--a", "demo/ada", EXERCISES)
    write_aider_run(tmp_path / "2026-06-11--b", "demo/ada", EXERCISES, "whole")
    write_aider_run(tmp_path / "2026-06-11--c", "demo/ada", EXERCISES, reasoning_effort="high")
    agents = [(draft.submission.agent.scaffold, draft.submission.agent.reasoning) for draft in read(tmp_path).drafts]
    assert sorted(agents, key=str) == [("aider diff", "high"), ("aider diff", None), ("aider whole", None)]


def test_an_exercise_that_ended_with_an_exception_is_aborted(tmp_path: Path) -> None:
    run = write_aider_run(tmp_path / "2026-06-11--a", "demo/ada", EXERCISES)
    results_path = run / "go" / "exercises" / "practice" / "tidy" / RESULTS
    results_path.write_text(json.dumps({"exception": "gone\nTraceback"}), encoding="utf-8")
    write_aider_run(run, "demo/ada", {"go/late": []})
    (draft,) = read(run).drafts
    assert rewards(draft) == {"go-late": None, "go-tidy": None, "go-neat": 0, "rust-tidy": 1}
    causes = {round_result.task: round_result.cause for round_result in draft.rounds if round_result.cause}
    assert causes == {"go-late": "no tests were run", "go-tidy": "gone"}


def test_exercises_without_results_are_counted(tmp_path: Path) -> None:
    run = write_aider_run(tmp_path / "2026-06-11--a", "demo/ada", EXERCISES)
    (run / "go" / "exercises" / "practice" / "late").mkdir()
    caveats = read(run).drafts[0].submission.caveats
    assert any("3 of 4 exercises have results" in caveat for caveat in caveats)


def test_a_folder_of_one_language_and_runs_without_languages_are_read(tmp_path: Path) -> None:
    run = write_aider_run(tmp_path / "2026-06-11--a", "demo/ada", EXERCISES)
    assert rewards(read(run / "rust").drafts[0]) == {"rust-tidy": 1}
    old = tmp_path / "old" / "2024-06-11--a"
    for name in ("tidy", "neat"):
        (old / name).mkdir(parents=True)
        text = (run / "go" / "exercises" / "practice" / name / RESULTS).read_text(encoding="utf-8")
        (old / name / RESULTS).write_text(text, encoding="utf-8")
    assert rewards(read(old.parent).drafts[0]) == {"neat": 0, "tidy": 1}


def test_broken_and_nameless_results_are_refused(tmp_path: Path) -> None:
    run = write_aider_run(tmp_path / "2026-06-11--a", "demo/ada", {"go/tidy": [True]})
    results_path = run / "go" / "exercises" / "practice" / "tidy" / RESULTS
    text = results_path.read_text(encoding="utf-8")
    for content, code in ((text[:40], "SOURCE-CUT-OFF"), ("x", "SOURCE-BROKEN")):
        results_path.write_text(content, encoding="utf-8")
        with pytest.raises(ProblemsError) as error:
            read(run)
        assert [problem.code for problem in error.value.problems] == [code]
    results_path.write_text(text.replace("demo/ada", ""), encoding="utf-8")
    with pytest.raises(ProblemsError) as error:
        read(run)
    assert {problem.code for problem in error.value.problems if problem.is_error} == {"SOURCE-AGENT-UNKNOWN"}
    (draft,) = read(run, agent="ada").drafts
    assert draft.submission.agent.name == "ada"
