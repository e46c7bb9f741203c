"""Random requests: no forbidden change passes the gate, and no honest one is refused."""

from pathlib import Path

from kit.requests import DAY, RequestMaker, try_requests
from kit.thoroughness import examples

from sitegen.pipeline.evaluating import evaluate
from sitegen.problems import errors_of
from sitegen.store.compare.history import history_problems

REQUESTS = examples(480)
"""How many are tried; `make harden` tries 2,000."""


def test_what_is_published_has_no_error(tmp_path: Path) -> None:
    maker = RequestMaker(tmp_path)
    assert errors_of(evaluate(maker.base, DAY).problems()) == ()
    assert list(history_problems(maker.base, maker.base)) == []


def test_no_forbidden_change_passes_and_no_honest_one_is_refused(tmp_path: Path) -> None:
    tally = try_requests(RequestMaker(tmp_path), range(REQUESTS))
    assert (tally.tried, tally.passed, tally.refused) == (REQUESTS, [], [])
