"""What a simulated benchmark promises: it is the same anywhere, its records agree, and it shows all that can occur."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import dropwhile, pairwise
from pathlib import Path

import pytest
from kit.simulated_boards import simulated_boards

from sitegen.board.board import Board
from sitegen.importers.kit.drafts import bundle_id
from sitegen.importers.simulation import SimulationScale, simulate
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import OUTCOME_STATUS, Failure, RoundResult
from sitegen.models.task import Case
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.importing import apply_import

SCALES = (
    SimulationScale(),
    SimulationScale(agents=1, tasks=1),
    SimulationScale(agents=3, tasks=2, attempts=3, seed=5),
    SimulationScale(agents=12, tasks=40, seed=-1),
)


@pytest.fixture(scope="module")
def demo() -> Incoming:
    return simulate(SimulationScale())


@pytest.fixture(scope="module", params=SCALES, ids=str)
def any_demo(request: pytest.FixtureRequest) -> Incoming:
    return simulate(request.param)


@pytest.fixture(scope="module")
def chain() -> Board:
    board, _ = simulated_boards(SimulationScale())
    return board


def records(incoming: Incoming) -> Iterator[RoundResult]:
    return (record for draft in incoming.drafts for record in draft.rounds)


def walks(draft: Draft) -> dict[tuple[str, int], list[RoundResult]]:
    """The rounds of each attempt, as far as they began from the agent's own work and count."""
    records_by_attempt: dict[tuple[str, int], list[RoundResult]] = {}
    for record in draft.rounds:
        if record.start == "own" and record.state != "excluded":
            records_by_attempt.setdefault((record.task, record.attempt), []).append(record)
    return records_by_attempt


def verdicts(incoming: Incoming) -> Iterator[tuple[Draft, RoundResult, Case, str]]:
    """Every case that a bundle names, with its letter."""
    cases = {
        (task.id, round_result.n): round_result.cases or ()
        for task in incoming.task_sets[0].tasks
        for round_result in task.rounds
    }
    for draft in incoming.drafts:
        for record in draft.rounds:
            named = zip(cases[record.task, record.round], record.outcomes or "", strict=record.outcomes is not None)
            yield from ((draft, record, case, letter) for case, letter in named)


def test_equal_scales_give_equal_values_and_another_seed_others(demo: Incoming) -> None:
    assert simulate(SimulationScale()) == demo
    assert simulate(SimulationScale(seed=1)).drafts != demo.drafts


def test_more_tasks_leave_the_results_of_the_others_alone(demo: Incoming) -> None:
    larger = {draft.id: draft.rounds for draft in simulate(SimulationScale(tasks=12)).drafts}
    assert all(larger[draft.id][: len(draft.rounds)] == draft.rounds for draft in demo.drafts)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_it_is_without_errors_says_what_it_is_and_claims_what_is_so(scale: SimulationScale, tmp_path: Path) -> None:
    """But for one score that somebody else printed."""
    apply_import(simulate(scale), tmp_path)
    problems = evaluate(tmp_path, date(2026, 7, 1)).problems()
    assert not [problem for problem in problems if problem.is_error]
    claims = {problem.code for problem in problems if problem.code.startswith("CLAIM")}
    assert claims == ({"CLAIM-SOURCE-DIFFERS"} if scale.agents > 1 else set())
    assert "simulated = true" in (tmp_path / "demo" / "benchmark.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("attempts", "expected"), [(1, [1, 2]), (2, [2, 2]), (4, [4, 4])])
def test_fail_stop_has_at_least_two_attempts(attempts: int, expected: list[int]) -> None:
    tracks = simulate(SimulationScale(agents=1, tasks=1, attempts=attempts)).benchmark.tracks
    assert [(track.id, track.attempts) for track in tracks] == list(zip(("chain", "fail-stop"), expected, strict=True))


def test_names_do_not_run_out() -> None:
    large = simulate(SimulationScale(agents=200, tasks=1))
    assert len({draft.submission.agent.name for draft in large.drafts}) == 200 + 1
    tasks = simulate(SimulationScale(agents=1, tasks=80)).task_sets[0].tasks
    assert len({task.id for task in tasks}) == len({task.title for task in tasks}) == 80


def test_names_are_such_that_pages_may_stumble_over_them(demo: Incoming) -> None:
    assert any(not str(draft.submission.agent.organization).isascii() for draft in demo.drafts)
    assert any(
        not draft.submission.agent.name.isascii() for draft in simulate(SimulationScale(agents=10, tasks=1)).drafts
    )
    assert max(len(task.title) for task in demo.task_sets[0].tasks) > 80


def test_the_better_half_enters_both_tracks_and_two_agents_are_close(chain: Board) -> None:
    scores = {entry.id[11:]: entry.value("dataset_score") or 0.0 for entry in chain.submissions}
    other_track_ids = {entry.id[11:] for entry in simulated_boards(SimulationScale())[1].submissions}
    ranked = sorted(scores, key=lambda name: -scores[name])
    assert set(ranked[:4]) == other_track_ids
    assert scores[ranked[-1]] < 15
    assert scores[ranked[0]] > 90
    assert scores[ranked[2]] - scores[ranked[3]] < 5


def test_tasks_are_as_long_and_as_wide_as_promised(any_demo: Incoming) -> None:
    """And later rounds check most of what earlier ones did, under the same names."""
    axes = any_demo.benchmark.axes
    for task in any_demo.task_sets[0].tasks:
        assert {name for name, value in task.labels.items() if value in axes[name].values} == set(axes)
        assert 5 <= len(task.rounds) <= 15
        cases = [round_result.cases or () for round_result in task.rounds]
        assert all(12 <= len({case.id for case in listed}) == len(listed) <= 60 for listed in cases)
        assert all(len(set(before) & set(after)) >= 0.6 * len(before) for before, after in pairwise(cases))
        assert len({case.id for listed in cases for case in listed}) == len(set().union(*cases))


def test_every_expected_round_is_there_once_and_in_order(any_demo: Incoming) -> None:
    for track in any_demo.benchmark.tracks:
        expected = [
            (task.id, attempt, round_result.n, start)
            for task in any_demo.task_sets[0].tasks
            for attempt in range(1, track.attempts + 1)
            for start in (("own", "reference") if track.reference_rounds and attempt == 1 else ("own",))
            for round_result in task.rounds
        ]
        for draft in (draft for draft in any_demo.drafts if draft.submission.track == track.id):
            assert [(line.task, line.attempt, line.round, line.start) for line in draft.rounds] == expected


def test_verdicts_counts_and_outcomes_agree(any_demo: Incoming) -> None:
    sizes = {
        (task.id, round_result.n): len(round_result.cases or ())
        for task in any_demo.task_sets[0].tasks
        for round_result in task.rounds
    }
    for record in records(any_demo):
        if record.state != "scored":
            assert (record.reward, record.passed, record.total, record.skipped) == (0, 0, 0, None)
            assert (record.outcomes, record.by_category) == (None, None)
            continue
        assert record.total == sizes[record.task, record.round]
        assert record.reward == (record.failed == 0)
        if record.outcomes:
            letters = Counter(record.outcomes)
            assert (letters["p"], letters.total()) == (record.passed, record.total)
            assert letters["s"] == (record.skipped or 0)
        else:
            assert record.by_category
            assert tuple(map(sum, zip(*record.by_category.values(), strict=True))) == (record.passed, record.total)


def test_only_reached_rounds_cost_something_and_only_those_without_a_verdict_have_a_cause(any_demo: Incoming) -> None:
    for record in records(any_demo):
        assert (record.agent_seconds is not None) == (record.state in {"scored", "no_cases", "aborted"})
        assert (record.cause is not None) == (record.state in {"no_cases", "aborted"})


def test_nothing_follows_the_end_of_an_attempt(any_demo: Incoming) -> None:
    """On the fail-stop track that is its first failure, and on the other the round that it broke off in."""
    for draft in any_demo.drafts:
        for walk in walks(draft).values():
            ended = dropwhile(lambda record: record.state != "unreached", walk)
            if draft.submission.track == "fail-stop":
                ended = dropwhile(lambda record: record.solved, walk)
                next(ended, None)
            assert {record.state for record in ended} <= {"unreached"}


def test_the_excluded_round_is_excluded_for_everyone_by_one_finding(any_demo: Incoming) -> None:
    (finding,) = (finding for finding in any_demo.findings if finding.effect == "exclude" and not finding.cases)
    for draft in any_demo.drafts:
        for record in draft.rounds:
            concerned = finding.concerns(draft.submission.track, draft.id, record.task, record.round)
            assert (record.state == "excluded") == concerned


def test_bundles_are_named_after_date_and_agent(any_demo: Incoming) -> None:
    ids = [draft.id for draft in any_demo.drafts]
    assert ids == sorted(set(ids))
    assert ids == [bundle_id(draft.submission.date, draft.submission.agent.name) for draft in any_demo.drafts]


def test_every_state_occurs_and_one_run_was_resumed_after_rounds_of_the_reference(demo: Incoming) -> None:
    states = {record.state for record in records(demo)}
    assert states == {"scored", "no_cases", "aborted", "unreached", "fast_forwarded", "excluded"}
    forwarded = [record for record in records(demo) if record.state == "fast_forwarded"]
    assert [(record.attempt, record.round, record.start) for record in forwarded] == [(1, 1, "own"), (1, 2, "own")]


def test_cases_regress_recover_stay_broken_and_are_skipped(demo: Incoming) -> None:
    histories: dict[tuple[object, ...], str] = {}
    for draft, record, case, letter in verdicts(demo):
        if draft.submission.track == "chain":
            key = draft.id, record.task, record.attempt, case.id
            histories[key] = histories.get(key, "") + letter
    for pattern in ("p[fe]", "[fe]p", "[fe]{3}", "s"):
        assert sum(re.search(pattern, history) is not None for history in histories.values()) >= 10, pattern


def test_every_broken_case_that_a_bundle_names_has_a_text(demo: Incoming) -> None:
    broken = [
        (draft.id, record.task, record.attempt, record.round, record.start, case.id, OUTCOME_STATUS[letter])
        for draft, record, case, letter in verdicts(demo)
        if letter in "fe"
    ]
    listed_failures = [
        (draft.id, failure.task, failure.attempt, failure.round, failure.start, failure.case, failure.status)
        for draft in demo.drafts
        if draft.submission.detail.cases == "all"
        for failure in draft.failures
    ]
    assert listed_failures == broken


def test_some_agents_tell_less_of_their_cases(demo: Incoming) -> None:
    drafts_by_detail = {draft.submission.detail.cases: draft for draft in demo.drafts}
    assert drafts_by_detail.keys() == {"all", "failures", "counts"}
    assert all(record.outcomes is None for kind in ("failures", "counts") for record in drafts_by_detail[kind].rounds)
    assert len(drafts_by_detail["failures"].failures) == sum(
        record.failed or 0 for record in drafts_by_detail["failures"].rounds
    )
    assert drafts_by_detail["counts"].failures == ()


def test_a_case_asks_for_the_same_in_every_bundle(demo: Incoming) -> None:
    asked: dict[tuple[str, str], set[tuple[str | None, ...]]] = {}
    for failure in (failure for draft in demo.drafts for failure in draft.failures):
        question = (failure.intent, failure.scenario, failure.input, failure.expected)
        asked.setdefault((failure.task, failure.case), set()).add(question)
    assert {len(questions) for questions in asked.values()} == {1}


def test_failure_texts_hold_what_pages_may_stumble_over(demo: Incoming) -> None:
    failures: list[Failure] = [failure for draft in demo.drafts for failure in draft.failures]
    texts = "".join(f"{failure.expected}{failure.actual}{failure.reason}" for failure in failures)
    assert all(fragment in texts for fragment in ("<b>", '"', "'", "Zoë", "\n", "&lt;", "Traceback"))
    assert any(failure.truncated for failure in failures)


def test_texts_are_limited_where_there_would_be_too_many() -> None:
    weakest = min(
        simulate(SimulationScale(agents=2, tasks=100)).drafts, key=lambda draft: sum(map(reward, draft.rounds))
    )
    written = Counter((failure.task, failure.attempt, failure.round) for failure in weakest.failures)
    broken = {
        (round_result.task, round_result.attempt, round_result.round)
        for round_result in weakest.rounds
        if round_result.failed
    }
    assert sum(round_result.failed or 0 for round_result in weakest.rounds) > 4_000
    assert len(weakest.failures) <= 3_000
    assert written.keys() == broken


def reward(record: RoundResult) -> float:
    return record.reward


def test_one_submission_is_superseded_by_a_later_one_of_its_agent_and_one_is_withdrawn(demo: Incoming) -> None:
    states = {draft.submission.status.state: draft.submission for draft in demo.drafts}
    assert Counter(draft.submission.status.state for draft in demo.drafts)["published"] == len(demo.drafts) - 2
    old, gone = states["superseded"], states["withdrawn"]
    (new,) = (draft.submission for draft in demo.drafts if draft.id == old.status.by)
    assert new.agent == old.agent
    assert new.date > old.date
    assert gone.status.reason
    assert gone.status.date
    assert gone.status.date > gone.date


def test_one_agent_has_no_costs_and_another_counts_interactions_by_run(demo: Incoming) -> None:
    unpriced = [draft for draft in demo.drafts if all(record.cost_usd is None for record in draft.rounds)]
    assert len(unpriced) == 1
    per_run = [draft for draft in demo.drafts if draft.runs]
    assert len({draft.submission.agent.name for draft in per_run}) == 1
    assert all(record.interactions is None for draft in per_run for record in draft.rounds)
    assert all(run.interactions_per_round for draft in per_run for run in draft.runs)


def test_findings_show_what_they_can_do(demo: Incoming) -> None:
    """A round and a case that count for nobody, a round that counts 0 for one agent, a remark."""
    findings = {(finding.kind, finding.effect, bool(finding.cases)): finding for finding in demo.findings}
    assert set(findings) == {
        ("defect", "exclude", False),
        ("note", "note", False),
        ("defect", "exclude", True),
        ("leak", "zero", False),
    }
    assert len(findings["leak", "zero", False].submissions) == 1


def test_a_first_try_with_few_agents_and_tasks_has_findings_about_one_task_only() -> None:
    small = simulate(SimulationScale(agents=3, tasks=1))
    assert {finding.tasks for finding in small.findings} == {(small.task_sets[0].tasks[0].id,)}


def test_the_default_scale_stays_small(demo: Incoming, tmp_path: Path) -> None:
    apply_import(demo, tmp_path)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 800_000
