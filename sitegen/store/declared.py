"""What of the metrics that a benchmark declares contradicts itself, its tracks or its tasks."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from sitegen.metrics.catalogue import METRICS, metrics_of
from sitegen.metrics.metric import Metric, from_reference
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.declared import COLUMNS, FOLLOWING, VERDICTS, Declared
from sitegen.models.submission import Claims
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, counted, listed, reasons
from sitegen.reading.shape import Location, suggestion
from sitegen.reading.toml import Places, read_toml
from sitegen.store import layout

_OWN = partial(Rule.error, unwaivable=reasons.OWN)
CONTRADICTED = _OWN(
    "METRIC-CONTRADICTED", "What a metric declares fits together.", "leave one of the two out"
)
COLUMN_IMPOSSIBLE = _OWN(
    "COLUMN-IMPOSSIBLE",
    "A track can have the metrics that it shows.",
    "name a metric that `sitegen metrics` lists for the track",
)
AXIS_LACKING = _OWN(
    "METRIC-AXIS-LACKING",
    "Where a metric is averaged over an axis, each task has a value on it.",
    "label the tasks, or average over another axis",
)
SHADOWED = Rule.warning(
    "METRIC-SHADOWED",
    "A declared metric has an id of its own.",
    "nothing needs to be done where the declaration is meant: here the id means what is declared; else choose another",
)

Breach = tuple[Location, Rule, str, str | None]
"""Where a rule is broken, which, the fact, and what to do about it."""
_Fault = tuple[tuple[str, ...], str, str]
"""The key that does not fit, the fact, and what to do."""
_CHANCES = ("pass_at_k", "pass_hat_k")
_SHOWN = 3


def metric_breaches(benchmark: Benchmark) -> Iterator[Breach]:
    """What contradicts itself in the declarations, and which tracks can't have what they show."""
    for index, metric in enumerate(benchmark.metrics):
        for key, what, fix in _contradictions(metric, benchmark):
            yield ("metrics", index, *key), CONTRADICTED, what, fix
        place = ("metrics", index, "id")
        if metric.id in [each.id for each in benchmark.metrics[:index]]:
            yield place, layout.NAME_TWICE, f"two metrics are called {metric.id}", None
        elif metric.id in METRICS:
            what = f"`{metric.id}` is {METRICS[metric.id].title} in the catalogue, and {metric.title} here"
            yield place, SHADOWED, what, None
    known = metrics_of(benchmark)
    for number, track in enumerate(benchmark.tracks):
        for name in track.shown:
            why = (
                _hindrance(known[name], track, benchmark) if name in known and track.tasks else None
            )
            if why:
                column = "headline" if name == track.headline else "columns"
                yield ("tracks", number, column), COLUMN_IMPOSSIBLE, f"`{name}` {why[0]}", why[1]


def _contradictions(metric: Declared, benchmark: Benchmark) -> Iterator[_Fault]:
    """What of one declaration does not fit together."""
    told = [
        key
        for key in ("of", "rounds", "attempts", "tasks", "k", "axis")
        if getattr(metric, key) is not None
    ]
    name = f"`{metric.id}`"
    if metric.id in Claims.model_fields:
        yield ("id",), f"a metric is called {name}, as a key of claims is", "give it another id"
    if metric.id in COLUMNS or metric.id in {
        f"{each}_{end}" for each in metrics_of(benchmark) for end in FOLLOWING
    }:
        yield (
            ("id",),
            f"a metric is called {name}, as a column of boards or of their files is",
            "give it another id",
        )
    if metric.reported:
        for key in told[:1]:
            yield (
                (key,),
                f"{name} is reported by tables, and `{key}` says how to compute it",
                f"remove `{key}`",
            )
        return
    if metric.of is None:
        fix = "say in `of` what it takes, or write `reported = true`"
        yield (), f"{name} does not say what it takes of a round", fix
        return
    yield from _misuses(metric, name)
    yield from _miscounts(metric, name, benchmark)
    yield from _misgroupings(metric, name, benchmark)


def _misuses(metric: Declared, name: str) -> Iterator[_Fault]:
    """Where what is made of it does not go with what is taken of a round."""
    if metric.rounds == "all" and metric.of != "pass":
        what = f"{name} asks whether every round passes, and takes `{metric.of}`"
        yield ("rounds",), what, 'take "pass", or reduce rounds by another word, such as "mean"'
    if metric.attempts in _CHANCES and metric.of != "pass":
        what = f"{name} counts the attempts that pass by `{metric.of}`, which is not 0 or 1"
        yield ("attempts",), what, 'take "pass", or reduce attempts by another word, such as "mean"'
    if metric.unit == "percent" and metric.of not in VERDICTS:
        what = f"{name} is a percentage of `{metric.of}`, which is no share"
        yield ("unit",), what, "give the unit that it is in"


def _miscounts(metric: Declared, name: str, benchmark: Benchmark) -> Iterator[_Fault]:
    """Where its number of attempts is missing, needless or too large."""
    k = metric.k or 0
    most = max((track.attempts for track in benchmark.tracks if track.tasks), default=k)
    if metric.attempts not in _CHANCES:
        if metric.k is not None:
            yield (
                ("k",),
                f"`k` stands in {name}, where nothing uses it",
                "remove `k`, or take pass_at_k or pass_hat_k",
            )
    elif metric.k is None:
        yield ("attempts",), f"{name} does not say of how many attempts", "add `k`"
    elif k > most:
        what = f"{name} needs {counted(k, 'attempt')}, and no track has more than {most}"
        yield ("k",), what, f"take k = {most} at most, or let a track have more attempts"


def _misgroupings(metric: Declared, name: str, benchmark: Benchmark) -> Iterator[_Fault]:
    """Where what is reduced before is pooled, or an axis is missing, needless or unknown."""
    for key in ("rounds", "attempts") if metric.tasks == "pooled" else ():
        if getattr(metric, key) is not None:
            what = (
                f"{name} pools all rounds of all attempts and tasks, and `{key}` reduces them first"
            )
            yield (key,), what, f"remove `{key}`, or `pooled`"
    axis = metric.axis
    if metric.tasks != "macro":
        if axis is not None:
            fix = 'remove `axis`, or write tasks = "macro"'
            yield ("axis",), f"`axis` stands in {name}, where nothing uses it", fix
    elif axis is None:
        yield ("tasks",), f"{name} does not say over which axis", "add `axis`"
    elif axis not in benchmark.axes:
        fix = suggestion(axis, benchmark.axes) or f"define it: [axes.{axis}]"
        yield ("axis",), f"there is no axis `{axis}`", fix


def _hindrance(metric: Metric, track: Track, benchmark: Benchmark) -> tuple[str, str] | None:
    """Why a track can't have a metric, and what to do; None where it can."""
    if track.protocol not in metric.protocols:
        on = " or ".join(sorted(metric.protocols))
        return (
            f"is defined on {on} tracks, and {track.id} is {track.protocol}",
            "remove it, or correct the protocol",
        )
    if metric.needs is from_reference and not track.reference_rounds:
        fix = "remove it, or write `reference_rounds = true`"
        return f"needs rounds from the reference state, which {track.id} does not have", fix
    k = (metric.declared.k if metric.declared else None) or 0
    most = max((each.attempts for each in benchmark.tracks if each.tasks), default=0)
    if track.attempts < k <= most:
        fix = "remove it, or declare one of fewer attempts"
        return f"needs {counted(k, 'attempt')}, and {track.id} has {track.attempts}", fix
    return None


def metric_task_problems(
    path: Path, benchmark: Benchmark, sets: Mapping[str, TaskSet]
) -> Iterator[Problem]:
    """Where tasks do not allow what is declared: one has no value on an axis, or several rounds that make no 0 or 1."""
    places: Places | None = None
    for index, metric in enumerate(benchmark.metrics):
        showing = [track for track in benchmark.tracks if metric.id in track.shown]
        names = {track.tasks: track for track in showing or benchmark.tracks}
        tasks = [task for name in names if name and name in sets for task in sets[name].tasks]
        if metric.tasks == "macro" and metric.axis in benchmark.axes:
            key, rule, fix = "axis", AXIS_LACKING, None
            lacking = [task.id for task in tasks if metric.axis not in task.labels]
            unlabelled = counted(len(lacking), "task")
            what = (
                f"`{metric.id}` is averaged over {metric.axis}, on which {unlabelled} has no value"
            )
        elif (
            metric.attempts in _CHANCES
            and metric.of == "pass"
            and metric.rounds not in {"all", "last"}
        ):
            key, rule, fix = "attempts", CONTRADICTED, 'write rounds = "all", or "last"'
            lacking = [task.id for task in tasks if len(task.rounds) > 1]
            what = f"`{metric.id}` counts attempts that pass, and {counted(len(lacking), 'task')} has several rounds"
        else:
            continue
        if lacking:
            places = places or read_toml(path, Benchmark).places
            told = listed(lacking, _SHOWN)
            plain = what if len(lacking) == 1 else what.replace(" has ", " have ")
            yield rule.broken(
                path, places.line_of(("metrics", index, key)), f"{plain}: {told}", fix
            )
