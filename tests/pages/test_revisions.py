"""What the page of a submission says of rounds that were run again."""

from dataclasses import replace

from sitegen.board.history.revisions import RerunRecord
from sitegen.models.outcome import RoundResult
from sitegen.pages.revisions import rerun_total

PASSED = RoundResult("a", 1, 1, "scored", 1.0)
FAILED = replace(PASSED, reward=0.0)


def test_rounds_are_counted_by_what_became_of_their_reward() -> None:
    reruns = [RerunRecord(PASSED, FAILED), RerunRecord(FAILED, PASSED), RerunRecord(PASSED, PASSED)]
    assert rerun_total(reruns) == "1 with a higher reward, 1 with a lower one, 1 with the same"


def test_a_round_without_an_earlier_record_does_not_have_the_same_reward() -> None:
    reruns = [RerunRecord(PASSED, PASSED), RerunRecord(PASSED, None), RerunRecord(FAILED, None)]
    assert rerun_total(reruns) == (
        "0 with a higher reward, 0 with a lower one, 1 with the same, 2 without an earlier record"
    )
