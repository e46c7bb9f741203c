"""Times of a run that can't be right are left out, so that the bundle is one that `validate` accepts."""

from datetime import UTC, date, datetime

import pytest

from sitegen.importers.kit.times import with_possible_times
from sitegen.models.submission import Provenance

TODAY = date(2026, 7, 1)
EARLY, LATE = datetime(2026, 6, 1, 10, tzinfo=UTC), datetime(2026, 6, 1, 11, tzinfo=UTC)


def kept(started: datetime | date | None, finished: datetime | date | None) -> tuple[object, object, int]:
    """Give the times that are kept, and how many faults there are."""
    provenance, faults = with_possible_times(Provenance(started=started, finished=finished), TODAY)
    return provenance.started, provenance.finished, len(faults)


@pytest.mark.parametrize("times", [(EARLY, LATE), (EARLY, EARLY), (EARLY.date(), LATE), (None, LATE), (None, None)])
def test_times_that_can_be_right_are_kept(times: tuple[datetime | date | None, datetime | date | None]) -> None:
    assert kept(*times) == (*times, 0)


@pytest.mark.parametrize("year", [1970, 2014, 2031, 9999])
def test_times_on_which_no_agent_can_have_run_are_left_out(year: int) -> None:
    assert kept(EARLY.replace(year=year), LATE) == (None, LATE, 1)
    assert kept(EARLY, date(year, 1, 1)) == (EARLY, None, 1)


def test_tomorrow_has_begun_somewhere() -> None:
    assert kept(date(2026, 7, 2), date(2026, 7, 3)) == (date(2026, 7, 2), None, 1)


@pytest.mark.parametrize("times", [(LATE, EARLY), (date(2026, 6, 2), LATE), (LATE.replace(tzinfo=None, day=2), EARLY)])
def test_runs_that_end_before_they_begin_have_neither_time(times: tuple[datetime | date, datetime | date]) -> None:
    assert kept(*times) == (None, None, 1)
