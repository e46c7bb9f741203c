"""The results that ship: real figures, what their tool makes of the published files, and nothing that is simulated."""

import gzip
import json
import shutil
import tomllib
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
import shipped_results
import terminal_bench_board
from kit.command import done
from kit.real_data import real_data
from kit.shipped_results import RESULTS, shipped

from sitegen.board.board import Board
from sitegen.pages.labels import facts

DRAWN = {"low", "high", "first", "last", "program"}
LATER = {"labels", "axes"}
"""What releases of later programs record besides; a published release stays as it was locked."""
REWORDED = {"reason"}
"""What may be said better after a release, which stays as it was locked."""
TEXTS = {"intent", "scenario", "input", "expected", "actual", "reason"}


@pytest.fixture(scope="module")
def boards() -> dict[str, Board]:
    judged = shipped()
    assert not [problem for problem in judged.problems() if problem.is_error]
    return {f"{board.benchmark.id}/{board.track.id}": board for board in judged.all_boards()}


def test_the_first_board_has_thirteen_recomputed_rows(boards: dict[str, Board]) -> None:
    first = next(iter(boards.values()))
    assert (first.benchmark.id, first.track.id) == ("evocode-bench", "official")
    assert [entry.evidence for entry in first.entries] == ["recomputed"] * 13
    assert all(entry.id in first.ranks for entry in first.entries)


def test_the_task_without_a_file_counts_for_nobody(boards: dict[str, Board]) -> None:
    board = boards["evocode-bench/official"]
    assert facts(board).startswith("13 agents · 25 of 26 tasks · 216 of 227 rounds")
    assert {str(entry.coverage) for entry in board.entries} == {"216/216"}


def test_no_claim_over_all_tasks_is_held_against_scores_over_fewer(boards: dict[str, Board]) -> None:
    entries = boards["evocode-bench/official"].entries
    scores = [score for entry in entries for score in entry.claimed]
    assert len(scores) == 52
    assert all(score.claims_over_other_tasks == score.claims for score in scores)
    assert {claim.tasks for score in scores for claim in score.claims} == {26}
    assert not any(len({(claim.value, claim.source) for claim in score.claims}) < len(score.claims) for score in scores)


def test_of_the_first_runs_claims_one_differs(boards: dict[str, Board]) -> None:
    scores = [score for entry in boards["evocode-bench/official-v1"].entries for score in entry.claimed]
    agreeing = [score.disputed for score in scores]
    assert (len(agreeing), sum(map(bool, agreeing))) == (30, 1)
    (apart,) = (score for score in scores if score.disputed)
    assert (apart.metric.id, str(apart.disputed[0].value), round(apart.value or 0, 2)) == ("case_score", "45.5", 45.68)


def test_a_catalogue_is_registered_before_anybody_submits(boards: dict[str, Board]) -> None:
    board = boards["slop-code-bench/v1"]
    assert (len(board.tasks.tasks), board.tasks.rounds, len(board.all_entries)) == (36, 196, 0)


def test_nothing_that_ships_is_simulated() -> None:
    assert not any(benchmark.benchmark.simulated for benchmark in shipped().results.benchmarks)


def test_no_sentence_of_a_source_ships() -> None:
    for path in RESULTS.glob("*/submissions/*/failures.jsonl.gz"):
        for failure in map(json.loads, gzip.decompress(path.read_bytes()).splitlines()):
            assert not TEXTS & failure.keys()
    for path in RESULTS.glob("*/tasks/*.jsonl"):
        for task in map(json.loads, path.read_bytes().splitlines()):
            assert not any(round_result.keys() & {"title", "instruction"} for round_result in task["rounds"])


def test_the_tool_makes_what_ships(tmp_path: Path) -> None:
    source = real_data("evocodebench")
    made = Path(
        shutil.copytree(RESULTS, tmp_path / "results", ignore=shutil.ignore_patterns("submissions", "releases"))
    )
    shipped_results.make(source, made, done)
    terminal_bench_board.make(real_data("real", "terminal-bench", "results"), made, done)
    assert files_of(made) == files_of(RESULTS)


def files_of(folder: Path) -> dict[Path, object]:
    """Give what each file of a results folder says."""
    return {path.relative_to(folder): said_by(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def said_by(path: Path) -> object:
    """Give what a file says, but for what another machine may pack or sum up otherwise: draws of a release."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    return without_draws(tomllib.loads(data.decode())) if path.parent.name == "releases" else data


def without_draws(document: object) -> object:
    """Drop what a later program computes otherwise: intervals, and versions of definitions; and what was reworded."""
    if isinstance(document, dict):
        dropped = DRAWN | LATER | REWORDED | {"versions"}
        return {key: without_draws(value) for key, value in document.items() if key not in dropped}
    return list(map(without_draws, document)) if isinstance(document, list) else document


@pytest.mark.parametrize(
    ("second", "turns", "expected_text"),
    [
        (
            "2026-06-20-subset",
            {(0, 0): 391, (0, 1): 169, (1, 0): 70, (1, 1): 90},
            "of 720 rounds, 239 have another verdict. 169 pass now and did not, 70 passed",
        ),
        (
            "2026-06-25",
            {(0, 0): 1499, (0, 1): 241, (1, 0): 154, (1, 1): 195},
            "395 of the 2,089 rounds that have a verdict in both runs have another one: 241 pass now and did not, 154",
        ),
    ],
)
def test_findings_count_what_two_runs_tell(second: str, turns: dict[tuple[int, int], int], expected_text: str) -> None:
    """The figures in `findings.toml`, recounted from the files of both days."""
    days = [real_data("evocodebench", day, "tasks") for day in ("2026-06-13", second)]
    reward_pairs: Counter[tuple[int, int]] = Counter()
    for path in sorted(days[1].glob("*.json")):
        before, after = (json.loads((folder / path.name).read_bytes())["models"] for folder in days)
        cells = ((cell, after[agent][number]) for agent, rounds in before.items() for number, cell in rounds.items())
        reward_pairs.update(
            (old_cell["reward"], new_cell["reward"]) for old_cell, new_cell in cells if old_cell and new_cell
        )
    assert dict(reward_pairs) == turns
    assert expected_text in (RESULTS / "evocode-bench" / "findings.toml").read_text(encoding="utf-8")


def test_three_rounds_are_all_that_differs_between_the_last_two_days() -> None:
    earlier, later = (real_data("evocodebench", day, "tasks") for day in ("2026-06-20-subset", "2026-06-25"))
    apart = {}
    for path in sorted(earlier.glob("*.json")):
        before, after = (json.loads((folder / path.name).read_bytes())["models"] for folder in (earlier, later))
        for agent, number in product(before, before["GPT-5.5"]):
            old_cell, new_cell = before[agent][number], after[agent][number]
            if counts(old_cell) != counts(new_cell):
                apart[agent, path.stem, number] = (old_cell, counts(new_cell))
    task = "theme_d9_w11_security_automation_scripting"
    assert apart == {
        ("GLM-5.2", task, "13"): (None, (0, 9, 76)),
        ("GLM-5.2", task, "14"): (None, (0, 54, 58)),
        ("GLM-5.2", task, "15"): (None, (0, 60, 68)),
    }


def counts(cell: dict[str, int] | None) -> tuple[int, int, int] | None:
    return None if cell is None else (cell["reward"], cell["pass"], cell["total"])
