"""Submissions that are more alike than two runs are."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from kit.boards import bundle, track
from kit.similar_submissions import CASES, drawn, each, ending, entered, measured, others

from sitegen.board.board import Board
from sitegen.board.likeness import likeness_problems
from sitegen.board.making import make_boards
from sitegen.board.row_problems import problems_in, with_problems
from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Arrivals, BenchmarkResults, Bundle
from sitegen.problems import Problem

LATER = date(2026, 7, 1)


def found(*bundles: Bundle, **facts: Any) -> list[Problem]:  # noqa: ANN401 - as `board` has it
    """Give what is told of submissions that came in this order."""
    return list(likeness_problems(arrived(entered(*bundles, **facts), bundles)))


def arrived(made: Board, bundles: Sequence[Bundle]) -> Board:
    order = Arrivals({sent_bundle.id: (number,) for number, sent_bundle in enumerate(bundles)})
    return replace(made, results=replace(made.results, arrivals=order))


def codes(*bundles: Bundle, **facts: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - as `board` has it
    """Give the code of each problem, with the submission that it is told of."""
    return [(problem.code, problem.path.parent.name) for problem in found(*bundles, **facts)]


def copy(records: list[RoundResult], of: int, changed: int) -> list[RoundResult]:
    """Change the first rounds of what was drawn."""
    return [*drawn(of)[:changed], *records[changed:]]


def test_submissions_that_have_nothing_in_common_are_not_told() -> None:
    assert found(*others()) == []


def test_equal_records_of_two_agents_are_told_of_the_later_one() -> None:
    records = measured(drawn(50), 1)
    bundles = bundle("b-first", found=records, date=LATER), bundle("a-second", found=records)
    (problem,) = found(*others(), *bundles)
    assert (problem.code, problem.severity, problem.line) == ("RECORDS-EQUAL", "warning", None)
    assert problem.path.parts[-2:] == ("a-second", "rounds.jsonl")
    assert problem.what == "all 40 records are those of b-first (b-first), times and tokens included"


def test_where_nobody_knows_which_was_first_both_are_told_the_same() -> None:
    """A copy that is dated earlier accuses nobody."""
    records = measured(drawn(50), 1)
    made = entered(*others(), bundle("copy", found=records, date=date(2020, 1, 1)), bundle("first", found=records))
    assert {problem.path.parent.name: problem.what for problem in likeness_problems(made)} == {
        name: f"all 40 records are equal to those of {other_name} ({other_name}), times and tokens included; "
        "it is unknown which came first"
        for name, other_name in (("copy", "first"), ("first", "copy"))
    }


@pytest.mark.parametrize("is_order_known", [True, False])
def test_close_ones_are_told_of_as_is_known(is_order_known: bool) -> None:  # noqa: FBT001 - what it is about
    records = drawn(50, 0.2)
    bundles = [*others(), bundle("b", found=records), bundle("a", found=copy(records, 51, 12), date=date(2020, 1, 1))]
    made = entered(*bundles)
    problems = likeness_problems(arrived(made, bundles) if is_order_known else made)
    assert {
        problem.path.parent.name: problem.what.endswith("; it is unknown which came first") for problem in problems
    } == ({"a": False} if is_order_known else {"a": True, "b": True})


def test_equal_figures_of_effort_tell_even_on_a_tiny_board() -> None:
    records = measured([ending(number, CASES) for number in each(3)], 1)
    bundles = bundle("a", found=records), bundle("b", found=records)
    assert codes(*bundles, rounds=3) == [("RECORDS-EQUAL", "b")]


@pytest.mark.parametrize("passed", [0, CASES])
def test_two_that_pass_all_or_nothing_are_not_told(passed: int) -> None:
    records = [ending(number, passed) for number in each(40)]
    assert found(*others(), bundle("a", found=records), bundle("b", found=records)) == []


def test_two_that_end_alike_on_a_tiny_board_are_not_told() -> None:
    records = drawn(3, rounds=4)
    assert found(bundle("a", found=records), bundle("b", found=records), rounds=4) == []


def test_equal_outcomes_of_runs_with_other_figures_are_told() -> None:
    records = drawn(50)
    bundles = bundle("a", found=measured(records, 1)), bundle("b", found=measured(records, 2))
    (problem,) = found(*others(), *bundles)
    assert problem.code == "OUTCOMES-EQUAL"
    assert problem.what.startswith(
        "all 40 rounds have the same outcome as in a (a), which another submission here would repeat by chance"
    )


def test_equal_outcomes_are_told_of_verdicts_alone() -> None:
    """Without cases there is less that could differ, so that it takes more rounds to tell."""
    verdicts = [RoundResult("a", 1, number, "scored", float(number % 3 == 0)) for number in each(60)]
    bundles = bundle("a", found=verdicts), bundle("b", found=[replace(record, cause="x") for record in verdicts])
    assert codes(*bundles, rounds=60) == [("OUTCOMES-EQUAL", "b")]
    short_bundles = [replace(bundle, rounds=bundle.rounds[:12]) for bundle in bundles]
    assert codes(*short_bundles, rounds=12) == []


def test_equal_counts_of_other_cases_are_not_equal_outcomes() -> None:
    records = drawn(50)
    bundles = [
        bundle(name, found=[replace(record, outcomes=letters(record, fails_first=name == "a")) for record in records])
        for name in "ab"
    ]
    assert "OUTCOMES-EQUAL" not in [code for code, _ in codes(*others(), *bundles)]


def letters(record: RoundResult, *, fails_first: bool) -> str:
    """Say which cases failed: the first ones, or the last ones."""
    passed = record.passed or 0
    outcomes = ["f" * (CASES - passed), "p" * passed]
    return "".join(outcomes if fails_first else outcomes[::-1])


def test_a_copy_with_a_third_of_its_rounds_changed_is_suspiciously_close() -> None:
    records = drawn(50, 0.2)
    (problem,) = found(*others(), bundle("a", found=records), bundle("b", found=copy(records, 51, 12)))
    assert (problem.code, problem.path.parent.name) == ("OUTCOMES-CLOSE", "b")
    assert "robust standard deviations above the usual pair: a (a)" in problem.what


def test_a_copy_with_most_of_its_rounds_changed_looks_like_any_other() -> None:
    records = drawn(50, 0.2)
    assert found(*others(), bundle("a", found=records), bundle("b", found=copy(records, 51, 34))) == []


def test_two_scaffolds_of_one_model_may_be_close() -> None:
    records, model = drawn(50, 0.2), {"model": "acme-large"}
    bundles = [
        bundle("a", found=records, agent={"name": "a", **model}),
        bundle("b", found=copy(records, 51, 8), agent={"name": "b", **model}),
    ]
    assert found(*others(), *bundles) == []


def test_one_submission_published_twice_is_told_with_what_to_do() -> None:
    records, agent = measured(drawn(50), 1), {"name": "Acme"}
    bundles = bundle("a", found=records, agent=agent), bundle("b", found=records, agent=agent)
    (problem,) = found(*others(), *bundles)
    assert problem.what.endswith("of the same agent")
    assert "`[status]`" in problem.fix


@pytest.mark.parametrize("state", ["superseded", "withdrawn"])
def test_a_submission_may_take_the_place_of_its_like(state: str) -> None:
    records, agent = measured(drawn(50), 1), {"name": "Acme"}
    status = {"state": state, "by": "b"}
    assert found(bundle("a", found=records, agent=agent, status=status), bundle("b", found=records, agent=agent)) == []


def test_another_agent_s_withdrawn_submission_may_not_be_repeated() -> None:
    records = measured(drawn(50), 1)
    withdrawn = bundle("a", found=records, status={"state": "withdrawn"})
    assert codes(withdrawn, bundle("b", found=records)) == [("RECORDS-EQUAL", "b")]


def test_a_rerun_that_ends_alike_is_none_of_this() -> None:
    records, agent = drawn(50), {"name": "Acme"}
    bundles = [bundle(name, found=measured(records, seed), agent=agent) for seed, name in enumerate("ab")]
    rerun = Finding.model_validate(
        {"date": LATER, "kind": "reproduction", "title": "Again", "submissions": ("a",), "rerun": "b"}
    )
    made = entered(*bundles)
    assert list(likeness_problems(replace(made, results=replace(made.results, findings=(rerun,))))) == []


def tracks(first: Bundle, second: Bundle) -> list[Problem]:
    """Rank one submission on each of two tracks."""
    made = entered(first)
    fields = {"schema": 1, "id": "mini", "title": "Mini", "tracks": (track(), track(id="other"))}
    results = BenchmarkResults(
        made.results.path, Benchmark.model_validate(fields), made.results.task_sets, (first, second)
    )
    boards = [arrived(each_board, (first, second)) for each_board in make_boards(results)]
    return [problem for each_board in boards for problem in likeness_problems(each_board)]


def test_one_agent_s_runs_may_stand_on_two_tracks() -> None:
    records, agent = measured(drawn(50), 1), {"name": "Acme"}
    assert tracks(bundle("a", found=records, agent=agent), bundle("b", found=records, agent=agent, track="other")) == []


def test_another_agent_s_runs_on_another_track_are_told() -> None:
    records = measured(drawn(50), 1)
    (problem,) = tracks(bundle("a", found=records), bundle("b", found=records, track="other"))
    assert (problem.code, problem.path.parent.name) == ("RECORDS-EQUAL", "b")


def test_the_agent_is_named_by_its_one_name() -> None:
    records = measured(drawn(50), 1)
    bundles = bundle("a", found=records, agent={"name": "acme one"}), bundle("b", found=records)
    (problem,) = found(*bundles, aliases={"acme one": "Acme-1"})
    assert "a (Acme-1)" in problem.what


def test_it_is_told_where_the_submission_s_problems_are() -> None:
    records = measured(drawn(50), 1)
    bundles = bundle("a", found=records), bundle("b", found=records)
    made = with_problems(arrived(entered(*bundles), bundles))
    codes_by_entry = {entry.id: [problem.code for problem in problems_in(made, entry)] for entry in made.all_entries}
    assert codes_by_entry == {"a": [], "b": ["RECORDS-EQUAL"]}
