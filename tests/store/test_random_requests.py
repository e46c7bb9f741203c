"""Random requests: no forbidden change passes the gate, and no honest one is refused."""

import random

import pytest
from kit.requests import DAY, FORBIDDEN_ALONE, FORBIDDEN_BESIDE, RequestMaker

from sitegen.pipeline.judging import judge
from sitegen.problems import Problem, errors_of
from sitegen.store.history import history_problems


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> RequestMaker:
    return RequestMaker(tmp_path_factory.mktemp("requests"))


def refusals(maker: RequestMaker) -> list[Problem]:
    """Return the errors of history about the last request."""
    return list(errors_of(history_problems(maker.base, maker.head)))


def test_what_is_published_has_no_error(maker: RequestMaker) -> None:
    assert errors_of(judge(maker.base, DAY).problems()) == ()
    assert list(history_problems(maker.base, maker.base)) == []


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("brings", [True, False], ids=["bringing", "maintaining"])
def test_an_honest_request_is_not_refused(maker: RequestMaker, seed: int, *, brings: bool) -> None:
    done = maker.request(random.Random(seed), brings=brings)  # noqa: S311 - a draw that anyone may foresee
    errors = errors_of(judge(maker.head, DAY).problems())
    assert ([str(each) for each in errors], list(map(str, refusals(maker)))) == ([], []), done


@pytest.mark.parametrize("forbidden", FORBIDDEN_BESIDE)
def test_a_request_with_a_submission_and_a_change_of_others_is_refused(maker: RequestMaker, forbidden: str) -> None:
    done = maker.request(random.Random(forbidden), forbidden)  # noqa: S311
    assert refusals(maker) != [], done


@pytest.mark.parametrize("forbidden", FORBIDDEN_ALONE)
def test_what_nobody_may_change_is_refused_without_a_submission(maker: RequestMaker, forbidden: str) -> None:
    done = maker.request(random.Random(forbidden), forbidden, brings=False)  # noqa: S311
    assert refusals(maker) != [], done
