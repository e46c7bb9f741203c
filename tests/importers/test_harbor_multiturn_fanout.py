"""Fan-outs of the multi-turn fork: attempts that branch from each other."""

from pathlib import Path

import pytest
from kit.multiturn_trees import (
    FAIL,
    NEXT_JOB,
    PASS,
    Source,
    began,
    codes,
    died,
    draft_of,
    effort,
    imported,
    new_source,
    told,
    write_fan_out,
)

from sitegen.importers.harbor_multiturn.runs import Branch, parse_branch, parse_token


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A source with one task of three rounds."""
    source = new_source(tmp_path)
    source.task()
    return source


def test_a_fan_out_has_as_many_attempts_as_its_rounds_have_runs(source: Source) -> None:
    """The first is the line that went furthest, so that some attempt passes a round where some run of it passed."""
    write_fan_out(source)
    draft = draft_of(source)
    assert told(draft.rounds) == ["##.", ".a."]
    assert draft.submission.attempts == 2


def test_a_fan_out_keeps_its_lineage(source: Source) -> None:
    write_fan_out(source)
    incoming = imported(source)
    (draft,), (finding,) = incoming.drafts, incoming.findings
    parents = {
        (round_result.attempt, round_result.round): (round_result.measures or {}) for round_result in draft.rounds
    }
    lineage = {position: measures.get("parent_attempt@harbor-multiturn") for position, measures in parents.items()}
    assert lineage == {(1, 1): None, (2, 1): None, (1, 2): 1, (2, 2): 1, (1, 3): 1, (2, 3): 1}
    assert "tidy: round 1 a1, round 2 a0, round 3 a0" in finding.reason
    assert (finding.kind, finding.submissions) == ("note", (draft.id,))


def test_a_branch_took_what_its_parent_had_not_taken_yet(source: Source) -> None:
    """A restored agent goes on counting: 20 replies after a parent's 8 are 12 of its own."""
    write_fan_out(source)
    turns = {(round_result.attempt, round_result.round): round_result.turns for round_result in draft_of(source).rounds}
    assert turns == {(1, 1): 8, (1, 2): 12, (1, 3): 13, (2, 1): 9, (2, 2): 22, (2, 3): 13}


def test_an_agent_that_counts_anew_took_all_that_it_counts(source: Source) -> None:
    source.branch("tidy__AAAAAAA__mr-r1-a0", [PASS], told=effort(50))
    source.branch("tidy__BBBBBBB__mr-r2-p0-hAAAAAAA-a0", [PASS, FAIL], "tidy__AAAAAAA__mr-r1-a0", told=effort(7))
    assert [round_result.turns for round_result in draft_of(source).rounds] == [50, 7, None]


def test_a_branch_is_found_its_parent_by_its_name_alone(source: Source) -> None:
    source.branch("tidy__AAAAAAA__mr-r1-a0", [PASS])
    source.branch("tidy__BBBBBBB__mr-r2-p0-hAAAAAAA-a0", [PASS, FAIL])
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == []


def test_a_branch_whose_parent_is_not_here_tells_of_the_rounds_before(source: Source) -> None:
    source.branch("tidy__BBBBBBB__mr-r2-p0-hAAAAAAA-a0", [PASS, FAIL], "tidy__AAAAAAA__mr-r1-a0")
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-FILE-MISSING"]


def test_no_run_of_a_fan_out_is_lost_beside_a_branch_whose_parent_is_not_here(source: Source) -> None:
    source.branch("tidy__AAAAAAA__mr-r1-a0", [FAIL])
    source.branch("tidy__BBBBBBB__mr-r1-a1", [FAIL])
    source.branch("tidy__DDDDDDD__mr-r2-p2-hCCCCCCC-a0", [PASS, FAIL], "tidy__CCCCCCC__mr-r1-a2")
    assert told(draft_of(source).rounds) == ["#.u", ".uu", ".uu"]


def test_two_fan_outs_are_the_attempts_of_both(source: Source) -> None:
    source.branch("tidy__AAAAAAA__mr-r1-a0", [FAIL])
    source.branch("tidy__BBBBBBB__mr-r1-a1", [FAIL])
    source.at(NEXT_JOB).branch("tidy__CCCCCCC__mr-r1-a0", [PASS])
    assert told(draft_of(source).rounds) == [".uu", ".uu", "#uu"]


def test_a_branch_that_crashed_ended_in_its_round(source: Source) -> None:
    source.branch("tidy__AAAAAAA__mr-r1-a0", [PASS])
    source.branch("tidy__BBBBBBB__mr-r1-a1", [None], told=died("RuntimeError"))
    assert told(draft_of(source).rounds) == ["#uu", "auu"]


def test_a_fan_out_that_begins_late_gives_single_rounds(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.branch("tidy__BBBBBBB__mr-r2-a0", [None, PASS], told=began("2026-04-22T10:00:00"))
    source.branch("tidy__CCCCCCC__mr-r3-p0-hBBBBBBB-a0", [None, None, PASS], "tidy__BBBBBBB__mr-r2-a0")
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds, "reference") == ["u#u"]
    assert "SOURCE-RUN-NOT-COUNTED" in codes(incoming)


def test_uneven_fan_outs_are_told_of(source: Source) -> None:
    """With several parents a round has more tries than the first one."""
    source.branch("tidy__AAAAAAA__mr-r1-a0", [PASS])
    source.branch("tidy__BBBBBBB__mr-r1-a1", [PASS])
    for token, number in (("AAAAAAA", 0), ("BBBBBBB", 1)):
        for branch_index in (0, 1):
            name = f"tidy__X{number}{branch_index}XXXX__mr-r2-p{number}-h{token}-a{branch_index}"
            source.branch(name, [PASS, PASS if number + branch_index == 2 else FAIL], f"tidy__{token}__mr-r1-a{number}")
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["##u", "#.u", "u.u", "u.u"]
    assert codes(incoming) == ["MULTITURN-FAN-OUT-UNEVEN"]


def test_fan_outs_and_independent_attempts_on_one_track_are_told_of(source: Source) -> None:
    write_fan_out(source)
    source.of("plain").run("tidy__AAAAAAA", [PASS, FAIL])
    fixes = {problem.code: problem.fix for problem in imported(source).problems}
    assert "`--track` and `--new-track`" in fixes["MULTITURN-TOPOLOGIES-MIXED"]


@pytest.mark.parametrize(
    ("name", "branch"),
    [
        ("tidy__AAAAAAA__mr-r1-a0", Branch(1, 0)),
        ("tidy__DDDDDDD__mr-r12-p3-hBBBBBBB-a11", Branch(12, 11, 3, "BBBBBBB")),
        ("tidy__PLAIN00", Branch()),
        ("tidy__AAAAAAA__mr-r1-a0__resumed_20260421T120000", Branch()),
        ("mr-r1-a0__tidy__AAAAAAA", Branch()),
        (f"tidy__AAAAAAA__mr-r{'1' * 5000}-a0", Branch()),
    ],
)
def test_the_name_of_a_run_tells_its_place_in_a_fan_out(name: str, branch: Branch) -> None:
    assert parse_branch(name) == branch


def test_the_name_of_a_run_holds_its_token() -> None:
    assert parse_token("demo_chain__Ab12Cd3__mr-r2-p0-hZZZZZZZ-a1") == "Ab12Cd3"
