"""What kind of run each run of the multi-turn fork was, and what becomes of it."""

from pathlib import Path

import pytest
from kit.multiturn_trees import (
    FAIL,
    HOST,
    NEXT_JOB,
    PASS,
    Source,
    began,
    codes,
    died,
    draft_of,
    imported,
    new_source,
    told,
)


def resumed(source: Source, name: str, start: int, outcomes: list[object], origin: str) -> Path:
    """Write a run in another job that goes on from a run."""
    forwarded_rounds = [{"round": number, "reward": 1.0, "status": "fast_forwarded"} for number in range(1, start)]
    played_rounds = [
        {"round": number, "reward": {PASS: 1.0, FAIL: 0.0}[str(outcome)], "status": "completed"}
        for number, outcome in enumerate(outcomes, start=start)
    ]
    bounds = {"multiround_start_round": start, "multiround_resume_source": f"{HOST}/2026-04-20__10-00-00/{origin}"}
    return source.at(NEXT_JOB).run(name, [*forwarded_rounds, *played_rounds], verifier=bounds)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A source with one task of three rounds."""
    source = new_source(tmp_path)
    source.task()
    return source


def test_plain_runs_are_attempts_in_the_order_of_their_jobs(source: Source) -> None:
    source.run("tidy__BBBBBBB", [PASS, PASS, PASS])
    source.at(NEXT_JOB).run("tidy__AAAAAAA", [PASS, FAIL])
    source.run("tidy__CCCCCCC", [FAIL])
    draft = draft_of(source)
    assert told(draft.rounds) == ["###", ".uu", "#.u"]
    assert draft.submission.attempts == 3


def test_a_track_of_attempts_alone_has_no_rounds_from_the_reference_state(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    (track,) = imported(source).benchmark.tracks
    assert (track.protocol, track.attempts, track.reference_rounds) == ("fail-stop", 1, False)
    assert track.columns == ("mt_at_k", "comp", "avg_turns", "output_tokens_k")


def test_single_rounds_make_a_track_with_rounds_from_the_reference_state(source: Source) -> None:
    """The run of round 1 alone is a sample too, although a plain attempt looks much like it."""
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    for number, outcome in ((1, PASS), (2, PASS), (3, FAIL)):
        source.sample(number, outcome)
    incoming = imported(source)
    (track,), (draft,) = incoming.benchmark.tracks, incoming.drafts
    assert track.columns == ("mt_at_k", "sr", "gap", "comp", "avg_turns", "output_tokens_k")
    assert told(draft.rounds) == ["#.u"]
    assert told(draft.rounds, "reference") == ["##."]


def test_a_single_first_round_need_not_say_where_it_began(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.run("tidy__SR00001", [PASS], verifier={"multiround_max_round": 1})
    draft = draft_of(source)
    assert (told(draft.rounds), told(draft.rounds, "reference")) == (["#.u"], ["#uu"])


def test_missing_single_rounds_are_told_of(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.sample(2, PASS)
    assert "SOURCE-RUN-UNREACHED" in codes(imported(source))


def test_of_single_rounds_that_were_run_twice_the_latest_counts(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.sample(1, PASS)
    source.sample(2, FAIL, name="tidy__SR00009", told=began("2026-04-22T12:00:00Z"))
    source.sample(2, PASS, told=began("2026-04-22T10:00:00Z"))
    source.sample(3, PASS)
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds, "reference") == ["#.#"]
    assert codes(incoming) == ["SOURCE-RUN-NOT-COUNTED"]


def test_a_single_round_that_the_reference_solution_did_not_reach_is_no_failure(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.sample(1, PASS)
    source.sample(3, PASS)
    source.sample(2, PASS, name="tidy__SR00002", told=began("2026-04-22T10:00:00"))
    source.sample(2, None, name="tidy__SR00022", told=began("2026-04-22T12:00:00") | died("RuntimeError"))
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds, "reference") == ["###"]
    assert codes(incoming) == ["SOURCE-REFERENCE-FAILED"]


def test_a_round_that_goes_on_from_the_oracle_is_a_single_round(source: Source) -> None:
    """The fork then starts the agent afresh in the workspace that the reference solution left."""
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.of("oracle").run("tidy__ORACLE1", [PASS, PASS, PASS], told={"agent_info": {"name": "oracle"}})
    bounds = {
        "multiround_start_round": 2,
        "multiround_max_round": 2,
        "multiround_resume_source": f"{HOST}/2026-04-20__10-00-00/tidy__ORACLE1",
    }
    forwarded_round = {"round": 1, "reward": 1.0, "status": "fast_forwarded"}
    source.run("tidy__SR00002", [forwarded_round, {"round": 2, "reward": 1.0, "status": "completed"}], verifier=bounds)
    draft = draft_of(source)
    assert (told(draft.rounds), told(draft.rounds, "reference")) == (["#.u"], ["u#u"])


def test_a_backup_of_a_resume_is_passed_over(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, PASS, FAIL])
    source.run("tidy__AAAAAAA__resumed_20260421T120000", [PASS, FAIL])
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["##."]
    assert any("__resumed_" in note and "skipped" in note for note in incoming.notes)


def test_a_run_resumed_in_its_own_place_is_one_attempt(source: Source) -> None:
    """The rounds that it took over keep their status, and count."""
    bounds = {
        "multiround_start_round": 2,
        "multiround_resume_trial_name": "tidy__AAAAAAA",
        "multiround_resume_source": f"{HOST}/2026-04-20__10-00-00/tidy__AAAAAAA__resumed_20260421T120000",
    }
    rows = [{"round": number, "reward": 1.0, "status": "completed"} for number in (1, 2, 3)]
    source.run("tidy__AAAAAAA", rows, verifier=bounds)
    source.run("tidy__AAAAAAA__resumed_20260421T120000", [PASS, FAIL])
    assert told(draft_of(source).rounds) == ["###"]


def test_a_copy_that_goes_on_from_an_attempt_takes_its_place(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, "agent_timeout"])
    source.run("tidy__BBBBBBB", [FAIL])
    resumed(source, "tidy__CCCCCCC", 2, [PASS, FAIL], "tidy__AAAAAAA")
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["##.", ".uu"]
    assert incoming.drafts[0].submission.attempts == 2
    assert any("resumed as" in note for note in incoming.notes)


def test_of_several_copies_the_latest_counts(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    resumed(source, "tidy__BBBBBBB", 2, [PASS, PASS], "tidy__AAAAAAA")
    resumed(source, "tidy__CCCCCCC", 2, [FAIL], "tidy__AAAAAAA")
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-RUN-NOT-COUNTED"]


def test_a_copy_whose_origin_is_not_here_counts_with_the_rounds_that_it_took_over(source: Source) -> None:
    resumed(source, "tidy__BBBBBBB", 2, [PASS, FAIL], "tidy__LOST000")
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["##."]
    assert codes(incoming) == ["SOURCE-FILE-MISSING"]


def test_runs_that_go_on_from_each_other_hang_nothing(source: Source) -> None:
    source.run("tidy__CCCCCCC", [FAIL])
    for name, origin in (("tidy__AAAAAAA", "tidy__BBBBBBB"), ("tidy__BBBBBBB", "tidy__AAAAAAA")):
        bounds = {"multiround_start_round": 2, "multiround_resume_source": f"{HOST}/2026-04-21__10-00-00/{origin}"}
        source.at(NEXT_JOB).run(name, [PASS], verifier=bounds)
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == [".uu"]
    assert codes(incoming) == ["SOURCE-RUN-NOT-COUNTED"]


def test_a_run_that_goes_on_from_another_agents_is_no_attempt(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    bounds = {"multiround_start_round": 2, "multiround_resume_source": f"{HOST}/2026-04-20__10-00-00/tidy__AAAAAAA"}
    source.of("other").run("tidy__BBBBBBB", [PASS, PASS], verifier=bounds)
    incoming = imported(source)
    assert [draft.submission.agent.name for draft in incoming.drafts] == ["acme-1"]
    assert codes(incoming) == ["SOURCE-RUN-NOT-COUNTED"]


def test_a_late_start_over_several_rounds_is_neither_attempt_nor_single_round(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.run("tidy__BBBBBBB", [PASS, PASS], verifier={"multiround_start_round": 2})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-RUN-NOT-COUNTED"]


def test_an_attempt_that_was_told_to_end_early_does_not_count(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.run("tidy__BBBBBBB", [PASS, PASS], verifier={"multiround_max_round": 2})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-RUN-NOT-COUNTED"]


def test_a_last_round_that_is_the_tasks_own_is_no_cap(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], verifier={"multiround_max_round": 3})
    assert told(draft_of(source).rounds) == ["#.u"]


@pytest.mark.parametrize("name", ["oracle", "nop"])
def test_baselines_are_no_agents(source: Source, name: str) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.of(name).run("tidy__BBBBBBB", [PASS, PASS, PASS], told={"agent_info": {"name": name}})
    incoming = imported(source)
    assert [draft.submission.agent.name for draft in incoming.drafts] == ["acme-1"]
    assert any("baseline" in note for note in incoming.notes)


def test_runs_without_verification_do_not_count(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.run("tidy__BBBBBBB", ["verification_disabled"], verifier={"disable": True})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-RUN-NOT-COUNTED"]


def test_a_run_that_has_not_ended_is_no_attempt(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.run("tidy__BBBBBBB", None, files={"result.json": None})
    source.run("tidy__CCCCCCC", None, told=died("CancelledError"))
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-RUN-UNFINISHED"]
