"""Breaches of rules in a TOML document, and checks of the names in a benchmark's files.

A `Breach` states its location by keys; `breach_problems` finds the lines, and limits how many
breaches of a rule are reported.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from sitegen.metrics.catalogue import benchmark_metrics
from sitegen.models.benchmark import Axis, Benchmark
from sitegen.models.record import Record
from sitegen.problems import Problem, Rule, limited, reasons
from sitegen.reading.shape import Location, suggestion
from sitegen.reading.toml import Document

R = TypeVar("R", bound=Record)

TRACK_UNKNOWN = Rule.error(
    "TRACK-UNKNOWN",
    "A track is not defined in benchmark.toml.",
    "name a defined track",
    unwaivable=reasons.LOST,
)
METRIC_UNKNOWN = Rule.error(
    "METRIC-UNKNOWN",
    "A metric is neither in the catalogue nor declared in benchmark.toml.",
    "name a metric that `sitegen metrics BENCHMARK` lists, or declare it in benchmark.toml",
)
AXIS_UNKNOWN = Rule.error(
    "AXIS-UNKNOWN",
    "A label or grouping uses an axis that benchmark.toml does not define.",
    "define the axis",
    unwaivable=reasons.OWN,
)
LABEL_UNKNOWN = Rule.error(
    "LABEL-UNKNOWN",
    "A label is not one of its axis's values.",
    "correct the label, or add the value to the axis in benchmark.toml",
    unwaivable=reasons.OWN,
)


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a document breaks."""

    location: Location
    rule: Rule
    fact: str
    fix: str | None = None
    """The fix; None for the usual fix of the rule."""

    def problem_in(self, document: Document[R]) -> Problem:
        """Return the breach as a problem of a document, with its line."""
        return document.broken(self.rule, self.location, self.fact, self.fix)


def breach_problems(document: Document[R], breaches: Iterable[Breach]) -> Iterator[Problem]:
    """Yield the breaches of a document as problems with lines; many breaches are summarized."""
    return limited(breach.problem_in(document) for breach in breaches)


def is_stated(record: Record, key: str) -> bool:
    """Return whether a record's key has a value that is neither empty nor blank."""
    value = getattr(record, key)
    if isinstance(value, str):
        value = value.strip()
    return bool(value)


def check_name(
    location: Location, rule: Rule, name: str, valid_names: Collection[str], fact: str
) -> Iterator[Breach]:
    """Yield a breach if a name is not valid; the fix suggests the most similar valid name."""
    if name not in valid_names:
        yield Breach(location, rule, fact, suggestion(name, valid_names))


def check_metric(location: Location, metric: str, benchmark: Benchmark) -> Iterator[Breach]:
    """Yield a breach if the benchmark does not have the metric."""
    fact = f"there is no metric `{metric}`"
    return check_name(location, METRIC_UNKNOWN, metric, benchmark_metrics(benchmark), fact)


def check_axis(location: Location, axis: str, benchmark: Benchmark) -> Iterator[Breach]:
    """Yield a breach if the benchmark does not have the axis."""
    fact = f"`{axis}` is not an axis of {benchmark.id}"
    return check_name(location, AXIS_UNKNOWN, axis, benchmark.axes, fact)


def check_axis_value(location: Location, value: str, axis: Axis | None) -> Iterator[Breach]:
    """Yield a breach if an axis lists its values and the given value is not among them."""
    if axis and axis.values:
        fact = f'axis "{axis.title}" has no value "{value}"'
        yield from check_name(location, LABEL_UNKNOWN, value, axis.values, fact)
