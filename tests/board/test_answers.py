"""What a page says first: every sentence where it holds, and the weaker one where it does not."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from kit.boards import board, bundle, entry_of, row, table, track
from kit.chart_boards import counts, printed
from kit.result_grids import records

from sitegen.board.answers.answer import LONGEST, Answer, answered
from sitegen.board.answers.news import changes_of, release_answer, unchanged
from sitegen.board.answers.ranking_headlines import (
    board_answer,
    certainty_answer,
    compare_answer,
    neighbours,
    row_answer,
    snapshot_answer,
)
from sitegen.board.answers.work import (
    part_answer,
    round_answer,
    run_answer,
    task_answer,
    tasks_answer,
    transcripts_answer,
)
from sitegen.board.board import Board
from sitegen.board.history.ledger import ReleaseEvents, events_between
from sitegen.board.history.releases import lock_boards
from sitegen.board.inference.robustness import Robustness
from sitegen.board.wording import score_noun
from sitegen.metrics import catalogue
from sitegen.metrics.metric import Metric
from sitegen.models.outcome import RoundResult
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedRow, LockedScore, Release

EIGHT = (1,) * 8
APART = board(bundle("ash", *"########"), bundle("elm", *"........"), rounds=EIGHT)
THREE = board(bundle("ash", *"########"), bundle("elm", *"#......."), bundle("oak", *"........"), rounds=EIGHT)
BETWEEN = board(bundle("ash", *"########"), bundle("elm", *"####...."), bundle("oak", *"........"), rounds=EIGHT)
REPORTED = board(tables=[table(row("ash", "42.0"), row("elm", "40.0"))])
EQUAL = board(bundle("ash", *"##......"), bundle("elm", *"......##"), rounds=EIGHT)
NO_PAIR = "None of the 3 pairs of agents differ clearly"


def said(answer: Answer | None) -> str:
    return answer.text if answer else ""


def sure(answer: Answer | None) -> str:
    return answer.certainty if answer else ""


@pytest.mark.parametrize(
    ("made", "expected_answer"),
    [
        (APART, "ash leads with 100.0; elm follows with 0.0"),
        (THREE, "ash leads with 100.0; elm follows with 12.5"),
        (BETWEEN, "2 agents could be first; ash has the highest Dataset Score, 100.0"),
        (EQUAL, "2 agents could be first; ash and elm share the highest Dataset Score, 25.0"),
        (REPORTED, "ash has the highest Dataset Score, 42.0; elm follows with 40.0"),
        (
            board(tables=[table(row("ash"), row("elm", "40.0"), row("oak", "40.0"))]),
            "ash has the highest Dataset Score, 42.0; elm and oak follow with 40.0",
        ),
        (
            board(tables=[table(row("ash"), row("elm"), row("oak"))]),
            "3 agents share the highest Dataset Score, 42.0",
        ),
        (
            board(bundle("ash", "##", "#."), rounds=(2, 2)),
            "ash is the only agent ranked here (Dataset Score 75.0)",
        ),
        (board(rounds=(2,)), ""),
    ],
)
def test_a_board_says_who_is_first_as_far_as_that_is_shown(made: Board, expected_answer: str) -> None:
    assert said(board_answer(made)) == expected_answer


def test_of_a_score_that_should_be_low_the_lowest_is_first() -> None:
    on = track(headline="avg_rounds", columns=("avg_rounds",))
    bundles = [
        bundle(name, found=[record for task in "abcdefgh" for record in records(task, "#", interactions=turns)])
        for name, turns in (("ash", 3), ("elm", 3))
    ]
    assert said(board_answer(board(*bundles, on=on, rounds=EIGHT))).endswith(
        "ash and elm share the lowest value of Tool calls per round, 3.0"
    )


def test_a_count_of_tasks_is_told_with_of_how_many() -> None:
    on = track(headline="perfect_tasks", columns=("perfect_tasks",))
    made = board(bundle("ash", *"########"), bundle("elm", *"........"), rounds=EIGHT, on=on)
    assert said(board_answer(made)) == "ash leads with 8 of 8; elm follows with 0 of 8"


def test_namesakes_are_told_apart() -> None:
    agents = ({"name": "Acme", "scaffold": "tin"}, {"name": "Acme", "scaffold": "zinc"})
    marks = (("a", *"#" * 8), ("b", *"." * 8))
    made = board(
        *(bundle(*named_marks, agent=agent) for named_marks, agent in zip(marks, agents, strict=True)), rounds=EIGHT
    )
    assert said(board_answer(made)) == "Acme (tin) leads with 100.0; Acme (zinc) follows with 0.0"


@pytest.mark.parametrize(
    ("made", "expected_certainty"),
    [
        (APART, "The lead of 100.0 points has a 95 % interval of 26.1 to 100.0."),
        (THREE, "Behind the leader, the next two agents are too close to call."),
        (BETWEEN, "All neighbouring agents are too close to call."),
        (REPORTED, "The order is not tested: these are published scores without raw data."),
        (
            board(bundle("ash", "##"), bundle("elm", "#.")),
            "The order is not tested: a single task is too few for a test.",
        ),
    ],
)
def test_a_board_says_how_sure_its_order_is(made: Board, expected_certainty: str) -> None:
    assert sure(board_answer(made)).endswith(expected_certainty)


def test_the_lead_in_an_amount_has_an_approximate_interval() -> None:
    """Nothing says how much more a task that was not seen may take."""
    calls_by_agent = {"few": (3, 4, 5, 3, 4, 5, 3, 4), "many": (90, 80, 70, 90, 80, 70, 90, 80)}
    rows = []
    for name, numbers in calls_by_agent.items():
        round_results = []
        for task, number in zip("abcdefgh", numbers, strict=True):
            round_results += records(task, "#", interactions=number)
        rows.append(bundle(name, found=round_results))
    made = board(*rows, on=track(headline="avg_rounds", columns=("avg_rounds",)), rounds=EIGHT)
    assert "The lead of 77.4 has an approximate interval of " in sure(board_answer(made))


def test_a_lead_without_draws_has_no_interval() -> None:
    """Printed counts of tasks show who is ahead, and not by how much."""
    on = track(headline="comp", columns=("comp",), protocol="fail-stop")
    rows = [printed(name, comp=counts(value, 100)) for name, value in (("ash", "90.0"), ("elm", "10.0"))]
    assert board_answer(board(on=on, tables=[table(*rows)])) == ("ash leads with 90.0; elm follows with 10.0", "")


def test_neighbours_are_counted_that_are_told_apart() -> None:
    made = board(
        bundle("ash", *"#" * 16),
        bundle("elm", *"#" * 16),
        bundle("oak", *"." * 16),
        bundle("yew", *"." * 16),
        rounds=(1,) * 16,
    )
    assert neighbours(made) == "1 of 3 pairs of neighbouring agents differs clearly."
    assert neighbours(made, is_behind=True) == "Behind the leader, 1 of 2 pairs of neighbouring agents differs clearly."


def test_a_sentence_that_is_too_long_gives_way_to_a_weaker_one() -> None:
    long = "A" * 60
    agents = ({"name": long + "a"}, {"name": long + "b"})
    marks = (("ash", *"#" * 8), ("elm", *"." * 8))
    made = board(
        *(bundle(*named_marks, agent=agent) for named_marks, agent in zip(marks, agents, strict=True)), rounds=EIGHT
    )
    assert said(board_answer(made)) == f"{long}a leads with 100.0"
    assert answered("x" * (LONGEST + 1)) is None
    assert answered("x" * LONGEST) == ("x" * LONGEST, "")
    assert str(Answer("a leads", "By 3.")) == "a leads. By 3."


def withdrawn(**facts: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of a status
    return {"state": "withdrawn", "reason": "a mistake", "date": date(2026, 7, 1), **facts}


@pytest.mark.parametrize(
    ("made", "expected_answer"),
    [
        (THREE, "ash ranks 1st of 3 (Dataset Score 100.0)"),
        (BETWEEN, "ash ranks 1–2 of 3 (Dataset Score 100.0)"),
        (REPORTED, "ash ranks 1st of 2 by score alone (Dataset Score 42.0)"),
        (board(bundle("ash", "##")), "ash is the only agent ranked here (Dataset Score 100.0)"),
        (
            board(bundle("ash", "##"), bundle("elm", "##", "##"), rounds=(2, 2)),
            "ash is not ranked: no results for 1 of 2 tasks",
        ),
        (board(bundle("ash", "##", status=withdrawn())), "ash was withdrawn on 2026-07-01"),
        (board(bundle("ash", "##", status=withdrawn(by="its team"))), "ash was withdrawn by its team on 2026-07-01"),
        (
            board(bundle("ash", "##"), on=track(headline="avg_rounds", columns=("avg_rounds",))),
            "ash has no Tool calls per round: no interactions known",
        ),
    ],
)
def test_a_row_says_where_it_stands(made: Board, expected_answer: str) -> None:
    assert said(row_answer(made, entry_of(made, "ash"))) == expected_answer


def test_a_row_says_how_sure_its_score_is_and_whom_it_is_ahead_of() -> None:
    first, last = (sure(row_answer(THREE, entry_of(THREE, name))) for name in ("ash", "oak"))
    assert first.endswith("It is clearly ahead of 2 agents and clearly behind none.")
    assert last.endswith("It is clearly behind 1 agent and clearly ahead of none.")
    assert sure(row_answer(REPORTED, entry_of(REPORTED, "ash"))) == "Reported by the source; not recomputed here."


@pytest.mark.parametrize(
    ("made", "expected_answer"),
    [
        (THREE, "2 of 3 pairs of agents differ clearly"),
        (APART, "The two agents differ clearly"),
        (EQUAL, "The two agents are too close to call"),
        (REPORTED, "The difference between the two agents is not tested"),
        (board(tables=[table(row("a"), row("b"), row("c"))]), "Differences between the 3 agents are not tested"),
        (board(*(bundle(name, *"##......") for name in ("a", "b", "c")), rounds=EIGHT), NO_PAIR),
        (board(bundle("ash", "##")), ""),
    ],
)
def test_rows_that_can_be_told_apart_are_counted_in_pairs(made: Board, expected_answer: str) -> None:
    assert said(compare_answer(made)) == expected_answer


def test_a_board_says_which_task_its_order_hangs_on() -> None:
    made = board(bundle("ash", "##", ".."), bundle("elm", "..", "#."), rounds=(2, 2))
    answers = [certainty_answer(Robustness(ranked_board)) for ranked_board in (made, APART)]
    assert [answer and answer.certainty for answer in answers] == [
        "Dropping the task a would change the score-based rank of both agents.",
        "No score-based rank depends on a single task.",
    ]


def two(ash: Sequence[str], elm: Sequence[str], **facts: Any) -> Board:  # noqa: ANN401 - whatever a board has
    return board(bundle("ash", *ash), bundle("elm", *elm), rounds=tuple(map(len, ash)), **facts)


@pytest.mark.parametrize(
    ("made", "expected_answer"),
    [
        (
            two(("##", "##", ".."), ("..", "#.", "..")),
            "1 of the 3 tasks was not finished by any agent; ash alone finished 2",
        ),
        (two(("##", ".."), ("..", "##")), "Each of the 2 tasks was finished by at least one agent"),
        (two(("#.", ".."), ("..", "#.")), "No agent finished any of the 2 tasks"),
        (board(bundle("ash", "##", ".."), rounds=(2, 2)), "ash finished 1 of 2 tasks"),
        (two(("##",), ("..",)), "Only ash finished a"),
        (REPORTED, ""),
    ],
)
def test_tasks_that_nobody_finished_are_counted(made: Board, expected_answer: str) -> None:
    assert said(tasks_answer(made)) == expected_answer


@pytest.mark.parametrize(
    ("made", "expected_sentence"),
    [
        (two(("##", "..."), ("#.", "...")), "On b, no agent passed any round: 0 of 6 across 2 agents."),
        (two(("..", "..."), ("..", "...")), "On 2 tasks, no agent passed any round."),
        (two(("##", "#.."), ("..", "...")), ""),
    ],
)
def test_a_task_without_a_passed_round_is_named_where_it_is_the_only_one(made: Board, expected_sentence: str) -> None:
    rule = "A task counts as finished when one attempt passes all its rounds."
    assert sure(tasks_answer(made)) == " ".join(filter(None, (expected_sentence, rule)))


@pytest.mark.parametrize(
    ("ash", "elm", "expected_answer"),
    [
        ("##.", "...", "Neither agent finished a; nobody passed 1 of the 3 rounds"),
        ("###", "..#", "Only ash finished a"),
        ("###", "###", "Both agents finished a"),
        ("#", ".", "Only ash finished a"),
        ("...", "...", "Neither agent finished a; nobody passed any of the 3 rounds"),
        ("##.", "##.", "Neither agent finished a; nobody passed 1 of the 3 rounds"),
    ],
)
def test_a_task_says_who_finished_it(ash: str, elm: str, expected_answer: str) -> None:
    made = two((ash,), (elm,))
    assert said(task_answer(made, made.tasks.tasks[0])) == expected_answer


def test_a_task_says_how_many_of_its_rounds_passed() -> None:
    made = two(("##.",), ("#..",))
    assert sure(task_answer(made, made.tasks.tasks[0])) == "Across 2 agents, 3 of 6 rounds passed."
    short = two(("#",), (".",))
    assert sure(task_answer(short, short.tasks.tasks[0])) == "Across 2 agents, 1 of 2 attempts passed."
    assert task_answer(board(rounds=(2,)), made.tasks.tasks[0]) is None
    assert said(task_answer(board(bundle("ash", "#."), rounds=(2,)), made.tasks.tasks[0])) == (
        "ash did not finish a; nobody passed 1 of the 2 rounds"
    )


def test_of_a_fail_stop_track_nothing_counts_after_the_first_failure() -> None:
    made = two(("#.#",), ("..#",), on=track(protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k",)))
    assert said(task_answer(made, made.tasks.tasks[0])) == "Neither agent finished a; nobody passed 2 of the 3 rounds"
    assert said(round_answer(made, made.tasks.tasks[0], 3)) == "Neither agent passed round 3 of a"


@pytest.mark.parametrize(
    ("number", "expected_answer"),
    [
        (1, ("Both agents passed round 1 of a", "Both agents reached it.")),
        (2, ("1 of 2 agents passed round 2 of a", "Both agents reached it. 1 attempt failed it by a single case.")),
        (3, ("Neither agent passed round 3 of a", "1 of 2 agents reached it.")),
    ],
)
def test_a_round_says_how_many_passed_and_reached_it(number: int, expected_answer: tuple[str, str]) -> None:
    made = two(("##.",), ("#+-",))
    assert round_answer(made, made.tasks.tasks[0], number) == expected_answer


def test_a_round_of_several_attempts_counts_those_too() -> None:
    round_results = [*records("a", "#.", 1), *records("a", "#.", 2)]
    made = board(bundle("ash", found=round_results, attempts=2), on=track(attempts=2))
    answer = round_answer(made, made.tasks.tasks[0], 1)
    assert answer == ("ash passed round 1 of a, in 2 of 2 attempts", "All 2 attempts reached it.")


def test_attempts_are_not_counted_at_a_round_that_none_of_them_passed() -> None:
    round_results = [*records("a", "#.", 1), *records("a", "#.", 2)]
    made = board(bundle("ash", found=round_results, attempts=2), on=track(attempts=2))
    assert said(round_answer(made, made.tasks.tasks[0], 2)) == "ash did not pass round 2 of a"


@pytest.mark.parametrize(
    ("marks", "expected_answer"),
    [
        ("####", "ash passed all 4 rounds of a"),
        ("....", "ash passed none of the 4 rounds of a"),
        ("#...", "ash passed round 1 of a, then none of the next 3"),
        ("##..", "ash passed rounds 1 and 2 of a, then none of the next 2"),
        ("###.", "ash passed rounds 1 to 3 of a, but not the last"),
        ("#.#.", "ash passed 2 of the 4 rounds of a"),
        ("#!#.", "ash passed 2 rounds of a, but not the last"),
        ("#", "ash passed a"),
        (".", "ash did not pass a"),
    ],
)
def test_a_run_says_how_far_it_got(marks: str, expected_answer: str) -> None:
    made = board(bundle("ash", marks), rounds=(len(marks),))
    assert said(run_answer(made, entry_of(made, "ash"), made.tasks.tasks[0], {})) == expected_answer


def test_targets_that_do_not_follow_each_other_are_counted() -> None:
    made = board(
        bundle("ash", "#.."), rounds=(3,), on=track(protocol="once", headline="completion", columns=("completion",))
    )
    assert run_answer(made, entry_of(made, "ash"), made.tasks.tasks[0], {}) == ("ash passed 1 of the 3 rounds of a", "")


def test_a_run_of_several_attempts_says_how_many_finished() -> None:
    round_results = [*records("a", "##", 1), *records("a", "#.", 2)]
    made = board(bundle("ash", found=round_results, attempts=2), on=track(attempts=2))
    answer = run_answer(made, entry_of(made, "ash"), made.tasks.tasks[0], {})
    assert said(answer) == "ash finished a in 1 of 2 attempts; 3 of 4 rounds passed"


@pytest.mark.parametrize(
    ("failing", "expected_sentence"),
    [
        ({2: "vwxy", 3: "wxyz", 4: "xyz"}, "2 of them failed again in every later round."),
        ({2: "wxy", 3: "wxyz", 4: "xyz"}, "2 of the 3 cases named by the source failed again in every later round."),
        ({2: "wxy", 3: "z", 4: "xyz"}, ""),
        ({2: "ABAB", 3: "BA", 4: "BC"}, "1 of their 2 requirements failed again in every later round."),
        (
            {2: "ABB", 3: "BA", 4: "ABC"},
            "Both requirements named by the source failed again in every later round.",
        ),
        ({2: "ABAB", 3: "BA", 4: "AB"}, "Both of their requirements failed again in every later round."),
        ({2: "ABCA", 3: "CBA", 4: "ABC"}, "All 3 of their requirements failed again in every later round."),
        ({2: "wxyA", 3: "wxyA", 4: "A"}, "1 of their 4 requirements failed again in every later round."),
        ({2: "AAAA", 3: "A", 4: "AB"}, "Their only requirement failed again in every later round."),
        ({2: "A", 3: "A", 4: "AB"}, "The only requirement named by the source failed again in every later round."),
        ({2: "ABAB", 3: "C", 4: "AB"}, ""),
        ({}, ""),
    ],
)
def test_a_run_says_which_failed_cases_stayed_broken(failing: dict[int, str], expected_sentence: str) -> None:
    """The letters stand for cases; capitals for those of which only a requirement is known."""
    made = board(bundle("ash", "#..."), rounds=(4,))
    failed_cases = {n: [(case, None if case.isupper() else case) for case in cases] for n, cases in failing.items()}
    answer = run_answer(made, entry_of(made, "ash"), made.tasks.tasks[0], failed_cases)
    end = f". {expected_sentence}" if expected_sentence else "; no later round passes."
    assert sure(answer) == f"The first failure is in round 2 (4 of 4 cases){end}"


@pytest.mark.parametrize(
    ("marks", "said_last"),
    [
        ("#.#..", "from round 4 on, no round passes."),
        ("#...", "no later round passes."),
        ("#.#", ""),
        ("#.", ""),
    ],
)
def test_a_run_says_from_which_round_on_none_passes(marks: str, said_last: str) -> None:
    made = board(bundle("ash", marks), rounds=(len(marks),))
    answer = run_answer(made, entry_of(made, "ash"), made.tasks.tasks[0], {})
    expected = f"The first failure is in round 2 (4 of 4 cases){'; ' + said_last if said_last else '.'}"
    assert sure(answer) == expected


def test_a_run_says_of_a_single_failed_case_that_it_stayed_broken() -> None:
    round_results = [RoundResult("a", 1, n, "scored", float(n == 1), 9 + (n == 1), 10) for n in (1, 2, 3)]
    made = board(bundle("ash", found=round_results), rounds=(3,))
    answer = run_answer(made, entry_of(made, "ash"), made.tasks.tasks[0], {2: [(None, "v")], 3: [(None, "v")]})
    assert sure(answer) == "The first failure is in round 2 (1 of 10 cases). It failed again in every later round."


@pytest.mark.parametrize("marks", ["#nnn", "#xxx", "#---", "#vvv"])
def test_a_run_says_nothing_of_cases_that_did_not_run(marks: str) -> None:
    made = board(bundle("ash", marks), rounds=(4,))
    assert "failed" not in sure(run_answer(made, entry_of(made, "ash"), made.tasks.tasks[0], {}))


def test_a_round_of_a_run_counts_its_cases() -> None:
    made = board(bundle("ash", "#+n"), rounds=(3,))
    entry = entry_of(made, "ash")
    assert entry.bundle
    answers = [
        said(part_answer(made, entry, made.tasks.tasks[0], round_result)) for round_result in entry.bundle.rounds
    ]
    assert answers == ["ash passed 4 of 4 cases in round 1 of a", "ash passed 3 of 4 cases in round 2 of a", ""]
    assert said(transcripts_answer(entry, 1, 1)) == "ash made 1 attempt at 1 task"


def test_a_release_of_a_board_says_who_was_first() -> None:
    day = date(2026, 7, 1)
    for made in (APART, BETWEEN, REPORTED, EQUAL):
        release = lock_boards([[made]], {}, day, "", "1.0")
        assert said(snapshot_answer(release.benchmarks[0].boards[0], release, made.headline)) == said(
            board_answer(made)
        )


def locked(id_: str, score: float, rank: int, **fields: Any) -> LockedRow:  # noqa: ANN401 - whatever a row has
    scores = {"dataset_score": LockedScore(value=score), "case_score": LockedScore(value=fields.pop("cases", 50.0))}
    facts = {"name": id_.title(), "date": date(2026, 1, 1), "evidence": "recomputed", **fields}
    return LockedRow(id=id_, rank=rank, first=rank, last=rank, scores=scores, **facts)


def released(day: int, *boards: Sequence[LockedRow]) -> Release:
    facts: dict[str, Any] = {"protocol": "chain", "attempts": 1, "headline": "dataset_score"}
    made = [
        LockedBoard(
            track=f"t{number}", title=f"T{number}", columns=("dataset_score", "case_score"), rows=tuple(rows), **facts
        )
        for number, rows in enumerate(boards, start=1)
    ]
    benchmark = LockedBenchmark(id="mini", title="Mini", boards=tuple(made))
    return Release(schema_version=1, date=date(2026, 6, day), program="1.0", benchmarks=(benchmark,))


def with_withdrawn(release: Release, track: str) -> Release:
    """Return the release with one of its boards withdrawn."""
    (benchmark,) = release.benchmarks
    boards = []
    for made in benchmark.boards:
        boards.append(made.model_copy(update={"status": "withdrawn"}) if made.track == track else made)
    benchmark = benchmark.model_copy(update={"boards": tuple(boards)})
    return release.model_copy(update={"benchmarks": (benchmark,)})


FIRST = released(1, [locked("ash", 50.0, 1), locked("elm", 40.0, 2)], [locked("oak", 9.0, 1)])


@pytest.mark.parametrize(
    ("rows", "expected_answer"),
    [
        (
            [locked("ash", 50.0, 1), locked("elm", 40.0, 2, cases=51.0)],
            "Elm's Case Score rose to 51.0; no Dataset Score changed on Mini (T1)",
        ),
        (
            [locked("ash", 50.0, 1), locked("fir", 45.0, 2), locked("elm", 40.0, 3, cases=49.0)],
            "Fir is new and Elm's Case Score fell to 49.0; no Dataset Score changed on Mini (T1)",
        ),
        ([locked("ash", 50.0, 1), locked("elm", 41.0, 2)], "Elm's Dataset Score rose to 41.0 on Mini (T1)"),
        ([locked("ash", 51.0, 1), locked("elm", 41.0, 2)], "2 agents were rescored on Mini (T1)"),
        ([locked("ash", 50.0, 1), locked("elm", 40.0, 3)], "Elm changed rank on Mini (T1)"),
        ([locked("ash", 50.0, 1)], "Elm was removed on Mini (T1)"),
        ([locked("ash", 50.0, 1), locked("elm", 40.0, 2, state="withdrawn")], "Elm was withdrawn on Mini (T1)"),
        ([locked("ash", 50.0, 1), locked("elm", 40.0, 2)], "No entry of any board changed"),
    ],
)
def test_a_release_says_what_it_brought(rows: Sequence[LockedRow], expected_answer: str) -> None:
    after = released(2, rows, [locked("oak", 9.0, 1)])
    assert said(release_answer(ReleaseEvents(after, FIRST, events_between(FIRST, after, {})))) == expected_answer


PRINTED = [locked("ash", 50.0, 1, evidence="reported"), locked("elm", 40.0, 2, evidence="reported")]
RAW = [locked("ash-1", 51.0, 1, name="Ash"), locked("elm-1", 40.0, 2, name="Elm")]
BUNDLES = [locked("ash", 50.0, 1), locked("elm", 40.0, 2)]


def replaced(name: str, score: float, rank: int, **fields: Any) -> list[LockedRow]:  # noqa: ANN401 - whatever a row has
    """Give a row that takes the place of a submission of `BUNDLES`, and that one."""
    old = locked(name, 40.0, rank, state="superseded", by=f"{name}-2")
    return [locked(f"{name}-2", score, rank, name=name.title(), **fields), old]


@pytest.mark.parametrize(
    ("before", "after", "expected_changes"),
    [
        (BUNDLES, [*BUNDLES, locked("fir", 9.0, 3)], [("Fir is new, with a score of 9.0 and rank 3", "")]),
        (
            BUNDLES,
            [*BUNDLES, locked("fir", 9.0, 3), locked("oak", 8.0, 4)],
            [("2 agents are new", "")],
        ),
        (PRINTED, RAW, [("2 agents now have scores recomputed from raw results", "")]),
        (PRINTED, [RAW[0], PRINTED[1]], [("Ash now has scores recomputed from raw results", "")]),
        (
            BUNDLES,
            [BUNDLES[0], *replaced("elm", 41.5, 2)],
            [("Elm's Dataset Score rose from 40.0 to 41.5", "new submission")],
        ),
        (
            BUNDLES,
            [BUNDLES[0], *replaced("elm", 40.0, 2, cases=49.0)],
            [("Elm's Case Score fell from 50.0 to 49.0", "new submission")],
        ),
        (
            BUNDLES,
            [BUNDLES[0], *replaced("elm", 41.5, 2, cases=49.0)],
            [("Elm's Dataset Score rose from 40.0 to 41.5", "new submission")],
        ),
        (BUNDLES, [BUNDLES[0], *replaced("elm", 40.0, 2)], []),
        (
            BUNDLES,
            [locked("ash", 50.0, 1), locked("elm", 40.0, 2, state="withdrawn", reason="a leak")],
            [("Elm was withdrawn", "a leak")],
        ),
        (
            BUNDLES,
            [locked("ash", 50.0, 1), locked("elm", 40.0, 3)],
            [("Elm changed rank", "no cause on record")],
        ),
        (
            BUNDLES,
            [locked("ash", 50.5, 1), locked("elm", 40.5, 2)],
            [("2 agents were rescored", "no cause on record")],
        ),
        (BUNDLES, BUNDLES, []),
    ],
    ids=[
        "entered",
        "several entered",
        "recomputed",
        "one recomputed",
        "corrected",
        "another score corrected",
        "scores corrected",
        "imported again",
        "withdrawn",
        "moved",
        "rescored",
        "nothing",
    ],
)
def test_a_change_says_what_became_of_rows_and_why(
    before: Sequence[LockedRow], after: Sequence[LockedRow], expected_changes: list[tuple[str, str]]
) -> None:
    then, latest = released(1, before), released(2, after)
    changes = changes_of(ReleaseEvents(latest, then, events_between(then, latest, {})))
    assert [(change.text, change.why) for change in changes] == expected_changes


def test_scores_that_rows_have_for_the_first_time_change_none() -> None:
    then = released(1, [row.model_copy(update={"scores": {}}) for row in BUNDLES])
    chapter = ReleaseEvents(released(2, BUNDLES), then, events_between(then, released(2, BUNDLES), {}))
    assert [change.text for change in changes_of(chapter)] == ["2 agents have new scores"]
    assert said(release_answer(chapter)) == "2 agents have new scores on Mini (T1)"


def test_a_new_board_and_one_that_is_taken_back_are_changes_of_boards() -> None:
    (board,) = released(1, BUNDLES).benchmarks[0].boards
    gone = board.model_copy(update={"status": "withdrawn", "reason": "a leak."})
    latest = released(2, BUNDLES, PRINTED)
    latest = latest.model_copy(
        update={
            "benchmarks": (latest.benchmarks[0].model_copy(update={"boards": (gone, latest.benchmarks[0].boards[1])}),)
        }
    )
    then = released(1, BUNDLES)
    changes = list(changes_of(ReleaseEvents(latest, then, events_between(then, latest, {}))))
    assert [(change.text, change.why) for change in changes] == [
        ("Mini (T1) was withdrawn", "a leak"),
        ("Mini (T2) is new, with 2 agents from published tables", ""),
    ]
    assert all(change.is_of_board for change in changes)


def test_a_release_says_what_did_not_change() -> None:
    rows = [locked("ash", 50.0, 1), locked("fir", 45.0, 2), locked("elm", 40.0, 3, cases=51.0)]
    after = released(2, rows, [locked("oak", 9.0, 1)])
    assert sure(release_answer(ReleaseEvents(after, FIRST, events_between(FIRST, after, {})))) == (
        "Compared with the release of 2026-06-01. "
        "1 of the 2 agents in both releases kept all its scores. 1 of the 2 boards did not change."
    )


def test_the_count_of_unchanged_boards_covers_the_boards_that_are_listed_as_unchanged() -> None:
    ash, oak = [locked("ash", 50.0, 1)], [locked("oak", 9.0, 1)]
    then = with_withdrawn(released(1, ash, [], oak), "t3")
    latest = with_withdrawn(released(2, [locked("ash", 51.0, 1)], [], oak), "t3")
    chapter = ReleaseEvents(latest, then, events_between(then, latest, {}))
    assert list(unchanged(chapter))[-1] == "Everything on Mini (T2; T3)"
    assert sure(release_answer(chapter)).endswith("2 of the 3 boards did not change.")


@pytest.mark.parametrize(
    ("before", "sentence"),
    [(1, "The only earlier board did not change."), (2, "None of the 2 earlier boards changed.")],
)
def test_new_boards_do_not_count_as_boards_that_could_have_stayed_unchanged(before: int, sentence: str) -> None:
    boards = [[locked("ash", 50.0, 1)], [], [locked("oak", 9.0, 1)]]
    then, latest = released(1, *boards[:before]), released(2, *boards)
    chapter = ReleaseEvents(latest, then, events_between(then, latest, {}))
    assert sure(release_answer(chapter)).endswith(f"is new. {sentence}")


def test_the_first_release_says_that_it_is() -> None:
    answer = release_answer(ReleaseEvents(FIRST, None, events_between(None, FIRST, {})))
    assert answer == ("3 entries are new on 2 boards", "This is the first release.")


def test_a_round_whose_passed_cases_nobody_counted_has_no_count() -> None:
    uncounted = RoundResult("a", 1, 1, "scored", 1.0, total=5)
    made = board(bundle("acme", found=[uncounted]), rounds=(1,))
    (entry,) = made.entries
    assert part_answer(made, entry, made.tasks.tasks[0], uncounted) is None


@pytest.mark.parametrize(
    ("metric", "title", "noun"),
    [
        (catalogue.STRICT, "Strict", "Strict score"),
        (catalogue.DATASET_SCORE, "Dataset Score", "Dataset Score"),
        (catalogue.PERFECT_TASKS, "Perfect Tasks", "value of Perfect Tasks"),
        (catalogue.COST_PER_ROUND, "Cost per checkpoint", "Cost per checkpoint"),
    ],
)
def test_a_title_becomes_a_noun_that_can_be_high_or_low(metric: Metric, title: str, noun: str) -> None:
    assert score_noun(metric, title) == noun
