"""What must hold for the days that are told: each lies behind us, and none before there was a benchmark."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from datetime import datetime, timedelta
from pathlib import Path

from sitegen.models.finding import Findings
from sitegen.models.record import Record
from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Submission
from sitegen.problems import Problem
from sitegen.reading.places import Location
from sitegen.reading.repeats import limited
from sitegen.reading.toml import read_toml
from sitegen.store import provenance_rules as rules
from sitegen.store.benchmarks import FINDINGS, REPORTED
from sitegen.store.parts import MANIFEST

ZONES = timedelta(days=1)
"""Where the day begins first, it is this much ahead."""
FIRST = Date(2015, 1, 1)
"""No agent was tried at anything before."""


def day_of(moment: datetime | Date) -> Date:
    """Give the day of a moment."""
    return moment.date() if isinstance(moment, datetime) else moment


def with_dates_judged(results: BenchmarkResults, day: Date) -> BenchmarkResults:
    """Add what is wrong with the dates of a benchmark to its problems.

    Args:
        results: The benchmark.
        day: Today.
    """
    since, last = max(FIRST, results.benchmark.since or FIRST), day + ZONES

    def told(path: Path, model: type[Record], moments: Mapping[Location, datetime | Date | None]) -> Iterator[Problem]:
        for place, moment in moments.items():
            first = since if place == ("date",) else FIRST
            if moment is not None and not first <= day_of(moment) <= last:
                key = ".".join(part for part in place if isinstance(part, str))
                side = f"before {first}" if day_of(moment) < first else f"and today is {day}"
                line = read_toml(path, model).places.line_of(place)  # read again: hardly any date is at fault
                yield rules.DATE_UNLIKELY.broken(path, line, f"`{key}` is {moment}, {side}")

    def judged(bundle: Bundle) -> Bundle:
        submission = bundle.submission
        moments: dict[Location, datetime | Date | None] = {
            ("date",): submission.date,
            ("status", "date"): submission.status.date,
            ("provenance", "started"): submission.provenance.started,
            ("provenance", "finished"): submission.provenance.finished,
            ("agent", "model_released"): submission.agent.model_released,
        }
        found = tuple(told(bundle.path / MANIFEST, Submission, moments))
        return replace(bundle, problems=(*bundle.problems, *found)) if found else bundle

    recorded: dict[Location, datetime | Date | None] = {
        ("findings", number, "date"): each.date for number, each in enumerate(results.findings)
    }
    problems = list(told(results.path / FINDINGS, Findings, recorded))
    if any(not since <= table.date <= last for table in results.reported):
        for path in sorted((results.path / REPORTED).glob("*.toml")):
            table = read_toml(path, ReportedTable).record
            problems += told(path, ReportedTable, {("date",): table.date}) if table else ()
    found = (*results.problems, *limited(problems))
    return replace(results, bundles=tuple(map(judged, results.bundles)), problems=found)
