"""What a simulated benchmark promises: it is the same anywhere, and shows all that can occur."""

import gzip
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from statistics import fmean

import pytest

from sitegen.errors import UsageError
from sitegen.importers.simulation import Scale, simulate
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import OUTCOME_STATUS, Failure, RoundResult
from sitegen.models.submission import Submission
from sitegen.models.task import Case, Task


@pytest.fixture(scope="module")
def demo() -> Incoming:
    return simulate(Scale())


def tasks_of(incoming: Incoming) -> tuple[Task, ...]:
    return incoming.task_sets[0].tasks


def board(incoming: Incoming, track: str) -> list[Draft]:
    on_track = [draft for draft in incoming.drafts if draft.submission.track == track]
    return [draft for draft in on_track if draft.submission.status.state == "published"]


def records(incoming: Incoming) -> Iterator[RoundResult]:
    return (record for draft in incoming.drafts for record in draft.rounds)


def verdicts(incoming: Incoming) -> Iterator[tuple[Draft, RoundResult, Case, str]]:
    """Every case that a bundle names, with its letter."""
    cases = {(task.id, each.n): each.cases or () for task in tasks_of(incoming) for each in task.rounds}
    for draft in incoming.drafts:
        for record in draft.rounds:
            named = zip(cases[record.task, record.round], record.outcomes or "", strict=record.outcomes is not None)
            yield from ((draft, record, case, letter) for case, letter in named)


def case_histories(incoming: Incoming) -> Iterable[str]:
    """The letters of one case through the rounds of one attempt on the chain track."""
    letters: dict[tuple[object, ...], str] = {}
    for draft, record, case, letter in verdicts(incoming):
        if draft.submission.track == "chain":
            key = (draft.id, record.task, record.attempt, case.id, case.requirement)
            letters[key] = letters.get(key, "") + letter
    return letters.values()


def dataset_score(draft: Draft) -> float:
    counted = [record for record in draft.rounds if record.state != "excluded"]
    tasks = dict.fromkeys(record.task for record in counted)
    return 100 * fmean(fmean(record.solved for record in counted if record.task == task) for task in tasks)


def test_equal_scales_give_equal_values(demo: Incoming) -> None:
    assert simulate(Scale()) == demo


def test_values_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "import hashlib; from sitegen.importers.simulation import *; "
        "print(hashlib.sha256(repr(simulate(Scale(agents=4, tasks=2))).encode()).hexdigest())"
    )
    digests = {
        subprocess.check_output([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_another_seed_gives_other_results(demo: Incoming) -> None:
    assert simulate(Scale(seed=1)).drafts != demo.drafts


def test_more_tasks_leave_the_results_of_the_others_alone(demo: Incoming) -> None:
    larger = {draft.id: draft.rounds for draft in simulate(Scale(tasks=9)).drafts}
    for draft in demo.drafts:
        assert larger[draft.id][: len(draft.rounds)] == draft.rounds


def test_sizes_below_one_are_refused_together() -> None:
    with pytest.raises(UsageError, match=r"agents is 0, attempts is -2$"):
        Scale(agents=0, attempts=-2)


def test_it_says_that_it_is_simulated(demo: Incoming) -> None:
    benchmark = demo.benchmark
    assert (benchmark.id, benchmark.title, benchmark.simulated) == ("demo", "Demo", True)
    assert "simulated" in benchmark.summary


@pytest.mark.parametrize(("attempts", "expected"), [(1, (1, 2)), (2, (2, 2)), (4, (4, 4))])
def test_fail_stop_has_at_least_two_attempts(attempts: int, expected: tuple[int, int]) -> None:
    chain, fail_stop = simulate(Scale(agents=1, tasks=1, attempts=attempts)).benchmark.tracks
    assert (chain.attempts, fail_stop.attempts) == expected


def test_names_do_not_run_out() -> None:
    drafts = simulate(Scale(agents=200, tasks=1)).drafts
    assert len({draft.submission.agent.name for draft in drafts}) == 200 + 1


def test_the_better_half_enters_both_tracks(demo: Incoming) -> None:
    scores = {draft.submission.agent.name: dataset_score(draft) for draft in board(demo, "chain")}
    both = {draft.submission.agent.name for draft in board(demo, "fail-stop")}
    assert len(scores) == 8
    assert both == set(sorted(scores, key=lambda name: -scores[name])[:4])


def test_agents_range_from_nearly_all_to_nearly_none_and_two_are_close(demo: Incoming) -> None:
    scores = sorted(dataset_score(draft) for draft in board(demo, "chain"))
    assert scores[0] < 10
    assert scores[-1] > 90
    assert abs(scores[-4] - scores[-3]) < 3


def test_every_state_occurs(demo: Incoming) -> None:
    states = {record.state for record in records(demo)}
    assert states == {"scored", "no_cases", "aborted", "unreached", "fast_forwarded", "excluded"}


def test_cases_regress_recover_and_stay_broken(demo: Incoming) -> None:
    histories = Counter(
        kind
        for history in case_histories(demo)
        for kind, pattern in (("regressed", "p[fe]"), ("recovered", "[fe]p"), ("stayed", "[fe]{3}"), ("skipped", "s"))
        if re.search(pattern, history)
    )
    assert all(histories[kind] >= 10 for kind in ("regressed", "recovered", "stayed", "skipped"))


def test_tasks_are_as_long_and_as_wide_as_promised() -> None:
    tasks = tasks_of(simulate(Scale(agents=1, tasks=80)))
    assert len({task.id for task in tasks}) == len({task.title for task in tasks}) == 80
    assert {len(task.rounds) for task in tasks} <= set(range(5, 16))
    assert all(12 <= len(each.cases or ()) <= 60 for task in tasks for each in task.rounds)


def test_one_run_was_resumed_after_rounds_of_the_reference(demo: Incoming) -> None:
    forwarded = [record for record in records(demo) if record.state == "fast_forwarded"]
    assert [(record.attempt, record.round, record.start) for record in forwarded] == [(1, 1, "own"), (1, 2, "own")]


def test_every_broken_case_that_a_bundle_names_has_a_text(demo: Incoming) -> None:
    broken = [
        (draft.id, record.task, record.attempt, record.round, record.start, case.id, OUTCOME_STATUS[letter])
        for draft, record, case, letter in verdicts(demo)
        if letter in "fe"
    ]
    told = [
        (draft.id, each.task, each.attempt, each.round, each.start, each.case, each.status)
        for draft in demo.drafts
        if draft.submission.detail.cases == "all"
        for each in draft.failures
    ]
    assert told == broken


def test_some_agents_tell_less_of_their_cases(demo: Incoming) -> None:
    told = {draft.submission.detail.cases: draft for draft in demo.drafts}
    assert told.keys() == {"all", "failures", "counts"}
    assert all(record.outcomes is None for kind in ("failures", "counts") for record in told[kind].rounds)
    assert len(told["failures"].failures) == sum(record.failed or 0 for record in told["failures"].rounds)
    assert told["counts"].failures == ()


def test_a_case_asks_for_the_same_in_every_bundle(demo: Incoming) -> None:
    asked: dict[tuple[str, str], set[tuple[str | None, ...]]] = {}
    for failure in (failure for draft in demo.drafts for failure in draft.failures):
        question = (failure.intent, failure.scenario, failure.input, failure.expected)
        asked.setdefault((failure.task, failure.case), set()).add(question)
    assert {len(questions) for questions in asked.values()} == {1}


def test_failure_texts_hold_what_pages_may_stumble_over(demo: Incoming) -> None:
    failures: list[Failure] = [failure for draft in demo.drafts for failure in draft.failures]
    texts = "".join(f"{failure.expected}{failure.actual}{failure.reason}" for failure in failures)
    assert all(found in texts for found in ("<b>", '"', "'", "Zoë", "\n", "&lt;"))
    assert any(failure.truncated for failure in failures)


def test_texts_are_limited_where_there_would_be_too_many(demo: Incoming) -> None:
    limited = simulate(Scale(texts=60))
    assert max(len(draft.failures) for draft in demo.drafts) > 200
    assert max(len(draft.failures) for draft in limited.drafts) <= 60
    assert [draft.rounds for draft in limited.drafts] == [draft.rounds for draft in demo.drafts]


def test_a_claim_from_elsewhere_differs(demo: Incoming) -> None:
    (draft,) = (each for each in demo.drafts if each.submission.claims and each.submission.claims.source)
    assert draft.submission.claims
    assert abs(float(draft.submission.claims.values["dataset_score"]) - dataset_score(draft)) > 1


def with_state(incoming: Incoming, state: str) -> Submission:
    (only,) = (draft.submission for draft in incoming.drafts if draft.submission.status.state == state)
    return only


def test_one_submission_is_superseded_by_a_later_one_of_the_same_agent(demo: Incoming) -> None:
    old = with_state(demo, "superseded")
    (new,) = (draft.submission for draft in demo.drafts if draft.id == old.status.by)
    assert new.agent == old.agent
    assert new.date > old.date


def test_one_submission_is_withdrawn_with_reason_and_date(demo: Incoming) -> None:
    gone = with_state(demo, "withdrawn")
    assert gone.status.reason
    assert gone.status.date
    assert gone.status.date > gone.date


def test_one_agent_has_no_costs(demo: Incoming) -> None:
    unpriced = [draft for draft in demo.drafts if all(record.cost_usd is None for record in draft.rounds)]
    assert len(unpriced) == 1


def test_one_agent_counts_interactions_by_run(demo: Incoming) -> None:
    per_run = [draft for draft in demo.drafts if draft.runs]
    assert len({draft.submission.agent.name for draft in per_run}) == 1
    assert all(record.interactions is None for draft in per_run for record in draft.rounds)
    assert all(run.interactions_per_round for draft in per_run for run in draft.runs)


def test_the_default_scale_stays_small(demo: Incoming) -> None:
    """As files, with the failures compressed, it is to stay well below a megabyte."""
    size = sum(len(json.dumps(asdict(task))) for task in tasks_of(demo))
    for draft in demo.drafts:
        size += len(written(draft.rounds))
        size += len(gzip.compress(written(draft.failures))) if draft.failures else 0
    assert size < 700_000


def written(lines: tuple[RoundResult, ...] | tuple[Failure, ...]) -> bytes:
    known = ({key: value for key, value in asdict(line).items() if value is not None} for line in lines)
    return "\n".join(json.dumps(each) for each in known).encode()
