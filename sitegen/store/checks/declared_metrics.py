"""Check that declared metrics are consistent and fit the benchmark's tracks and tasks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.metrics.catalogue import METRICS, benchmark_metrics
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.declared import COLUMNS, FOLLOWING, MEASURE, VERDICTS, Declared
from sitegen.models.shared_rules import NAME_TWICE
from sitegen.models.submission import Claims
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, Rule, agreeing, counted, listed, reasons
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import read_toml
from sitegen.store.checks.document_breaches import Breach

CONTRADICTED = Rule.error(
    "METRIC-CONTRADICTED",
    "Keys of a metric's declaration contradict each other.",
    "remove one of the contradicting keys",
    unwaivable=reasons.OWN,
)
COLUMN_IMPOSSIBLE = Rule.error(
    "COLUMN-IMPOSSIBLE",
    "A track shows a metric that it can't have.",
    "name a metric that `sitegen metrics` lists for the track",
    unwaivable=reasons.OWN,
)
AXIS_LACKING = Rule.error(
    "METRIC-AXIS-LACKING",
    "A metric is averaged over an axis on which a task has no label.",
    "label the tasks, or average over another axis",
    unwaivable=reasons.OWN,
)
SHADOWED = Rule.warning(
    "METRIC-SHADOWED",
    "A declared metric has the id of a catalogue metric.",
    "choose another id, unless this is intended: in this benchmark the declared metric is used",
)

_FORMULA_KEYS = ("of", "rounds", "attempts", "tasks", "k", "axis")
_RATIO_KEYS = ("numerator", "denominator")
_PASS_COUNTS = ("pass_at_k", "pass_hat_k")
"""The ways to combine attempts that count the passed attempts among `k`."""
_MAX_NAMED_TASKS = 3


@dataclass(frozen=True, slots=True)
class _Contradiction:
    """A contradiction within the declaration of a metric."""

    fact: str
    fix: str | None
    """The fix; None for the usual fix of the rule."""
    key: str | None = None
    """The contradictory key; None for the whole declaration."""


@dataclass(frozen=True, slots=True)
class _TaskFault:
    """A requirement of a declared metric, and the tasks that do not meet the requirement."""

    key: str
    """The key of the declaration that sets the requirement."""
    rule: Rule
    fact: str
    fix: str | None
    tasks: Sequence[str]
    """The ids of the tasks that do not meet the requirement."""


def metric_breaches(benchmark: Benchmark) -> Iterator[Breach]:
    """Yield breaches for contradictory declarations and metrics on tracks that can't have them."""
    seen_ids: set[str] = set()
    for index, metric in enumerate(benchmark.metrics):
        for contradiction in _contradictions(metric, benchmark):
            keys = () if contradiction.key is None else (contradiction.key,)
            location = ("metrics", index, *keys)
            yield Breach(location, CONTRADICTED, contradiction.fact, contradiction.fix)
        location = ("metrics", index, "id")
        if metric.id in seen_ids:
            yield Breach(location, NAME_TWICE, f"two metrics are called {metric.id}")
        elif metric.id in METRICS:
            catalogue_title = METRICS[metric.id].title
            fact = f"`{metric.id}` is {catalogue_title} in the catalogue, but {metric.title} here"
            yield Breach(location, SHADOWED, fact)
        seen_ids.add(metric.id)
    metrics = benchmark_metrics(benchmark)
    for index, track in enumerate(benchmark.tracks):
        if not track.tasks:
            continue
        for name in track.shown:
            if name not in metrics:
                continue
            hindrance = _hindrance(metrics[name], track, benchmark)
            if hindrance:
                reason, fix = hindrance
                key = "headline" if name == track.headline else "columns"
                yield Breach(("tracks", index, key), COLUMN_IMPOSSIBLE, f"`{name}` {reason}", fix)


def _contradictions(metric: Declared, benchmark: Benchmark) -> Iterator[_Contradiction]:
    """Yield the contradictions within one declaration."""
    name = f"`{metric.id}`"
    if metric.id in Claims.model_fields:
        fact = f"a metric is called {name}, which is already a key of claims"
        yield _Contradiction(fact, "give it another id", "id")
    if metric.id in _column_names(benchmark):
        fact = f"a metric is called {name}, which is already a column of boards or of their files"
        yield _Contradiction(fact, "give it another id", "id")
    if metric.reported:
        all_keys = (*_FORMULA_KEYS, *_RATIO_KEYS)
        formula_keys = [key for key in all_keys if getattr(metric, key) is not None]
        for key in formula_keys[:1]:
            fact = f"{name} is reported by tables, but `{key}` says how to compute it"
            yield _Contradiction(fact, f"remove `{key}`", key)
        return
    if metric.is_ratio:
        yield from _ratio_contradictions(metric, name, benchmark)
        return
    if metric.of is None:
        fix = "name a value in `of`, divide two metrics, or write `reported = true`"
        yield _Contradiction(f"{name} does not say which value of a round it uses", fix)
        return
    yield from _value_contradictions(metric, name)
    yield from _attempt_contradictions(metric, name, benchmark)
    yield from _pooling_contradictions(metric, name)
    yield from _axis_contradictions(metric, name, benchmark)


def _ratio_contradictions(
    metric: Declared, name: str, benchmark: Benchmark
) -> Iterator[_Contradiction]:
    """Yield contradictions if two metrics can't be divided by each other."""
    for key in _FORMULA_KEYS:
        if getattr(metric, key) is not None:
            fact = f"{name} divides two metrics, and `{key}` says how to compute it from rounds"
            yield _Contradiction(fact, f"remove `{key}`, or numerator and denominator", key)
            return
    metrics = {declared.id: declared for declared in benchmark.metrics}
    parts = []
    for key in _RATIO_KEYS:
        part_id = getattr(metric, key)
        if part_id is None:
            yield _Contradiction(f"{name} is a ratio without {key}", f"add `{key}`")
            continue
        part = metrics.get(part_id)
        if part is None:
            fact = f"`{part_id}`, the {key} of {name}, is not declared here"
            yield _Contradiction(fact, _declaration_fix(part_id, metrics), key)
            continue
        hindrance = _part_hindrance(part)
        if hindrance:
            yield _Contradiction(f"`{part_id}`, the {key} of {name}, {hindrance}", None, key)
            continue
        parts.append(part)
    if len(parts) != len(_RATIO_KEYS):
        return
    first, second = parts
    if metric.unit == "percent" and first.unit != second.unit:
        fact = f"{name} is a percentage of {first.unit} by {second.unit}, which is not a share"
        yield _Contradiction(fact, "give the unit that the value has", "unit")
    measurements = {part.of for part in parts if (part.of or "").startswith(MEASURE)}
    if len(measurements) > 1:
        fact = (
            f"{name} divides one measurement by another, "
            "but a score can state the version of only one measurement"
        )
        yield _Contradiction(fact, "use a denominator that is not a measurement", "denominator")


def _declaration_fix(metric_id: str, declared_ids: Iterable[str]) -> str:
    """Return how to declare a metric that a ratio refers to."""
    if metric_id in METRICS and METRICS[metric_id].declared:
        return f"copy the declaration of `{metric_id}` that `sitegen metrics` prints"
    return suggestion(metric_id, declared_ids) or f"declare `{metric_id}` as a metric"


def _part_hindrance(part: Declared) -> str | None:
    """Return why a ratio can't use a metric, as a predicate; None if it can."""
    if part.reported:
        return "is reported by tables, and a ratio is computed only from results"
    if part.is_ratio:
        return "is a ratio itself"
    if part.tasks == "median":
        return "is a median over tasks, and a ratio divides sums or means"
    return None


def _column_names(benchmark: Benchmark) -> set[str]:
    """Return the column names of boards and their files, which can't be ids of metrics."""
    names = set(COLUMNS)
    for metric_id in benchmark_metrics(benchmark):
        names.update(f"{metric_id}_{suffix}" for suffix in FOLLOWING)
    return names


def _value_contradictions(metric: Declared, name: str) -> Iterator[_Contradiction]:
    """Yield contradictions of reductions and units with the value that a metric uses."""
    if metric.rounds == "all" and metric.of != "pass":
        fact = f"{name} counts whether every round passes, but uses `{metric.of}`"
        fix = 'use "pass", or reduce rounds in another way, such as "mean"'
        yield _Contradiction(fact, fix, "rounds")
    if metric.attempts in _PASS_COUNTS and metric.of != "pass":
        fact = f"{name} counts passed attempts by `{metric.of}`, which is not always 0 or 1"
        fix = 'use "pass", or reduce attempts in another way, such as "mean"'
        yield _Contradiction(fact, fix, "attempts")
    if metric.unit == "percent" and metric.of not in VERDICTS:
        fact = f"{name} is a percentage of `{metric.of}`, which is not a share"
        yield _Contradiction(fact, "give the unit of the value", "unit")


def _attempt_contradictions(
    metric: Declared, name: str, benchmark: Benchmark
) -> Iterator[_Contradiction]:
    """Yield a contradiction if `k` is missing, unused or too large."""
    if metric.attempts not in _PASS_COUNTS:
        if metric.k is not None:
            fact = f"{name} has the key `k`, which nothing uses"
            yield _Contradiction(fact, "remove `k`, or use pass_at_k or pass_hat_k", "k")
        return
    if metric.k is None:
        fact = f"{name} does not say over how many attempts"
        yield _Contradiction(fact, "add `k`", "attempts")
        return
    max_attempts = _max_attempts(benchmark, default=metric.k)
    if metric.k > max_attempts:
        attempts = counted(metric.k, "attempt")
        fact = f"{name} needs {attempts}, but no track has more than {max_attempts}"
        fix = f"use k = {max_attempts} at most, or allow more attempts on a track"
        yield _Contradiction(fact, fix, "k")


def _pooling_contradictions(metric: Declared, name: str) -> Iterator[_Contradiction]:
    """Yield contradictions of reductions with pooling, which uses all rounds unreduced."""
    if metric.tasks != "pooled":
        return
    for key in ("rounds", "attempts"):
        if getattr(metric, key) is not None:
            fact = (
                f"{name} pools all rounds of all attempts and tasks, but `{key}` reduces them first"
            )
            yield _Contradiction(fact, f"remove `{key}`, or `pooled`", key)


def _axis_contradictions(
    metric: Declared, name: str, benchmark: Benchmark
) -> Iterator[_Contradiction]:
    """Yield a contradiction if the axis is missing, unused or unknown."""
    axis = metric.axis
    if metric.tasks != "macro":
        if axis is not None:
            fact = f"{name} has the key `axis`, which nothing uses"
            yield _Contradiction(fact, 'remove `axis`, or write tasks = "macro"', "axis")
    elif axis is None:
        yield _Contradiction(f"{name} does not say over which axis", "add `axis`", "tasks")
    elif axis not in benchmark.axes:
        fix = suggestion(axis, benchmark.axes) or f"define it: [axes.{axis}]"
        yield _Contradiction(f"there is no axis `{axis}`", fix, "axis")


def _hindrance(metric: Metric, track: Track, benchmark: Benchmark) -> tuple[str, str] | None:
    """Return why a track can't have a metric, and a fix; None if it can have the metric."""
    if track.protocol not in metric.protocols:
        protocols = " or ".join(sorted(metric.protocols))
        reason = f"is defined on {protocols} tracks, but {track.id} is {track.protocol}"
        return reason, "remove it, or correct the protocol"
    if metric.computation.needs_reference and not track.reference_rounds:
        reason = f"needs rounds from the reference state, which {track.id} does not have"
        return reason, "remove it, or write `reference_rounds = true`"
    needed = metric.needed_attempts
    if track.attempts < needed <= _max_attempts(benchmark, default=0):
        attempts = counted(needed, "attempt")
        reason = f"needs {attempts}, but {track.id} has {track.attempts}"
        return reason, "remove it, or declare a metric over fewer attempts"
    return None


def _max_attempts(benchmark: Benchmark, default: int) -> int:
    """Return the largest number of attempts on any track with tasks, or else `default`."""
    attempts = [track.attempts for track in benchmark.tracks if track.tasks]
    return max(attempts, default=default)


def metric_task_problems(
    path: Path, benchmark: Benchmark, task_sets: Mapping[str, TaskSet]
) -> Iterator[Problem]:
    """Yield problems with declared metrics that do not fit the tasks.

    Either a task has no label on the metric's axis, or a task has several rounds and the metric
    does not reduce them to 0 or 1.
    """
    for index, metric in enumerate(benchmark.metrics):
        tasks = _tasks_of_metric(metric, benchmark, task_sets)
        fault = _task_fault(metric, benchmark, tasks)
        if fault is None:
            continue
        fact = f"{fault.fact}: {listed(fault.tasks, _MAX_NAMED_TASKS)}"
        # The definition is read again to find lines, since few benchmarks have such a metric.
        line = read_toml(path, Benchmark).places.line_of(("metrics", index, fault.key))
        yield fault.rule.broken(path, line, fact, fault.fix)


def _tasks_of_metric(
    metric: Declared, benchmark: Benchmark, task_sets: Mapping[str, TaskSet]
) -> list[Task]:
    """Return the tasks of the tracks that show a metric, or of all tracks if none shows it."""
    tracks = [track for track in benchmark.tracks if metric.id in track.shown]
    names = dict.fromkeys(track.tasks for track in tracks or benchmark.tracks)
    tasks: list[Task] = []
    for name in names:
        if name and name in task_sets:
            tasks += task_sets[name].tasks
    return tasks


def _task_fault(metric: Declared, benchmark: Benchmark, tasks: Sequence[Task]) -> _TaskFault | None:
    """Return a metric's unmet requirement, with the tasks; None if all tasks meet them all."""
    if metric.tasks == "macro" and metric.axis in benchmark.axes:
        lacking = [task.id for task in tasks if metric.axis not in task.labels]
        if not lacking:
            return None
        number = counted(len(lacking), "task")
        verb = agreeing(len(lacking), "has", "have")
        fact = f"`{metric.id}` is averaged over {metric.axis}, but {number} {verb} no label on it"
        return _TaskFault("axis", AXIS_LACKING, fact, None, lacking)
    counts_passes = metric.attempts in _PASS_COUNTS and metric.of == "pass"
    if counts_passes and metric.rounds not in {"all", "last"}:
        lacking = [task.id for task in tasks if len(task.rounds) > 1]
        if not lacking:
            return None
        number = counted(len(lacking), "task")
        verb = agreeing(len(lacking), "has", "have")
        fact = f"`{metric.id}` counts passed attempts, but {number} {verb} several rounds"
        return _TaskFault(
            "attempts", CONTRADICTED, fact, 'write rounds = "all", or "last"', lacking
        )
    return None
