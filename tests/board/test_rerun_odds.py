"""How often an honest rerun would be called reproduced, and what a board and its pages say of that."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from statistics import fmean, variance
from typing import Any

import numpy as np
import pytest
from kit.boards import NAMES, board, bundle, entry_of, track
from kit.findings import finding, with_findings
from kit.rendered_pages import certainty_page, submission_page
from kit.result_grids import records
from kit.shipped_results import shipped
from kit.task_cases import TEMPLATES, tree, words

from sitegen.board.board import Board
from sitegen.board.inference.rerun_odds import rerun_terms
from sitegen.board.inference.robustness import Robustness
from sitegen.board.inference.second_run_scores import second_runs
from sitegen.board.making import make_boards
from sitegen.board.reproduction import RerunTerms
from sitegen.models.finding import Finding
from sitegen.models.results import Bundle
from sitegen.pages.records import BoardRecords
from sitegen.pages.reruns import rerun_sentences

TASKS = 40


def drawn(name: str, share: float, tries: int, *, seed: int = 0, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    """Return a submission that passes every task with the same chance in every attempt."""
    random = np.random.default_rng([seed, *name.encode()])
    passed = random.random((TASKS, tries)) < share
    round_results = []
    for task, verdicts in zip(NAMES, passed.tolist(), strict=False):
        for number, is_passed in enumerate(verdicts, start=1):
            round_results += records(task, "#" if is_passed else ".", number)
    return bundle(name, found=round_results, **facts)


def ranked(*shares: float, attempts: int = 2) -> Board:
    """Return a board of agents with such chances to pass, called a, b, c and so on."""
    bundles = [drawn(NAMES[index], share, attempts) for index, share in enumerate(shares)]
    return board(*bundles, on=track(attempts=attempts), rounds=(1,) * TASKS)


def terms_of(made: Board, name: str = "a") -> RerunTerms:
    terms = rerun_terms(made, entry_of(made, name))
    assert terms is not None
    return terms


def said(made: Board, name: str = "a") -> str:
    return " ".join(rerun_sentences(made, entry_of(made, name)))


def test_an_agent_without_one_of_the_tasks_says_nothing_of_the_others() -> None:
    """A finding may exclude a task of one agent: its own runs are then over fewer tasks than the board's."""
    made = ranked(0.9, 0.5, 0.1)
    excluded = finding("A leak", effect="exclude", tasks=(NAMES[0],), submissions=("a",))
    judged_board = with_findings(made, excluded)
    assert said(judged_board, "a").count("the attempts of 2 other agents") == 1
    assert "its 2 attempts at each task" in said(judged_board, "b")
    page = certainty_page(judged_board, TEMPLATES)
    assert page is not None
    (study,) = tree(page).cssselect("#study > p")
    assert words(study).startswith(f"These figures come from the 2 attempts of 2 agents at {TASKS} tasks.")


def test_a_margin_goes_by_the_runs_where_it_tells_agents_apart() -> None:
    """Two attempts at 0.9 differ by 4 to 5 points on 40 tasks, and the others are 40 points away."""
    made = ranked(0.9, 0.5, 0.1)
    terms = terms_of(made)
    assert terms.fixed == 10
    assert 10 < terms.margin < 20
    assert terms.margin == terms.wanted
    assert terms.chance == pytest.approx(0.8, abs=1e-6)
    assert (terms.alike_pairs, terms.pairs) == (0, 3)
    assert terms.chance_at_fixed is not None
    assert terms.chance_at_fixed < 0.8
    assert said(made) == (
        f"A rerun counts as a reproduction if it is shown to score within {terms.margin:.1f} points of the original, "
        "the smallest margin an honest rerun would pass 80 % of the time, judging by its 2 attempts at each task. With "
        f"the usual margin of 10.0 points, it would pass {100 * terms.chance_at_fixed:.0f} % of the time. "
        "None of the 3 pairs of different agents on this board would pass."
    )


def test_a_rerun_is_held_against_that_margin() -> None:
    """The rerun of another seed scores the same within 14 points or so, and not within 10."""
    agent = {"name": "a"}
    bundles = [
        drawn("a", 0.9, 2, agent=agent),
        drawn("again", 0.9, 2, agent=agent, status={"state": "superseded", "by": "a"}),
        drawn("b", 0.5, 2),
        drawn("c", 0.1, 2),
    ]
    made = board(*bundles, on=track(attempts=2), rounds=(1,) * TASKS)
    finding = Finding(
        date=date(2026, 7, 1), kind="reproduction", title="Again", by="Ada", submissions=("a",), rerun="again"
    )
    (held,) = make_boards(replace(made.results, findings=(finding,)))
    (reproduction,) = held.reproductions["a"]
    assert reproduction.lead
    assert reproduction.margin == terms_of(held).margin > 10
    assert reproduction.holds == (reproduction.lead.margin <= reproduction.margin)
    assert f"where {reproduction.margin:.1f} is required" in reproduction.words or reproduction.holds


def test_many_attempts_keep_the_usual_margin() -> None:
    made = ranked(0.9, 0.5, 0.1, attempts=20)
    terms = terms_of(made)
    assert (terms.margin, terms.is_widened, terms.is_out_of_reach) == (10, False, False)
    assert "An honest rerun of this agent would pass more than 99 % of the time, judging" in said(made)


def test_a_margin_that_other_agents_pass_too_is_not_asked_for() -> None:
    made = ranked(0.6, 0.58, 0.56, 0.54, 0.52, 0.5, 0.48)
    terms = terms_of(made)
    assert (terms.margin, terms.is_out_of_reach) == (10, True)
    assert terms.alike_pairs_at_wanted >= 0.05 * terms.pairs
    assert terms.chance is not None
    assert terms.chance < 0.8
    assert "This board has too few tasks for a rerun to reach “reproduced”: with a margin of" in said(made)
    assert f"but so would {terms.alike_pairs_at_wanted} of 21 pairs of different agents." in said(made)


def test_a_margin_of_more_than_half_of_the_score_is_not_asked_for() -> None:
    """An agent that passes nothing is no rerun of one that passes a tenth."""
    made = ranked(0.1, 0.9)
    terms = terms_of(made)
    assert terms.zero_could_pass
    assert terms.margin == terms.fixed < 10
    assert "more than half the score, so a rerun without any success could pass" in said(made)


def test_without_another_agent_nothing_shows_what_a_margin_tells_apart() -> None:
    made = ranked(0.6)
    assert terms_of(made).is_out_of_reach
    assert "there is no other agent to show that this margin separates agents" in said(made)


def test_one_attempt_leaves_the_chance_unknown() -> None:
    made = ranked(0.9, 0.5, attempts=1)
    terms = terms_of(made)
    assert (terms.margin, terms.chance) == (10, None)
    assert terms.chance_if_like_agents is not None
    assert (
        "How often an honest rerun would pass is unknown, because no agent on this board attempted these tasks twice; "
        "if two runs of one agent differed as much as the median pair of agents here, "
    ) in said(made)


def test_a_row_with_one_attempt_goes_by_those_of_the_others() -> None:
    bundles = [drawn(name, 0.6, 4) for name in "bcd"]
    made = board(drawn("a", 0.6, 1, attempts=1), *bundles, on=track(attempts=4), rounds=(1,) * TASKS)
    assert "judging by the attempts of 3 other agents" in said(made)
    single_chance, four = (terms_of(made, name).chance_at_fixed or 0.0 for name in "ab")
    assert single_chance < four


def two_tracks(*findings: Finding, is_connected: bool = True) -> tuple[Board, ...]:
    """Return the boards of a track, and of one with the same agents and tasks that it may have replaced."""
    bundles = [drawn(name, share, 1) for name, share in (("a", 0.8), ("b", 0.4))]
    for name, share in (("a", 0.8), ("b", 0.4)):
        bundles.append(drawn(f"{name}-v1", share, 1, seed=1, agent={"name": name}, track="old"))
    made = board(*bundles, rounds=(1,) * TASKS)
    old = track(id="old", title="First runs", superseded_by="main" if is_connected else None)
    benchmark = made.benchmark.model_copy(update={"tracks": (made.track, old)})
    return make_boards(replace(made.results, benchmark=benchmark, findings=findings))


LEAK = Finding(date=date(2026, 6, 1), kind="leak", title="The tests lay open", by="Ada", tracks=("old",))


def test_runs_on_the_track_that_was_replaced_say_how_much_runs_differ() -> None:
    made, before = two_tracks()
    runs = second_runs(made)
    assert runs
    assert (runs.track.id, len(runs.tasks), runs.attempts, sorted(runs.scores)) == ("old", TASKS, 1, ["a", "b"])
    assert "judging by its two runs, on this track and on First runs." in said(made)
    assert second_runs(before)
    study = Robustness(made).study
    assert study
    current_scores, earlier_scores = (np.array(scores) for scores in zip(*runs.scores.values(), strict=True))
    run = np.var(current_scores - earlier_scores, axis=1, ddof=1).mean() / 2
    assert study.generalizability.components.run == pytest.approx(run)


def test_a_leak_in_these_runs_is_said_beside_them() -> None:
    made, _ = two_tracks(LEAK)
    assert said(made).endswith("A leak affects these runs, so part of their difference may not be noise.")
    page = certainty_page(made, TEMPLATES)
    assert page is not None
    (study,) = tree(page).cssselect("#study p")
    assert "These figures come from two runs of 2 agents at 40 tasks: on this track, and on First runs." in words(study)
    assert "A finding concerns these runs: “The tests lay open” (2026-06-01)." in words(study)


def test_a_track_of_other_conditions_is_no_second_run() -> None:
    made, _ = two_tracks(is_connected=False)
    assert second_runs(made) is None
    assert terms_of(made).chance is None
    page = certainty_page(made, TEMPLATES)
    assert page is not None
    assert "a second run of two agents on a track that replaces this one" in words(tree(page))


def test_pages_have_the_margin_and_the_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = ranked(0.9, 0.5, 0.1)
    for entry in made.entries:
        (tmp_path / "results" / "mini" / "submissions" / entry.id).mkdir(parents=True)
    page = submission_page(BoardRecords(made), entry_of(made, "a"), TEMPLATES)
    (odds,) = tree(page).cssselect("[data-rerun-odds]")
    assert words(odds).startswith(said(made))
    sure = certainty_page(made, TEMPLATES)
    assert sure is not None
    rows = [[words(cell) for cell in row] for row in tree(sure).cssselect("#reruns tbody tr")]
    assert len(rows) == 3
    assert rows[0][:2] == ["a", f"{terms_of(made).margin:.1f}"]
    assert rows[0][2].startswith("80 % (roughly ")
    (about,) = tree(sure).cssselect("#reruns p")
    unreachable = sum(terms_of(made, name).is_out_of_reach for name in "abc")
    applies = f"applies to {unreachable} of 3 agents"
    if unreachable in {0, 3}:
        applies = "applies to all 3 agents" if unreachable else "does not apply to any agent"
    assert words(about).endswith(f"This {applies} here.")


def task_shares(folder: Path) -> dict[str, float]:
    """Return the percentage of the rounds that count and pass at each task, by the records of a submission."""
    passed: dict[str, list[bool]] = {}
    for line in (folder / "rounds.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["state"] != "excluded":
            passed.setdefault(record["task"], []).append(record["reward"] >= 0.999)
    return {task: 100 * sum(rounds) / len(rounds) for task, rounds in passed.items()}


def shipped_runs() -> tuple[list[list[float]], list[list[float]]]:
    """Return what the agents of both EvoCode-Bench runs score at each shared task: in June's second run, and first."""
    folder = Path(__file__).parents[2] / "results" / "evocode-bench" / "submissions"
    second, first = [], []
    for path in sorted(folder.glob("2026-06-13-*")):
        before, after = task_shares(path), task_shares(folder / path.name.replace("06-13", "06-25"))
        tasks = sorted(set(before) & set(after))
        second.append([after[task] for task in tasks])
        first.append([before[task] for task in tasks])
    return second, first


def difference(first: Sequence[float], second: Sequence[float]) -> list[float]:
    return [first_value - second_value for first_value, second_value in zip(first, second, strict=True)]


def test_the_shipped_double_run_says_how_much_is_luck() -> None:
    """Computed here from the records, in plain Python: 62 % of a score's variance, 94 % of a difference's."""
    second, first = shipped_runs()
    agents = range(len(second))
    run = fmean(variance(difference(second[agent], first[agent])) for agent in agents) / 2
    of_scores = run / fmean(variance(row) for row in second)
    pairs = [variance(difference(second[a], second[b])) for a in agents for b in agents if a < b]
    of_differences = 2 * run / fmean(pairs)
    assert (len(second), len(second[0])) == (10, 25)
    assert [of_scores, of_differences] == pytest.approx([0.62, 0.94], abs=0.005)
    made = next(board for board in shipped().all_boards() if board.track.id == "official")
    study = Robustness(made).study
    assert study
    assert study.generalizability.run_share_of_scores.share == pytest.approx(of_scores)
    assert study.generalizability.run_share_of_differences.share == pytest.approx(of_differences)
    one_attempt, four = (study.generalizability.tasks_needed(10.0, attempts) for attempts in (1, 4))
    assert one_attempt
    assert four
    assert (one_attempt.tasks, four.tasks) == (79, 25)


def test_no_honest_rerun_of_the_shipped_leader_passes() -> None:
    made = next(board for board in shipped().all_boards() if board.track.id == "official")
    terms = rerun_terms(made, made.ranked_entries[0])
    assert terms
    assert terms.chance is not None
    assert terms.chance < 0.01
    assert (terms.is_out_of_reach, terms.alike_pairs_at_wanted, terms.pairs) == (True, 51, 78)


def test_five_attempts_of_the_shipped_board_are_studied() -> None:
    made = next(board for board in shipped().all_boards() if board.benchmark.id == "terminal-bench-core")
    study = Robustness(made).study
    assert study
    assert (
        study.runs,
        study.generalizability.agents,
        study.generalizability.tasks,
        study.generalizability.attempts,
    ) == (None, 13, 80, 5)
    one_attempt, five = (study.generalizability.tasks_needed(10.0, attempts) for attempts in (1, 5))
    assert one_attempt
    assert five
    assert (one_attempt.tasks, five.tasks) == (201, 118)
