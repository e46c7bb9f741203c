"""Rounds of a withdrawn track beside those of the track that replaced it."""

from dataclasses import replace
from pathlib import Path

from kit.boards import bundle, track
from kit.findings import finding
from kit.result_grids import task

from sitegen.board.board import Board
from sitegen.board.history.successor_rounds import RoundTransitions, successor_runs
from sitegen.board.making import make_boards
from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import TaskSet

TRACKS = (
    track(id="old", title="Old", status="withdrawn", reason="it leaked", superseded_by="main"),
    track(title="New"),
)


def old_board(*findings: Finding) -> Board:
    """Return a withdrawn board whose only agent passed 2 of 3 rounds there, and another 2 on the new track."""
    benchmark = Benchmark.model_validate({"schema": 1, "id": "mini", "title": "Mini", "tracks": TRACKS})
    bundles = (
        bundle("ada-1", "##.", track="old", agent={"name": "Ada"}),
        bundle("ada-2", "#.#", agent={"name": "Ada"}),
    )
    results = BenchmarkResults(Path("mini"), benchmark, {"all": TaskSet("all", (task("a", 3),))}, bundles)
    boards = make_boards(replace(results, findings=findings))
    (old,) = (board for board in boards if board.track.id == "old")
    return old


def test_rounds_are_compared_with_the_same_agent_s_on_the_new_track() -> None:
    (run,) = successor_runs(old_board())
    assert run.over_all_tasks == RoundTransitions(passed_before=2, gained=1, lost=1, rounds=3)


def test_each_scaffold_of_an_agent_is_compared_with_its_own_results() -> None:
    benchmark = Benchmark.model_validate({"schema": 1, "id": "mini", "title": "Mini", "tracks": TRACKS})
    bundles = []
    for scaffold, marks_before, marks in (("Terminus", "#..", "##."), ("OpenHands", "...", "###")):
        agent = {"name": "Ada", "scaffold": scaffold}
        bundles.append(bundle(f"old-{scaffold}", marks_before, track="old", agent=agent))
        bundles.append(bundle(f"new-{scaffold}", marks, agent=agent))
    results = BenchmarkResults(Path("mini"), benchmark, {"all": TaskSet("all", (task("a", 3),))}, tuple(bundles))
    old = make_boards(results)[0]
    gained = {run.entry.agent.scaffold: run.over_all_tasks.gained for run in successor_runs(old)}
    assert gained == {"Terminus": 1, "OpenHands": 3}


def test_a_round_that_a_finding_excludes_from_the_new_track_is_not_compared() -> None:
    excluded = finding("A broken test", effect="exclude", tracks=("main",), tasks=("a",), rounds=(3,))
    (run,) = successor_runs(old_board(excluded))
    assert run.over_all_tasks == RoundTransitions(passed_before=2, gained=0, lost=1, rounds=2)
