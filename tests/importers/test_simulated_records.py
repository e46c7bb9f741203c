"""What every simulated benchmark keeps to, whatever its scale: its records are complete and agree with each other."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import dropwhile
from statistics import fmean

import pytest

from sitegen.importers.simulation import Scale, simulate
from sitegen.models.benchmark import Track
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task

SCALES = (
    Scale(),
    Scale(agents=1, tasks=1, cases=1),
    Scale(agents=3, tasks=2, attempts=3, seed=5),
    Scale(agents=12, tasks=40, seed=-1),
)


@pytest.fixture(scope="module", params=SCALES, ids=str)
def any_demo(request: pytest.FixtureRequest) -> Incoming:
    scale = request.param
    assert isinstance(scale, Scale)
    return simulate(scale)


def tasks_of(incoming: Incoming) -> tuple[Task, ...]:
    return incoming.task_sets[0].tasks


def records(incoming: Incoming) -> Iterator[RoundResult]:
    return (record for draft in incoming.drafts for record in draft.rounds)


def scored(incoming: Incoming) -> Iterator[RoundResult]:
    return (record for record in records(incoming) if record.state == "scored")


def walks(draft: Draft) -> Iterator[list[RoundResult]]:
    """The rounds of each attempt, as far as they began from the agent's own work."""
    own = [record for record in draft.rounds if record.start == "own"]
    for key in dict.fromkeys((record.task, record.attempt) for record in own):
        yield [record for record in own if (record.task, record.attempt) == key]


def dataset_score(draft: Draft) -> float:
    counted = [record for record in draft.rounds if record.state != "excluded"]
    tasks = dict.fromkeys(record.task for record in counted)
    return 100 * fmean(fmean(record.solved for record in counted if record.task == task) for task in tasks)


def test_labels_stand_on_the_axes(any_demo: Incoming) -> None:
    axes = any_demo.benchmark.axes
    for task in tasks_of(any_demo):
        assert task.labels.keys() == axes.keys()
        assert all(value in axes[axis].values for axis, value in task.labels.items())
        assert {label for each in task.rounds for label in each.labels} <= {"extension", "correction", "conflict"}


def test_later_rounds_check_most_earlier_cases_again(any_demo: Incoming) -> None:
    for task in tasks_of(any_demo):
        for before, after in zip(task.rounds, task.rounds[1:], strict=False):
            kept = set(before.cases or ()) & set(after.cases or ())
            assert len(kept) >= 0.6 * len(before.cases or ()) or len(before.cases or ()) == 1


def test_case_names_are_unique_and_keep_their_meaning(any_demo: Incoming) -> None:
    for task in tasks_of(any_demo):
        for each in task.rounds:
            assert len({case.id for case in each.cases or ()}) == len(each.cases or ())
        different = {case for each in task.rounds for case in each.cases or ()}
        assert len({case.id for case in different}) == len(different)


def expected_rounds(tasks: tuple[Task, ...], track: Track) -> Iterator[tuple[str, int, int, str]]:
    for task in tasks:
        for attempt in range(1, track.attempts + 1):
            yield from ((task.id, attempt, each.n, "own") for each in task.rounds)
            if track.reference_rounds and attempt == 1:
                yield from ((task.id, attempt, each.n, "reference") for each in task.rounds)


def test_every_expected_round_is_there_once_and_in_order(any_demo: Incoming) -> None:
    for track in any_demo.benchmark.tracks:
        expected = list(expected_rounds(tasks_of(any_demo), track))
        for draft in (draft for draft in any_demo.drafts if draft.submission.track == track.id):
            assert [(line.task, line.attempt, line.round, line.start) for line in draft.rounds] == expected


def test_every_case_of_a_scored_round_is_counted(any_demo: Incoming) -> None:
    sizes = {(task.id, each.n): len(each.cases or ()) for task in tasks_of(any_demo) for each in task.rounds}
    for record in scored(any_demo):
        assert record.total == sizes[record.task, record.round]


def test_a_round_passes_exactly_when_no_case_failed(any_demo: Incoming) -> None:
    for record in scored(any_demo):
        assert record.reward == (1 if record.failed == 0 else 0)


def test_counts_agree_with_outcomes(any_demo: Incoming) -> None:
    for record in (record for record in scored(any_demo) if record.outcomes):
        letters = Counter(record.outcomes)
        assert (letters.total(), letters["p"]) == (record.total, record.passed)
        assert record.skipped == (letters["s"] or None)


def test_counts_agree_with_categories_where_there_are_no_outcomes(any_demo: Incoming) -> None:
    for record in (record for record in scored(any_demo) if not record.outcomes):
        assert record.by_category
        passed, total = map(sum, zip(*record.by_category.values(), strict=True))
        assert (passed, total) == (record.passed, record.total)


def test_rounds_without_a_verdict_earn_nothing(any_demo: Incoming) -> None:
    for record in (record for record in records(any_demo) if record.state != "scored"):
        assert (record.reward, record.passed, record.total, record.skipped) == (0, 0, 0, None)
        assert (record.outcomes, record.by_category) == (None, None)
        assert (record.cause is not None) == (record.state in {"no_cases", "aborted"})


def test_only_reached_rounds_cost_something(any_demo: Incoming) -> None:
    for record in records(any_demo):
        assert (record.agent_seconds is not None) == (record.state in {"scored", "no_cases", "aborted"})


def test_nothing_follows_a_failure_on_the_fail_stop_track(any_demo: Incoming) -> None:
    for draft in (draft for draft in any_demo.drafts if draft.submission.track == "fail-stop"):
        for walk in walks(draft):
            after = dropwhile(lambda record: record.solved, (each for each in walk if each.state != "excluded"))
            assert {record.state for record in list(after)[1:]} <= {"unreached"}


def test_an_attempt_that_broke_off_stays_unreached(any_demo: Incoming) -> None:
    for draft in any_demo.drafts:
        for walk in walks(draft):
            states = [record.state for record in walk if record.state != "excluded"]
            if "unreached" in states:
                assert set(states[states.index("unreached") :]) == {"unreached"}


def test_the_excluded_round_is_excluded_for_everyone_by_one_finding(any_demo: Incoming) -> None:
    (finding,) = (each for each in any_demo.findings if each.effect == "exclude" and not each.cases)
    for draft in any_demo.drafts:
        for record in draft.rounds:
            concerned = finding.concerns(draft.submission.track, draft.id, record.task, record.round)
            assert (record.state == "excluded") == concerned


def test_the_one_agent_that_claims_its_own_score_is_right(any_demo: Incoming) -> None:
    (draft,) = (each for each in any_demo.drafts if each.submission.claims and not each.submission.claims.source)
    assert draft.submission.claims
    claim = draft.submission.claims.values["dataset_score"]
    assert claim.as_tuple().exponent in {-1, -2}
    assert float(claim) == pytest.approx(dataset_score(draft), abs=0.05)


def test_bundles_are_named_after_date_and_agent(any_demo: Incoming) -> None:
    ids = [draft.id for draft in any_demo.drafts]
    assert ids == sorted(set(ids))
    for draft in any_demo.drafts:
        assert re.fullmatch(rf"{draft.submission.date}-{draft.submission.agent.model}", draft.id)
        assert date(2026, 1, 1) <= draft.submission.date <= date(2026, 6, 30)


def test_a_demo_of_usual_size_shows_what_findings_can_do() -> None:
    """A round and a case that count for nobody, a round that counts 0 for one agent, a remark."""
    found = {(each.kind, each.effect, bool(each.cases)): each for each in simulate(Scale()).findings}
    assert set(found) == {
        ("defect", "exclude", False),
        ("note", "note", False),
        ("defect", "exclude", True),
        ("leak", "zero", False),
    }
    assert len(found["leak", "zero", False].submissions) == 1


def test_a_first_try_with_few_agents_and_tasks_has_findings_about_one_task_only() -> None:
    small = simulate(Scale(agents=3, tasks=1))
    assert {each.tasks for each in small.findings} == {(small.task_sets[0].tasks[0].id,)}
