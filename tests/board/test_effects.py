"""What findings do to scores, ranks and claims."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.boards import board, bundle, claims, entry_of, track
from kit.findings import finding, with_findings
from kit.result_grids import records
from kit.task_cases import board as board_of_cases
from kit.task_cases import counted as counts
from kit.task_cases import ran, submission
from kit.task_cases import task as task_of_cases

from sitegen.board.board import Board
from sitegen.board.claims import entry_problems
from sitegen.board.entry import Entry
from sitegen.board.explanation import explanation
from sitegen.board.findings import with_effects
from sitegen.board.making import make_boards
from sitegen.models.finding import Finding
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case, Task, TaskRound

TWO = board(bundle("ada", "##.#", "#."), bundle("bob", "#...", "##"), rounds=(4, 2))
"""Dataset scores: 62.5 and 62.5."""


def scores(made: Board) -> Mapping[str, float | None]:
    """Give the dataset score of each row."""
    return {entry.id: entry.value("dataset_score") for entry in made.all_entries}


def record(made: Board, name: str, number: int) -> RoundResult:
    """Give the record of a round of the first task."""
    entry_bundle = entry_of(made, name).bundle
    assert entry_bundle
    return next(
        round_result for round_result in entry_bundle.rounds if (round_result.task, round_result.round) == ("a", number)
    )


def test_a_note_changes_nothing() -> None:
    noted = with_findings(TWO, finding("odd", tasks=("a",)))
    assert scores(noted) == scores(TWO)
    assert noted.without_findings is noted


def test_an_excluded_round_leaves_the_denominator_of_all() -> None:
    excluded = with_findings(TWO, finding("odd", effect="exclude", tasks=("a",), rounds=(3,)))
    assert scores(excluded) == pytest.approx({"ada": 75, "bob": 100 * (1 / 3 + 1) / 2})
    assert record(excluded, "ada", 3).state == "excluded"
    assert scores(excluded.without_findings) == scores(TWO)


def test_a_round_excluded_of_one_row_stays_for_the_others() -> None:
    excluded = with_findings(TWO, finding("odd", effect="exclude", tasks=("a",), rounds=(3,), submissions=("ada",)))
    assert scores(excluded) == {"ada": 75, "bob": 62.5}
    assert entry_of(excluded, "bob").without_findings is None


def test_a_round_that_counts_0_stays_in_the_denominator() -> None:
    zeroed = with_findings(TWO, finding("leak", effect="zero", tasks=("a",), rounds=(1,), submissions=("ada",)))
    assert scores(zeroed) == {"ada": 50, "bob": 62.5}
    assert (record(zeroed, "ada", 1).reward, record(zeroed, "ada", 1).passed) == (0, 0)
    assert (zeroed.ranks, TWO.ranks) == ({"bob": 1, "ada": 2}, {"ada": 1, "bob": 1})


def test_a_round_that_counts_0_counts_0_in_every_category() -> None:
    made = board_of_cases(task_of_cases(None), submission("ada", counts(1, 2, 3, by_category={"core": (2, 3)})))
    zeroed = with_findings(made, finding("leak", effect="zero"))
    assert record(zeroed, "ada", 1).by_category == {"core": (0, 3)}


def test_a_submission_is_withdrawn_with_the_finding_s_words() -> None:
    withdrawn = with_findings(TWO, finding("leak", effect="withdraw", submissions=("ada",), tasks=("a",)))
    status = entry_of(withdrawn, "ada").status
    assert (status.state, status.by, status.reason, status.date) == ("withdrawn", "Ada", "It is so.", date(2026, 7, 1))
    assert [entry.id for entry in withdrawn.entries] == ["bob"]
    assert {entry.id for entry in withdrawn.without_findings.entries} == {"ada", "bob"}


def test_the_first_of_several_findings_withdraws() -> None:
    late = finding("late", effect="withdraw", submissions=("ada",))
    early = finding("early", effect="withdraw", submissions=("ada",), date=date(2026, 6, 30), reason="It came first.")
    assert entry_of(with_findings(TWO, late, early), "ada").status.reason == "It came first."


def test_what_was_withdrawn_already_keeps_its_words() -> None:
    gone = board(bundle("ada", "##", status={"state": "withdrawn", "reason": "Mine."}))
    assert entry_of(with_findings(gone, finding("x", effect="withdraw")), "ada").status.reason == "Mine."


def test_what_was_sent_in_as_excluded_stays_as_it_is() -> None:
    sent = board(bundle("ada", found=[RoundResult("a", 1, 1, "excluded", 0), RoundResult("a", 1, 2, "scored", 1)]))
    excluded = with_findings(sent, finding("odd", effect="exclude", tasks=("a",), rounds=(1,)))
    assert entry_of(excluded, "ada").without_findings is None


def test_a_waiver_changes_no_result() -> None:
    waived = with_findings(TWO, finding("x", kind="waiver", code="CLAIM-DIFFERS", effect="zero"))
    assert scores(waived) == scores(TWO)


def records_of(entry: Entry) -> Mapping[tuple[str, int], RoundResult]:
    """Give the records of a row by task and round."""
    return (
        {(round_result.task, round_result.round): round_result for round_result in entry.bundle.rounds}
        if entry.bundle
        else {}
    )


def rewards_of(entry: Entry) -> Mapping[str, object]:
    """Give the rewards of a row that count, by task."""
    return (
        {grid.task.id: grid.rewards.tolist() for grid in entry.submission_results.tasks}
        if entry.submission_results
        else {}
    )


LISTED = task_of_cases(["c1", "c2", "c3"], None)
"""One round with cases, one without a list."""


def judged(round_result: RoundResult, cases: tuple[str, ...] = ("c2",), about: Task = LISTED) -> RoundResult:
    """Exclude cases of a round, and give its record."""
    made = board_of_cases(about, submission("ada", round_result))
    excluded = finding("odd", effect="exclude", tasks=("a",), rounds=(round_result.round,), cases=cases)
    return record(with_findings(made, excluded), "ada", round_result.round)


def test_a_round_that_failed_by_an_excluded_case_alone_passes() -> None:
    result = judged(ran(1, "pfp"))
    assert (result.reward, result.passed, result.total, result.outcomes) == (1, 2, 2, "pp")
    assert result.case_ids == ("c1", "c3")


def test_a_round_with_another_failed_case_fails_still() -> None:
    result = judged(ran(1, "pff"))
    assert (result.reward, result.passed, result.total) == (0, 1, 2)


def test_a_round_that_passed_passes_without_a_case() -> None:
    result = judged(ran(1, "ppp"))
    assert (result.reward, result.passed, result.total) == (1, 2, 2)


def test_a_round_that_is_left_without_a_case_is_excluded() -> None:
    assert judged(ran(1, "pff"), ("c1", "c2", "c3")).state == "excluded"


def test_a_round_without_a_case_left_is_excluded_also_where_no_case_ran() -> None:
    """Else an agent that never got there would fail a round that counts for nobody else."""
    round_result = RoundResult("a", 1, 1, "unreached", 0, 0, 0)
    assert judged(round_result, ("c1", "c2", "c3")).state == "excluded"
    made = board_of_cases(LISTED, submission("ada", round_result))
    excluded = finding("odd", effect="exclude", tasks=("a",), rounds=(1,), cases=("c1", "c2", "c3"))
    assert with_findings(made, excluded).counted_tasks_and_rounds == (1, 1)


def test_a_round_that_findings_exclude_case_by_case_is_excluded() -> None:
    made = board_of_cases(LISTED, submission("ada", ran(1, "pff"), ran(2, "p")))
    halves = [
        finding(f"odd {cases}", effect="exclude", tasks=("a",), rounds=(1,), cases=cases)
        for cases in (("c1",), ("c2", "c3"))
    ]
    excluded = with_findings(made, *halves)
    assert record(excluded, "ada", 1).state == "excluded"
    assert excluded.counted_tasks_and_rounds == (1, 1)


def test_an_excluded_round_without_a_record_leaves_the_denominator() -> None:
    """A waiver may let records be missing; what counts for nobody does not count as failed."""
    lacking = bundle("ada", "## #")
    excluded = finding("odd", effect="exclude", tasks=("a",), rounds=(3,))
    assert scores(with_findings(board(lacking, rounds=(4,)), excluded)) == {"ada": 100}


def test_skipped_cases_are_counted_again() -> None:
    result = judged(ran(1, "psf"), ("c2",))
    assert (result.passed, result.total, result.skipped) == (1, 2, 0)


def test_cases_that_a_record_names_are_found_by_these_names() -> None:
    result = judged(ran(2, "fp", case_ids=("x", "y")), ("x",))
    assert (result.reward, result.passed, result.total, result.case_ids) == (1, 1, 1, ("y",))


def test_a_case_that_did_not_run_there_changes_nothing() -> None:
    round_result = ran(2, "fp", case_ids=("x", "y"))
    assert judged(round_result, ("z",)) == round_result


def test_an_excluded_case_leaves_its_category() -> None:
    about = Task("a", (TaskRound(1, cases=(Case("c1", "core"), Case("c2", "error"))),))
    result = judged(ran(1, "pf", by_category={"core": (1, 1), "error": (0, 1)}), about=about)
    assert result.by_category == {"core": (1, 1), "error": (0, 0)}


@pytest.mark.parametrize(
    "round_result",
    [counts(1, 2, 3), ran(2, "pfp"), ran(1, "pf"), ran(1, "pfp", by_category={"core": (2, 3)})],
    ids=["counts only", "no names", "another suite", "categories unknown"],
)
def test_a_round_whose_cases_are_not_known_keeps_its_result_and_this_is_told(round_result: RoundResult) -> None:
    made = board_of_cases(LISTED, submission("ada", round_result))
    excluded = finding("odd", effect="exclude", tasks=("a",), rounds=(round_result.round,), cases=("c2",))
    entry = entry_of(with_findings(made, excluded), "ada")
    assert entry.bundle
    assert entry.bundle.rounds == (round_result,)
    (problem,) = entry_problems(entry)
    assert (problem.code, problem.severity, problem.line) == ("FINDING-UNAPPLIED", "warning", 1)
    assert problem.path.name == "rounds.jsonl"


def test_a_round_in_which_no_case_ran_is_not_judged_again() -> None:
    round_result = RoundResult("a", 1, 1, "no_cases", 0, 0, 0)
    assert judged(round_result) == round_result


def test_a_claim_from_before_a_finding_is_a_note() -> None:
    claimed = board(bundle("ada", "##.#", claims=claims(dataset_score="75.0")), rounds=(4,))
    excluded = with_findings(claimed, finding("odd", effect="exclude", tasks=("a",), rounds=(3,)))
    (problem,) = entry_problems(entry_of(excluded, "ada"))
    assert (problem.code, problem.severity, problem.line) == ("CLAIM-BEFORE-FINDING", "note", 12)
    assert (
        problem.what == "Dataset Score: 75.0 claimed, which is the score without findings; with findings, it is 100.0"
    )


@pytest.mark.parametrize(("claim", "codes"), [("100.0", []), ("80.0", ["CLAIM-DIFFERS"])])
def test_a_claim_is_held_against_the_score_with_findings(claim: str, codes: list[str]) -> None:
    claimed = board(bundle("ada", "##.#", claims=claims(dataset_score=claim)), rounds=(4,))
    excluded = with_findings(claimed, finding("odd", effect="exclude", tasks=("a",), rounds=(3,)))
    assert [problem.code for problem in entry_problems(entry_of(excluded, "ada"))] == codes


@pytest.mark.parametrize(("day", "code"), [(24, "CLAIM-BEFORE-FINDING"), (26, "CLAIM-DIFFERS")])
def test_a_claim_that_was_right_under_the_findings_of_its_day_is_no_error(day: int, code: str) -> None:
    """It was made on 25 June: with round 3 excluded two of three pass, and a later finding takes one of them."""
    claimed = board(bundle("ada", "#..#", claims=claims(dataset_score="66.7")), rounds=(4,))
    earlier = finding("odd", effect="exclude", tasks=("a",), rounds=(3,), date=date(2026, 6, day))
    later = finding("seen", kind="leak", effect="zero", tasks=("a",), rounds=(1,), date=date(2026, 7, 1))
    (problem,) = entry_problems(entry_of(with_findings(claimed, earlier, later), "ada"))
    assert problem.code == code
    expected_text = "66.7 claimed, which was the score with earlier findings; with all findings, it is 33.3"
    assert (expected_text in problem.what) == (code == "CLAIM-BEFORE-FINDING")


def test_results_that_no_finding_changes_stay_the_same_object() -> None:
    assert with_effects(TWO.results) is TWO.results


def test_an_explanation_tells_the_finding_and_both_scores() -> None:
    shown = with_findings(TWO, finding("Round 3 is odd", effect="exclude", tasks=("a",), rounds=(3,)))
    entry = entry_of(shown, "ada")
    assert entry.bundle
    lines = list(explanation(shown, entry, entry.bundle))
    assert "  finding 2026-07-01-round-3-is-odd (exclude): Round 3 is odd" in lines
    assert "  attempt 1, round 3: excluded, reward 0" in lines
    assert "  Without the effects of findings: 62.5" in lines


MARKS = st.text("#.", min_size=3, max_size=3)
SCOPES = st.fixed_dictionaries(
    {
        "effect": st.sampled_from(["exclude", "zero"]),
        "submissions": st.sets(st.sampled_from(["ada", "bob"])).map(tuple),
        "tasks": st.sets(st.sampled_from(["a", "b", "c"]), min_size=1).map(tuple),
        "rounds": st.sets(st.integers(1, 3)).map(tuple),
    }
)


PAIRS = st.tuples(st.tuples(MARKS, MARKS, MARKS), st.tuples(MARKS, MARKS, MARKS))


def drawn(pair: tuple[tuple[str, ...], ...], drawn_finding: Finding) -> tuple[Board, Board]:
    """Give the board of two submissions to tasks a, b and c, and the one with a finding."""
    sent = board(*(bundle(name, *marks) for name, marks in zip(("ada", "bob"), pair, strict=True)), rounds=(3, 3, 3))
    return sent, with_findings(sent, drawn_finding)


@given(PAIRS, SCOPES)
def test_a_finding_changes_no_record_but_those_that_it_concerns(
    pair: tuple[tuple[str, ...], ...], scope: dict[str, object]
) -> None:
    drawn_finding = finding("drawn", **scope)
    sent, made = drawn(pair, drawn_finding)
    for entry in made.all_entries:
        records = records_of(entry_of(sent, entry.id))
        changed = [key for key, round_result in records_of(entry).items() if round_result != records[key]]
        assert all(drawn_finding.concerns("main", entry.id, *key) for key in changed)


@given(PAIRS, SCOPES)
def test_a_finding_changes_no_score_of_a_task_that_it_does_not_concern(
    pair: tuple[tuple[str, ...], ...], scope: dict[str, object]
) -> None:
    drawn_finding = finding("drawn", **scope)
    sent, made = drawn(pair, drawn_finding)
    for entry in made.all_entries:
        rewards = rewards_of(entry)
        other_rewards = {
            task: grid for task, grid in rewards_of(entry_of(sent, entry.id)).items() if task not in drawn_finding.tasks
        }
        assert {task: rewards[task] for task in other_rewards} == other_rewards


@given(PAIRS, SCOPES)
def test_the_board_without_findings_is_the_one_that_was_sent_in(
    pair: tuple[tuple[str, ...], ...], scope: dict[str, object]
) -> None:
    sent, made = drawn(pair, finding("drawn", **scope))
    assert scores(made.without_findings) == scores(sent)
    assert made.without_findings.ranks == sent.ranks


RELAY = track(protocol="fail-stop", reference_rounds=True, headline="mt_at_k", columns=("mt_at_k", "sr"))


@given(st.text("#.x-", min_size=3, max_size=3), st.text("#.-", min_size=3, max_size=3), SCOPES)
@example("xx#", "---", {"effect": "exclude", "submissions": (), "tasks": ("a",), "rounds": (1,)})
def test_scores_after_findings_are_those_of_the_records_after_findings(
    own: str, reference: str, scope: dict[str, object]
) -> None:
    """Tasks that nothing changed are not arranged anew; that must not show, rounds from the reference state or not."""
    round_results = [*records("a", own), *records("a", reference, start="reference"), *records("b", own[::-1])]
    sent = board(bundle("ada", found=round_results), on=RELAY, rounds=(3, 3))
    made = with_findings(sent, finding("drawn", **scope))
    (anew,) = make_boards(replace(made.results, bundles=with_effects(made.results).bundles, findings=()))
    score_values = [
        {name: score.value for name, score in entry_of(scored_board, "ada").scores.items()}
        for scored_board in (made, anew)
    ]
    assert score_values[0] == score_values[1]


@given(st.tuples(MARKS, MARKS, MARKS), SCOPES)
def test_a_finding_that_concerns_nothing_changes_nothing(ada: tuple[str, ...], scope: dict[str, object]) -> None:
    sent = board(bundle("ada", *ada), rounds=(3, 3, 3))
    elsewhere: list[Finding] = [
        finding("elsewhere", **{**scope, "tracks": ("other",)}),
        finding("elsewhere", **{**scope, "submissions": ("nobody",)}),
        finding("elsewhere", **{**scope, "tasks": ("none",)}),
        finding("elsewhere", **{**scope, "rounds": (9,)}),
    ]
    results = replace(sent.results, findings=tuple(elsewhere))
    assert with_effects(results).bundles == sent.results.bundles
    assert all(
        after is before for after, before in zip(with_effects(results).bundles, sent.results.bundles, strict=True)
    )
