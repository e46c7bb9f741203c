"""How the files of a publication are found, checked against each other and named."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from kit.evocodebench_trees import (
    OPTIONS,
    alter,
    draft_of,
    failed,
    imported,
    passed,
    publish,
    publish_cells,
    refused,
    warned,
    write,
)

from sitegen.importers.kit.options import ImportOptions
from sitegen.problems import UsageError

PAIR = {
    "tidy": {"Ada": [passed(), failed()], "Bob": [passed(), passed()]},
    "neat": {"Ada": [passed()], "Bob": [failed()]},
}


def test_every_agent_becomes_a_bundle(tmp_path: Path) -> None:
    incoming = imported(publish(tmp_path, PAIR))
    assert [draft.id for draft in incoming.drafts] == ["2026-06-25-ada", "2026-06-25-bob"]
    submission = incoming.drafts[0].submission
    assert (submission.track, submission.date, submission.agent.name) == ("official", date(2026, 6, 25), "Ada")
    assert incoming.problems == ()


def test_importing_twice_gives_equal_values(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    assert imported(source) == imported(source)


@pytest.mark.parametrize(
    ("agent", "bundle"),
    [
        ("GLM-5.2", "2026-06-25-glm-5-2"),
        ("Opus-4.8-xhigh", "2026-06-25-claude-opus-4-8"),
        ("My Agent (v2)", "2026-06-25-my-agent-v2"),
    ],
)
def test_a_bundle_is_named_after_its_date_and_the_agents_one_name(tmp_path: Path, agent: str, bundle: str) -> None:
    assert draft_of(publish_cells(tmp_path, passed(), agent=agent)).id == bundle


def test_an_alias_of_ones_own_wins(tmp_path: Path) -> None:
    aliases = {"Opus-4.8-xhigh": "Opus X", "Other": "Another"}
    incoming = imported(publish_cells(tmp_path, passed(), agent="Opus-4.8-xhigh"), replace(OPTIONS, aliases=aliases))
    assert incoming.drafts[0].submission.agent.name == "Opus X"
    assert incoming.benchmark.aliases == aliases


def test_an_alias_can_rename_an_agent_with_all_its_spellings(tmp_path: Path) -> None:
    options = replace(OPTIONS, aliases={"Claude-Opus-4.8": "Opus"})
    incoming = imported(publish_cells(tmp_path, passed(), agent="Opus-4.8-xhigh"), options)
    assert incoming.drafts[0].submission.agent.name == "Opus"
    assert set(incoming.benchmark.aliases.values()) == {"Opus"}


def test_known_spellings_of_agents_in_the_source_become_aliases(tmp_path: Path) -> None:
    incoming = imported(publish_cells(tmp_path, passed(), agent="Opus-4.8-xhigh"))
    assert incoming.benchmark.aliases == dict.fromkeys(
        ["Opus-4.8", "Opus-4.8-xhigh", "Claude-Opus-4.8-xhigh", "claude-opus-4-8"], "Claude-Opus-4.8"
    )


def test_the_date_given_wins_over_the_folders_name(tmp_path: Path) -> None:
    draft = draft_of(publish_cells(tmp_path, passed()), replace(OPTIONS, date=date(2026, 6, 30)))
    assert draft.id == "2026-06-30-gpt-5-5"


@pytest.mark.parametrize("name", ["site", "2026-13-01-site", "v2026-06-25", "2026-06-255"])
def test_without_a_date_the_day_of_the_import_is_taken_and_named(tmp_path: Path, name: str) -> None:
    source = publish_cells(tmp_path, passed()).rename(tmp_path / name)
    assert draft_of(source).submission.date == OPTIONS.today
    (warning,) = warned(source)
    assert (warning.code, "2026-07-01" in warning.what) == ("SOURCE-DATE-ASSUMED", True)


def test_tasks_keep_names_labels_and_what_each_round_asks_for(tmp_path: Path) -> None:
    incoming = imported(publish(tmp_path, PAIR))
    (task_set,) = incoming.task_sets
    assert incoming.benchmark.instructions
    tidy = task_set.tasks[0]
    assert (tidy.id, tidy.title) == ("tidy", "project-1")
    assert tidy.labels == {"difficulty": "hard", "category": "kind-1"}
    assert [
        (round_result.n, round_result.title, round_result.weight, round_result.instruction)
        for round_result in tidy.rounds
    ] == [
        (1, "Do thing 1", 1.0, "Do **thing** 1.\n"),
        (2, "Do thing 2", 1.0, "Do **thing** 2.\n"),
    ]


def test_requests_stay_away_where_the_benchmark_does_not_let_them_be_shown(tmp_path: Path) -> None:
    incoming = imported(publish(tmp_path, PAIR), replace(OPTIONS, instructions=False))
    asked = [round_result for tasks in incoming.task_sets for task in tasks.tasks for round_result in task.rounds]
    assert (incoming.benchmark.instructions, {task_round.instruction for task_round in asked}) == (False, {None})
    assert {titled_round.title for titled_round in asked} == {"Do thing 1", "Do thing 2"}


def test_the_benchmark_is_described_as_its_site_and_paper_do(tmp_path: Path) -> None:
    benchmark = imported(publish(tmp_path, PAIR)).benchmark
    (track,) = benchmark.tracks
    assert (benchmark.id, benchmark.title, benchmark.round_name, benchmark.ordered) == (
        "evocode-bench",
        "EvoCode-Bench",
        "Round",
        True,
    )
    assert benchmark.axes["category"].values == ("kind-1", "kind-2")
    assert (track.id, track.protocol, track.attempts, track.headline) == ("official", "chain", 1, "dataset_score")
    assert track.columns == ("dataset_score", "case_score", "avg_rounds", "perfect_tasks")
    assert track.groupings == ("category",), "an axis of one value sorts nothing"


def test_prose_about_the_results_is_not_read(tmp_path: Path) -> None:
    """It is HTML by hand, and some of it speaks of other agents than the files."""
    source = publish_cells(tmp_path, passed())
    before = imported(source)
    (source / "analysis").mkdir()
    write(source / "analysis" / "tidy.json", {"headline": "all 12 models", "difficulty": "<p>hard</p>"})
    assert imported(source) == before


def test_results_can_go_to_another_track(tmp_path: Path) -> None:
    options = replace(OPTIONS, benchmark="evo", track="official-v1")
    incoming = imported(publish(tmp_path, PAIR), options)
    assert (incoming.benchmark.id, incoming.benchmark.tracks[0].id) == ("evo", "official-v1")
    assert incoming.benchmark.tracks[0].tasks == incoming.task_sets[0].id
    assert {draft.submission.track for draft in incoming.drafts} == {"official-v1"}


@pytest.mark.parametrize(
    "options",
    [
        lambda: replace(OPTIONS, track="Official v1"),
        lambda: replace(OPTIONS, benchmark=""),
        lambda: replace(OPTIONS, aliases={"Ada": ""}),
    ],
)
def test_options_that_name_nothing_are_refused(options: Callable[[], ImportOptions]) -> None:
    with pytest.raises(UsageError):
        options()


def test_all_missing_task_files_are_one_error(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR | {"third": PAIR["neat"]})
    for task in ("tidy", "third"):
        (source / "tasks" / f"{task}.json").unlink()
    (error,) = refused(source)
    assert (error.code, error.what) == ("SOURCE-TASK-MISSING", "2 of 3 tasks have no file: tidy, third")


def test_missing_tasks_can_be_left_out_and_are_recorded(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    (source / "tasks" / "tidy.json").unlink()
    incoming = imported(source, replace(OPTIONS, allow_missing=True))
    assert [task.id for task in incoming.task_sets[0].tasks] == ["neat"]
    assert {result.task for draft in incoming.drafts for result in draft.rounds} == {"neat"}
    (finding,) = incoming.findings
    assert (finding.title, finding.kind, finding.effect) == ("1 of 2 tasks left out", "note", "note")
    assert (finding.date, finding.tracks) == (date(2026, 6, 25), ("official",))
    assert "tidy" in finding.reason
    assert [problem.code for problem in incoming.problems] == ["SOURCE-TASKS-LEFT-OUT"]


def test_a_source_without_any_task_file_is_refused_even_so(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, passed())
    (source / "tasks" / "tidy.json").unlink()
    (error,) = refused(source, replace(OPTIONS, allow_missing=True))
    assert error.code == "SOURCE-TASK-MISSING"


def test_a_task_file_that_the_index_does_not_list_is_warned_of(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "index.json", tasks=json.loads((source / "index.json").read_text())["tasks"][:1])
    incoming = imported(source)
    assert [task.id for task in incoming.task_sets[0].tasks] == ["tidy"]
    (warning,) = incoming.problems
    assert (warning.code, "neat.json" in warning.what) == ("SOURCE-NAME-UNLISTED", True)
    caveats = incoming.drafts[0].submission.caveats
    assert any("task neat (index.json does not list it)" in caveat for caveat in caveats)


def test_the_order_of_agents_and_rounds_in_a_file_does_not_matter(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    expected = imported(source)
    models = {"Bob": {"2": passed(), "1": passed()}, "Ada": {"2": failed(), "1": passed()}}
    alter(source / "tasks" / "tidy.json", models=models)
    assert imported(source) == expected


def test_two_spellings_of_one_agent_in_one_source_are_refused(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Opus-4.8-xhigh": [passed()], "Opus-4.8": [failed()]}})
    assert [error.code for error in refused(source)] == ["SOURCE-AGENT-TWICE"]


def test_two_agents_that_would_share_a_bundle_are_refused(tmp_path: Path) -> None:
    (error,) = refused(publish(tmp_path, {"tidy": {"Ada 1": [passed()], "Ada-1": [failed()]}}))
    assert error.what == "Ada 1, Ada-1 would all be bundle 2026-06-25-ada-1"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"models": []}, "SOURCE-EMPTY"),
        ({"models": "Ada"}, "SOURCE-BROKEN"),
        ({"tasks": []}, "SOURCE-EMPTY"),
        ({"tasks": None}, "SOURCE-BROKEN"),
    ],
)
def test_an_index_that_can_not_be_gone_by_is_refused(tmp_path: Path, changes: dict[str, object], code: str) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "index.json", **changes)
    (error,) = refused(source)
    assert (error.code, error.path) == (code, source / "index.json")
    assert "copy" not in error.fix


def test_a_source_without_an_index_is_refused(tmp_path: Path) -> None:
    (error,) = refused(tmp_path)
    assert (error.code, error.path, error.what, error.fix) == (
        "FILE-MISSING",
        tmp_path / "index.json",
        "index.json is missing",
        "name the folder that contains it",
    )


def test_scores_that_do_not_follow_from_the_rounds_are_warned_of(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "tasks" / "tidy.json", score={"Ada": 2, "Bob": 2})
    index = json.loads((source / "index.json").read_text())
    index["tasks"][1]["score"] = {"Ada": 0.5, "Bob": 0.0}
    alter(source / "index.json", **index)
    assert [(warning.code, warning.what) for warning in warned(source)] == [
        ("SOURCE-SCORE-DIFFERS", "Ada: `score` states 2 rounds passed, but 1 have a reward of 1"),
        (
            "SOURCE-SCORE-DIFFERS",
            "`score` does not follow from the rounds of Ada at neat: 0.5, but 1 of 1 round passed",
        ),
    ]
    ada = imported(source).drafts[0].submission
    assert ada.claims is not None
    assert (ada.claims.source, ada.claims.values) == ("index.json: mean of `score`", {"dataset_score": Decimal("50.0")})
    assert imported(source).drafts[1].submission.claims is None


@pytest.mark.parametrize("rounds", [3, 7, 13])
def test_a_score_rounded_to_three_places_follows_from_the_rounds(tmp_path: Path, rounds: int) -> None:
    assert not warned(publish_cells(tmp_path, passed(), *[failed()] * (rounds - 1)))


@pytest.mark.parametrize("name", ["tasks/tidy.json", "index.json"])
def test_a_run_without_a_score_is_excluded_by_a_finding(tmp_path: Path, name: str) -> None:
    source = publish(tmp_path, {"tidy": {"Ada": [None, None], "Bob": [passed(), passed()]}})
    content = json.loads((source / name).read_text())
    (content["tasks"][0] if name == "index.json" else content)["score"]["Ada"] = None
    alter(source / name, **content)
    incoming = imported(source)
    assert [round_result.state for round_result in incoming.drafts[0].rounds] == ["excluded", "excluded"]
    (finding,) = incoming.findings
    assert (finding.effect, finding.submissions, finding.tasks) == ("exclude", ("2026-06-25-ada",), ("tidy",))
    assert [problem.code for problem in incoming.problems] == ["SOURCE-RUN-EXCLUDED"]
