"""Check that the dates of a benchmark's results are plausible and in the right order.

`with_date_problems` compares all dates with the present day, and `date_breaches` compares the
dates of one submission with each other.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Submission
from sitegen.problems import Problem, Rule, limited
from sitegen.reading.shape import Location
from sitegen.reading.toml import broken_in, read_toml
from sitegen.store.checks.document_breaches import Breach
from sitegen.store.files.layout import FINDINGS_FILE, MANIFEST_FILE, REPORTED_FOLDER

DATES_DISORDERED = Rule.error(
    "PROVENANCE-DATES-DISORDERED",
    "Runs finished before they started.",
    "correct `started` or `finished`",
)
DATE_UNLIKELY = Rule.error(
    "DATE-UNLIKELY",
    "A date is before 2015, before the benchmark began, or after tomorrow.",
    "correct the date, or `since` in benchmark.toml if the benchmark began earlier",
)
FINISHED_LATE = Rule.warning(
    "PROVENANCE-FINISHED-LATE",
    "Runs finished after the `date` of their submission.",
    "check which of the two dates is right",
)
RELEASED_LATE = Rule.warning(
    "MODEL-RELEASED-LATE",
    "A model was run before it was released.",
    "correct `model_released`, or state in `submitter` who had access to the model before its "
    "release",
)
MAX_ZONE_LEAD = timedelta(days=1)
"""The largest difference between the date in the easternmost time zone and the UTC date."""
EARLIEST_DATE = Date(2015, 1, 1)
"""The earliest plausible date of results; no agent was evaluated before it."""
_ONE_DAY = timedelta(days=1)
_MAX_DATE_ERROR = timedelta(days=2)
"""The largest difference between the dates of one moment in different time zones."""

Moment: TypeAlias = datetime | Date
"""A date, with or without a time."""


@dataclass(frozen=True, slots=True)
class _DateLimits:
    """The range of plausible dates for a benchmark."""

    begin: Date
    """The first possible date of the benchmark's results."""
    today: Date

    @property
    def last(self) -> Date:
        """The last plausible date: tomorrow, which has already begun in some time zones."""
        return self.today + MAX_ZONE_LEAD

    def includes(self, date: Date) -> bool:
        """Return whether the date of a result is plausible."""
        return self.begin <= date <= self.last

    def problems(self, path: Path, moments: Mapping[Location, Moment | None]) -> Iterator[Problem]:
        """Yield a problem for each implausible moment; only `date` has the lower limit `begin`."""
        for location, moment in moments.items():
            if moment is None:
                continue
            first = self.begin if location == ("date",) else EARLIEST_DATE
            if first <= day_of(moment) <= self.last:
                continue
            key = ".".join(name for name in location if isinstance(name, str))
            side = (
                f"before {first}" if day_of(moment) < first else f"later than today, {self.today}"
            )
            yield broken_in(path, DATE_UNLIKELY, location, f"`{key}` is {moment}, which is {side}")


def day_of(moment: Moment) -> Date:
    """Return the date of a moment, which may already be a date."""
    return moment.date() if isinstance(moment, datetime) else moment


def with_date_problems(results: BenchmarkResults, day: Date) -> BenchmarkResults:
    """Return results with a problem for each date that is too early, or later than `day`."""
    limits = _DateLimits(max(EARLIEST_DATE, results.benchmark.since or EARLIEST_DATE), day)
    bundles = tuple(_bundle_with_date_problems(bundle, limits) for bundle in results.bundles)
    problems = [*_finding_date_problems(results, limits), *_table_date_problems(results, limits)]
    all_problems = (*results.problems, *limited(problems))
    return replace(results, bundles=bundles, problems=all_problems)


def _bundle_with_date_problems(bundle: Bundle, limits: _DateLimits) -> Bundle:
    submission = bundle.submission
    moments: dict[Location, Moment | None] = {
        ("date",): submission.date,
        ("status", "date"): submission.status.date,
        ("provenance", "started"): submission.provenance.started,
        ("provenance", "finished"): submission.provenance.finished,
        ("agent", "model_released"): submission.agent.model_released,
    }
    problems = tuple(limits.problems(bundle.path / MANIFEST_FILE, moments))
    if not problems:
        return bundle
    return replace(bundle, problems=(*bundle.problems, *problems))


def _finding_date_problems(results: BenchmarkResults, limits: _DateLimits) -> Iterator[Problem]:
    moments: dict[Location, Moment | None] = {}
    for index, finding in enumerate(results.findings):
        moments["findings", index, "date"] = finding.date
    return limits.problems(results.path / FINDINGS_FILE, moments)


def _table_date_problems(results: BenchmarkResults, limits: _DateLimits) -> Iterator[Problem]:
    """Yield problems of implausible dates of reported tables, which are read again for paths."""
    if all(limits.includes(table.date) for table in results.reported):
        return
    for path in sorted((results.path / REPORTED_FOLDER).glob("*.toml")):
        table = read_toml(path, ReportedTable).record
        if table:
            yield from limits.problems(path, {("date",): table.date})


def date_breaches(submission: Submission) -> Iterator[Breach]:
    """Yield breaches for dates of runs, submission and model release that are out of order."""
    started = submission.provenance.started
    finished = submission.provenance.finished
    released = submission.agent.model_released
    date = submission.date
    if started and finished and _is_after(started, finished):
        fact = f"started on {started}, but finished on {finished}"
        yield Breach(("provenance", "started"), DATES_DISORDERED, fact)
    # The date of a submission may be the day on which its runs started.
    is_start_date = started is not None and abs(day_of(started) - date) <= _ONE_DAY
    if finished and day_of(finished) - date > _MAX_DATE_ERROR and not is_start_date:
        fact = f"finished on {day_of(finished)}, but the submission's date is {date}"
        yield Breach(("provenance", "finished"), FINISHED_LATE, fact)
    last_day = day_of(finished) if finished else date
    if released and released - last_day > _MAX_DATE_ERROR:
        fact = f"the model was released on {released}, but run by {last_day}"
        yield Breach(("agent", "model_released"), RELEASED_LATE, fact)


def _is_after(moment: Moment, other_moment: Moment) -> bool:
    """Return whether a moment is certainly later than another.

    Two times are compared only if both have a time zone or neither has one. Otherwise, and for a
    date and a time, a difference of one day may be correct.
    """
    times = [value for value in (moment, other_moment) if isinstance(value, datetime)]
    if len(times) > 1 and _has_zone(times[0]) == _has_zone(times[1]):
        return times[0] > times[1]
    tolerance = _ONE_DAY if times else timedelta(0)
    return day_of(moment) - day_of(other_moment) > tolerance


def _has_zone(time: datetime) -> bool:
    return time.tzinfo is not None
